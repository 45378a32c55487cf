# SPDX-License-Identifier: Apache-2.0
"""The language ASC in CMake, with the installed package: projects of the shapes users have."""

import os
import shutil
import subprocess
import time

import pytest

import bascule

CMAKE = shutil.which("cmake")
DRIVER = bascule.prefix() / "bin/bascule-ascc"

KERNEL = """
#include "acl/acl.h"
#include "kernel_operator.h"
#include "answer.h"
extern "C" __global__ __aicore__ void answer(GM_ADDR out) {
  AscendC::GlobalTensor<int32_t> tensor;
  tensor.SetGlobalBuffer((__gm__ int32_t*)out);
  tensor.SetValue(0, ANSWER);
}
void Launch(void* out, aclrtStream stream) { answer<<<1, nullptr, stream>>>((GM_ADDR)out); }
"""
MAIN = """
#include "acl/acl.h"
void Launch(void* out, aclrtStream stream);
int main() {
  void* out = nullptr;
  int host = 0;
  aclrtMalloc(&out, 4, ACL_MEM_MALLOC_HUGE_FIRST);
  Launch(out, nullptr);
  if (aclrtSynchronizeStream(nullptr) != ACL_SUCCESS) return 1;
  aclrtMemcpy(&host, 4, out, 4, ACL_MEMCPY_DEVICE_TO_HOST);
  return host;
}
"""
# What build files of the toolkit's own examples do: its libraries by name, its headers by variable.
LISTS = """
cmake_minimum_required(VERSION 3.16)
set(CMAKE_ASC_ARCHITECTURES "dav-2201" CACHE STRING "NPU architecture")
find_package(ASC REQUIRED)
project(answers LANGUAGES ASC CXX)
add_library(kernel_static STATIC kernel.asc)
add_library(kernel_shared SHARED kernel.asc)
foreach(kind static shared)
  add_executable(with_${kind} main.cpp)
  target_include_directories(with_${kind} PRIVATE $ENV{ASCEND_HOME_PATH}/include)
  target_link_libraries(with_${kind} PRIVATE kernel_${kind} tiling_api ascendcl m dl)
endforeach()
add_executable(whole kernel.asc main.cpp)
target_include_directories(whole PRIVATE $ENV{ASCEND_HOME_PATH}/include)
target_link_libraries(whole PRIVATE register platform)
"""


def run(*command, code=0, **options):
    result = subprocess.run(command, capture_output=True, text=True, **options)
    assert result.returncode == code, result.stdout + result.stderr
    return result.stdout + result.stderr


def configure(folder, *arguments, code=0):
    prefix = f"-DCMAKE_PREFIX_PATH={bascule.prefix()}"
    return run(CMAKE, "-S", folder, "-B", folder / "b", prefix, *arguments, code=code)


def test_the_driver_is_a_program():
    assert os.access(DRIVER, os.X_OK)
    assert run(DRIVER, "--version").startswith(f"bascule-ascc {bascule.__version__}\n")


def test_libraries_programs_and_rebuilds(tmp_path):
    (tmp_path / "kernel.asc").write_text(KERNEL)
    (tmp_path / "main.cpp").write_text(MAIN)
    (tmp_path / "answer.h").write_text("#define ANSWER 42\n")
    (tmp_path / "CMakeLists.txt").write_text(LISTS)
    said = configure(tmp_path, "-DCMAKE_BUILD_TYPE=Release")
    assert "The ASC compiler is bascule-ascc" in said
    run(CMAKE, "--build", tmp_path / "b")
    programs = [tmp_path / "b" / name for name in ("with_static", "with_shared", "whole")]
    for program in programs:
        run(program, code=42)
    # A header that changed is noticed, a build without changes does nothing.
    assert "Building" not in run(CMAKE, "--build", tmp_path / "b")
    time.sleep(0.01)
    (tmp_path / "answer.h").write_text("#define ANSWER 43\n")
    run(CMAKE, "--build", tmp_path / "b", "--target", "with_shared")
    run(programs[1], code=43)


def test_asc_alone_and_an_error(tmp_path):
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.16)\n"
        "find_package(ASC REQUIRED)\n"
        "project(alone LANGUAGES ASC)\n"
        "add_executable(alone alone.asc)\n"
    )
    (tmp_path / "alone.asc").write_text("int main() {\n  return wrong_name;\n}\n")
    configure(tmp_path)
    said = run(CMAKE, "--build", tmp_path / "b", code=2)
    assert f"{tmp_path}/alone.asc:2:10: error: " in said


@pytest.mark.parametrize(
    "setting, says",
    [
        ("-DCMAKE_ASC_ARCHITECTURES=dav-3510", "bascule runs kernels for dav-2201"),
        ("-DCMAKE_ASC_ENABLE_SIMT=ON", "has no SIMT"),
        ("-DCMAKE_ASC_COMPILER=/no/such/compiler", "which does not exist"),
        ("-DCMAKE_ASC_HOST_COMPILER=/no/such/compiler", "was not found"),
    ],
)
def test_what_cannot_be_is_said_when_configuring(tmp_path, setting, says):
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.16)\n"
        "find_package(ASC REQUIRED)\n"
        "project(alone LANGUAGES ASC)\n"
    )
    said = configure(tmp_path, setting, code=1)
    assert says in " ".join(said.split())


def test_a_tutorials_plain_library_compiles(tmp_path):
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.16)\n"
        "project(add_one CXX)\n"
        "set(CMAKE_CXX_STANDARD 17)\n"
        "include_directories(${ASCEND_HOME}/include)\n"
        "add_library(add_one SHARED add_one.cpp)\n"
    )
    (tmp_path / "add_one.cpp").write_text(
        '#include "kernel_operator.h"\n'
        "using namespace AscendC;\n"
        'extern "C" __global__ __aicore__ void add_one(GM_ADDR x, GM_ADDR out) {\n'
        "  uint32_t length = GetTensorNum();\n"
        "  uint32_t share = GetBlockSize(length);\n"
        "  for (uint32_t i = 0; i < share; ++i) ((__gm__ int32_t*)out)[i] = x[i] + 1;\n"
        "}\n"
    )
    configure(tmp_path, f"-DASCEND_HOME={bascule.prefix()}")
    run(CMAKE, "--build", tmp_path / "b")
    assert " T add_one\n" in run("nm", "-D", tmp_path / "b/libadd_one.so")
