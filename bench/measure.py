# SPDX-License-Identifier: Apache-2.0
"""What the Python benchmarks share: rows, and times taken in turns.

A module in a folder named after a framework has a function `rows()` that yields Rows. Ours and the
rival are timed in the same process, round by round in turns, so that a machine that gets slower
gets slower for both; what counts is the median over the rounds.
"""

import itertools
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Callable, Optional

TREE = Path(__file__).resolve().parent.parent
OUTPUT = TREE / "build/bench"
THREADS = 2


class Row:
    """One line of the table: `ours` and `rival` in `unit`, judged by their ratio.

    `better` says which ratio is good: "lower" (times) or "higher" (speeds); `target` is the bound
    of the ratio, None where the row only reports. Where a promise is an amount rather than a ratio,
    the rival is that amount and the target 1.
    """

    def __init__(
        self,
        name: str,
        ours: float,
        rival: float,
        rival_name: str,
        unit: str,
        target: Optional[float] = 1.0,
        better: str = "lower",
    ):
        if better not in ("lower", "higher"):
            raise ValueError(f"better is 'lower' or 'higher', not {better!r}")
        self.name = name
        self.ours = ours
        self.rival = rival
        self.rival_name = rival_name
        self.unit = unit
        self.target = target
        self.better = better

    @property
    def ratio(self) -> float:
        return self.ours / self.rival

    @property
    def holds(self) -> Optional[bool]:
        if self.target is None:
            return None
        return self.ratio <= self.target if self.better == "lower" else self.ratio >= self.target

    def to_json(self) -> dict:
        names = (
            "name",
            "ours",
            "rival",
            "rival_name",
            "unit",
            "ratio",
            "target",
            "better",
            "holds",
        )
        return {name: getattr(self, name) for name in names}


class Times:
    """Seconds per call of several functions, by name and round."""

    def __init__(self, samples: dict):
        self.samples = samples

    def median(self, name: str) -> float:
        return statistics.median(self.samples[name])

    def beyond(self, name: str, part: str) -> float:
        """How much longer `name` takes than `part`: the median of the rounds' differences."""
        pairs = zip(self.samples[name], self.samples[part])
        return statistics.median(whole - less for whole, less in pairs)


def take_turns(
    functions: dict[str, Callable[[], object]],
    rounds: int = 25,
    seconds: float = 0.01,
    clock: Callable[[], float] = time.perf_counter,
) -> Times:
    """Times `functions`; each is called so often per round that it takes about `seconds`.

    With time.thread_time for a clock it is the processor time of the caller that counts: right for
    calls too short to use a second thread, whatever else the machine does.
    """
    loops = {name: _loops(function, seconds) for name, function in functions.items()}
    samples = {name: [] for name in functions}
    order = list(functions)
    for turn in range(rounds):
        for name in order[turn % len(order) :] + order[: turn % len(order)]:
            samples[name].append(_time(functions[name], loops[name], clock))
    return Times(samples)


def repeated(call: Callable[[int], object], seconds=0.01) -> Callable[[], "Loop"]:
    """For what loops by itself: `call(n)` runs n times. Gives take_turns a function to time."""
    return Loop(call, seconds)


class Loop:
    """A function that repeats its work inside, without Python in between."""

    def __init__(self, call: Callable[[int], object], seconds: float):
        self.call = call
        self.inner = 1
        while _once(lambda: call(self.inner)) < seconds / 4 and self.inner < 1 << 20:
            self.inner *= 2

    def __call__(self) -> None:
        self.call(self.inner)


def _once(function: Callable[[], object]) -> float:
    start = time.perf_counter()
    function()
    return time.perf_counter() - start


def _loops(function: Callable[[], object], seconds: float) -> int:
    for _ in range(3):
        function()
    loops = 1
    while loops < 1 << 20:
        taken = _time(function, loops) * loops * getattr(function, "inner", 1)
        if taken >= seconds / 2:
            return max(1, round(loops * seconds / taken))
        loops *= 2
    return loops


def _time(
    function: Callable[[], object], loops: int, clock: Callable[[], float] = time.perf_counter
) -> float:
    turns = itertools.repeat(None, loops)
    start = clock()
    for _ in turns:
        function()
    return (clock() - start) / loops / getattr(function, "inner", 1)


def use_two_threads() -> None:
    """This process and its children: two processors, two threads, in every library we compare."""
    processors = sorted(os.sched_getaffinity(0))
    os.sched_setaffinity(0, processors[:THREADS])
    for name in ("BASCULE_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        os.environ[name] = str(THREADS)


def library(project: str) -> Path:
    """The library of an operator project of this tree, built if it changed."""
    output = OUTPUT / f"lib{Path(project).name}.so"
    command = [sys.executable, "-m", "bascule", "build", TREE / project, "-o", output, "--json"]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode != 0:
        raise SystemExit(result.stderr)
    return output


def write_rows(rows, stream) -> None:
    json.dump([row.to_json() for row in rows], stream)
