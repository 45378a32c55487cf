# SPDX-License-Identifier: Apache-2.0
"""bascule.mindspore.xp against bascule.xp_numpy, run eagerly and compiled, and its derivatives."""

import mindspore as ms
import numpy as np
import pytest
from mindspore import Tensor, nn, ops

from bascule import xp as generic
from bascule import xp_numpy
from bascule.errors import Unsupported
from bascule.gradient import load_function
from bascule.mindspore import xp

A = np.array([[-2.0, -0.5, 0.25], [0.0, 1.5, 3.0]], np.float32)
B = np.array([[1.0, -0.5, 2.0], [0.5, 1.5, -3.0]], np.float32)

# Expressions of the functions in a module called xp, and of two arrays or tensors.
CASES = {
    "abs": "xp.abs(a)",
    "amax": "xp.amax(a, -1, True)",
    "amax of all": "xp.amax(a)",
    "broadcast_to": "xp.broadcast_to(a, (2, 2, 3))",
    "cast": 'xp.cast(a, "float16")',
    "cast like": 'xp.cast(xp.cast(a, "float16"), b.dtype)',
    "clip": "xp.clip(a, -1.0, 1.0)",
    "clip below": "xp.clip(a, None, 1.0)",
    "concat": "xp.concat([a, b], -1)",
    "cos": "xp.cos(a)",
    "erf": "xp.erf(a)",
    "exp": "xp.exp(a)",
    "expand_dims": "xp.expand_dims(a, -1)",
    "full_like": "xp.full_like(a, 2.5)",
    "log": "xp.log(xp.abs(a) + 0.5)",
    "matmul": "xp.matmul(a, xp.transpose(b))",
    "maximum": "xp.maximum(a, b)",
    "mean": "xp.mean(a, (0, 1))",
    "mean of all": "xp.mean(a)",
    "minimum": "xp.minimum(a, b)",
    "ones_like": "xp.ones_like(a)",
    "pow": "xp.pow(xp.abs(a) + 0.5, b)",
    "pow of number": "xp.pow(a, 3.0)",
    "reciprocal": "xp.reciprocal(b)",
    "reshape": "xp.reshape(a, (3, -1))",
    "rsqrt": "xp.rsqrt(xp.abs(a) + 0.5)",
    "sigmoid": "xp.sigmoid(a)",
    "sign": "xp.sign(a)",
    "sin": "xp.sin(a)",
    "sqrt": "xp.sqrt(xp.abs(a) + 0.5)",
    "square": "xp.square(a)",
    "squeeze": "xp.squeeze(xp.expand_dims(a, 1), 1)",
    "stop_gradient": "xp.stop_gradient(a)",
    "sum": "xp.sum(a, 0)",
    "sum of all": "xp.sum(a)",
    "sum of half": 'xp.sum(xp.cast(a, "float16"), [0, 1], True)',
    "sum_to": "xp.sum_to(a, (1, 3))",
    "sum_to fewer": "xp.sum_to(a, (3,))",
    "sum_to itself": "xp.sum_to(a, (2, 3))",
    "tanh": "xp.tanh(a)",
    "transpose": "xp.transpose(a, (1, 0))",
    "transpose all": "xp.transpose(xp.expand_dims(a, 0))",
    "where": "xp.where(b > 0, a, b)",
    "zeros_like": "xp.zeros_like(a)",
}


def test_every_function_has_a_case():
    assert {name.split()[0] for name in CASES} == set(generic.__all__)
    assert all(hasattr(xp, name) for name in generic.__all__)


def run(module, expression, a, b):
    return eval(expression, {"xp": module, "a": a, "b": b})


def compiled(expression):
    """The expression as a function of a gradient file, bound to MindSpore."""
    text = f"from bascule import xp\n\n\ndef case(a, b):\n    return {expression}\n"
    return load_function(text, "case", "my_op", "a test", xp)


