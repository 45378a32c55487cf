#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The whole way on one screen: a kernel becomes a library, and two frameworks train with it.

    tools/demo.py         what `make demo` runs; FRAMEWORKS=torch leaves MindSpore out

Everything shown is done while it is shown. The MindSpore part is tools/demo_mindspore.py, run in
its own environment.
"""

import os
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

import torch

import bascule
import bascule.torch

TREE = Path(__file__).resolve().parent.parent
FOLDER = TREE / "build/demo"
PROJECT = FOLDER / "my_mul"
LIBRARY = FOLDER / "libmy_mul.so"
MINDSPORE = TREE / ".venv-mindspore/bin/python"
WIDTH = 100


def main():
    new()
    build()
    train_with_torch()
    # make passes FRAMEWORKS on also where nobody set it: empty.
    if "mindspore" in (os.environ.get("FRAMEWORKS") or "mindspore"):
        return train_with_mindspore()
    return 0


def title(text):
    print(f"── {text} ".ljust(WIDTH, "─"), flush=True)


def show(text):
    print(textwrap.indent(textwrap.dedent(text).rstrip(), "  "), flush=True)


def excerpt(path, first, last):
    """The lines of a file from one that contains `first` to the next that contains `last`."""
    lines = path.read_text(encoding="utf-8").splitlines()
    begin = next(i for i, line in enumerate(lines) if first in line)
    end = next(i for i in range(begin, len(lines)) if last in lines[i])
    return "\n".join(lines[begin : end + 1])


def numbers(tensor):
    return str(tensor.tolist()).replace(".0", "")


def new():
    """A project as every newcomer gets it. The operator in operators/my_mul can do more."""
    shutil.rmtree(PROJECT, ignore_errors=True)
    FOLDER.mkdir(parents=True, exist_ok=True)
    title("$ bascule new my_mul, an operator project: op_kernel/my_mul.cpp and gradient.py")
    command = [sys.executable, "-m", "bascule", "new", "my_mul", "--folder", PROJECT]
    made = subprocess.run(command, stdout=subprocess.PIPE)
    if made.returncode != 0:
        sys.exit(made.returncode)
    show(
        excerpt(PROJECT / "op_kernel/my_mul.cpp", "inline void Compute", "FreeTensor(y)") + "\n  }"
    )
    show(excerpt(PROJECT / "gradient.py", "def ", "return"))


def build():
    title("$ bascule build my_mul")
    command = [sys.executable, "-m", "bascule", "build", PROJECT, "-o", LIBRARY]
    built = subprocess.run(command, stdout=subprocess.PIPE, text=True)
    if built.returncode != 0:
        sys.exit(built.returncode)
    *steps, last = built.stdout.splitlines()
    kernels = [step for step in steps if "op_kernel" in step]
    print("\n".join(["  …", *kernels, "  …", "  " + last.replace(f"{TREE}/", "")]), flush=True)


def train_with_torch():
    title(f"PyTorch {torch.__version__.partition('+')[0]}: torch.ops, autograd, an optimiser")
    ops = bascule.torch.load(LIBRARY)
    print(f"  bascule.torch.load(…) registers torch.ops.{ops.my_mul._schema}")
    x = torch.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    y = torch.tensor([[5.0, 6.0], [7.0, 8.0]], requires_grad=True)
    out = torch.ops.my_mul.my_mul(x, y)
    out.sum().backward()
    print(f"  x = {numbers(x)}, y = {numbers(y)}: my_mul(x, y) = {numbers(out)}")
    print(f"  gradients of its sum: dx = {numbers(x.grad)}, dy = {numbers(y.grad)}")

    torch.manual_seed(0)
    wanted = torch.tensor([2.0, -1.0, 0.5, 3.0])
    weight = torch.nn.Parameter(torch.zeros(4))
    optimiser = torch.optim.SGD([weight], lr=0.5)
    batch = torch.randn(16, 4)
    print(f"  fit w so that my_mul(x, w) is x * {wanted.tolist()}:")
    for step in range(41):
        out = torch.ops.my_mul.my_mul(batch, weight.expand(16, 4))
        loss = (out - batch * wanted).square().mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        if step % 10 == 0:
            found = ", ".join(f"{w:6.3f}" for w in weight.tolist())
            print(f"    step {step:2}  loss {loss.item():9.6f}  w = [{found}]", flush=True)
    if not torch.allclose(weight, wanted, atol=1e-2):
        sys.exit("the training did not find the weights")


def train_with_mindspore():
    if not MINDSPORE.exists():
        sys.exit(f"{MINDSPORE} does not exist; FRAMEWORKS=torch leaves MindSpore out.")
    script = TREE / "tools/demo_mindspore.py"
    return subprocess.run([MINDSPORE, script, LIBRARY], cwd=LIBRARY.parent).returncode


if __name__ == "__main__":
    sys.exit(main())
