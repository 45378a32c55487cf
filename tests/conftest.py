# SPDX-License-Identifier: Apache-2.0
"""What the Python tests share: operator libraries, built once per run by the command users have.

The shipped operators take minutes to build, and the CMake build has made them: `make pytest` says
in BASCULE_BUILT_OPERATORS where. my_mul is always built here.
"""

import json
import os
import shutil
import struct
import subprocess
import sys
from pathlib import Path
from typing import Callable

import pytest

TREE = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def built(tmp_path_factory) -> Callable[[str], Path]:
    """built("operators/my_mul") is the path of that project's library."""
    folder = tmp_path_factory.mktemp("libraries")
    done: dict[str, Path] = {}

    def build(project: str) -> Path:
        if project not in done:
            output = folder / f"lib{Path(project).name}.so"
            if made := _made_by_cmake(project):
                done[project] = Path(shutil.copy(made, output))
                return output
            command = [sys.executable, "-m", "bascule", "build", TREE / project, "-o", output]
            result = subprocess.run(command, capture_output=True, text=True)
            assert result.returncode == 0, result.stdout + result.stderr
            done[project] = output
        return done[project]

    return build


def _made_by_cmake(project: str) -> Path | None:
    folder = os.environ.get("BASCULE_BUILT_OPERATORS")
    kind, name = os.path.split(project)
    if folder is None or kind != "operators" or name == "my_mul":
        return None
    return Path(folder) / f"lib{name}.so"


@pytest.fixture(scope="session")
def my_mul_path(built) -> Path:
    """libmy_mul.so: out = x * y, float16 and float32, one shape."""
    return built("operators/my_mul")


@pytest.fixture(scope="session")
def clip_path(built) -> Path:
    """libclip.so: tiling data by host classes, a branch for each of two tiling keys."""
    return built("tests/operators/clip")


@pytest.fixture
def write_manifest() -> Callable[..., Path]:
    """Writes a file that is no more than a manifest: what is read of a library without loading it.

    `machine` is the ELF number of a processor, this one's unless told; other members as they come.
    """
    return _write_manifest


def _write_manifest(path: Path, operators=(), *, machine: int = 0, **members) -> Path:
    manifest = {
        "manifest": 1,
        "bascule": "0.1.0",
        "library_abi": 1,
        "kernel_abi": 1,
        "source_hash": "",
        "operators": [{"name": op} if isinstance(op, str) else op for op in operators],
        **members,
    }
    text = json.dumps(manifest).encode()
    note = struct.pack("<III", 8, len(text), 1) + b"bascule\0" + text
    note += bytes(-len(note) % 4)
    own = Path(sys.executable).read_bytes()[18:20]
    ident = b"\x7fELF\x02\x01\x01" + bytes(9)
    kind = struct.pack("<H", 3) + (struct.pack("<H", machine) if machine else own)
    header = ident + kind + struct.pack("<IQQQIHHHHHH", 1, 0, 64, 0, 0, 64, 56, 1, 64, 0, 0)
    segment = struct.pack("<IIQQQQQQ", 4, 4, 120, 120, 120, len(note), len(note), 4)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(header + segment + note)
    return path


# A tutorial's CMake file, word for word: a plain shared library.
PLAIN_CMAKE = """
cmake_minimum_required(VERSION 3.16)
project(lone CXX)
set(CMAKE_CXX_STANDARD 17)
set(CMAKE_CXX_FLAGS "-fPIC -O2 -Wall -Wextra -Werror")
include_directories(${ASCEND_HOME}/include)
add_library(lone SHARED lone.cpp)
"""


@pytest.fixture(scope="session")
def lone_path(tmp_path_factory) -> Path:
    """liblone.so: the lone kernels of tests/kernels/lone.cpp, built as a user builds them."""
    import bascule

    folder = tmp_path_factory.mktemp("lone")
    (folder / "CMakeLists.txt").write_text(PLAIN_CMAKE)
    shutil.copyfile(TREE / "tests/kernels/lone.cpp", folder / "lone.cpp")
    for command in (
        ["cmake", "-S", folder, "-B", folder / "b", f"-DASCEND_HOME={bascule.prefix()}"],
        ["cmake", "--build", folder / "b"],
    ):
        result = subprocess.run(command, capture_output=True, text=True)
        assert result.returncode == 0, result.stdout + result.stderr
    return folder / "b/liblone.so"


