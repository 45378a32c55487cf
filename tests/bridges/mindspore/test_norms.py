# SPDX-License-Identifier: Apache-2.0
"""gelu, softmax and layer_norm in MindSpore, with backward kernels: values and gradients."""

import mindspore as ms
import numpy as np
import pytest
from mindspore import Tensor, ops

from bascule.mindspore import Custom


def gelu(x):
    return ops.gelu(x, approximate="none")


def softmax(x):
    return ops.softmax(x, axis=-1)


def layer_norm(x, weight, bias):
    mean = x.mean(-1, keep_dims=True)
    away = x - mean
    return away / ops.sqrt((away * away).mean(-1, keep_dims=True) + 1e-5) * weight + bias


# By operator: shapes of the inputs, and the same in MindSpore. Attributes have their defaults.
ROWS = {
    "gelu": ([(3, 5)], gelu),
    "layer_norm": ([(6, 5), (5,), (5,)], layer_norm),
    "softmax": ([(3, 5)], softmax),
}


@pytest.mark.parametrize("dtype", [ms.float16, ms.float32, ms.bfloat16])
@pytest.mark.parametrize("row", ROWS)
def test_values_and_gradients(mode, built, row, dtype):
    shapes, same = ROWS[row]
    op = Custom(str(built(f"operators/{row}")) + f":{row}")
    generator = np.random.default_rng(3)
    arrays = [generator.normal(size=s).astype(np.float32) for s in shapes]
    inputs = [Tensor(a).astype(dtype) for a in arrays]
    # MindSpore's own in float32: its CPU kernels do not all take the 16-bit types.
    wide = [t.astype(ms.float32) for t in inputs]
    tolerance = (
        {"rtol": 1e-4, "atol": 1e-5} if dtype == ms.float32 else {"rtol": 0.02, "atol": 0.02}
    )

    out = op(*inputs)
    assert out.dtype == dtype
    np.testing.assert_allclose(out.astype(ms.float32).asnumpy(), same(*wide).asnumpy(), **tolerance)
    positions = tuple(range(len(inputs)))
    dout = Tensor(generator.normal(size=out.shape).astype(np.float32)).astype(dtype)
    gradient = ops.GradOperation(get_all=True, sens_param=True)
    grads = gradient(op)(*inputs, dout)
    expected = gradient(same)(*wide, dout.astype(ms.float32))
    assert len(grads) == len(expected) == len(positions)
    for got, want in zip(grads, expected):
        assert got.dtype == dtype
        np.testing.assert_allclose(got.astype(ms.float32).asnumpy(), want.asnumpy(), **tolerance)
