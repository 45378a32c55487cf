# SPDX-License-Identifier: Apache-2.0
"""gelu, softmax and layer_norm, each with its backward kernel, as `bascule check` judges them."""

import numpy as np
import pytest

import bascule
from bascule.check import Options, check_operator

OPERATORS = ("gelu",)


@pytest.mark.parametrize("suffix", ["", "_grad"])
@pytest.mark.parametrize("name", OPERATORS)
def test_check(built, name, suffix):
    operator = bascule.load(built(f"operators/{name}")).find(name + suffix)
    report = check_operator(operator, Options(frameworks=["numpy"]))
    assert report.ok, report
    forward = [line for line in report.lines if line.direction == "forward"]
    assert {line.dtype for line in forward} == {"float16", "float32", "bfloat16"}
    assert sum(line.cases for line in forward) >= 200


@pytest.mark.parametrize("operator", ["gelu", "gelu_grad"])
def test_gelu_refuses_other_approximations(built, operator):
    call = bascule.load(built("operators/gelu")).find(operator)
    x = np.ones(3, np.float32)
    with pytest.raises(bascule.InvalidArgument, match='"sigmoid"; it must be "none" or "tanh"'):
        call(*[x] * len(call.inputs), approximate="sigmoid")


def test_gelu_grad_refuses_another_shape(built):
    call = bascule.load(built("operators/gelu")).gelu_grad
    with pytest.raises(bascule.InvalidArgument, match="dout must have the shape of x"):
        call(np.ones(3, np.float32), np.ones(4, np.float32))


def test_gelu_far_from_0(built):
    """Slopes are 0 and 1 there, however large the numbers."""
    library = bascule.load(built("operators/gelu"))
    x = np.float32([-3e38, -1e20, -50, 50, 1e20, 3e38])
    for approximate in ("none", "tanh"):
        np.testing.assert_array_equal(library.gelu(x, approximate=approximate), np.maximum(x, 0))
        slope = library.gelu_grad(x, np.ones_like(x), approximate=approximate)
        np.testing.assert_array_equal(slope, [0, 0, 0, 1, 1, 1])
