# SPDX-License-Identifier: Apache-2.0
"""A Python function of NumPy arrays as an operator, for tensors of any framework.

It stands where an operator of a library stands: `FunctionOperator.native` answers what the native
module's operators answer, so bridges and gradients treat both alike.
"""

import json
import threading
from collections.abc import Sequence
from typing import Any, Callable, Optional

import numpy as np

from bascule.bridges import bridge, framework_of
from bascule.errors import InvalidArgument, Unsupported
from bascule.gradient import plural
from bascule.operator import Operator
from bascule.outputs import GivenOutputs, dtype_name, numbered, parameter_names

__all__ = ["FunctionOperator", "dense"]

Pair = tuple[tuple[int, ...], str]  # a tensor's shape, and the name of its element type


class FunctionOperator(Operator):
    """An operator whose kernel is a Python function; `function` takes and returns NumPy arrays."""

    def __init__(
        self, function: Callable, name: str, inputs: Sequence[str], outputs: int, given: Any
    ):
        schema = {
            "name": name,
            "inputs": [{"name": input} for input in inputs],
            "outputs": [{"name": output} for output in numbered("out", outputs)],
            "attributes": [],
            "gradient": {"kind": "none", "reason": "Custom was given no bprop"},
        }
        self.function = function
        self.given = given
        super().__init__(_Native(function, name, json.dumps(schema), given), "a Python function")


def operator_of(function: Callable, given: GivenOutputs) -> FunctionOperator:
    """The operator of a function whose outputs are as `given` says."""
    if not callable(function):
        raise InvalidArgument(
            f"Custom: func is a {type(function).__name__}; with func_type 'pyfunc' it is a "
            "function."
        )
    name = function_name(function)
    given.name = name
    for argument, value in (("out_shape", given.shape), ("out_dtype", given.dtype)):
        if value is None:
            raise InvalidArgument(f"{name}: {argument} was left out, and a function does not tell.")
    inputs = input_names(function, given.parameter_names())
    if inputs is None:
        raise InvalidArgument(
            f"{name}: how many inputs it takes cannot be told; name the parameters of func."
        )
    outputs = given.count(len(inputs))
    if outputs is None:
        raise InvalidArgument(
            f"{name}: how many outputs it has cannot be told from out_shape, which fails on "
            "made-up shapes; give out_shape as a function that works for any rank."
        )
    return FunctionOperator(function, name, inputs, outputs, given)


def input_names(function: Callable, given: Optional[Sequence[str]]) -> Optional[Sequence[str]]:
    """The inputs of a function: its parameters, but only as many as `given`, where that is known.

    `given` are the parameters of out_shape or out_dtype, which take one for each input; a function
    may have more, with defaults.
    """
    own = parameter_names(function)
    if own is None or given is None or len(own) < len(given):
        return own if given is None else given
    return own[: len(given)]


def function_name(function: Callable) -> str:
    name = getattr(function, "__name__", type(function).__name__)
    return name if name.isidentifier() else "pyfunc"  # <lambda>


class Counts:
    """How often a function and its gradient ran. Thread-safe."""

    def __init__(self):
        self.calls = 0
        self.gradients = 0
        self._lock = threading.Lock()

    def statistics(self) -> dict[str, int]:
        """As _native.Operator's; what a function never does is 0."""
        nothing = ("tiling_runs", "plans", "packed_inputs", "packed_input_bytes")
        nothing += ("unpacked_outputs", "unpacked_output_bytes")
        return {"calls": self.calls, "gradients": self.gradients, **dict.fromkeys(nothing, 0)}

    def add_call(self) -> None:
        with self._lock:
            self.calls += 1

    def add_gradient(self) -> None:
        with self._lock:
            self.gradients += 1


