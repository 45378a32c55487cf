# SPDX-License-Identifier: Apache-2.0
"""Custom: MindSpore's ops.Custom with its traps taken away.

It is a Cell around two primitives. `_static` infers in Python and serves PYNATIVE, and GRAPH where
shapes are known at compile time. `_dynamic` infers in the library's own NAMEInferShape, the only
form in which MindSpore takes unknown shapes. It is no good for the rest: it casts inputs to a dtype
that the library has without saying so, and makes a Python number of a result of rank 0.
"""

from collections.abc import Collection, Mapping
from types import MethodType
from typing import Any, Callable, Optional, Union

import mindspore
from mindspore import Tensor, nn
from mindspore.ops import isconstant

from bascule.errors import InvalidArgument, Unsupported
from bascule.gradient import Gradient
from bascule.mindspore import parts, source
from bascule.mindspore.checks import (
    check_dtypes,
    checked_inputs,
    dynamic_of_row,
    number_of,
    number_of_row,
    refuse_count,
    refuse_kind,
    refuse_no_list,
    refuse_unknown_shapes,
    static_of_row,
)
from bascule.mindspore.described import GivenOutputs
from bascule.mindspore.results import taken
from bascule.operator import Operator
from bascule.search import script_folder
from bascule.stats import Stats

__all__ = ["Custom"]


