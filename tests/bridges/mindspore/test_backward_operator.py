# SPDX-License-Identifier: Apache-2.0
"""Gradients that are another operator of the library, and none with a reason."""

import mindspore as ms
import numpy as np
import pytest
from mindspore import Tensor

from bascule import GradientError
from bascule.mindspore import Custom

X = Tensor(np.array([1.0, 2.0, 3.0], np.float32))
Y = Tensor(np.array([4.0, 5.0, 6.0], np.float32))


def test_gradient(mode, backward_path):
    op = Custom(f"{backward_path}:scaled_mul")
    dx, dy = ms.grad(op, grad_position=(0, 1))(X, Y)
    np.testing.assert_array_equal(dx.asnumpy(), Y.asnumpy())
    np.testing.assert_array_equal(dy.asnumpy(), X.asnumpy())


def test_none_says_why(mode, backward_path):
    op = Custom(f"{backward_path}:positive")
    np.testing.assert_array_equal(op(X).asnumpy(), np.ones(3, np.float32))
    with pytest.raises(GradientError, match=r"^positive has no gradient: a step has no slope\."):
        ms.grad(op)(X)


def softmax_gradient(x, dout, axis):
    out = np.exp(x - x.max(axis, keepdims=True))
    out /= out.sum(axis, keepdims=True)
    return out * (dout - (out * dout).sum(axis, keepdims=True))


def test_each_with_its_own_attributes(mode, built):
    """Also where a graph is compiled after another object's gradient was made."""
    path = built("operators/softmax")
    ops = [Custom(f"{path}:softmax", attributes={"axis": axis}) for axis in (0, 1)]
    gradient = ms.ops.GradOperation(get_all=True, sens_param=True)
    random = np.random.default_rng(0)
    for shape in ((3, 4), (5, 6)):
        for axis in (0, 1, 0):
            x, dout = random.random((2, *shape), np.float32)
            (dx,) = gradient(ops[axis])(Tensor(x), Tensor(dout))
            np.testing.assert_allclose(
                dx.asnumpy(), softmax_gradient(x, dout, axis), rtol=1e-5, atol=1e-6
            )
