# SPDX-License-Identifier: Apache-2.0
"""Ascend C operators as CPU libraries for AI frameworks.

Importing this imports no framework; those live in bascule.torch and bascule.mindspore.
"""

from pathlib import Path

from bascule._version import __version__

__all__ = ["__version__", "prefix"]


def prefix() -> Path:
    """The folder with include/, lib/libbascule.so and share/cmake/ that this package carries."""
    return Path(__file__).resolve().parent
