# SPDX-License-Identifier: Apache-2.0
"""The outputs of an operator that its caller gets, where others are for the gradient alone.

PYNATIVE never gives back the zeros that it makes for an output nobody uses: the process grows with
every gradient. A cell that takes all of them, and has a gradient for each, leaves it none to make.
"""

from functools import cache
from typing import Any, Callable

from mindspore import nn, ops

from bascule.mindspore import source
from bascule.mindspore.checks import is_differentiating


class _First(nn.Cell):
    """The first `count` of its inputs; one alone is no tuple."""

    def __init__(self, count: int):
        super().__init__()
        self._count = count

    def construct(self, *outputs):
        return outputs[0] if self._count == 1 else outputs[: self._count]

    def bprop(self, *arguments):
        *outputs, _, dout = arguments
        given = (dout,) if self._count == 1 else tuple(dout)
        return (*given, *map(ops.zeros_like, outputs[self._count :]))


@cache
def taken(count: int) -> Callable[[tuple], Any]:
    """A function from all outputs to the first `count`, which GRAPH mode can read."""
    plain = "outputs[0]" if count == 1 else f"outputs[:{count}]"
    graph_text = f"def taken(outputs):\n    return {plain}\n"
    text = (
        "def taken(outputs):\n"
        "    if differentiating():\n"
        "        return first(*outputs)\n"
        f"    return {plain}\n"
    )
    names = {"differentiating": is_differentiating, "first": _First(count)}
    return source.define("taken", text, names, graph_text=graph_text)
