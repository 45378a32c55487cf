# SPDX-License-Identifier: Apache-2.0
"""Faults of kernels in a Python process: bascule's handlers beside Python's own faulthandler."""

import signal
import subprocess
import sys
import textwrap

import pytest

import bascule

KERNEL = """
#include "acl/acl.h"
#include "kernel_operator.h"
__global__ __aicore__ void broken(int32_t* nowhere) { *nowhere = 1; }
__global__ __aicore__ void sound() { AscendC::PipeBarrier<PIPE_ALL>(); }
// A stream that has failed does nothing any more, so each run has one of its own.
template <typename Launch>
int On(Launch launch) {
  aclrtStream stream;
  aclrtCreateStream(&stream);
  launch(stream);
  const int code = aclrtSynchronizeStream(stream);
  aclrtDestroyStream(stream);
  return code;
}
extern "C" int run_broken() {
  return On([](aclrtStream stream) { broken<<<2, nullptr, stream>>>(nullptr); });
}
extern "C" int run_sound() {
  return On([](aclrtStream stream) { sound<<<2, nullptr, stream>>>(); });
}
"""

PROGRAM = """
import ctypes, faulthandler, sys, time
library = ctypes.CDLL(sys.argv[1])
if sys.argv[2] == "later":
    library.run_sound()
    faulthandler.enable()
    time.sleep(0.05)
for _ in range(3):
    assert library.run_broken() != 0
    assert library.run_sound() == 0
print("alive", flush=True)
ctypes.string_at(0)
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    folder = tmp_path_factory.mktemp("faults")
    (folder / "kernels.asc").write_text(KERNEL)
    driver = bascule.prefix() / "bin/bascule-ascc"
    command = [driver, "-shared", "-fPIC", "-O1", "kernels.asc", "-o", "libkernels.so"]
    subprocess.run(command, cwd=folder, check=True)
    return folder / "libkernels.so"


@pytest.mark.parametrize("when", ["first", "later", "never"])
def test_kernels_fault_and_python_lives_on(library, when):
    options = ["-X", "faulthandler"] if when == "first" else []
    result = subprocess.run(
        [sys.executable, *options, "-c", textwrap.dedent(PROGRAM), library, when],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert result.stdout == "alive\n", result.stderr
    sentence = "broken (block 0 of 2): the kernel writes through a raw pointer that is null"
    assert result.stderr.count(sentence) == 3, result.stderr
    # The fault that is Python's own ends the process as it would without bascule, and is reported.
    assert result.returncode == -signal.SIGSEGV
    fatal = result.stderr.count("Fatal Python error: Segmentation fault")
    assert fatal == (0 if when == "never" else 1), result.stderr
