# SPDX-License-Identifier: Apache-2.0
"""Backward passes: values, what is kept for them, what is refused."""

import gc
import weakref

import pytest
import torch

import bascule
from bascule.gradient import Gradient


@pytest.mark.parametrize("length", [0, 1, 17, 513, 4096])
@pytest.mark.parametrize("dtype", [torch.float16, torch.float32])
def test_gradients_are_those_of_torch(my_mul, dtype, length):
    x, y, dout = (torch.randn(length).to(dtype).requires_grad_() for _ in range(3))
    ours = torch.autograd.grad(my_mul(x, y), (x, y), dout)
    theirs = torch.autograd.grad(x * y, (x, y), dout)
    assert all(torch.equal(a, b) for a, b in zip(ours, theirs))


def test_expanded_output_gradient(my_mul):
    """sum() delivers a gradient whose strides are all 0."""
    x = torch.randn(3, 5, requires_grad=True)
    y = torch.randn(3, 5)
    my_mul(x, y).sum().backward()
    assert torch.equal(x.grad, y)


def test_one_input_twice(my_mul):
    x = torch.randn(7, requires_grad=True)
    my_mul(x, x).sum().backward()
    assert torch.equal(x.grad, 2 * x.detach())


def test_accumulation(my_mul):
    x = torch.randn(7, requires_grad=True)
    for _ in range(3):
        my_mul(x, torch.ones(7)).sum().backward()
    assert torch.equal(x.grad, torch.full((7,), 3.0))


def test_second_order(my_mul):
    x = torch.randn(7, requires_grad=True)
    cube = my_mul(x, my_mul(x, x)).sum()
    (first,) = torch.autograd.grad(cube, x, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), x)
    torch.testing.assert_close(second, 6 * x.detach())


def test_bprop_may_call_operators(my_mul_path):
    """A gradient made of another custom operator, and that one's gradient in turn."""
    op = bascule.load(my_mul_path).my_mul

    def bprop(x, y, out, dout):
        return op(dout, y), op(dout, x)

    custom = bascule.Custom(f"{my_mul_path}:my_mul", bprop=bprop)
    x = torch.randn(7, requires_grad=True)
    (first,) = torch.autograd.grad(custom(x, x).sum(), x, create_graph=True)
    (second,) = torch.autograd.grad(first.sum(), x)
    torch.testing.assert_close(second, torch.full((7,), 2.0))


def test_two_outputs(products):
    x, y = (torch.randn(50, requires_grad=True) for _ in range(2))
    for swap in (False, True):
        outs = products(x, y, swap=swap)
        product, square = reversed(outs) if swap else outs
        ours = torch.autograd.grad(product.sum() + 3 * square.sum(), (x, y))
        theirs = torch.autograd.grad((x * y).sum() + 3 * (x * x).sum(), (x, y))
        for a, b in zip(ours, theirs):
            torch.testing.assert_close(a, b)


def test_an_output_nobody_differentiates(products):
    x, y = (torch.randn(50, requires_grad=True) for _ in range(2))
    _, square = products(x, y)
    dx, dy = torch.autograd.grad(square.sum(), (x, y))
    torch.testing.assert_close(dx, 2 * x.detach())
    assert torch.equal(dy, torch.zeros(50))


def test_tuple_form(products_path):
    def bprop(x, y, out, dout, *, tile, swap):
        assert isinstance(out, tuple)
        dproduct, dsquare = dout
        return dproduct * y + 2 * dsquare * x, dproduct * x

    products = bascule.Custom(str(products_path), bprop=bprop)
    x, y = (torch.randn(50, requires_grad=True) for _ in range(2))
    product, square = products(x, y)
    ours = torch.autograd.grad((product * square).sum(), (x, y))
    theirs = torch.autograd.grad((x * y * x * x).sum(), (x, y))
    for a, b in zip(ours, theirs):
        torch.testing.assert_close(a, b)


def test_overwritten_input_is_caught(my_mul):
    x, y = torch.randn(7, requires_grad=True), torch.randn(7)
    out = my_mul(x, y)
    y.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        out.sum().backward()


def custom(path, bprop):
    return bascule.Custom(f"{path}:my_mul", bprop=bprop)


def test_only_what_is_read_is_kept(my_mul_path):
    """The input that bprop does not read may be overwritten, and is freed."""

    def bprop(x, y, out, dout):
        return dout * y, dout

    op = custom(my_mul_path, bprop)
    x, y = torch.randn(7, requires_grad=True), torch.randn(7)
    scaled = x * 1
    alive = weakref.ref(scaled)
    out = op(scaled, y)
    del scaled
    gc.collect()
    assert alive() is None
    out.sum().backward()
    assert torch.equal(x.grad, y)


def test_an_output_that_is_read_is_kept(my_mul_path):
    op = custom(my_mul_path, lambda x, y, out, dout: (dout * out, dout * 0))
    x, y = torch.randn(7, requires_grad=True), torch.randn(7)
    out = op(x, y)
    out.sum().backward()
    assert torch.equal(x.grad, (x * y).detach())


def test_integer_input_gets_no_gradient(my_mul_path):
    """Gradients for inputs that require none are computed, checked, and go no further."""
    op = custom(my_mul_path, lambda x, y, out, dout: (dout * y, torch.zeros_like(y)))
    x, y = torch.randn(7, requires_grad=True), torch.randn(7)
    op(x, y).sum().backward()
    assert y.grad is None


