# SPDX-License-Identifier: Apache-2.0
"""bascule.gradcheck on torch's functions, and bascule.check's ways to run operators in torch."""

import numpy as np
import pytest
import torch

import bascule
from bascule.check import Options, check_operator
from bascule.torch import check as runners


class Scale(torch.autograd.Function):
    """2.5 * x * y; `wrong` says what is wrong with its gradient."""

    wrong = ""

    @staticmethod
    def forward(ctx, x, y):
        ctx.save_for_backward(x, y)
        return 2.5 * x * y

    @staticmethod
    def backward(ctx, dout):
        x, y = ctx.saved_tensors
        dx, dy = 2.5 * dout * y, 2.5 * dout * x
        if Scale.wrong == "sign":
            return -dx, dy
        if Scale.wrong == "factor":
            return dout * y, dout * x
        if Scale.wrong == "swapped":
            return dy, dx
        if Scale.wrong == "none":
            return None, dy
        return dx, dy


@pytest.fixture
def tensors():
    generator = torch.Generator().manual_seed(1)
    return [torch.rand(4, 3, generator=generator) * 8 - 4 for _ in range(2)]


GALLERY = {
    "sign": "the sign",
    "factor": "a factor: it is 0.4 times what it should be",
    "swapped": "swapped inputs: this is the gradient of 'y'",
    "none": "0 everywhere: nothing flows back, or it was stopped",
}


@pytest.mark.parametrize("wrong", GALLERY)
def test_wrong_gradients(tensors, monkeypatch, wrong):
    def scale(x, y):
        return Scale.apply(x, y)

    assert bascule.gradcheck(scale, *tensors, reference=lambda x, y: 2.5 * x * y).ok
    assert bascule.gradcheck(scale, *tensors).ok
    monkeypatch.setattr(Scale, "wrong", wrong)
    report = bascule.gradcheck(
        scale, *tensors, reference=lambda x, y: 2.5 * x * y, raise_exception=False
    )
    assert report.verdict == "failed"
    assert report.gradient["guess"] == GALLERY[wrong]
    assert not bascule.gradcheck(scale, *tensors, raise_exception=False).ok


def test_builtin_functions_in_their_types(tensors):
    x = tensors[0]
    for dtype in (torch.float16, torch.bfloat16, torch.float32, torch.float64):
        assert bascule.gradcheck(torch.tanh, x.to(dtype), reference=np.tanh).ok
    assert bascule.gradcheck(torch.relu, x, reference=lambda v: np.maximum(v, 0)).ok
    assert bascule.gradcheck(lambda v: v.sum(0), x, reference=lambda v: v.sum(0)).ok
    layer = torch.nn.Linear(3, 2)
    assert bascule.gradcheck(layer, x).ok


def test_operators(my_mul, my_mul_path, tensors):
    assert bascule.gradcheck(my_mul, *tensors, reference=lambda x, y: x * y).ok
    operator = bascule.load(my_mul_path).my_mul
    assert bascule.gradcheck(operator, *tensors).ok
    wrong = bascule.Custom(str(my_mul_path), bprop=lambda x, y, out, dout: (dout * x, dout * y))
    with pytest.raises(bascule.CheckFailed, match="perhaps: swapped inputs"):
        bascule.gradcheck(wrong, *tensors, reference=lambda x, y: x * y)
    refused = bascule.Custom(str(my_mul_path), bprop=lambda x, y, out, dout: (dout * y, None))
    with pytest.raises(bascule.CheckFailed, match="the gradient of input 'y' is None"):
        bascule.gradcheck(refused, *tensors)


def test_every_way_to_run(my_mul_path):
    operator = bascule.load(my_mul_path).my_mul
    report = check_operator(operator, Options(frameworks=["torch"], dtypes=["float32"]))
    assert report.ok, report
    assert {line.framework for line in report.lines if line.direction == "gradient"} == {
        "torch",
        "torch.compile",
        "reference, autograd",
    }


@pytest.mark.parametrize("layout", ["plain", "reversed", "broadcast", "transposed"])
def test_tensors_keep_strides_and_values(layout):
    array = np.arange(12, dtype=np.float32).reshape(3, 4)
    array = {
        "plain": array,
        "reversed": array[:, ::-1],
        "broadcast": np.broadcast_to(array[:1], (3, 4)),
        "transposed": array.T,
    }[layout]
    tensor = runners.from_array(array)
    np.testing.assert_array_equal(tensor.numpy(), array)
    np.testing.assert_array_equal(runners.to_array(tensor), array)
    if layout == "broadcast":
        assert tensor.stride(0) == 0
    if layout == "transposed":
        assert not tensor.is_contiguous()
