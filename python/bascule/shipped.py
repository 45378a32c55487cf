# SPDX-License-Identifier: Apache-2.0
"""The operators that come with bascule, as libraries.

    path = bascule.shipped.library("softmax")

A library that bascule.search finds under that name is taken. Else it is built, the first time it is
asked for, from the sources the package carries: a wheel with ten libraries of each kind would be
larger and older than what the user's compiler makes, and building needs what `bascule build` needs
anyway. What was built lies in the user's cache, by bascule's version.
"""

import json
import os
import sys
from pathlib import Path

from bascule import _native, prefix
from bascule._version import __version__
from bascule.errors import NotFound
from bascule.search import LibraryNotFound, find_library

__all__ = ["cache_folder", "library", "names", "sources"]


def sources() -> Path:
    """The folder with a project for each operator."""
    return prefix() / "share/operators"


def names() -> tuple[str, ...]:
    """The operators that the package carries."""
    return tuple(sorted(path.parent.name for path in sources().glob("*/op_host")))


def cache_folder() -> Path:
    """Where built libraries lie: XDG_CACHE_HOME, else ~/.cache, then bascule/<version>."""
    chosen = os.environ.get("XDG_CACHE_HOME", "")
    root = Path(chosen) if Path(chosen).is_absolute() else Path.home() / ".cache"
    return root / "bascule" / __version__


def library(name: str) -> Path:
    """The library of a shipped operator, found or built.

    Raises NotFound for a name that is not shipped, BuildError with what the compiler said.
    """
    try:
        return find_library(name).path
    except LibraryNotFound as error:
        project = sources() / name
        if not (project / "op_host").is_dir():
            there = ", ".join(names()) or "none"
            raise NotFound(
                f"bascule ships no operator {name}; it ships {there}. {error}"
            ) from error
    output = cache_folder() / f"lib{name}.so"
    if not output.exists():
        print(f"bascule: building operator {name}, once, to {output}", file=sys.stderr)
    output.parent.mkdir(parents=True, exist_ok=True)
    # Where nothing changed this looks and builds nothing.
    report = _native.build(
        str(project), json.dumps({"prefix": str(prefix()), "output": str(output)})
    )
    return Path(json.loads(report)["output"])
