# SPDX-License-Identifier: Apache-2.0
"""MindSpore's own ops.Custom on a built library: attributes, several outputs, both from C++."""

import mindspore as ms
import numpy as np
import pytest
from mindspore import Tensor, nn, ops
from mindspore.ops import CustomRegOp, DataType

X = Tensor(np.arange(12, dtype=np.float32).reshape(3, 4))
Y = Tensor(np.full((3, 4), 2, np.float32))
PRODUCT = 2 * X.asnumpy()
SQUARE = X.asnumpy() ** 2


class Products(nn.Cell):
    """Two outputs, x * y and x * x, and the attributes `tile` and `swap`."""

    def __init__(self, path, **attributes):
        super().__init__()
        f32 = DataType.F32_Default
        register = CustomRegOp("products").input(0, "x").input(1, "y")
        register = register.output(0, "product").output(1, "square")
        for name, (kind, value) in attributes.items():
            register = register.attr(name, "optional", kind, value=value)
        reg_info = register.dtype_format(f32, f32, f32, f32).target("CPU").get_op_info()
        self.op = ops.Custom(f"{path}:products", None, None, "aot", reg_info=reg_info)

    def construct(self, x, y):
        return self.op(x, y)


def check(cell, product, square):
    out = cell(X, Y)
    np.testing.assert_array_equal(out[0].asnumpy(), product)
    np.testing.assert_array_equal(out[1].asnumpy(), square)


def test_the_library_infers_several_outputs(mode, products_path):
    check(Products(products_path), PRODUCT, SQUARE)


def test_attributes_arrive(mode, products_path):
    check(Products(products_path, swap=("bool", True)), SQUARE, PRODUCT)
    check(Products(products_path, swap=("bool", False), tile=("int", 64)), PRODUCT, SQUARE)


def test_unknown_dimensions(products_path):
    ms.set_context(mode=ms.GRAPH_MODE)
    cell = Products(products_path)
    cell.set_inputs(*(Tensor(shape=[None, 4], dtype=ms.float32) for _ in range(2)))
    check(cell, PRODUCT, SQUARE)


@pytest.mark.parametrize(
    ("attribute", "sentence"),
    [
        (("int", 1.5), "products: the attribute 'tile' has to be of type int; MindSpore says: "),
        (("int", -1), "products: its tiling refuses "),
    ],
)
def test_values_that_are_refused(mode, products_path, attribute, sentence):
    with pytest.raises(RuntimeError) as error:
        [out.asnumpy() for out in Products(products_path, tile=attribute)(X, Y)]
    assert sentence in str(error.value)


def test_one_output_with_an_attribute(mode, built):
    path = built("operators/leaky_relu")

    class LeakyRelu(nn.Cell):
        def __init__(self):
            super().__init__()
            f32 = DataType.F32_Default
            register = CustomRegOp("leaky_relu").input(0, "x").output(0, "out")
            register = register.attr("negative_slope", "optional", "float", value=0.5)
            reg_info = register.dtype_format(f32, f32).target("CPU").get_op_info()
            self.op = ops.Custom(f"{path}:leaky_relu", None, None, "aot", None, reg_info)

        def construct(self, x):
            return self.op(x)

    x = np.arange(-6, 6, dtype=np.float32)
    np.testing.assert_array_equal(LeakyRelu()(Tensor(x)).asnumpy(), np.where(x < 0, x / 2, x))
