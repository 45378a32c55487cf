# SPDX-License-Identifier: Apache-2.0
"""softmax and layer_norm against torch's own, forward and backward, into allocated tensors.

Torch's gradients of a layer_norm, and its layer_norm in half, take no outputs; theirs are new.
"""

import torch
from measure import THREADS, Row, library, take_turns

import bascule

SIDE = 4096
aten = torch.ops.aten


def rows():
    torch.set_num_threads(THREADS)
    softmax = bascule.load(library("operators/softmax"))
    layer_norm = bascule.load(library("operators/layer_norm"))
    for dtype in (torch.float32, torch.float16):
        name = f"{'float' if dtype == torch.float32 else 'half'} {SIDE}x{SIDE}"
        yield from of_softmax(softmax, dtype, name)
        yield from of_layer_norm(layer_norm, dtype, name)


def compared(title, ours, theirs, rival, target):
    times = take_turns({"ours": ours, "torch": theirs}, rounds=11, seconds=0.05)
    return Row(
        f"torch: {title}",
        times.median("ours") * 1e3,
        times.median("torch") * 1e3,
        rival,
        "ms",
        target=target,
    )


def close(ours, theirs):
    tolerance = 1e-5 if ours.dtype == torch.float32 else 2e-3
    torch.testing.assert_close(ours, theirs.to(ours.dtype), rtol=tolerance, atol=tolerance)


def of_softmax(lib, dtype, name):
    x, dout = (torch.randn(SIDE, SIDE).to(dtype) for _ in range(2))
    out, ours, theirs = torch.softmax(x, 1), torch.empty_like(x), torch.empty_like(x)

    def forward():
        lib.softmax.native.call((x,), (ours,))

    def backward():
        lib.softmax_grad.native.call((out, dout), (ours,))

    def torch_backward():
        aten._softmax_backward_data.out(dout, out, 1, dtype, grad_input=theirs)

    forward()
    close(ours, out)
    yield compared(
        f"softmax {name}", forward, lambda: torch.softmax(x, 1, out=theirs), "torch.softmax", 1.0
    )
    backward()
    torch_backward()
    close(ours, theirs)
    yield compared(f"softmax {name}, backward", backward, torch_backward, "torch's backward", 1.3)


def of_layer_norm(lib, dtype, name):
    x, dout = (torch.randn(SIDE, SIDE).to(dtype) for _ in range(2))
    weight, bias = (torch.randn(SIDE).to(dtype) for _ in range(2))
    ours, mean, rstd = torch.empty_like(x), torch.empty(SIDE), torch.empty(SIDE)
    dweight, dbias = torch.empty_like(weight), torch.empty_like(bias)
    theirs = aten.native_layer_norm(x, [SIDE], weight, bias, 1e-5)
    given = (dout, x, [SIDE], theirs[1], theirs[2], weight, bias, [True] * 3)

    def forward():
        lib.layer_norm.native.call((x, weight, bias), (ours, mean, rstd))

    def torch_forward():
        if dtype != torch.float32:
            return aten.native_layer_norm(x, [SIDE], weight, bias, 1e-5)
        return aten.native_layer_norm.out(
            x, [SIDE], weight, bias, 1e-5, out0=theirs[0], out1=theirs[1], out2=theirs[2]
        )

    def backward():
        lib.layer_norm_grad.native.call((x, weight, mean, rstd, dout), (ours, dweight, dbias))

    forward()
    close(ours, theirs[0])
    yield compared(f"layer_norm {name}", forward, torch_forward, "torch.layer_norm", 1.0)
    backward()
    expected = aten.native_layer_norm_backward(*given)
    close(ours, expected[0])
    yield compared(
        f"layer_norm {name}, backward",
        backward,
        lambda: aten.native_layer_norm_backward(*given),
        "torch's backward",
        1.3,
    )
