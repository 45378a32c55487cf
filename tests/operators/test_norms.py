# SPDX-License-Identifier: Apache-2.0
"""gelu, softmax and layer_norm, each with its backward kernel, as `bascule check` judges them."""

import numpy as np
import pytest

import bascule
from bascule.check import Options, check_operator

OPERATORS = ("gelu", "layer_norm", "softmax")


@pytest.mark.parametrize("suffix", ["", "_grad"])
@pytest.mark.parametrize("name", OPERATORS)
def test_check(built, name, suffix):
    operator = bascule.load(built(f"operators/{name}")).find(name + suffix)
    report = check_operator(operator, Options(frameworks=["numpy"]))
    assert report.ok, report
    forward = [line for line in report.lines if line.direction == "forward"]
    assert {line.dtype.partition("+")[0] for line in forward} == {"float16", "float32", "bfloat16"}
    assert sum(line.cases for line in forward) >= 200


@pytest.mark.parametrize("operator", ["gelu", "gelu_grad"])
def test_gelu_refuses_other_approximations(built, operator):
    call = bascule.load(built("operators/gelu")).find(operator)
    x = np.ones(3, np.float32)
    with pytest.raises(bascule.InvalidArgument, match='"sigmoid"; it must be "none" or "tanh"'):
        call(*[x] * len(call.inputs), approximate="sigmoid")


def test_gelu_grad_refuses_another_shape(built):
    call = bascule.load(built("operators/gelu")).gelu_grad
    with pytest.raises(bascule.InvalidArgument, match="input 2 must have the shape of input 1"):
        call(np.ones(3, np.float32), np.ones(4, np.float32))


def test_gelu_far_from_0(built):
    """Slopes are 0 and 1 there, however large the numbers."""
    library = bascule.load(built("operators/gelu"))
    x = np.float32([-3e38, -1e20, -50, 50, 1e20, 3e38])
    for approximate in ("none", "tanh"):
        np.testing.assert_array_equal(library.gelu(x, approximate=approximate), np.maximum(x, 0))
        slope = library.gelu_grad(x, np.ones_like(x), approximate=approximate)
        np.testing.assert_array_equal(slope, [0, 0, 0, 1, 1, 1])


@pytest.mark.parametrize("operator", ["softmax", "softmax_grad"])
@pytest.mark.parametrize("axis", [2, -3])
def test_softmax_refuses_axes(built, operator, axis):
    call = bascule.load(built("operators/softmax")).find(operator)
    x = np.ones((3, 5), np.float32)
    with pytest.raises(bascule.InvalidArgument, match=f"axis is {axis}; x has 2 dimensions"):
        call(*[x] * len(call.inputs), axis=axis)


def test_softmax_of_masked_elements(built):
    """Minus infinity has no weight, wherever it stands; a row of nothing else is NaN."""
    softmax = bascule.load(built("operators/softmax")).softmax
    for length in (7, 3000, 30011):
        x = np.full((4, length), -np.inf, np.float32)
        x[0, -1] = 3
        x[1, :2] = 1
        x[2, ::2] = 0
        for axis, view in ((1, x), (0, np.ascontiguousarray(x.T))):
            out = softmax(view, axis=axis)
            out = out if axis == 1 else out.T
            want = np.where(x == -np.inf, 0, 1 / np.maximum(1, (x > -np.inf).sum(1, keepdims=True)))
            np.testing.assert_allclose(out[:3], want[:3], rtol=1e-6)
            assert np.isnan(out[3]).all()


def test_softmax_where_one_element_is_almost_1(built):
    """The gradient is what is left of almost equal numbers, to almost all digits."""
    library = bascule.load(built("operators/softmax"))
    x = np.float32([[0, 9], [12, 0]])
    dout = np.float32([[3, -1], [1, 2]])
    for axis, turn in ((1, np.asarray), (0, lambda a: np.ascontiguousarray(a.T))):
        out = library.softmax(turn(x), axis=axis)
        dx = turn(library.softmax_grad(out, turn(dout), axis=axis))
        wide = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
        wide /= wide.sum(1, keepdims=True)
        want = wide * (dout - (wide * dout).sum(1, keepdims=True))
        np.testing.assert_allclose(dx, want, rtol=1e-6)


def normalised(x, axes, epsilon=1e-5):
    x = x.astype(np.float64)
    along = tuple(range(x.ndim - axes, x.ndim))
    return (x - x.mean(along, keepdims=True)) / np.sqrt(x.var(along, keepdims=True) + epsilon)


def test_layer_norm_without_parameters(built):
    layer_norm = bascule.load(built("operators/layer_norm")).layer_norm
    x = np.random.default_rng(1).normal(3, 2, (4, 3, 7)).astype(np.float32)
    np.testing.assert_allclose(layer_norm(x), normalised(x, 1), rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(layer_norm(x, axes=3), normalised(x, 3), rtol=1e-4, atol=1e-6)


def test_layer_norm_of_rows_far_from_0(built):
    """The variance is that of what is away from the mean, not a difference of squares."""
    layer_norm = bascule.load(built("operators/layer_norm")).layer_norm
    for length in (100, 20000):
        x = (1000 + np.random.default_rng(1).normal(0, 1, (2, length))).astype(np.float32)
        np.testing.assert_allclose(layer_norm(x), normalised(x, 1), atol=1e-4)


@pytest.mark.parametrize(
    ("shapes", "axes", "reason"),
    [
        ([(3, 5), (4,), (4,)], 0, r"weight has shape \[4\]; it must be the last dimensions of x"),
        ([(3, 5), None, (3,)], 0, r"bias has shape \[3\]; it must be the last dimensions of x"),
        ([(5, 5), (5,), (5, 5)], 0, "weight has 1 dimensions and bias 2; both must have as many"),
        ([(5, 5), (5,), (5,)], 2, "axes is 2, but weight or bias has 1 dimensions"),
        ([(5, 5), None, None], 3, "axes is 3; x has 2 dimensions, so that it must be from 0 to 2"),
    ],
)
def test_layer_norm_refuses_shapes(built, shapes, axes, reason):
    layer_norm = bascule.load(built("operators/layer_norm")).layer_norm
    inputs = [None if shape is None else np.ones(shape, np.float32) for shape in shapes]
    with pytest.raises(bascule.InvalidArgument, match=reason):
        layer_norm(*inputs, axes=axes)


def test_layer_norm_grad_sums_rows_in_one_order(built):
    library = bascule.load(built("operators/layer_norm"))
    generator = np.random.default_rng(2)
    x, dout = (generator.normal(size=(4000, 33)).astype(np.float32) for _ in range(2))
    weight = generator.normal(size=33).astype(np.float32)
    mean = x.mean(1)
    rstd = 1 / np.sqrt(x.var(1) + np.float32(1e-5))
    first = library.layer_norm_grad(x, weight, mean, rstd, dout)
    np.testing.assert_allclose(first[2], dout.astype(np.float64).sum(0), atol=1e-3)
    for _ in range(3):
        for a, b in zip(first, library.layer_norm_grad(x, weight, mean, rstd, dout)):
            np.testing.assert_array_equal(a, b)
