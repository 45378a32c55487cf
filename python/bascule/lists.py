# SPDX-License-Identifier: Apache-2.0
"""Arguments of operators with dynamic inputs: a list of tensors is one input.

Between a row of tensors and the inputs they belong to. `counts` has an entry for each input: how
many tensors it is, or None for one that is no list.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Callable, Optional

__all__ = [
    "Counts",
    "as_list",
    "counts_of",
    "flat",
    "grouped",
    "member_names",
    "nested",
    "of_row",
    "parts",
]

Counts = tuple[Optional[int], ...]


def counts_of(values: Sequence[Any]) -> Counts:
    """The counts of inputs, lists among them."""
    return tuple(len(v) if isinstance(v, (list, tuple)) else None for v in values)


def flat(values: Iterable[Any]) -> list:
    """All tensors in one row."""
    row: list = []
    for value in values:
        if isinstance(value, (list, tuple)):
            row.extend(value)
        else:
            row.append(value)
    return row


def grouped(row: Sequence[Any], counts: Counts) -> list:
    """The inputs that `row` was made of."""
    values: list = []
    at = 0
    for count in counts:
        if count is None:
            values.append(row[at])
            at += 1
        else:
            values.append(list(row[at : at + count]))
            at += count
    return values


def nested(function: Callable, values: Iterable[Any]) -> list:
    """`function` of every tensor, lists staying lists."""
    return [
        [function(member) for member in v] if isinstance(v, (list, tuple)) else function(v)
        for v in values
    ]


def as_list(results: Any) -> list:
    """What an operator gave, which is one tensor or several."""
    return list(results) if isinstance(results, (list, tuple)) else [results]


def of_row(function: Callable, counts: Counts) -> Callable:
    """A function with lists as one of all tensors in a row."""
    return lambda *row: function(*grouped(row, counts))


def parts(row: Sequence[Any], lengths: Iterable[int]) -> list[list]:
    """The row cut into parts of these lengths."""
    cut: list[list] = []
    at = 0
    for length in lengths:
        cut.append(list(row[at : at + length]))
        at += length
    return cut


def member_names(names: Sequence[str], counts: Counts) -> list[str]:
    """A name for each tensor of the row: "x", or "x[2]" in a list."""
    row: list[str] = []
    for name, count in zip(names, counts):
        row += [name] if count is None else [f"{name}[{i}]" for i in range(count)]
    return row
