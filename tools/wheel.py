#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Builds bascule as a wheel, once, and installs it into every environment FRAMEWORKS asks for.

The build folder stays (build/wheel/cmake), so a second build compiles what changed; where nothing
the wheel is made from changed, nothing runs at all. The tools come from .venv: no build isolation.
"""

import hashlib
import os
import subprocess
import sys
import time

from setup import TREE, SetupError, python_of, wanted_environments

# What the wheel is made from; a folder stands for every file in it.
INPUTS = (
    "CMakeLists.txt",
    "LICENSE",
    "README.md",
    "pyproject.toml",
    "tools/requirements-torch.txt",
    "bridges",
    "cmake",
    "include",
    "python",
    "src",
)
OUTPUT = TREE / "build/wheel"


def fingerprint():
    """Changes when a name or a byte of the inputs does."""
    digest = hashlib.sha256(sys.version.encode())
    for name in INPUTS:
        path = TREE / name
        for file in [path] if path.is_file() else sorted(path.rglob("*")):
            if file.is_file() and "__pycache__" not in file.parts:
                digest.update(f"{file.relative_to(TREE)}\0{file.stat().st_size}\0".encode())
                digest.update(file.read_bytes())
    return digest.hexdigest()


def read(path):
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def run(command, what):
    # The compiler by the name CMake finds itself, so that the compiler cache knows these very
    # commands from the release build.
    names = {"CC": "cc", "CXX": "c++", **os.environ}
    if subprocess.run(command, env=names, stdin=subprocess.DEVNULL, cwd=TREE).returncode != 0:
        raise SetupError(f"{what} failed; the compiler's or pip's own words are above.")


def build(environment, wanted):
    stamp = OUTPUT / "sources.sha256"
    wheels = sorted(OUTPUT.glob("bascule-*.whl"))
    if len(wheels) == 1 and read(stamp) == wanted:
        return wheels[0]
    started = time.monotonic()
    OUTPUT.mkdir(parents=True, exist_ok=True)
    for old in wheels:
        old.unlink()
    pip = [python_of(environment), "-m", "pip", "wheel", ".", "--quiet", "--no-deps"]
    pip += ["--no-build-isolation", "--disable-pip-version-check", "--wheel-dir", OUTPUT]
    run(pip + [f"--config-settings=build-dir={OUTPUT / 'cmake'}"], "Building the wheel")
    (wheel,) = OUTPUT.glob("bascule-*.whl")
    stamp.write_text(wanted, encoding="utf-8")
    print(f"wheel: built {wheel.name} in {time.monotonic() - started:.1f} s", flush=True)
    return wheel


def install(environment, wheel, wanted):
    stamp = environment.folder / ".bascule"
    present = list(environment.folder.glob("lib/python*/site-packages/bascule-*.dist-info"))
    if present and read(stamp) == wanted:
        return
    stamp.unlink(missing_ok=True)
    pip = [python_of(environment), "-m", "pip", "install", "--quiet", "--no-deps"]
    pip += ["--force-reinstall", "--disable-pip-version-check", wheel]
    run(pip, f"Installing the wheel into {environment.folder.name}")
    stamp.write_text(wanted, encoding="utf-8")
    print(f"wheel: installed into {environment.folder.name}", flush=True)


def main():
    environments = wanted_environments()
    wanted = fingerprint()
    wheel = build(environments[0], wanted)
    for environment in environments:
        install(environment, wheel, wanted)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except SetupError as error:
        print(f"\n{error}", file=sys.stderr)
        sys.exit(1)
