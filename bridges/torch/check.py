# SPDX-License-Identifier: Apache-2.0
"""Operators in torch, for bascule.check: NumPy arrays in and out, eager and compiled."""

from typing import Any, Callable, Optional

import numpy as np
import torch

from bascule.lists import counts_of, flat, grouped, nested
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
    results = function(*leaves)
    outputs = list(results) if isinstance(results, (tuple, list)) else [results]
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
        return lambda *inputs: call(*inputs, **attributes)

    # Gradients come in one row, those of a list one after the other.

    def forward(self, operator: Operator, inputs: list, attributes: dict) -> list:
        function = self._function(operator, attributes)
        with torch.no_grad():
            results = function(*nested(from_array, inputs))
        return [to_array(r) for r in (results if isinstance(results, tuple) else (results,))]

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
        torch._dynamo.reset()
        eager = super()._function(operator, attributes)
        return torch.compile(eager, backend="aot_eager", fullgraph=True, dynamic=False)


RUNNERS = (Eager(), Compiled())
