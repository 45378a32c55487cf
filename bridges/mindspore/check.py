# SPDX-License-Identifier: Apache-2.0
"""Operators in MindSpore, for bascule.check: NumPy arrays in and out, in both modes."""

import itertools
from collections.abc import Sequence
from types import MethodType
from typing import Any, Callable, Optional

import mindspore
import numpy as np
from mindspore import Tensor, nn, ops

from bascule.check_frameworks import Call
from bascule.lists import Counts, as_list, flat, grouped, member_names, nested, parts
from bascule.mindspore import source
from bascule.mindspore.custom import Custom
from bascule.operator import Operator

__all__ = ["RUNNERS", "differentiate", "from_array", "is_floating", "of_row", "to_array"]


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
    outputs = as_list(function(*inputs))
    given = [ops.zeros_like(o) if d is None else d for o, d in zip(outputs, douts)]
    gradient = ops.GradOperation(get_all=True, sens_param=True)(function)
    got = gradient(*inputs, given[0] if len(given) == 1 else tuple(given))
    got = iter(got if isinstance(got, tuple) else (got,))
    return outputs, [next(got, None) if isinstance(v, Tensor) else None for v in everything]


def of_row(function: Callable, counts: Counts) -> Callable:
    """A function with lists as one of all tensors in a row, whose source GRAPH can read."""
    names = member_names([f"x{i}_" for i in range(len(counts))], counts)
    names = [name.replace("[", "").replace("]", "") for name in names]
    texts = [f"[{', '.join(v)}]" if isinstance(v, list) else v for v in grouped(names, counts)]
    text = f"def run({', '.join(names)}):\n    return function({', '.join(texts)})\n"
    return source.define("run", text, {"function": function})


class Together(nn.Cell):
    """Several calls as one cell: from all their tensors in a row to all their outputs in a row.

    What is a list in a call, or left out, its text says: MindSpore differentiates by tensors only.
    """

    def __init__(self, cells: Sequence[nn.Cell], calls: Sequence[Call]):
        super().__init__()
        names = (f"x{i}" for i in itertools.count())
        lines, tensors, results = [], [], []
        for number, (cell, call) in enumerate(zip(cells, calls)):
            setattr(self, f"cell{number}", cell)
            given = nested(lambda v: "None" if v is None else next(names), call.inputs)
            tensors += [name for name in flat(given) if name != "None"]
            texts = [f"[{', '.join(v)}]" if isinstance(v, list) else v for v in given]
            got = [f"y{number}_{i}" for i in range(len(call.douts))]
            results += got
            lines.append(f"    {', '.join(got)} = self.cell{number}({', '.join(texts)})\n")
        head = f"def construct(self, {', '.join(tensors)}):\n"
        text = head + "".join(lines) + f"    return ({', '.join(results)},)\n"
        self.construct = MethodType(source.define("construct", text, {}), self)


class Mode:
    def __init__(self, name: str, mode: int, share: int = 1):
        self.name = f"mindspore.{name}"
        self.share = share  # of the gradients: one in so many
        self._mode = mode
        self._cells: dict[tuple, Any] = {}
        self._alone: dict[tuple, Together] = {}

    def _cell(self, operator: Operator, attributes: dict) -> Custom:
        mindspore.set_context(mode=self._mode)
        key = id(operator), repr(attributes)
        if key not in self._cells:  # the operator is kept, so that the key stays its own
            cell = Custom.of_operator(operator, operator.gradient, attributes)
            self._cells[key] = operator, cell
        return self._cells[key][1]

    def forward(self, operator: Operator, inputs: list, attributes: dict) -> list:
        results = self._cell(operator, attributes)(*nested(from_array, inputs))
        return [to_array(r) for r in as_list(results)]

    def gradients(
        self, operator: Operator, inputs: list, attributes: dict, douts: list
    ) -> tuple[list, list]:
        if operator.input_lists:
            return self.gradients_many(operator, [Call(inputs, attributes, douts)])[0]
        outputs, gradients = differentiate(
            self._cell(operator, attributes),
            [from_array(v) for v in inputs],
            [from_array(d) for d in douts],
        )
        return [to_array(o) for o in outputs], [to_array(g) for g in gradients]

    def _together(self, operator: Operator, calls: Sequence[Call]) -> tuple[Together, list]:
        """One cell that makes all calls, and its inputs: those that are not left out."""
        cells = [self._cell(operator, call.attributes) for call in calls]
        if len(calls) == 1:  # which may come a thousand times, and leaves something each time
            shapes = nested(np.shape, calls[0].inputs)
            key = id(operator), repr(calls[0].attributes), repr(shapes)
            if key not in self._alone:
                self._alone[key] = Together(cells, calls)
            together = self._alone[key]
        else:
            together = Together(cells, calls)
        row = [v for call in calls for v in flat(call.inputs)]
        return together, [from_array(v) for v in row if v is not None]

    def forward_many(self, operator: Operator, calls: Sequence[Call]) -> list:
        together, row = self._together(operator, calls)
        results = [to_array(r) for r in as_list(together(*row))]
        return parts(results, [len(call.douts) for call in calls])

    def gradients_many(self, operator: Operator, calls: Sequence[Call]) -> list:
        together, row = self._together(operator, calls)
        douts = [from_array(d) for call in calls for d in call.douts]
        outputs, gradients = differentiate(together, row, douts)
        got = iter([to_array(g) for g in gradients])
        outputs = parts([to_array(o) for o in outputs], [len(call.douts) for call in calls])
        every = [[None if v is None else next(got) for v in flat(call.inputs)] for call in calls]
        return list(zip(outputs, every))


# GRAPH compiles a second for the gradient of an operator with optional inputs, whatever else is in
# the graph.
RUNNERS = (Mode("pynative", mindspore.PYNATIVE_MODE), Mode("graph", mindspore.GRAPH_MODE, share=4))
