# SPDX-License-Identifier: Apache-2.0
"""Inputs an operator does not take: refused before a launch, with a sentence, and no harm done."""

import mindspore as ms
import numpy as np
import pytest
from mindspore import Tensor, nn

from bascule.errors import InvalidArgument
from bascule.mindspore import Custom

X = Tensor(np.ones((3, 5), np.float32))
Y = Tensor(np.ones((3, 5), np.float32))
HALF = Tensor(np.ones((3, 5), np.float16))
INT = Tensor(np.ones((3, 5), np.int16))
LONGER = Tensor(np.ones((4, 5), np.float32))
FLAT = Tensor(np.ones(15, np.float32))

SUPPORTS = "It supports: float16, float16; float32, float32; bfloat16, bfloat16; int32, int32."
REFUSED = [
    ((X, HALF), f"my_mul was called with x float32, y float16. {SUPPORTS}"),
    ((INT, INT), f"my_mul was called with x int16, y int16. {SUPPORTS}"),
    (
        (X.astype(ms.bfloat16), X),
        f"my_mul was called with x bfloat16, y float32. {SUPPORTS}",
    ),
    (
        (X, LONGER),
        "my_mul: its shape inference refuses x (3, 5), y (4, 5): it returned GRAPH_FAILED",
    ),
    (
        (X, FLAT),
        "my_mul: its shape inference refuses x (3, 5), y (15,): it returned GRAPH_FAILED",
    ),
    (
        (X.astype(ms.complex64), X),
        "my_mul: input 'x' is complex64, which no operator takes.",
    ),
]
DIRECTLY = [
    ((), "my_mul: 2 inputs expected (x, y), 0 came."),
    ((X,), "my_mul: 2 inputs expected (x, y), 1 came."),
    ((X, X, X), "my_mul: 2 inputs expected (x, y), 3 came."),
    ((X, 2.0), "my_mul: input 'y' is a float; expected a Tensor."),
    ((np.ones(3), X), "my_mul: input 'x' is a ndarray; expected a Tensor."),
    ((X, None), "my_mul: input 'y' is a NoneType; expected a Tensor."),
]


def ids(value):
    return "-".join(str(getattr(v, "dtype", v)) for v in value) if isinstance(value, tuple) else ""


class Cell(nn.Cell):
    def __init__(self, op):
        super().__init__()
        self.op = op

    def construct(self, x, y):
        return self.op(x, y) * 2


def refused(function, inputs, sentence):
    with pytest.raises(InvalidArgument) as error:
        function(*inputs)
    assert str(error.value).splitlines()[0] == sentence


@pytest.mark.parametrize(("inputs", "sentence"), REFUSED, ids=ids)
def test_in_a_network(mode, my_mul, inputs, sentence):
    op = Custom(my_mul)
    net = Cell(op)
    for function in (op, net, ms.grad(op, (0, 1)), ms.grad(net, (0, 1))):
        refused(function, inputs, sentence)
    np.testing.assert_array_equal(op(X, Y).asnumpy(), 1)
    np.testing.assert_array_equal(net(X, Y).asnumpy(), 2)
    np.testing.assert_array_equal(ms.grad(net)(X, Y).asnumpy(), 2)


@pytest.mark.parametrize(("inputs", "sentence"), DIRECTLY, ids=ids)
def test_direct_call(mode, my_mul, inputs, sentence):
    op = Custom(my_mul)
    refused(op, inputs, sentence)
    np.testing.assert_array_equal(op(X, X).asnumpy(), 1)


def test_by_name(mode, my_mul):
    with pytest.raises(InvalidArgument) as error:
        Custom(my_mul)(X, y=X)
    assert str(error.value) == (
        "my_mul: y came by name; inputs go by position, and attributes have their defaults."
    )


def test_inside_a_graph(mode, my_mul):
    op = Custom(my_mul)

    @ms.jit
    def too_few(x):
        return op(x)

    @ms.jit
    def number(x):
        return op(x, 2.0)

    refused(too_few, (X,), "my_mul: 2 inputs expected (x, y), 1 came.")
    refused(number, (X,), "my_mul: input 'y' is something else; expected a Tensor.")


@pytest.mark.parametrize("shape", [[None, 5], None], ids=["dimension", "rank"])
def test_graph_for_unknown_shapes_survives_a_direct_call(my_mul, shape):
    """MindSpore's graph would stay broken, so the call is looked at first."""
    ms.set_context(mode=ms.GRAPH_MODE)
    op = Custom(my_mul)
    op.set_inputs(*(Tensor(shape=shape, dtype=ms.float32) for _ in range(2)))
    np.testing.assert_array_equal(op(X, X).asnumpy(), 1)
    refused(op, (X, LONGER), REFUSED[3][1])
    np.testing.assert_array_equal(op(LONGER, LONGER).asnumpy(), 1)


def test_dtypes_are_refused_while_a_graph_for_unknown_shapes_is_compiled(my_mul):
    """MindSpore would cast without a word."""
    ms.set_context(mode=ms.GRAPH_MODE)
    net = Cell(Custom(my_mul))
    net.set_inputs(Tensor(shape=None, dtype=ms.float32), Tensor(shape=None, dtype=ms.float16))
    refused(net, (X, HALF), REFUSED[0][1])


def test_shapes_that_only_the_run_tells_are_refused_by_the_library(my_mul):
    ms.set_context(mode=ms.GRAPH_MODE)
    net = Cell(Custom(my_mul))
    net.set_inputs(*(Tensor(shape=[None, 5], dtype=ms.float32) for _ in range(2)))
    with pytest.raises(RuntimeError, match=r"its shape inference refuses x \(3, 5\), y \(4, 5\)"):
        net(X, LONGER)


def test_out_shape_and_out_dtype_are_compared_with_the_library(mode, my_mul):
    refused(
        Custom(my_mul, out_shape=lambda x, y: (x.shape[1], x.shape[0])),
        (X, X),
        "my_mul: out_shape gives (5, 3) for output 'out' of x (3, 5) float32, y (3, 5) float32; "
        "its library infers (3, 5). out_shape may be left out.",
    )
    refused(
        Custom(my_mul, out_dtype=ms.float16),
        (X, X),
        "my_mul: out_dtype gives float16 for output 'out' of x (3, 5) float32, y (3, 5) float32; "
        "its library infers float32. out_dtype may be left out.",
    )
    np.testing.assert_array_equal(Custom(my_mul, (3, 5), ms.float32)(X, X).asnumpy(), 1)


def test_device(my_mul, monkeypatch):
    monkeypatch.setattr(ms, "get_context", {"device_target": "Ascend"}.get)
    with pytest.raises(NotImplementedError) as error:
        Custom(my_mul)
    assert str(error.value) == (
        "my_mul: MindSpore's device_target is Ascend; bascule runs operators on CPU: "
        "mindspore.set_context(device_target='CPU')."
    )
