# SPDX-License-Identifier: Apache-2.0
"""Judges operators: forward against a reference, gradients against its differences, and more.

    report = bascule.check.check_operator(bascule.load("./libmy_mul.so").my_mul)
    assert report.ok, report

This calls: operators, references, frameworks. What is tried, how far results may be off and what
is thought of it is in the runtime (include/bascule/check.h). docs/check.md is the user's page.
"""

import json
import sys
import time
from collections.abc import Iterable, Sequence
from typing import Any, Callable, NamedTuple, Optional

import numpy as np

from bascule import _native
from bascule.check_arrays import is_floating, make_inputs, make_like
from bascule.check_cost import cost_of
from bascule.check_frameworks import Call, NumPy, complete_attributes, each, runners
from bascule.check_reference import Reference, ReferenceFailed, dtypes_of
from bascule.errors import CheckFailed, InvalidArgument, Unsupported
from bascule.lists import flat, grouped, member_names
from bascule.operator import LoneKernel, Operator

__all__ = ["Line", "OperatorReport", "Options", "check_operator"]

MEMORY_CALLS = 1000

# Cases that a framework gets in one go, where it compiles them to one function.
TOGETHER = 24

# Cases of a dtype for which torch differentiates the reference as well.
CONFIRMED = 6

OK = "ok"
FAILED = "failed"
NOT_CHECKABLE = "not checkable"


class Options(NamedTuple):
    dtypes: Optional[Sequence[str]] = None  # all
    frameworks: Optional[Sequence[str]] = None  # all that are installed
    case: Optional[int] = None  # only this one
    again: str = ""  # the command that checks this operator, for what is printed
    progress: Callable[[str], None] = lambda text: None


class Line:
    """What was found for one direction, dtype and framework."""

    def __init__(self, direction: str, dtype: str, framework: str):
        self.direction = direction
        self.dtype = dtype
        self.framework = framework
        self.cases = 0  # that gave a verdict of ok or failed
        self.failed = 0
        self.elements = 0
        self.worst_ulp = 0.0
        self.skipped: dict[str, int] = {}  # how many cases, by reason
        self.unjudged: dict[str, int] = {}  # the same, of cases that ran and could not be judged
        self.overflowed = 0  # elements
        self.not_differentiable = 0  # elements
        self.failure: Optional[dict] = None  # the first

    @property
    def verdict(self) -> str:
        if self.failed:
            return FAILED
        return OK if self.cases else NOT_CHECKABLE

    def add(self, report: dict, case: dict, again: str) -> None:
        """Adds the report of a case."""
        if report["verdict"] == NOT_CHECKABLE:
            self.unjudge(report.get("what", ""))
            return
        self.cases += 1
        self.elements += report.get("count", 0)
        self.worst_ulp = max(self.worst_ulp, _number(report.get("worst_ulp", 0)))
        self.overflowed += report.get("overflowed", 0)
        self.not_differentiable += report.get("not_differentiable", 0)
        if report["verdict"] == FAILED:
            self.failed += 1
            if self.failure is None:
                kept = ("what", "first", "guess", "limit", "failed", "count")
                self.failure = {
                    "case": case["number"],
                    "name": case["name"],
                    **{key: report[key] for key in kept if report.get(key)},
                    "again": again,
                }

    def skip(self, reason: str) -> None:
        self.skipped[reason] = self.skipped.get(reason, 0) + 1

    def unjudge(self, reason: str) -> None:
        self.unjudged[reason] = self.unjudged.get(reason, 0) + 1

    def as_dict(self) -> dict:
        return {
            "direction": self.direction,
            "dtype": self.dtype,
            "framework": self.framework,
            "verdict": self.verdict,
            "cases": self.cases,
            "failed": self.failed,
            "elements": self.elements,
            # JSON has no infinities.
            "worst_ulp": self.worst_ulp if np.isfinite(self.worst_ulp) else str(self.worst_ulp),
            "overflowed": self.overflowed,
            "not_differentiable": self.not_differentiable,
            "skipped": self.skipped,
            "not_checkable": self.unjudged,
            "failure": self.failure,
        }


def _number(value: Any) -> float:
    return float(value)  # JSON holds infinities as text


