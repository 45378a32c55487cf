#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes docs/coverage.md: what there is of Ascend C, and what is known and not there yet.

Nothing in the page is written by hand. Instructions come from the instruction table, printed by the
test program package_instruction_table; names come from the headers, read with libclang; what is
missing comes from bascule_ascendc/missing.h.

    tools/coverage.py PATH/OF/package_instruction_table            write the page
    tools/coverage.py PATH/OF/package_instruction_table --check    compare; exit status 1 if old
"""

import argparse
import json
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/coverage.md"
KERNEL = ROOT / "include/ascendc/kernel"
HOST = ROOT / "include/ascendc/host"
MISSING = KERNEL / "bascule_ascendc/missing.h"
SKIPPED = 77  # what CTest is told when libclang is not installed

FORMS = ("count", "mask count", "mask bits", "strided copy", "counter mode")
# Macros that are ours, not the user's.
OURS = re.compile(r"BASCULE|_H_?$|^_H")
# What headers need of each other and no page documents.
INTERNAL = {
    *(
        "$",
        "BeginPool",
        "CopyA",
        "CopyB",
        "Core",
        "Data",
        "FromBuffer",
        "Memory",
        "Out",
        "PoolMemory",
    ),
    *("Register", "SharePool"),
}


def instruction_lines(rows):
    yield "| instruction | element types | call forms | accuracy | document |"
    yield "|---|---|---|---|---|"
    for row in sorted(rows, key=lambda row: row["name"].lower()):
        forms = [name for bit, name in enumerate(FORMS) if row["forms"] >> bit & 1]
        accuracy = f"{row['ulp']:g} ulp" if row["ulp"] else "exact"
        if row["fused"]:
            accuracy += ", fused"
        document = row["document"].removesuffix(".md").split("/")[-1]
        cells = (row["name"], element_types(row["types"]), ", ".join(forms), accuracy, document)
        yield f"| {' | '.join(cells)} |"


def element_types(pairs):
    """`half, float` where all operands agree, else `half → float`; many sources are joined."""
    if not pairs:
        return "any"
    by_source = defaultdict(list)
    for dst, src in pairs:
        by_source[kernel_name(src)].append(kernel_name(dst))
    if all(dsts == [src] for src, dsts in by_source.items()):
        return ", ".join(by_source)
    return "; ".join(f"{src} → {', '.join(dsts)}" for src, dsts in by_source.items())


def kernel_name(dtype):
    named = {
        "float32": "float",
        "float16": "half",
        "float64": "double",
        "int4": "int4b_t",
        "bool": "bool",
    }
    return named.get(dtype, f"{dtype}_t")


def parse(source):
    """The translation unit of a few #include lines, without function bodies."""
    from clang import cindex

    builtin = subprocess.run(
        ["g++", "-print-file-name=include"], capture_output=True, text=True, check=True
    ).stdout.strip()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "all.cpp"
        path.write_text(source)
        arguments = [
            "-std=c++17",
            f"-I{ROOT}/include",
            f"-I{KERNEL}",
            f"-I{HOST}",
            "-isystem",
            builtin,
        ]
        unit = cindex.Index.create().parse(
            str(path),
            arguments,
            options=cindex.TranslationUnit.PARSE_SKIP_FUNCTION_BODIES
            | cindex.TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD,
        )
    errors = [d for d in unit.diagnostics if d.severity >= cindex.Diagnostic.Error]
    if errors:
        sys.exit(f"tools/coverage.py: the headers do not parse: {errors[0]}")
    return unit


def names(unit):
    """{kind: {name}} of what a kernel or host program can write."""
    from clang.cindex import AccessSpecifier
    from clang.cindex import CursorKind as Kind

    functions = {Kind.FUNCTION_DECL, Kind.FUNCTION_TEMPLATE}
    types = {
        Kind.STRUCT_DECL,
        Kind.CLASS_DECL,
        Kind.CLASS_TEMPLATE,
        Kind.TYPE_ALIAS_DECL,
        Kind.TYPE_ALIAS_TEMPLATE_DECL,
        Kind.TYPEDEF_DECL,
    }
    found = defaultdict(set)

    def file_of(cursor):
        name = cursor.location.file
        return Path(name.name) if name is not None else None

    def members(cursor):
        methods = {
            child.spelling
            for child in cursor.get_children()
            if child.kind in functions | {Kind.CXX_METHOD}
            and child.access_specifier == AccessSpecifier.PUBLIC
            and not child.spelling.startswith("operator")
            and not child.spelling.startswith(cursor.spelling)
            and not child.spelling.startswith("~")
            and child.spelling not in INTERNAL
        }
        if methods:
            found["classes"].add((cursor.spelling, tuple(sorted(methods))))
        else:
            found["types"].add(cursor.spelling)

    def walk(cursor, scope):
        for child in cursor.get_children():
            path = file_of(child)
            if path is None or ROOT / "include/ascendc" not in path.parents:
                continue
            if path == MISSING:
                continue
            if child.kind in (Kind.NAMESPACE, Kind.LINKAGE_SPEC, Kind.UNEXPOSED_DECL):
                inner = child.spelling if child.kind == Kind.NAMESPACE else ""
                if inner in ("bascule_ascendc", "bascule_host", "bascule"):
                    continue
                keep = inner in ("", "AscendC") or inner.startswith("bascule_")
                walk(child, scope if keep else f"{scope}{inner}::")
            elif child.kind == Kind.MACRO_DEFINITION:
                if not OURS.search(child.spelling):
                    found["macros"].add(child.spelling)
            elif (
                not child.spelling
                or child.spelling in INTERNAL
                or "bascule" in child.spelling.lower()
            ):
                continue
            elif child.kind in functions and not child.spelling.startswith("operator"):
                found["functions"].add(scope + child.spelling)
            elif child.kind == Kind.ENUM_DECL:
                found["enumerations"].add(scope + child.spelling)
            elif child.kind in types:
                if child.kind in (Kind.CLASS_DECL, Kind.CLASS_TEMPLATE):
                    members(child)
                else:
                    found["types"].add(scope + child.spelling)

    walk(unit.cursor, "")
    return found


