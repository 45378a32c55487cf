# SPDX-License-Identifier: Apache-2.0
"""Gradients that are another operator of the library, and none with a reason."""

import pytest
import torch

import bascule
import bascule.torch
from bascule import GradientError


@pytest.fixture(scope="module")
def ops(backward_path):
    return bascule.torch.load(backward_path)


def inputs():
    torch.manual_seed(0)
    return torch.randn(7, requires_grad=True), torch.randn(7, requires_grad=True)


def test_gradient_and_attributes(ops):
    x, y = inputs()
    ops.scaled_mul(x, y, 3.0).sum().backward()
    torch.testing.assert_close(x.grad, 3 * y.detach())
    torch.testing.assert_close(y.grad, 3 * x.detach())
    torch.library.opcheck(ops.scaled_mul, (*inputs(), 2.0))


@pytest.mark.parametrize("how", ["compile", "func", "custom"])
def test_everywhere(ops, backward_path, how):
    x, y = inputs()
    if how == "compile":
        f = torch.compile(ops.scaled_mul, fullgraph=True, backend="aot_eager")
        f(x, y, 2.0).sum().backward()
        got = x.grad / 2
    elif how == "func":
        got = torch.func.grad(lambda a: ops.scaled_mul(a, y.detach()).sum())(x.detach())
    else:
        bascule.Custom(f"{backward_path}:scaled_mul")(x, y).sum().backward()
        got = x.grad
    torch.testing.assert_close(got, y.detach())


def test_second_order_is_an_error(ops):
    x, y = inputs()
    (first,) = torch.autograd.grad(ops.scaled_mul(x, y).sum(), x, create_graph=True)
    with pytest.raises(GradientError) as error:
        first.sum().backward()
    assert str(error.value) == (
        "scaled_mul_grad has no gradient: its project declares none. An input that requires one "
        "cannot be passed; detach it, or declare a gradient."
    )


def test_none_says_why(ops):
    x, _ = inputs()
    with pytest.raises(GradientError) as error:
        ops.positive(x)
    assert str(error.value) == (
        "positive has no gradient: a step has no slope. An input that requires one cannot be "
        "passed; detach it, or declare a gradient."
    )
    torch.testing.assert_close(ops.positive(x.detach()), (x.detach() > 0).float())
