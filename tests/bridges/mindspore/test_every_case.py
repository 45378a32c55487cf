# SPDX-License-Identifier: Apache-2.0
"""Every shipped operator passes `bascule check` with all its cases, in both modes."""

import pytest
from every_operator import PROJECTS, check_project


@pytest.mark.slow
@pytest.mark.parametrize("mode_name", ["pynative", "graph"])
@pytest.mark.parametrize("project", PROJECTS)
def test_two_hundred_cases(project, mode_name, built):
    check_project(built(f"operators/{project}"), [f"mindspore.{mode_name}"])
