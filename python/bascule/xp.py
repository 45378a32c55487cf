# SPDX-License-Identifier: Apache-2.0
"""Functions for gradients, on tensors of any supported framework.

    from bascule import xp

    def my_tanh_bprop(x, out, dout):
        return dout * (1 - xp.square(out))

Beside them, tensors share the operators + - * / @ ** < > ==, unary minus, indexing, `.shape` and
`.dtype`. Each function takes and returns tensors of one framework and has that framework's
derivative. `axis` counts from the back when negative. A framework's own module (`bascule.torch.xp`,
…) has the same functions; gradient files are bound to it directly, so that the look-up by tensor
type below costs nothing in training.
"""

import importlib
import types
from collections.abc import Sequence
from typing import Any, Optional, Union

from bascule.bridges import bridge, framework_of

__all__ = [
    "abs",
    "amax",
    "broadcast_to",
    "cast",
    "clip",
    "concat",
    "cos",
    "erf",
    "exp",
    "expand_dims",
    "full_like",
    "log",
    "matmul",
    "maximum",
    "mean",
    "minimum",
    "ones_like",
    "pow",
    "reciprocal",
    "reshape",
    "rsqrt",
    "sigmoid",
    "sign",
    "sin",
    "sqrt",
    "square",
    "squeeze",
    "stop_gradient",
    "sum",
    "sum_to",
    "tanh",
    "transpose",
    "where",
    "zeros_like",
]

Tensor = Any
Axis = Union[None, int, Sequence[int]]

_by_type: dict[type, types.ModuleType] = {}


def backend_of(*values: Any) -> types.ModuleType:
    """The module with the functions for the first tensor of `values`; TypeError where none is."""
    for value in values:
        found = _by_type.get(type(value))
        if found is not None:
            return found
    for value in values:
        framework = framework_of(value)
        if framework is not None:
            found = _by_type[type(value)] = bridge(framework, "xp")
            return found
        if hasattr(type(value), "__array_struct__"):  # NumPy's arrays and scalars
            found = _by_type[type(value)] = importlib.import_module("bascule.xp_numpy")
            return found
    came = ", ".join(type(v).__name__ for v in values)
    raise TypeError(f"a tensor was expected; {came} came")


def abs(x: Tensor) -> Tensor:
    """|x|."""
    return backend_of(x).abs(x)


