# SPDX-License-Identifier: Apache-2.0
"""MindSpore's chapter of docs/tutorial.md."""

from pages import follow


def test_every_step(tmp_path):
    steps = ("bascule new", "bascule build", "python train_mindspore")
    assert follow("tutorial.md", tmp_path, lambda command: command.startswith(steps)) == 3
