# SPDX-License-Identifier: Apache-2.0
"""Ascend C operators as CPU libraries for AI frameworks.

    lib = bascule.load("./libmy_mul.so")  # NumPy: lib.my_mul(x, y)
    ops = bascule.torch.load("./libmy_mul.so")  # PyTorch: torch.ops.my_mul.my_mul(x, y)

Importing this imports no framework; the bridges bascule.torch and bascule.mindspore are imported
when they are first named.
"""

import importlib
from pathlib import Path
from typing import Any

from bascule._version import __version__
from bascule.bridges import is_bridge
from bascule.errors import (
    BadLibrary,
    BuildError,
    CheckFailed,
    Deadlock,
    Error,
    GradientError,
    InternalError,
    InvalidArgument,
    KernelError,
    NotFound,
    OperatorNotFound,
    OutOfMemory,
    Unsupported,
    VersionMismatch,
)

__all__ = [
    "BadLibrary",
    "BuildError",
    "CheckFailed",
    "Custom",
    "Deadlock",
    "Error",
    "GradientError",
    "InternalError",
    "InvalidArgument",
    "KernelError",
    "Library",
    "LibraryNotFound",
    "NotFound",
    "Operator",
    "OperatorNotFound",
    "OutOfMemory",
    "Unsupported",
    "VersionMismatch",
    "__version__",
    "gradcheck",
    "load",
    "prefix",
    "vjp",
]

# Imported when first asked for: the module that holds it. Loading the runtime waits until then.
_LATE = {
    "Custom": "bascule.custom",
    "Library": "bascule.operator",
    "LibraryNotFound": "bascule.search",
    "Operator": "bascule.operator",
    "gradcheck": "bascule.gradcheck",
    "load": "bascule.operator",
    "vjp": "bascule.vjp",
}


def __getattr__(name: str) -> Any:
    if name in _LATE:
        value = globals()[name] = getattr(importlib.import_module(_LATE[name]), name)
        return value
    if name == "xp" or is_bridge(name):
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def prefix() -> Path:
    """The folder with include/, lib/libbascule.so and share/cmake/ that this package carries."""
    return Path(__file__).resolve().parent
