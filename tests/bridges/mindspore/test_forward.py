# SPDX-License-Identifier: Apache-2.0
"""Values of bascule.mindspore.Custom: dtypes, lengths, ranks, layouts."""

import mindspore as ms
import numpy as np
import pytest
from mindspore import Tensor

import bascule.operator
from bascule.mindspore import Custom

LENGTHS = [1, 7, 16, 17, 513, 4096, 100003]
SHAPES = [(), (1,), (0,), (5,), (3, 5), (3, 0), (2, 3, 5), (1, 1, 17), (2, 1, 2, 1, 3)]


def pair(shape, dtype, seed=7):
    random = np.random.default_rng(seed)
    return [Tensor(random.uniform(-2, 2, shape).astype(dtype)) for _ in range(2)]


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_lengths(mode, my_mul, dtype):
    op = Custom(f"{my_mul}:my_mul")
    for length in LENGTHS:
        x, y = pair((length,), dtype)
        out = op(x, y)
        assert out.dtype == x.dtype
        np.testing.assert_array_equal(out.asnumpy(), x.asnumpy() * y.asnumpy(), str(length))


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_shapes(mode, my_mul, dtype):
    op = Custom(my_mul)
    for shape in SHAPES:
        x, y = pair(shape, dtype)
        out = op(x, y)
        assert isinstance(out, Tensor)  # of rank 0 too, where MindSpore's own makes a number
        assert out.shape == shape
        np.testing.assert_array_equal(out.asnumpy(), x.asnumpy() * y.asnumpy(), str(shape))


def test_special_values(mode, my_mul):
    op = Custom(my_mul)
    x = np.array([np.inf, -np.inf, np.nan, 0.0, -0.0, 65504, 6e-8, 1], np.float16)
    y = np.array([2, 0, 1, -1, -1, 2, 0.5, np.nan], np.float16)
    with np.errstate(all="ignore"):
        expected = x * y
    np.testing.assert_array_equal(
        op(Tensor(x), Tensor(y)).asnumpy().view(np.uint16) & 0x7E00,
        expected.view(np.uint16) & 0x7E00,
    )
    assert np.signbit(op(Tensor(x), Tensor(y)).asnumpy()[3])


def test_views_are_read_as_they_are(my_mul):
    ms.set_context(mode=ms.PYNATIVE_MODE)
    op = Custom(my_mul)
    values = np.arange(24, dtype=np.float32).reshape(4, 6)
    x = Tensor(values)
    ones = np.ones((24,), np.float32)
    for view, expected in [
        (x.T, values.T),
        (x[1:, 2:], values[1:, 2:]),
        (x[2], values[2]),
        (x[:, 3], values[:, 3]),
        (x[::2, ::3], values[::2, ::3]),
        (x[0].broadcast_to((3, 6)), np.broadcast_to(values[0], (3, 6))),
    ]:
        one = Tensor(ones[: expected.size].reshape(expected.shape))
        np.testing.assert_array_equal(op(view, one).asnumpy(), expected)
        np.testing.assert_array_equal(op(one, view).asnumpy(), expected)


def test_inputs_stay_as_they_were(mode, my_mul):
    x, y = pair((513,), np.float32)
    before = x.asnumpy().copy(), y.asnumpy().copy()
    out = Custom(my_mul)(x, y)
    out += 1
    np.testing.assert_array_equal(x.asnumpy(), before[0])
    np.testing.assert_array_equal(y.asnumpy(), before[1])


def test_operators_of_load_take_mindspore_tensors(mode, my_mul):
    library = bascule.operator.load(my_mul)
    x, y = pair((3, 5), np.float32)
    out = library.my_mul(x, y)
    assert isinstance(out, Tensor)
    np.testing.assert_array_equal(out.asnumpy(), x.asnumpy() * y.asnumpy())


def test_names(my_mul):
    op = Custom(my_mul)
    assert op.__name__ == "my_mul"
    assert repr(op) == "Custom(my_mul)"
