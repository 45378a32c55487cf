#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every format and lint check of the tree: `make lint`. With --fix, formats instead.

clang-tidy reads build/release/compile_commands.json and remembers in build/lint which files passed,
so only a file that changed, or one of our headers it includes, is looked at again.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import check_layers

TREE = Path(__file__).resolve().parent.parent
CPP_SUFFIXES = check_layers.SOURCE_SUFFIXES
COMPILED_FOR_TIDY = ("src/", "bridges/", "python/native/")
DATABASES = (TREE / "build/release", TREE / "build/wheel/cmake")
PASSED = TREE / "build/lint"
JOBS = int(os.environ.get("JOBS") or os.cpu_count())


def own_files():
    """What git would commit: tracked, or new and not ignored."""
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=TREE,
        capture_output=True,
        text=True,
        check=True,
    )
    return [TREE / name for name in listing.stdout.split("\0") if name and (TREE / name).is_file()]


def cpp_files():
    return [path for path in own_files() if path.suffix in CPP_SUFFIXES]


def run(*command):
    return subprocess.run(command, cwd=TREE).returncode == 0


def clang_format():
    result = subprocess.run(
        ["clang-format", "--dry-run", *cpp_files()], cwd=TREE, capture_output=True, text=True
    )
    unformatted = sorted(set(re.findall(r"^(\S+?):\d+:\d+: warning", result.stderr, re.M)))
    for file in unformatted:
        print(f"{os.path.relpath(file, TREE)}: not formatted")
    return result.returncode == 0 and not unformatted


def ruff():
    return run("ruff", "check", "--quiet", ".") and run("ruff", "format", "--quiet", "--check", ".")


def layers():
    return run(sys.executable, "tools/check_layers.py")


def with_own_headers(path):
    """A source and every file of the tree it includes, however deep."""
    seen, todo = set(), [path.relative_to(TREE)]
    while todo:
        current = todo.pop()
        if current in seen:
            continue
        seen.add(current)
        for line in (TREE / current).read_text(encoding="utf-8").splitlines():
            match = check_layers.INCLUDE.match(line)
            if match:
                spelling = match["quoted"] or match["angled"]
                found = check_layers.resolve(TREE, current, spelling, bool(match["quoted"]))
                todo += [Path(found)] if found else []
    return sorted(seen)


def tidy_one(database, entry, tidy):
    """What clang-tidy has to say about one source, a string for each."""
    source = Path(entry["file"])
    digest = hashlib.sha256((entry.get("command", "") + tidy).encode())
    for file in with_own_headers(source):
        digest.update(str(file).encode() + (TREE / file).read_bytes())
    mark = PASSED / digest.hexdigest()
    if mark.exists():
        return []
    result = subprocess.run(
        ["clang-tidy", "--quiet", "-p", database, source], capture_output=True, text=True
    )
    if result.returncode == 0:
        mark.touch()
        return []
    found = re.split(r"^(?=\S+:\d+:\d+: (?:error|warning))", result.stdout, flags=re.M)
    return [one for one in found if one] or [f"{source}: {result.stderr}"]


def clang_tidy():
    wanted = {}
    for database in DATABASES:
        file = database / "compile_commands.json"
        for entry in json.loads(file.read_text(encoding="utf-8")) if file.is_file() else []:
            name = os.path.relpath(entry["file"], TREE)
            if name.startswith(COMPILED_FOR_TIDY):
                wanted.setdefault(name, (database, entry))
    PASSED.mkdir(parents=True, exist_ok=True)
    config = (TREE / ".clang-tidy").read_text(encoding="utf-8")
    with ThreadPoolExecutor(JOBS) as pool:
        found = pool.map(lambda pair: tidy_one(*pair, config), wanted.values())
        # A header is read with every source that includes it; say each thing once.
        messages = dict.fromkeys(message for one in found for message in one)
    print("".join(messages).replace(f"{TREE}/", ""), end="")
    return not messages


def fix():
    return (
        run("clang-format", "-i", *cpp_files())
        and run("ruff", "check", "--quiet", "--fix", ".")
        and run("ruff", "format", "--quiet", ".")
    )


def main():
    if sys.argv[1:] == ["--fix"]:
        return 0 if fix() else 1
    failed = 0
    for check in (layers, ruff, clang_format, clang_tidy):
        name = check.__name__.replace("_", "-")
        tool = name if name != "layers" else "git"
        if shutil.which(tool) is None:
            print(f"lint: {tool} is not installed; `make lint` installs it")
            return 1
        started = time.monotonic()
        good = check()
        failed += not good
        print(
            f"lint: {name:<13} {'good' if good else 'FAILED'}, {time.monotonic() - started:.1f} s",
            flush=True,
        )
    if failed:
        print("lint: `make format` mends what is only formatting")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
