# SPDX-License-Identifier: Apache-2.0
"""`bascule.gradcheck`: whether the gradient of any callable is right.

    bascule.gradcheck(my_mul, x, y)  # raises CheckFailed, says where and perhaps why
    bascule.gradcheck(torch_function, x, reference=lambda x: np.sin(x))

The callable takes tensors of one framework: an operator, a Custom, a function of theirs. Held
against central differences of the reference, a function of NumPy arrays that get and give float64;
without one, of the callable itself, which says nothing where elements have 16 bits.
"""

import functools
import inspect
import json
from collections.abc import Sequence
from typing import Any, Callable, Optional

import numpy as np

from bascule import _native
from bascule.bridges import bridge, framework_of
from bascule.check_arrays import is_floating, make_like
from bascule.check_frameworks import complete_attributes, raw_gradients
from bascule.check_reference import Reference
from bascule.errors import CheckFailed, InvalidArgument, Unsupported
from bascule.lists import Counts, as_list, counts_of, flat, grouped, member_names, of_row
from bascule.outputs import numbered

__all__ = ["GradientReport", "gradcheck"]


class GradientReport:
    """What gradcheck found. `forward` is None where there is no reference."""

    def __init__(self, name: str, forward: Optional[dict], gradient: Optional[dict]):
        self.name = name
        self.forward = forward
        self.gradient = gradient

    @property
    def verdict(self) -> str:
        if self.forward is not None and self.forward["verdict"] == "failed":
            return "failed"
        return self.gradient["verdict"]

    @property
    def ok(self) -> bool:
        return self.verdict == "ok"

    def as_dict(self) -> dict:
        return {
            "name": self.name,
            "verdict": self.verdict,
            "forward": self.forward,
            "gradient": self.gradient,
        }

    def __str__(self) -> str:
        if self.gradient is None:
            return f"{self.name}: forward failed, so its gradient was not judged: " + _told(
                self.forward
            )
        text = f"gradient of {self.name}: {self.verdict}"
        if self.ok:
            count, worst = self.gradient["count"], float(self.gradient["worst_ulp"])
            return f"{text}, {count} elements, at most {worst:.3g} ulp"
        return f"{text}: {_told(self.gradient)}"

    def __repr__(self) -> str:
        return f"<{self}>"


def _told(report: dict) -> str:
    parts = []
    if "what" in report:
        parts.append(report["what"])
    first = report.get("first")
    if first:
        name = first.get("output") or "d" + first["input"]
        index = ", ".join(map(str, first["index"]))
        place = f"{name}[{index}]"
        if "to" in first:
            place += f" to [{', '.join(map(str, first['to']))}], along one direction"
        parts.append(
            f"{place}: expected {first['expected']}, got {first['got']}, "
            f"{float(first['ulp']):.3g} ulp (at most {report['limit']:g})"
        )
        parts.append(f"{report['failed']} of {report['count']} wrong")
    if report.get("guess"):
        parts.append(f"perhaps: {report['guess']}")
    return "; ".join(parts)


