# SPDX-License-Identifier: Apache-2.0
"""func_type="pyfunc": functions of NumPy arrays, their results looked at."""

import mindspore as ms
import numpy as np
import pytest
from mindspore import Tensor

from bascule.errors import InvalidArgument
from bascule.mindspore import Custom

X = Tensor(np.arange(15, dtype=np.float32).reshape(3, 5))
Y = Tensor(np.full((3, 5), 2, np.float32))


def same_shape(x, y):
    return x.shape


def same_dtype(x, y):
    return x.dtype


def multiply(a, b):
    return a * b


def bprop(x, y, out, dout):
    return dout * y, dout * x


def custom(function, gradient=None):
    return Custom(function, same_shape, same_dtype, "pyfunc", gradient)


@pytest.mark.parametrize("dtype", [ms.float16, ms.float32, ms.float64, ms.bfloat16])
def test_values_and_gradients(mode, dtype):
    op = custom(multiply, bprop)
    assert op.__name__ == "multiply"
    x, y = X.astype(dtype), Y.astype(dtype)
    out = op(x, y)
    dx, dy = ms.grad(op, (0, 1))(x, y)
    for got, expected in ((out, X * Y), (dx, Y), (dy, X)):
        assert got.dtype == dtype
        np.testing.assert_array_equal(got.astype(ms.float32).asnumpy(), expected.asnumpy())


def test_functions_of_every_kind(mode):
    scope = {}
    exec("def made(a, b):\n    return a * b", scope)
    for function in (lambda a, b: a * b, scope["made"], np.multiply):
        op = Custom(function, same_shape, same_dtype, "pyfunc")
        np.testing.assert_array_equal(op(X, Y).asnumpy(), 2 * X.asnumpy())
    transpose = Custom(lambda a: a.T, lambda a: (a[1], a[0]), lambda a: a, "pyfunc")
    np.testing.assert_array_equal(transpose(X).asnumpy(), X.asnumpy().T)


def test_rank_0(mode):
    out = custom(multiply)(Tensor(2.0, ms.float32), Tensor(3.0, ms.float32))
    assert (out.shape, out.asnumpy()) == ((), 6)


def test_several_outputs(mode):
    op = Custom(lambda a, b: (a + b, a - b), lambda x, y: (x, y), lambda x, y: (x, y), "pyfunc")
    total, difference = op(X, Y)
    np.testing.assert_array_equal(total.asnumpy(), X.asnumpy() + 2)
    np.testing.assert_array_equal(difference.asnumpy(), X.asnumpy() - 2)


def wrong_shape(a, b):
    return (a * b)[:1]


def wrong_dtype(a, b):
    return (a * b).astype(np.float64)


def nothing(a, b):
    pass


def plain_list(a, b):
    return (a * b).tolist()


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (wrong_shape, "an array (1, 5) float32; expected (3, 5) float32."),
        (wrong_dtype, "an array (3, 5) float64; expected (3, 5) float32."),
        (nothing, "a NoneType; expected a NumPy array (3, 5) float32."),
        (plain_list, "a list; expected a NumPy array (3, 5) float32."),
    ],
)
def test_results_that_do_not_fit(mode, function, said):
    """MindSpore would copy whatever bytes there are."""
    if mode == "GRAPH" and function is not wrong_shape:
        pytest.skip("the same code, and a graph takes three seconds to fail while it runs")
    with pytest.raises(InvalidArgument) as error:
        custom(function)(X, Y).asnumpy()
    assert str(error.value).splitlines()[0] == f"{function.__name__}: the function returned {said}"


def test_exception_of_the_function():
    ms.set_context(mode=ms.PYNATIVE_MODE)
    with pytest.raises(ZeroDivisionError):
        custom(lambda a, b: 1 / 0)(X, Y).asnumpy()


def test_number_of_inputs(mode):
    with pytest.raises(InvalidArgument, match=r"^multiply: 2 inputs expected \(a, b\), 1 came"):
        custom(multiply)(X)
    with pytest.raises(InvalidArgument) as error:
        Custom(lambda *arrays: arrays[0], (3,), ms.float32, "pyfunc")
    assert str(error.value) == (
        "pyfunc: how many inputs it takes cannot be told; name the parameters of func."
    )
    with pytest.raises(InvalidArgument) as error:
        Custom(multiply, func_type="pyfunc")
    assert str(error.value) == "multiply: out_shape was left out, and a function does not tell."
