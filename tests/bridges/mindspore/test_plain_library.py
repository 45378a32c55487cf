# SPDX-License-Identifier: Apache-2.0
"""Libraries without manifest, as MindSpore's documentation describes them; how files are found."""

import mindspore as ms
import numpy as np
import pytest
from mindspore import Tensor
from mindspore.ops import CustomRegOp, DataType

from bascule.errors import BadLibrary, InvalidArgument, NotFound, OperatorNotFound, Unsupported
from bascule.mindspore import Custom
from bascule.search import LibraryNotFound

X = Tensor(np.arange(15, dtype=np.float32).reshape(3, 5))
Y = Tensor(np.full((3, 5), 2, np.float32))


def product_bprop(x, y, out, dout):
    return dout * y, dout * x


@pytest.mark.parametrize(
    ("out_shape", "out_dtype"),
    [
        (lambda x, y: x.shape, lambda x, y: x.dtype),  # as the tutorial writes
        (lambda x, y: x, lambda x, y: x),  # as MindSpore passes them
        (lambda x, y: [x[0], y[1]], lambda x, y: y if x == ms.float32 else x),
        (lambda x, y: tuple(x) if x.ndim == 2 and x.size == 15 else 0, lambda x, y: ms.float32),
        ((3, 5), ms.float32),
        ([3, 5], ms.float32),
    ],
)
def test_forms_of_out_shape_and_out_dtype(mode, plain, out_shape, out_dtype):
    op = Custom(f"{plain}:product", out_shape, out_dtype, "aot", product_bprop)
    out = op(X, Y)
    assert (out.shape, out.dtype) == (X.shape, X.dtype)
    np.testing.assert_array_equal(out.asnumpy(), X.asnumpy() * 2)
    dx, dy = ms.grad(op, (0, 1))(X, Y)
    np.testing.assert_array_equal(dx.asnumpy(), Y.asnumpy())
    np.testing.assert_array_equal(dy.asnumpy(), X.asnumpy())


@pytest.mark.parametrize(
    "bprop",
    [
        lambda x, y, out, dout: (dout[0] + dout[1], dout[0] - dout[1]),
        lambda x, y, s, d, ds, dd: (ds + dd, ds - dd),
    ],
    ids=["tuples", "flat"],
)
def test_several_outputs(mode, plain, bprop):
    op = Custom(f"{plain}:add_sub", lambda x, y: (x, y), lambda x, y: (x, y), bprop=bprop)
    total, difference = op(X, Y)
    np.testing.assert_array_equal(total.asnumpy(), X.asnumpy() + 2)
    np.testing.assert_array_equal(difference.asnumpy(), X.asnumpy() - 2)

    def weighed(x, y):
        total, difference = op(x, y)
        return 2 * total + 3 * difference

    dx, dy = ms.grad(weighed, (0, 1))(X, Y)
    np.testing.assert_array_equal(dx.asnumpy(), np.full((3, 5), 5))
    np.testing.assert_array_equal(dy.asnumpy(), np.full((3, 5), -1))


def test_reg_info_lets_the_library_infer(mode, plain):
    f32 = DataType.F32_Default
    register = CustomRegOp("product").input(0, "x").input(1, "y").output(0, "out")
    reg_info = register.dtype_format(f32, f32, f32).target("CPU").get_op_info()
    op = Custom(f"{plain}:product", bprop=product_bprop, reg_info=reg_info)
    np.testing.assert_array_equal(op(X, Y).asnumpy(), X.asnumpy() * 2)
    np.testing.assert_array_equal(ms.grad(op)(X, Y).asnumpy(), Y.asnumpy())
    with pytest.raises(InvalidArgument, match=r"^product: 2 inputs expected \(x, y\), 1 came"):
        op(X)
    if mode == "GRAPH":
        op.set_inputs(*(Tensor(shape=[None, 5], dtype=ms.float32) for _ in range(2)))
        np.testing.assert_array_equal(op(X, Y).asnumpy(), X.asnumpy() * 2)


