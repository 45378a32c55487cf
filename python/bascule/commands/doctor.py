# SPDX-License-Identifier: Apache-2.0
"""`bascule doctor`."""

import argparse
import json
import os
import sys
import warnings
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any, Optional

import bascule
from bascule.commands import Command
from bascule.commands.target import HELP, KERNEL_SUFFIXES, resolve
from bascule.console import print_json, styled

Check = dict[str, str]

# Frameworks with a bridge, and the oldest version each works with.
FRAMEWORKS = {"torch": (2, 10), "mindspore": (2, 10)}
# What decides where things are found and how they run; the last is shown and not searched.
VARIABLES = (
    "BASCULE_PATH",
    "BASCULE_NO_CWD",
    "BASCULE_RUNTIME",
    "BASCULE_PREFIX",
    "BASCULE_DETERMINISTIC",
    "CXX",
    "LD_LIBRARY_PATH",
    "ASCEND_CUSTOM_OPP_PATH",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "target",
        nargs="?",
        help=f"{HELP}. Without it, the installation is checked",
    )
    parser.add_argument("--json", action="store_true", help="print the findings as JSON")


def run(arguments: argparse.Namespace) -> int:
    target = arguments.target
    report = examine_installation() if target is None else examine(target)
    if arguments.json:
        print_json(report)
    else:
        show(report)
    return 0 if report["ok"] else 1


def check(name: str, status: str, text: str, todo: str = "") -> Check:
    return {"check": name, "status": status, "text": text, "todo": todo}


def examine(target: str) -> dict[str, Any]:
    """The findings about a library, a project or a name. The library is not loaded."""
    from bascule import _native, search

    file, symbol = search.split_name(target)
    extra: list[Check] = []
    places: tuple[search.Place, ...] = ()
    if search.is_folder(Path(file)) or Path(file).suffix in KERNEL_SUFFIXES:
        try:
            path = resolve(target).library
        except bascule.Error as error:
            todo = "Mend it and build again."
            return report_of(target, [check("build", "failed", str(error), todo)])
        extra.append(check("build", "ok", str(path)))
    elif "/" in file and symbol != "":
        path = Path(os.path.abspath(file))  # noqa: PTH100 - links stay as the user wrote them
    else:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # they are findings below
                found = search.find_library(target)
        except (search.LibraryNotFound, search.UntrustedLibrary, ValueError) as error:
            refused = isinstance(error, search.UntrustedLibrary)
            todo = "" if refused else "Give a path, or set BASCULE_PATH to the library's folder."
            return report_of(target, [check("found", "failed", str(error), todo)])
        path, symbol, places = found.path, found.symbol, found.places
        extra.append(check("search", "ok", f"{file} is {path} ({found.place})"))

    report = json.loads(_native.doctor(str(path), symbol or ""))
    checks = report["checks"]
    if search.is_file(path):
        at = next((i for i, c in enumerate(checks) if c["check"] == "readable"), len(checks))
        checks[at:at] = list(check_trust(path))
    if checks[-1]["check"] not in ("found", "readable", "machine"):
        later = ("platform", "c++ runtime")
        at = next((i for i, c in enumerate(checks) if c["check"] in later), len(checks))
        checks.insert(at, check_shadowed(path, places or tuple(search.search_places())))
    return {**report_of(target, [*extra, *checks]), "path": str(path), "kind": report["kind"]}


def report_of(target: Optional[str], checks: list[Check]) -> dict[str, Any]:
    return {
        "target": target,
        "ok": all(c["status"] != "failed" for c in checks),
        "checks": checks,
    }


def check_trust(path: Path) -> Iterator[Check]:
    from bascule.search import why_untrusted

    reason = why_untrusted(path)
    if reason:
        text, _, todo = reason.partition("; ")
        todo = todo[:1].upper() + todo[1:] + "." if todo else ""
        yield check("trusted", "failed", f"loading it is refused: {text}", todo)


