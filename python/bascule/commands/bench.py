# SPDX-License-Identifier: Apache-2.0
"""`bascule bench`.

An operator's sources say how large its tiles are and how many blocks run, from what the platform
has. So that is what is varied: tiling is told of fewer vector cores and less unified buffer. All
combinations, and what they are compared with, are timed in turns, and medians are told.
"""

import argparse
import statistics
import time
from pathlib import Path
from typing import Any, Callable, NamedTuple, Optional

from bascule.commands import Command
from bascule.commands.arrays import (
    INPUT_HELP,
    blocks_of,
    in_lists,
    read_attributes,
    read_input,
)
from bascule.commands.target import HELP, resolve
from bascule.console import print_json, progress, styled, table
from bascule.errors import Error, InvalidArgument
from bascule.lists import flat, nested

CORES = (1, 2, 4, 8, 16, 32, 48)
UB_KIB = (4, 8, 16, 32, 64, 128, 0)  # 0: all of it
COUNT = 1 << 20  # elements of an input that was not given
SAMPLE_SECONDS = 2e-3  # short calls are repeated to take this long


class Combination(NamedTuple):
    cores: int  # told to tiling; 0: all
    ub_kib: int


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("target", help=HELP)
    parser.add_argument("inputs", nargs="*", metavar="INPUT", help=INPUT_HELP)
    parser.add_argument(
        "-a", "--attribute", action="append", default=[], metavar="NAME=JSON", help="an attribute"
    )
    parser.add_argument(
        "--cores", type=numbers, default=CORES, metavar="N,…", help="vector cores to plan for"
    )
    parser.add_argument(
        "--ub",
        type=numbers,
        default=UB_KIB,
        metavar="KIB,…",
        help="unified buffer of a core to plan for, in KiB; 0: all of it. Tiles follow from it",
    )
    parser.add_argument(
        "--rounds", type=int, default=7, help="samples of each time; 7 unless given"
    )
    parser.add_argument("--seed", type=int, default=0, help="of random numbers; 0 unless given")
    parser.add_argument("--plot", type=Path, help="a .png or .svg file to draw the times into")


def numbers(text: str) -> tuple[int, ...]:
    found = tuple(int(part) for part in text.split(","))
    if not found or min(found) < 0:
        raise ValueError
    return found


def run(arguments: argparse.Namespace) -> int:
    import numpy as np

    from bascule.operator import LoneKernel

    if arguments.plot:
        check_plot(arguments.plot)
    if arguments.rounds < 1:
        raise InvalidArgument(f"--rounds is {arguments.rounds}; 1 or more are possible")
    operator = resolve(arguments.target).open_operator()
    if isinstance(operator, LoneKernel):
        raise InvalidArgument(
            f"{operator.name} is a lone kernel: it has no tiling, so there is nothing to vary"
        )
    generator = np.random.default_rng(arguments.seed)
    texts = arguments.inputs or usual_inputs(operator)
    inputs = in_lists(operator, [read_input(text, generator) for text in texts])
    attributes = read_attributes(arguments.attribute)
    first = operator(*inputs, **attributes)
    outputs = first if isinstance(first, tuple) else (first,)
    rows = [Combination(c, u) for u in arguments.ub for c in arguments.cores]
    report = measure(operator, inputs, outputs, attributes, rows, arguments.rounds)
    report["operator"] = operator.name
    report["inputs"] = [{"dtype": x.dtype.name, "shape": list(x.shape)} for x in flat(inputs)]
    report["attributes"] = attributes
    report["rounds"] = arguments.rounds
    if arguments.plot:
        plot(report, arguments.plot)
        report["plot"] = str(arguments.plot)
    if arguments.json:
        print_json(report)
    else:
        show(report)
    return 0 if report["best"] is not None else 1


def usual_inputs(operator: Any) -> list[str]:
    """One large vector for each input, of float32 where the operator takes it; two for a list."""
    inputs = operator.schema["inputs"]
    columns = list(zip(*(parameter["dtypes"] for parameter in inputs)))
    column = next((c for c in columns if set(c) == {"float32"}), columns[0])
    vectors = [f"{dtype}[{COUNT}]" for dtype in column]
    return [v for i, v in enumerate(vectors) for _ in range(2 if i in operator.input_lists else 1)]


def measure(
    operator: Any, inputs: list, outputs: tuple, attributes: dict, rows: list, rounds: int
) -> dict:
    from bascule import _native

    native, given = operator.native, attributes or None
    report: dict[str, Any] = {"combinations": [], "best": None, "rivals": []}
    functions: list[Callable[[int], Any]] = []
    entries: list[dict] = []

    def limited(combination: Combination) -> None:
        _native.plan_limits(combination.cores, combination.ub_kib * 1024)

    try:
        for combination in rows:
            entry = {"cores": combination.cores or None, "ub_kib": combination.ub_kib or None}
            report["combinations"].append(entry)
            try:
                limited(combination)
                entry["blocks"] = blocks_of(operator, inputs, attributes)
                native.call(inputs, outputs, given)
            except Error as error:  # tiling's own refusal, or the kernel's
                entry["error"] = str(error).partition("\n")[0]
                continue

            def call(repeats: int, combination: Combination = combination) -> float:
                limited(combination)
                began = time.perf_counter()
                native.call(inputs, outputs, given, repeat=repeats)
                return time.perf_counter() - began

            functions.append(call)
            entries.append(entry)
        for name, function in rivals(operator, inputs, outputs, attributes, report):
            entry = {"name": name}
            report["rivals"].append(entry)
            functions.append(repeated(function))
            entries.append(entry)
        with progress(f"timing {operator.name}") as said:
            samples = take_turns(functions, rounds, said)
    finally:
        _native.plan_limits()
    for entry, times in zip(entries, samples):
        entry["ms"] = statistics.median(times) * 1e3
        entry["fastest_ms"] = min(times) * 1e3
    timed = [entry for entry in report["combinations"] if "ms" in entry]
    report["best"] = min(timed, key=lambda entry: entry["ms"]) if timed else None
    return report