def wrapped(items, width=110):
    line = ""
    for item in items:
        if line and len(line) + len(item) + 2 > width:
            yield line.rstrip()
            line = ""
        line += f"{item}, "
    if line:
        yield line.rstrip(", ")


def listing(items):
    yield from wrapped(
        [f"`{item}`" for item in sorted(items, key=lambda item: (item.lower(), item))]
    )


INTRODUCTION = """
For Atlas A2 (`dav-2201`). Everything here runs and is tested; what is known and not here yet is at
the end, and using it is an error of the compiler with a sentence.
"""
ABOUT_INSTRUCTIONS = """
The element type is the destination's; `a → b` reads a and writes b. *count* is a call with a number
of elements; *mask count* and *mask bits* are calls with a mask and repeats; in *counter mode* the
mask counts the lanes of the whole instruction. *exact*: every processor gives the bits of the plain
loop in the row; otherwise the largest error in units of the last place. *document* is the page of
the public Ascend C API.
"""


def page(rows):
    kernel = names(
        parse(
            '#include "kernel_operator.h"\n#include "lib/matmul_intf.h"\n#include "tikicpulib.h"\n'
        )
    )
    host = names(parse('#include "acl/acl.h"\n'))
    yield "<!-- Written by tools/coverage.py; `make coverage` writes it again. -->"
    yield "# What there is of Ascend C"
    yield INTRODUCTION
    yield "## Instructions"
    yield ABOUT_INSTRUCTIONS
    yield from instruction_lines(rows)
    yield ""
    for title, kind in (
        ("Functions in kernels", "functions"),
        ("Types in kernels", "types"),
        ("Enumerations", "enumerations"),
        ("Macros", "macros"),
    ):
        yield f"## {title}"
        yield ""
        yield from listing(kernel[kind])
        yield ""
        if kind == "types":
            yield "Classes, with what can be called on them:"
            yield ""
            for name, methods in sorted(kernel["classes"]):
                yield from wrapped(
                    [f"- **{name}**: `{methods[0]}`", *(f"`{m}`" for m in methods[1:])]
                )
            yield ""
    yield "## Host calls in `acl/acl.h`"
    yield ""
    yield from listing(n for n in host["functions"] if n.startswith("acl"))
    yield ""
    yield "## Known and not there yet"
    yield ""
    for sentence, items in missing_sections():
        yield f"{sentence}:"
        yield ""
        yield from listing(items)
        yield ""


def missing_sections():
    """(sentence, names) in the order of missing.h."""
    text = MISSING.read_text()
    for reason, sentence in re.findall(r'#define BASCULE_REASON_(\w+) "([^"]*)"', text):
        items = [
            n
            for n, r in re.findall(r"^BASCULE_MISSING\w*\((\w+), (\w+)\)", text, re.M)
            if r == reason
        ]
        if items:
            yield sentence[0].upper() + sentence[1:], items


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("table", help="the test program that prints the instruction table")
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    arguments = parser.parse_args()
    try:
        import clang.cindex  # noqa: F401
    except ImportError:
        print("tools/coverage.py: libclang is not installed (pip install libclang); skipped")
        return SKIPPED
    rows = json.loads(
        subprocess.run([arguments.table], capture_output=True, text=True, check=True).stdout
    )
    text = "\n".join(page(rows)).rstrip() + "\n"
    if not arguments.check:
        PAGE.write_text(text)
        return 0
    if PAGE.exists() and PAGE.read_text() == text:
        return 0
    print("docs/coverage.md is not what the headers and the table say; `make coverage` writes it")
    return 1


if __name__ == "__main__":
    sys.exit(main())
