# SPDX-License-Identifier: Apache-2.0
"""The functions of bascule.xp on torch tensors. What they mean is said there."""

import torch

from bascule.xp import broadcast_axes

abs = torch.abs
cos = torch.cos
erf = torch.erf
exp = torch.exp
expand_dims = torch.unsqueeze
full_like = torch.full_like
log = torch.log
matmul = torch.matmul
ones_like = torch.ones_like
pow = torch.pow
reciprocal = torch.reciprocal
rsqrt = torch.rsqrt
sigmoid = torch.sigmoid
sign = torch.sign
sin = torch.sin
sqrt = torch.sqrt
square = torch.square
squeeze = torch.squeeze
tanh = torch.tanh
where = torch.where
zeros_like = torch.zeros_like


def _axes(x, axis):
    if axis is None:
        return tuple(range(x.dim()))
    return tuple(axis) if isinstance(axis, (list, tuple)) else (axis,)


def amax(x, axis=None, keepdims=False):
    return torch.amax(x, _axes(x, axis), keepdims)


def broadcast_to(x, shape):
    return torch.broadcast_to(x, tuple(shape))


def cast(x, dtype):
    return x.to(getattr(torch, dtype) if isinstance(dtype, str) else dtype)


def clip(x, low, high):
    return torch.clamp(x, low, high)


def concat(tensors, axis=0):
    return torch.cat(list(tensors), axis)


def _tensor_like(value, other):
    if isinstance(value, torch.Tensor):
        return value
    return torch.as_tensor(value, dtype=other.dtype, device=other.device)


def maximum(x, y):
    return torch.maximum(_tensor_like(x, y), _tensor_like(y, x))


def mean(x, axis=None, keepdims=False):
    return torch.mean(x, _axes(x, axis), keepdims)


def minimum(x, y):
    return torch.minimum(_tensor_like(x, y), _tensor_like(y, x))


def reshape(x, shape):
    return torch.reshape(x, tuple(shape))


def stop_gradient(x):
    return x.detach()


def sum(x, axis=None, keepdims=False):
    return torch.sum(x, _axes(x, axis), keepdims, dtype=x.dtype)


def sum_to(x, shape):
    axes = broadcast_axes(shape, x.shape)
    return reshape(sum(x, axes, True), shape) if axes else x


def transpose(x, axes=None):
    return x.permute(tuple(axes) if axes is not None else tuple(reversed(range(x.dim()))))
