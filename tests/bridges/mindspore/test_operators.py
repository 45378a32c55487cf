# SPDX-License-Identifier: Apache-2.0
"""The shipped operators in MindSpore: values and gradients in every type."""

import mindspore as ms
import numpy as np
import pytest
from mindspore import Tensor

from bascule.mindspore import Custom
from bascule.mindspore.casts import narrow_now, wide_now

# By operator: shapes of the inputs, the result, and its gradient for a dout of ones. Attributes
# have their defaults.
ROWS = {
    "axpy": (
        [(3, 5), (3, 5)],
        lambda x, y: x + y,
        lambda x, y: (np.ones_like(x), np.ones_like(y)),
    ),
    "leaky_relu": (
        [(3, 5)],
        lambda x: np.where(x > 0, x, 0.01 * x),
        lambda x: (np.where(x > 0, 1.0, 0.01),),
    ),
    "mul_scale": ([(3, 5), (3, 5)], lambda x, y: x * y, lambda x, y: (y, x)),
    "my_mul": ([(3, 5), (3, 5)], lambda x, y: x * y, lambda x, y: (y, x)),
    "my_mul, y broadcast": (
        [(2, 3, 5), (3, 1)],
        lambda x, y: x * y,
        lambda x, y: (np.broadcast_to(y, x.shape), x.sum((0, 2)).reshape(3, 1)),
    ),
    "reduce_sum": ([(3, 5, 2)], lambda x: x.sum(), lambda x: (np.ones_like(x),)),
}


@pytest.mark.parametrize("dtype", [ms.float16, ms.float32, ms.bfloat16])
@pytest.mark.parametrize("row", ROWS)
def test_values_and_gradients(mode, built, row, dtype):
    shapes, value, gradient = ROWS[row]
    name = row.partition(",")[0].partition(" ")[0]
    op = Custom(str(built(f"operators/{name}")))
    generator = np.random.default_rng(3)
    # Multiples of 1/8, so that sums are exact.
    arrays = [generator.integers(1, 16, s) * generator.choice([-1, 1], s) / 8 for s in shapes]
    inputs = [Tensor(a.astype(np.float32)).astype(dtype) for a in arrays]

    out = op(*inputs)
    assert out.dtype == dtype
    np.testing.assert_allclose(out.astype(ms.float32).asnumpy(), value(*arrays), rtol=2.0**-8)
    grads = ms.grad(op, tuple(range(len(inputs))))(*inputs)
    for got, want in zip(grads if isinstance(grads, tuple) else (grads,), gradient(*arrays)):
        assert got.dtype == dtype
        np.testing.assert_allclose(got.astype(ms.float32).asnumpy(), want, rtol=2.0**-7)


def test_casts_of_bfloat16():
    """Those of PYNATIVE, which gradient files get: rounded as MindSpore's own, and back."""
    ms.set_context(mode=ms.PYNATIVE_MODE)
    generator = np.random.default_rng(5)
    bits = generator.integers(0, 2**32, 100_003, dtype=np.uint32)
    bits[:6] = 0, 0x80000000, 0x7F800000, 0xFF7FFFFF, 0x3F808000, 0x3F818000
    wide = bits.view(np.float32)
    for array in (wide, wide[:0], wide[:1], wide[4], wide[:15].reshape(3, 5)):
        x = Tensor(np.nan_to_num(array, nan=1.0, posinf=np.inf, neginf=-np.inf))
        half = x.astype(ms.bfloat16)
        got = narrow_now(x, half)
        assert (got.dtype, got.shape) == (ms.bfloat16, x.shape)
        np.testing.assert_array_equal(got.astype(ms.float32).asnumpy(), half.float().asnumpy())
        np.testing.assert_array_equal(wide_now(half).asnumpy(), half.float().asnumpy())
    nan = narrow_now(Tensor(np.full(3, np.nan, np.float32)), half)
    assert np.isnan(nan.astype(ms.float32).asnumpy()).all()
