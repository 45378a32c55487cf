# SPDX-License-Identifier: Apache-2.0
"""Gradients of bascule.mindspore.Custom: values, orders, and the forms a gradient function has."""

import functools

import mindspore as ms
import numpy as np
import pytest
from mindspore import Tensor, nn, ops

import bascule.operator
from bascule.errors import GradientError, Unsupported
from bascule.mindspore import Custom


def my_bprop(x, y, out, dout):
    return dout * y, dout * x


class Cell(nn.Cell):
    """An operator inside a network."""

    def __init__(self, op):
        super().__init__()
        self.op = op

    def construct(self, x, y):
        return self.op(x, y)


def pair(shape, dtype=np.float32, seed=7):
    random = np.random.default_rng(seed)
    return [Tensor(random.uniform(-2, 2, shape).astype(dtype)) for _ in range(2)]


def same(tensors, arrays):
    for tensor, array in zip(tensors, arrays):
        assert tensor.shape == array.shape
        np.testing.assert_array_equal(tensor.asnumpy(), array)


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_the_object_itself(mode, my_mul, dtype):
    op = Custom(my_mul, bprop=my_bprop)
    grad = ms.grad(op, grad_position=(0, 1))
    for shape in [(1,), (7,), (16,), (17,), (513,), (4096,), (100003,), (), (3, 5), (2, 3, 5)]:
        x, y = pair(shape, dtype)
        dx, dy = grad(x, y)
        assert (dx.dtype, dy.dtype) == (x.dtype, y.dtype)
        same((dx, dy), (y.asnumpy(), x.asnumpy()))


def test_one_position(mode, my_mul):
    x, y = pair((3, 5))
    op = Custom(my_mul, bprop=my_bprop)
    same([ms.grad(op, 1)(x, y)], [x.asnumpy()])
    value, gradient = ms.value_and_grad(op, 0)(x, y)
    same([value, gradient], [x.asnumpy() * y.asnumpy(), y.asnumpy()])


def test_one_tensor_in_two_places(mode, my_mul):
    """PYNATIVE by itself gives the sum for both."""
    op = Custom(my_mul, bprop=lambda x, y, out, dout: (dout * 2, dout * 3))
    x, _ = pair((3, 5))
    grad = ms.grad(op, (0, 1))
    for _ in range(3):  # a tensor remembers that it was differentiated
        same(grad(x, x), [np.full((3, 5), 2), np.full((3, 5), 3)])
    same([ms.grad(squared(op))(x)], [np.full((3, 5), 5)])


def squared(op):
    def square(x):
        return op(x, x)

    return square


def test_the_library_brings_its_own(mode, my_mul):
    x, y = pair((3, 5))
    same(ms.grad(Custom(my_mul), (0, 1))(x, y), (y.asnumpy(), x.asnumpy()))


def test_text_of_the_library_runs_at_the_first_request_only(mode, my_mul, monkeypatch):
    asked = []
    make = bascule.operator.Gradient.get
    monkeypatch.setattr(
        bascule.operator.Gradient, "get", lambda self, *given: asked.append(1) or make(self, *given)
    )
    x, y = pair((3, 5))
    op = Custom(my_mul)
    op(x, y).asnumpy()
    assert not asked
    ms.grad(op)(x, y)
    assert asked


def test_inside_a_network(mode, my_mul):
    x, y = pair((3, 5))
    net = Cell(Custom(my_mul))
    same(ms.grad(net, (0, 1))(x, y), (y.asnumpy(), x.asnumpy()))


def test_chain(mode, my_mul):
    op = Custom(my_mul)

    def cube(x, y):
        return op(op(x, y), x)

    x, y = (Tensor(np.array([1.0, 2.0, -3.0], np.float32)) for _ in range(2))
    same(ms.grad(cube, (0, 1))(x, y), (np.array([2, 8, 18]), np.array([1, 4, 9])))


def test_second_order(mode, my_mul):
    op = Custom(my_mul)
    x, y = pair((3, 5))
    zeros, ones = np.zeros((3, 5)), np.ones((3, 5))
    same(ms.grad(ms.grad(op, 0), (0, 1))(x, y), (zeros, ones))

    def first(x, y):
        return ms.grad(op, 0)(x * x, y * y)

    same(ms.grad(first, (0, 1))(x, y), (zeros, 2 * y.asnumpy()))


def test_another_custom_and_stop_gradient_in_a_bprop(mode, my_mul):
    inner = Custom(my_mul)

    def with_custom(x, y, out, dout):
        return inner(dout, y), ops.stop_gradient(inner(dout, x))

    x, y = pair((3, 5))
    op = Custom(my_mul, bprop=with_custom)
    same(ms.grad(op, (0, 1))(x, y), (y.asnumpy(), x.asnumpy()))
    # d/dy of dout * y is one; the other was stopped
    same([ms.grad(ms.grad(op, 0), 1)(x, y)], [np.ones((3, 5))])
    same([ms.grad(ms.grad(op, 1), 0)(x, y)], [np.zeros((3, 5))])