@pytest.mark.parametrize(
    ("out_shape", "out_dtype", "sentence"),
    [
        (None, None, "product: out_shape was left out, and {path} has no manifest to tell."),
        ((3, 5), None, "product: out_dtype was left out, and {path} has no manifest to tell."),
        ("a", ms.float32, "product: out_shape: 'a' is no shape."),
        (lambda x, y: x.dtype, ms.float32, "product: out_shape: mindspore.float32 is no shape."),
        ((3, 5), "float32", "product: out_dtype: 'float32' is no dtype."),
        (
            lambda x, y: (x, y),
            lambda x, y: x,
            "product: out_dtype describes 1 output; expected 2.",
        ),
    ],
)
def test_what_does_not_describe_outputs(mode, plain, out_shape, out_dtype, sentence):
    with pytest.raises(InvalidArgument) as error:
        Custom(f"{plain}:product", out_shape, out_dtype)(X, Y)
    assert str(error.value).splitlines()[0] == sentence.format(path=plain)


def test_symbols(plain):
    def custom(symbol):
        return Custom(f"{plain}:{symbol}", lambda x, y: x, lambda x, y: x)

    with pytest.raises(NotFound) as error:
        custom("quotient")
    assert str(error.value) == f"{plain} has no function 'quotient', and no manifest."
    with pytest.raises(NotFound) as error:
        custom("product_kernel")
    assert str(error.value) == (
        f"{plain} has no function 'product_kernel', and no manifest. It has 'product'; was that "
        "meant?"
    )


def test_library_that_does_not_load(compile_library):
    text = 'extern "C" void nowhere(); extern "C" int f() { nowhere(); return 0; }'
    path = compile_library("lacking", text)
    with pytest.raises(BadLibrary) as error:
        Custom(f"{path}:f", (1,), ms.float32)
    assert str(error.value) == (f"{path} cannot be loaded: {path}: undefined symbol: nowhere")


def test_rebuilt_library_is_new_code(mode, compile_library, plain_text, tmp_path):
    """The loader would give MindSpore the old code for the same path."""

    def build(factor):
        text = plain_text.replace("FACTOR", str(factor))
        path = compile_library(f"new{factor}", text, tmp_path)
        return path.replace(tmp_path / "libproduct.so")

    for factor in (1, 5, 9, 5):
        op = Custom(str(build(factor)), lambda x, y: x, lambda x, y: x)
        np.testing.assert_array_equal(op(X, Y).asnumpy(), factor * 2 * X.asnumpy())


def test_operators_of_a_manifest(my_mul):
    with pytest.raises(OperatorNotFound) as error:
        Custom(f"{my_mul}:my_add")
    assert str(error.value) == f"{my_mul} has no operator 'my_add'. It has: my_mul."
    np.testing.assert_array_equal(Custom(my_mul)(X, Y).asnumpy(), 2 * X.asnumpy())


def test_path_that_is_no_library(tmp_path):
    (tmp_path / "libtext.so").write_text("text")
    with pytest.raises(BadLibrary, match=r"libtext\.so is not an ELF file"):
        Custom("./libtext.so:my_mul")
    with pytest.raises(LibraryNotFound, match=r"no operator library called 'my_mul' was found"):
        Custom("my_mul")


@pytest.mark.parametrize(
    ("arguments", "error", "sentence"),
    [
        (
            {"func": len},
            InvalidArgument,
            "Custom: func is a builtin_function_or_method; with func_type 'aot' it is a text such "
            "as 'my_mul' or './libmy_mul.so:my_mul'.",
        ),
        (
            {"func": "my_mul", "func_type": "hybrid"},
            Unsupported,
            "Custom: func_type is 'hybrid'; expected 'aot' or 'pyfunc'. The other kinds of "
            "MindSpore's Custom compile for its own devices: use mindspore.ops.Custom.",
        ),
        (
            {"func": "my_mul", "func_type": "pyfunc"},
            InvalidArgument,
            "Custom: func is a str; with func_type 'pyfunc' it is a function.",
        ),
    ],
)
def test_arguments(arguments, error, sentence):
    with pytest.raises(error) as raised:
        Custom(**arguments)
    assert str(raised.value) == sentence
