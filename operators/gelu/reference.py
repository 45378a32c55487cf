# What Gelu and GeluGrad are compared with, and on what.
# SPDX-License-Identifier: Apache-2.0
import math

import numpy as np

_erfc = np.vectorize(math.erfc, otypes=[np.float64])
_SLOPE = 2 * math.sqrt(2 / math.pi)


def _sigmoid(z):
    e = np.exp(-np.abs(z))
    return np.where(z < 0, e, 1) / (1 + e)


def _distribution(x, approximate):
    if approximate == "tanh":
        return _sigmoid(_SLOPE * (x + 0.044715 * x**3))
    return _erfc(-x / math.sqrt(2)) / 2


def _slope_of_distribution(x, approximate):
    x = np.clip(x, -40, 40)  # where it is 0
    if approximate == "tanh":
        s = _distribution(x, approximate)
        return s * _distribution(-x, approximate) * _SLOPE * (1 + 3 * 0.044715 * x**2)
    return np.exp(-x * x / 2) / math.sqrt(2 * math.pi)


def gelu_reference(x, *, approximate):
    return x * _distribution(x, approximate)


def gelu_grad_reference(x, dout, *, approximate):
    near = np.clip(x, -40, 40)
    return dout * (_distribution(near, approximate) + near * _slope_of_distribution(x, approximate))


_SHAPES = [
    *[(), (1,), (2,), (7,), (16,), (17,), (3, 5), (0, 4), (0,), (4, 0, 3), (2, 3, 5, 7), (513,)],
    *[
        (31,),
        (33,),
        (127,),
        (255,),
        (257,),
        (1021,),
        (1024,),
        (1025,),
        (2049,),
        (40, 97),
        (1, 1, 1),
    ],
    *[(5, 1, 13), (8191,), (3, 1031), (61, 64)],
]


def _cases(inputs):
    for approximate in ("none", "tanh"):
        for shape in _SHAPES:
            yield {
                "shapes": [shape] * inputs,
                "attributes": {} if approximate == "none" else {"approximate": approximate},
            }
        for low, high in ((-10, -6), (-6, -2), (-1.1, -0.4), (-0.01, 0.01), (2, 6), (6, 60)):
            yield {
                "shapes": [(333,)] * inputs,
                "attributes": {"approximate": approximate},
                "ranges": [(low, high)] + [(-4, 4)] * (inputs - 1),
            }


def gelu_cases():
    yield from _cases(1)


def gelu_grad_cases():
    yield from _cases(2)