class OperatorReport:
    """What was found of one operator."""

    def __init__(self, operator: Operator):
        self.operator = operator.name
        self.library = operator.source
        self.lines: list[Line] = []
        self.cost: Optional[dict] = None
        self.hints: list[str] = []
        self.warnings: list[str] = []
        self.notes: list[str] = []
        self.missing: dict[str, str] = {}  # frameworks that are not installed
        self.seconds = 0.0

    def line(self, direction: str, dtype: str, framework: str) -> Line:
        for line in self.lines:
            if (line.direction, line.dtype, line.framework) == (direction, dtype, framework):
                return line
        self.lines.append(Line(direction, dtype, framework))
        return self.lines[-1]

    def totals(self) -> dict[str, dict[str, int]]:
        """How many cases were judged in all element types, by framework and direction."""
        totals: dict[str, dict[str, int]] = {}
        for line in self.lines:
            if line.direction in ("forward", "gradient"):
                mine = totals.setdefault(line.framework, {})
                mine[line.direction] = mine.get(line.direction, 0) + line.cases
        return totals

    @property
    def verdict(self) -> str:
        """ "failed" where a line failed, "not checkable" where none could be judged."""
        verdicts = {line.verdict for line in self.lines}
        judged = {line.verdict for line in self.lines if line.direction in ("forward", "gradient")}
        if FAILED in verdicts:
            return FAILED
        return OK if OK in judged else NOT_CHECKABLE

    @property
    def ok(self) -> bool:
        return self.verdict == OK

    def as_dict(self) -> dict:
        return {
            "operator": self.operator,
            "library": self.library,
            "verdict": self.verdict,
            "lines": [line.as_dict() for line in self.lines],
            "cases": self.totals(),
            "cost": self.cost,
            "hints": self.hints,
            "warnings": self.warnings,
            "notes": self.notes,
            "not_installed": self.missing,
            "seconds": self.seconds,
        }

    def raise_failure(self) -> None:
        """Raises CheckFailed, with this report as text, unless everything is right."""
        if not self.ok:
            raise CheckFailed(str(self), self)

    def __str__(self) -> str:
        from bascule.check_report import text_of

        return text_of(self)


def check_operator(operator: Operator, options: Optional[Options] = None) -> OperatorReport:
    """Tries an operator with everything, in every framework that is installed."""
    return _Checker(operator, options or Options()).run()


class _Case:
    """One case of an operator with its arrays."""

    def __init__(self, given: dict, operator: Operator):
        self.given = given
        self.inputs = make_inputs(given)  # in one row, lists being their members
        self.counts = tuple(given["counts"])
        self.arguments = grouped(self.inputs, self.counts)
        self.attributes = given["attributes"]
        self.complete = complete_attributes(operator, self.attributes)
        pairs = [None if a is None else (a.shape, a.dtype.name) for a in self.inputs]
        self.infos = []
        for shape, dtype in operator.infer(*grouped(pairs, self.counts), **self.attributes):
            if shape is None or dtype is None or min(shape, default=0) < 0:
                raise Unsupported(
                    f"{operator.name}: the shape of an output is known only after the run"
                )
            self.infos.append((tuple(shape), dtype))
        self.douts = make_like(self.infos, 1000003 + given["number"])
        self.call = Call(self.arguments, self.attributes, self.douts)
        self.judge: Any = None  # a _native.Check


