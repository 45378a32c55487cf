# SPDX-License-Identifier: Apache-2.0
"""What a call from PyTorch costs beyond the kernel, and large tensors against torch's own."""

import time

import torch
from measure import THREADS, Row, library, repeated, take_turns

import bascule
import bascule.torch

SMALL = 4096
LARGE = 1 << 24


def rows():
    torch.set_num_threads(THREADS)
    path = library("operators/my_mul")
    op = bascule.torch.load(path).my_mul
    native = bascule.load(path).my_mul.native
    yield from calls(op, native)
    yield from large(op, native)


def calls(op, native):
    x, y, out = (torch.rand(SMALL) for _ in range(3))
    weight = x.clone().requires_grad_()
    times = take_turns(
        {
            "kernel": repeated(lambda n: native.call((x, y), (out,), repeat=n)),
            "call": lambda: op(x, y),
            "with grad": lambda: op(weight, y),
            "torch": lambda: x * y,
            "torch with grad": lambda: weight * y,
            "round trip": lambda: torch.autograd.grad(op(weight, y), weight, x),
            "torch round trip": lambda: torch.autograd.grad(weight * y, weight, x),
        },
        clock=time.thread_time,
    )
    us = 1e6
    for what, name, allowed in (("", "call", 5.0), (" with grad", "with grad", 15.0)):
        beyond = times.beyond(name, "kernel") * us
        title = f"torch: call of {SMALL}{what}, beyond the kernel"
        yield Row(title, beyond, allowed, "allowed", "us")
    for name in ("call", "with grad", "round trip"):
        rival = {"call": "torch", "with grad": "torch with grad", "round trip": "torch round trip"}[
            name
        ]
        title = f"torch: {name} of {SMALL}"
        ours, theirs = times.median(name) * us, times.median(rival) * us
        yield Row(title, ours, theirs, "torch's x * y", "us", target=None)


def large(op, native):
    x, y, out, dout = (torch.rand(LARGE) for _ in range(4))
    ours = [v.clone().requires_grad_() for v in (x, y)]
    theirs = [v.clone().requires_grad_() for v in (x, y)]
    our_out, their_out = op(*ours), theirs[0] * theirs[1]

    def backward(result, inputs):
        return torch.autograd.grad(result, inputs, dout, retain_graph=True)

    times = take_turns(
        {
            "ours": lambda: native.call((x, y), (out,)),
            "torch": lambda: torch.mul(x, y, out=out),
            "backward": lambda: backward(our_out, ours),
            "torch backward": lambda: backward(their_out, theirs),
        },
        rounds=11,
        seconds=0.05,
    )
    ms = 1e3
    yield Row(
        "torch: my_mul of 16 M floats",
        times.median("ours") * ms,
        times.median("torch") * ms,
        "torch.mul, both into an allocated tensor",
        "ms",
        target=None,
    )
    yield Row(
        "torch: backward of 16 M floats",
        times.median("backward") * ms,
        times.median("torch backward") * ms,
        "torch's own backward of x * y",
        "ms",
        target=1.2,
    )
