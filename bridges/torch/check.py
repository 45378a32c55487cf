# SPDX-License-Identifier: Apache-2.0
"""Operators in torch, for bascule.check: NumPy arrays in and out, eager and compiled."""

from collections.abc import Iterable, Sequence
from typing import Any, Callable, Optional

import numpy as np
import torch

from bascule.check_frameworks import Call
from bascule.lists import as_list, counts_of, flat, grouped, nested, parts
from bascule.operator import Operator
from bascule.torch import bind

__all__ = ["RUNNERS", "differentiate", "from_array", "is_floating", "to_array"]


def from_array(array: Optional[np.ndarray]) -> Optional[torch.Tensor]:
    """A tensor on the array's memory; a copy where torch has no such strides."""
    if array is None:
        return None
    if any(stride < 0 for stride in array.strides) or not array.flags.writeable:
        # A copy keeps what can be kept: a broadcast array is repeated by torch as well.
        expanded = [axis for axis, stride in enumerate(array.strides) if stride == 0]
        if expanded and array.size:
            one = array[
                tuple(slice(0, 1) if a in expanded else slice(None) for a in range(array.ndim))
            ]
            return from_array(one.copy()).expand(array.shape)
        array = array.copy()
    if array.dtype.name == "bfloat16":
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(array)


def to_array(tensor: Optional[torch.Tensor]) -> Optional[np.ndarray]:
    if tensor is None:
        return None
    tensor = tensor.detach().resolve_neg().resolve_conj()
    if tensor.dtype is torch.bfloat16:
        import ml_dtypes

        return tensor.contiguous().view(torch.int16).numpy().view(ml_dtypes.bfloat16)
    return tensor.numpy()


def is_floating(tensor: Any) -> bool:
    return isinstance(tensor, torch.Tensor) and tensor.dtype.is_floating_point


def differentiate(function: Callable, inputs: list, douts: list) -> tuple[list, list]:
    """The outputs of `function`, and a gradient for each input: None where autograd gives none.

    `douts` are the gradients of the outputs, None for one that is not floating.
    """
    leaves = [v.detach().requires_grad_() if is_floating(v) else v for v in inputs]
    outputs = as_list(function(*leaves))
    wanted = [leaf for leaf in leaves if is_floating(leaf)]
    pairs = [(o, d) for o, d in zip(outputs, douts) if d is not None and o.requires_grad]
    if not pairs:
        return outputs, [None] * len(inputs)
    got = iter(
        torch.autograd.grad([o for o, _ in pairs], wanted, [d for _, d in pairs], allow_unused=True)
    )
    return outputs, [next(got) if is_floating(leaf) else None for leaf in leaves]


class Eager:
    name = "torch"

    def __init__(self) -> None:
        self._bound: dict[int, Any] = {}

    def _function(self, operator: Operator, attributes: dict) -> Callable:
        key = id(operator)
        if key not in self._bound:  # the operator is kept, so that the key stays its own
            self._bound[key] = operator, bind(operator, operator.gradient)
        call = self._bound[key][1]
        return lambda *inputs: as_list(call(*inputs, **attributes))

    # Gradients come in one row, those of a list one after the other.

    def forward(self, operator: Operator, inputs: list, attributes: dict) -> list:
        function = self._function(operator, attributes)
        with torch.no_grad():
            return [to_array(r) for r in function(*nested(from_array, inputs))]

    def gradients(
        self, operator: Operator, inputs: list, attributes: dict, douts: list
    ) -> tuple[list, list]:
        function = self._function(operator, attributes)
        counts = counts_of(inputs)
        outputs, gradients = differentiate(
            lambda *row: function(*grouped(row, counts)),
            [from_array(v) for v in flat(inputs)],
            [from_array(d) for d in douts],
        )
        return [to_array(o) for o in outputs], [to_array(g) for g in gradients]


class Compiled(Eager):
    """What an operator takes part in: tracing, shapes, the joint graph of forward and backward.

    The code that inductor makes of other operators is left out: it has nothing to do with this one
    and needs ten seconds a shape.
    """

    name = "torch.compile"

    def _function(self, operator: Operator, attributes: dict) -> Callable:
        return self._compiled(super()._function(operator, attributes))

    def _compiled(self, function: Callable) -> Callable:
        torch._dynamo.reset()
        return torch.compile(function, backend="aot_eager", fullgraph=True, dynamic=False)

    def _every(self, operator: Operator, calls: Sequence[Call]) -> Callable:
        """One function that makes all calls, of all their tensors in a row."""
        made = [
            (super(Compiled, self)._function(operator, call.attributes), counts_of(call.inputs))
            for call in calls
        ]
        lengths = [len(flat(call.inputs)) for call in calls]

        def every(*row):
            results = []
            for (function, counts), some in zip(made, parts(row, lengths)):
                results += function(*grouped(some, counts))
            return results

        return self._compiled(every)

    def forward_many(self, operator: Operator, calls: Sequence[Call]) -> list:
        with torch.no_grad():
            results = self._every(operator, calls)(*_row(call.inputs for call in calls))
        return parts([to_array(r) for r in results], [len(call.douts) for call in calls])

    def gradients_many(self, operator: Operator, calls: Sequence[Call]) -> list:
        outputs, gradients = differentiate(
            self._every(operator, calls),
            _row(call.inputs for call in calls),
            _row(call.douts for call in calls),
        )
        return list(
            zip(
                parts([to_array(o) for o in outputs], [len(call.douts) for call in calls]),
                parts([to_array(g) for g in gradients], [len(flat(call.inputs)) for call in calls]),
            )
        )


def _row(rows: Iterable[list]) -> list:
    """The tensors of all calls."""
    return [from_array(array) for row in rows for array in flat(row)]


RUNNERS = (Eager(), Compiled())
