# SPDX-License-Identifier: Apache-2.0
"""Follows a page as its reader does: writes its files, types its commands, compares the output."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2] / "docs"

_BLOCK = re.compile(r"(?:<!-- file: (?P<file>\S+) -->\n)?```(?P<kind>\w+)\n(?P<text>.*?)```", re.S)


def blocks(page):
    """(kind, file name or None, text) of each block of code of a page in docs/."""
    text = (DOCS / page).read_text(encoding="utf-8")
    return [(m["kind"], m["file"], m["text"]) for m in _BLOCK.finditer(text)]


def follow(page, folder, wanted=lambda command: True):
    """Follows the page in `folder`; returns how many of its commands were `wanted` and ran."""
    done = 0
    for kind, file, text in blocks(page):
        if file is not None:
            (folder / file).write_text(text, encoding="utf-8")
        if kind != "console":
            continue
        for command, expected in _commands(text):
            if wanted(command):
                _run(command, expected, folder)
                done += 1
    return done


def _commands(text):
    """(command, what it prints) of a block; "" where the page shows nothing."""
    for part in re.split(r"^\$ ", text, flags=re.M)[1:]:
        command, _, expected = part.partition("\n")
        yield command, expected


def _run(command, expected, folder):
    name, *arguments = shlex.split(command)
    module = {"python": [], "bascule": ["-m", "bascule"]}[name]
    environment = {k: v for k, v in os.environ.items() if not k.startswith("BASCULE_")}
    result = subprocess.run(
        [sys.executable, *module, *arguments],
        cwd=folder,
        env={**environment, "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert result.returncode == 0, f"$ {command}\n{result.stdout}{result.stderr}"
    if expected:
        assert result.stdout == expected, f"$ {command}\n{result.stdout}"
