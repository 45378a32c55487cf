# SPDX-License-Identifier: Apache-2.0
"""Gradients against the rule: an error with the same sentence in both modes."""

import mindspore as ms
import numpy as np
import pytest
from mindspore import Tensor, nn

from bascule.errors import GradientError
from bascule.mindspore import Custom

X = Tensor(np.ones((3, 5), np.float32))


def too_few(x, y, out, dout):
    return (dout * y,)


def too_many(x, y, out, dout):
    return dout * y, dout * x, dout


def lone_tensor(x, y, out, dout):
    return dout * y


def nothing(x, y, out, dout):
    pass


def none(x, y, out, dout):
    return dout * y, None


def number(x, y, out, dout):
    return 1.0, dout * x


def scalar(x, y, out, dout):
    return dout.sum(), dout * x


def transposed(x, y, out, dout):
    return dout * y, (dout * x).T


def other_dtype(x, y, out, dout):
    return (dout * y).astype(ms.float16), dout * x


COUNT = "Return one gradient per input, zeros where there is none."
SHAPE = "the shape of the input. Broadcasting is not summed back unasked."
CASES = {
    too_few: f"the gradient function returned 1 gradient for 2 inputs (x, y). {COUNT}",
    too_many: f"the gradient function returned 3 gradients for 2 inputs (x, y). {COUNT}",
    lone_tensor: f"the gradient function returned 1 gradient for 2 inputs (x, y). {COUNT}",
    nothing: f"the gradient function returned 1 gradient for 2 inputs (x, y). {COUNT}",
    none: (
        "the gradient of input 'y' is None; expected a tensor of shape (3, 5). Return zeros "
        "(xp.zeros_like(y)) where the output does not depend on it."
    ),
    number: (
        "the gradient of input 'x' is a value of another kind; expected a tensor of shape (3, 5)."
    ),
    scalar: f"the gradient of input 'x' has shape (); expected (3, 5), {SHAPE}",
    transposed: f"the gradient of input 'y' has shape (5, 3); expected (3, 5), {SHAPE}",
    other_dtype: (
        "the gradient of input 'x' has dtype float16; expected float32, the dtype of the input. "
        "Use xp.cast."
    ),
}


class Cell(nn.Cell):
    def __init__(self, op):
        super().__init__()
        self.op = op

    def construct(self, x, y):
        return self.op(x, y) + 1


class GradCell(nn.Cell):
    """Asks for gradients itself, so that unknown shapes reach the gradient function."""

    def __init__(self, op):
        super().__init__()
        self.op = op

    def construct(self, x, y):
        return ms.grad(self.op, (0, 1))(x, y)


@pytest.mark.parametrize("bprop", CASES, ids=lambda function: function.__name__)
def test_sentences(mode, my_mul, bprop):
    op = Custom(my_mul, bprop=bprop)
    np.testing.assert_array_equal(op(X, X).asnumpy(), 1)  # forward is none the worse
    for function in (op, Cell(op)):
        with pytest.raises(GradientError) as error:
            ms.grad(function, (0, 1))(X, X)
        # GRAPH mode appends where it was.
        assert str(error.value).splitlines()[0] == f"my_mul: {CASES[bprop]}"
    np.testing.assert_array_equal(op(X, X).asnumpy(), 1)


def test_right_after_wrong(mode, my_mul):
    with pytest.raises(GradientError):
        ms.grad(Custom(my_mul, bprop=scalar))(X, X)
    np.testing.assert_array_equal(ms.grad(Custom(my_mul))(X, X).asnumpy(), 1)


@pytest.mark.parametrize("shape", [[None, 5], None], ids=["dimension", "rank"])
@pytest.mark.parametrize("bprop", [too_few, none, other_dtype], ids=lambda f: f.__name__)
def test_what_needs_no_shape_is_refused_while_compiling(my_mul, bprop, shape):
    ms.set_context(mode=ms.GRAPH_MODE)
    net = GradCell(Custom(my_mul, bprop=bprop))
    net.set_inputs(*(Tensor(shape=shape, dtype=ms.float32) for _ in range(2)))
    with pytest.raises(GradientError) as error:
        net(X, X)
    expected = CASES[bprop].replace("of shape (3, 5)", "of shape y.shape")
    assert str(error.value).splitlines()[0] == f"my_mul: {expected}"


@pytest.mark.parametrize(
    ("shape", "got", "expected"), [([None, 5], "()", "(3, 5)"), (None, "[]", "[3 5]")]
)
def test_unknown_shapes_are_compared_at_run_time(my_mul, shape, got, expected):
    ms.set_context(mode=ms.GRAPH_MODE)
    net = GradCell(Custom(my_mul, bprop=scalar))
    net.set_inputs(*(Tensor(shape=shape, dtype=ms.float32) for _ in range(2)))
    with pytest.raises(ValueError) as error:
        net(X, X)
    sentence = f"my_mul: the gradient of input 'x' has shape {got}; expected {expected}, {SHAPE}"
    assert sentence in str(error.value)


def test_operator_without_gradient(mode, plain):
    op = Custom(f"{plain}:product", lambda x, y: x, lambda x, y: x)
    sentence = (
        "product has no gradient: none was given as bprop. Where none is wanted, take its result "
        "through mindspore.ops.stop_gradient."
    )
    with pytest.raises(GradientError) as error:
        ms.grad(op, (0, 1))(X, X)
    assert str(error.value).splitlines()[0] == sentence

    def stopped(x, y):
        return ms.ops.stop_gradient(op(x, y)) * x

    np.testing.assert_array_equal(ms.grad(stopped)(X, X).asnumpy(), 1)


def test_gradient_that_the_library_refuses(mode, my_mul, monkeypatch):
    op = Custom(my_mul)
    monkeypatch.setattr(op._described.gradient, "kind", "none")
    monkeypatch.setattr(op._described.gradient, "reason", "it rounds")
    with pytest.raises(GradientError, match=r"^my_mul has no gradient: it rounds\. Where"):
        ms.grad(op, (0, 1))(X, X)
