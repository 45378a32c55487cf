# SPDX-License-Identifier: Apache-2.0
"""The shipped operators against torch's own on large tensors, both with new outputs.

New memory costs a fault for each page, and torch's two operators for mul_scale need twice as
much of it as one. So that is compared a second time, with outputs that are there on both sides.
"""

from functools import partial

import torch
from measure import THREADS, Row, library, take_turns

import bascule.torch

COUNT = 1 << 24
SIDE = 8192


def into_given_memory(title, path, inputs, attributes):
    """A row for mul_scale against torch.mul twice, the second time in place."""
    x, y = inputs
    ours, theirs = torch.empty_like(x), torch.empty_like(x)
    native = bascule.load(path).mul_scale.native

    def twice():
        torch.mul(x, y, out=theirs)
        theirs.mul_(attributes["scale"])

    call = partial(native.call, inputs, (ours,), attributes)
    call(), twice()
    torch.testing.assert_close(ours, theirs, rtol=1e-6, atol=1e-6)
    times = take_turns({"ours": call, "torch": twice}, rounds=9, seconds=0.05)
    return Row(
        f"torch: {title}, into given memory",
        times.median("ours") * 1e3,
        times.median("torch") * 1e3,
        "torch.mul twice, into given memory",
        "ms",
        target=None,  # 12 bytes an element against 20: the memory allows 0.6 at best
    )


def rows():
    torch.set_num_threads(THREADS)
    x, y = (torch.rand(COUNT) - 0.5 for _ in range(2))
    matrix, other = (torch.rand(SIDE, SIDE) for _ in range(2))
    # title, operator, arguments, torch's, its name, bound of the ratio
    compared = (
        (
            "mul_scale of 16 M floats",
            "mul_scale",
            ((x, y), {"scale": 0.3}),
            lambda: x * y * 0.3,
            "torch's x * y * 0.3",
            1 / 1.6,
        ),
        (
            "axpy of 16 M floats",
            "axpy",
            ((x, y), {"alpha": 0.3}),
            lambda: torch.add(y, x, alpha=0.3),
            "torch.add with alpha",
            None,
        ),
        (
            "leaky_relu of 16 M floats",
            "leaky_relu",
            ((x,), {}),
            lambda: torch.nn.functional.leaky_relu(x, 0.01),
            "torch's leaky_relu",
            None,
        ),
        (
            "reduce_sum of 16 M floats",
            "reduce_sum",
            ((x,), {}),
            lambda: torch.sum(x),
            "torch.sum",
            None,
        ),
        (
            "my_mul of 8192 x 8192 floats",
            "my_mul",
            ((matrix, other), {}),
            lambda: matrix * other,
            "torch's x * y",
            None,
        ),
        (
            "my_mul of 8192 x 8192 and 8192 floats",
            "my_mul",
            ((matrix, other[0]), {}),
            lambda: matrix * other[0],
            "torch's x * y",
            None,
        ),
    )
    for title, name, (inputs, attributes), theirs, rival, target in compared:
        path = library(f"operators/{name}")
        op = getattr(bascule.torch.load(path), name)
        ours, expected = op(*inputs, **attributes), theirs()
        # Sums round in another order.
        torch.testing.assert_close(
            ours, expected, rtol=1e-4 if name == "reduce_sum" else 1e-6, atol=1e-6
        )
        del ours, expected
        times = take_turns(
            {"ours": partial(op, *inputs, **attributes), "torch": theirs}, rounds=9, seconds=0.05
        )
        if name == "mul_scale":
            yield into_given_memory(title, path, inputs, attributes)
        yield Row(
            f"torch: {title}",
            times.median("ours") * 1e3,
            times.median("torch") * 1e3,
            rival,
            "ms",
            target=target,
        )
