# SPDX-License-Identifier: Apache-2.0
"""How the command line writes: text, tables, colour and progress.

Colour and progress appear on a terminal only, and no colour where NO_COLOR is set. Elsewhere text
is plain and lines stay whole, so that other programs can read them. Progress goes to stderr.
"""

import json
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Optional

__all__ = ["fail", "print_json", "progress", "styled", "table"]

_QUIET_SECONDS = 0.3  # work that ends sooner shows no progress
_UNLIMITED = 10_000  # columns, where nobody looks at the width


def console(stream: Any = None):
    """A rich Console on stdout, or on the stream given."""
    from rich.console import Console

    stream = stream or sys.stdout
    width = None if stream.isatty() else _UNLIMITED
    return Console(file=stream, width=width, highlight=False, emoji=False, markup=False)


def styled(text: str, style: str = "", stream: Any = None) -> None:
    """Prints a line, on a terminal in a style such as "bold" or "red"."""
    stream = stream or sys.stdout
    if stream.isatty():
        console(stream).print(text, style=style or None, soft_wrap=True)
    else:
        print(text, file=stream)


def fail(command: str, sentence: Any) -> None:
    """Says on stderr what a command failed of."""
    if sys.stderr.isatty():
        from rich.text import Text

        text = Text.assemble((f"bascule {command}: ", "bold red"), str(sentence))
        console(sys.stderr).print(text, soft_wrap=True)
    else:
        print(f"bascule {command}: {sentence}", file=sys.stderr)


def print_json(value: Any) -> None:
    """The one object that `--json` prints on stdout."""
    print(json.dumps(value, indent=2))


def table(columns: Sequence[str], rows: Sequence[Sequence[Any]], right: Sequence[int] = ()) -> None:
    """Prints rows below their headings; `right` are the columns that hold numbers."""
    from rich import box
    from rich.table import Table

    shown = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for index, column in enumerate(columns):
        shown.add_column(
            column, justify="right" if index in right else "left", no_wrap=not sys.stdout.isatty()
        )
    for row in rows:
        shown.add_row(*("" if cell is None else str(cell) for cell in row))
    console().print(shown)


class _Progress:
    """What `progress` hands out: `update(text)`, `step(done, of)`."""

    def __init__(self, status: Any, text: str):
        self._status = status
        self._text = text
        self._detail = ""
        self._began = time.monotonic()

    def update(self, detail: str) -> None:
        self._detail = detail
        if self._status is not None:
            self._status.refresh()

    def step(self, done: int, of: int, detail: str = "") -> None:
        self.update(f"{done} of {of}{', ' if detail else ''}{detail}")

    def __rich__(self) -> Any:
        from rich.text import Text

        seconds = time.monotonic() - self._began
        if seconds < _QUIET_SECONDS:
            return Text("")
        parts = [(self._text, "bold")]
        if self._detail:
            parts.append(f": {self._detail}")
        parts.append((f"  {seconds:.0f} s", "dim"))
        return Text.assemble(*parts)


@contextmanager
def progress(text: str, shown: Optional[bool] = None) -> Iterator[_Progress]:
    """Says on stderr what is going on and for how long, while it lasts; on a terminal only."""
    if shown is None:
        shown = sys.stderr.isatty()
    if not shown:
        yield _Progress(None, text)
        return
    from rich.live import Live

    said = _Progress(None, text)
    with Live(said, console=console(sys.stderr), transient=True, refresh_per_second=8) as live:
        said._status = live
        yield said
