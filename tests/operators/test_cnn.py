# SPDX-License-Identifier: Apache-2.0
"""A small network of shipped operators trains along torch's own loss curve."""

import pytest
import torch

import bascule.torch

CLASSES = 3


@pytest.fixture(scope="module")
def ours(built):
    def load(name):
        return getattr(bascule.torch.load(built(f"operators/{name}")), name)

    convolve, multiply, softmax, relu = map(load, ("conv2d", "matmul", "softmax", "leaky_relu"))

    def network(x, first, second, weight, bias):
        x = relu(convolve(x, first, None, padding=[1]), negative_slope=0.1)
        x = relu(convolve(x, second, None, stride=[2], padding=[1]), negative_slope=0.1)
        return softmax(multiply(x.flatten(1), weight, bias, transpose_b=True))

    return network


def torchs(x, first, second, weight, bias):
    functions = torch.nn.functional
    x = functions.leaky_relu(functions.conv2d(x, first, padding=1), 0.1)
    x = functions.leaky_relu(functions.conv2d(x, second, stride=2, padding=1), 0.1)
    return functions.softmax(functions.linear(x.flatten(1), weight, bias), dim=-1)


def images(generator, count):
    """Noise with a bright stripe, whose place is the class."""
    x = torch.rand(count, 1, 9, 9, generator=generator)
    labels = torch.randint(CLASSES, (count,), generator=generator)
    for i, label in enumerate(labels):
        x[i, 0, 3 * int(label) + 1] += 1
    return x, labels


def train(network, steps):
    generator = torch.Generator().manual_seed(5)
    shapes = ((4, 1, 3, 3), (6, 4, 3, 3), (CLASSES, 150), (CLASSES,))
    weights = [torch.randn(shape, generator=generator) * 0.2 for shape in shapes]
    weights = [weight.requires_grad_() for weight in weights]
    optimizer = torch.optim.SGD(weights, lr=0.02, momentum=0.9)
    losses = []
    for _ in range(steps):
        x, labels = images(generator, 13)
        chances = network(x, *weights).gather(1, labels[:, None])
        loss = -torch.log(chances).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def test_loss_curve(ours):
    got, want = train(ours, 40), train(torchs, 40)
    assert want[-1] < want[0] / 3  # it does learn
    torch.testing.assert_close(torch.tensor(got), torch.tensor(want), rtol=1e-3, atol=1e-4)
