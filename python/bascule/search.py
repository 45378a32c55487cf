# SPDX-License-Identifier: Apache-2.0
"""Where an operator library is looked for.

A library is named by a path (it contains a `/`) or by a bare name; either may be followed by
`:symbol`. `my_mul` means the file `libmy_mul.so`; `libmy_mul.so` means itself. In this order:

1. a path: that file and no other, relative to the working directory
2. `BASCULE_PATH`: folders separated by `:`; only absolute ones count, empty ones are ignored
3. installed packages: the folders named by entry points of the group `bascule.libraries`, whose
   value is the package that holds the libraries (`my_ops = "my_ops.lib"`)
4. where the caller asks for it: the folder of the calling script, then the working directory, with
   one line on stderr the first time a file is used; `BASCULE_NO_CWD=1` turns this off

The first file found is used. Another of the same name further down that differs in content is
warned about. A library in a folder that others may write is refused, because loading it runs it.
"""

import difflib
import os
import re
import stat
import sys
import warnings
from collections.abc import Iterator
from importlib import metadata, util
from pathlib import Path
from types import FrameType
from typing import NamedTuple, Optional

from bascule.errors import Error, NotFound

__all__ = ["Found", "LibraryNotFound", "UntrustedLibrary", "find_library", "script_folder"]

ENTRY_POINTS = "bascule.libraries"

_told: set[Path] = set()  # files that stderr has named


class LibraryNotFound(NotFound, FileNotFoundError):
    """No place holds the library; the message lists every place and what was there."""


class UntrustedLibrary(Error, PermissionError):
    """The library lies in a folder that others may write."""


class Found(NamedTuple):
    path: Path  # absolute
    symbol: Optional[str]  # what stood after the colon
    place: str  # "BASCULE_PATH", "the working directory", ...


class _Place(NamedTuple):
    what: str
    folder: Optional[Path]  # None: nothing to look into, `note` says why
    note: str = ""
    local: bool = False  # found without having been named anywhere: told on stderr


def split_name(name: str) -> tuple[str, Optional[str]]:
    """`"./libmy_mul.so:my_mul"` is `("./libmy_mul.so", "my_mul")`; no colon gives None."""
    head, colon, tail = name.rpartition(":")
    return (head, tail) if colon else (name, None)


def file_name(name: str) -> str:
    """The file a bare name stands for: `my_mul` is `libmy_mul.so`."""
    return name if name.endswith(".so") else f"lib{name}.so"


def script_folder(frame: Optional[FrameType] = None) -> Optional[Path]:
    """The folder of the nearest calling source file outside this package, or None.

    None in an interactive session, which has no file.
    """
    frame = frame or sys._getframe(1)
    while frame is not None:
        if frame.f_globals.get("__name__", "").partition(".")[0] != __package__:
            file = frame.f_globals.get("__file__")
            return Path(file).resolve().parent if file else None
        frame = frame.f_back
    return None


def find_library(
    name: str, *, local: bool = False, script: Optional[Path] = None, quiet: bool = False
) -> Found:
    """The library called `name`, by the order in this module's text.

    `local` allows place 4, with `script` the folder of the calling script, None in an interactive
    session. `quiet` leaves out the line about place 4.

    Raises ValueError for a malformed name, LibraryNotFound, UntrustedLibrary.
    """
    file, symbol = split_name(name)
    if not file or symbol == "":
        raise ValueError(
            f"{name!r} names no operator library; expected a name, a path, or either with ':symbol'"
        )
    if "/" in file:
        return Found(_at_path(Path(file)), symbol, "the path given")
    if not re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.+-]*", file):
        raise ValueError(f"{file!r} cannot be the name of an operator library")

    wanted = file_name(file)
    places = list(_places(local, script))
    hits = [p for p in places if p.folder is not None and (p.folder / wanted).is_file()]
    if not hits:
        raise LibraryNotFound(_not_found(file, wanted, places))
    first = hits[0]
    path = first.folder / wanted
    _refuse_writable(path, first.what == "the working directory")
    _warn_of_others(path, [p.folder / wanted for p in hits[1:]])
    if first.local and not quiet and path not in _told:
        _told.add(path)
        print(f"bascule: {file} is {path} ({first.what})", file=sys.stderr, flush=True)
    return Found(path, symbol, first.what)


def _at_path(path: Path) -> Path:
    path = Path(os.path.abspath(path))  # noqa: PTH100 - links stay as the user wrote them
    if not path.is_file():
        if path.is_dir():
            raise LibraryNotFound(f"the operator library {path} is a folder")
        there = _what_is_in(path.parent, path.name)
        raise LibraryNotFound(f"the operator library {path} does not exist: {there}")
    _refuse_writable(path, False)
    return path


