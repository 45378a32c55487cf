# SPDX-License-Identifier: Apache-2.0
"""bascule.Custom (not MindSpore's) of functions, on MindSpore tensors."""

import mindspore as ms
import numpy as np
import pytest
from mindspore import Tensor

import bascule


def same(x, y):
    return x


def bprop(x, y, out, dout):
    return dout * y, dout * x


@pytest.mark.parametrize("kind", ["pyfunc", "aot"])
def test_values_and_gradients(mode, plain, kind):
    if kind == "aot":
        product = bascule.Custom(f"{plain}:product", same, same, bprop=bprop)
    else:
        product = bascule.Custom(lambda x, y: x * y, same, same, "pyfunc", bprop=bprop)
    x, y = Tensor([[1.0, 2], [3, 4]], ms.float32), Tensor([[5.0, 6], [7, 8]], ms.float32)
    np.testing.assert_array_equal(product(x, y).asnumpy(), (x * y).asnumpy())
