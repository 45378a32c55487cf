# SPDX-License-Identifier: Apache-2.0
"""Every sentence of the library search and of `bascule doctor` stands in a test, word for word.

The sources are read for their texts; a piece of one that no test quotes fails here, so a new
sentence needs its test. Pieces are what stands between inserted values.
"""

import ast
import re
from pathlib import Path

import pytest

TREE = Path(__file__).resolve().parents[2]
TESTS = ("test_doctor.py", "test_search.py")

_CALL = re.compile(r"(?:checks_?|Checks)\.(?:Good|Warn|Fail)\(")
_LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')


def pieces_of_cpp(path):
    """The literals in calls of Good, Warn and Fail, without the name of the check."""
    text = path.read_text(encoding="utf-8")
    for call in _CALL.finditer(text):
        end = at = call.end()
        depth = 1
        while depth:
            literal = _LITERAL.match(text, end)
            if literal:
                end = literal.end()
                continue
            depth += {"(": 1, ")": -1}.get(text[end], 0)
            end += 1
        arguments = re.sub(r'"\s*\n\s*"', "", text[at:end])  # adjacent literals are one
        for literal in list(_LITERAL.finditer(arguments)):
            yield literal[1].replace('\\"', '"')


def pieces_of_python(path, ignored=()):
    """The literals of a module that are no documentation."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    left_out = set()
    for node in ast.walk(tree):
        body = getattr(node, "body", None)
        first = body[0] if isinstance(body, list) and body else None
        if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
            left_out.add(first.value)
        if isinstance(node, ast.FunctionDef) and node.name in ignored:
            left_out.update(ast.walk(node))
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Command":
            left_out.update(ast.walk(node))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in left_out:
            yield node.value


def quoted():
    """What the tests say, as one text, without the patterns that quote a part only."""
    texts = []
    for name in TESTS:
        tree = ast.parse((TREE / "tests/python" / name).read_text(encoding="utf-8"))
        patterns = {
            part
            for node in ast.walk(tree)
            if isinstance(node, ast.keyword) and node.arg == "match"
            for part in ast.walk(node)
        }
        texts += [
            node.value
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant) and node not in patterns
        ]
    return "\n\n".join(text for text in texts if isinstance(text, str))


def is_sentence(piece):
    return re.search(r"[A-Za-z]{2,}[,;:]? [A-Za-z]{2,}", piece) is not None


@pytest.mark.parametrize(
    "source",
    [
        "src/toolchain/doctor.cpp",
        "python/bascule/search.py",
        "python/bascule/commands/doctor.py",
    ],
)
def test_every_sentence_is_quoted(source):
    path = TREE / source
    if path.suffix == ".cpp":
        pieces = list(pieces_of_cpp(path))
    else:
        pieces = list(pieces_of_python(path, ignored=("add_arguments",)))
    sentences = [piece.strip() for piece in pieces if is_sentence(piece)]
    assert len(sentences) > 20
    text = quoted()
    missing = [piece for piece in sentences if piece not in text]
    assert not missing, "\n".join(["no test quotes:", *missing])
