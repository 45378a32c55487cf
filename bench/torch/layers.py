# SPDX-License-Identifier: Apache-2.0
"""Matrix products and convolutions against torch's own in float, both with new outputs."""

from functools import partial

import torch
from measure import THREADS, Row, library, take_turns

import bascule.torch

SIDE = 1024
# Of ResNet-50: channels, side of an image, filters, side of a filter, stride.
CONVOLUTIONS = (
    (3, 224, 64, 7, 2),
    (64, 56, 64, 1, 1),
    (64, 56, 64, 3, 1),
    (256, 56, 128, 1, 1),
    (128, 28, 128, 3, 1),
    (256, 14, 256, 3, 1),
    (512, 7, 512, 3, 1),
    (512, 7, 2048, 1, 1),
)


def rows():
    torch.set_num_threads(THREADS)
    yield from products()
    yield from convolutions()


def row(times, name, title, against, rival, target):
    ours, theirs = times.median(name) * 1e3, times.median(against) * 1e3
    return Row(f"torch: {title}", ours, theirs, rival, "ms", target=target)


def backward(result, inputs, dout):
    return partial(torch.autograd.grad, result, inputs, dout, retain_graph=True)


def products():
    multiply = bascule.torch.load(library("operators/matmul")).matmul
    quantised = bascule.torch.load(library("operators/quant_matmul")).quant_matmul
    a, b, dout = (torch.rand(SIDE, SIDE) - 0.5 for _ in range(3))
    torch.testing.assert_close(multiply(a, b), a @ b, rtol=1e-4, atol=1e-4)
    integers = [torch.randint(-128, 128, (SIDE, SIDE), dtype=torch.int8) for _ in range(2)]
    scale = torch.tensor([0.01])
    mine, theirs = ([x.clone().requires_grad_() for x in (a, b)] for _ in range(2))
    calls = {
        "float": partial(multiply, a, b),
        "half": partial(multiply, a.half(), b.half()),
        "bfloat16": partial(multiply, a.bfloat16(), b.bfloat16()),
        "int8": partial(quantised, *integers, scale),
        "torch": lambda: a @ b,
        "torch half": partial(torch.matmul, a.half(), b.half()),
        "backward": backward(multiply(*mine), mine, dout),
        "torch backward": backward(theirs[0] @ theirs[1], theirs, dout),
    }
    times = take_turns(calls, rounds=9, seconds=0.05)
    for name, target in (("float", 1 / 0.6), ("half", 2), ("bfloat16", 2), ("int8", 2)):
        title = f"product of {SIDE} x {SIDE} in {name}"
        yield row(times, name, title, "torch", "torch's in float", target)
    title = f"product of {SIDE} x {SIDE} in half, both"
    yield row(times, "half", title, "torch half", "torch's in half", None)
    title = f"backward of a product of {SIDE} x {SIDE}"
    yield row(times, "backward", title, "torch backward", "torch's backward in float", 1.3)


def convolutions():
    convolve = bascule.torch.load(library("operators/conv2d")).conv2d
    for channels, side, filters, size, stride in CONVOLUTIONS:
        x, weight = torch.randn(1, channels, side, side), torch.randn(filters, channels, size, size)
        given = {"stride": [stride], "padding": [size // 2]}
        mine, theirs = ([t.clone().requires_grad_() for t in (x, weight)] for _ in range(2))
        plain = partial(torch.nn.functional.conv2d, stride=stride, padding=size // 2)
        out, expected = convolve(*mine, None, **given), plain(*theirs)
        torch.testing.assert_close(out, expected, rtol=1e-3, atol=1e-2)
        dout = torch.randn(out.shape)
        calls = {
            "ours": partial(convolve, x, weight, None, **given),
            "torch": partial(plain, x, weight),
            "backward": backward(out, mine, dout),
            "torch backward": backward(expected, theirs, dout),
        }
        times = take_turns(calls, rounds=7, seconds=0.03)
        title = f"conv2d of {channels} x {side} x {side}, {filters} x {size} x {size}"
        title += f", stride {stride}" if stride > 1 else ""
        yield row(times, "ours", title, "torch", "torch's conv2d", 2)
        yield row(times, "backward", f"backward, {title}", "torch backward", "torch's", 1.3)
