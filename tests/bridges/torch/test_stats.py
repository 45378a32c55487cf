# SPDX-License-Identifier: Apache-2.0
"""stats(): what ran, and why the gradient did not."""

import pytest
import torch

import bascule


def bprop(x, y, out, dout):
    return dout * y, dout * x


@pytest.fixture
def op(my_mul_path, tmp_path):
    fresh = tmp_path / "libmy_mul.so"
    fresh.write_bytes(my_mul_path.read_bytes() + tmp_path.name.encode())
    return bascule.Custom(f"{fresh}:my_mul")


@pytest.fixture
def x():
    return torch.randn(5, requires_grad=True)


def test_counts(op, x):
    for _ in range(3):
        op(x, x).sum().backward()
    op(x, x)
    stats = op.stats()
    assert (stats.forward, stats.backward, stats.why_no_backward) == (4, 3, None)


def test_transforms_count(op, x):
    torch.func.grad(lambda a: op(a, a).sum())(x)
    assert (op.stats().forward, op.stats().backward) == (1, 1)


@pytest.mark.parametrize(
    ("call", "why"),
    [
        (lambda op, x: None, "It was not called."),
        (lambda op, x: op(x.detach(), x.detach()), "No input required a gradient."),
        (lambda op, x: torch.no_grad()(op)(x, x), "Gradients were turned off (torch.no_grad, "),
        (lambda op, x: op(x, x).detach(), "Its result did not reach a loss on which backward() "),
    ],
)
def test_why_not(op, x, call, why):
    call(op, x)
    assert op.stats().backward == 0
    assert op.stats().why_no_backward.startswith(why)


def test_compiled_gradients_do_not_count(op, x):
    torch._dynamo.reset()
    torch.compile(lambda a: op(a, a).sum(), backend="aot_eager", fullgraph=True)(x).backward()
    stats = op.stats()
    assert stats.backward == 0
    assert "compiled" in stats.why_no_backward


def test_without_a_gradient():
    op = bascule.Custom(lambda x: 2 * x, lambda x: x, lambda x: x, "pyfunc")
    op(torch.ones(3))
    assert op.stats().why_no_backward == "It has no gradient: Custom was given no bprop."
