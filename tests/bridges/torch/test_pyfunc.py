# SPDX-License-Identifier: Apache-2.0
"""bascule.Custom of Python functions and of functions in plain C++, on torch tensors."""

import numpy as np
import pytest
import torch

import bascule


def same(x, y):
    return x


def bprop(x, y, out, dout):
    return dout * y, dout * x


@pytest.fixture(params=["pyfunc", "aot"])
def product(request, plain):
    if request.param == "aot":
        return bascule.Custom(f"{plain}:product", same, same, bprop=bprop)
    return bascule.Custom(lambda x, y: x * y, same, same, "pyfunc", bprop=bprop)


@pytest.fixture
def pair():
    return tuple(torch.randn(3, 5, requires_grad=True) for _ in range(2))


def test_forward_and_backward(product, pair):
    x, y = pair
    out = product(x, y)
    torch.testing.assert_close(out, x * y)
    dx, dy = torch.autograd.grad(out.sum(), (x, y))
    assert torch.equal(dx, y)
    assert torch.equal(dy, x)
    torch.testing.assert_close(product(x.T, y.T), (x * y).T)


def test_compiled_and_transformed(product, pair):
    torch._dynamo.reset()
    x, y = pair
    compiled = torch.compile(lambda a, b: product(a, b) + 1, backend="aot_eager", fullgraph=True)
    product(x, y)  # a function in C++ is described by its first call
    torch.testing.assert_close(compiled(x, y), x * y + 1)
    dx = torch.func.grad(lambda a: product(a, y).sum())(x)
    torch.testing.assert_close(dx, y)


def test_bfloat16():
    def double(x):
        assert x.dtype.name == "bfloat16"
        return x + x

    op = bascule.Custom(double, lambda x: x, lambda x: x, "pyfunc")
    x = torch.randn(7).bfloat16()
    assert torch.equal(op(x), x + x)


def test_lazy_negation():
    op = bascule.Custom(np.abs, lambda x: x, "float32", "pyfunc")
    x = torch.randn(4, dtype=torch.complex64).conj().imag
    assert x.is_neg()
    assert torch.equal(op(x), x.abs())