def check_shadowed(path: Path, places: tuple) -> Check:
    """Whether a name would give another library than this one, or another's operator."""
    from bascule import search

    operators = search.operators_of(path)
    hiding: list[str] = []
    for place in places:
        for other in search.libraries_in(place.folder) if place.folder is not None else ():
            if other.samefile(path):
                continue
            if other.name == path.name:
                hiding.append(f"{other} has the same name ({place.what})")
            hiding += [
                f"{other} has an operator {name}, too ({place.what})"
                for name in search.operators_of(other)
                if name in operators
            ]
    if not hiding:
        return check("shadowed", "ok", "no other library has its name or its operators")
    return check(
        "shadowed",
        "warning",
        "; ".join(dict.fromkeys(hiding)),
        f"Name the one you mean by its path, {path}, or take the others out of BASCULE_PATH.",
    )


# --- the installation


def examine_installation() -> dict[str, Any]:
    from bascule import _native

    checks = [
        check("bascule", "ok", f"{bascule.__version__}, Python {sys.version.split()[0]}"),
        check("prefix", "ok", str(bascule.prefix())),
        *json.loads(_native.doctor(None))["checks"],
        *map(check_framework, FRAMEWORKS),
        *check_places(),
        *check_variables(),
    ]
    return report_of(None, checks)


def check_framework(name: str) -> Check:
    """Whether a framework is installed; it is not imported."""
    try:
        version = metadata.version(name)
    except metadata.PackageNotFoundError:
        todo = f"Only needed for bascule.{name}: pip install 'bascule[{name}]'."
        return check(name, "ok", "not installed", todo)
    oldest = FRAMEWORKS[name]
    numbers = tuple(int(part) for part in version.split(".")[:2] if part.isdigit())
    if numbers < oldest:
        wanted = ".".join(map(str, oldest))
        text = f"{version} is too old: bascule.{name} needs {wanted} or later"
        return check(name, "warning", text, f"pip install --upgrade 'bascule[{name}]'")
    numpy = metadata.version("numpy")
    if name == "mindspore" and int(numpy.split(".")[0]) > 1:
        text = f"{version}, with NumPy {numpy}: MindSpore computes gradients with NumPy 1 only"
        return check(name, "warning", text, "pip install 'numpy<2'")
    return check(name, "ok", version)


def check_places() -> Iterator[Check]:
    from bascule import search

    for place in search.search_places():
        if place.folder is None:
            bad = "not absolute" in place.note or "not found" in place.note
            yield check(place.what, "warning" if bad else "ok", place.note)
            continue
        there = search.libraries_in(place.folder)
        if not place.folder.is_dir():
            yield check(place.what, "warning", f"{place.folder} is no folder", "Correct it.")
            continue
        names = ", ".join(path.name for path in there) or "no library"
        yield check(place.what, "ok", f"{place.folder}: {names}")


def check_variables() -> Iterator[Check]:
    for name in VARIABLES:
        value = os.environ.get(name)
        if not value or name == "BASCULE_PATH":
            continue
        if name == "BASCULE_RUNTIME" and not Path(value).is_file():
            yield check(
                name,
                "failed",
                f"{value} does not exist, so libraries that frameworks load find no runtime there",
                "Unset it, or set it to PREFIX/lib/libbascule.so; `bascule prefix` prints PREFIX.",
            )
        elif name == "ASCEND_CUSTOM_OPP_PATH":
            yield check(name, "ok", f"{value} (not searched: what lies there is built for NPUs)")
        else:
            yield check(name, "ok", value)


# --- printing

MARKS = {"ok": "ok", "warning": "warning", "failed": "FAILED"}
STYLES = {"ok": "", "warning": "yellow", "failed": "red"}


def show(report: dict[str, Any]) -> None:
    width = max(len(c["check"]) for c in report["checks"])
    for finding in report["checks"]:
        text = finding["text"].replace("\n", "\n" + " " * (width + 11))
        status = finding["status"]
        styled(f"{MARKS[status]:<7}  {finding['check']:<{width}}  {text}", STYLES[status])
        if finding["todo"]:
            styled(f"{'':{width + 11}}-> {finding['todo']}")


COMMAND = Command(
    "doctor", "say what is wrong with a library or the installation", run, add_arguments
)
