# SPDX-License-Identifier: Apache-2.0
"""The commands that README.md shows, run as it shows them."""

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

TREE = Path(__file__).resolve().parents[2]


def commands():
    for line in (TREE / "README.md").read_text(encoding="utf-8").splitlines():
        if shown := re.match(r" {4}bascule (.*)", line):
            yield shlex.split(shown.group(1), comments=True)


def test_every_command_of_the_readme_works(tmp_path):
    shutil.copytree(TREE / "operators/my_mul", tmp_path / "operators/my_mul")
    shown = list(commands())
    assert ["build", "operators/my_mul"] in shown
    for arguments in shown:
        run = subprocess.run(
            [sys.executable, "-m", "bascule", *arguments],
            cwd=tmp_path,
            capture_output=True,
            text=True,
        )
        assert run.returncode == 0, (arguments, run.stdout, run.stderr)


def links(page):
    return re.findall(r"\]\(([^)#]+)\)", (TREE / page).read_text(encoding="utf-8"))


def test_every_file_of_the_readme_exists():
    for target in links("README.md"):
        assert (TREE / target).exists(), target


def test_both_languages_show_the_same():
    """The same commands, and the same pages, the tutorial in the reader's language."""

    def code(page):
        text = (TREE / page).read_text(encoding="utf-8")
        return [line for line in text.splitlines() if line.startswith("    ")]

    assert code("README.md") == code("README.zh.md")
    there = {target.replace(".zh.md", ".md") for target in links("README.zh.md")}
    assert there == {target.replace(".zh.md", ".md") for target in links("README.md")}
