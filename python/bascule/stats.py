# SPDX-License-Identifier: Apache-2.0
"""What this process did with an operator, and why its gradient did not run."""

from dataclasses import dataclass, field
from typing import Any, Optional

from bascule.gradient import Gradient, plural

__all__ = ["Seen", "Stats", "make_stats", "stats_of"]


@dataclass(frozen=True)
class Stats:
    """Counts of one operator since its library was loaded, from all callers in this process.

    `forward` are calls that succeeded, `backward` computations of the gradient; the runtime counts
    both, so compiled MindSpore graphs count. What torch.compile made of a gradient is not counted.
    `packed_inputs` and `unpacked_outputs` are tensors that were copied because they were not dense;
    `tiling_runs` is how often the host's tiling was asked, `plans` what is kept of that,
    `plan_hits` how often it was found again, `plans_loaded` what came with the library or a file.
    `why_no_backward` is a sentence where the gradient never ran, else None.
    """

    operator: str
    forward: int
    backward: int
    why_no_backward: Optional[str]
    packed_inputs: int
    packed_input_bytes: int
    unpacked_outputs: int
    unpacked_output_bytes: int
    tiling_runs: int
    plans: int
    plan_hits: int = 0
    plans_dropped: int = 0
    plans_loaded: int = 0

    def __str__(self) -> str:
        text = f"{self.operator}: {self.forward} forward, {self.backward} backward"
        copies = self.packed_inputs + self.unpacked_outputs
        if copies:
            text += f", {plural(copies, 'tensor')} copied because not dense"
        return text if self.why_no_backward is None else f"{text}. {self.why_no_backward}"


@dataclass
class Seen:
    """What the bridges saw of the calls to an operator, to explain a gradient that did not run.

    Counted without a lock: a number may be a little low, and only zero matters.
    """

    recorded: int = 0  # calls for which a gradient was recorded
    plain: int = 0  # calls where no input required one
    disabled: int = 0  # calls where gradients were turned off
    traced: bool = False  # by a compiler, whose code nobody counts
    frameworks: set = field(default_factory=set)  # "numpy", "torch", ...


def stats_of(operator: Any, gradient: Gradient) -> Stats:
    """The counts of an Operator, with the gradient that its caller goes by."""
    missing = gradient.reason if gradient.kind == "none" else None
    return make_stats(operator.name, operator.native.statistics(), missing, operator.seen)


def make_stats(name: str, numbers: dict[str, int], missing: Optional[str], seen: Seen) -> Stats:
    """`numbers` as _native.Operator.statistics gives them; `missing`: why there is no gradient."""
    numbers = dict(numbers)
    forward, backward = numbers.pop("calls"), numbers.pop("gradients")
    why = None if backward else _why(forward, missing, seen)
    return Stats(name, forward, backward, why, **numbers)


def _why(forward: int, missing: Optional[str], seen: Seen) -> str:
    if forward == 0 and not seen.traced:
        return "It was not called."
    if missing is not None:
        return f"It has no gradient: {missing}."
    if seen.traced:
        return "It was compiled (torch.compile, torch.export), and compiled gradients do not count."
    if seen.recorded:
        return (
            "Its result did not reach a loss on which backward() was called, or was detached "
            "before."
        )
    if seen.disabled and not seen.plain:
        return "Gradients were turned off (torch.no_grad, inference_mode) in every call."
    if seen.plain:
        return "No input required a gradient."
    if "mindspore" in seen.frameworks:
        return (
            "MindSpore does not say whether a gradient was asked for: was the result inside "
            "mindspore.grad or value_and_grad, with its input among grad_position or the "
            "parameters?"
        )
    if seen.frameworks <= {"numpy"}:
        return "It was called on NumPy arrays, which record nothing; bascule.vjp gives gradients."
    return "Why cannot be told."
