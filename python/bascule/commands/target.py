# SPDX-License-Identifier: Apache-2.0
"""What a command works on: a project, a kernel file, a library, or an operator's name.

`resolve` turns what the user typed into a library that is there, building it where it has to. In
this order, each with `:OPERATOR` behind it where a library holds several:

1. a folder: an operator project, built to its usual place; nothing happens where nothing changed
2. a file that ends as C++ does (.cpp, .cc, .cxx): a lone kernel, built to build_out/ beside it
3. anything else: a library or an operator, looked for as bascule.search says
"""

import json
import os
from pathlib import Path
from typing import Any, NamedTuple, Optional

import bascule
from bascule.console import progress
from bascule.errors import InvalidArgument, NotFound

__all__ = ["HELP", "KERNEL_SUFFIXES", "Target", "resolve"]

HELP = "a project's folder, a kernel's file, a library or an operator's name; :OPERATOR chooses one"

KERNEL_SUFFIXES = (".cpp", ".cc", ".cxx")


class Target(NamedTuple):
    text: str  # as the user typed it
    project: Optional[Path]  # its folder; None for kernel files and libraries
    library: Path
    operator: Optional[str]  # what stood behind the colon
    kernel_file: Optional[Path] = None
    found: Any = None  # a search.Found, where it was looked for

    def open(self) -> Any:
        """The library, loaded: a bascule.Library."""
        from bascule.operator import Library

        if self.found is None:
            return Library(self.library)
        with self.found.opening():
            return Library(self.library)

    def open_operator(self) -> Any:
        """The operator that was named, or the only one of the library: a bascule.Operator."""
        library = self.open()
        return library.only() if self.operator is None else library.find(self.operator)


def resolve(text: str) -> Target:
    """The library that `text` stands for, built where it is a project or a kernel file.

    Raises NotFound with everything that was tried, BuildError with what the compiler said.
    """
    from bascule.search import find_library, is_file, is_folder

    place, operator = _split(text)
    path = Path(place)
    if place and is_folder(path):
        return Target(text, path, _build(path), operator)
    if path.suffix in KERNEL_SUFFIXES:
        if not is_file(path):
            raise NotFound(f"there is no kernel file {place}")
        return Target(text, None, _build(path), operator, path)
    try:
        found = find_library(text)
    except NotFound as error:
        raise NotFound(f"there is no project folder {place}, and {error}") from error
    except ValueError as error:
        raise InvalidArgument(str(error)) from error
    return Target(text, None, found.path, found.symbol, found=found)


def _split(text: str) -> tuple[str, Optional[str]]:
    """A path and an operator. A file whose own name has a colon is meant before an operator is."""
    if ":" not in text or os.path.lexists(text):
        return text, None
    place, _, operator = text.rpartition(":")
    if not operator:  # find_library has the sentence
        return "", None
    return place, operator


def _build(path: Path) -> Path:
    from bascule import _native

    with progress(f"building {path}"):
        report = _native.build(str(path), json.dumps({"prefix": str(bascule.prefix())}))
    return Path(json.loads(report)["output"])
