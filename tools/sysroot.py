# SPDX-License-Identifier: Apache-2.0
"""Libraries of another architecture for cross-building, unpacked beside the system.

The system's package manager learns of no foreign architecture and nothing is installed: apt works
in a folder of its own, where it is told that the cross compiler's libraries are there, and resolves
and downloads the rest; dpkg-deb unpacks it. No step needs root.
"""

import hashlib
import re
import shutil
import subprocess
from pathlib import Path

UBUNTU_PORTS = "http://ports.ubuntu.com/ubuntu-ports"


class SysrootError(Exception):
    """A sentence for the user."""


def run(command):
    result = subprocess.run(
        [str(word) for word in command],
        capture_output=True,
        text=True,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    return result.returncode, result.stdout, result.stderr


def stamp_text(packages):
    return hashlib.sha256(" ".join(packages).encode()).hexdigest()


def is_ready(folder, packages):
    stamp = folder / ".packages"
    return stamp.is_file() and stamp.read_text(encoding="utf-8") == stamp_text(packages)


def toolchain_packages(architecture):
    """What the cross compiler brings, as a dpkg status file under the names it has at home."""
    suffix = f"-{architecture}-cross"
    shown = "${Package}\t${Version}\t${Provides}\n"
    _, output, _ = run(["dpkg-query", "-W", "-f", shown, f"*{suffix}"])
    status = []
    for line in output.splitlines():
        name, version, provides = line.split("\t")
        if not version:  # known, not installed
            continue
        lines = [
            f"Package: {name.removesuffix(suffix)}",
            "Status: install ok installed",
            f"Architecture: {architecture}",
            f"Version: {re.sub(r'cross[0-9]+$', '', version)}",
            "Maintainer: the cross compiler <none@localhost>",
            "Description: part of the cross compiler",
        ]
        if provides:
            lines.append(f"Provides: {provides.replace(suffix, '')}")
        status.append("\n".join(lines) + "\n")
    return "\n".join(status)


def ubuntu_sources():
    """Ubuntu keeps all but amd64 and i386 on a server that its default sources do not name."""
    text = Path("/etc/os-release").read_text(encoding="utf-8")
    release = dict(re.findall(r'^(\w+)="?([^"\n]*)"?$', text, re.M))
    codename = release.get("UBUNTU_CODENAME")
    if codename is None:
        return None
    return "".join(
        f"deb {UBUNTU_PORTS} {suite} main universe\n" for suite in (codename, codename + "-updates")
    )


def make(folder, architecture, packages):
    """Fills `folder` with `packages` and all they depend on."""
    shutil.rmtree(folder, ignore_errors=True)
    state = folder / ".apt"
    for part in ("lists/partial", "archives/partial"):
        (state / part).mkdir(parents=True)
    (state / "status").write_text(toolchain_packages(architecture), encoding="utf-8")
    settings = {
        "APT::Architecture": architecture,
        "APT::Architectures::": architecture,
        "APT::Sandbox::User": "",  # the folder may be closed to apt's own user
        "Dir::State": state,
        "Dir::State::status": state / "status",
        "Dir::Cache": state,
        "Debug::NoLocking": "1",
    }
    sources = ubuntu_sources()
    if sources is not None:
        (state / "sources.list").write_text(sources, encoding="utf-8")
        settings["Dir::Etc::SourceList"] = state / "sources.list"
        settings["Dir::Etc::SourceParts"] = "/dev/null"
    apt = ["apt-get", "-qq"]
    for name, value in settings.items():
        apt += ["-o", f"{name}={value}"]

    # A source without this architecture fails and is of no interest; what is missing shows below.
    _, _, update_errors = run([*apt, "update"])
    install = ["install", "-y", "--download-only", "--no-install-recommends", *packages]
    code, output, errors = run([*apt, *install])
    if code != 0:
        raise SysrootError(
            f"apt found no {architecture} packages of {' '.join(packages)}:\n"
            f"{update_errors}{output}{errors}"
        )
    for archive in sorted((state / "archives").glob("*.deb")):
        code, output, errors = run(["dpkg-deb", "-x", archive, folder])
        if code != 0:
            raise SysrootError(f"{archive.name} could not be unpacked:\n{output}{errors}")
    shutil.rmtree(state)
    (folder / ".packages").write_text(stamp_text(packages), encoding="utf-8")
