# SPDX-License-Identifier: Apache-2.0
"""docs/tutorial.md, followed to the letter; MindSpore's chapter has a test of its own."""

from pathlib import Path

from pages import DOCS, blocks, follow


def test_every_step(tmp_path):
    assert follow("tutorial.md", tmp_path, lambda command: "mindspore" not in command) == 5
    kernel = (tmp_path / "my_mul/op_kernel/my_mul.cpp").read_text(encoding="utf-8")
    gradient = (tmp_path / "my_mul/gradient.py").read_text(encoding="utf-8")
    quoted = [text for kind, file, text in blocks("tutorial.md") if file is None]
    assert sum(text in kernel or text in gradient for text in quoted) == 2


def test_both_languages_show_the_same_code():
    assert blocks("tutorial.md") == blocks("tutorial.zh.md")


def test_both_languages_have_the_same_chapters():
    def chapters(page: str) -> int:
        return sum(
            line.startswith("## ") for line in Path(DOCS / page).read_text("utf-8").splitlines()
        )

    assert chapters("tutorial.md") == chapters("tutorial.zh.md")
