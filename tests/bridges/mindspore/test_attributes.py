# SPDX-License-Identifier: Apache-2.0
"""Attributes and optional inputs, and gradients with them."""

import mindspore as ms
import numpy as np
import pytest
from mindspore import Tensor, nn

import bascule
from bascule import InvalidArgument, Unsupported
from bascule.mindspore import Custom


def numbers(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def test_an_attribute_belongs_to_the_object(mode, built):
    path = str(built("operators/axpy"))
    x, y = numbers(5), numbers(5, seed=1)

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.half = Custom(path, attributes={"alpha": 0.5})
            self.twice = Custom(path, attributes={"alpha": 2})

        def construct(self, x, y):
            return self.half(x, self.twice(x, y))

    net = Net()
    np.testing.assert_allclose(net(Tensor(x), Tensor(y)).asnumpy(), 2.5 * x + y, rtol=1e-6)
    dx, dy = ms.grad(net, (0, 1))(Tensor(x), Tensor(y))
    np.testing.assert_allclose(dx.asnumpy(), np.full(5, 2.5), rtol=1e-6)
    np.testing.assert_allclose(dy.asnumpy(), np.ones(5), rtol=1e-6)


def test_attributes_of_a_call(mode, built):
    axpy = bascule.load(built("operators/axpy")).axpy
    x, y = Tensor(numbers(5)), Tensor(numbers(5, seed=1))
    for alpha in (0.5, 2.0, 0.5):
        np.testing.assert_allclose(
            axpy(x, y, alpha=alpha).asnumpy(), alpha * x.asnumpy() + y.asnumpy(), rtol=1e-6
        )


def test_several_outputs_and_unknown_shapes(products_path):
    ms.set_context(mode=ms.GRAPH_MODE)

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.op = Custom(str(products_path), attributes={"swap": True})

        def construct(self, x, y):
            return self.op(x, y)

    net = Net()
    net.set_inputs(*(Tensor(shape=[None], dtype=ms.float32) for _ in range(2)))
    for n in (3, 7):
        x, y = numbers(n), numbers(n, seed=1)
        square, product = net(Tensor(x), Tensor(y))
        np.testing.assert_allclose(square.asnumpy(), x * x, rtol=1e-6)
        np.testing.assert_allclose(product.asnumpy(), x * y, rtol=1e-6)


def test_what_is_no_attribute(built, my_mul):
    path = str(built("operators/axpy"))
    with pytest.raises(InvalidArgument, match=r"axpy has no attribute 'beta'\. It has: alpha"):
        Custom(path, attributes={"beta": 1})
    with pytest.raises(InvalidArgument, match="attribute 'alpha' takes float, 'x' came"):
        Custom(path, attributes={"alpha": "x"})
    with pytest.raises(Unsupported, match="func_type is 'pyfunc'"):
        Custom(lambda x: x, lambda x: x, lambda x: x, "pyfunc", attributes={"alpha": 1})
    x = Tensor(numbers(3))
    with pytest.raises(InvalidArgument, match="came by name"):
        Custom(path)(x, x, alpha=1.0)


@pytest.fixture(scope="module")
def matmul(built):
    return str(built("operators/matmul"))


def test_an_optional_input(mode, matmul):
    op = Custom(matmul)
    a, b, bias = numbers(3, 4), numbers(4, 5, seed=1), numbers(5, seed=2)
    tensors = Tensor(a), Tensor(b), Tensor(bias)
    np.testing.assert_allclose(op(*tensors).asnumpy(), a @ b + bias, rtol=1e-4, atol=1e-5)
    for left_out in (tensors[:2], (*tensors[:2], None)):
        np.testing.assert_allclose(op(*left_out).asnumpy(), a @ b, rtol=1e-4, atol=1e-5)
    with pytest.raises(InvalidArgument, match="input 'b' is a NoneType; expected a Tensor"):
        op(tensors[0], None, tensors[2])


def test_unknown_shapes_without_an_optional_input(matmul):
    ms.set_context(mode=ms.GRAPH_MODE)

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.op = Custom(matmul)

        def construct(self, a, b):
            return self.op(a, b)

    net = Net()
    net.set_inputs(*(Tensor(shape=[None, None], dtype=ms.float32) for _ in range(2)))
    for m, k, n in ((3, 4, 5), (1, 7, 2)):
        a, b = numbers(m, k), numbers(k, n, seed=1)
        np.testing.assert_allclose(net(Tensor(a), Tensor(b)).asnumpy(), a @ b, rtol=1e-4, atol=1e-5)


def test_gradients_with_and_without(mode, matmul):
    class Net(nn.Cell):
        def __init__(self, with_bias, **attributes):
            super().__init__()
            self.op = Custom(matmul, attributes=attributes)
            self.with_bias = with_bias

        def construct(self, a, b, bias):
            if self.with_bias:
                return self.op(a, b, bias).sum()
            return self.op(a, b).sum() + self.op(a, b, None).sum()

    a, b, bias = numbers(3, 4), numbers(4, 5, seed=1), numbers(5, seed=2)
    da, db, dbias = ms.grad(Net(True), (0, 1, 2))(Tensor(a), Tensor(b), Tensor(bias))
    ones = np.ones((3, 5), np.float32)
    np.testing.assert_allclose(da.asnumpy(), ones @ b.T, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(db.asnumpy(), a.T @ ones, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(dbias.asnumpy(), np.full(5, 3), rtol=1e-5)
    da, db = ms.grad(Net(False), (0, 1))(Tensor(a), Tensor(b), Tensor(bias))
    np.testing.assert_allclose(da.asnumpy(), 2 * ones @ b.T, rtol=1e-4, atol=1e-5)
    da = ms.grad(Net(True, transpose_b=True))(Tensor(a), Tensor(b.T.copy()), Tensor(bias))
    np.testing.assert_allclose(da.asnumpy(), ones @ b.T, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("left_out", [(), (None,)], ids=["fewer", "None"])
def test_the_object_itself_without_an_optional_input(mode, matmul, left_out):
    a, b = numbers(3, 4), numbers(4, 5, seed=1)
    da, db = ms.grad(Custom(matmul), (0, 1))(Tensor(a), Tensor(b), *left_out)
    ones = np.ones((3, 5), np.float32)
    np.testing.assert_allclose(da.asnumpy(), ones @ b.T, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(db.asnumpy(), a.T @ ones, rtol=1e-4, atol=1e-5)
