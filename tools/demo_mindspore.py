#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The MindSpore part of `make demo`: forward, gradients and training, in both modes.

    tools/demo_mindspore.py build/demo/libmy_mul.so

First through MindSpore's own class, which needs nothing of ours but the library; then through
bascule.mindspore.Custom, which needs no cell around it and no inference functions.
"""

import os
import sys
from pathlib import Path

os.environ.setdefault("GLOG_v", "3")  # errors only

import mindspore as ms
import numpy as np
from mindspore import Tensor, nn, ops

from bascule.mindspore import Custom

WIDTH = 100
WANTED = [2.0, -1.0, 0.5, 3.0]
STEPS = 40


def my_mul_bprop(x, y, out, dout):
    return dout * y, dout * x


class Own(nn.Cell):
    def __init__(self):
        super().__init__()
        self.my_mul = ops.Custom(
            "./libmy_mul.so:my_mul",
            out_shape=lambda x, y: x,
            out_dtype=lambda x, y: x,
            func_type="aot",
            bprop=my_mul_bprop,
        )

    def construct(self, x, y):
        return self.my_mul(x, y)


class Scale(nn.Cell):
    def __init__(self, my_mul):
        super().__init__()
        self.my_mul = my_mul
        self.weight = ms.Parameter(Tensor(np.zeros(4, np.float32)), name="weight")

    def construct(self, x):
        return self.my_mul(x, ops.broadcast_to(self.weight, x.shape))


def main():
    os.chdir(Path(sys.argv[1]).resolve().parent)
    title = f"── MindSpore {ms.__version__}: the same file in its ops.Custom and in ours "
    print(title.ljust(WIDTH, "─"))
    print('  ops.Custom("./libmy_mul.so:my_mul", …, func_type="aot", bprop=my_mul_bprop) in a Cell')
    found = show(Own())
    print('  from bascule.mindspore import Custom; Custom("my_mul")', flush=True)
    found = show(Custom("my_mul")) and found
    return 0 if found else "the training did not find the weights"


def show(my_mul):
    """Two lines for each mode; whether training found the weights in both."""
    found = True
    for mode in ("GRAPH", "PYNATIVE"):
        ms.set_context(mode=getattr(ms, f"{mode}_MODE"))
        x = Tensor([[1, 2], [3, 4]], ms.float32)
        y = Tensor([[5, 6], [7, 8]], ms.float32)
        dx, dy = ms.grad(my_mul, grad_position=(0, 1))(x, y)
        print(f"    {mode:8}  my_mul(x, y) = {numbers(my_mul(x, y))}", end="  ")
        print(f"dx = {numbers(dx)}  dy = {numbers(dy)}")
        first, last, weight = train(my_mul)
        found = found and np.allclose(weight, WANTED, atol=1e-2)
        text = ", ".join(f"{w:.3f}" for w in weight)
        print(f"              {STEPS} steps of SGD: loss {first:.2f} to {last:.0e}", end="  ")
        print(f"w = [{text}]", flush=True)
    return found


def numbers(tensor):
    return str(tensor.asnumpy().tolist()).replace(".0", "")


def train(my_mul):
    """First loss, last loss and weight of fitting w so that my_mul(x, w) is x * WANTED."""
    batch = Tensor(np.random.default_rng(0).standard_normal((16, 4)), ms.float32)
    target = batch * Tensor(WANTED, ms.float32)
    net = Scale(my_mul)
    optimiser = nn.SGD(net.trainable_params(), learning_rate=0.5)

    def loss_of(batch, target):
        return ops.square(net(batch) - target).mean()

    gradient = ms.value_and_grad(loss_of, None, optimiser.parameters)
    losses = []
    for _ in range(STEPS):
        loss, gradients = gradient(batch, target)
        optimiser(gradients)
        losses.append(loss.asnumpy().item())
    return losses[0], losses[-1], net.weight.asnumpy()


if __name__ == "__main__":
    sys.exit(main())
