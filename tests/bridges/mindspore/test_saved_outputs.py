# SPDX-License-Identifier: Apache-2.0
"""Outputs that only the gradient gets, and outputs made again for it."""

import mindspore as ms
import numpy as np
import pytest
from mindspore import Tensor, nn

import bascule
from bascule import GradientError
from bascule.mindspore import Custom


@pytest.fixture(params=["pynative", "graph"])
def mode(request):
    ms.set_context(mode=ms.PYNATIVE_MODE if request.param == "pynative" else ms.GRAPH_MODE)
    return request.param


def inputs():
    generator = np.random.default_rng(0)
    x, y = generator.random(7) + 1, generator.standard_normal(7)
    return Tensor(x.astype(np.float32)), Tensor(y.astype(np.float32))


def test_callers_do_not_see_them(mode, saving_path):
    op = Custom(f"{saving_path}:products")
    x, y = inputs()
    out = op(x, y)
    assert isinstance(out, Tensor)
    np.testing.assert_array_equal(out.asnumpy(), (x * y).asnumpy())
    dx, dy = ms.grad(op, grad_position=(0, 1))(x, y)
    np.testing.assert_allclose(dx.asnumpy(), y.asnumpy(), rtol=1e-6)
    np.testing.assert_allclose(dy.asnumpy(), x.asnumpy(), rtol=1e-6)


def test_in_a_cell(mode, saving_path):
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.op = Custom(f"{saving_path}:products")

        def construct(self, x, y):
            return self.op(x, self.op(x, y)).sum()

    x, y = inputs()
    dx, dy = ms.grad(Net(), grad_position=(0, 1))(x, y)
    np.testing.assert_allclose(dx.asnumpy(), (2 * x * y).asnumpy(), rtol=1e-5)
    np.testing.assert_allclose(dy.asnumpy(), (x * x).asnumpy(), rtol=1e-5)


def test_unknown_shapes(saving_path):
    ms.set_context(mode=ms.GRAPH_MODE)
    op = Custom(f"{saving_path}:products")
    op.set_inputs(*(Tensor(shape=[None], dtype=ms.float32) for _ in range(2)))
    x, y = inputs()
    out = op(x, y)
    assert isinstance(out, Tensor)
    np.testing.assert_array_equal(out.asnumpy(), (x * y).asnumpy())


def test_own_gradient(mode, saving_path):
    def with_saved(x, y, product, square, dproduct):
        return dproduct * square, dproduct * x

    def without(x, y, product, dproduct):
        return dproduct * y * 2, dproduct * x

    x, y = inputs()
    for bprop, expected in ((with_saved, x * x), (without, 2 * y)):
        op = Custom(f"{saving_path}:products", bprop=bprop)
        np.testing.assert_allclose(ms.grad(op)(x, y).asnumpy(), expected.asnumpy(), rtol=1e-6)


def test_second_order_is_an_error(mode, saving_path):
    op = Custom(f"{saving_path}:products")
    x, y = inputs()

    def first(x, y):
        return ms.grad(op, grad_position=1)(x, y).sum()

    with pytest.raises(GradientError, match="second derivative is not to be had"):
        ms.grad(first)(x, y).asnumpy()


def test_outputs_are_made_again_in_graphs(mode, saving_path):
    op = Custom(f"{saving_path}:products", recompute=True)
    x, y = inputs()
    before = op.stats().forward
    dx, dy = ms.grad(op, grad_position=(0, 1))(x, y)
    np.testing.assert_allclose(dy.asnumpy(), x.asnumpy(), rtol=1e-6)
    # In a graph the first run's result is used by nobody, so that only the second is there.
    value, (dx, dy) = ms.value_and_grad(op, grad_position=(0, 1))(x, y)
    np.testing.assert_allclose(dx.asnumpy(), y.asnumpy(), rtol=1e-6)
    np.testing.assert_allclose(value.asnumpy(), (x * y).asnumpy(), rtol=1e-6)
    assert op.stats().forward - before == (2 if mode == "pynative" else 3)


def test_of_bascule(saving_path):
    x, y = inputs()
    out = bascule.load(saving_path).products(x, y)
    np.testing.assert_array_equal(out.asnumpy(), (x * y).asnumpy())