def _places(local: bool, script: Optional[Path]) -> Iterator[_Place]:
    listed = os.environ.get("BASCULE_PATH")
    if listed is None:
        yield _Place("BASCULE_PATH", None, "not set")
    for entry in (listed or "").split(os.pathsep):
        if entry and Path(entry).is_absolute():
            yield _Place("BASCULE_PATH", Path(entry))
        elif entry:
            yield _Place("BASCULE_PATH", None, f"{entry!r} is not absolute, and was ignored")
    yield from _package_places()
    if not local:
        return
    if os.environ.get("BASCULE_NO_CWD", "") not in ("", "0"):
        off = "turned off by BASCULE_NO_CWD"
        yield _Place("the folder of the calling script", None, off)
        yield _Place("the working directory", None, off)
        return
    if script is None:
        yield _Place("the folder of the calling script", None, "none, the session is interactive")
    else:
        yield _Place("the folder of the calling script", script, local=True)
    yield _Place("the working directory", Path.cwd(), local=True)


def _package_places() -> Iterator[_Place]:
    found = False
    for point in _entry_points():
        found = True
        what = f"the package {point.value}"
        folders = list(_package_folders(point))
        if not folders:
            yield _Place(what, None, "named by an entry point, and not found")
        for folder in folders:
            yield _Place(what, folder)
    if not found:
        yield _Place("installed packages", None, f"none has an entry point {ENTRY_POINTS!r}")


def _entry_points() -> list[metadata.EntryPoint]:
    everything = metadata.entry_points()
    if hasattr(everything, "select"):
        chosen = everything.select(group=ENTRY_POINTS)
    else:  # Python 3.9
        chosen = everything.get(ENTRY_POINTS, ())
    return sorted(set(chosen), key=lambda point: (point.name, point.value))


def _package_folders(point: metadata.EntryPoint) -> Iterator[Path]:
    """The folders of the package an entry point names, without running the package's own code."""
    top, *rest = point.value.partition(":")[0].strip().split(".")
    try:
        spec = util.find_spec(top)
    except (ImportError, ValueError):
        return
    for location in (spec.submodule_search_locations or ()) if spec else ():
        folder = Path(location).joinpath(*rest)
        if folder.is_dir():
            yield folder


def _not_found(name: str, wanted: str, places: list[_Place]) -> str:
    lines = [f"no operator library called {name!r} was found. Looked for {wanted} in:"]
    for place in places:
        if place.folder is None:
            lines.append(f"  {place.what}: {place.note}")
        else:
            lines.append(f"  {place.what}: {place.folder}: {_what_is_in(place.folder, wanted)}")
    lines.append(
        "Give its path (a name with a '/'), or add its folder to BASCULE_PATH; `bascule build` "
        "makes a library from a kernel."
    )
    return "\n".join(lines)


def _what_is_in(folder: Path, wanted: str) -> str:
    """What a reader who expected `wanted` in `folder` wants to know."""
    if not folder.is_dir():
        return "no such folder"
    try:
        there = sorted(entry.name for entry in folder.iterdir() if ".so" in entry.suffixes)
    except PermissionError:
        return "the folder may not be read"
    if not there:
        return "no library is there"
    close = difflib.get_close_matches(wanted, there, n=1, cutoff=0.75)
    if close:
        return f"there is {close[0]}, which has another name"
    shown = ", ".join(there[:4]) + (f" and {len(there) - 4} more" if len(there) > 4 else "")
    return f"not among the libraries there ({shown})"


def _refuse_writable(path: Path, unasked: bool) -> None:
    """Raises UntrustedLibrary where somebody else could have put or can replace the file.

    `unasked`: nobody named the folder, so its owner counts too.
    """
    folder = path.parent.resolve()
    for place in (folder, *folder.parents):
        status = place.stat()
        writers = _other_writers(status)
        # In a sticky folder others add entries but do not replace ours: harmless above the library.
        if writers and (place == folder or not status.st_mode & stat.S_ISVTX):
            raise UntrustedLibrary(
                f"the operator library {path} is refused: {writers} may write to {place}, so "
                f"somebody else could have put it there; move it, or `chmod go-w {place}`"
            )
        if unasked and place == folder and status.st_uid not in (0, os.geteuid()):
            raise UntrustedLibrary(
                f"the operator library {path} is refused: the working directory {place} belongs to "
                f"another user; give the library's path if you trust it"
            )


def _other_writers(status: os.stat_result) -> str:
    if status.st_mode & stat.S_IWOTH:
        return "everybody"
    if status.st_mode & stat.S_IWGRP and not _is_private_group(status.st_gid):
        return f"the group {_group_name(status.st_gid)}"
    return ""


def _is_private_group(group: int) -> bool:
    """Whether a group holds nobody but root and the current user, who often has one of his own."""
    import grp
    import pwd

    try:
        us = pwd.getpwuid(os.geteuid())
        members = set(grp.getgrgid(group).gr_mem)
    except KeyError:  # a user or group without a name, as in containers
        return group in (0, os.getegid())
    return group in (0, us.pw_gid) and members <= {us.pw_name, "root"}


def _group_name(group: int) -> str:
    import grp

    try:
        return grp.getgrgid(group).gr_name
    except KeyError:
        return str(group)


def _warn_of_others(used: Path, others: list[Path]) -> None:
    content = used.read_bytes() if others else b""
    differing = []
    for other in others:
        same = other.samefile(used) or other.read_bytes() == content
        if not same and other not in differing:
            differing.append(other)
    if differing:
        warnings.warn(
            f"{used} is used, and hides another library of the same name: "
            + ", ".join(map(str, differing)),
            stacklevel=4,
        )