WRONG = {
    "one": (
        lambda x, y, out, dout: dout * y,
        "my_mul: the gradient function returned 1 gradient for 2 inputs (x, y). Return one "
        "gradient per input, zeros where there is none.",
    ),
    "three": (
        lambda x, y, out, dout: (dout, dout, dout),
        "my_mul: the gradient function returned 3 gradients for 2 inputs (x, y). Return one "
        "gradient per input, zeros where there is none.",
    ),
    "none": (
        lambda x, y, out, dout: (dout * y, None),
        "my_mul: the gradient of input 'y' is None; expected a tensor of shape (3, 5). Return "
        "zeros (xp.zeros_like(y)) where the output does not depend on it.",
    ),
    "number": (
        lambda x, y, out, dout: (0.0, dout * x),
        "my_mul: the gradient of input 'x' is a float; expected a tensor of shape (3, 5).",
    ),
    "shape": (
        lambda x, y, out, dout: (dout.sum(), dout * x),
        "my_mul: the gradient of input 'x' has shape (); expected (3, 5), the shape of the input. "
        "Broadcasting is not summed back unasked.",
    ),
    "broadcast": (
        lambda x, y, out, dout: (dout * y, (dout * x).expand(2, 3, 5)),
        "my_mul: the gradient of input 'y' has shape (2, 3, 5); expected (3, 5), the shape of the "
        "input. Broadcasting is not summed back unasked.",
    ),
    "dtype": (
        lambda x, y, out, dout: ((dout * y).double(), dout * x),
        "my_mul: the gradient of input 'x' has dtype torch.float64; expected torch.float32, the "
        "dtype of the input. Use xp.cast.",
    ),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_wrong_gradients(my_mul_path, wrong):
    bprop, sentence = WRONG[wrong]
    op = custom(my_mul_path, bprop)
    x, y = (torch.ones(3, 5, requires_grad=True) for _ in range(2))
    with pytest.raises(bascule.GradientError) as error:
        op(x, y).sum().backward()
    assert str(error.value) == sentence
    assert x.grad is None


@pytest.mark.parametrize(
    ("bprop", "sentence"),
    [
        (
            lambda x, y, dout: (dout, dout),
            "my_mul: the gradient function takes 3 parameters (x, y, dout); expected (x, y, out, "
            "dout).",
        ),
        (
            lambda *values: values,
            "my_mul: the gradient function takes *values. Name its parameters: (x, y, out, dout).",
        ),
    ],
)
def test_wrong_parameters(my_mul_path, bprop, sentence):
    op = custom(my_mul_path, bprop)
    x = torch.ones(3, requires_grad=True)
    with pytest.raises(bascule.GradientError) as error:
        op(x, x)
    assert str(error.value) == sentence


def test_an_error_inside_bprop_is_the_users(my_mul_path):
    def bprop(x, y, out, dout):
        raise ZeroDivisionError("mine")

    x = torch.ones(3, requires_grad=True)
    with pytest.raises(ZeroDivisionError, match="mine"):
        custom(my_mul_path, bprop)(x, x).sum().backward()


def test_without_a_gradient(my_mul_path):
    import bascule.torch

    operator = bascule.load(my_mul_path).my_mul
    none = Gradient("my_mul", operator.inputs, operator.outputs, None, "its inputs are counters")
    op = bascule.torch.bind(operator, none)
    x = torch.ones(3)
    assert torch.equal(op(x, x), x)
    with pytest.raises(bascule.GradientError) as error:
        op(x.requires_grad_(), x)
    assert str(error.value) == (
        "my_mul has no gradient: its inputs are counters. An input that requires one cannot be "
        "passed; detach it, or declare a gradient."
    )
    with torch.no_grad():
        op(x, x)


def test_gradient_text_runs_at_the_first_request(my_mul_path):
    import bascule.torch

    operator = bascule.load(my_mul_path).my_mul
    runs = []

    def make(xp, constants):
        runs.append(xp)
        return lambda x, y, out, dout: (dout * y, dout * x)

    op = bascule.torch.bind(operator, Gradient("my_mul", ("x", "y"), ("out",), make))
    x = torch.ones(3, requires_grad=True)
    op(x.detach(), x.detach())
    with torch.no_grad():
        op(x, x)
    assert runs == []
    op(x, x).sum().backward()
    op(x, x).sum().backward()
    assert runs == [bascule.torch.xp]


def test_checkpointing(my_mul):
    from torch.utils.checkpoint import checkpoint

    x, y = (torch.randn(7, requires_grad=True) for _ in range(2))
    checkpoint(lambda a, b: my_mul(my_mul(a, b), b), x, y, use_reentrant=False).sum().backward()
    torch.testing.assert_close(x.grad, (y * y).detach())


def test_nothing_is_leaked(my_mul):
    x, y = torch.randn(4096, requires_grad=True), torch.randn(4096)

    def tensors():
        gc.collect()
        return sum(issubclass(type(o), torch.Tensor) for o in gc.get_objects())

    my_mul(x, y).sum().backward()
    before = tensors()
    for _ in range(100):
        my_mul(x, y).sum().backward()
        my_mul(x, y)
    assert tensors() <= before
