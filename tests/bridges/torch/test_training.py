# SPDX-License-Identifier: Apache-2.0
"""Training: optimisers, hooks, several losses, two processes."""

import subprocess
import sys
import textwrap

import torch


class Scale(torch.nn.Module):
    """y = w * x, by any operator."""

    def __init__(self, multiply, size):
        super().__init__()
        self.multiply = multiply
        self.weight = torch.nn.Parameter(torch.zeros(size))

    def forward(self, x):
        return self.multiply(x, self.weight)


def train(multiply, optimiser):
    net = Scale(multiply, 17)
    steps = optimiser(net.parameters())
    numbers = torch.Generator().manual_seed(3)
    for _ in range(20):
        x = torch.randn(17, generator=numbers)
        loss = ((net(x) - x * torch.arange(17)) ** 2).mean()
        steps.zero_grad()
        loss.backward()
        steps.step()
    return net.weight.detach()


def test_loop_is_that_of_the_built_in_operator(my_mul):
    for optimiser in (
        lambda p: torch.optim.SGD(p, 0.2, momentum=0.9),
        lambda p: torch.optim.AdamW(p, 0.1),
    ):
        assert torch.equal(train(my_mul, optimiser), train(torch.mul, optimiser))


def test_hooks(my_mul):
    x, y = (torch.randn(5, requires_grad=True) for _ in range(2))
    seen = []
    x.register_hook(lambda gradient: seen.append("tensor") or 2 * gradient)
    x.register_post_accumulate_grad_hook(lambda tensor: seen.append("accumulated"))
    out = my_mul(x, y)
    out.grad_fn.register_hook(lambda inputs, outputs: seen.append("node"))
    out.sum().backward()
    assert sorted(seen) == ["accumulated", "node", "tensor"]
    assert torch.equal(x.grad, 2 * y.detach())


def test_several_losses_share_a_graph(my_mul):
    x, y = (torch.randn(5, requires_grad=True) for _ in range(2))
    out = my_mul(x, y)
    out.sum().backward(retain_graph=True)
    (3 * out).sum().backward()
    torch.testing.assert_close(x.grad, 4 * y.detach())


TWO_PROCESSES = """
import sys
import torch
import torch.distributed as distributed
import bascule.torch

rank, store, library = int(sys.argv[1]), sys.argv[2], sys.argv[3]
ops = bascule.torch.load(library)
distributed.init_process_group("gloo", f"file://{store}", rank=rank, world_size=2)


class Scale(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.zeros(4))

    def forward(self, x):
        return ops.my_mul(x, self.weight)


net = torch.nn.parallel.DistributedDataParallel(Scale())
x = torch.arange(4.0) + rank
net(x).sum().backward()
print(net.module.weight.grad.tolist())
distributed.destroy_process_group()
"""


def test_two_processes(my_mul_path, tmp_path):
    """The gradients are the means over the processes: those of x = arange + 0.5."""
    script = tmp_path / "two.py"
    script.write_text(textwrap.dedent(TWO_PROCESSES))
    command = [sys.executable, script]
    processes = [
        subprocess.Popen(
            [*command, str(rank), tmp_path / "store", my_mul_path],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in range(2)
    ]
    for process in processes:
        out, err = process.communicate(timeout=120)
        assert process.returncode == 0, err
        assert out.strip() == "[0.5, 1.5, 2.5, 3.5]"
