# SPDX-License-Identifier: Apache-2.0
"""Counts gradients, in PYNATIVE from Python and in GRAPH by an operator of the compiled graph.

A graph runs no Python, so the gradient function's source has an operator that counts. It depends on
the gradient that comes in, so that no two are merged and none is run early.
"""

from functools import cached_property
from typing import Any

import mindspore
from mindspore import Tensor, ops

import bascule
from bascule.pyfunc import Counts


class NativeCounter:
    """Of an operator that the runtime knows."""

    def __init__(self, native: Any):
        self._native = native

    def count(self) -> None:
        self._native.count_gradient()

    def statistics(self) -> dict[str, int]:
        return self._native.statistics()

    @cached_property
    def token(self) -> Tensor:
        return Tensor([self._native.number], mindspore.int64)

    @cached_property
    def tick(self) -> Any:
        """A primitive: int64[1] to int64[1]."""
        runtime = bascule.prefix() / "lib/libbascule.so"
        return _counting(f"{runtime}:bascule_aot_count_gradient", "aot")


class FunctionCounter:
    """Of a Python function."""

    token = Tensor([0], mindspore.int64)

    def __init__(self, counts: Counts):
        self.counts = counts

    def count(self) -> None:
        self.counts.add_gradient()

    def statistics(self) -> dict[str, int]:
        return self.counts.statistics()

    @cached_property
    def tick(self) -> Any:
        def count(token):
            self.counts.add_gradient()
            return token.copy()

        return _counting(count, "pyfunc")


def _counting(func: Any, func_type: str) -> Any:
    return ops.Custom(func, _same, _same, func_type, _no_gradient)


def _same(token):
    return token


def _no_gradient(token, out, dout):
    return (ops.zeros_like(token),)
