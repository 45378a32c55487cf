# SPDX-License-Identifier: Apache-2.0
"""Operators in MindSpore, for bascule.check: NumPy arrays in and out, in both modes."""

from typing import Any, Callable, Optional

import mindspore
import numpy as np
from mindspore import Tensor, ops

from bascule.mindspore.custom import Custom
from bascule.operator import Operator

__all__ = ["RUNNERS", "differentiate", "from_array", "is_floating", "to_array"]


def from_array(array: Optional[np.ndarray]) -> Optional[Tensor]:
    """A tensor with the array's elements; MindSpore's are always dense."""
    if array is None:
        return None
    if array.dtype.name == "bfloat16":
        wide = np.ascontiguousarray(array, np.float32).reshape(array.shape)
        return Tensor(wide, mindspore.bfloat16)
    return Tensor(np.ascontiguousarray(array).reshape(array.shape))


def to_array(tensor: Optional[Tensor]) -> Optional[np.ndarray]:
    if tensor is None:
        return None
    if tensor.dtype == mindspore.bfloat16:
        import ml_dtypes

        # MindSpore's cast to float32 leaks in PyNative mode.
        return tensor.asnumpy().view(np.int16).view(ml_dtypes.bfloat16)
    return tensor.asnumpy()


def is_floating(tensor: Any) -> bool:
    return isinstance(tensor, Tensor) and tensor.dtype in (
        mindspore.float16,
        mindspore.bfloat16,
        mindspore.float32,
        mindspore.float64,
    )


def differentiate(function: Callable, inputs: list, douts: list) -> tuple[list, list]:
    """The outputs of `function`, and a gradient for each input."""
    everything = inputs
    if any(v is None for v in inputs):  # which MindSpore does not differentiate past
        inputs = [v for v in inputs if v is not None]
        function = function.without([i for i, v in enumerate(everything) if v is None])
    results = function(*inputs)
    outputs = list(results) if isinstance(results, (tuple, list)) else [results]
    given = [ops.zeros_like(o) if d is None else d for o, d in zip(outputs, douts)]
    gradient = ops.GradOperation(get_all=True, sens_param=True)(function)
    got = gradient(*inputs, given[0] if len(given) == 1 else tuple(given))
    got = iter(got if isinstance(got, tuple) else (got,))
    return outputs, [next(got, None) if isinstance(v, Tensor) else None for v in everything]


class Mode:
    def __init__(self, name: str, mode: int):
        self.name = f"mindspore.{name}"
        self._mode = mode
        self._cells: dict[tuple, Any] = {}

    def _cell(self, operator: Operator, inputs: list, attributes: dict) -> Custom:
        mindspore.set_context(mode=self._mode)
        key = id(operator), repr(attributes)
        if key not in self._cells:  # the operator is kept, so that the key stays its own
            cell = Custom.of_operator(operator, operator.gradient, attributes)
            self._cells[key] = operator, cell
        return self._cells[key][1]

    def forward(self, operator: Operator, inputs: list, attributes: dict) -> list:
        results = self._cell(operator, inputs, attributes)(*map(from_array, inputs))
        return [to_array(r) for r in (results if isinstance(results, tuple) else (results,))]

    def gradients(
        self, operator: Operator, inputs: list, attributes: dict, douts: list
    ) -> tuple[list, list]:
        cell = self._cell(operator, inputs, attributes)
        outputs, gradients = differentiate(
            cell, [from_array(v) for v in inputs], [from_array(d) for d in douts]
        )
        return [to_array(o) for o in outputs], [to_array(g) for g in gradients]


RUNNERS = (Mode("pynative", mindspore.PYNATIVE_MODE), Mode("graph", mindspore.GRAPH_MODE))
