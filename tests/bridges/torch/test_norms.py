# SPDX-License-Identifier: Apache-2.0
"""gelu, softmax and layer_norm as torch operators, with backward kernels: torch's own checks."""

import warnings

import pytest
import torch
from torch.nn import functional

import bascule.torch

# By operator: shapes of the inputs, attributes, and the same in torch.
ROWS = {
    "gelu": ([(3, 5)], {}, functional.gelu),
    "gelu, by tanh": (
        [(3, 5)],
        {"approximate": "tanh"},
        lambda x: functional.gelu(x, approximate="tanh"),
    ),
    "softmax": ([(3, 5)], {}, lambda x: functional.softmax(x, -1)),
    "softmax, first axis": ([(7, 2, 3)], {"axis": 0}, lambda x: functional.softmax(x, 0)),
    "layer_norm": ([(6, 5), (5,), (5,)], {}, lambda x, w, b: functional.layer_norm(x, (5,), w, b)),
    "layer_norm, two axes": (
        [(4, 3, 5), (3, 5), (3, 5)],
        {"epsilon": 0.5},
        lambda x, w, b: functional.layer_norm(x, (3, 5), w, b, 0.5),
    ),
}
DTYPES = (torch.float16, torch.float32, torch.bfloat16)
TOLERANCES = {
    torch.float16: {"rtol": 2e-3, "atol": 2e-3},
    torch.float32: {"rtol": 1e-5, "atol": 1e-6},
    torch.bfloat16: {"rtol": 1.6e-2, "atol": 1.6e-2},
}


@pytest.fixture(params=ROWS)
def row(request, built):
    shapes, attributes, same = ROWS[request.param]
    name = request.param.partition(",")[0]
    operator = getattr(bascule.torch.load(built(f"operators/{name}")), name)
    return operator, shapes, attributes, same


def tensors(shapes, dtype=torch.float32):
    generator = torch.Generator().manual_seed(3)
    made = [torch.randn(shape, generator=generator) for shape in shapes]
    return [t.to(dtype).requires_grad_() for t in made]


@pytest.mark.parametrize("dtype", DTYPES)
def test_opcheck(row, dtype):
    operator, shapes, attributes, _ = row
    results = torch.library.opcheck(operator, tensors(shapes, dtype), attributes)
    assert set(results.values()) == {"SUCCESS"}


def test_gradcheck(row):
    """No operator takes float64, so steps are large and what they skip is allowed for."""
    operator, shapes, attributes, _ = row
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the precision
        assert torch.autograd.gradcheck(
            lambda *inputs: operator(*inputs, **attributes),
            tensors(shapes),
            eps=2.0**-6,
            atol=1e-3,
            rtol=1e-3,
        )


@pytest.mark.parametrize("layout", ["dense", "transposed", "expanded"])
@pytest.mark.parametrize("dtype", DTYPES)
def test_values_and_gradients_are_those_of_torch(row, dtype, layout):
    operator, shapes, attributes, same = row
    inputs = tensors(shapes, dtype)
    if layout == "transposed":
        inputs = [
            t.detach().t().contiguous().t().requires_grad_() if t.dim() == 2 else t for t in inputs
        ]
    ours, theirs = operator(*inputs, **attributes), same(*inputs)
    torch.testing.assert_close(ours, theirs, **TOLERANCES[dtype])
    (dout,) = tensors([theirs.shape], dtype)
    if layout == "expanded":  # as that of a sum
        dout = dout.flatten()[0].expand(theirs.shape)
    gradients = torch.autograd.grad(ours, inputs, dout)
    for a, b in zip(gradients, torch.autograd.grad(theirs, inputs, dout)):
        torch.testing.assert_close(a, b, **TOLERANCES[dtype])


def test_compiled(row):
    operator, shapes, attributes, same = row
    torch._dynamo.reset()
    inputs = tensors(shapes)
    compiled = torch.compile(
        lambda *inputs: operator(*inputs, **attributes) * 2, backend="aot_eager", fullgraph=True
    )
    out = compiled(*inputs)
    torch.testing.assert_close(out, same(*inputs) * 2)
    gradients = torch.autograd.grad(out.square().sum(), inputs)
    expected = torch.autograd.grad((same(*inputs) * 2).square().sum(), inputs)
    for a, b in zip(gradients, expected):
        torch.testing.assert_close(a, b, rtol=1e-4, atol=1e-5)