def gradcheck(
    op: Callable,
    *inputs: Any,
    reference: Optional[Callable] = None,
    raise_exception: bool = True,
    ulp: Optional[float] = None,
    **attributes: Any,
) -> GradientReport:
    """Holds the gradient of `op` at `inputs` against central differences.

    `inputs` are NumPy arrays, for operators with a gradient of bascule's kind, or tensors of one
    framework; a list of them for an input that is a list, None for one that is left out.
    `reference` takes NumPy arrays and the attributes it names; an operator of a library has its
    own. `ulp` replaces the limits of docs/check.md. Raises CheckFailed unless the gradient is
    right; with raise_exception=False the report says so.
    """
    first = next((value for value in flat(inputs) if value is not None), None)
    if first is None:
        raise InvalidArgument("gradcheck: no inputs came; pass the tensors to differentiate at.")
    framework = framework_of(first)
    operator = getattr(op, "operator", op)
    has_schema = hasattr(operator, "schema")
    if has_schema:  # a reference takes all inputs
        inputs += (None,) * (len(operator.inputs) - len(inputs))
    complete = complete_attributes(operator, attributes) if has_schema else attributes
    counts = counts_of(inputs)
    side = _NumPySide(op, complete, counts) if framework is None else bridge(framework, "check")
    names = list(getattr(operator, "inputs", ())) or _names(op, len(inputs))
    name = getattr(operator, "name", None) or getattr(op, "__name__", type(op).__name__)
    if reference is None and has_schema:
        held = Reference.of_schema(operator.schema, operator.source)
    else:
        held = None if reference is None else Reference(reference)

    # A framework that compiles functions from their source takes the caller's own best.
    run = functools.partial(op, **attributes) if attributes else op
    if any(count is not None for count in counts):  # from here on in one row
        run = getattr(side, "of_row", of_row)(run, counts)
        inputs = tuple(flat(inputs))
    outputs = as_list(run(*inputs))
    arrays = [side.to_array(v) for v in inputs]
    got = [side.to_array(v) for v in outputs]
    infos = [(a.shape, a.dtype.name) for a in got]
    douts = make_like(infos, 1000003)
    if not any(is_floating(a.dtype) for a in arrays if a is not None):
        raise InvalidArgument(f"gradcheck: {name}: no input is floating; nothing has a gradient.")
    if not any(d is not None for d in douts):
        raise InvalidArgument(f"gradcheck: {name}: no output is floating; nothing has a gradient.")

    settings = {
        "inputs": member_names(names, counts),
        "outputs": list(getattr(operator, "outputs", ())) or list(numbered("out", len(outputs))),
        "self": held is None,
        "forward_ulp": ulp or 0,
        "gradient_ulp": ulp or 0,
    }
    if held is not None:
        function = held.bound(arrays, complete, infos, counts)
    else:
        function = _itself(run, side, arrays)
    judge = _native.Check(json.dumps(settings), arrays, infos, function)
    forward = None
    if held is not None:
        forward = json.loads(judge.forward(got))
        if forward["verdict"] == "failed":
            return _finish(GradientReport(name, forward, None), raise_exception)
    try:
        seen, gradients = side.differentiate(run, list(inputs), [side.from_array(d) for d in douts])
    except Unsupported:
        raise
    except Exception as error:
        refused = {"verdict": "failed", "what": f"{type(error).__name__}: {error}", "count": 1}
        return _finish(GradientReport(name, forward, refused), raise_exception)
    gradients = [side.to_array(g) for g in gradients]
    if framework is not None:  # None is autograd's zero
        gradients = [
            np.zeros_like(a) if g is None and a is not None else g
            for g, a in zip(gradients, arrays)
        ]
    seen = [side.to_array(s) for s in seen]
    gradient = json.loads(judge.gradient(seen, douts, gradients))
    return _finish(GradientReport(name, forward, gradient), raise_exception)


def _finish(report: GradientReport, raise_exception: bool) -> GradientReport:
    if raise_exception and not report.ok:
        raise CheckFailed(str(report), report)
    return report


def _names(op: Callable, count: int) -> list[str]:
    try:
        parameters = list(inspect.signature(op).parameters)
    except (TypeError, ValueError):
        parameters = []
    usable = len(parameters) >= count and not any(
        n in ("args", "inputs") for n in parameters[:count]
    )
    return parameters[:count] if usable else [f"input {i}" for i in range(count)]


def _itself(run: Callable, side: Any, arrays: Sequence) -> Callable:
    def call(floats: list) -> list:
        tensors = [
            side.from_array(given if new is None else new.astype(given.dtype))
            for given, new in zip(arrays, floats)
        ]
        outputs = [side.to_array(r) for r in as_list(run(*tensors))]
        return [o.astype(np.float64 if is_floating(o.dtype) else np.int64) for o in outputs]

    return call


class _NumPySide:
    """NumPy arrays have no gradients: those of an operator come from its gradient function."""

    def __init__(self, op: Any, attributes: dict, counts: Counts):
        self._attributes = attributes
        self._op = op
        self._counts = counts
        self._gradient = getattr(op, "gradient", None)
        if self._gradient is None:
            raise InvalidArgument(
                f"gradcheck: {getattr(op, '__name__', op)!r} with NumPy arrays has no gradient to "
                "check; pass an operator of bascule.load or a bascule.Custom, or tensors of a "
                "framework."
            )

    def to_array(self, value: Any) -> Any:
        return value

    from_array = to_array

    def differentiate(self, run: Callable, inputs: list, douts: list) -> tuple[list, list]:
        given = self._gradient
        arguments = grouped(inputs, self._counts)
        if given.saved:
            operator = getattr(self._op, "operator", self._op)
            outputs = list(operator.run_all(*arguments, **self._attributes))
        else:
            outputs = as_list(run(*inputs))
        gradients = raw_gradients(given, arguments, outputs, douts, self._attributes)
        return outputs[: len(outputs) - len(given.saved)], flat(gradients)
