# SPDX-License-Identifier: Apache-2.0
"""Reports of bascule.check as text and as JUnit's XML."""

from collections.abc import Sequence
from typing import Any
from xml.etree import ElementTree

from bascule.check import OperatorReport

__all__ = ["junit_of", "text_of"]


def text_of(report: OperatorReport) -> str:
    """A line for each direction, dtype and framework, then what is wrong."""
    lines = [f"{report.operator} ({report.library})"]
    lines += [f"  {note}" for note in report.notes]
    rows = [("direction", "dtype", "framework", "cases", "elements", "worst ulp", "")]
    for line in report.lines:
        judged = line.direction in ("forward", "gradient")
        rows.append(
            (
                line.direction,
                line.dtype,
                line.framework,
                str(line.cases),
                str(line.elements) if judged else "",
                f"{line.worst_ulp:.3g}" if judged and line.cases else "",
                line.verdict + _remarks(line),
            )
        )
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        cells = [
            cell.rjust(width) if 3 <= column <= 5 else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths))
        ]
        lines.append(("  " + "  ".join(cells)).rstrip())
    totals = report.totals()
    if totals:
        lines += ["", "  cases: " + "; ".join(map(_total, totals, totals.values()))]
    for line in report.lines:
        if line.failure:
            lines += [""] + ["  " + text for text in failure_lines(line)]
    if report.cost:
        lines += ["", "  " + _cost(report.cost)]
    lines += [f"  hint: {hint}" for hint in report.hints]
    lines += [f"  warning: {warning}" for warning in report.warnings]
    lines += [f"  {name} is not installed: {why}" for name, why in report.missing.items()]
    return "\n".join(lines)


def _total(framework: str, counts: dict[str, int]) -> str:
    return f"{framework} " + ", ".join(f"{count} {what}" for what, count in counts.items())


def _remarks(line: Any) -> str:
    parts = []
    if line.failed:
        parts.append(f"{line.failed} of {line.cases} cases")
    for reason, count in line.unjudged.items():
        parts.append(f"{count} not checkable: {reason}" if line.cases else reason)
    for reason, count in line.skipped.items():
        parts.append(f"{count} left out: {reason}")
    if line.not_differentiable:
        parts.append(f"{line.not_differentiable} elements have no derivative")
    if line.overflowed:
        parts.append(f"{line.overflowed} elements overflowed on the way")
    return f" ({'; '.join(parts)})" if parts else ""


def failure_lines(line: Any) -> list[str]:
    """The first failure of a line, for people."""
    failure = line.failure
    lines = [
        f"{line.direction} {line.dtype} {line.framework} failed in case {failure['case']}: "
        f"{failure['name']}"
    ]
    if "what" in failure:
        lines.append(f"  {failure['what']}")
    first = failure.get("first")
    if first:
        name = first.get("output") or "d" + first["input"]
        index = ", ".join(map(str, first["index"]))
        text = f"  {name}[{index}]"
        if "to" in first:
            text += f" to [{', '.join(map(str, first['to']))}], along one direction"
        text += f": expected {_shown(first['expected'])}, got {_shown(first['got'])}"
        if "ulp" in first:
            text += f", {_shown(first['ulp'], 3)} ulp"
            if "limit" in failure:
                text += f" (at most {failure['limit']:g})"
        if "failed" in failure and "count" in failure:
            text += f"; {failure['failed']} of {failure['count']}"
        lines.append(text)
    if failure.get("guess"):
        lines.append(f"  perhaps: {failure['guess']}")
    if failure.get("again"):
        lines.append(f"  again: {failure['again']}")
    return lines


def _shown(value: Any, digits: int = 9) -> str:
    return f"{value:.{digits}g}" if isinstance(value, float) else str(value)


def _cost(cost: dict) -> str:
    return (
        f"gradient: {cost['operators']} operators, {cost['bytes_saved']} bytes saved for backward, "
        f"{cost['share'] * 100:.0f} % of the time of forward and backward ({cost['case']}, numpy)"
    )


def junit_of(reports: Sequence[OperatorReport]) -> str:
    """JUnit's XML: a suite for each operator, a case for each line."""
    root = ElementTree.Element("testsuites")
    for report in reports:
        suite = ElementTree.SubElement(
            root,
            "testsuite",
            name=report.operator,
            tests=str(len(report.lines)),
            failures=str(sum(line.verdict == "failed" for line in report.lines)),
            skipped=str(sum(line.verdict == "not checkable" for line in report.lines)),
            time=f"{report.seconds:.3f}",
        )
        for line in report.lines:
            case = ElementTree.SubElement(
                suite,
                "testcase",
                classname=f"bascule.{report.operator}",
                name=f"{line.direction} {line.dtype} {line.framework}",
            )
            if line.failure:
                told = failure_lines(line)
                failure = ElementTree.SubElement(case, "failure", message=told[0])
                failure.text = "\n".join(told)
            elif line.verdict == "not checkable":
                why = "; ".join([*line.unjudged, *line.skipped])
                ElementTree.SubElement(case, "skipped", message=f"not checkable: {why}")
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=True) + "\n"