@pytest.fixture(scope="session")
def products_path(built) -> Path:
    """libproducts.so: two outputs (x * y, x * x) and two attributes, float32."""
    return built("tests/operators/products")


@pytest.fixture(scope="session")
def saving_path(tmp_path_factory) -> Path:
    """libsaving.so: products, of which the second output, `square`, is saved for the gradient."""
    folder = tmp_path_factory.mktemp("saving")
    project = shutil.copytree(TREE / "tests/operators/products", folder / "products")
    (project / "gradient.py").write_text(SAVING_GRADIENT)
    output = folder / "libsaving.so"
    command = [sys.executable, "-m", "bascule", "build", project, "-o", output]
    result = subprocess.run(command, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    return output


# x is not 0, so that x * x / x is x.
SAVING_GRADIENT = """
from bascule import xp

saved = ("square",)


def bprop(x, y, product, square, dproduct, *, tile, swap):
    if swap:  # product and square have changed places
        return dproduct * x * 2, xp.zeros_like(y)
    return dproduct * y, dproduct * square / x
"""


@pytest.fixture(scope="session")
def compile_library(tmp_path_factory):
    """compile_library(name, text): the path of lib<name>.so, a library in plain C++."""
    compiler = shutil.which("c++") or shutil.which("g++")

    def make(name, text, folder=None):
        folder = folder or tmp_path_factory.mktemp(name)
        source = folder / f"{name}.cpp"
        source.write_text(text)
        path = folder / f"lib{name}.so"
        command = [compiler, "-std=c++17", "-O1", "-shared", "-fPIC", source, "-o", path]
        subprocess.run(command, check=True)
        return path

    return make


# Functions as MindSpore's documentation describes them: inputs, then outputs.
PLAIN = """
#include <cstdint>
#include <stdexcept>
#include <vector>

static int64_t Count(int rank, const int64_t* shape) {
  int64_t count = 1;
  for (int i = 0; i < rank; ++i) count *= shape[i];
  return count;
}

// out = FACTOR * x * y, float32
extern "C" int product(int, void** p, int* ranks, int64_t** shapes, const char**, void*, void*) {
  auto *x = (const float*)p[0], *y = (const float*)p[1];
  auto *out = (float*)p[2];
  for (int64_t i = 0; i < Count(ranks[0], shapes[0]); ++i) out[i] = FACTOR * x[i] * y[i];
  return 0;
}
extern "C" std::vector<int64_t> productInferShape(int* ranks, int64_t** shapes, void*) {
  return {shapes[0], shapes[0] + ranks[0]};
}
extern "C" int productInferType(std::vector<int> types, void*) { return types[0]; }

// sum = x + y, difference = x - y, float32
extern "C" int add_sub(int, void** p, int* ranks, int64_t** shapes, const char**, void*, void*) {
  auto *x = (const float*)p[0], *y = (const float*)p[1];
  auto *sum = (float*)p[2], *difference = (float*)p[3];
  for (int64_t i = 0; i < Count(ranks[0], shapes[0]); ++i) {
    sum[i] = x[i] + y[i];
    difference[i] = x[i] - y[i];
  }
  return 0;
}
"""


@pytest.fixture(scope="session")
def plain(compile_library):
    """The path of a library without manifest: `product` and `add_sub`."""
    return compile_library("plain", PLAIN.replace("FACTOR", "1"))


@pytest.fixture(scope="session")
def plain_text():
    return PLAIN


@pytest.fixture(scope="session")
def backward_path(built) -> Path:
    """libbackward.so: scaled_mul, its gradient scaled_mul_grad, and positive, without one."""
    return built("tests/operators/backward")
