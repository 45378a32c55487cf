# SPDX-License-Identifier: Apache-2.0
"""The frameworks that `bascule check` runs an operator in, and how.

A runner takes and gives NumPy arrays; what a framework needs in between is in its bridge, the
module `check` of bascule.<framework>, which lists its runners as RUNNERS.
"""

import importlib
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple, Optional, Protocol, Union

import numpy as np

from bascule import xp_numpy
from bascule.errors import InvalidArgument
from bascule.gradient import Gradient, as_tuple
from bascule.operator import Operator

__all__ = ["FRAMEWORKS", "Call", "NumPy", "Runner", "each", "refuse_unknown", "runners"]

# Those with a bridge, each with the ways an operator can be run in it.
FRAMEWORKS = {
    "numpy": ("numpy",),
    "torch": ("torch", "torch.compile"),
    "mindspore": ("mindspore.pynative", "mindspore.graph"),
}


def refuse_unknown(names: list[str]) -> None:
    """Raises InvalidArgument for a name that is neither a framework nor a way to run in one."""
    known = [way for ways in FRAMEWORKS.values() for way in ways]
    for name in names:
        if name not in known and name not in FRAMEWORKS:
            raise InvalidArgument(
                f"there is no framework {name!r} here; there are "
                f"{', '.join(dict.fromkeys([*FRAMEWORKS, *known]))}."
            )


class Call(NamedTuple):
    """A call of an operator, with gradients for its outputs."""

    inputs: list
    attributes: dict
    douts: list


class Runner(Protocol):
    """Runs an operator in one framework, one way.

    Raises Unsupported for what the framework does not take; anything else it raises is a failure.
    Where a framework compiles, it may also have `forward_many` and `gradients_many`, from an
    operator and a list of Calls to a list of what the others give: in one function, as compiling
    one for each would take minutes. Where that is slow all the same, `share` is a number n: of its
    gradients every nth is tried.
    """

    name: str

    # An input that is a list is a list of arrays, and so is its gradient.

    def forward(self, operator: Operator, inputs: list, attributes: dict) -> list:
        """The outputs."""

    def gradients(
        self, operator: Operator, inputs: list, attributes: dict, douts: list
    ) -> tuple[list, list]:
        """The outputs, and what the gradient gave: None where there is nothing."""


def each(
    runner: Runner, method: str, operator: Operator, calls: Sequence[Call]
) -> list[Union[Any, Exception]]:
    """What `forward` or `gradients` gives for each call; where it raises, the exception."""
    many = getattr(runner, f"{method}_many", None)
    if many is not None and len(calls) > 1:
        try:
            return many(operator, calls)
        except Exception:  # for one of them; the halves say which
            half = len(calls) // 2
            return [
                *each(runner, method, operator, calls[:half]),
                *each(runner, method, operator, calls[half:]),
            ]
    results: list = []
    for inputs, attributes, douts in calls:
        try:
            if method == "forward":
                results.append(runner.forward(operator, inputs, attributes))
            else:
                results.append(runner.gradients(operator, inputs, attributes, douts))
        except Exception as error:
            results.append(error)
    return results


class NumPy:
    """The operator itself, and its gradient function as it stands, unchecked."""

    name = "numpy"

    def forward(self, operator: Operator, inputs: list, attributes: dict) -> list:
        results = operator.run_arrays(*inputs, **attributes)
        return list(results) if isinstance(results, tuple) else [results]

    def gradients(
        self, operator: Operator, inputs: list, attributes: dict, douts: list
    ) -> tuple[list, list]:
        outputs = operator.run_all(*inputs, **attributes)
        complete = complete_attributes(operator, attributes)
        gradients = raw_gradients(operator.gradient, inputs, outputs, douts, complete)
        return list(outputs[: len(operator.outputs)]), gradients


def raw_gradients(
    gradient: Gradient, inputs: list, outputs: list, douts: list, attributes: dict
) -> list:
    """What the gradient function returns for NumPy arrays, unchecked.

    `outputs` include those saved for it.
    """
    bprop, form, _ = gradient.get(xp_numpy)
    given = [np.zeros_like(out) if dout is None else dout for out, dout in zip(outputs, douts)]
    gradients = bprop(*form.arguments(inputs, outputs, given), **attributes)
    # All that came, also more or less than wanted: whoever compares says so.
    return [_raw(value, got) for value, got in _paired(inputs, as_tuple(gradients, inputs))]


def _paired(inputs: Sequence, gradients: Sequence) -> Iterator[tuple]:
    for i, gradient in enumerate(gradients):
        yield (inputs[i] if i < len(inputs) else None), gradient


def _raw(given: Any, got: Any) -> Any:
    if got is None:
        return None
    if isinstance(given, (tuple, list)) and isinstance(got, (tuple, list)):
        return [_raw(value, gradient) for value, gradient in _paired(given, got)]
    got = np.asarray(got)
    # NumPy knows bfloat16 as a stranger's type: a Python number makes float32 of it, which it does
    # in no framework.
    stranger = isinstance(given, np.ndarray) and given.dtype.name == "bfloat16"
    return got.astype(given.dtype) if stranger and got.dtype == np.float32 else got


def complete_attributes(operator: Operator, attributes: dict) -> dict:
    """The attributes with the defaults of those left out."""
    defaults = {
        name: declared["default"]
        for name, declared in operator.attributes.items()
        if "default" in declared
    }
    return {**defaults, **attributes}


def runners(wanted: Optional[list[str]] = None) -> tuple[list[Any], dict[str, str]]:
    """The runners of what is installed, and a sentence for every framework that is not.

    `wanted` are names of frameworks or of runners ("torch", "torch.compile"); None: all.
    """
    found: list[Any] = [NumPy()]
    missing: dict[str, str] = {}
    for framework in FRAMEWORKS:
        if framework == "numpy" or not _is_wanted(framework, wanted):
            continue
        try:
            module = importlib.import_module(f"bascule.{framework}.check")
        except ImportError as error:
            missing[framework] = str(error)
            continue
        found += module.RUNNERS
    if wanted is not None:
        found = [r for r in found if {r.name, r.name.partition(".")[0]} & set(wanted)]
    return found, missing


def _is_wanted(framework: str, wanted: Optional[list[str]]) -> bool:
    return wanted is None or any(name.partition(".")[0] == framework for name in wanted)
