# SPDX-License-Identifier: Apache-2.0
"""The functions of bascule.xp on MindSpore's tensors. What they mean is said there.

Gradient functions call these, and GRAPH mode compiles both from source: plain operators, and what
needs Python in functions that run while the graph is compiled.
"""

import mindspore
from mindspore import nn, ops
from mindspore.ops import constexpr, isconstant

from bascule.errors import Unsupported
from bascule.xp import broadcast_axes

abs = ops.abs
cos = ops.cos
erf = ops.erf
exp = ops.exp
expand_dims = ops.expand_dims
log = ops.log
matmul = ops.matmul
ones_like = ops.ones_like
pow = ops.pow
reciprocal = ops.reciprocal
rsqrt = ops.rsqrt
sigmoid = ops.sigmoid
sign = ops.sign
sin = ops.sin
sqrt = ops.sqrt
square = ops.square
squeeze = ops.squeeze
stop_gradient = ops.stop_gradient
tanh = ops.tanh
where = ops.where
zeros_like = ops.zeros_like


@constexpr
def _dtype(dtype):
    if isinstance(dtype, str):
        return getattr(mindspore, "bool_" if dtype == "bool" else dtype)
    return dtype


@constexpr
def _axes(axis, rank):
    if axis is None:
        return tuple(range(rank))
    return tuple(axis) if isinstance(axis, (list, tuple)) else (axis,)


@constexpr
def _reversed(rank):
    return tuple(reversed(range(rank)))


@constexpr
def _repeated(shape, to):
    return broadcast_axes(shape, to)


@constexpr
def _is_empty(shape):
    return 0 in shape


@constexpr
def _refuse_second():
    raise Unsupported(
        "xp.sum_to: a second derivative needs shapes that are known when the graph is compiled."
    )


@constexpr
def _refuse_rank():
    raise Unsupported(
        "A gradient function takes len() of a shape whose rank is not known when the graph is "
        "compiled, and has to be: MindSpore would go on with another."
    )


@constexpr
def _summed(shape, axes, keepdims):
    along = {axis % len(shape) for axis in axes}
    kept = [1 if d in along else n for d, n in enumerate(shape)]
    return tuple(n for d, n in enumerate(kept) if keepdims or d not in along)


def known_length(values):
    """What gradient files get for len: in GRAPH, a loop over an unknown rank is run no time."""
    count = len(values)
    if isconstant(count):
        return count
    return _refuse_rank()


def amax(x, axis=None, keepdims=False):
    return ops.amax(x, _axes(axis, x.ndim), keepdims)


def broadcast_to(x, shape):
    return ops.broadcast_to(x, tuple(shape))


def cast(x, dtype):
    return ops.cast(x, _dtype(dtype))


def clip(x, low, high):
    return ops.clamp(x, low, high)


def concat(tensors, axis=0):
    return ops.concat(tuple(tensors), axis)


def full_like(x, value):
    return ops.full_like(x, value, dtype=x.dtype)


def maximum(x, y):
    return ops.maximum(x, y)


def mean(x, axis=None, keepdims=False):
    return ops.mean(x, _axes(axis, x.ndim), keepdims)


def minimum(x, y):
    return ops.minimum(x, y)


def reshape(x, shape):
    return ops.reshape(x, tuple(shape))


def sum(x, axis=None, keepdims=False):
    return _sum(x, _axes(axis, x.ndim), keepdims)


def sum_to(x, shape):
    if not isconstant(x.shape) or not isconstant(shape):
        # Along which axes, only the run shows.
        return _sum_to_like(x, ops.stop_gradient(ops.zeros(tuple(shape), x.dtype)))
    axes = _repeated(shape, x.shape)
    if axes:
        return ops.reshape(_sum(x, axes, True), tuple(shape))
    return x


class _SumToLike(nn.Cell):
    """Sums up to the shape of `like`: the gradient of a broadcast, which MindSpore knows for all
    shapes. It knows none of that gradient, and would say so with an internal error."""

    def construct(self, x, like):
        wide = ops.cast(x, mindspore.float32) if x.dtype == mindspore.bfloat16 else x
        total = _gradient(_weighted_sum)(ops.cast(like, wide.dtype), wide)
        return ops.cast(_unless_empty(x, total), x.dtype)

    def bprop(self, x, like, out, dout):
        return _refuse_second()


_sum_to_like = _SumToLike()
_gradient = ops.GradOperation()


def _weighted_sum(weights, x):
    return (weights * x).sum()


def _sum(x, axes, keepdims):
    # Of nothing MindSpore's sum is whatever lay there.
    if isconstant(x.shape) and _is_empty(x.shape):
        return ops.zeros(_summed(x.shape, axes, keepdims), x.dtype)
    if x.dtype == mindspore.bfloat16:  # which MindSpore does not add up on the CPU
        wide = _sum(ops.cast(x, mindspore.float32), axes, keepdims)
        return ops.cast(wide, mindspore.bfloat16)
    total = ops.sum(x, axes, keepdims, dtype=x.dtype)
    return total if isconstant(x.shape) else _unless_empty(x, total)


def _unless_empty(x, total):
    """`total`, zeros where `x` turns out to have no elements."""
    sizes = ops.concat((ops.dyn_shape(x), _ONE))  # of rank 0 there is none
    return ops.where(ops.prod(sizes) > 0, total, ops.cast(_ZERO, total.dtype))


_ONE = mindspore.Tensor([1], mindspore.int64)
_ZERO = mindspore.Tensor(0, mindspore.int64)


def transpose(x, axes=None):
    if axes is None:
        return ops.permute(x, _reversed(x.ndim))
    return ops.permute(x, tuple(axes))
