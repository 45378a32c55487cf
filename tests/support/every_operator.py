# SPDX-License-Identifier: Apache-2.0
"""`bascule check` of the shipped operators on all their cases, for the tests of each framework."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import bascule
from bascule.check import Options, check_operator

_FOLDER = Path(__file__).resolve().parents[2] / "operators"
PROJECTS = tuple(sorted(path.parent.name for path in _FOLDER.glob("*/op_host")))

LEAST = 200  # cases of all element types together; of gradients half as many
FEWER = {"mindspore.graph": 4}  # ways that get the gradient of one case in so many


def check_project(library: Any, ways: Sequence[str]) -> None:
    """Asserts that every operator of a library passes, in each of `ways` with LEAST cases."""
    for operator in bascule.load(library):
        report = check_operator(operator, Options(frameworks=list(ways)))
        print(report)
        assert not report.missing, report.missing
        assert not [line for line in report.lines if line.verdict == "failed"], str(report)
        totals = report.totals()
        for way in ways:
            told = f"{operator.name} in {way}: {totals.get(way)}"
            assert totals[way]["forward"] >= LEAST, told
            if operator.gradient.kind != "none":
                assert totals[way]["gradient"] >= LEAST // 2 // FEWER.get(way, 1), told
