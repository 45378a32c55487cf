#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs every benchmark, prints a table, writes build/bench/results.json. bench/README.md says more.

bench/run.py [WORD …]     only the modules and programs whose path contains one of the words
bench/run.py --strict     exit status 1 when a target is missed
"""

import argparse
import importlib.util
import json
import statistics
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from measure import OUTPUT, TREE, use_two_threads, write_rows

# Folders of Python benchmarks, and the Python that has their framework.
PYTHONS = {
    "numpy": TREE / ".venv/bin/python",
    "torch": TREE / ".venv/bin/python",
    "mindspore": TREE / ".venv-mindspore/bin/python",
}
CPP_PROGRAMS = TREE / "build/release/bench"
CPP_ROUNDS = 3
MARK = "rows: "  # precedes a module's rows on its standard output


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def wanted(path, words):
    return not words or any(word in str(path) for word in words)


def python_rows(words):
    for folder, python in PYTHONS.items():
        for path in sorted((TREE / "bench" / folder).glob("*.py")):
            if not wanted(path, words):
                continue
            if not python.exists():
                print(f"{path.relative_to(TREE)}: left out, {folder} is not installed here")
                continue
            # Outside the tree, so that the installed package is measured and not its sources.
            command = [python, Path(__file__).resolve(), "--module", path]
            result = subprocess.run(command, stdout=subprocess.PIPE, text=True, cwd=OUTPUT)
            lines = [line for line in result.stdout.splitlines() if line.startswith(MARK)]
            if result.returncode != 0 or not lines:
                raise SystemExit(f"{path.relative_to(TREE)} failed; its own words are above.")
            yield from json.loads(lines[-1][len(MARK) :])


def cpp_rows(words):
    rows = [row for row in load(TREE / "bench/cpp/rows.py").ROWS if wanted(row.program, words)]
    programs = sorted({p for row in rows for p in row.programs})
    missing = [p for p in programs if not (CPP_PROGRAMS / p).exists()]
    if missing:
        raise SystemExit(f"{CPP_PROGRAMS} has no {', '.join(missing)}; `make build` compiles them.")
    samples = {}
    for _ in range(CPP_ROUNDS):
        for program in programs:
            for name, seconds in run_cpp(CPP_PROGRAMS / program):
                samples.setdefault(name, []).append(seconds)
    medians = {name: statistics.median(values) for name, values in samples.items()}
    for row in rows:
        yield row.evaluate(medians).to_json()


def run_cpp(program):
    """(name, seconds per iteration) of every repetition of a Google Benchmark program.

    With `:cpu` behind the name, the seconds are processor time of the calling thread; with `:` and
    the name of a counter, what the benchmark reported itself, `_ns` in seconds.
    """
    options = [
        "--benchmark_format=json",
        "--benchmark_repetitions=3",
        "--benchmark_min_time=0.1",
        "--benchmark_enable_random_interleaving=true",
    ]
    result = subprocess.run([program, *options], stdout=subprocess.PIPE, text=True)
    if result.returncode != 0:
        raise SystemExit(f"{program} failed; its own words are above.")
    units = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
    for entry in json.loads(result.stdout)["benchmarks"]:
        if entry.get("error_occurred"):
            raise SystemExit(f"{program}: {entry['name']}: {entry['error_message']}")
        if entry["run_type"] == "iteration":
            name = entry["run_name"].removesuffix("/real_time")
            yield name, entry["real_time"] * units[entry["time_unit"]]
            yield f"{name}:cpu", entry["cpu_time"] * units[entry["time_unit"]]
            for counter, value in entry.items():
                if counter.endswith(("_ns", "_bytes")):
                    yield f"{name}:{counter}", value * (1e-9 if counter.endswith("_ns") else 1)


def print_table(rows):
    width = max(len(row["name"]) for row in rows)
    print(f"\n{'':{width}}       ours      rival      ratio   target")
    for row in rows:
        sign = "≤" if row["better"] == "lower" else "≥"
        target = "      " if row["target"] is None else f"{sign} {row['target']:<5.3g}"
        verdict = {None: "  ", True: "ok", False: "MISSED"}[row["holds"]]
        print(
            f"{row['name']:{width}} {row['ours']:>10.4g} {row['rival']:>10.4g} {row['unit']:<4}"
            f"{row['ratio']:>7.3f}  {target} {verdict:<7} {row['rival_name']}"
        )
    judged = [row for row in rows if row["holds"] is not None]
    print(f"\n{sum(row['holds'] for row in judged)} of {len(judged)} targets hold")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("words", nargs="*")
    parser.add_argument("--strict", action="store_true")
    parser.add_argument("--module", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    use_two_threads()
    if arguments.module is not None:
        rows = list(load(arguments.module).rows())
        print(end=MARK)
        write_rows(rows, sys.stdout)
        print()
        return 0
    OUTPUT.mkdir(parents=True, exist_ok=True)
    rows = []
    for collect in (cpp_rows, python_rows):
        for row in collect(arguments.words):
            rows.append(row)
    (OUTPUT / "results.json").write_text(json.dumps(rows, indent=2) + "\n", encoding="utf-8")
    print_table(rows)
    return int(arguments.strict and any(row["holds"] is False for row in rows))


if __name__ == "__main__":
    sys.exit(main())
