# SPDX-License-Identifier: Apache-2.0
"""Operators whose inputs are lists of tensors: concat, and balance with two lists among others."""

import mindspore as ms
import numpy as np
import pytest
from mindspore import Tensor, nn, ops
from mindspore.ops import CustomRegOp, DataType

import bascule
from bascule import GradientError, InvalidArgument
from bascule.mindspore import Custom

DTYPES = [ms.float32, ms.float16, ms.bfloat16]


class Concat(nn.Cell):
    """Of three tensors in a list, or as many as come in a tuple."""

    def __init__(self, op):
        super().__init__()
        self.op = op

    def construct(self, a, b, c):
        return self.op([a, b, c])


class Balance(nn.Cell):
    def __init__(self, op, construct):
        super().__init__()
        self.op = op
        self.made = construct

    def construct(self, a, b, c):
        if self.made == "none":
            return self.op(a, (), b, ())
        if self.made == "no fee":
            return self.op(a, [b, c], None, [c])
        if self.made == "losses":
            return self.op(a, (), None, (b, c, c))
        return self.op(a, [b], c, (a, b))


# By name: the result, and its gradients for a dout of ones.
BALANCES = {
    "none": (lambda a, b, c: a - b, (1, -1, 0)),
    "no fee": (lambda a, b, c: a + b + c - c, (1, 1, 0)),
    "losses": (lambda a, b, c: a - b - c - c, (1, -1, -2)),
    "all": (lambda a, b, c: a + b - c - a - b, (0, 0, -1)),
}


@pytest.fixture(scope="module")
def concat(built):
    return str(built("operators/concat"))


@pytest.fixture(scope="module")
def balance(built):
    return str(built("tests/operators/balance"))


def tensors(shapes, dtype=ms.float32):
    generator = np.random.default_rng(3)
    made = [generator.integers(-99, 99, shape).astype(np.float32) for shape in shapes]
    return [Tensor(array).astype(dtype) for array in made]


def array(tensor):
    return tensor.astype(ms.float32).asnumpy()


def refused(function, sentence, kind=InvalidArgument):
    with pytest.raises(kind) as error:
        function()
    assert str(error.value).splitlines()[0] == sentence


@pytest.mark.parametrize("dtype", [*DTYPES, ms.int32, ms.int64])
def test_values(mode, concat, dtype):
    op = Custom(concat, attributes={"axis": 1})
    for shapes in ([(2, 3)], [(2, 3), (2, 0)], [(2, 3), (2, 1), (2, 33)], [(2, 1)] * 65):
        members = tensors(shapes, dtype)
        want = np.concatenate([array(member) for member in members], 1)
        for given in (members, tuple(members)):
            out = op(given)
            assert out.dtype == dtype
            np.testing.assert_array_equal(array(out), want)


@pytest.mark.parametrize("dtype", DTYPES)
def test_gradients(mode, concat, dtype):
    net = Concat(Custom(concat, attributes={"axis": -1}))
    before = net.op.stats()
    members = tensors([(2, 3), (2, 1), (2, 5)], dtype)
    dout = tensors([(2, 9)], dtype)[0]
    gradient = ops.GradOperation(get_all=True, sens_param=True)(net)
    gradients = gradient(*members, dout)
    for got, want in zip(gradients, np.split(array(dout), [3, 4], 1)):
        assert got.dtype == dtype
        np.testing.assert_array_equal(array(got), want)
    after = net.op.stats()
    assert after.backward - before.backward == 1


def test_the_list_itself_is_differentiated_in_graphs(concat):
    """PYNATIVE gives nothing for a list, MindSpore's own operators included."""
    ms.set_context(mode=ms.GRAPH_MODE)
    members = tensors([(3,), (2,)])
    first, second = ms.grad(Custom(concat))(ms.mutable(members))
    np.testing.assert_array_equal(array(first), np.ones(3))
    np.testing.assert_array_equal(array(second), np.ones(2))