def amax(x: Tensor, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """The largest element along `axis`, or of all."""
    return backend_of(x).amax(x, axis, keepdims)


def broadcast_to(x: Tensor, shape: Sequence[int]) -> Tensor:
    """x repeated along axes of size 1, and along new ones in front, to `shape`."""
    return backend_of(x).broadcast_to(x, shape)


def cast(x: Tensor, dtype: Any) -> Tensor:
    """x as `dtype`: a name such as "float32", or the `.dtype` of another tensor."""
    return backend_of(x).cast(x, dtype)


def clip(x: Tensor, low: Optional[float], high: Optional[float]) -> Tensor:
    """x, at least `low` and at most `high`; None: no bound."""
    return backend_of(x).clip(x, low, high)


def concat(tensors: Sequence[Tensor], axis: int = 0) -> Tensor:
    """The tensors one after the other along `axis`."""
    return backend_of(*tensors).concat(tensors, axis)


def cos(x: Tensor) -> Tensor:
    """cos x, in radians."""
    return backend_of(x).cos(x)


def erf(x: Tensor) -> Tensor:
    """The error function."""
    return backend_of(x).erf(x)


def exp(x: Tensor) -> Tensor:
    """e to the x."""
    return backend_of(x).exp(x)


def expand_dims(x: Tensor, axis: int) -> Tensor:
    """x with a new axis of size 1 at `axis`."""
    return backend_of(x).expand_dims(x, axis)


def full_like(x: Tensor, value: float) -> Tensor:
    """A tensor of x's shape and dtype, full of `value`."""
    return backend_of(x).full_like(x, value)


def log(x: Tensor) -> Tensor:
    """The natural logarithm."""
    return backend_of(x).log(x)


def matmul(x: Tensor, y: Tensor) -> Tensor:
    """The matrix product over the last two axes."""
    return backend_of(x, y).matmul(x, y)


def maximum(x: Tensor, y: Tensor) -> Tensor:
    """The larger of two elements; at a tie each gets half of the gradient."""
    return backend_of(x, y).maximum(x, y)


def mean(x: Tensor, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """The mean along `axis`, or of all elements."""
    return backend_of(x).mean(x, axis, keepdims)


def minimum(x: Tensor, y: Tensor) -> Tensor:
    """The smaller of two elements; at a tie each gets half of the gradient."""
    return backend_of(x, y).minimum(x, y)


def ones_like(x: Tensor) -> Tensor:
    """A tensor of x's shape and dtype, full of ones."""
    return backend_of(x).ones_like(x)


def pow(x: Tensor, y: Union[Tensor, float]) -> Tensor:
    """x to the y."""
    return backend_of(x, y).pow(x, y)


def reciprocal(x: Tensor) -> Tensor:
    """1 / x."""
    return backend_of(x).reciprocal(x)


def reshape(x: Tensor, shape: Sequence[int]) -> Tensor:
    """The elements of x, in row-major order, in another shape; one dimension may be -1."""
    return backend_of(x).reshape(x, shape)


def rsqrt(x: Tensor) -> Tensor:
    """1 / sqrt(x)."""
    return backend_of(x).rsqrt(x)


def sigmoid(x: Tensor) -> Tensor:
    """1 / (1 + e^-x)."""
    return backend_of(x).sigmoid(x)


def sign(x: Tensor) -> Tensor:
    """-1, 0 or 1."""
    return backend_of(x).sign(x)


def sin(x: Tensor) -> Tensor:
    """sin x, in radians."""
    return backend_of(x).sin(x)


def sqrt(x: Tensor) -> Tensor:
    """The square root."""
    return backend_of(x).sqrt(x)


def square(x: Tensor) -> Tensor:
    """x * x."""
    return backend_of(x).square(x)


def squeeze(x: Tensor, axis: int) -> Tensor:
    """x without its axis `axis`, which has size 1."""
    return backend_of(x).squeeze(x, axis)


def stop_gradient(x: Tensor) -> Tensor:
    """x as a constant: no gradient flows through it."""
    return backend_of(x).stop_gradient(x)


def sum(x: Tensor, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """The sum along `axis`, or of all elements, in x's dtype."""
    return backend_of(x).sum(x, axis, keepdims)


def sum_to(x: Tensor, shape: Sequence[int]) -> Tensor:
    """x summed over the axes along which a tensor of `shape` was broadcast to x's shape."""
    return backend_of(x).sum_to(x, shape)


def tanh(x: Tensor) -> Tensor:
    """The hyperbolic tangent."""
    return backend_of(x).tanh(x)


def transpose(x: Tensor, axes: Optional[Sequence[int]] = None) -> Tensor:
    """x with its axes in another order; reversed unless told."""
    return backend_of(x).transpose(x, axes)


def where(condition: Tensor, x: Tensor, y: Tensor) -> Tensor:
    """x where the condition holds, else y."""
    return backend_of(condition, x, y).where(condition, x, y)


def zeros_like(x: Tensor) -> Tensor:
    """A tensor of x's shape and dtype, full of zeros."""
    return backend_of(x).zeros_like(x)


def broadcast_axes(shape: Sequence[int], to: Sequence[int]) -> tuple[int, ...]:
    """The axes of `to` along which a tensor of `shape` is repeated when it is broadcast to `to`."""
    new = len(to) - len(shape)
    repeated = [i + new for i, n in enumerate(shape) if n == 1 and to[i + new] != 1]
    return (*range(new), *repeated)