class _Checker:
    def __init__(self, operator: Operator, options: Options):
        if isinstance(operator, LoneKernel):
            raise Unsupported(
                f"{operator.name} is a lone kernel: nobody says which shapes it takes and gives. "
                "bascule.gradcheck checks what a Custom makes of it."
            )
        self.operator = operator
        self.options = options
        self.report = OperatorReport(operator)
        self.reference: Optional[Reference] = None

    def run(self) -> OperatorReport:
        began = time.monotonic()
        found, self.report.missing = runners(
            None if self.options.frameworks is None else list(self.options.frameworks)
        )
        if not found:
            raise Unsupported(
                "none of the frameworks asked for is installed. "
                + " ".join(self.report.missing.values())
            )
        self.runners = found
        own: list[dict] = []
        self.reference = Reference.of_schema(self.operator.schema, self.operator.source)
        if self.reference is not None:
            own = self.reference.own_cases()
        else:
            self.report.notes.append(
                "no reference.py: forward is not checkable, gradients of float32 are held against "
                "differences of the operator itself, those of 16-bit floats are not checkable"
            )
        self.has_own_cases = bool(own)
        schema = json.dumps(self.operator.schema)
        cases = json.loads(_native.check_cases(schema, json.dumps({"cases": own})))
        chosen = list(self._chosen(cases))
        for dtype in dict.fromkeys(case["dtype"] for case in chosen):
            self._cases([case for case in chosen if case["dtype"] == dtype])
        if not any(line.cases or line.unjudged for line in self.report.lines):
            self.report.notes.append(
                "no case was taken: cases() in reference.py says which shapes and attributes to try"
            )
        if self.options.case is None:
            for dtype in dict.fromkeys(case["dtype"] for case in chosen):
                self.options.progress(f"same bits and memory, {dtype}")
                mine = [case for case in chosen if case["dtype"] == dtype]
                self._repeatable(dtype, mine)
                self._memory(dtype, mine)
            self._cost(chosen)
        self._note_gradient()
        self.report.seconds = time.monotonic() - began
        return self.report

    def _chosen(self, cases: list[dict]) -> Iterable[dict]:
        number = self.options.case
        if number is not None and not 0 <= number < len(cases):
            raise InvalidArgument(
                f"{self.operator.name} has no case {number}; it has 0 to {len(cases) - 1}."
            )
        wanted = self.options.dtypes
        if wanted is not None:
            known = {name for case in cases for name in case["dtype"].split("+")}
            for dtype in wanted:
                if dtype not in known:
                    raise InvalidArgument(
                        f"{self.operator.name} takes no {dtype}; it takes "
                        f"{', '.join(sorted(known))}."
                    )
        for case in cases:
            if number is not None and case["number"] != number:
                continue
            if wanted is None or set(wanted) & set(case["dtype"].split("+")):
                yield case

    # --- cases

    def _cases(self, chosen: list[dict]) -> None:
        """All cases of one dtype."""
        confirmed = 0
        for start in range(0, len(chosen), TOGETHER):
            some = chosen[start : start + TOGETHER]
            self.options.progress(f"{start} of {len(chosen)}, {some[0]['name']}")
            cases = [case for case in map(self._prepared, some) if case is not None]
            passed = {r.name: self._forward(r, cases) for r in self.runners}
            if self.operator.gradient.kind == "none":
                continue
            cases = [
                case
                for case in cases
                if case.given["gradient"] and any(d is not None for d in case.douts)
            ]
            for case in cases:
                if self.reference is None:
                    case.judge = self._judge(case, self._itself(case), is_self=True)
                elif confirmed < CONFIRMED:
                    confirmed += 1
                    self._autograd(case)
            for runner in self.runners:
                right = passed[runner.name]
                share = 1 if self.options.case is not None else getattr(runner, "share", 1)
                self._gradient(runner, [c for c in cases[::share] if c.given["number"] in right])

    def _prepared(self, given: dict) -> Optional[_Case]:
        """A case that the operator takes, with what it is held against; else what is wrong is in
        the report."""
        try:
            case = _Case(given, self.operator)
        except (InvalidArgument, Unsupported) as error:
            self._unusable(given, error)
            return None
        if self.reference is not None and not self._hold_against_reference(case):
            return None
        try:
            NumPy().forward(self.operator, case.arguments, case.attributes)
        except InvalidArgument as error:  # inference took the shapes, tiling does not
            self._unusable(given, error)
            return None
        except Exception:  # told of every framework
            pass
        return case

    def _unusable(self, given: dict, error: Exception) -> None:
        """A case that the operator refuses: its right with ours, a fault with its own.

        Of an own case with other values, as NaN, only shapes and attributes are its own.
        """
        line = self.report.line("forward", given["dtype"], self.runners[0].name)
        if isinstance(error.__cause__, ImportError):  # of the package for bfloat16 arrays
            line.skip(_first_line(error))
        elif given["own"] and given["values"] == "range":
            what = {"verdict": FAILED, "what": f"the operator refuses its own case: {error}"}
            line.add(what, given, self._again(given, self.runners[0].name))
        else:
            line.skip(f"refused, {_first_line(error)}")

    def _hold_against_reference(self, case: _Case) -> bool:
        function = self.reference.bound(case.inputs, case.complete, case.infos, case.counts)
        try:
            floats = [
                np.array(a, np.float64) if a is not None and is_floating(a.dtype) else None
                for a in case.inputs
            ]
            function(floats)
        except ReferenceFailed as error:
            line = self.report.line("forward", case.given["dtype"], self.runners[0].name)
            if case.given["own"] or not self.has_own_cases:
                what = {"verdict": FAILED, "what": str(error)}
                line.add(what, case.given, self._again(case.given, self.runners[0].name))
            else:
                line.skip("the reference takes no such shapes")
            return False
        case.judge = self._judge(case, function, is_self=False)
        return True

    def _judge(self, case: _Case, function: Callable, is_self: bool) -> Any:
        limit = case.given.get("ulp")
        if isinstance(limit, dict):
            limit = limit.get(case.infos[0][1])
        settings = {
            "inputs": member_names(self.operator.inputs, case.counts),
            "outputs": self.operator.outputs,
            "self": is_self,
            "values": case.given["values"],
            "forward_ulp": limit or 0,
            "gradient_ulp": limit or 0,
        }
        return _native.Check(json.dumps(settings), case.inputs, case.infos, function)

    def _itself(self, case: _Case) -> Callable:
        """The operator as a function of float64 arrays, in its own precision."""

        def call(floats: list) -> list:
            arguments = [
                given if floating is None else floating.astype(given.dtype)
                for given, floating in zip(case.inputs, floats)
            ]
            arguments = grouped(arguments, case.counts)
            outputs = NumPy().forward(self.operator, arguments, case.attributes)
            return [o.astype(np.float64 if is_floating(o.dtype) else np.int64) for o in outputs]

        return call

    def _forward(self, runner: Any, cases: list[_Case]) -> set[int]:
        """The numbers of the cases that passed, or could not be judged."""
        passed = set()
        results = each(runner, "forward", self.operator, [case.call for case in cases])
        for case, outputs in zip(cases, results):
            number = case.given["number"]
            line = self.report.line("forward", case.given["dtype"], runner.name)
            again = self._again(case.given, runner.name)
            if isinstance(outputs, Unsupported):
                line.skip(str(outputs))
            elif isinstance(outputs, Exception):
                line.add({"verdict": FAILED, "what": _told(outputs)}, case.given, again)
            elif case.judge is None:
                line.unjudge("no reference")
                passed.add(number)
            else:
                report = json.loads(case.judge.forward(outputs))
                line.add(report, case.given, again)
                if report["verdict"] == OK:
                    passed.add(number)
        return passed

    def _gradient(self, runner: Any, cases: list[_Case]) -> None:
        results = each(runner, "gradients", self.operator, [case.call for case in cases])
        for case, result in zip(cases, results):
            line = self.report.line("gradient", case.given["dtype"], runner.name)
            again = self._again(case.given, runner.name)
            if isinstance(result, Unsupported):
                line.skip(str(result))
                continue
            if isinstance(result, Exception):
                report = {"verdict": FAILED, "what": _told(result)}
                line.add({**report, "guess": self._guess_of(case, runner)}, case.given, again)
                continue
            outputs, gradients = result[0], flat(result[1])
            if runner.name != "numpy":  # None is autograd's zero
                gradients = [
                    np.zeros_like(a) if g is None and a is not None else g
                    for g, a in zip(gradients, case.inputs)
                ]
            report = json.loads(case.judge.gradient(outputs, case.douts, gradients))
            line.add(report, case.given, again)

    def _autograd(self, case: _Case) -> None:
        """Where torch can run the reference, its autograd confirms the differences."""
        torch_check = next(
            (sys.modules[type(r).__module__] for r in self.runners if r.name == "torch"), None
        )
        if torch_check is None:
            return
        wide = [
            a.astype(np.float64) if a is not None and is_floating(a.dtype) else a
            for a in case.inputs
        ]
        infos = [(s, "float64" if is_floating(d) else d) for s, d in case.infos]
        douts = [None if d is None else d.astype(np.float64) for d in case.douts]
        dtypes = dtypes_of(case.inputs, case.counts)
        keywords = self.reference.keywords(case.complete, dtypes)
        try:
            outputs, gradients = torch_check.differentiate(
                lambda *tensors: self.reference.function(
                    *grouped(tensors, case.counts), **keywords
                ),
                [torch_check.from_array(a) for a in wide],
                [torch_check.from_array(d) for d in douts],
            )
            outputs = [torch_check.to_array(o) for o in outputs]
            gradients = [torch_check.to_array(g) for g in gradients]
        except Exception:  # it calls NumPy, which is its right
            return
        settings = {
            "inputs": member_names(self.operator.inputs, case.counts),
            "outputs": self.operator.outputs,
        }
        function = self.reference.bound(wide, case.complete, infos, case.counts, dtypes)
        judge = _native.Check(json.dumps(settings), wide, infos, function)
        gradients = [
            np.zeros_like(a) if g is None and a is not None else g for g, a in zip(gradients, wide)
        ]
        line = self.report.line("gradient", "float64", "reference, autograd")
        report = json.loads(judge.gradient(outputs, douts, gradients))
        line.add(report, case.given, self._again(case.given, "torch"))

    def _guess_of(self, case: _Case, runner: Any) -> str:
        """Why a framework refuses a gradient: what the function itself returned."""
        if runner.name == "numpy":
            return ""
        try:
            outputs, gradients = NumPy().gradients(
                self.operator, case.arguments, case.attributes, case.douts
            )
            gradients = flat(gradients)
            return json.loads(case.judge.gradient(outputs, case.douts, gradients)).get("guess", "")
        except Exception:
            return ""

    def _again(self, given: dict, framework: str) -> str:
        if not self.options.again:
            return ""
        return f"{self.options.again} --case {given['number']} --framework {framework}"

    # --- beyond single results

    def _usable(self, cases: list[dict], least: bool) -> Optional[_Case]:
        """The smallest or largest case with ordinary numbers that the operator takes."""
        plain = [
            c
            for c in cases
            if c["values"] == "range"
            and all(i["layout"] == "dense" for i in c["inputs"])
            and _size(c)
        ]
        for given in sorted(plain, key=_size, reverse=not least):
            try:
                case = _Case(given, self.operator)
                NumPy().forward(self.operator, case.arguments, case.attributes)
                return case
            except Exception:
                continue
        return None

    def _repeatable(self, dtype: str, cases: list[dict]) -> None:
        case = self._usable(cases, least=False)
        if case is None:
            return
        line = self.report.line("same bits", dtype, "numpy")
        pairs = [None if a is None else (a.shape, a.dtype.name) for a in case.inputs]
        pairs = grouped(pairs, case.counts)
        infos = self.operator.infer_all(*pairs, **case.attributes)  # saved outputs, too
        report = json.loads(
            _native.check_repeatable(
                self.operator.native,
                case.inputs,
                infos,
                case.attributes or None,
                [1 if count is None else count for count in case.counts],
            )
        )
        line.add(report, case.given, self.options.again)

    def _memory(self, dtype: str, cases: list[dict]) -> None:
        case = self._usable(cases, least=True)
        if case is None:
            return
        for runner in self.runners:
            if runner.name not in ("numpy", "torch", "mindspore.pynative"):
                continue
            line = self.report.line("memory", dtype, runner.name)

            def call(runner=runner):
                runner.forward(self.operator, case.arguments, case.attributes)

            def call_both(runner=runner):
                runner.gradients(self.operator, case.arguments, case.attributes, case.douts)

            has_gradient = self.operator.gradient.kind != "none" and any(
                d is not None for d in case.douts
            )
            try:
                function = call_both if has_gradient else call
                report = json.loads(_native.check_memory(function, MEMORY_CALLS))
                if report["verdict"] == "failed" and runner.name == "mindspore.pynative":
                    # MindSpore keeps something of its last few thousand calls; now it is full.
                    report = json.loads(_native.check_memory(function, MEMORY_CALLS))
            except Exception as error:  # told in the line of its direction
                line.skip(_told(error))
                continue
            line.add(report, case.given, self.options.again)

    def _cost(self, cases: list[dict]) -> None:
        if self.operator.gradient.kind == "none":
            return
        # NumPy calculates slowly in half, which is no fault of the gradient.
        wide = [case for case in cases if case["dtype"] == "float32"]
        case = self._usable(wide or cases, least=False)
        if case is None:
            return
        try:
            outputs = self.operator.run_all(*case.arguments, **case.attributes)
            douts = [np.zeros_like(o) if d is None else d for o, d in zip(outputs, case.douts)]
            facts = cost_of(self.operator, case.arguments, case.complete, outputs, douts)
        except Exception:  # told in the line of the gradient
            return
        advice = json.loads(_native.check_advice(json.dumps(facts)))
        self.report.cost = {**facts, "share": advice["share"], "case": case.given["name"]}
        self.report.hints += advice["hints"]
        self.report.warnings += advice["warnings"]

    def _note_gradient(self) -> None:
        if self.operator.gradient.kind == "none":
            self.report.warnings.append(
                f"{self.operator.name} has no gradient ({self.operator.gradient.reason}): nothing "
                "in front of it will train"
            )


def _size(case: dict) -> int:
    shapes = [i["shape"] for i in case["inputs"] if i["shape"] is not None]
    return max((int(np.prod(shape)) for shape in shapes), default=0)


def _first_line(error: Exception) -> str:
    return (str(error).strip().splitlines() or [""])[0]


def _told(error: Exception) -> str:
    return f"{type(error).__name__}: {_first_line(error)}"