def repeated(function: Callable[[], Any]) -> Callable[[int], float]:
    def call(repeats: int) -> float:
        began = time.perf_counter()
        for _ in range(repeats):
            function()
        return time.perf_counter() - began

    return call


def take_turns(functions: list, rounds: int, said: Any) -> list[list[float]]:
    """Seconds per call of each function, a sample per round, each round in another order."""
    repeats = [max(1, int(SAMPLE_SECONDS / max(function(1), 1e-9))) for function in functions]
    samples: list[list[float]] = [[] for _ in functions]
    for turn in range(rounds):
        said.step(turn, rounds, "rounds")
        for k in range(len(functions)):
            i = (k + turn * 7) % len(functions)
            samples[i].append(functions[i](repeats[i]) / repeats[i])
    return samples


def rivals(operator: Any, inputs: list, outputs: tuple, attributes: dict, report: dict) -> list:
    """The project's reference, in NumPy and in torch, on the same elements of the same type.

    A reference is written for NumPy; where it works on torch's tensors too and gives the same, its
    time there is told as well.
    """
    reference = operator.schema.get("reference")
    if not reference:
        report["note"] = "the library has no reference to compare times with"
        return []
    names: dict[str, Any] = {}
    exec(compile(reference["text"], reference["file"], "exec"), names)
    function = names[reference["function"]]
    complete = {n: attributes.get(n, a.get("default")) for n, a in operator.attributes.items()}

    def numpy() -> Any:
        return function(*inputs, **complete)

    found: list[tuple[str, Callable]] = [("NumPy, the reference", numpy)]
    try:
        import torch
    except ImportError:
        return found
    try:
        tensors = nested(torch.from_numpy, inputs)
        result = function(*tensors, **complete)
        same = isinstance(result, torch.Tensor) and torch.allclose(
            result.double(), torch.from_numpy(outputs[0]).double(), rtol=1e-2, atol=1e-2
        )
    except Exception:  # whatever a function for NumPy does with what is none
        same = False
    if same:
        found.append(("torch, the reference", lambda: function(*tensors, **complete)))
    else:
        report["note"] = "the reference does not work on torch's tensors"
    return found


def ub_name(ub_kib: Optional[int]) -> str:
    return f"{ub_kib} KiB" if ub_kib else "all"


def show(report: dict) -> None:
    best = report["best"]
    rows = []
    for entry in report["combinations"]:
        row = [ub_name(entry["ub_kib"]), entry["cores"] or "all"]
        if "error" in entry:
            rows.append([*row, "", "", f"does not fit: {entry['error']}"])
        else:
            mark = "best" if entry is best else f"{entry['ms'] / best['ms']:.2f} x"
            rows.append([*row, entry["blocks"], f"{entry['ms']:.3f}", mark])
    table(("unified buffer", "cores", "blocks", "ms", ""), rows, right=(1, 2, 3))
    for rival in report["rivals"]:
        faster = rival["ms"] / best["ms"] if best else 0
        print(f"{rival['name']}: {rival['ms']:.3f} ms, {faster:.2f} x the best")
    if "note" in report:
        print(report["note"])
    if best is None:
        styled("no combination fits", "bold red")
    else:
        styled(
            f"best: unified buffer {ub_name(best['ub_kib'])}, {best['cores'] or 'all'} cores: "
            f"{best['blocks']} blocks, {best['ms']:.3f} ms",
            "bold green",
        )
    if "plot" in report:
        print(report["plot"])


def check_plot(path: Path) -> None:
    if path.suffix not in (".png", ".svg"):
        raise InvalidArgument(f"--plot {path}: a plot is a .png or a .svg file")
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise InvalidArgument(
            "--plot needs matplotlib: pip install 'bascule[bench]' or pip install matplotlib"
        ) from error


def plot(report: dict, path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(8, 5), layout="constrained")
    lines: dict[Optional[int], list[dict]] = {}
    for entry in report["combinations"]:
        lines.setdefault(entry["ub_kib"], []).append(entry)
    for ub_kib, entries in lines.items():
        timed = [entry for entry in entries if "ms" in entry]
        missing = len(entries) - len(timed)
        label = f"unified buffer {ub_name(ub_kib)}"
        label += f" ({missing} of {len(entries)} do not fit)" if missing else ""
        axes.plot(
            [entry["blocks"] or 1 for entry in timed],
            [entry["ms"] for entry in timed],
            marker="o",
            label=label,
        )
    for rival, style in zip(report["rivals"], ("--", ":")):
        axes.axhline(rival["ms"], color="black", linestyle=style, label=rival["name"])
    best = report["best"]
    if best is not None:
        axes.plot(best["blocks"] or 1, best["ms"], "*", markersize=16, color="black", label="best")
    axes.set_xscale("log", base=2)
    axes.set_xlabel("blocks")
    axes.set_ylabel("ms (median)")
    shapes = ", ".join(f"{x['dtype']}{x['shape']}" for x in report["inputs"])
    axes.set_title(f"{report['operator']}: {shapes}")
    axes.legend(fontsize="small")
    figure.savefig(path)
    pyplot.close(figure)


COMMAND = Command(
    "bench", "time an operator for sizes of tiles and numbers of blocks", run, add_arguments
)
