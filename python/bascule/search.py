# SPDX-License-Identifier: Apache-2.0
"""Where an operator library is looked for.

A library is named by a path (it contains a `/`) or by a bare name; either may be followed by
`:symbol`. `my_mul` means the file `libmy_mul.so`; `libmy_mul.so` means itself. In this order:

1. a path: that file and no other, relative to the working directory
2. `BASCULE_PATH`: folders separated by `:`; only absolute ones count, empty ones are ignored
3. installed packages: the folders named by entry points of the group `bascule.libraries`, whose
   value is the package that holds the libraries (`my_ops = "my_ops.lib"`)
4. for `bascule.mindspore.Custom` and nothing else: the folder of the calling script, then the
   working directory, with one line on stderr the first time a file is used; `BASCULE_NO_CWD=1`
   turns this off. Everybody else is told that the file lies there, and how to name it

The first file found is used. Another of the same name further down that differs in content is
warned about, and so is another library that has an operator of that name. Where no place has the
file, the one library that has an operator of that name is taken. A library that others may write,
or that lies in a folder that others may write, is refused, because loading it runs it.
"""

import contextlib
import difflib
import json
import os
import re
import stat
import sys
import warnings
from collections.abc import Iterator, Sequence
from importlib import metadata, util
from pathlib import Path
from types import FrameType
from typing import NamedTuple, Optional

from bascule.errors import BadLibrary, Error, NotFound, VersionMismatch

__all__ = ["Found", "LibraryNotFound", "UntrustedLibrary", "find_library", "script_folder"]

ENTRY_POINTS = "bascule.libraries"

_told: set[Path] = set()  # files that stderr has named


class LibraryNotFound(NotFound, FileNotFoundError):
    """No place holds the library; the message lists every place and what was there."""


class UntrustedLibrary(Error, PermissionError):
    """The library lies in a folder that others may write."""


class Place(NamedTuple):
    what: str  # "BASCULE_PATH", "the working directory", ...
    folder: Optional[Path]  # None: nothing to look into, `note` says why
    note: str = ""
    local: bool = False  # found without having been named anywhere: told on stderr


class Found(NamedTuple):
    path: Path  # absolute
    symbol: Optional[str]  # what stood after the colon
    place: str  # "BASCULE_PATH", "the working directory", ...
    places: tuple[Place, ...] = ()  # where a bare name was looked for

    @contextlib.contextmanager
    def opening(self) -> Iterator[None]:
        """Adds to what goes wrong with the file, once it is opened, where it was looked for."""
        try:
            yield
        except (BadLibrary, NotFound, VersionMismatch) as error:
            if not self.places:
                raise
            looked = "\n".join(_looked_at(self.path.name, self.places, self.path))
            raise type(error)(f"{error}\nLooked for {self.path.name} in:\n{looked}") from error


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
    places = tuple(search_places(local, script))
    hits = [p for p in places if p.folder is not None and is_file(p.folder / wanted)]
    holders = [] if file.endswith(".so") else _holders(file, wanted, places)
    if hits:
        first = hits[0]
        path = first.folder / wanted
        _warn_of_others(path, [p.folder / wanted for p in hits[1:]], wanted, places)
        _warn_of_holders(path, file, [holder for _, holder in holders])
    else:
        if symbol is not None or len(holders) != 1:
            raise LibraryNotFound(_not_found(file, wanted, places, holders, local, script))
        first, path = holders[0]
        symbol = file
    _refuse_writable(path, first.what == "the working directory")
    if first.local and not quiet and path not in _told:
        _told.add(path)
        print(f"bascule: {file} is {path} ({first.what})", file=sys.stderr, flush=True)
    return Found(path, symbol, first.what, places)


def _at_path(path: Path) -> Path:
    path = Path(os.path.abspath(path))  # noqa: PTH100 - links stay as the user wrote them
    if not is_file(path):
        other = _what_else(path)
        if other:
            raise LibraryNotFound(f"the operator library {path} {other}")
        there = _what_is_in(path.parent, path.name)
        raise LibraryNotFound(f"the operator library {path} does not exist: {there}")
    _refuse_writable(path, False)
    return path