def close(got, expected, tolerance=2e-6):
    got = got.asnumpy()
    assert (got.shape, got.dtype) == (expected.shape, expected.dtype)
    np.testing.assert_allclose(got, expected, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("name", CASES)
def test_values(name):
    ms.set_context(mode=ms.PYNATIVE_MODE)
    expected = np.asarray(run(xp_numpy, CASES[name], A, B))
    for module in (xp, generic):
        close(run(module, CASES[name], Tensor(A), Tensor(B)), expected)


@pytest.mark.parametrize("name", CASES)
def test_values_compiled(name):
    ms.set_context(mode=ms.GRAPH_MODE)
    expected = np.asarray(run(xp_numpy, CASES[name], A, B))
    close(ms.jit(compiled(CASES[name]))(Tensor(A), Tensor(B)), expected)


def differences(expression, a, b, step=1e-4):
    """Central differences of the sum of the expression, in float64."""
    result = []
    for value in (a, b):
        slope = np.empty(value.shape)
        for index in np.ndindex(value.shape):
            kept = value[index]
            value[index] = kept + step
            above = np.sum(run(xp_numpy, expression, a, b))
            value[index] = kept - step
            slope[index] = (above - np.sum(run(xp_numpy, expression, a, b))) / (2 * step)
            value[index] = kept
        result.append(slope.astype(np.float32))
    return result


# Rounding to half, the jump of sign at 0, and the lie of stop_gradient.
WITHOUT_DERIVATIVE = {"cast", "cast like", "sum of half", "sign", "stop_gradient"}


@pytest.mark.parametrize("name", sorted(set(CASES) - WITHOUT_DERIVATIVE))
def test_derivatives(mode, name):
    expected = differences(CASES[name], A.astype(np.float64), B.astype(np.float64))
    gradients = ms.grad(compiled(CASES[name]), (0, 1))(Tensor(A), Tensor(B))
    for got, slope in zip(gradients, expected):
        close(got, slope, 3e-4)


def test_stop_gradient_stops(mode):
    function = compiled("xp.stop_gradient(a) * a")
    close(ms.grad(function)(Tensor(A), Tensor(B)), A)


def test_cast_has_the_derivative_of_the_identity(mode):
    function = compiled("xp.cast(xp.cast(a, 'float16') * 2, a.dtype)")
    close(ms.grad(function)(Tensor(A), Tensor(B)), np.full_like(A, 2))


@pytest.mark.parametrize("dtype", [ms.float16, ms.float32, ms.bfloat16])
def test_sums_of_nothing_are_0(mode, dtype):
    """MindSpore's own are whatever lies there, so each is taken several times."""
    nothing = ms.ops.zeros((2, 0, 3), dtype)
    for case, shape in (
        ("xp.sum_to(a, (1, 3))", (1, 3)),
        ("xp.sum_to(a, (3,))", (3,)),
        ("xp.sum(a, 1)", (2, 3)),
        ("xp.sum(a, -2, keepdims=True)", (2, 1, 3)),
        ("xp.sum(a)", ()),
    ):
        for _ in range(3):
            got = compiled(case)(nothing, nothing)
            assert got.dtype == dtype and got.shape == shape
            assert not got.float().asnumpy().any(), case


class SumTo(nn.Cell):
    def __init__(self):
        super().__init__()
        self.case = compiled("xp.sum_to(a, b.shape)")

    def construct(self, a, b):
        return self.case(a, b)


@pytest.mark.parametrize("dtype", [ms.float32, ms.bfloat16, ms.int32])
@pytest.mark.parametrize("ranks", [((None, 3), (None,)), (None, None)], ids=["dimensions", "ranks"])
def test_sum_to_shapes_that_only_the_run_tells(ranks, dtype):
    ms.set_context(mode=ms.GRAPH_MODE)
    net = SumTo()
    net.set_inputs(*(Tensor(shape=rank and list(rank), dtype=dtype) for rank in ranks))
    for rows in (4, 1, 0):  # of nothing, MindSpore's own sum is whatever lay there
        a = np.arange(3 * rows).reshape(rows, 3)
        got = net(Tensor(a, dtype), Tensor(np.zeros(3), dtype))
        assert got.dtype == dtype
        np.testing.assert_array_equal(got.astype(ms.float32).asnumpy(), a.sum(0))


def test_sum_to_unknown_shapes_ends_second_order():
    ms.set_context(mode=ms.GRAPH_MODE)

    class Second(nn.Cell):
        def __init__(self):
            super().__init__()
            self.gradient = ops.GradOperation()
            self.net = SumTo()

        def construct(self, a, b):
            return self.gradient(self.net)(a, b)

    net = Second()
    net.set_inputs(*(Tensor(shape=[None, 3], dtype=ms.float32) for _ in range(2)))
    with pytest.raises(Unsupported, match=r"^xp\.sum_to: a second derivative needs shapes that"):
        net(Tensor(A), Tensor(B))
