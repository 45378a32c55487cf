# SPDX-License-Identifier: Apache-2.0
"""bascule.torch.replace: modules of torch that call our operators."""

import copy
import math
import pickle
import sys

import pytest
import torch
from torch import nn
from torch.nn import functional

import bascule.torch
from bascule.torch.replace import operator, replace

OPERATORS = ("conv2d", "gelu", "layer_norm", "matmul", "softmax")


@pytest.fixture(scope="module", autouse=True)
def libraries(built):
    """The shipped operators, built once for all tests and not into the user's cache."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BASCULE_PATH", str(built("operators/gelu").parent))
        for name in OPERATORS:
            built(f"operators/{name}")
        yield


class Block(nn.Module):
    """A layer of a transformer; `product` is torch.matmul or ours."""

    product = staticmethod(torch.matmul)

    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norms = nn.ModuleList([nn.LayerNorm(width), nn.LayerNorm(width)])
        self.into = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width, bias=False)
        self.weights = nn.Softmax(-1)
        self.mlp = nn.Sequential(
            nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width)
        )

    def forward(self, x):
        n, length, width = x.shape
        parts = (
            self.into(self.norms[0](x)).view(n, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        )
        q, k, v = (part.contiguous() for part in parts)
        scores = self.product(q, k.transpose(-1, -2).contiguous()) / math.sqrt(q.shape[-1])
        mixed = self.product(self.weights(scores), v).transpose(1, 2).reshape(n, length, width)
        x = x + self.out(mixed)
        return x + self.mlp(self.norms[1](x))


def transformer():
    torch.manual_seed(0)
    return nn.Sequential(Block(12, 3), Block(12, 3), nn.LayerNorm(12), nn.Linear(12, 5))


def convolutional():
    torch.manual_seed(0)
    return nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1),
        nn.GELU("tanh"),
        nn.Conv2d(8, 8, 3, stride=2, padding="valid", groups=2),
        nn.GELU(),
        nn.Flatten(),
        nn.Linear(8 * 3 * 3, 5),
        nn.Softmax(1),
    )


def losses(model, data, loss, steps=12):
    optimiser = torch.optim.AdamW(model.parameters(), lr=3e-3)
    inputs, labels = data
    values = []
    for _ in range(steps):
        optimiser.zero_grad()
        value = loss(model(inputs), labels)
        value.backward()
        optimiser.step()
        values.append(value.item())
    return values


def test_a_transformer_trains_as_torch_does():
    torch.manual_seed(1)
    data = torch.randn(4, 7, 12), torch.randint(0, 5, (4, 7))

    def loss(out, labels):
        return functional.cross_entropy(out.flatten(0, 1), labels.flatten())

    expected = losses(transformer(), data, loss)
    model = transformer()
    replaced = replace(model)
    assert len(replaced.replaced) == 2 * 8 + 2 and not replaced.left_alone
    for block in model[:2]:
        block.product = operator("matmul")
    torch.testing.assert_close(losses(model, data, loss), expected, rtol=1e-4, atol=1e-5)
    assert expected[-1] < 0.9 * expected[0]


def test_a_convolutional_net_trains_as_torch_does():
    torch.manual_seed(1)
    data = torch.randn(6, 3, 8, 8), torch.randint(0, 5, (6,))

    def loss(out, labels):
        return functional.nll_loss(torch.log(out), labels)

    expected = losses(convolutional(), data, loss)
    model = convolutional()
    replaced = replace(model)
    assert replaced.replaced == {
        "0": "conv2d",
        "1": "gelu",
        "2": "conv2d",
        "3": "gelu",
        "5": "matmul",
        "6": "softmax",
    }
    torch.testing.assert_close(losses(model, data, loss), expected, rtol=1e-4, atol=1e-5)
    assert expected[-1] < 0.9 * expected[0]


def test_it_is_undone_and_nothing_else_changes():
    model = convolutional()
    modules, parameters = list(model.modules()), list(model.parameters())
    keys = list(model.state_dict())
    x = torch.randn(2, 3, 8, 8)
    before = model(x)
    with replace(model) as replaced:
        assert type(model[0]).__module__ == "bascule.torch.replace"
        assert isinstance(model[0], nn.Conv2d)
        assert all(a is b for a, b in zip(modules, model.modules()))
        assert all(a is b for a, b in zip(parameters, model.parameters()))
        assert list(model.state_dict()) == keys
        torch.testing.assert_close(model(x), before)
        for other in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
            torch.testing.assert_close(other(x), before)
        assert set(replace(model).left_alone.values()) == {"it is replaced already"}
        model.eval()
        torch.testing.assert_close(model(x), before)
    assert [type(m) for m in model.modules()] == [type(m) for m in convolutional().modules()]
    replaced.undo()
    torch.testing.assert_close(model(x), before, rtol=0, atol=0)


def test_what_is_left_alone_and_why(monkeypatch):
    class Own(nn.Linear):
        pass

    model = nn.ModuleDict(
        {
            "own": Own(2, 2),
            "wide": nn.Linear(2, 2).double(),
            "meta": nn.Linear(2, 2, device="meta"),
            "circular": nn.Conv2d(2, 2, 3, padding=1, padding_mode="circular"),
            "uneven": nn.Conv2d(2, 2, 2, padding="same"),
            "far": nn.Conv2d(2, 2, 3, stride=64),
            "any": nn.Softmax(),
            "patched": nn.GELU(),
            "attention": nn.MultiheadAttention(4, 2),
            "relu": nn.ReLU(),
            "good": nn.Conv2d(2, 2, 3, padding="same"),
        }
    )
    model["patched"].forward = lambda x: x
    replaced = replace(model)
    assert replaced.replaced == {"good": "conv2d"}
    assert replaced.left_alone == {
        "own": "it is a Own, a subclass of Linear that may do something else",
        "wide": "its weight is torch.float64; taken are float32, float16 and bfloat16",
        "meta": "its weight is on meta; our operators run on the CPU",
        "circular": "padding_mode is 'circular'; conv2d pads with zeros only",
        "uneven": "padding is 'same' of an even filter, which is uneven; conv2d pads both sides "
        "alike",
        "far": "stride: 64; conv2d takes at most 63",
        "any": "its dim is None, which depends on the input's rank",
        "patched": "its forward is its own",
        "attention.out_proj": "it is a NonDynamicallyQuantizableLinear, a subclass of Linear that "
        "may do something else",
    }
    assert "  good: conv2d\nleft alone: 9\n  own: it is a Own" in str(replaced)
    replaced.undo()

    def nothing(name):
        raise bascule.NotFound(f"no {name} here")

    monkeypatch.setattr(sys.modules["bascule.torch.replace"], "operator", nothing)
    gelu = nn.GELU()
    replaced = replace(gelu)
    assert replaced.left_alone == {"": "there is no operator gelu: no gelu here"}
    assert type(gelu) is nn.GELU
    with pytest.raises(bascule.InvalidArgument, match=r"takes a torch\.nn\.Module, not a function"):
        replace(nothing)


def test_other_inputs_go_to_torch():
    model = nn.Sequential(nn.LayerNorm(6), nn.GELU(), nn.Softmax(-1))
    linear, convolution = nn.Linear(6, 3), nn.Conv2d(2, 3, 3)
    x, image = torch.randn(4, 6), torch.randn(2, 5, 5)
    expected = linear(x), convolution(image)
    for module in (model, linear, convolution):
        replace(module)
    torch.testing.assert_close(linear(x), expected[0])
    torch.testing.assert_close(linear(x[0]), expected[0][0])
    torch.testing.assert_close(convolution(image), expected[1])  # without a batch
    assert model[1:](x.double()).dtype == torch.float64
    with torch.autocast("cpu", torch.bfloat16):
        assert linear(x).dtype == torch.bfloat16
    with pytest.raises(RuntimeError, match="normalized_shape"):
        model(torch.randn(4, 5))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
def test_16_bits(dtype):
    model = nn.Sequential(nn.Linear(6, 8), nn.LayerNorm(8), nn.GELU(), nn.Softmax(-1)).to(dtype)
    x = torch.randn(5, 6).to(dtype)
    expected = model(x)
    replaced = replace(model)
    assert len(replaced.replaced) == 4
    torch.testing.assert_close(model(x), expected, rtol=0.02, atol=0.01)


def test_hooks_and_compilation():
    torch._dynamo.reset()
    model = transformer()
    x = torch.randn(2, 5, 12)
    expected = model(x)
    seen = []
    model[0].into.register_forward_hook(lambda module, inputs, out: seen.append(out.shape))
    replace(model)
    torch.testing.assert_close(model(x), expected)
    assert seen == [(2, 5, 36)]
    compiled = torch.compile(model[2:], backend="aot_eager", fullgraph=True)
    torch.testing.assert_close(compiled(x), model[2:](x))
    compiled(x).sum().backward()
