# What LayerNorm and LayerNormGrad are compared with, and on what.
# SPDX-License-Identifier: Apache-2.0
import numpy as np


def _trailing(x, count):
    return tuple(range(x.ndim - count, x.ndim))


def layer_norm_reference(x, weight, bias, *, axes, epsilon):
    given = weight if weight is not None else bias
    count = axes or (given.ndim if given is not None else min(1, x.ndim))
    along = _trailing(x, count)
    if x.size == 0:
        return x
    mean = np.mean(x, axis=along, keepdims=True)
    out = (x - mean) / np.sqrt(np.mean((x - mean) ** 2, axis=along, keepdims=True) + epsilon)
    out = out if weight is None else out * weight
    return out if bias is None else out + bias


def layer_norm_grad_reference(x, weight, mean, rstd, dout):
    along = _trailing(x, x.ndim - mean.ndim)
    down = tuple(range(mean.ndim))
    shape = mean.shape + (1,) * (x.ndim - mean.ndim)
    normal = (x - mean.reshape(shape)) * rstd.reshape(shape)
    g = dout if weight is None else dout * weight
    dx = np.zeros_like(x)
    if x.size:
        averages = [np.mean(v, axis=along, keepdims=True) for v in (g, g * normal)]
        dx = rstd.reshape(shape) * (g - averages[0] - normal * averages[1])
    return dx, np.sum(dout * normal, axis=down), np.sum(dout, axis=down)


# x, how many of its last axes
_SHAPES = [
    *[((), 0), ((1,), 1), ((2,), 1), ((7,), 1), ((16,), 1), ((33,), 1), ((513,), 1), ((4096,), 1)],
    *[((3, 5), 1), ((3, 5), 2), ((65, 3), 1), ((7, 1), 1), ((1, 9), 1), ((40, 97), 1), ((5, 8), 1)],
    *[((2, 3, 5, 7), 1), ((2, 3, 5, 7), 2), ((2, 3, 5, 7), 3), ((2, 3, 5, 7), 4), ((300, 8), 1)],
    *[((5, 1021), 1), ((3, 4096), 1), ((2, 9001), 1), ((2, 12007), 1), ((1, 20011), 1)],
    *[((0, 4), 1), ((60, 64), 1), ((49, 31), 1), ((130, 257), 1), ((2, 64, 16), 2), ((700, 65), 1)],
]


def layer_norm_cases():
    # The ranges count for the cases that follow these, too. One of them has two elements, of which
    # the gradient is next to nothing unless epsilon counts.
    yield {"shapes": [(8, 5), (5,), (5,)], "ranges": [(-0.01, 0.01), (0.5, 2), (-1, 1)]}
    for shape, count in _SHAPES:
        trailing = shape[len(shape) - count :]
        # What few elements that are almost equal are away from their mean is as exact as that is in
        # float.
        few = 1 < np.prod(trailing) <= 3
        case = {"ranges": [(-4, 4), (0.5, 2), (-1, 1)], "gradient": not few}
        if few:
            case["ulp"] = {"float32": 64}
        yield {"shapes": [shape, trailing, trailing], **case}
        if count == 1 and len(shape) < 3:
            yield {"shapes": [shape, None, None], **case}
    for shapes in (
        [(9, 37), (37,), None],
        [(9, 37), None, (37,)],
        [(4, 3, 7), (3, 7), None],
        [(4, 3, 7), None, (3, 7)],
    ):
        yield {"shapes": shapes, "ranges": [(-4, 4), (0.5, 2), (-1, 1)]}
    yield {"shapes": [(4, 3, 7), None, None], "attributes": {"axes": 2}}
    yield {"shapes": [(4, 3, 7), (3, 7), (3, 7)], "attributes": {"axes": 2}}
    for low, high in ((10, 12), (-0.01, 0.01), (-1000, 1000)):
        yield {
            "shapes": [(9, 37), (37,), (37,)],
            "attributes": {"epsilon": 1e-3},
            "ranges": [(low, high), (0.5, 2), (-1, 1)],
        }


def layer_norm_grad_cases():
    for shape, count in _SHAPES:
        rest, trailing = shape[: len(shape) - count], shape[len(shape) - count :]
        for weight in (trailing, None):
            yield {
                "shapes": [shape, weight, rest, rest, shape],
                "ranges": [(-4, 4), (0.5, 2), (-0.5, 0.5), (0.2, 1), (0.1, 1)],
                # Among many elements there is one whose terms cancel, down to the rounding of their
                # sums in float; as the gradient of LayerNorm they are judged by their size.
                **({"ulp": {"float32": 64}} if np.prod(shape) > 1000 else {}),
            }
