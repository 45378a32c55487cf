# SPDX-License-Identifier: Apache-2.0
"""bascule.Custom of Python functions and of functions in plain C++; bascule.vjp."""

import numpy as np
import pytest

import bascule


def same(x, y):
    return x


def hypot(x, y):
    return np.sqrt(x * x + y * y)


def hypot_bprop(x, y, out, dout):
    return dout * x / out, dout * y / out


X = np.array([[3, 5], [8, 7]], np.float32)
Y = np.array([[4, 12], [15, 24]], np.float32)
H = np.array([[5, 13], [17, 25]], np.float32)


def custom(function=hypot, **given):
    given = {"out_shape": same, "out_dtype": same, "bprop": hypot_bprop, **given}
    return bascule.Custom(function, func_type="pyfunc", **given)


def test_arrays():
    op = custom()
    np.testing.assert_array_equal(op(X, Y), H)
    np.testing.assert_array_equal(op(X.T, Y.T), H.T)


def test_out():
    out = np.empty_like(X)
    op = custom()
    assert op.operator(X, Y, out=out) is out
    np.testing.assert_array_equal(out, H)
    with pytest.raises(bascule.InvalidArgument, match=r"hypot: out is \(3,\) float32; expected"):
        op.operator(X, Y, out=np.empty(3, np.float32))


def test_two_results():
    def both(x, y):
        return x + y, x - y

    op = custom(both, out_shape=lambda x, y: (x, y), out_dtype=lambda x, y: (x, y), bprop=None)
    total, difference = op(X, Y)
    np.testing.assert_array_equal(total, X + Y)
    np.testing.assert_array_equal(difference, X - Y)


def test_a_result_is_memory_of_its_own():
    result = custom(lambda x, y: x, bprop=None)(X, Y)
    assert not np.shares_memory(result, X)


@pytest.mark.parametrize(
    ("function", "sentence"),
    [
        (
            lambda x, y: x[0],
            r"pyfunc: the function returned an array \(2,\) float32; expected \(2,",
        ),
        (lambda x, y: x.astype(np.float64), r"returned an array .* float64; expected"),
        (lambda x, y: None, "the function returned a NoneType; expected a NumPy array"),
        (lambda x, y: (x, y), "the function returned a tuple; expected a NumPy array"),
    ],
)
def test_results_that_do_not_fit(function, sentence):
    with pytest.raises(bascule.InvalidArgument, match=sentence):
        custom(function, bprop=None)(X, Y)


def test_what_a_function_needs():
    with pytest.raises(bascule.InvalidArgument, match="hypot: out_shape was left out"):
        bascule.Custom(hypot, func_type="pyfunc")
    with pytest.raises(bascule.InvalidArgument, match="func is a str; with func_type 'pyfunc'"):
        custom("hypot")
    with pytest.raises(bascule.InvalidArgument, match="how many inputs it takes cannot be told"):
        custom(lambda *arrays: arrays[0], out_shape=(2, 2), out_dtype="float32")
    with pytest.raises(bascule.InvalidArgument, match=r"hypot: 2 inputs expected \(x, y\), 1 came"):
        custom()(X)
    with pytest.raises(bascule.InvalidArgument, match="input 'y' is a list, not an array"):
        custom()(X, [1, 2])


def test_parameters_with_defaults_are_no_inputs():
    def scaled(x, factor=2):
        return factor * x

    op = custom(scaled, out_shape=lambda x: x, out_dtype=lambda x: x, bprop=None)
    np.testing.assert_array_equal(op(X), 2 * X)


def test_an_exception_is_the_users():
    def broken(x, y):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        custom(broken, bprop=None)(X, Y)


@pytest.mark.parametrize("func", ["product", "add_sub"])
def test_functions_in_plain_cpp(plain, func):
    several = func == "add_sub"
    op = bascule.Custom(
        f"{plain}:{func}",
        out_shape=lambda x, y: (x, y) if several else x,
        out_dtype=lambda x, y: (x, y) if several else x,
    )
    result = op(X, Y)
    if several:
        np.testing.assert_array_equal(result[0], X + Y)
        np.testing.assert_array_equal(result[1], X - Y)
    else:
        np.testing.assert_array_equal(result, X * Y)
        np.testing.assert_array_equal(op(X[:, ::-1], Y[::-1]), X[:, ::-1] * Y[::-1])


