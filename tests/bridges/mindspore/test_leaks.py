# SPDX-License-Identifier: Apache-2.0
"""What calls with gradients leave behind in MindSpore.

Its graphs leave nothing. In PYNATIVE mode every gradient leaves something behind, also that of
MindSpore's own product; ours leaves no more.
"""

import subprocess
import sys
from pathlib import Path

import pytest

LEAKS = Path(__file__).parents[1] / "leaks.py"
CALLS = 20_000


def growth(way, path):
    """Bytes a call, over the last nine tenths of the calls."""
    ran = subprocess.run(
        [sys.executable, LEAKS, way, path, str(CALLS)], capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stderr
    early, late = map(int, ran.stdout.splitlines()[-1].split())
    return (late - early) * 1024 / (CALLS * 0.9)


@pytest.mark.slow
def test_graphs_leave_nothing(my_mul_path):
    assert growth("mindspore-graph", my_mul_path) < 20


@pytest.mark.slow
def test_pynative_leaves_no_more_than_mindspore(my_mul_path):
    own = growth("mindspore-own", my_mul_path)
    assert growth("mindspore", my_mul_path) < own * 1.05 + 20, f"{own} bytes a call"
