# The gradient of MatmulGelu: the products are made again, in float32, for the slope of gelu.
# SPDX-License-Identifier: Apache-2.0
from bascule import xp

_ROOT_OF_HALF = 0.7071067811865476
_DENSITY = 0.3989422804014327  # of the normal distribution, at 0
_SLOPE = 1.5957691216057308  # 2 sqrt(2 / pi)
_CUBE = 0.044715


def _turned(x):
    rank = len(x.shape)
    return xp.transpose(x, [*range(rank - 2), rank - 1, rank - 2])


def _wide(x, transpose, vector_shape):
    x = xp.cast(x, "float32")
    if len(x.shape) == 1:
        return xp.reshape(x, vector_shape)
    return _turned(x) if transpose else x


def _narrow(gradient, like, transpose):
    if len(like.shape) > 1 and transpose:
        gradient = _turned(gradient)
    return xp.cast(xp.reshape(gradient, like.shape), like.dtype)


def matmul_gelu_bprop(a, b, bias, out, dout, *, transpose_a, transpose_b, approximate):
    left = _wide(a, transpose_a, (1, a.shape[-1]))
    right = _wide(b, transpose_b, (b.shape[-1], 1))
    z = xp.matmul(left, right)
    if bias is not None:
        z = z + xp.cast(bias, "float32")
    if approximate == "tanh":
        s = xp.sigmoid(_SLOPE * (z + _CUBE * z * z * z))
        slope = s + z * s * (1.0 - s) * (_SLOPE * (1.0 + 3.0 * _CUBE * z * z))
    else:
        slope = 0.5 + 0.5 * xp.erf(z * _ROOT_OF_HALF) + z * _DENSITY * xp.exp(-0.5 * z * z)
    dz = xp.reshape(xp.cast(dout, "float32"), z.shape) * slope
    da = xp.sum_to(xp.matmul(dz, _turned(right)), left.shape)
    db = xp.sum_to(xp.matmul(_turned(left), dz), right.shape)
    dbias = None
    if bias is not None:
        dbias = xp.cast(xp.sum_to(dz, bias.shape), bias.dtype)
    return _narrow(da, a, transpose_a), _narrow(db, b, transpose_b), dbias
