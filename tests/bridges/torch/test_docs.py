# SPDX-License-Identifier: Apache-2.0
"""The code in docs/pytorch.md runs."""

import re
from pathlib import Path

import torch

DOCS = Path(__file__).resolve().parents[3] / "docs"


def test_pytorch_md(my_mul_path, monkeypatch):
    monkeypatch.chdir(my_mul_path.parent)
    blocks = re.findall(r"```python\n(.*?)```", (DOCS / "pytorch.md").read_text("utf-8"), re.S)
    assert len(blocks) == 8
    names = {}
    for block in blocks:
        exec(compile(block, "docs/pytorch.md", "exec"), names)
    x, y = torch.randn(4), torch.randn(4)
    torch.testing.assert_close(names["net"](x, y), x * y + 1)
    torch.testing.assert_close(names["hessian"](x), 2 * torch.eye(4))
