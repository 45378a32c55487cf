# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C while a kernel runs that does not end by itself, and while compilers do."""

import os
import signal
import subprocess
import sys
import time

import pytest

PROGRAM = """
import os, signal, sys, time
# A shell has its background jobs ignore it, and tests may run in one.
signal.signal(signal.SIGINT, signal.default_int_handler)
import numpy as np
import bascule

kernel = getattr(bascule.load(sys.argv[1]), sys.argv[2])
x = np.zeros(1 << 18, np.float32)
out = np.zeros_like(x)
exec(sys.argv[3])
print("ready", flush=True)
try:
    kernel(x, out=out)
except KeyboardInterrupt:
    kernel(x + 1, out=out)  # the process goes on, and so do launches
    print("interrupted", out[0], flush=True)
"""


def start(path, kernel, before="", threads=2):
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, path, kernel, before],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "BASCULE_THREADS": str(threads)},
    )
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.3)
    return process


@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("kernel", ["plain_loop", "loop_of_calls", "loop_in_one_block"])
def test_ctrl_c_ends_an_endless_launch(lone_path, kernel, threads):
    process = start(lone_path, kernel, threads=threads)
    process.send_signal(signal.SIGINT)
    try:
        out, _ = process.communicate(timeout=20)  # at once, on a machine that is not busy
    finally:
        process.kill()
    assert out.split() == ["interrupted", "1.0"]
    assert process.returncode == 0


def test_ctrl_c_ends_one_in_a_forked_child(lone_path):
    in_parent = "time.sleep(1); os.kill(child, signal.SIGINT); os.wait(); sys.exit(3)"
    process = start(lone_path, "plain_loop", f"child = os.fork()\nif child: {in_parent}")
    out, _ = process.communicate(timeout=20)
    assert out.split() == ["interrupted", "1.0"]
    assert process.returncode == 3


def test_a_handler_of_the_programs_own_is_left_alone(lone_path):
    process = start(lone_path, "plain_loop", "signal.signal(signal.SIGINT, lambda *_: None)")
    process.send_signal(signal.SIGINT)
    try:
        with pytest.raises(subprocess.TimeoutExpired):
            process.communicate(timeout=1)
    finally:
        process.kill()
        process.communicate()


def test_ctrl_c_ends_a_build(tmp_path):
    """A terminal sends it to the command and to its compilers."""
    kernel = tmp_path / "scale.cpp"
    kernel.write_text("#include <cstdint>\n")
    slow = tmp_path / "c++"
    slow.write_text(
        'case "$*" in *--version*) echo slow ;; *) touch "$0.started"; sleep 100 ;; esac\n'
    )
    slow.write_text(f"#!/bin/sh\n{slow.read_text()}")
    slow.chmod(0o755)
    output = tmp_path / "libscale.so"
    program = (
        "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "from bascule.cli import main; raise SystemExit(main())"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", program, "build", kernel, "-o", output, "--compiler", slow],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    until = time.monotonic() + 60
    while not (tmp_path / "c++.started").exists() and time.monotonic() < until:
        time.sleep(0.01)
    assert (tmp_path / "c++.started").exists()
    os.killpg(process.pid, signal.SIGINT)
    try:
        out, errors = process.communicate(timeout=20)
    finally:
        process.kill()
    assert process.returncode == 130, out + errors
    assert "Traceback" not in errors
    assert not output.exists()
    assert not list(tmp_path.rglob("*.tmp"))
