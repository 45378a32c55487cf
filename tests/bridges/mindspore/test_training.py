# SPDX-License-Identifier: Apache-2.0
"""Custom where people train: optimisers, cells, ms.jit, copies, unknown shapes."""

import copy
from pathlib import Path

import mindspore as ms
import numpy as np
import pytest
from mindspore import Tensor, amp, nn, ops

from bascule.errors import Unsupported
from bascule.mindspore import Custom


class Scale(nn.Cell):
    """A layer with a weight per element."""

    def __init__(self, multiply, shape):
        super().__init__()
        self.weight = ms.Parameter(Tensor(np.full(shape, 0.1, np.float32)), name="weight")
        self.multiply = multiply

    def construct(self, x):
        return self.multiply(x, self.weight)


class BuiltIn(nn.Cell):
    def construct(self, x, y):
        return ops.mul(x, y)


def train(multiply, steps=40):
    """The losses of each step, and the weight at the end."""
    random = np.random.default_rng(3)
    x = Tensor(random.uniform(0.5, 1.5, (8, 17)).astype(np.float32))
    target = Tensor(random.uniform(-1, 1, (8, 17)).astype(np.float32))
    net = Scale(multiply, (8, 17))
    optimiser = nn.Momentum(net.trainable_params(), learning_rate=15.0, momentum=0.5)

    def loss_of(x, target):
        return ((net(x) - target) ** 2).mean()

    step = ms.value_and_grad(loss_of, None, optimiser.parameters)
    losses = []
    for _ in range(steps):
        loss, gradients = step(x, target)
        optimiser(gradients)
        losses.append(loss.asnumpy().item())
    return losses, net.weight.asnumpy()


def test_loop_is_that_of_the_built_in_operator(mode, my_mul):
    losses, weight = train(Custom(my_mul))
    expected_losses, expected_weight = train(BuiltIn())
    assert losses == expected_losses
    np.testing.assert_array_equal(weight, expected_weight)
    assert losses[-1] < 1e-3 * losses[0]


def test_train_one_step_cell(mode, my_mul):
    net = Scale(Custom(my_mul), (3,))
    optimiser = nn.SGD(net.trainable_params(), learning_rate=0.5)
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), optimiser)
    step.set_train()
    x, target = Tensor([1.0, 2.0, 1.5], ms.float32), Tensor([2.0, -2.0, 0.0], ms.float32)
    for _ in range(60):
        loss = step(x, target)
    assert loss.asnumpy() < 1e-3
    np.testing.assert_allclose(net.weight.asnumpy(), [2, -1, 0], atol=0.05)


def test_jit(mode, my_mul):
    op = Custom(my_mul)

    @ms.jit
    def function(x, y):
        return op(x, y) + 1

    x, y = Tensor([1.0, 2.0], ms.float32), Tensor([3.0, 4.0], ms.float32)
    np.testing.assert_array_equal(function(x, y).asnumpy(), [4, 9])
    dx, dy = ms.grad(function, (0, 1))(x, y)
    np.testing.assert_array_equal(dx.asnumpy(), [3, 4])
    np.testing.assert_array_equal(dy.asnumpy(), [1, 2])


def test_jit_with_growing_shapes(mode, my_mul):
    op = Custom(my_mul)

    @ms.jit(dynamic=1)
    def function(x, y):
        return op(x, y) + 1

    for length in (3, 4, 5, 700):  # the third makes MindSpore compile for unknown shapes
        x = Tensor(np.arange(length), ms.float32)
        np.testing.assert_array_equal(function(x, x).asnumpy(), np.arange(length) ** 2.0 + 1)


class Twice(nn.Cell):
    def __init__(self, op):
        super().__init__()
        self.op = op

    def construct(self, x, y):
        return self.op(x, y) * 2


@pytest.mark.parametrize(
    ("shape", "dtype"),
    [([None, 5], ms.float32), ([None, None], ms.float16), (None, ms.float16), (None, ms.float32)],
    ids=str,
)
def test_unknown_shapes(my_mul, shape, dtype):
    ms.set_context(mode=ms.GRAPH_MODE)
    op = Custom(my_mul)
    for net, factor in ((Twice(op), 2), (Custom(my_mul), 1)):
        net.set_inputs(*(Tensor(shape=shape, dtype=dtype) for _ in range(2)))
        shapes = [(3, 5), (4, 5), (1, 5), (513, 5)]
        if shape is None:
            shapes += [(5,), (), (2, 1, 3), (0, 4)]
        for real in shapes:
            random = np.random.default_rng(1)
            x, y = (Tensor(random.uniform(-2, 2, real), dtype) for _ in range(2))
            out = net(x, y)
            assert (out.shape, out.dtype) == (real, dtype)
            np.testing.assert_array_equal(out.asnumpy(), factor * (x.asnumpy() * y.asnumpy()))
            dx, dy = ms.grad(net, (0, 1))(x, y)
            np.testing.assert_array_equal(dx.asnumpy(), factor * y.asnumpy())
            np.testing.assert_array_equal(dy.asnumpy(), factor * x.asnumpy())


class Gradients(nn.Cell):
    def __init__(self, net):
        super().__init__()
        self.gradients = ops.GradOperation(get_all=True)
        self.net = net

    def construct(self, x, y):
        return self.gradients(self.net)(x, y)


