# SPDX-License-Identifier: Apache-2.0
"""Which bridge a tensor belongs to.

A bridge is a subpackage of bascule with the name of its framework: bascule.torch for the tensors of
torch. Nothing lists them, so a bridge is added by adding its folder.
"""

import importlib
import pkgutil
import sys
from collections.abc import Iterator
from importlib import util
from types import ModuleType
from typing import Any, Optional

__all__ = ["bridge", "framework_of", "imported", "is_bridge"]


def framework_of(value: Any) -> Optional[str]:
    """The framework whose tensor `value` is, if it has a bridge; else None. Imports nothing.

    A class derived from a framework's tensor may live anywhere, so its bases count as well.
    """
    for base in type(value).__mro__:
        framework = base.__module__.partition(".")[0]
        if is_bridge(framework):
            return framework
    return None


def is_bridge(framework: str) -> bool:
    """Whether bascule has a subpackage of that name."""
    spec = util.find_spec(f"bascule.{framework}")
    # A folder without code, such as lib/, would pass for a package if it were not for `origin`.
    return bool(spec and spec.origin and spec.submodule_search_locations is not None)


def imported() -> Iterator[ModuleType]:
    """The bridges of the frameworks that this process has imported."""
    import bascule

    for module in pkgutil.iter_modules(bascule.__path__):
        if module.ispkg and module.name in sys.modules:
            yield bridge(module.name)


def bridge(framework: str, part: str = "") -> ModuleType:
    """The bridge of a framework, or the module `part` in it."""
    return importlib.import_module(f"bascule.{framework}" + (f".{part}" if part else ""))
