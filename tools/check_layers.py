#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Keeps the arrows between the layers pointing down.

LAYERS below is the only list of layers. For every file of a layer this checks each #include, and
for every folder that calls bascule_add_layer its USES: a layer may use itself and what its row
names. Third-party headers belong to the layers that name them. ARCHITECTURE.md shows the same
table; a test compares it with `--table`.

    tools/check_layers.py            check the tree; one line per violation, exit status 1 if any
    tools/check_layers.py --table    print the table as Markdown
"""

import argparse
import re
import sys
from pathlib import Path
from typing import NamedTuple


class Layer(NamedTuple):
    name: str
    purpose: str
    paths: tuple[str, ...]  # folders and files; the longest match decides whose a file is
    uses: tuple[str, ...] = ()  # layers; "base:include" is the part of base below include/
    third_party: tuple[str, ...] = ()  # keys of THIRD_PARTY
    loose: bool = False  # written like users' code: an include that is not ours is not our matter


# Lower layers first.
LAYERS = (
    Layer(
        "base",
        "element types, number formats, shapes, views, errors; the plain-C borders of all",
        ("src/base", "include/bascule/abi", "include/bascule/numeric"),
    ),
    Layer("simd", "CPU dispatch and vector maths", ("src/simd",), ("base",), ("highway",)),
    Layer(
        "isa",
        "what each instruction computes: a row, a plain loop, a SIMD form",
        ("src/isa",),
        ("base", "simd"),
        ("highway",),
    ),
    Layer("c-api", "the C ABI for callers", ("include/bascule/c_api.h",), ("base:include",)),
    Layer(
        "observer-interface",
        "events, and what an observer implements",
        ("include/bascule/observer.h", "include/bascule/observer"),
        ("base:include",),
    ),
    Layer(
        "public",
        "the remaining public headers: C++ over the C ABI, operator schema",
        ("include/bascule",),
        ("base:include", "c-api", "observer-interface"),
    ),
    Layer(
        "kernel-headers",
        "what a kernel includes, under Ascend C's names; argument translation, C++17",
        ("include/ascendc/kernel",),
        ("base:include",),
    ),
    Layer(
        "host-headers",
        "what an operator's host code includes, under CANN's names; C++17",
        ("include/ascendc/host",),
        ("base:include", "c-api"),
    ),
    Layer(
        "engine",
        "cores, their memories, queues, flags, scheduling, launch; announces events",
        ("src/engine",),
        ("base", "isa", "observer-interface"),
        ("boost",),
    ),
    Layer(
        "observe",
        "observers, fed by events only",
        ("src/observe",),
        ("base", "observer-interface"),
    ),
    Layer(
        "registry",
        "schemas, shape and dtype inference, plans, gradient rules, look-up",
        ("src/registry",),
        ("base",),
        ("json", "xxhash"),
    ),
    Layer(
        "toolchain",
        "compiles kernels to libraries, caches builds, reads libraries without loading them",
        ("src/toolchain",),
        ("base",),
        ("json", "xxhash", "libelf"),
    ),
    Layer(
        "host",
        "loads, plans, launches, attaches observers; implements the C ABI",
        ("src/host",),
        (
            "base",
            "simd",
            "isa",
            "engine",
            "observe",
            "registry",
            "toolchain",
            "c-api",
            "observer-interface",
            "public",
        ),
        ("json", "xxhash"),
    ),
    Layer(
        "check",
        "cases, references, differences, verdicts",
        ("src/check",),
        ("base", "c-api", "observer-interface", "public", "host"),
        ("json",),
    ),
    Layer(
        "graph",
        "whole models: reading, fusing, scheduling",
        ("src/graph",),
        ("base", "c-api", "observer-interface", "public", "host"),
        ("json",),
    ),
    Layer(
        "bridges",
        "one folder per framework, a client of the C ABI and DLPack",
        ("bridges",),
        ("base:include", "c-api", "public"),
        ("framework", "python"),
    ),
    Layer(
        "python",
        "the Python package's native module",
        ("python/native",),
        ("base:include", "c-api", "public"),
        ("python",),
    ),
    Layer(
        "operators",
        "operators shipped with the project, written as a user would",
        ("operators",),
        ("base:include", "c-api", "public", "kernel-headers", "host-headers"),
        loose=True,
    ),
)

# Header prefixes and CMake targets of each dependency.
THIRD_PARTY = {
    "highway": ("hwy/", "hwy::hwy"),
    "boost": ("boost/", "Boost::context"),
    "json": ("nlohmann/", "nlohmann_json::nlohmann_json"),
    "libelf": ("libelf.h", "gelf.h", "libelf::libelf"),
    "xxhash": ("xxhash.h", "xxHash::xxhash"),
    "python": ("Python.h", "nanobind/"),
    "framework": ("torch/", "ATen/", "c10/", "xla/", "tensorflow/", "onnxruntime_", "dlpack/"),
}

# What a compiler or the C library brings under a folder name.
SYSTEM_FOLDERS = ("sys/", "linux/", "asm/", "net/", "netinet/", "sanitizer/", "experimental/")

# Targets of the system that every layer may use.
SYSTEM_TARGETS = ("Threads::Threads",)

# Roots that the build puts on every include path, in this order.
INCLUDE_ROOTS = ("src", "include", "include/ascendc/kernel", "include/ascendc/host")

SOURCE_SUFFIXES = {".h", ".hpp", ".inc", ".c", ".cc", ".cpp", ".cxx", ".asc"}
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"(?P<quoted>[^"]+)"|<(?P<angled>[^>]+)>)')
ADD_LAYER = re.compile(r"bascule_add_layer\(\s*(?P<name>[\w-]+)(?P<body>[^)]*)\)")


def layer_of(path):
    """The layer that owns a path relative to the tree, or None."""
    best, best_length = None, -1
    for layer in LAYERS:
        for owned in layer.paths:
            if (path == owned or path.startswith(owned + "/")) and len(owned) > best_length:
                best, best_length = layer, len(owned)
    return best


def may_use(layer, used, used_path):
    if layer.name == used.name or used.name in layer.uses:
        return True
    return f"{used.name}:include" in layer.uses and used_path.startswith("include/")


def allowed_text(layer):
    words = ["its own files"]
    words += [f"{u[:-8]} below include/" if u.endswith(":include") else u for u in layer.uses]
    words += list(layer.third_party)
    return ", ".join(words + ["the standard library"])


def third_party_of(spelling):
    for name, prefixes in THIRD_PARTY.items():
        if any(spelling.startswith(p) for p in prefixes):
            return name
    return None


def resolve(tree, including, spelling, quoted):
    """The file an include names, relative to the tree, or None if it is not in the tree."""
    candidates = [tree / including.parent / spelling] if quoted else []
    candidates += [tree / root / spelling for root in INCLUDE_ROOTS]
    for candidate in candidates:
        if candidate.is_file():
            try:
                return candidate.resolve().relative_to(tree).as_posix()
            except ValueError:
                return None
    return None


def check_include(tree, path, layer, spelling, quoted):
    """What is wrong with one include, or None."""
    target = resolve(tree, path, spelling, quoted)
    if target is not None:
        used = layer_of(target)
        if used is None:
            return f"{target} belongs to no layer"
        if may_use(layer, used, target):
            return None
        return f"{target} belongs to {used.name}"
    dependency = third_party_of(spelling)
    if dependency is not None:
        return None if dependency in layer.third_party else f"third-party: {dependency}"
    if layer.loose:
        return None
    if quoted:
        return "no such file beside it or under " + ", ".join(INCLUDE_ROOTS)
    if "/" in spelling and not spelling.startswith(SYSTEM_FOLDERS):
        return "third-party header that THIRD_PARTY in tools/check_layers.py does not know"
    return None


def check_file(tree, path, layer):
    text = (tree / path).read_text(encoding="utf-8", errors="replace")
    for number, line in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        quoted = match["quoted"] is not None
        spelling = match["quoted"] if quoted else match["angled"]
        problem = check_include(tree, path, layer, spelling, quoted)
        if problem is not None:
            shown = f'"{spelling}"' if quoted else f"<{spelling}>"
            yield (
                f"{path}:{number}: includes {shown}: {problem}; "
                f"layer {layer.name} may include {allowed_text(layer)}"
            )


def check_cmake(tree, path, layer):
    text = (tree / path).read_text(encoding="utf-8")
    text = re.sub(r"#[^\n]*", "", text)
    known = {other.name: other for other in LAYERS}
    for match in ADD_LAYER.finditer(text):
        where = f"{path}:{text.count(chr(10), 0, match.start()) + 1}"
        if match["name"] != layer.name:
            yield f"{where}: layer '{match['name']}' is made in the folder of layer {layer.name}"
            continue
        words = match["body"].split()
        uses = words[words.index("USES") + 1 :] if "USES" in words else []
        if "SOURCES" in uses:
            uses = uses[: uses.index("SOURCES")]
        for use in uses:
            if "::" in use:
                good = use in SYSTEM_TARGETS or third_party_of(use) in layer.third_party
            else:
                good = use in known and use in layer.uses
            if not good:
                yield f"{where}: USES {use}; layer {layer.name} may use {allowed_text(layer)}"


def check_tree(tree):
    """All violations in a tree, in path order, and the number of files read."""
    tree = Path(tree).resolve()
    files = set()
    for layer in LAYERS:
        for owned in layer.paths:
            root = tree / owned
            found = [root] if root.is_file() else root.rglob("*")
            files.update(f.relative_to(tree) for f in found if f.is_file())
    violations, count = [], 0
    for path in sorted(files):
        layer = layer_of(path.as_posix())
        if path.suffix in SOURCE_SUFFIXES:
            count += 1
            violations += check_file(tree, path, layer)
        elif path.name == "CMakeLists.txt":
            violations += check_cmake(tree, path, layer)
    return violations, count


def markdown_table():
    def uses_text(layer):
        words = [u.replace(":include", " (below `include/`)") for u in layer.uses]
        return ", ".join(words + [f"*{name}*" for name in layer.third_party]) or "–"

    rows = ["| layer | where | what it is for | may include |", "|---|---|---|---|"]
    for layer in LAYERS:
        where = ", ".join(f"`{p}`" for p in layer.paths)
        rows.append(f"| {layer.name} | {where} | {layer.purpose} | {uses_text(layer)} |")
    return "\n".join(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--table", action="store_true", help="print the layer table as Markdown")
    parser.add_argument("tree", nargs="?", default=Path(__file__).resolve().parent.parent)
    arguments = parser.parse_args()
    if arguments.table:
        print(markdown_table())
        return 0
    violations, count = check_tree(arguments.tree)
    for violation in violations:
        print(violation)
    print(f"layers: {count} files, {len(violations)} violations")
    return 1 if violations else 0


if __name__ == "__main__":
    sys.exit(main())
