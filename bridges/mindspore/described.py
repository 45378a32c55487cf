# SPDX-License-Identifier: Apache-2.0
"""What an operator makes of its inputs, known before it runs.

`outputs()` is where a call is checked. MindSpore asks for it while it compiles a graph and before
each eager call, so what does not fit is refused before anything is launched.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Callable, Optional

import mindspore

from bascule import operator as libraries
from bascule.errors import InvalidArgument, Unsupported
from bascule.gradient import Gradient, plural
from bascule.lists import Counts, grouped, member_names
from bascule.mindspore import bprop as gradients
from bascule.mindspore import xp
from bascule.mindspore.counting import FunctionCounter, NativeCounter
from bascule.mindspore.tensors import (
    DtypeView,
    ShapeView,
    TensorInfo,
    is_several,
    read_dtype,
    read_shape,
)
from bascule.outputs import parameter_names
from bascule.pyfunc import FunctionOperator
from bascule.stats import Seen, Stats, make_stats

_REMEMBERED = 1024  # inferences; dropped together when there are more


class Described:
    """An operator: its name, those of its inputs (None: unknown) and outputs, inference, gradient.

    One without inference of its own answers nothing; MindSpore asks the library.
    """

    why_static = "its library does not infer others"

    def __init__(
        self,
        name: str,
        inputs: Optional[Sequence[str]],
        outputs: Sequence[str],
        gradient: Optional[Gradient] = None,
        saved: Sequence[str] = (),
    ):
        self.name = name
        self.input_names = None if inputs is None else tuple(inputs)
        self.output_names = (*outputs, *saved)
        self.result_count = len(outputs)  # what a caller gets; the others are for the gradient
        self.gradient = gradient
        self.attributes: dict[str, Any] = {}  # their values
        self.all_names = self.input_names  # optional inputs that were left out included
        self.left_out: frozenset[int] = frozenset()  # the places of these
        self.lists: tuple[bool, ...] = ()  # which inputs are lists of tensors, where one is
        # As many tensors as each of all_names is, None for what is no list; None: no lists.
        self.counts: Optional[Counts] = None
        self.number: Optional[int] = None  # that stands for it (bascule.mindspore.checks)
        self.counter: Any = None  # of its gradients (bascule.mindspore.counting), if anybody counts
        self.again: Optional[Callable] = None  # the primitive, where the gradient runs it again
        self._bprop: Optional[Callable] = None
        self._remembered: dict[tuple, tuple[TensorInfo, ...]] = {}

    def __deepcopy__(self, memo: dict) -> "Described":
        return self  # cells are copied; what they say about their operator is the same

    def bprop(self) -> Optional[Callable]:
        """The gradient function for MindSpore, made at the first request."""
        if self._bprop is None and self.input_names is not None:
            self._bprop = self._make_bprop(self.input_names)
        return self._bprop

    def _make_bprop(self, inputs: tuple[str, ...]) -> Callable:
        if self.gradient is None:
            return gradients.missing(self.name, inputs, "none was given as bprop")
        if self.gradient.kind == "none":
            return gradients.missing(self.name, inputs, self.gradient.reason)
        function, form, _ = self.gradient.get(xp, self.attributes)
        return gradients.checked(
            function,
            form,
            self.name,
            self.all_names,
            self.output_names,
            self.attributes,
            self.counter,
            left_out=self.left_out,
            counts=self.counts,
            results=self.result_count,
            again=self.again if self.gradient.recompute else None,
            widened=self.gradient.is_file,
        )

    def stats(self) -> Stats:
        """Raises Unsupported where nobody counts: a library without manifest is called directly."""
        if self.counter is None:
            raise Unsupported(
                f"{self.name}: MindSpore calls its library directly, which has no manifest and "
                "counts nothing; bascule.Custom counts the calls of such a function."
            )
        mindspore.runtime.synchronize()  # PYNATIVE runs behind the interpreter
        missing = None
        if self.gradient is None:
            missing = "none was given as bprop"
        elif self.gradient.kind == "none":
            missing = self.gradient.reason
        seen = Seen(frameworks={"mindspore"})
        return make_stats(self.name, self.counter.statistics(), missing, seen)

    def outputs(self, inputs: tuple[TensorInfo, ...]) -> tuple[TensorInfo, ...]:
        """Shapes and dtypes of the outputs. Raises InvalidArgument where the inputs do not fit."""
        known = self._remembered.get(inputs)
        if known is None:
            self.check_count(len(inputs))
            known = self._infer(inputs)
            if len(self._remembered) >= _REMEMBERED:
                self._remembered.clear()
            self._remembered[inputs] = known
        return known

    def check_count(self, count: int) -> None:
        if self.input_names is not None and count != len(self.input_names):
            raise InvalidArgument(
                f"{self.name}: {plural(len(self.input_names), 'input')} expected "
                f"({', '.join(self.input_names)}), {count} came."
            )

    def check_dtypes(self, dtypes: tuple[str, ...]) -> None:
        """Refuses dtypes alone, where shapes are not known yet. Names as in TensorInfo."""

    def refuse_unknown_shapes(self) -> None:
        """Refuses a graph in which a shape is not known while it is compiled."""
        raise Unsupported(
            f"{self.name}: the shapes of its inputs are not known when the graph is compiled, and "
            f"have to be: {self.why_static}."
        )

    def arguments(self, row: Sequence) -> Sequence:
        """The inputs that a row of something for each tensor is made of."""
        return row

    def input_name(self, index: int) -> str:
        if self.input_names is not None and index < len(self.input_names):
            return self.input_names[index]
        return str(index)

    def _infer(self, inputs: tuple[TensorInfo, ...]) -> tuple[TensorInfo, ...]:
        return ()

    def _describe(self, inputs: Sequence[TensorInfo]) -> str:
        return ", ".join(f"{self.input_name(i)} {info}" for i, info in enumerate(inputs))


class LibraryOperator(Described):
    """An operator of a library with a manifest. `given` is what the caller said of its outputs.

    One with inputs that are lists has no primitive: `row` gives the parts of the same operator for
    lists of known lengths, which to MindSpore is one of single tensors.
    """

    def __init__(
        self,
        operator: libraries.Operator,
        given: "GivenOutputs",
        gradient: Gradient,
        attributes: Mapping[str, Any],
        left_out: frozenset[int],
        counts: Optional[Counts],
    ):
        places = [i for i in range(len(operator.inputs)) if i not in left_out]
        names = [operator.inputs[i] for i in places]
        if counts is not None:
            self._present = tuple(counts[i] for i in places)
            names = member_names(names, self._present)
        super().__init__(operator.name, names, operator.outputs, gradient, operator.saved)
        self.all_names = operator.inputs
        self.left_out = left_out
        self.counts = counts
        self.row: Optional[Callable[[tuple[int, ...]], Any]] = None  # set by who makes parts
        if counts is None and operator.input_lists:
            self.lists = tuple(i in operator.input_lists for i in places)
        self.counter = NativeCounter(operator.native)
        self._native = operator.native
        self._given = given
        for index in operator.output_lists:
            raise Unsupported(
                f"{self.name}: output '{operator.schema['outputs'][index]['name']}' is a list of "
                "tensors, and a call in MindSpore does not say how many; with NumPy arrays, out= "
                "does."
            )
        values = operator.all_attributes(dict(attributes))  # raises where one is missing
        for (name, declared), value in zip(operator.attributes.items(), values):
            self.attributes[name] = _value(self.name, name, declared["kind"], value)
        # One tuple per supported combination of dtypes, inputs then outputs.
        parameters = []
        for i in places:
            tensors = 1 if counts is None or counts[i] is None else counts[i]
            parameters += [operator.schema["inputs"][i]] * tensors
        parameters += operator.schema["outputs"]
        columns = zip(*(parameter["dtypes"] for parameter in parameters))
        self.columns = list(dict.fromkeys(columns))

    def check_dtypes(self, dtypes: tuple[str, ...]) -> None:
        self.check_count(len(dtypes))
        if all(column[: len(dtypes)] != dtypes for column in self.columns):
            self._infer_by_library([(None, dtype) for dtype in dtypes])  # has the sentence

    def output_dtypes(self, dtypes: tuple[str, ...]) -> tuple[str, ...]:
        """Of inputs that check_dtypes() lets through."""
        count = len(dtypes)
        return next(column[count:] for column in self.columns if column[:count] == dtypes)

    def arguments(self, row: Sequence) -> Sequence:
        return row if self.counts is None else grouped(row, self._present)

    def _infer_by_library(self, row: Sequence) -> list:
        for index, (_, dtype) in enumerate(row):
            if dtype.startswith("complex"):  # the only dtypes that bascule has no name for
                raise InvalidArgument(
                    f"{self.name}: input '{self.input_name(index)}' is {dtype}, which no operator "
                    "takes."
                )
        inputs = list(self.arguments(row))
        for index in sorted(self.left_out):
            inputs.insert(index, None)
        return self._native.infer(inputs, self.attributes)

    def _infer(self, inputs: tuple[TensorInfo, ...]) -> tuple[TensorInfo, ...]:
        inferred = tuple(TensorInfo(*pair) for pair in self._infer_by_library(inputs))
        given = self._given.read(self, inputs, self.result_count)
        for name, ours, theirs in zip(self.output_names, inferred, given):
            for what, expected, got in zip(("shape", "dtype"), ours, theirs):
                if got not in (None, expected):
                    raise InvalidArgument(
                        f"{self.name}: out_{what} gives {got} for output '{name}' of "
                        f"{self._describe(inputs)}; its library infers {expected}. out_{what} may "
                        "be left out."
                    )
        return inferred


_KINDS = {"int": int, "float": float, "bool": bool, "string": str}


def _value(operator: str, name: str, kind: str, value: Any) -> Any:
    """The value of an attribute as MindSpore takes it; it does not convert."""
    one = _KINDS[kind.removesuffix("_list")]
    try:
        return [one(item) for item in value] if kind.endswith("_list") else one(value)
    except (TypeError, ValueError):
        raise InvalidArgument(
            f"{operator}: attribute '{name}' takes {kind}, {value!r} came."
        ) from None


class PlainOperator(Described):
    """An operator known only by what the caller gave: a library without manifest, or a function."""

    why_static = "only a library with a manifest, as `bascule build` makes it, infers others"

    def __init__(
        self,
        name: str,
        inputs: Optional[Sequence[str]],
        outputs: Sequence[str],
        gradient: Optional[Gradient],
        given: "GivenOutputs",
    ):
        super().__init__(name, inputs, outputs, gradient)
        self._given = given

    def _infer(self, inputs: tuple[TensorInfo, ...]) -> tuple[TensorInfo, ...]:
        return tuple(TensorInfo(*pair) for pair in self._given.read(self, inputs, None))


class DescribedKernel(Described):
    """A lone kernel with what bascule.Custom was told of its outputs."""

    why_static = "what a lone kernel's caller says of its outputs is for known shapes"

    def __init__(self, operator: libraries.Operator, gradient: Gradient):
        super().__init__(operator.name, operator.inputs, operator.outputs, gradient)
        native = operator.native
        counted_here = isinstance(operator, FunctionOperator)
        self.counter = FunctionCounter(native.counts) if counted_here else NativeCounter(native)
        self._native = native

    def _infer(self, inputs: tuple[TensorInfo, ...]) -> tuple[TensorInfo, ...]:
        return tuple(TensorInfo(*pair) for pair in self._native.infer(list(inputs)))


class GivenOutputs:
    """`out_shape` and `out_dtype` as a caller passes them: functions of the inputs, or values."""

    def __init__(self, out_shape: Any, out_dtype: Any):
        self.shape = out_shape
        self.dtype = out_dtype

    def parameter_names(self) -> Optional[tuple[str, ...]]:
        """The inputs as the caller's functions name them, None where that cannot be told."""
        for value in (self.shape, self.dtype):
            if callable(value):
                return parameter_names(value)
        return None

    def read(
        self, operator: Described, inputs: Sequence[TensorInfo], count: Optional[int]
    ) -> list[tuple[Optional[tuple[int, ...]], Optional[str]]]:
        """(shape, dtype) of each output, None for what was left out.

        `count` is the number of outputs, None where only these values tell it.
        """
        shapes = _several(operator, "out_shape", self.shape, ShapeView, read_shape, inputs)
        dtypes = _several(operator, "out_dtype", self.dtype, DtypeView, read_dtype, inputs)
        count = count or len(shapes)
        for argument, values in (("out_shape", shapes), ("out_dtype", dtypes)):
            if values is not None and len(values) != count:
                raise InvalidArgument(
                    f"{operator.name}: {argument} describes {plural(len(values), 'output')}; "
                    f"expected {count}."
                )
        return list(zip(shapes or [None] * count, dtypes or [None] * count))


def _several(
    operator: Described,
    argument: str,
    value: Any,
    view: Callable[[TensorInfo], Any],
    read: Callable[[Any], Any],
    inputs: Sequence[TensorInfo],
) -> Optional[list]:
    if value is None:
        return None
    if callable(value):
        value = value(*operator.arguments([view(info) for info in inputs]))
    try:
        return [read(item) for item in value] if is_several(value) else [read(value)]
    except TypeError as error:
        raise InvalidArgument(f"{operator.name}: {argument}: {error}.") from None
