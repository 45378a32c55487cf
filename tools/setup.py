#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes this checkout ready to build and test: system packages and two virtual environments.

    tools/setup.py [group ...]     groups of tools/system-packages.txt; build and test unless told

Everything that is already there is left alone, so a second run only looks. As root it installs the
missing system packages; otherwise it names them in one line to copy and stops. Packages of another
architecture, name:arm64, are unpacked into .sysroot-arm64 and never installed. The environments are
.venv (PyTorch, tools) and .venv-mindspore (MindSpore and PyTorch: it needs another NumPy).

Environment: FRAMEWORKS=torch leaves MindSpore out; PYTHON=python3.12 (for make) chooses the Python.
"""

import hashlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import time
from pathlib import Path
from typing import NamedTuple, Optional

import sysroot

TREE = Path(__file__).resolve().parent.parent
PACKAGES = TREE / "tools/system-packages.txt"
CMAKE_NEEDED = (3, 25)


class Environment(NamedTuple):
    framework: str
    folder: Path
    requirements: Path
    pythons: range  # minor versions of Python 3 that the pinned wheels exist for


# Which Pythons is a fact about the wheels: torch 2.13.0 has 3.10 to 3.14, mindspore 2.10.0 3.10 to
# 3.12. bascule itself stops before 3.14.
ENVIRONMENTS = (
    Environment("torch", TREE / ".venv", TREE / "tools/requirements-torch.txt", range(10, 14)),
    Environment(
        "mindspore",
        TREE / ".venv-mindspore",
        TREE / "tools/requirements-mindspore.txt",
        range(10, 13),
    ),
)


class SetupError(Exception):
    """A sentence for the user."""


def wanted_environments():
    """The environments that FRAMEWORKS asks for; all of them unless told."""
    known = [e.framework for e in ENVIRONMENTS]
    names = re.split(r"[,\s]+", os.environ.get("FRAMEWORKS", "").strip())
    names = [name for name in names if name] or known
    unknown = [name for name in names if name not in known]
    if unknown or "torch" not in names:
        raise SetupError(
            f"FRAMEWORKS={os.environ['FRAMEWORKS']} is not one of: torch; torch,mindspore. "
            "PyTorch is always there, the test tools share its environment."
        )
    return [e for e in ENVIRONMENTS if e.framework in names]


def python_of(environment):
    return environment.folder / "bin/python"


# --- system packages ---------------------------------------------------------------------------


def command_works(name):
    """Found and able to start: a version manager's stub for another Python is found but fails."""
    if shutil.which(name) is None:
        return False
    return subprocess.run([name, "--version"], capture_output=True, check=False).returncode == 0


def found_already(kind, name):
    if kind == "command":
        return command_works(name)
    if kind == "module":
        command = [sys.executable, "-c", f"import {name}"]
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    if kind == "header":
        return (Path(sysconfig.get_paths()["include"]) / name).is_file()
    raise SetupError(f"{PACKAGES}: '{kind}' is none of command, module, header")


def listed_packages(groups):
    for line in PACKAGES.read_text(encoding="utf-8").splitlines():
        words = line.split("#")[0].split()
        if words and words[1] in groups:
            yield words[0], words[2:]


def foreign_packages(groups):
    """Per architecture other than this machine's, what its sysroot holds."""
    foreign = {}
    for name, _ in listed_packages(groups):
        package, _, architecture = name.partition(":")
        if architecture:
            foreign.setdefault(architecture, []).append(package)
    return foreign


def missing_packages(groups):
    packages = [(name, test) for name, test in listed_packages(groups) if ":" not in name]
    query = subprocess.run(
        ["dpkg-query", "-W", "-f", "${Package} ${db:Status-Status}\n", *[p for p, _ in packages]],
        capture_output=True,
        text=True,
        check=False,
    )
    states = [line.split() for line in query.stdout.splitlines()]
    installed = {name for name, state in states if state == "installed"}
    return [p for p, test in packages if p not in installed and not (test and found_already(*test))]


def set_up_system(groups):
    if shutil.which("dpkg-query") is None:
        names = " ".join(name for name, _ in listed_packages(groups) if ":" not in name)
        print("  system packages  no Debian or Ubuntu here: install what they call " + names)
        return
    missing = missing_packages(groups)
    if not missing:
        return
    if os.geteuid() != 0:
        raise SetupError(
            "System packages are missing, and installing them needs root. Copy this line, then run "
            "the same command again:\n\n    sudo apt-get install -y " + " ".join(missing)
        )
    print("  system packages  installing " + " ".join(missing), flush=True)
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    for command in (
        ["apt-get", "update", "-qq"],
        ["apt-get", "install", "-y", "-qq", "--no-install-recommends", *missing],
    ):
        run = subprocess.run(
            command, env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL
        )
        if run.returncode != 0:
            raise SetupError(f"{shlex.join(command)} failed:\n{run.stdout}{run.stderr}")


def set_up_sysroots(groups):
    for architecture, packages in foreign_packages(groups).items():
        folder = TREE / f".sysroot-{architecture}"
        if sysroot.is_ready(folder, packages):
            continue
        if shutil.which("apt-get") is None or shutil.which("dpkg-deb") is None:
            raise SetupError(
                f"The libraries for {architecture} are Debian's or Ubuntu's packages, and here is "
                "no apt-get or no dpkg-deb to fetch them with."
            )
        started = time.monotonic()
        print(f"  {folder.name:<16} fetching 14 MB", flush=True)
        sysroot.make(folder, architecture, packages)
        print(f"  {folder.name:<16} ready after {time.monotonic() - started:.0f} s", flush=True)


# --- virtual environments ----------------------------------------------------------------------