def test_a_graph_serves_other_members(concat):
    """Without `mutable`, which the call adds, each would be compiled for."""
    ms.set_context(mode=ms.GRAPH_MODE)
    op = Custom(concat)
    static = op._described.row((2,)).static
    asked = []
    infer = static.described.outputs
    static.described.outputs = lambda inputs: asked.append(inputs) or infer(inputs)
    static._last = None, None
    for n in range(3):
        a = Tensor(np.full(3, n, np.float32))
        np.testing.assert_array_equal(array(op([a, a])), np.full(6, n))
    # Each call is looked at; the primitive, which asks when a graph is compiled, asks once.
    assert len(asked) == 3 + 1


@pytest.mark.parametrize("row", BALANCES)
def test_two_lists_and_an_optional_input(mode, balance, row):
    value, gradients = BALANCES[row]
    net = Balance(Custom(balance), row)
    for shape in ((7,), (3, 5), (1025,)):
        inputs = tensors([shape] * 3)
        np.testing.assert_array_equal(array(net(*inputs)), value(*map(array, inputs)))
    for got, want in zip(ms.grad(net, (0, 1, 2))(*inputs), gradients):
        np.testing.assert_array_equal(array(got), np.full(shape, want))


def test_two_lists_called_directly(mode, balance):
    op = Custom(balance)
    a, b, c = tensors([(5,)] * 3)
    np.testing.assert_array_equal(array(op(a, [b, c], None, [c])), array(a + b))
    np.testing.assert_array_equal(array(op(a, [b], c, [])), array(a + b - c))
    loaded = bascule.load(balance).balance
    np.testing.assert_array_equal(array(loaded(a, [b], c, [a])), array(b - c))
    refused(
        lambda: op(a, [b], c),
        "balance: input 'losses' takes a list or tuple of tensors, and a NoneType came.",
    )


@pytest.mark.parametrize("shape", [[None, None], None], ids=["dimensions", "rank"])
def test_unknown_shapes(concat, shape):
    ms.set_context(mode=ms.GRAPH_MODE)
    net = Concat(Custom(concat, attributes={"axis": 1}))
    net.set_inputs(*(Tensor(shape=shape, dtype=ms.float32) for _ in range(3)))
    for n in (1, 4):
        members = tensors([(n, 3), (n, n), (n, 5)])
        want = np.concatenate([array(member) for member in members], 1)
        np.testing.assert_array_equal(array(net(*members)), want)


@pytest.mark.parametrize("row", BALANCES)
def test_two_lists_of_unknown_shapes(balance, row):
    ms.set_context(mode=ms.GRAPH_MODE)
    value, gradients = BALANCES[row]
    net = Balance(Custom(balance), row)
    net.set_inputs(*(Tensor(shape=[None], dtype=ms.float32) for _ in range(3)))
    for n in (3, 7):
        inputs = tensors([(n,)] * 3)
        np.testing.assert_array_equal(array(net(*inputs)), value(*map(array, inputs)))
    for got, want in zip(ms.grad(net, (0, 1, 2))(*inputs), gradients):
        np.testing.assert_array_equal(array(got), np.full(n, want))


MATRIX, WIDER, HALF = (np.zeros(s, t) for s, t in (((2, 2), "f4"), ((2, 3), "f4"), ((2, 2), "f2")))


@pytest.mark.parametrize(
    "members",
    [[MATRIX, WIDER], [MATRIX, HALF], [np.zeros((), np.float32)], [np.zeros(2)]],
    ids=["shape", "dtype", "rank", "float64"],
)
def test_what_the_operator_does_not_take(mode, concat, members):
    """The sentences of NumPy, from a call and from inside a network."""
    with pytest.raises(InvalidArgument) as expected:
        bascule.load(concat).concat(members)
    op = Custom(concat)
    given = [Tensor(member) for member in members]
    refused(lambda: op(given), str(expected.value))

    def inside(*row):
        return op(row) * 2

    function = ms.jit(inside) if mode == "GRAPH" else inside
    refused(lambda: function(*given), str(expected.value))
    np.testing.assert_array_equal(array(op([Tensor(MATRIX)] * 2)), np.zeros((4, 2)))


