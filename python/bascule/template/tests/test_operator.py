# `python -m pytest tests`; the fixture comes with bascule.
from pathlib import Path


def test_everything(bascule_check):
    bascule_check(Path(__file__).parent.parent)
