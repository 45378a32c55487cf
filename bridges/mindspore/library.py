# SPDX-License-Identifier: Apache-2.0
"""From the `func` of Custom to a file and a function that MindSpore can be given.

Everything that would go wrong later inside MindSpore, as a crash, a bare number or a message about
something else, is looked at here and refused with a sentence.
"""

import ctypes
import hashlib
import os
import shutil
import tempfile
from pathlib import Path
from typing import NamedTuple, Optional

import bascule
from bascule import _native
from bascule.errors import BadLibrary, NotFound, OperatorNotFound
from bascule.operator import Library, Operator
from bascule.search import Found, find_library

_COMPANIONS = ("Init", "InferShape", "InferType")
_SUFFIXES = ("_kernel", "_custom", "_do", "Kernel", "Custom")


class Loadable(NamedTuple):
    """A function that follows MindSpore's `aot` convention."""

    file: Path  # for MindSpore to load
    symbol: str
    operator: Optional[Operator]  # None: the library has no manifest
    kernel: Optional[Operator] = None  # a lone kernel: it has no such function of its own


def locate(func: str, script: Optional[Path]) -> Loadable:
    """The function that `func` names: a bare name, a path, or either with `:symbol`.

    Raises LibraryNotFound, UntrustedLibrary, NotFound (no such operator or symbol), BadLibrary.
    """
    found = find_library(func, local=True, script=script)
    with found.opening():
        return _loadable_of(found)


def _loadable_of(found: Found) -> Loadable:
    if _has_manifest(found.path):
        library = Library(found.path)
        operator = library.find(found.symbol) if found.symbol else _only(library, found.path)
        return Loadable(_current(found.path), operator.name, operator)
    symbol = found.symbol or _stem(found.path)
    kernel = _lone_kernel(found.path, found.symbol)
    if kernel is not None:
        return Loadable(found.path, kernel.name, None, kernel)
    _check_symbol(found.path, symbol)
    return Loadable(_current(found.path), symbol, None)


def loadable(operator: Operator) -> Loadable:
    """The same for an operator that is already there."""
    return Loadable(_current(Path(operator.source)), operator.name, operator)


def function_of(kernel: Operator, inputs: int) -> str:
    """The function that calls a lone kernel with so many inputs, as MindSpore takes it."""
    runtime = bascule.prefix() / "lib/libbascule.so"
    return f"{runtime}:{kernel.native.aot_function(inputs)}"


def _lone_kernel(path: Path, symbol: Optional[str]) -> Optional[Operator]:
    """The kernel of that name, or None for a library of functions.

    A function beside kernels, such as one that launches them, is taken for one of MindSpore's
    convention only when it has a companion: called by mistake, it would end the process.
    """
    try:
        library = Library(path)
    except BadLibrary as error:
        if "holds no manifest" in str(error):
            return None
        raise
    if symbol is None:
        return _only(library, path)
    try:
        return library.find(symbol)
    except OperatorNotFound:
        functions = ctypes.CDLL(str(path), mode=os.RTLD_NOW | os.RTLD_LOCAL)
        if any(hasattr(functions, symbol + suffix) for suffix in _COMPANIONS):
            return None
        raise


def _has_manifest(path: Path) -> bool:
    try:
        _native.manifest_read(str(path))
    except BadLibrary as error:
        if "holds no manifest" in str(error):
            return False
        raise
    return True


def _only(library: Library, path: Path) -> Operator:
    """The operator a file is named after, else the only one it has."""
    return next((op for op in library if op.name == _stem(path)), None) or library.only()


def _stem(path: Path) -> str:
    name = path.name.partition(".so")[0]
    return name[3:] if name.startswith("lib") else name


def _check_symbol(path: Path, symbol: str) -> None:
    """Refuses a library without manifest that does not load or lacks the function.

    MindSpore would load it lazily, and a function missing then kills the process.
    """
    try:
        library = ctypes.CDLL(str(path), mode=os.RTLD_NOW | os.RTLD_LOCAL)
    except OSError as error:
        raise BadLibrary(f"{path} cannot be loaded: {error}") from None
    if hasattr(library, symbol):
        return
    close = [symbol + suffix for suffix in _SUFFIXES if hasattr(library, symbol + suffix)]
    close += [
        symbol[: -len(suffix)]
        for suffix in _SUFFIXES
        if symbol.endswith(suffix) and hasattr(library, symbol[: -len(suffix)])
    ]
    hint = f" It has '{close[0]}'; was that meant?" if close else ""
    raise NotFound(f"{path} has no function '{symbol}', and no manifest.{hint}")


_handed_out: dict[Path, bytes] = {}  # what a path held when MindSpore was given it
_copies: Optional[tempfile.TemporaryDirectory] = None


def _current(path: Path) -> Path:
    """`path`, or a copy of it under another name where the process has loaded an older build of it.

    The loader knows a library by its path, so MindSpore would go on running the old code.
    """
    global _copies  # noqa: PLW0603
    content = hashlib.sha256(path.read_bytes()).digest()
    if _handed_out.setdefault(path, content) == content:
        return path
    if _copies is None:
        _copies = tempfile.TemporaryDirectory(prefix="bascule-")
    copy = Path(_copies.name) / f"{path.name.partition('.so')[0]}-{content.hex()[:16]}.so"
    if not copy.exists():
        shutil.copyfile(path, copy)
    return copy
