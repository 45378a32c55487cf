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
