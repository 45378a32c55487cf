# SPDX-License-Identifier: Apache-2.0
"""A million calls with gradients leave the process as large as it was, to within 1 %."""

import subprocess
import sys
from pathlib import Path

import pytest

LEAKS = Path(__file__).with_name("leaks.py")


@pytest.mark.slow
@pytest.mark.parametrize("way", ["torch", "torch-saved", "numpy", "numpy-saved"])
def test_a_million_calls(way, my_mul_path, saving_path):
    pytest.importorskip(way.removesuffix("-saved"))
    library = saving_path if way.endswith("-saved") else my_mul_path
    ran = subprocess.run(
        [sys.executable, LEAKS, way, library, "1000000"], capture_output=True, text=True
    )
    assert ran.returncode == 0, ran.stderr
    early, late = map(int, ran.stdout.split())
    assert late <= early * 1.01, f"{early} KiB after 100 000 calls, {late} KiB after 1 000 000"
