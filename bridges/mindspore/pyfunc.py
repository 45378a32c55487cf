# SPDX-License-Identifier: Apache-2.0
"""func_type="pyfunc": a function of NumPy arrays as an operator.

MindSpore copies what the function returns byte by byte, whatever its shape, and leaves the output
unwritten where it returns None. So the result is looked at here.
"""

from typing import Any, Callable

import numpy as np

from bascule.errors import InvalidArgument
from bascule.gradient import plural
from bascule.mindspore import source
from bascule.mindspore.described import Described
from bascule.mindspore.tensors import TensorInfo
from bascule.pyfunc import dense


def checked(function: Callable, described: Described) -> Callable:
    """`function` with its result held against the operator's inference, for ops.Custom."""

    def run(*arrays: Any) -> Any:
        result = compute(*arrays)
        described.counter.counts.add_call()
        return result

    def compute(*arrays: Any) -> Any:
        if not all(isinstance(array, np.ndarray) for array in arrays):
            # Of rank 0 come Python numbers, which do not tell their dtype.
            return function(*arrays)
        inputs = tuple(TensorInfo(array.shape, array.dtype.name) for array in arrays)
        result = function(*arrays)
        expected = described.outputs(inputs)
        several = len(expected) > 1
        results = tuple(result) if several and isinstance(result, (tuple, list)) else (result,)
        if len(results) != len(expected):
            raise InvalidArgument(
                f"{described.name}: the function returned {plural(len(results), 'result')}; "
                f"expected {len(expected)}."
            )
        results = tuple(map(_bytes, (described.name,) * len(results), results, expected))
        return results if several else results[0]

    # MindSpore reads the number of parameters and the source of what it is given.
    names = ", ".join(f"in{i}" for i in range(len(described.input_names)))
    name = f"{described.name}_pyfunc"
    text = f"def {name}({names}):\n    return run({names})\n"
    return source.define(name, text, {"run": run})


def _bytes(name: str, result: Any, expected: TensorInfo) -> np.ndarray:
    array = dense(name, result, *expected)
    # bfloat16 is foreign to NumPy's buffers, and only the bytes count.
    return array.view(np.uint16) if expected.dtype == "bfloat16" else array
