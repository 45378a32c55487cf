# SPDX-License-Identifier: Apache-2.0
"""`bascule check`."""

import argparse
import shlex
from pathlib import Path

from bascule.commands import Command
from bascule.commands.target import HELP, resolve
from bascule.console import print_json, progress, styled


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("target", help=HELP)
    parser.add_argument(
        "--case", type=int, metavar="N", help="only this case, as a failure names it"
    )
    parser.add_argument(
        "--dtype", action="append", metavar="DTYPE", help="only this element type; may be repeated"
    )
    parser.add_argument(
        "--framework",
        action="append",
        metavar="NAME",
        help="only numpy, torch, torch.compile, mindspore, mindspore.graph, …; may be repeated",
    )
    parser.add_argument("--junit", type=Path, metavar="FILE", help="write JUnit's XML")


def run(arguments: argparse.Namespace) -> int:
    from bascule.check import Options, check_operator
    from bascule.check_frameworks import refuse_unknown
    from bascule.check_report import junit_of

    if arguments.framework:
        refuse_unknown(arguments.framework)
    target = resolve(arguments.target)
    library = target.open()
    operators = list(library) if target.operator is None else [library.find(target.operator)]
    reports = []
    for operator in operators:
        text = arguments.target
        if target.operator is None and len(operators) > 1:
            text += f":{operator.name}"
        with progress(f"checking {operator.name}") as said:
            options = Options(
                arguments.dtype,
                arguments.framework,
                arguments.case,
                f"bascule check {shlex.quote(text)}",
                said.update,
            )
            report = check_operator(operator, options)
        reports.append(report)
        if not arguments.json:
            styled(str(report), "" if report.ok else "red")
    good = all(report.ok for report in reports)
    if arguments.junit:
        arguments.junit.write_text(junit_of(reports), encoding="utf-8")
    if arguments.json:
        print_json(
            {
                "status": "ok" if good else "failed",
                "target": arguments.target,
                "operators": [report.as_dict() for report in reports],
            }
        )
    else:
        seconds = sum(report.seconds for report in reports)
        verdicts = sorted({report.verdict for report in reports})
        styled(f"{', '.join(verdicts)} ({seconds:.1f} s)", "green" if good else "bold red")
    return 0 if good else 1


COMMAND = Command(
    "check", "hold an operator and its gradient against a reference", run, add_arguments
)