def test_what_is_no_list_of_tensors(mode, concat):
    op = Custom(concat)
    x = Tensor(MATRIX)
    a_list = "concat: input 'x' takes a list or tuple of tensors, and {} came."
    refused(lambda: op(x), a_list.format("a Tensor"))
    refused(lambda: op(None), a_list.format("a NoneType"))
    refused(lambda: op([x, None]), "concat: input 'x[1]' is a NoneType; expected a Tensor.")
    refused(lambda: op([x, "text"]), "concat: input 'x[1]' is a str; expected a Tensor.")
    refused(lambda: op([x], [x]), "concat: 1 input expected (x), 2 came.")
    refused(
        lambda: op([]),
        "concat: its shape inference refuses no tensors: the list x has no tensors; it needs one "
        "or more",
    )

    @ms.jit
    def no_list(x):
        return op(x)

    @ms.jit
    def no_tensor(x):
        return op([x, 2.0])

    if mode == "GRAPH":
        refused(lambda: no_list(x), a_list.format("something else"))
        refused(lambda: no_tensor(x), "concat: input 'x[1]' is something else; expected a Tensor.")


@pytest.mark.parametrize(
    ("bprop", "sentence"),
    [
        (
            lambda x, out, dout: dout,
            "concat: the gradient of input 'x', a list of 3 tensors, is a Tensor.",
        ),
        (
            lambda x, out, dout: None,
            "concat: the gradient of input 'x', a list of 3 tensors, is None.",
        ),
        (
            lambda x, out, dout: [x[0]],
            "concat: the gradient of input 'x', a list of 3 tensors, is a list of 1.",
        ),
        (
            lambda x, out, dout: [x[0], dout, x[2]],
            "concat: the gradient of input 'x[1]' has shape (6,); expected (2,), the shape of the "
            "input. Broadcasting is not summed back unasked.",
        ),
        (
            lambda x, out, dout: [x[0], None, x[2]],
            "concat: the gradient of input 'x[1]' is None; expected a tensor of shape (2,).",
        ),
    ],
)
def test_gradients_that_do_not_fit(mode, concat, bprop, sentence):
    net = Concat(Custom(concat, bprop=bprop))
    with pytest.raises(GradientError) as error:
        ms.grad(net, (0, 1, 2))(*tensors([(1,), (2,), (3,)]))
    assert str(error.value).startswith(sentence)


def test_out_shape_and_out_dtype_get_lists(mode, concat):
    op = Custom(concat, out_shape=lambda x: (sum(t.shape[0] for t in x),), out_dtype=ms.float32)
    np.testing.assert_array_equal(array(op(tensors([(2,), (3,)]))).shape, (5,))
    op = Custom(concat, out_shape=lambda x: x[0])
    refused(
        lambda: op(tensors([(2,), (3,)])),
        "concat: out_shape gives (2,) for output 'out' of x[0] (2,) float32, x[1] (3,) float32; "
        "its library infers (5,). out_shape may be left out.",
    )


def test_mindspores_own(mode, concat):
    class Own(nn.Cell):
        def __init__(self, *outputs, **registration):
            super().__init__()
            self.op = ops.Custom(f"{concat}:concat", *outputs, "aot", **registration)

        def construct(self, a, b):
            return self.op(a, b)

    a, b = tensors([(2,), (3,)])
    own = Own(lambda a, b: (a[0] + b[0],), lambda a, b: a)
    np.testing.assert_array_equal(array(own(a, b)), np.concatenate([array(a), array(b)]))
    f32 = DataType.F32_Default
    register = CustomRegOp("concat").input(0, "a").input(1, "b").output(0, "out")
    reg_info = register.dtype_format(f32, f32, f32).target("CPU").get_op_info()
    with pytest.raises(RuntimeError) as error:
        Own(None, lambda a, b: a, reg_info=reg_info)(a, b).asnumpy()
    assert (
        "concat: its input 'x' is a list of tensors, and MindSpore does not say how many it has. "
        "Give out_shape and out_dtype, or use bascule.mindspore.Custom."
    ) in str(error.value)


def test_lists_as_outputs(concat):
    operator = bascule.load(concat).concat
    operator.output_lists = frozenset({0})
    with pytest.raises(bascule.Unsupported) as error:
        Custom.of_operator(operator, operator.gradient)
    assert str(error.value) == (
        "concat: output 'out' is a list of tensors, and a call in MindSpore does not say how many; "
        "with NumPy arrays, out= does."
    )