@pytest.mark.parametrize("shape", [[None, 3], None], ids=str)
def test_gradients_in_a_graph_for_unknown_shapes(my_mul, shape):
    """Its gradient sums over what was broadcast, which only the run shows."""
    ms.set_context(mode=ms.GRAPH_MODE)
    net = Gradients(Twice(Custom(my_mul)))
    net.set_inputs(*(Tensor(shape=shape, dtype=ms.float32) for _ in range(2)))
    for x_rows, y_rows in ((2, 2), (4, 1), (1, 3)):
        x = np.arange(3 * x_rows, dtype=np.float32).reshape(x_rows, 3)
        y = np.arange(3 * y_rows, dtype=np.float32).reshape(y_rows, 3) + 1
        dx, dy = net(Tensor(x), Tensor(y))
        out = np.ones_like(x * y)
        np.testing.assert_array_equal(dx.asnumpy(), 2 * summed(out * y, x.shape))
        np.testing.assert_array_equal(dy.asnumpy(), 2 * summed(out * x, y.shape))


def summed(a, shape):
    return a.sum(0, keepdims=True) if shape[0] == 1 else a


def test_unknown_shapes_need_a_manifest(plain):
    ms.set_context(mode=ms.GRAPH_MODE)
    net = Twice(Custom(f"{plain}:product", lambda x, y: x, lambda x, y: x))
    net.set_inputs(*(Tensor(shape=[None], dtype=ms.float32) for _ in range(2)))
    x = Tensor([1.0, 2.0], ms.float32)
    with pytest.raises(Unsupported) as error:
        net(x, x)
    assert str(error.value).splitlines()[0] == (
        "product: the shapes of its inputs are not known when the graph is compiled, and have to "
        "be: only a library with a manifest, as `bascule build` makes it, infers others."
    )


def test_unknown_shapes_with_several_outputs(products_path):
    class First(nn.Cell):
        def __init__(self):
            super().__init__()
            self.op = Custom(str(products_path))

        def construct(self, x, y):
            return self.op(x, y)[0]

    ms.set_context(mode=ms.GRAPH_MODE)
    net = First()
    net.set_inputs(*(Tensor(shape=[None], dtype=ms.float32) for _ in range(2)))
    x, y = Tensor([1.0, 2.0], ms.float32), Tensor([3.0, 4.0], ms.float32)
    np.testing.assert_array_equal(net(x, y).asnumpy(), [3, 8])
    np.testing.assert_array_equal(ms.grad(net)(x, y).asnumpy(), [3, 4])


def test_copies(mode, my_mul):
    net = copy.deepcopy(Twice(Custom(my_mul)))
    x, y = Tensor([1.0, 2.0], ms.float32), Tensor([3.0, 4.0], ms.float32)
    np.testing.assert_array_equal(net(x, y).asnumpy(), [6, 16])
    np.testing.assert_array_equal(ms.grad(net)(x, y).asnumpy(), [6, 8])
    layers = nn.SequentialCell([Scale(copy.deepcopy(Custom(my_mul)), (2,)) for _ in range(3)])
    np.testing.assert_allclose(layers(x).asnumpy(), [1e-3, 2e-3], rtol=1e-6)


@pytest.mark.parametrize("level", ["O1", "O2", "O3", "auto"])
def test_mixed_precision(mode, my_mul, level):
    """O1 copies the class of every cell into a file of its own."""
    x = Tensor(np.ones((2, 3), np.float32))
    net = amp.auto_mixed_precision(Scale(Custom(my_mul), (2, 3)), level)
    np.testing.assert_allclose(net(x).asnumpy(), np.full((2, 3), 0.1), rtol=1e-3)
    np.testing.assert_allclose(ms.grad(net)(x).asnumpy(), np.full((2, 3), 0.1), rtol=1e-3)


def test_to_float(mode, my_mul):
    x, y = (Tensor(np.ones((2, 3), np.float32)) for _ in range(2))
    op = Custom(my_mul).to_float(ms.float16)
    assert op(x, y).dtype == ms.float16
    dx = ms.grad(op)(x, y)
    assert dx.dtype == ms.float32
    np.testing.assert_array_equal(dx.asnumpy(), 1)


def test_memory_stays(mode, my_mul):
    def resident_kib():
        with Path("/proc/self/status").open() as status:
            return next(int(line.split()[1]) for line in status if line.startswith("VmRSS"))

    op = Custom(my_mul)
    grad = ms.grad(op, (0, 1))
    x, y = (Tensor(np.ones(4096, np.float32)) for _ in range(2))

    def work(times):
        for _ in range(times):
            op(x, y)
            grad(x, y)[0].asnumpy()

    work(100)
    before = resident_kib()
    work(300)
    assert resident_kib() - before < 8 * 1024


def test_a_result_of_rank_0_in_a_graph_for_unknown_shapes_has_a_gradient(built):
    """MindSpore would take it for a number, and every gradient for 0."""
    ms.set_context(mode=ms.GRAPH_MODE)

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.gradient = ops.GradOperation()
            self.op = Custom(str(built("operators/reduce_sum")))

        def construct(self, x):
            return self.gradient(self.op)(x)

    net = Net()
    net.set_inputs(Tensor(shape=[None, None], dtype=ms.float32))
    np.testing.assert_array_equal(net(Tensor(np.ones((3, 4)), ms.float32)).asnumpy(), 1)


def test_a_gradient_function_that_needs_the_rank_says_so(built):
    """Its loop over the dimensions would run no time, and the sum go back along another axis."""
    ms.set_context(mode=ms.GRAPH_MODE)

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.gradient = ops.GradOperation()
            self.op = Custom(str(built("operators/reduce_sum")), attributes={"axes": [1]})

        def construct(self, x):
            return self.gradient(self.op)(x)

    net = Net()
    net.set_inputs(Tensor(shape=None, dtype=ms.float32))
    with pytest.raises(Unsupported, match=r"^A gradient function takes len\(\) of a shape whose"):
        net(Tensor(np.ones((3, 3)), ms.float32))
