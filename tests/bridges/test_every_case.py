# SPDX-License-Identifier: Apache-2.0
"""Every shipped operator passes `bascule check` with all its cases: NumPy, torch, torch.compile."""

import pytest
from every_operator import PROJECTS, check_project


@pytest.mark.slow
@pytest.mark.parametrize("project", PROJECTS)
def test_two_hundred_cases(project, built):
    pytest.importorskip("torch")
    check_project(built(f"operators/{project}"), ["numpy", "torch", "torch.compile"])
