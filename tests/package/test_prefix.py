# SPDX-License-Identifier: Apache-2.0
"""The installed package: a prefix that a compiler, a loader and CMake can use as it stands."""

import ctypes
import importlib.metadata
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import bascule

TREE = Path(__file__).resolve().parents[2]
LIBRARY = bascule.prefix() / "lib/libbascule.so"


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_version_is_cmakes():
    text = (TREE / "CMakeLists.txt").read_text()
    version = re.search(r"^\s*VERSION (\S+)", text, re.M).group(1)
    assert bascule.__version__ == version
    assert importlib.metadata.version("bascule") == version
    assert run(sys.executable, "-m", "bascule", "--version") == f"bascule {version}\n"


def test_command_prints_the_prefix():
    assert run(sys.executable, "-m", "bascule", "prefix") == f"{bascule.prefix()}\n"


def test_importing_bascule_imports_no_framework():
    code = "import bascule, sys; print(sorted({'torch', 'mindspore', 'numpy'} & set(sys.modules)))"
    assert run(sys.executable, "-c", code) == "[]\n"


@pytest.mark.parametrize("origin", ["include/ascendc/kernel", "include/ascendc/host", "include"])
def test_headers_stand_under_one_root(origin):
    folder = TREE / origin
    for header in folder.rglob("*.h"):
        name = header.relative_to(folder)
        if origin != "include" or name.parts[0] != "ascendc":
            installed = (bascule.prefix() / "include" / name).read_bytes()
            if name.name == "keywords.h":  # the installation names its namespace
                installed, names = re.subn(rb"bascule_[0-9a-f]{6} {", b"bascule_1 {", installed)
                assert names == 1
            assert installed == header.read_bytes()
    assert not (bascule.prefix() / "include/ascendc/kernel").exists()


def test_kernel_and_host_headers_do_not_collide():
    def names(part):
        folder = TREE / "include/ascendc" / part
        return {file.relative_to(folder) for file in folder.rglob("*") if file.is_file()}

    assert names("kernel") & names("host") == set()
    assert not any(name.parts[0] == "bascule" for name in names("kernel") | names("host"))


def test_the_library_exports_the_c_abi_only():
    lines = run("nm", "-D", "--defined-only", LIBRARY).splitlines()
    assert [line for line in lines if not line.split()[-1].startswith("bascule_")] == []


def test_a_loaded_library_is_found_by_its_soname():
    assert "soname: [libbascule.so]" in run("readelf", "-d", LIBRARY)
    ctypes.CDLL(str(LIBRARY))
    rtld_noload = 4  # ctypes does not name it
    ctypes.CDLL("libbascule.so", mode=rtld_noload)


def test_cmake_finds_the_prefix(tmp_path):
    cmake = shutil.which("cmake")
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.24)\n"
        "project(user C)\n"
        "find_package(bascule 0.1 REQUIRED)\n"
        "get_target_property(library bascule::bascule LOCATION)\n"
        'message("found ${BASCULE_PREFIX} ${library}")\n'
    )
    result = subprocess.run(
        [cmake, "-S", tmp_path, "-B", tmp_path / "b", f"-DCMAKE_PREFIX_PATH={bascule.prefix()}"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert f"found {bascule.prefix()} {LIBRARY}" in result.stderr