FAILING = """
#include <cstdint>
#include <stdexcept>
extern "C" int returns(int, void**, int*, int64_t**, const char**, void*, void*) { return 7; }
extern "C" int throws(int, void**, int*, int64_t**, const char**, void*, void*) {
  throw std::runtime_error("no such axis");
}
extern "C" int throws_five(int, void**, int*, int64_t**, const char**, void*, void*) { throw 5; }
"""


def test_what_functions_in_plain_cpp_answer(compile_library):
    path = compile_library("failing", FAILING)
    for func, sentence in (
        ("returns", "returns: the function returned 7 for 2 inputs and 1 output; 0 means success"),
        ("throws", "throws: the function threw: no such axis"),
        ("throws_five", "throws_five: the function threw what is no std::exception"),
    ):
        with pytest.raises(bascule.KernelError, match=sentence):
            bascule.Custom(f"{path}:{func}", same, same)(X, Y)
    with pytest.raises(bascule.NotFound, match="has no function 'return'; was 'returns' meant"):
        bascule.Custom(f"{path}:return", same, same)
    with pytest.raises(bascule.InvalidArgument, match="out_shape was left out"):
        bascule.Custom(f"{path}:returns")


def test_a_function_that_was_rebuilt(compile_library, plain_text, tmp_path):
    for factor in ("1", "2"):
        compile_library("again", plain_text.replace("FACTOR", factor), tmp_path)
        op = bascule.Custom(f"{tmp_path}/libagain.so:product", same, same)
        np.testing.assert_array_equal(op(X, Y), float(factor) * X * Y)


def test_vjp_of_a_function():
    out, pullback = bascule.vjp(custom(), X, Y)
    np.testing.assert_array_equal(out, H)
    dx, dy = pullback(np.ones_like(out))
    np.testing.assert_array_equal(dx, X / H)
    np.testing.assert_array_equal(dy, Y / H)


def test_vjp_of_a_library(my_mul_path):
    out, pullback = bascule.vjp(bascule.load(my_mul_path).my_mul, X, Y)
    np.testing.assert_array_equal(out, X * Y)
    for scale in (1, 2):
        dx, dy = pullback(np.full_like(out, scale))
        np.testing.assert_array_equal(dx, scale * Y)
        np.testing.assert_array_equal(dy, scale * X)
    dx, dy = pullback(None)
    assert not dx.any()
    assert not dy.any()


def test_vjp_of_a_described_function(plain):
    op = bascule.Custom(
        f"{plain}:product", same, same, bprop=lambda x, y, out, dout: (dout * y, dout * x)
    )
    out, pullback = bascule.vjp(op, X, Y)
    dx, dy = pullback(out)
    np.testing.assert_array_equal(dx, out * Y)
    np.testing.assert_array_equal(dy, out * X)


def test_vjp_refuses(my_mul_path):
    op = bascule.load(my_mul_path).my_mul
    out, pullback = bascule.vjp(op, X, Y)
    with pytest.raises(bascule.GradientError, match=r"1 gradient of outputs expected \(out\), 2"):
        pullback(out, out)
    with pytest.raises(bascule.GradientError, match=r"gradient of output 'out' is .* float64"):
        pullback(out.astype(np.float64))
    with pytest.raises(bascule.GradientError, match="hypot has no gradient: Custom was given no"):
        bascule.vjp(custom(bprop=None), X, Y)
    with pytest.raises(bascule.InvalidArgument, match="vjp: the operator is a function"):
        bascule.vjp(hypot, X, Y)
    with pytest.raises(bascule.GradientError, match="the gradient of input 'y' is None"):
        bascule.vjp(custom(bprop=lambda x, y, out, dout: (dout, None)), X, Y)[1](out)