class Custom(nn.Cell):
    """An operator as a cell: called on Tensors, differentiated, used in other cells and functions.

    Args:
        func: for "aot", an operator library: `"my_mul"`, `"./libmy_mul.so"` or
            `"./libmy_mul.so:my_mul"`, looked for as bascule.search says; for "pyfunc", a function
            of NumPy arrays.
        out_shape, out_dtype: functions of the inputs, written for tensors (`x.shape`) or for plain
            shapes and dtypes, or values; tuples where there are several outputs. A library with a
            manifest knows both, so they may be left out; given, they are compared.
        func_type: "aot" or "pyfunc".
        bprop: the gradient function, `(inputs…, out, dout)`; bascule.gradient states its rule. A
            library with a manifest has its own, which this replaces; a lone kernel has none.
        reg_info: as in MindSpore, for a library without manifest.
        recompute: of a library with a manifest: in GRAPH, outputs that the gradient reads are made
            again rather than kept. None: as the library says.
        attributes: of a library with a manifest: values by name. They belong to the object, as a
            graph has no others; those left out have their defaults.

    Called with one Tensor per input, by position, None for an optional one left out, a list or
    tuple of Tensors where the OpDef says DYNAMIC;
    returns a Tensor, or a tuple of them. What the operator does not take raises InvalidArgument, a
    gradient against the rule GradientError; both are ValueErrors, and nothing has been launched.
    """

    def __init__(
        self,
        func: Union[str, Callable],
        out_shape: Any = None,
        out_dtype: Any = None,
        func_type: str = "aot",
        bprop: Optional[Callable] = None,
        reg_info: Any = None,
        recompute: Optional[bool] = None,
        attributes: Optional[Mapping[str, Any]] = None,
    ):
        super().__init__()
        given = GivenOutputs(out_shape, out_dtype)
        if attributes and func_type != "aot":
            raise Unsupported(
                f"Custom: attributes are those of an operator library; func_type is {func_type!r}."
            )
        if func_type == "aot":
            self._set_up(
                parts.of_library(
                    func, script_folder(), given, bprop, reg_info, recompute, attributes
                )
            )
        elif func_type == "pyfunc":
            self._set_up(parts.of_function(func, given, bprop, reg_info))
        else:
            raise Unsupported(
                f"Custom: func_type is {func_type!r}; expected 'aot' or 'pyfunc'. The other kinds "
                "of MindSpore's Custom compile for its own devices: use mindspore.ops.Custom."
            )

    @classmethod
    def of_operator(
        cls,
        operator: Operator,
        gradient: Gradient,
        attributes: Optional[Mapping[str, Any]] = None,
    ) -> "Custom":
        """The cell of an operator that bascule.load gave, with `gradient`."""
        return cls._of_parts(parts.of_operator(operator, gradient, attributes))

    @classmethod
    def _of_parts(cls, made: parts.Parts) -> "Custom":
        self = cls.__new__(cls)
        nn.Cell.__init__(self)
        self._set_up(made)
        return self

    def _set_up(self, made: parts.Parts) -> None:
        described = made.described
        target = mindspore.get_context("device_target")
        if target != "CPU":
            raise Unsupported(
                f"{described.name}: MindSpore's device_target is {target}; bascule runs operators "
                "on CPU: mindspore.set_context(device_target='CPU')."
            )
        self.__name__ = described.name
        self._described = described
        self._number = number_of(described)
        self._has_static = made.static is not None
        self._has_dynamic = made.dynamic is not None
        self._lists = described.lists
        self._has_saved = described.result_count != len(described.output_names)
        self._result_count = described.result_count
        self._taken = taken(described.result_count)
        self._static = made.static
        self._dynamic = made.dynamic
        # Left out from the end on, so that the place of an input in front of them stays.
        self._optional = tuple(reversed([index for index, _ in made.fewer]))
        fewer = [Custom._of_parts(parts) for _, parts in reversed(made.fewer)]
        self._fewer = nn.CellList(fewer) if fewer else ()
        if described.input_names is not None:
            self.construct = self._fixed_construct(len(described.input_names))

    def _fixed_construct(self, count: int) -> Callable:
        """construct() with `count` parameters: inside a graph, ms.grad fails on *inputs."""
        parameters = "".join(f", in{i}=None" for i in range(count))
        inputs = "".join(f"in{i}, " for i in range(count))
        text = f"def construct(self{parameters}):\n    return self.call(({inputs}))\n"
        return MethodType(source.define("construct", text, {}), self)

    def __call__(self, *inputs: Tensor, **others: Any) -> Any:
        described, left_out, came = self._described, [], len(inputs)
        if self._optional:
            inputs += (None,) * (len(described.input_names) - len(inputs))
            left_out = [index for index in self._optional if inputs[index] is None]
        if left_out:
            # PYNATIVE looks for the call that it is to differentiate: of this cell, with so many.
            described = self.without(left_out)._described
            inputs = tuple(v for i, v in enumerate(inputs) if i not in left_out)
        inputs = checked_inputs(described, inputs, others, self.requires_grad)
        for index in sorted(left_out):
            inputs = (*inputs[:index], None, *inputs[index:])
        return super().__call__(*inputs[:came])

    def construct(self, *inputs):
        return self.call(inputs)

    def call(self, inputs):
        """Runs the operator on a tuple. GRAPH compiles this; its conditions are constants then."""
        for place in range(len(self._optional)):
            index = self._optional[place]
            if inputs[index] is None:
                return self._fewer[place].call(inputs[:index] + inputs[index + 1 :])
        number = self._number
        counts = ()
        if self._lists:
            row = ()
            for index in range(len(inputs)):
                value = inputs[index]
                if value is None:
                    return refuse_count(number, index)
                if not self._lists[index]:
                    row = row + (value,)
                    counts = counts + (1,)
                elif isinstance(value, (tuple, list)):
                    row = row + tuple(value)
                    counts = counts + (len(value),)
                else:
                    return refuse_no_list(number, index)
            number = number_of_row(number, counts)
            inputs = row
        dtypes = ()
        shapes_known = True
        for index in range(len(inputs)):
            if inputs[index] is None:
                return refuse_count(number, index)
            if not isinstance(inputs[index], Tensor):
                return refuse_kind(number, index)
            dtypes = dtypes + (inputs[index].dtype,)
            if not isconstant(inputs[index].shape):
                shapes_known = False
        if self._lists:
            if shapes_known:
                return self.results(static_of_row(self._number, counts)(*inputs))
            check_dtypes(number, dtypes)
            return self.results(dynamic_of_row(self._number, counts)(*inputs))
        if self._has_static and shapes_known:
            return self.results(self._static(*inputs))
        check_dtypes(number, dtypes)
        if self._has_dynamic:
            return self.results(self._dynamic(*inputs))
        return refuse_unknown_shapes(number)

    def results(self, outputs):
        """The outputs without those that only the gradient gets."""
        if not self._has_saved:
            return outputs
        return self._taken(outputs)

    def without(self, left_out: Collection[int]) -> "Custom":
        """The operator as a cell of fewer inputs: without the optional ones in these places."""
        made = self
        for index in sorted(left_out, reverse=True):
            if index not in made._optional:
                name = self._described.input_name(index)
                raise InvalidArgument(f"{self.__name__}: input '{name}' cannot be left out.")
            made = made._fewer[made._optional.index(index)]
        return made

    def stats(self) -> Stats:
        """How often the operator and its gradient ran in this process, graphs included."""
        return self._described.stats()

    def __repr__(self) -> str:  # without the cells for optional inputs
        return f"Custom({self._described.name})"
