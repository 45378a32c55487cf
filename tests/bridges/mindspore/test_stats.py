# SPDX-License-Identifier: Apache-2.0
"""stats() counts in both modes; in GRAPH no Python runs."""

from pathlib import Path

import mindspore as ms
import pytest
from mindspore import Tensor, ops

import bascule
from bascule.mindspore import Custom


def bprop(x, y, out, dout):
    return dout * y, dout * x


def same(x, y):
    return x


@pytest.fixture(params=["library", "function"])
def op(request, my_mul, tmp_path):
    if request.param == "function":
        return Custom(lambda x, y: x * y, same, same, "pyfunc", bprop=bprop)
    fresh = tmp_path / "libmy_mul.so"
    fresh.write_bytes(Path(my_mul).read_bytes() + tmp_path.name.encode())
    return Custom(f"{fresh}:my_mul")


def test_counts(mode, op):
    def value(x, y):
        return op(x, y)

    x = Tensor([1.0, 2.0], ms.float32)
    step = ms.value_and_grad(value, grad_position=(0, 1))
    for _ in range(3):
        step(x, x + 1)
    op(x, x)
    stats = op.stats()
    assert (stats.forward, stats.backward, stats.why_no_backward) == (4, 3, None)


def test_two_calls_in_one_graph_count_twice(mode, op):
    x = Tensor([1.0, 2.0], ms.float32)

    def twice(a):
        return ops.sin(op(op(a, a), a))

    gradient = ms.grad(twice)(x)
    assert gradient.shape == (2,)
    assert op.stats().backward == 2


def test_why_not(mode, op):
    x = Tensor([1.0, 2.0], ms.float32)
    assert op.stats().why_no_backward == "It was not called."
    op(x, x)
    assert op.stats().why_no_backward.startswith("MindSpore does not say whether a gradient was")


def test_second_order_goes_through_the_counting(op):
    ms.set_context(mode=ms.PYNATIVE_MODE)
    x = Tensor([1.0, 2.0], ms.float32)
    second = ms.grad(ms.grad(lambda a: op(a, a).sum()))(x)
    assert second.asnumpy().tolist() == [2.0, 2.0]


def test_a_plain_library_does_not_count(plain):
    op = Custom(f"{plain}:product", same, same)
    with pytest.raises(bascule.Unsupported, match="product: MindSpore calls its library directly"):
        op.stats()
