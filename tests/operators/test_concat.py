# SPDX-License-Identifier: Apache-2.0
"""concat, whose one input is a list of tensors: any number, any lengths, any layout."""

import ml_dtypes
import numpy as np
import pytest

import bascule

DTYPES = ("float16", "float32", ml_dtypes.bfloat16, "int32", "int64")


@pytest.fixture(scope="module")
def concat(built):
    return bascule.load(built("operators/concat")).concat


def arrays(shapes, dtype="float32", seed=0):
    generator = np.random.default_rng(seed)
    return [generator.integers(-1000, 1000, shape).astype(dtype) for shape in shapes]


def check(concat, members, axis):
    out = concat(members, axis=axis)
    assert out.dtype == members[0].dtype
    np.testing.assert_array_equal(out, np.concatenate(members, axis))


@pytest.mark.parametrize("dtype", DTYPES)
def test_values(concat, dtype):
    for shapes, axis in [
        ([(1,)], 0),
        ([(3, 5), (2, 5), (1, 5)], 0),
        ([(3, 5), (3, 1), (3, 33)], 1),
        ([(2, 3, 4), (2, 7, 4)], -2),
        ([(2, 3, 4), (2, 3, 1)], -1),
        ([(70001,), (1,), (40000,)], 0),
        ([(300, 1), (300, 129)], 1),
        ([(5, 9000), (5, 4097)], 1),
        ([(5000, 1), (5000, 2)], 1),
    ]:
        check(concat, arrays(shapes, dtype), axis)


def test_one_and_many(concat):
    for count in (1, 2, 29, 64, 65, 500):
        check(concat, arrays([(2, 1 + i % 4) for i in range(count)]), 1)
    # A tuple is as good.
    check(concat, tuple(arrays([(3,), (4,)])), 0)


def test_members_without_elements(concat):
    check(concat, arrays([(2, 0), (2, 3), (2, 0), (2, 1), (2, 0)]), 1)
    check(concat, arrays([(0,), (0,)]), 0)
    check(concat, arrays([(0, 4), (0, 5)]), 1)


def test_members_of_any_layout(concat):
    a, b = arrays([(8, 6), (6, 8)])
    room = np.zeros((8, 40), np.float32)
    out = room[:, ::2][:, :20]
    members = [a, b.T, a[::-1], np.broadcast_to(a[:, :1], (8, 2))]
    before = concat.native.statistics()["packed_inputs"]
    check(concat, members, 1)
    assert concat.native.statistics()["packed_inputs"] == before + 3
    concat(members, axis=1, out=out)
    np.testing.assert_array_equal(out, np.concatenate(members, 1))
    assert not room[:, 1::2].any()
    check(concat, [a, a, a], 0)  # one array in three places


def test_shapes_before_arrays(concat):
    assert concat.infer([((2, 3), "float32"), ((-1, 3), "float32")]) == [((-1, 3), "float32")]
    assert concat.infer([((2, -1), "int64"), ((2, 3), "int64")]) == [((4, 3), "int64")]
    plan = concat.plan([((2, 3), "float32"), ((2, 5), "float32")], axis=1)
    assert plan["block_count"] == 1
    tilings = concat.native.statistics()["tiling_runs"]
    check(concat, arrays([(2, 3), (2, 5)]), 1)
    assert concat.native.statistics()["tiling_runs"] == tilings


@pytest.mark.parametrize(
    "members, says",
    [
        (
            [],
            "concat: the list 'x' is empty and no other input is a tensor, so nothing says what "
            "the outputs are made as; pass a tensor or more in it, or the outputs (out=).",
        ),
        (
            np.zeros((2, 2), np.float32),
            "concat: input 'x' takes a list or tuple of tensors, and a ndarray came.",
        ),
        (
            [np.zeros(2, np.float32), np.zeros(2, np.int32)],
            "concat: the members of the list 'x' have to be of one element type, but x[0] is "
            "float32 and x[1] is int32.",
        ),
        (
            [np.zeros(2, np.float32), None],
            "concat: input 'x[1]' is null; every member of a list is a tensor.",
        ),
        (
            [np.zeros(2, np.float32), "text"],
            "concat: input 'x[1]' is a str; a NumPy array or a tensor with __dlpack__ was "
            "expected.",
        ),
        (
            [np.zeros((2, 2), np.float32), np.zeros((2, 3), np.float32)],
            "concat: its shape inference refuses x[0] (2, 2), x[1] (2, 3): x[0] and x[1] differ in "
            "dimension 1, beside axis 0",
        ),
        (
            [np.zeros((), np.float32)],
            "concat: its shape inference refuses x[0] (): axis is 0, and x[0] has 0 dimensions",
        ),
        (
            [np.zeros(2, np.float64)],
            "concat was called with x float64. It supports: float16; float32; bfloat16; int32; "
            "int64.",
        ),
    ],
)
def test_refusals(concat, members, says):
    with pytest.raises(bascule.InvalidArgument) as error:
        concat(members)
    assert str(error.value) == says


def test_an_empty_list_is_for_the_operator_to_refuse(concat):
    with pytest.raises(bascule.InvalidArgument) as error:
        concat([], out=np.zeros(0, np.float32))
    assert str(error.value) == (
        "concat: its shape inference refuses no tensors: the list x has no tensors; it needs one "
        "or more"
    )


def test_gradients(concat):
    members = arrays([(2, 3), (2, 0), (2, 5)])
    out, pullback = bascule.vjp(concat, members, axis=1)
    dout = np.arange(out.size, dtype=np.float32).reshape(out.shape)
    (gradients,) = pullback(dout)
    assert isinstance(gradients, (list, tuple))
    for got, want in zip(gradients, np.split(dout, [3, 3], axis=1)):
        np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize(
    "returned, says",
    [
        (lambda x, dout: None, "the gradient of input 'x', a list of 2 tensors, is None."),
        (lambda x, dout: dout, "the gradient of input 'x', a list of 2 tensors, is a ndarray."),
        (lambda x, dout: [dout[:2]], "the gradient of input 'x', a list of 2 tensors, is a list"),
        (
            lambda x, dout: [dout[:2], dout],
            "the gradient of input 'x[1]' has shape (5,); expected (3,), the shape of the input.",
        ),
        (lambda x, dout: [dout[:2], None], "the gradient of input 'x[1]' is None; expected"),
    ],
)
def test_gradients_that_do_not_fit(built, returned, says):
    def bprop(x, out, dout, **attributes):
        return returned(x, dout)

    op = bascule.Custom(str(built("operators/concat")), bprop=bprop)
    out, pullback = bascule.vjp(op, arrays([(2,), (3,)]))
    with pytest.raises(bascule.GradientError) as error:
        pullback(np.ones_like(out))
    assert says in str(error.value)
