# SPDX-License-Identifier: Apache-2.0
"""The rows made of the programs in this folder. bench/README.md says how a row is read."""

from typing import NamedTuple, Optional

from measure import Row

SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "bytes": 1.0}  # bytes are what they are


class CppRow(NamedTuple):
    """`ours` and `rival` are names of benchmarks in `programs`; with `:cpu` behind them their
    processor time counts, which is right for what one thread does, whatever else the machine does.
    With `:x_ns` or `:x_bytes` it is a counter that the benchmark reports under that name.

    With `allowed`, in `unit`, the row is about an amount: ours less the rival, if there is one,
    against that. A benchmark that does something many times says how many: `times` for ours,
    `rival_times` for the rival.
    """

    name: str
    programs: tuple[str, ...]
    ours: str
    rival: Optional[str]
    rival_name: str
    unit: str
    target: Optional[float] = 1.0
    allowed: Optional[float] = None
    times: float = 1
    rival_times: float = 1

    @property
    def program(self) -> str:
        return " ".join(("cpp", *self.programs))

    def evaluate(self, seconds: dict[str, float]) -> Row:
        """The row, from the median seconds of every benchmark."""
        ours = seconds[self.ours] / SECONDS[self.unit] / self.times
        rival = 0.0
        if self.rival is not None:
            rival = seconds[self.rival] / SECONDS[self.unit] / self.rival_times
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
        "my_mul_call_4096/ours:cpu",
        "my_mul_call_4096/loop:cpu",
        "allowed, from C++; the work is the loop",
        "us",
        allowed=2.0,
    ),
    CppRow(
        "my_mul call of 4096 in C, beyond the kernel",
        ("my_mul_bench",),
        "my_mul_call_4096/ours:cpu",
        "my_mul_call_4096/loop:cpu",
        "allowed; the kernel's own work is the loop",
        "us",
        allowed=3.0,
    ),
    *(
        CppRow(
            f"finding a plan among 10 000 shapes on two threads, {what}",
            ("plan_bench",),
            f"plan_hit/iterations:1:{counter}",
            None,
            "allowed, through the C interface",
            "ns",
            allowed=allowed,
        )
        for what, counter, allowed in (("median", "median_ns", 100.0), ("p99", "p99_ns", 300.0))
    ),
    CppRow(
        "a plan kept, beyond its tiling data",
        ("plan_bench",),
        "plan_hit/iterations:1:entry_bytes",
        None,
        "allowed",
        "bytes",
        allowed=256.0,
    ),
    CppRow(
        "opening a library",
        ("plan_bench",),
        "open_library/iterations:20",
        None,
        "allowed",
        "ms",
        allowed=5.0,
    ),
    CppRow(
        "building my_mul where nothing changed",
        ("plan_bench",),
        "build_cached/iterations:10",
        None,
        "allowed",
        "ms",
        allowed=100.0,
    ),
    CppRow(
        "building my_mul from nothing",
        ("plan_bench",),
        "build_cold/iterations:1",
        None,
        "allowed",
        "s",
        allowed=8.0,
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
    *(
        CppRow(
            f"{name} {dtype} 8192x8192",
            ("kernel_bench",),
            f"{name}_8192x8192_{dtype}/ours",
            f"{name}_8192x8192_{dtype}/loop",
            f"{'an F16C' if dtype == 'half' else 'a'} loop on two threads, -O3 -march=native",
            "ms",
            target=1.2,
        )
        for name in ("add", "mul_scale", "axpy")
        for dtype in ("float", "half")
    ),
    CppRow(
        "add float 8192x8192 in tiles of 16 KiB",
        ("kernel_bench",),
        "add_16k_8192x8192_float/ours",
        "add_8192x8192_float/loop",
        "a loop on two threads, -O3 -march=native",
        "ms",
        target=None,
    ),
    *(
        CppRow(
            f"{name} float, 4 M elements",
            ("kernel_bench",),
            f"{name}_float/ours",
            f"{name}_float/loop",
            "a loop on two threads, vectorised by -O3 -ffast-math and libmvec",
            "ms",
            target=1.3,
        )
        for name in ("exp", "tanh", "gelu")
    ),
    CppRow(
        "mul_scale float, time against size",
        ("kernel_bench",),
        "mul_scale_8192x8192_float/ours",
        "mul_scale_quarter_float/ours",
        "a quarter of the size, four times",
        "ms",
        target=1.1,
        rival_times=0.25,
    ),
    CppRow(
        "tanh float on 48 blocks",
        ("kernel_bench",),
        "tanh_float/ours",
        "tanh_float/one_block",
        "on 1 block, which is one thread",
        "ms",
        target=0.6,
    ),
    CppRow(
        "<<<>>> launch of 4096 elements, beyond the work",
        ("kernel_bench",),
        "launch_4096/ours:cpu",
        "launch_4096/loop:cpu",
        "allowed, from C++; the work is the loop",
        "us",
        allowed=2.0,
    ),
    CppRow(
        "GetValue, GetValue, SetValue in float, an element",
        ("kernel_bench",),
        "scalar_float/ours:cpu",
        None,
        "allowed",
        "ns",
        allowed=2.0,
        times=1 << 22,
    ),
    CppRow(
        "GetValue, GetValue, SetValue in half, an element",
        ("kernel_bench",),
        "scalar_half/ours:cpu",
        None,
        "allowed",
        "ns",
        allowed=8.0,
        times=1 << 22,
    ),
    CppRow(
        "Add of 64 floats, beyond its arithmetic",
        ("kernel_bench",),
        "add_64/ours/100000:cpu",
        "add_64/loop/100000:cpu",
        "allowed; the arithmetic is the loop",
        "ns",
        allowed=20.0,
        times=100000,
        rival_times=100000,
    ),
    CppRow(
        "SyncAll on 48 blocks, a block and barrier",
        ("kernel_bench",),
        "sync_all/ours/100",
        None,
        "allowed",
        "us",
        allowed=2.0,
        times=48 * 100,
    ),
)
