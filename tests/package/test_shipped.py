# SPDX-License-Identifier: Apache-2.0
"""The operators that come with the package: found, or built once from the sources it carries."""

from pathlib import Path

import numpy as np
import pytest

import bascule
from bascule import shipped

TREE = Path(__file__).resolve().parents[2]


def test_the_package_carries_every_operator():
    there = {path.parent.name for path in (TREE / "operators").glob("*/op_host")}
    assert set(shipped.names()) == there
    for name in there:
        for folder in ("op_host", "op_kernel"):
            own = {path.name for path in (TREE / "operators" / name / folder).iterdir()}
            assert own == {path.name for path in (shipped.sources() / name / folder).iterdir()}
        assert (shipped.sources() / name / "gradient.py").is_file()


def test_the_page_lists_every_operator():
    page = (TREE / "docs/operators.md").read_text(encoding="utf-8")
    assert [name for name in shipped.names() if f"(../operators/{name})" not in page] == []


def test_a_library_is_built_once(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setenv("BASCULE_PATH", "")
    path = shipped.library("mul_scale")
    assert path.is_relative_to(tmp_path) and path.name == "libmul_scale.so"
    assert f"building operator mul_scale, once, to {path}" in capsys.readouterr().err
    when = path.stat().st_mtime_ns
    assert shipped.library("mul_scale") == path
    assert path.stat().st_mtime_ns == when and capsys.readouterr().err == ""
    x = np.float32([1, 2, 3])
    np.testing.assert_array_equal(bascule.load(path).mul_scale(x, x, scale=2), 2 * x * x)
    # One that is found is taken as it is.
    monkeypatch.setenv("BASCULE_PATH", str(path.parent))
    assert shipped.library("mul_scale") == path


def test_an_operator_that_does_not_ship(monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    with pytest.raises(bascule.NotFound, match=r"ships no operator attention; it ships .*softmax"):
        shipped.library("attention")