# Runs in the environment: prints the requirements of a file that are not installed there.
UNSATISFIED = """
import sys
from importlib import metadata
from pip._vendor.packaging.requirements import Requirement
for line in open(sys.argv[1]):
    line = line.split('#')[0].strip()
    if line:
        requirement = Requirement(line)
        if requirement.marker and not requirement.marker.evaluate():
            continue
        try:
            good = requirement.specifier.contains(metadata.version(requirement.name), True)
        except metadata.PackageNotFoundError:
            good = False
        if not good:
            print(line)
"""


def python_version_of(environment) -> Optional[str]:
    """The "3.11" of an environment that exists."""
    config = environment.folder / "pyvenv.cfg"
    if not config.is_file() or not python_of(environment).exists():
        return None
    match = re.search(r"^version\s*=\s*(\d+\.\d+)", config.read_text(encoding="utf-8"), re.M)
    return match.group(1) if match else None


def stamp_text(environment):
    return hashlib.sha256(environment.requirements.read_bytes()).hexdigest()


def stamp_file(environment):
    return environment.folder / ".requirements"


def is_ready(environment):
    """Whether the pinned packages are there: by the stamp, or else by looking, which leaves one."""
    if python_version_of(environment) is None:
        return False
    stamp = stamp_file(environment)
    if stamp.is_file() and stamp.read_text(encoding="utf-8") == stamp_text(environment):
        return True
    look = subprocess.run(
        [python_of(environment), "-c", UNSATISFIED, environment.requirements],
        capture_output=True,
        text=True,
        check=False,
    )
    if look.returncode != 0 or look.stdout.strip():
        return False
    stamp.write_text(stamp_text(environment), encoding="utf-8")
    return True


def check_python(environments):
    """Wheels of every framework must exist for it, and one wheel of ours must fit all of them."""
    made = {e.folder.name: python_version_of(e) for e in environments}
    versions = {v for v in made.values() if v is not None}
    running = f"{sys.version_info[0]}.{sys.version_info[1]}"
    if all(made.values()) and len(versions) == 1 and "PYTHON" not in os.environ:
        return
    minors = range(
        max(e.pythons.start for e in environments), min(e.pythons.stop for e in environments)
    )
    if sys.version_info[0] != 3 or sys.version_info[1] not in minors:
        names = " and ".join(e.framework for e in environments)
        hint = ""
        if len(environments) > 1 and sys.version_info[1] in environments[0].pythons:
            hint = " FRAMEWORKS=torch leaves MindSpore out and works with this one."
        raise SetupError(
            f"Python {running} ({sys.executable}) has no wheels of {names} in the versions we use. "
            f"Supported: 3.{minors.start} to 3.{minors.stop - 1}. Choose one with, for example, "
            f"`make test PYTHON=python3.{minors.stop - 1}`.{hint}"
        )
    for folder, version in made.items():
        if version not in (None, running):
            raise SetupError(
                f"{folder} was made with Python {version}, and this is Python {running}. "
                f"`make distclean` removes the environments; PYTHON=python{version} keeps them."
            )


def fetch_text(environment):
    text = environment.requirements.read_text(encoding="utf-8")
    return re.search(r"^# fetches: (.*)$", text, re.M).group(1)


def set_up_environment(environment):
    started = time.monotonic()
    if python_version_of(environment) is None:
        subprocess.run([sys.executable, "-m", "venv", "--clear", environment.folder], check=True)
    stamp_file(environment).unlink(missing_ok=True)
    pip = [python_of(environment), "-m", "pip", "install", "--quiet", "--progress-bar=off"]
    pip += ["--disable-pip-version-check", "-r", environment.requirements]
    run = subprocess.run(pip, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if run.returncode != 0:
        raise SetupError(
            f"pip could not install {environment.requirements.relative_to(TREE)} into "
            f"{environment.folder.name}:\n{run.stdout}{run.stderr}"
        )
    stamp_file(environment).write_text(stamp_text(environment), encoding="utf-8")
    took_s = time.monotonic() - started
    print(f"  {environment.folder.name:<16} ready after {took_s:.0f} s", flush=True)


def cmake_version(command):
    try:
        run = subprocess.run([command, "--version"], capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return (0, 0)
    version = re.search(r"(\d+)\.(\d+)", run.stdout)
    return (int(version[1]), int(version[2])) if version else (0, 0)


def set_up_cmake(environment):
    """A distribution may have all the packages and too old a CMake; then PyPI's goes into .venv."""
    if any(cmake_version(c) >= CMAKE_NEEDED for c in (environment.folder / "bin/cmake", "cmake")):
        return
    needed = ".".join(map(str, CMAKE_NEEDED))
    print(f"  cmake            the system's is older than {needed}; fetching the wheel, 30 MB")
    pip = [python_of(environment), "-m", "pip", "install", "--quiet", f"cmake>={needed}"]
    subprocess.run(pip, check=True, stdin=subprocess.DEVNULL)


def main(arguments):
    groups = arguments or ["build", "test"]
    environments = wanted_environments()
    check_python(environments)
    to_make = [e for e in environments if not is_ready(e)]
    for environment in to_make:
        print(f"  {environment.folder.name:<16} fetching {fetch_text(environment)}", flush=True)
    set_up_system(groups)
    set_up_sysroots(groups)
    for environment in to_make:
        set_up_environment(environment)
    set_up_cmake(environments[0])
    names = ", ".join(e.folder.name for e in environments)
    print(f"set-up: {names} and system packages ({', '.join(groups)}) are there", flush=True)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except (SetupError, sysroot.SysrootError) as error:
        print(f"\n{error}", file=sys.stderr)
        sys.exit(1)
