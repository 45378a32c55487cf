# SPDX-License-Identifier: Apache-2.0
"""What else goes on in the process: forks, other threads, who was imported first, Ctrl-C."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import bascule

# Without torch, whose own threads do not survive a fork.
CHILD = """
import os, sys
import numpy as np
import bascule

op = bascule.load(sys.argv[1]).my_mul
x = np.arange(1 << 20, dtype=np.float32)


def right():
    out, pullback = bascule.vjp(op, x, x)
    return np.array_equal(out, x * x) and np.array_equal(pullback(np.ones_like(x))[0], x)


assert right()  # with several workers
child = os.fork()
if child == 0:
    os._exit(0 if right() else 1)
_, status = os.waitpid(child, 0)
print("child", os.waitstatus_to_exitcode(status), right())
"""

IMPORTS = """
import sys
{imports}
import bascule.torch

op = bascule.torch.load(sys.argv[1]).my_mul
print(op(torch.ones(3), torch.ones(3)).sum().item())
"""


def run(text, *arguments, **options):
    command = [sys.executable, "-c", text, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, **options)


def test_a_forked_child_calls_and_differentiates(my_mul_path):
    ran = run(CHILD, my_mul_path)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.split() == ["child", "0", "True"]


@pytest.mark.parametrize("imports", ["import torch, bascule", "import bascule\nimport torch"])
def test_whoever_is_imported_first(my_mul_path, imports):
    ran = run(IMPORTS.format(imports=imports), my_mul_path)
    assert ran.stdout.strip() == "3.0", ran.stderr


def test_other_threads_go_on_while_a_kernel_runs(my_mul_path):
    op = bascule.load(my_mul_path).my_mul
    x = np.ones(1 << 20, np.float32)
    out = np.empty_like(x)
    ended = threading.Event()

    def work():
        op.native.call((x, x), (out,), repeat=200)
        ended.set()

    thread = threading.Thread(target=work)
    turns = 0
    thread.start()
    while not ended.is_set():
        turns += 1
        time.sleep(0)
    thread.join()
    assert turns > 10  # with the lock held there would be one, or two


INTERRUPTED = """
import signal, sys
import torch
import bascule.torch

# A shell may have had its background jobs ignore it, and tests run in one.
signal.signal(signal.SIGINT, signal.default_int_handler)

op = bascule.torch.load(sys.argv[1]).my_mul
x = torch.ones(1 << 20)
print("ready", flush=True)
try:
    while True:
        op(x, x)
except KeyboardInterrupt:
    print("interrupted", op(x, x).sum().item(), flush=True)
"""


def words_after_ctrl_c(script, path):
    """What a script prints after SIGINT, which it gets half a second after it said "ready"."""
    process = subprocess.Popen(
        [sys.executable, "-c", script, path], stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout.readline() == "ready\n"
        time.sleep(0.5)
        os.kill(process.pid, signal.SIGINT)
        out, _ = process.communicate(timeout=60)
    finally:
        process.kill()
    return out.split()


def test_ctrl_c_ends_a_loop_of_calls_and_leaves_the_operator_whole(my_mul_path):
    words = words_after_ctrl_c(INTERRUPTED, my_mul_path)
    assert words == ["interrupted", str(float(1 << 20))]


BACKWARD = """
import signal, sys
import torch
import bascule

signal.signal(signal.SIGINT, signal.default_int_handler)
path = sys.argv[1] + ":plain_loop"  # endless where the first number is 0
loop = bascule.Custom(path, lambda x: x, lambda x: x)
op = bascule.Custom(path, lambda x: x, lambda x: x, bprop=lambda x, out, dout: loop(0 * dout))
x = torch.ones(1 << 18, requires_grad=True)
loss = op(x).sum()
print("ready", flush=True)
try:
    loss.backward()
except KeyboardInterrupt:
    print("interrupted", loop(x.detach())[0].item(), flush=True)
"""


def test_ctrl_c_ends_a_launch_inside_backward(lone_path):
    assert words_after_ctrl_c(BACKWARD, lone_path) == ["interrupted", "1.0"]
