# SPDX-License-Identifier: Apache-2.0
"""What a gradient function costs: operators run, bytes kept for it, its share of the time.

It runs on NumPy arrays that count what is done with them. One of bascule.xp's functions is one
operator, as it is in a framework, whatever NumPy needs for it.
"""

import inspect
import time
import types
from typing import Any, Callable

import numpy as np

from bascule import xp, xp_numpy
from bascule.gradient import as_tuple
from bascule.lists import flat, nested
from bascule.operator import Operator

__all__ = ["cost_of"]

_run: list[str] = []  # the operators run since it was cleared


class Counted(np.ndarray):
    """An array that counts the operators run on it, and knows whether it is a constant."""

    stopped = False  # no gradient flows through it

    def __array_ufunc__(self, function, method, *inputs, **keywords):
        return _count(getattr(function, method), inputs, keywords)

    def __array_function__(self, function, types, arguments, keywords):
        return _count(function, arguments, keywords)


def _bare(value: Any) -> Any:
    if isinstance(value, Counted):
        return value.view(np.ndarray)
    if isinstance(value, (tuple, list)):
        return type(value)(_bare(item) for item in value)
    return value


def _arrays(value: Any) -> list:
    if isinstance(value, (tuple, list)):
        return [array for item in value for array in _arrays(item)]
    return [value] if isinstance(value, Counted) else []


def _count(function: Callable, arguments: Any, keywords: dict, constant: bool = False) -> Any:
    _run.append(getattr(function, "__name__", ""))
    stopped = constant or all(array.stopped for array in _arrays([arguments, *keywords.values()]))
    result = function(
        *_bare(tuple(arguments)), **{key: _bare(value) for key, value in keywords.items()}
    )
    if not isinstance(result, (np.ndarray, np.generic)):
        return result
    counted = np.asarray(result).view(Counted)
    counted.stopped = stopped
    return counted


_CONSTANT = ("stop_gradient", "zeros_like", "ones_like", "full_like")


def _counting_xp() -> types.ModuleType:
    module = types.ModuleType("bascule.xp_counting")
    for name, function in inspect.getmembers(xp, inspect.isfunction):
        if name.startswith("_") or not hasattr(xp_numpy, name) or name == "broadcast_axes":
            setattr(module, name, function)
            continue

        def counting(*arguments, _name=name, **keywords):
            function = getattr(xp_numpy, _name)
            return _count(function, arguments, keywords, constant=_name in _CONSTANT)

        setattr(module, name, counting)
    return module


_xp = _counting_xp()


def cost_of(operator: Operator, arrays: list, attributes: dict, outputs: list, douts: list) -> dict:
    """Facts about the gradient of an operator with its own gradient file, from one call."""
    bprop, form, reads = operator.gradient.get(_xp)
    keywords = _accepted(bprop, attributes)
    counted = [
        nested(lambda a: None if a is None else np.ascontiguousarray(a).view(Counted), group)
        for group in (arrays, outputs, douts)
    ]
    _run.clear()
    gradients = bprop(*form.arguments(*counted), **keywords)
    gradients = flat(as_tuple(gradients, arrays))
    facts = {
        "operator": operator.name,
        "operators": len(_run),
        "bytes_saved": _saved(operator, form, reads, arrays, outputs),
        "input_bytes": sum(a.nbytes for a in flat(arrays) if a is not None),
        # An operator's results are plain arrays; whether they have a gradient, the operator says.
        "stopped": operator.gradient.kind == "python"
        and bool(gradients)
        and all(getattr(g, "stopped", True) for g in gradients),
        "all_zero": bool(gradients)
        and not any(np.any(_bare(g)) for g in gradients if g is not None),
    }
    plain, form, _ = operator.gradient.get(xp_numpy)
    arguments = form.arguments(arrays, outputs, douts)
    facts["forward_seconds"] = _seconds(lambda: operator.run_arrays(*arrays, **attributes))
    facts["backward_seconds"] = _seconds(lambda: plain(*arguments, **keywords))
    return facts


def _accepted(function: Callable, attributes: dict) -> dict:
    parameters = inspect.signature(function).parameters.values()
    if any(p.kind is p.VAR_KEYWORD for p in parameters):
        return attributes
    return {p.name: attributes[p.name] for p in parameters if p.name in attributes}


def _saved(operator: Operator, form: Any, reads: frozenset, arrays: list, outputs: list) -> int:
    """Bytes kept from forward to backward, each tensor once."""
    read_outputs = form.reads_outputs(reads, len(arrays))
    if read_outputs and operator.gradient.recompute:  # all inputs, to run it again
        kept = list(arrays)
    else:
        kept = [array for i, array in enumerate(arrays) if i in reads]
        kept += [outputs[i] for i in read_outputs]
    return sum(array.nbytes for array in flat(kept) if array is not None)


def _seconds(call: Callable[[], Any], least: float = 0.02, most: int = 50) -> float:
    """The shortest of several calls: what lies above it is the machine's own doing."""
    best, spent, count = float("inf"), 0.0, 0
    while count < 3 or (spent < least and count < most):
        start = time.perf_counter()
        call()
        took = time.perf_counter() - start
        best, spent, count = min(best, took), spent + took, count + 1
    return best
