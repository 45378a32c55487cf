# SPDX-License-Identifier: Apache-2.0
"""Operators on NumPy arrays: values, layouts, what is refused."""

import threading

import numpy as np
import pytest

import bascule

LENGTHS = (0, 1, 7, 15, 16, 17, 31, 32, 33, 513, 4096, 100003)
DTYPES = ("float16", "float32")
LAYOUTS = {
    "contiguous": lambda base: base[: len(base) // 2],
    "strided": lambda base: base[::2],
    "reversed": lambda base: base[: len(base) // 2][::-1],
    "offset": lambda base: base[len(base) - len(base) // 2 :],
}


@pytest.fixture(scope="module")
def my_mul(my_mul_path):
    return bascule.load(my_mul_path).my_mul


def numbers(length, dtype, seed):
    """Twice `length` numbers, so that every layout has `length` of them."""
    return (np.random.default_rng(seed).standard_normal(2 * length) * 8).astype(dtype)


def rounded_product(x, y):
    """x * y in float64, rounded once."""
    with np.errstate(over="ignore"):
        return (x.astype(np.float64) * y.astype(np.float64)).astype(x.dtype)


def same_bits(a, b):
    assert a.dtype == b.dtype
    np.testing.assert_array_equal(a.view(f"u{a.itemsize}"), b.view(f"u{b.itemsize}"))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("length", LENGTHS)
@pytest.mark.parametrize("dtype", DTYPES)
def test_product(my_mul, dtype, length, layout):
    x = LAYOUTS[layout](numbers(length, dtype, 1))
    y = numbers(length, dtype, 2)[:length]
    out = my_mul(x, y)
    assert type(out) is np.ndarray
    assert out.shape == (length,)
    same_bits(out, rounded_product(x, y))


@pytest.mark.parametrize("shape", [(), (1,), (3, 5), (2, 1, 7), (0, 4), (4, 0)])
def test_shapes(my_mul, shape):
    x = np.asarray(np.random.default_rng(0).standard_normal(shape), dtype=np.float32)
    same_bits(my_mul(x, x), np.asarray(x * x))


def test_special_values(my_mul):
    values = np.array([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, 1e-45, 3e38], dtype=np.float32)
    x, y = (np.ascontiguousarray(v.ravel()) for v in np.meshgrid(values, values))
    with np.errstate(all="ignore"):
        expected = x * y
    out = my_mul(x, y)
    np.testing.assert_array_equal(np.isnan(out), np.isnan(expected))
    number = ~np.isnan(expected)
    same_bits(out[number], expected[number])


def test_broadcast_view(my_mul):
    x = np.broadcast_to(np.float32(3), (4, 5))
    y = np.arange(20, dtype=np.float32).reshape(4, 5)
    same_bits(my_mul(x, y), 3 * y)


def test_transposed(my_mul):
    x = np.arange(12, dtype=np.float32).reshape(3, 4).T
    out = my_mul(x, x)
    assert out.flags.c_contiguous
    same_bits(out, np.ascontiguousarray(x * x))


def test_read_only_input(my_mul):
    x = np.arange(4, dtype=np.float32)
    x.flags.writeable = False
    copies = my_mul.stats().packed_inputs
    same_bits(my_mul(x, x), x * x)
    assert my_mul.stats().packed_inputs == copies


def test_out(my_mul):
    x = np.arange(5, dtype=np.float32)
    out = np.full(5, 9, dtype=np.float32)
    assert my_mul(x, x, out=out) is out
    same_bits(out, x * x)


def test_strided_out_leaves_its_gaps(my_mul):
    x = np.arange(5, dtype=np.float32)
    memory = np.full(10, 9, dtype=np.float32)
    my_mul(x, x, out=memory[::2])
    same_bits(memory[::2], x * x)
    assert (memory[1::2] == 9).all()


def test_two_outputs_and_attributes(products_path):
    products = bascule.load(products_path).products
    x, y = (numbers(100, "float32", seed) for seed in (3, 4))
    product, square = products(x, y)
    same_bits(product, x * y)
    same_bits(square, x * x)
    square, product = products(x, y, swap=True, tile=16)
    same_bits(product, x * y)
    same_bits(square, x * x)
    outs = np.empty_like(x), np.empty_like(x)
    assert products(x, y, out=outs, swap=True) is outs
    same_bits(outs[0], x * x)


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (
            lambda x: [1.0, 2.0],
            "my_mul: input 'x' is a list; a NumPy array or a tensor with __dlpack__ was expected.",
        ),
        (
            lambda x: x.astype(">f4"),
            "my_mul: input 'x' is in the other byte order. Pass "
            "x.astype(x.dtype.newbyteorder('=')).",
        ),
        (
            lambda x: x.astype("complex64"),
            "my_mul: input 'x' has the NumPy dtype complex64, which no operator takes.",
        ),
        (
            lambda x: np.zeros(3, dtype="f4,f4")["f0"].view("V4"),
            "my_mul: input 'x' has the NumPy dtype |V4, which no operator takes.",
        ),
        (
            lambda x: np.frombuffer(b"\0" * 13, dtype=np.uint8)[1:].view("f4"),
            "my_mul: input 'x' is not aligned to its element type. Pass x.copy().",
        ),
        (
            lambda x: np.zeros(3, dtype=[("a", "f4"), ("b", "u1")])["a"],
            "my_mul: input 'x' is not aligned to its element type. Pass x.copy().",
        ),
        (
            lambda x: x.astype("float64"),
            "my_mul was called with x float64, y float32. It supports: float16, float16; float32, "
            "float32; bfloat16, bfloat16; int32, int32.",
        ),
    ],
    ids=["list", "big-endian", "complex", "void", "unaligned", "packed", "float64"],
)
def test_refused_inputs(my_mul, make, sentence):
    x = np.ones(3, dtype=np.float32)
    with pytest.raises(bascule.InvalidArgument) as error:
        my_mul(make(x), x)
    assert str(error.value) == sentence


def test_bfloat16(my_mul):
    ml_dtypes = pytest.importorskip("ml_dtypes")
    x = np.arange(40, dtype=np.float32).astype(ml_dtypes.bfloat16)
    out = my_mul(x, x)
    assert out.dtype == x.dtype
    np.testing.assert_array_equal(out, x * x)
    with pytest.raises(bascule.InvalidArgument) as error:
        my_mul(x, x.astype(np.float32))
    assert str(error.value).startswith("my_mul was called with x bfloat16, y float32. It supports:")


def test_wrong_count(my_mul):
    x = np.ones(3, dtype=np.float32)
    for inputs, count in (((x,), 1), ((x, x, x), 3)):
        with pytest.raises(bascule.InvalidArgument) as error:
            my_mul(*inputs)
        assert str(error.value) == f"my_mul: 2 inputs expected (x, y), {count} came."


def test_wrong_outputs(my_mul):
    x = np.ones((2, 3), dtype=np.float32)
    frozen = np.empty((2, 3), dtype=np.float32)
    frozen.flags.writeable = False
    for out, sentence in (
        (frozen, "my_mul: output 'out' is read-only and would be written."),
        ((x, x), "my_mul: 1 output expected (out), 2 came."),
    ):
        with pytest.raises(bascule.InvalidArgument) as error:
            my_mul(x, x, out=out)
        assert str(error.value) == sentence
    for out in (np.empty((3, 2), np.float32), np.empty((2, 3), np.float16), x):
        with pytest.raises(bascule.InvalidArgument, match="my_mul: output 'out'"):
            my_mul(x, x, out=out)


def test_wrong_shapes_name_both(my_mul):
    with pytest.raises(bascule.InvalidArgument) as error:
        my_mul(np.ones((3, 5), np.float32), np.ones((3, 4), np.float32))
    assert "x (3, 5), y (3, 4)" in str(error.value)


def test_eight_threads(my_mul):
    """Every thread gets its own answers while the others launch."""
    wrong = []

    def work(seed):
        for length in (1, 17, 4096, 50001):
            x, y = (numbers(length, "float32", seed + i) for i in (0, 100))
            for _ in range(20):
                if not np.array_equal(my_mul(x, y), x * y):
                    wrong.append((seed, length))

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("length", [1, 15, 511, 512, 513, 100003])
def test_tiling_classes_and_keys(clip_path, dtype, length):
    x = (np.arange(length) % 41 / 8 - 2.5).astype(dtype)
    clip = bascule.load(clip_path).clip
    np.testing.assert_array_equal(clip(x), np.clip(x, -1, 1))
    np.testing.assert_array_equal(clip(x, low=-0.5, high=2.0), np.clip(x, -0.5, 2.0))


def test_saved_outputs_are_hidden(saving_path):
    lib = bascule.load(saving_path)
    op = lib.products
    x = np.float32([1, 2, 3])
    y = np.float32([4, 5, 6])
    assert op.outputs == ("product",) and op.saved == ("square",)
    np.testing.assert_array_equal(op(x, y), x * y)
    out = np.empty_like(x)
    assert op(x, y, out=out) is out
    np.testing.assert_array_equal(out, x * y)
    square = np.empty_like(x)
    op(x, y, out=(out, square))  # who brings memory for it may have it
    np.testing.assert_array_equal(square, x * x)
    out, pullback = bascule.vjp(op, x, y)
    np.testing.assert_array_equal(out, x * y)
    dx, dy = pullback(np.ones_like(out))
    np.testing.assert_array_equal(dx, y)
    np.testing.assert_array_equal(dy, x)
    with pytest.raises(
        bascule.GradientError, match=r"1 gradient of outputs expected \(product\), 2 came"
    ):
        pullback(out, out)


def test_outputs_are_made_again(saving_path):
    op = bascule.Custom(f"{saving_path}:products", recompute=True)
    x, y = np.float32([1, 2, 3]), np.float32([4, 5, 6])
    before = op.stats().forward
    _, pullback = bascule.vjp(op, x, y)
    assert op.stats().forward == before + 1
    np.testing.assert_array_equal(pullback(np.ones_like(x))[1], x)
    assert op.stats().forward == before + 2


def test_saved_outputs_are_checked(saving_path):
    def reference(x, y):
        return x * y

    x, y = np.float32([1, 2, 3]), np.float32([4, 5, 6])
    op = bascule.load(saving_path).products
    report = bascule.gradcheck(op, x, y, reference=reference)
    assert report.ok, report
