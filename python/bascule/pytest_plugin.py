# SPDX-License-Identifier: Apache-2.0
"""Fixtures for pytest, there wherever bascule is installed.

    def test_gradient(bascule_gradcheck):
        bascule_gradcheck(my_mul, x, y)

    def test_operator(bascule_check):
        bascule_check("./my_mul")  # a project, a library or an operator's name

Both fail the test with the report as its text.
"""

import pytest

__all__ = ["bascule_check", "bascule_gradcheck"]


@pytest.fixture(scope="session")
def bascule_gradcheck():
    """bascule.gradcheck."""
    from bascule.gradcheck import gradcheck

    return gradcheck


@pytest.fixture(scope="session")
def bascule_check():
    """check(target, dtypes=None, frameworks=None) is `bascule check`.

    Returns a report for each operator; raises bascule.CheckFailed unless everything is right.
    """
    from bascule.check import Options, check_operator
    from bascule.commands.target import resolve

    def check(target, dtypes=None, frameworks=None):
        found = resolve(str(target))
        library = found.open()
        operators = list(library) if found.operator is None else [library.find(found.operator)]
        reports = []
        for operator in operators:
            report = check_operator(operator, Options(dtypes, frameworks))
            report.raise_failure()
            reports.append(report)
        return reports

    return check
