# SPDX-License-Identifier: Apache-2.0
"""Lone kernels as cells: MindSpore calls a function of the runtime for them."""

import mindspore as ms
import numpy as np
import pytest
from mindspore import Tensor, nn, ops

import bascule
from bascule.mindspore import Custom


def bprop(x, y, out, dout):
    return dout * y, dout * x


def custom(path, kernel, **options):
    return Custom(f"{path}:{kernel}", lambda x, y: x.shape, lambda x, y: x.dtype, "aot", **options)


def numbers(n, dtype, seed=0):
    return Tensor(np.random.default_rng(seed).uniform(-4, 4, n), dtype)


@pytest.mark.parametrize(
    ("kernel", "dtype"),
    [
        ("mul_half", ms.float16),
        ("mul_float", ms.float32),
    ],
)
def test_forward_and_backward(mode, lone_path, kernel, dtype):
    op = custom(lone_path, kernel, bprop=bprop)
    for n in (1, 15, 16, 17, 513, 100003):
        x, y = numbers(n, dtype), numbers(n, dtype, 1)
        np.testing.assert_array_equal(op(x, y).asnumpy(), x.asnumpy() * y.asnumpy())
        dx, dy = ms.grad(op, (0, 1))(x, y)
        np.testing.assert_array_equal(dx.asnumpy(), y.asnumpy())
        np.testing.assert_array_equal(dy.asnumpy(), x.asnumpy())


def test_naive(mode, lone_path):
    for kernel, dtype in (
        ("naive_half", ms.float16),
        ("naive_float", ms.float32),
        ("naive_bfloat16", ms.bfloat16),
    ):
        op = custom(lone_path, kernel)
        x = Tensor(np.array([[1.0, 2.0], [3.0, 4.0]]), dtype)
        y = Tensor(np.array([[5.0, 6.0], [7.0, 8.0]]), dtype)
        out = op(x, y).float().asnumpy()
        np.testing.assert_array_equal(out, [[5, 12], [21, 32]])


def test_two_kernels_and_two_counts_beside_each_other(mode, lone_path):
    one = custom(lone_path, "mul_float")
    other = Custom(f"{lone_path}:raw_negate", lambda x: x, lambda x: x)
    x = numbers(17, ms.float32)
    np.testing.assert_array_equal(other(one(x, x)).asnumpy(), -(x.asnumpy() ** 2))


def test_bascule_custom_takes_mindspore_tensors(mode, lone_path):
    op = bascule.Custom(
        f"{lone_path}:mul_float", lambda x, y: x, lambda x, y: ms.float32, bprop=bprop
    )
    x = numbers(17, ms.float32)
    np.testing.assert_array_equal(op(x, x).asnumpy(), x.asnumpy() ** 2)


@pytest.mark.parametrize(
    ("kernel", "sentence"),
    [
        ("mul_half", "the kernel takes 'argument 1' for float16, and the tensor"),
        ("writes_nothing", "the kernel ran and wrote nothing to output 1"),
        ("reads_tiling", "argument 5 (workspace, tiling data or another tensor), which was not"),
    ],
)
def test_errors_of_the_kernel_arrive(mode, lone_path, kernel, sentence):
    x = numbers(16, ms.float32)
    with pytest.raises(RuntimeError) as error:
        custom(lone_path, kernel)(x, x).asnumpy()
    assert sentence in str(error.value)


def test_what_is_no_kernel_is_refused(lone_path, compile_library):
    for symbol, sentence in {
        "mul_half_kernel": "has no kernel 'mul_half_kernel'; was 'mul_half' meant?",
        "lone_helper": "'lone_helper' of '",
    }.items():
        with pytest.raises(bascule.OperatorNotFound) as error:
            custom(lone_path, symbol)
        assert sentence in str(error.value)
        assert "The library's kernels: " in str(error.value)
    with pytest.raises(bascule.InvalidArgument, match="out_shape was left out, and"):
        Custom(f"{lone_path}:mul_float")
    with pytest.raises(bascule.InvalidArgument, match="how many inputs it takes cannot be told"):
        Custom(f"{lone_path}:mul_float", (3,), ms.float32)


def test_mindspores_own_custom_cannot_call_it_and_says_so(mode, lone_path):
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.op = ops.Custom(f"{lone_path}:naive_half", lambda x: x, lambda x: x, "aot")

        def construct(self, x):
            return self.op(x)

    with pytest.raises(RuntimeError, match="outside a kernel launch"):
        Net()(numbers(16, ms.float16)).asnumpy()


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (lambda x, y, out, dout: (dout.sum(), dout * x), r"input 'x' has shape \(\)"),
        (lambda x, y, out, dout: (dout * y, None), "input 'y' is None"),
        (lambda x, y, out, dout: (dout * y,), r"1 gradient for 2 inputs \(x, y\)"),
    ],
    ids=["shape", "none", "count"],
)
def test_wrong_gradients(mode, lone_path, wrong, sentence):
    op = custom(lone_path, "mul_float", bprop=wrong)
    x = Tensor(np.ones((3, 5)), ms.float32)
    with pytest.raises(Exception, match=f"mul_float: .*{sentence}"):
        ms.grad(op, (0, 1))(x, x)
