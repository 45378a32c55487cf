# SPDX-License-Identifier: Apache-2.0
"""Calls with gradients, very often: does the process grow?

    python tests/bridges/leaks.py torch libmy_mul.so 1000000
    python tests/bridges/leaks.py torch-saved libsaving.so 1000000

Prints the resident memory after a tenth of the calls and after all of them, in KiB. The ways are
torch, numpy, mindspore (PYNATIVE) and mindspore-graph; `-saved` takes a library of products with a
saved output, and `mindspore-own` MindSpore's own product.
"""

import gc
import sys
from pathlib import Path


def torch_step(path, kind):
    import torch

    import bascule.torch

    ops = bascule.torch.load(path)
    op = ops.products if kind == "saved" else ops.my_mul
    x, y = torch.ones(16, requires_grad=True), torch.ones(16, requires_grad=True)
    dout = torch.ones(16)

    def step():
        torch.autograd.grad(op(x, y), (x, y), dout)

    return step


def numpy_step(path, kind):
    import numpy as np

    import bascule

    lib = bascule.load(path)
    op = lib.products if kind == "saved" else lib.my_mul
    x, y = np.ones(16, np.float32), np.ones(16, np.float32)
    dout = np.ones(16, np.float32)

    def step():
        bascule.vjp(op, x, y)[1](dout)

    return step


def mindspore_step(path, kind):
    import mindspore

    from bascule.mindspore import Custom

    graph = kind == "graph"
    mindspore.set_context(mode=mindspore.GRAPH_MODE if graph else mindspore.PYNATIVE_MODE)
    op = mindspore.mint.mul if kind == "own" else Custom(path)
    x, y = (mindspore.Tensor([1.0] * 16, mindspore.float32) for _ in range(2))
    gradient = mindspore.grad(op, (0, 1))
    gradient = mindspore.jit(gradient) if graph else gradient

    def step():
        gradient(x, y)

    return step


STEPS = {"torch": torch_step, "numpy": numpy_step, "mindspore": mindspore_step}


def resident():
    """KiB; what the allocator keeps for later is part of it."""
    gc.collect()
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))


def main():
    way, path, calls = sys.argv[1], sys.argv[2], int(sys.argv[3])
    framework, _, kind = way.partition("-")
    step = STEPS[framework](path, kind)
    seen = []
    for part in (calls // 10, calls - calls // 10):
        for _ in range(part):
            step()
        seen.append(resident())
    print(*seen)


if __name__ == "__main__":
    main()
