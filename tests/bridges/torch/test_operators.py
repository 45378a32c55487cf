# SPDX-License-Identifier: Apache-2.0
"""The shipped operators as torch operators: values and gradients in every type, and compiled."""

import pytest
import torch

import bascule.torch

# By operator: shapes of the inputs, attributes, and the same in torch.
ROWS = {
    "axpy": ([(3, 5), (3, 5)], {"alpha": 0.5}, lambda x, y: 0.5 * x + y),
    "leaky_relu": (
        [(3, 5)],
        {"negative_slope": 0.25},
        lambda x: torch.nn.functional.leaky_relu(x, 0.25),
    ),
    "mul_scale": ([(3, 5), (3, 5)], {"scale": 0.5}, lambda x, y: x * y * 0.5),
    "my_mul": ([(3, 5), (3, 5)], {}, lambda x, y: x * y),
    "my_mul, y broadcast": ([(2, 3, 5), (3, 1)], {}, lambda x, y: x * y),
    "my_mul, both broadcast": ([(7, 1), (2, 1, 5)], {}, lambda x, y: x * y),
    "reduce_sum": ([(3, 5, 2)], {"axes": [0, -1]}, lambda x: x.sum((0, 2))),
    "reduce_sum of all": ([(3, 5)], {}, lambda x: x.sum()),
    "reduce_sum, axes kept": (
        [(3, 5)],
        {"axes": [1], "keep_dims": True},
        lambda x: x.sum(1, keepdim=True),
    ),
}
DTYPES = (torch.float16, torch.float32, torch.bfloat16)


@pytest.fixture(params=ROWS)
def row(request, built):
    shapes, attributes, same = ROWS[request.param]
    name = request.param.partition(",")[0].partition(" ")[0]
    operator = getattr(bascule.torch.load(built(f"operators/{name}")), name)
    return operator, shapes, attributes, same


def tensors(shapes, dtype=torch.float32):
    """Away from 0, where leaky_relu has no derivative; multiples of 1/8, so results are exact."""
    generator = torch.Generator().manual_seed(3)
    made = []
    for shape in shapes:
        size = torch.randint(4, 16, shape, generator=generator) / 8
        sign = torch.randint(0, 2, shape, generator=generator) * 2 - 1
        made.append((size * sign).to(dtype).requires_grad_())
    return made


@pytest.mark.parametrize("dtype", DTYPES)
def test_values_and_gradients_are_those_of_torch(row, dtype):
    operator, shapes, attributes, same = row
    inputs = tensors(shapes, dtype)
    ours, theirs = operator(*inputs, **attributes), same(*inputs)
    assert torch.equal(ours, theirs)
    (dout,) = tensors([theirs.shape], dtype)
    for a, b in zip(
        torch.autograd.grad(ours, inputs, dout), torch.autograd.grad(theirs, inputs, dout)
    ):
        torch.testing.assert_close(a, b)


def test_compiled(row):
    operator, shapes, attributes, same = row
    torch._dynamo.reset()
    inputs = tensors(shapes)
    compiled = torch.compile(
        lambda *inputs: operator(*inputs, **attributes) * 2, backend="aot_eager", fullgraph=True
    )
    out = compiled(*inputs)
    assert torch.equal(out, same(*inputs) * 2)
    for a, b in zip(
        torch.autograd.grad(out.sum(), inputs),
        torch.autograd.grad((same(*inputs) * 2).sum(), inputs),
    ):
        torch.testing.assert_close(a, b)
