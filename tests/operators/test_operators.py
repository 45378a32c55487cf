# SPDX-License-Identifier: Apache-2.0
"""Every shipped operator, element type, awkward shape and layout, against its reference."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

import bascule

_spec = importlib.util.spec_from_file_location("table", Path(__file__).with_name("table.py"))
table = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(table)


@pytest.fixture(scope="module", params=table.NAMES)
def operator(request, built):
    return bascule.load(built(f"operators/{request.param}")).only()


def attributes_of(operator, case):
    given = case.get("attributes", {})
    return {name: given.get(name, a.get("default")) for name, a in operator.attributes.items()}


def columns(operator):
    return list(zip(*(parameter["dtypes"] for parameter in operator.schema["inputs"])))


def compare(operator, case, inputs, out):
    attributes = attributes_of(operator, case)
    want = table.expected(operator.name, inputs, attributes)
    terms = table.expected(
        operator.name,
        [np.abs(x) for x in inputs],
        {name: abs(v) if name in ("alpha", "scale") else v for name, v in attributes.items()},
    )
    table.assert_close(operator.name, out, want, np.abs(terms))


def test_the_list_is_complete():
    there = {path.parent.name for path in (table.TREE / "operators").glob("*/op_host")}
    assert there == {*table.NAMES, *table.OTHERS}


def test_element_types(operator):
    names = {names[0] for names in columns(operator)}
    assert names >= {"float16", "float32", "bfloat16"}


def test_cases(operator):
    """All cases of the project, in all element types."""
    for seed, case in enumerate(table.cases(operator.name)):
        for dtypes in columns(operator):
            inputs = table.make_inputs(case, dtypes, seed)
            out = operator(*inputs, **case.get("attributes", {}))
            assert out.dtype == table.dtype(dtypes[0])
            compare(operator, case, inputs, np.asarray(out))


LENGTHS = [*range(1, 34), 63, 64, 65, 127, 129, 255, 257, 2047, 2048, 2049, 4097, 8191, 16385]


def test_lengths(operator):
    for length in LENGTHS:
        case = {"shapes": [(length,)] * len(operator.inputs)}
        for dtypes in columns(operator):
            inputs = table.make_inputs(case, dtypes, length)
            compare(operator, case, inputs, np.asarray(operator(*inputs)))


def test_layouts(operator):
    """Inputs with strides, offsets and repeated elements, and outputs with strides."""
    layouts = [
        lambda x: x.T.copy().T,
        lambda x: np.repeat(x, 2, axis=1)[:, ::2],
        lambda x: np.vstack([x, x])[len(x) :],
        lambda x: np.broadcast_to(x[:1], x.shape),
        lambda x: x[::-1],
    ]
    case = {"shapes": [(17, 9)] * len(operator.inputs)}
    dense = table.make_inputs(case, ("float32",) * len(operator.inputs), 3)
    attributes = {"axes": [1]} if operator.name == "reduce_sum" else {}
    for layout in layouts:
        inputs = [layout(x) for x in dense]
        plain = operator(*(np.ascontiguousarray(x) for x in inputs), **attributes)
        np.testing.assert_array_equal(operator(*inputs, **attributes), plain)
        room = np.full([2 * n for n in plain.shape], 7, np.float32)
        out = room[tuple(slice(None, None, 2) for _ in plain.shape)]
        operator(*inputs, out=out, **attributes)
        np.testing.assert_array_equal(out, plain)
        assert np.count_nonzero(room != 7) <= out.size


def test_special_values(operator):
    values = np.array([np.inf, -np.inf, np.nan, 0.0, -0.0, 1e-45, 65504, 3e38], np.float32)
    if operator.name == "reduce_sum":
        out = operator(values.reshape(8, 1), axes=[1])
        np.testing.assert_array_equal(out, values)
        assert np.isnan(operator(values))
        return
    inputs = [values, values[::-1].copy()][: len(operator.inputs)]
    with np.errstate(all="ignore"):
        wide = table.expected(operator.name, inputs, attributes_of(operator, {}))
        np.testing.assert_array_equal(operator(*inputs), wide.astype(np.float32))


# --- single operators


def test_reduce_sum_of_every_set_of_axes(built):
    operator = bascule.load(built("operators/reduce_sum")).reduce_sum
    generator = np.random.default_rng(5)
    for shape in [(3, 4, 5, 6), (2, 1, 7, 9), (1, 130, 2, 3), (5, 2, 70, 8), (40, 3, 2, 600)]:
        x = generator.uniform(0.1, 1, shape).astype(np.float32)
        for bits in range(1, 16):
            axes = [axis for axis in range(4) if bits >> axis & 1]
            want = np.sum(x.astype(np.float64), axis=tuple(axes))
            np.testing.assert_allclose(operator(x, axes=axes), want, rtol=12 * 2.0**-24)


def test_reduce_sum_of_much_is_exact_enough_and_the_same_again(built):
    operator = bascule.load(built("operators/reduce_sum")).reduce_sum
    x = np.random.default_rng(6).uniform(0, 1, 1 << 22).astype(np.float32)
    first = operator(x)
    np.testing.assert_allclose(first, np.sum(x.astype(np.float64)), rtol=12 * 2.0**-24)
    assert all(operator(x) == first for _ in range(5))


@pytest.mark.parametrize("axes", [[2], [-3], [0, 0], [0, -2]])
def test_reduce_sum_refuses_axes(built, axes):
    operator = bascule.load(built("operators/reduce_sum")).reduce_sum
    with pytest.raises(bascule.InvalidArgument, match="its shape inference refuses x \\(3, 5\\)"):
        operator(np.ones((3, 5), np.float32), axes=axes)


def test_my_mul_infers_broadcast_shapes(built):
    operator = bascule.load(built("operators/my_mul")).my_mul

    def infer(x, y):
        return operator.infer((x, "float32"), (y, "float32"))[0][0]

    assert infer((3, 1), (4,)) == (3, 4)
    assert infer((-1, 1), (4,)) == (-1, 4)
    assert infer((-1, -1), (-1,)) == (-1, -1)
    assert infer((-1,), (4,)) == (4,)
    assert infer((-1,), (1,)) == (-1,)
    assert infer((0,), (1,)) == (0,)
    assert infer(None, (4,)) is None
    for x, y in (((3,), (4,)), ((2, 3), (3, 2)), ((0,), (3,))):
        with pytest.raises(bascule.InvalidArgument):
            infer(x, y)


def test_my_mul_wraps_around(built):
    operator = bascule.load(built("operators/my_mul")).my_mul
    x = np.array([2**31 - 1, -(2**31), 65536], np.int32)
    np.testing.assert_array_equal(operator(x, x), x * x)


def test_mul_scale_holds_products_that_float16_cannot(built):
    operator = bascule.load(built("operators/mul_scale")).mul_scale
    x = np.full(40, 1000, np.float16)
    np.testing.assert_array_equal(operator(x, x, scale=1e-3), np.full(40, 1000, np.float16))


def test_sums_over_nothing(built):
    """An empty axis sums to zeros, in memory that held something else; every element is set."""
    reduce_sum = bascule.load(built("operators/reduce_sum")).only()
    for shape, axes, rest in (((0, 5), [0], (5,)), ((4, 0, 3), [1], (4, 3)), ((0,), [0], ())):
        out = np.full(rest, 7, np.float32)
        reduce_sum(np.zeros(shape, np.float32), axes=axes, keep_dims=False, out=out)
        np.testing.assert_array_equal(out, np.zeros(rest, np.float32))