def search_places(local: bool = False, script: Optional[Path] = None) -> Iterator[Place]:
    """The places a bare name is looked for in, in order, also those that cannot be looked into."""
    listed = os.environ.get("BASCULE_PATH")
    if listed is None:
        yield Place("BASCULE_PATH", None, "not set")
    for entry in (listed or "").split(os.pathsep):
        if entry and Path(entry).is_absolute():
            yield Place("BASCULE_PATH", Path(entry))
        elif entry:
            yield Place("BASCULE_PATH", None, f"{entry!r} is not absolute, and was ignored")
    yield from _package_places()
    if not local:
        return
    if os.environ.get("BASCULE_NO_CWD", "") not in ("", "0"):
        off = "turned off by BASCULE_NO_CWD"
        yield Place("the folder of the calling script", None, off)
        yield Place("the working directory", None, off)
        return
    if script is None:
        yield Place("the folder of the calling script", None, "none, the session is interactive")
    else:
        yield Place("the folder of the calling script", script, local=True)
    yield Place("the working directory", Path.cwd(), local=True)


def _package_places() -> Iterator[Place]:
    found = False
    for point in _entry_points():
        found = True
        what = f"the package {point.value}"
        folders = list(_package_folders(point))
        if not folders:
            yield Place(what, None, "named by an entry point, and not found")
        for folder in folders:
            yield Place(what, folder)
    if not found:
        yield Place("installed packages", None, f"none has an entry point {ENTRY_POINTS!r}")


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


def operators_of(path: Path) -> list[str]:
    """The operators of a library, read without loading it; none of what is no operator library."""
    from bascule import _native

    try:
        manifest = json.loads(_native.manifest_read(str(path)))
        return [operator["name"] for operator in manifest["operators"]]
    except (Error, KeyError, TypeError, ValueError):
        return []


def _holders(name: str, wanted: str, places: Sequence[Place]) -> list[tuple[Place, Path]]:
    """Libraries of another file name that have an operator called `name`, equal ones once."""
    holders = []
    for place in places:
        for path in libraries_in(place.folder) if place.folder is not None else ():
            if path.name == wanted or name not in operators_of(path):
                continue
            if not any(_same(path, other) for _, other in holders):
                holders.append((place, path))
    return holders


def _not_found(
    name: str,
    wanted: str,
    places: Sequence[Place],
    holders: Sequence[tuple[Place, Path]],
    local: bool,
    script: Optional[Path],
) -> str:
    lines = [f"no operator library called {name!r} was found. Looked for {wanted} in:"]
    lines += _looked_at(wanted, places)
    if len(holders) > 1:
        lines.append(f"Several libraries have an operator {name!r}; say which:")
        lines += [f"  {path}:{name} ({place.what})" for place, path in holders]
        return "\n".join(lines)
    for what, folder in (("beside the script", script), ("in the working directory", Path.cwd())):
        if not local and folder is not None and is_file(folder / wanted):
            shown = f"./{wanted}" if folder == Path.cwd() else folder / wanted
            lines.append(
                f"{wanted} lies {what}, where only bascule.mindspore.Custom looks; give its path: "
                f"{shown}"
            )
            return "\n".join(lines)
    lines.append(
        "Give its path (a name with a '/'), or add its folder to BASCULE_PATH; `bascule build` "
        "makes a library from a kernel."
    )
    return "\n".join(lines)


def _looked_at(wanted: str, places: Sequence[Place], used: Optional[Path] = None) -> list[str]:
    """A line for each place: what was found there."""
    lines = []
    for place in places:
        if place.folder is None:
            lines.append(f"  {place.what}: {place.note}")
        elif is_file(place.folder / wanted):
            mark = "this one is used" if place.folder / wanted == used else "there is one, too"
            lines.append(f"  {place.what}: {place.folder}: {mark}")
        else:
            lines.append(f"  {place.what}: {place.folder}: {_what_is_in(place.folder, wanted)}")
    return lines