class _Native:
    """Answers as _native.Operator does."""

    is_kernel = False

    def __init__(self, function: Callable, name: str, schema: str, given: GivenOutputs):
        self.name = name
        self.schema = schema
        self._function = function
        self._given = given
        described = json.loads(schema)
        self._inputs = [p["name"] for p in described["inputs"]]
        self._outputs = len(described["outputs"])
        self.counts = Counts()

    def infer(self, inputs: Sequence[Optional[Pair]], attributes: Any = None) -> list[Pair]:
        self._check_count(len(inputs))
        answer = self._given.infer(inputs)
        if len(answer) != self._outputs:
            raise InvalidArgument(
                f"{self.name}: out_shape describes {plural(len(answer), 'output')} for these "
                f"inputs, and {self._outputs} before."
            )
        return answer

    def run(self, *inputs: Any) -> Any:
        """New outputs, tensors of the first input's framework."""
        self._check_count(len(inputs))
        framework = next((f for f in map(framework_of, inputs) if f is not None), None)
        tensors = None
        if framework is not None:
            tensors = bridge(framework, "arrays")
        arrays = [self._array(i, value, tensors) for i, value in enumerate(inputs)]
        results = self._compute(arrays)
        # A result that is an input, or a view of one, would make two tensors of one memory.
        results = [
            r.copy() if any(np.may_share_memory(r, a) for a in arrays) else r for r in results
        ]
        if tensors is not None:
            results = [tensors.from_array(result) for result in results]
        return results[0] if len(results) == 1 else tuple(results)

    def call(
        self, inputs: Sequence[Any], outputs: Sequence[Any], attributes: Any = None, repeat: int = 1
    ) -> None:
        """Writes NumPy arrays that the caller brings."""
        self._check_count(len(inputs))
        if len(outputs) != self._outputs:
            raise InvalidArgument(
                f"{self.name}: {plural(self._outputs, 'output')} expected, {len(outputs)} came."
            )
        arrays = [self._array(i, value, None) for i, value in enumerate(inputs)]
        for _ in range(repeat):
            results = self._compute(arrays)
        for output, result in zip(outputs, results):
            if output.shape != result.shape or output.dtype != result.dtype:
                raise InvalidArgument(
                    f"{self.name}: out is {output.shape} {output.dtype}; expected {result.shape} "
                    f"{result.dtype}."
                )
            output[...] = result

    def statistics(self) -> dict[str, int]:
        return self.counts.statistics()

    def count_gradient(self) -> None:
        self.counts.add_gradient()

    def described(self, schema: str, infer: Callable) -> "_Native":
        raise Unsupported(f"{self.name} is a Python function and describes itself.")

    def _check_count(self, got: int) -> None:
        if got != len(self._inputs):
            raise InvalidArgument(
                f"{self.name}: {plural(len(self._inputs), 'input')} expected "
                f"({', '.join(self._inputs)}), {got} came."
            )

    def _array(self, index: int, value: Any, tensors: Any) -> np.ndarray:
        if isinstance(value, np.ndarray):
            return value
        if tensors is not None and framework_of(value) is not None:
            return tensors.to_array(value)
        raise InvalidArgument(
            f"{self.name}: input '{self._inputs[index]}' is a {type(value).__name__}, not an array "
            "or tensor."
        )

    def _compute(self, arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
        expected = self.infer([(a.shape, dtype_name(a.dtype)) for a in arrays])
        result = self._function(*arrays)
        several = self._outputs > 1 and isinstance(result, (tuple, list))
        results = list(result) if several else [result]
        if len(results) != self._outputs:
            raise InvalidArgument(
                f"{self.name}: the function returned {plural(len(results), 'result')}; expected "
                f"{self._outputs}."
            )
        answer = [dense(self.name, r, *e) for r, e in zip(results, expected)]
        self.counts.add_call()
        return answer


def dense(name: str, result: Any, shape: Sequence[int], dtype: str) -> np.ndarray:
    """A function's result as a dense array, refused unless it has this shape and dtype."""
    if not isinstance(result, (np.ndarray, np.generic)):
        raise InvalidArgument(
            f"{name}: the function returned a {type(result).__name__}; expected a NumPy array "
            f"{tuple(shape)} {dtype}."
        )
    if result.shape != tuple(shape) or result.dtype.name != dtype:
        raise InvalidArgument(
            f"{name}: the function returned an array {result.shape} {result.dtype.name}; expected "
            f"{tuple(shape)} {dtype}."
        )
    return np.ascontiguousarray(result).reshape(result.shape)