def test_list_is_as_good_as_tuple(mode, my_mul):
    def as_list(x, y, out, dout):
        return [dout * y, dout * x]

    x, y = pair((3, 5))
    same(ms.grad(Custom(my_mul, bprop=as_list), (0, 1))(x, y), (y.asnumpy(), x.asnumpy()))


FACTOR = 2


class Methods:
    def method(self, x, y, out, dout):
        return dout * y, dout * x

    @staticmethod
    def static(x, y, out, dout):
        return dout * y, dout * x

    def __call__(self, x, y, out, dout):
        return dout * y, dout * x


def closures():
    half = 0.5

    def closure(x, y, out, dout):
        return dout * y * half * FACTOR, dout * x

    return [
        closure,
        lambda x, y, out, dout: (dout * y * half * FACTOR, dout * x),
        lambda x, y, out, dout: (dout * y, dout * x),
    ]


@pytest.mark.parametrize(
    "bprop",
    [
        *closures(),
        Methods().method,
        Methods.static,
        lambda x, y, out, dout: (dout * y, dout * x),
        # two on a line, and one over several
        *(
            lambda x, y, out, dout: (dout * y, dout * x),
            lambda a, b, out, dout: (dout * b, dout * a),
        ),
        lambda x, y, out, dout: (
            dout * y,
            dout * x,
        ),
    ],
)
def test_functions_with_source(mode, my_mul, bprop):
    x, y = pair((3, 5))
    same(ms.grad(Custom(my_mul, bprop=bprop), (0, 1))(x, y), (y.asnumpy(), x.asnumpy()))


def sourceless():
    scope = {}
    exec("def made(x, y, out, dout):\n    return dout * y, dout * x", scope)
    return scope["made"]


@pytest.mark.parametrize(
    ("bprop", "called"),
    [
        (sourceless(), "made"),
        (functools.partial(my_bprop), "partial"),
        (Methods(), "Methods"),
    ],
)
def test_functions_without_source(mode, my_mul, bprop, called):
    x, y = pair((3, 5))
    op = Custom(my_mul, bprop=bprop)
    if mode == "PYNATIVE":
        same(ms.grad(op, (0, 1))(x, y), (y.asnumpy(), x.asnumpy()))
        return
    with pytest.raises(Unsupported) as error:
        ms.grad(op, (0, 1))(x, y)
    assert str(error.value).splitlines()[0] == (
        "my_mul: GRAPH mode compiles a gradient function from its source, and that of "
        f"{called} cannot be read. Give a function defined in a file, or use PYNATIVE mode."
    )


@pytest.mark.parametrize(
    ("bprop", "sentence"),
    [
        (
            lambda *arguments: arguments,
            "my_mul: the gradient function takes *arguments. Name its parameters: "
            "(x, y, out, dout).",
        ),
        (
            lambda x, y, dout: (x, y),
            "my_mul: the gradient function takes 3 parameters (x, y, dout); expected "
            "(x, y, out, dout).",
        ),
        (3, "my_mul: bprop is a int, not a function."),
    ],
)
def test_functions_that_do_not_fit_are_refused_at_once(my_mul, bprop, sentence):
    with pytest.raises(GradientError) as error:
        Custom(my_mul, bprop=bprop)
    assert str(error.value) == sentence


@pytest.mark.parametrize(
    "bprop",
    [
        None,  # flat, from the library, with attributes
        lambda x, y, out, dout: (dout[0] * y + 2 * dout[1] * x, dout[0] * x),
        lambda x, y, p, s, dp, ds: (dp * y + 2 * ds * x, dp * x),
    ],
)
def test_several_outputs(mode, products_path, bprop):
    op = Custom(str(products_path), bprop=bprop)
    x, y = pair((3, 5))
    product, square = op(x, y)
    same((product, square), (x.asnumpy() * y.asnumpy(), x.asnumpy() ** 2))

    def both(x, y):
        product, square = op(x, y)
        return product + 4 * square

    def one(x, y):
        return op(x, y)[0]  # nobody differentiates the other: zeros come

    same(ms.grad(both, (0, 1))(x, y), (y.asnumpy() + 8 * x.asnumpy(), x.asnumpy()))
    same(ms.grad(one, (0, 1))(x, y), (y.asnumpy(), x.asnumpy()))


def test_operators_of_load(my_mul):
    """PYNATIVE; what a graph compiles has to be a Custom."""
    ms.set_context(mode=ms.PYNATIVE_MODE)
    library = bascule.operator.load(my_mul)

    def function(x, y):
        return library.my_mul(x, y) * 2

    x, y = pair((3, 5))
    same(ms.grad(function, (0, 1))(x, y), (2 * y.asnumpy(), 2 * x.asnumpy()))
