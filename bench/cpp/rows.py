# SPDX-License-Identifier: Apache-2.0
"""The rows made of the programs in this folder. bench/README.md says how a row is read."""

from typing import NamedTuple, Optional

from measure import Row

SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3}


class CppRow(NamedTuple):
    """`ours` and `rival` are names of benchmarks in `programs`.

    With `allowed`, in `unit`, the row is about an amount: ours less the rival against that.
    """

    name: str
    programs: tuple[str, ...]
    ours: str
    rival: str
    rival_name: str
    unit: str
    target: Optional[float] = 1.0
    allowed: Optional[float] = None

    @property
    def program(self) -> str:
        return " ".join(("cpp", *self.programs))

    def evaluate(self, seconds: dict[str, float]) -> Row:
        """The row, from the median seconds of every benchmark."""
        ours, rival = (seconds[name] / SECONDS[self.unit] for name in (self.ours, self.rival))
        if self.allowed is not None:
            ours, rival = ours - rival, self.allowed
        return Row(self.name, ours, rival, self.rival_name, self.unit, self.target)


ROWS = (
    CppRow(
        "my_mul float 8192x8192",
        ("my_mul_bench",),
        "my_mul_8192x8192_float/ours",
        "my_mul_8192x8192_float/loop",
        "a loop on two threads, -O3 -march=native",
        "ms",
        target=1.3,
    ),
    CppRow(
        "my_mul call of 4096, beyond the work",
        ("my_mul_bench",),
        "my_mul_call_4096/ours",
        "my_mul_call_4096/loop",
        "allowed, from C++; the work is the loop",
        "us",
        allowed=2.0,
    ),
    CppRow(
        "an instruction that nobody watches",
        ("instruction_bench_watched", "instruction_bench_blind"),
        "instruction_64/watched",
        "instruction_64/blind",
        "an engine that cannot be watched",
        "us",
        target=1.02,
    ),
)