def libraries_in(folder: Path) -> list[Path]:
    try:
        return sorted(e for e in folder.iterdir() if ".so" in e.suffixes and is_file(e))
    except OSError:
        return []


def is_file(path: Path) -> bool:
    """Path.is_file, without an error where a name is too long or a folder may not be entered."""
    try:
        return path.is_file()
    except OSError:
        return False


def is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:
        return False


def _what_else(path: Path) -> str:
    """What lies at `path`, where no file does; "" where nothing does."""
    try:
        if path.is_dir():
            return "is a folder"
        if path.is_symlink():
            return f"is a link to {path.readlink()}, where no file is"
        return "is not a regular file" if path.exists() else ""
    except OSError as error:
        return f"cannot be looked at: {error.strerror}"


def _what_is_in(folder: Path, wanted: str) -> str:
    """What a reader who expected `wanted` in `folder` wants to know."""
    if not is_folder(folder):
        return "no such folder"
    if not os.access(folder, os.R_OK | os.X_OK):
        return "the folder may not be read"
    other = _what_else(folder / wanted)
    if other:
        return f"{wanted} {other}"
    there = [path.name for path in libraries_in(folder)]
    if not there:
        return "no library is there"
    close = difflib.get_close_matches(wanted, there, n=1, cutoff=0.75)
    if close:
        return f"there is {close[0]}, which has another name"
    shown = ", ".join(there[:4]) + (f" and {len(there) - 4} more" if len(there) > 4 else "")
    return f"not among the libraries there ({shown})"


def _refuse_writable(path: Path, unasked: bool) -> None:
    """Raises UntrustedLibrary where somebody else could have put or can replace the file."""
    reason = why_untrusted(path, unasked)
    if reason:
        raise UntrustedLibrary(f"the operator library {path} is refused: {reason}")


def why_untrusted(path: Path, unasked: bool = False) -> str:
    """Why loading the file would run what somebody else wrote; "" where it would not.

    `unasked`: nobody named the folder, so its owner counts too.
    """
    writers = _other_writers(path.stat())
    if writers:
        return f"{writers} may write to it; `chmod go-w {path}` if you trust what it holds"
    folder = path.parent.resolve()
    for place in (folder, *folder.parents):
        status = place.stat()
        writers = _other_writers(status)
        # In a sticky folder others add entries but do not replace ours: harmless above the library.
        if writers and (place == folder or not status.st_mode & stat.S_ISVTX):
            return (
                f"{writers} may write to {place}, so somebody else could have put it there; move "
                f"it, or `chmod go-w {place}`"
            )
        if unasked and place == folder and status.st_uid not in (0, os.geteuid()):
            return (
                f"the working directory {place} belongs to another user; give the library's path "
                "if you trust it"
            )
    return ""


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


def _same(one: Path, other: Path) -> bool:
    return one.samefile(other) or one.read_bytes() == other.read_bytes()


def _warn_of_others(
    used: Path, others: Sequence[Path], wanted: str, places: Sequence[Place]
) -> None:
    differing = []
    for other in others:
        if other not in differing and not _same(used, other):
            differing.append(other)
    if differing:
        warnings.warn(
            f"{used} is used, and hides another library of the same name: "
            + ", ".join(map(str, differing))
            + f". Looked for {wanted} in:\n"
            + "\n".join(_looked_at(wanted, places, used)),
            stacklevel=4,
        )


def _warn_of_holders(used: Path, name: str, holders: Sequence[Path]) -> None:
    if holders and name in operators_of(used):
        warnings.warn(
            f"the operator {name!r} of {used} is used; there is another of that name in "
            + ", ".join(map(str, holders)),
            stacklevel=4,
        )
