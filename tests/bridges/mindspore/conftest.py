# SPDX-License-Identifier: Apache-2.0
"""What the MindSpore tests share: both modes, and libraries to call."""

import importlib.util
import os
import shutil
import subprocess
import sys

import pytest

# A developer's environment must not decide what is found.
os.environ.pop("BASCULE_PATH", None)
os.environ.pop("BASCULE_NO_CWD", None)
os.environ.setdefault("GLOG_v", "4")  # MindSpore logs every refusal with a page of stack

if importlib.util.find_spec("mindspore") is None:
    collect_ignore_glob = ["test_*.py"]


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """MindSpore writes a file into the working directory whenever a graph is refused."""
    monkeypatch.chdir(tmp_path)


@pytest.fixture(params=["GRAPH", "PYNATIVE"])
def mode(request):
    """Sets each of MindSpore's modes in turn; the value is its name."""
    import mindspore

    mindspore.set_context(mode=getattr(mindspore, f"{request.param}_MODE"))
    return request.param


@pytest.fixture(scope="session")
def my_mul(my_mul_path):
    """libmy_mul.so as text: what users pass."""
    return str(my_mul_path)


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


@pytest.fixture
def run_script(tmp_path, my_mul):
    """run_script(text, mode): runs a user's script beside libmy_mul.so; its completed process."""
    shutil.copy(my_mul, tmp_path / "libmy_mul.so")

    def run(text, mode, **environment):
        script = tmp_path / "script.py"
        script.write_text(text)
        return subprocess.run(
            [sys.executable, str(script)],
            cwd=tmp_path,
            env={**os.environ, "MODE": mode, **environment},
            capture_output=True,
            text=True,
            timeout=300,
        )

    return run
