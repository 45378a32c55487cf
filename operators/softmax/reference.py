# What Softmax and SoftmaxGrad are compared with, and on what.
# SPDX-License-Identifier: Apache-2.0
import numpy as np


def softmax_reference(x, *, axis):
    if x.size == 0:
        return x
    e = np.exp(x - np.max(x, axis=axis, keepdims=True) if x.ndim else x - x)
    return e / (np.sum(e, axis=axis, keepdims=True) if x.ndim else e)


def softmax_grad_reference(out, dout, *, axis):
    # The second sum is 0 where `out` is a softmax, and takes off what its rounding left.
    for _ in range(2):
        products = out * dout
        dout = dout - (np.sum(products, axis=axis, keepdims=True) if out.ndim else products)
    return out * dout


_CASES = [
    # the last axis: short and long rows, alone and many
    *[((), -1), ((), 0), ((1,), 0), ((2,), -1), ((7,), -1), ((16,), 0), ((33,), -1), ((513,), -1)],
    *[((3, 5), -1), ((3, 5), 1), ((65, 3), -1), ((7, 1), -1), ((2, 3, 5, 7), 3), ((40, 97), -1)],
    *[((5, 1021), -1), ((300, 8), -1), ((3, 4096), 1), ((2, 9001), -1), ((1, 20011), -1)],
    *[((0, 4), -1), ((4, 0), -1), ((0,), -1), ((2, 0, 3), 1), ((60, 64), 1), ((49, 31), -1)],
    # other axes: few and many behind them
    *[((3, 5), 0), ((3, 5), -2), ((1, 7), 0), ((16, 16), 0), ((2, 3, 5, 7), 0)],
    *[((2, 3, 5, 7), 1), ((2, 3, 5, 7), -2), ((97, 40), 0), ((1021, 3), 0), ((300, 5, 2), 1)],
    *[((7, 300), 0), ((33, 129), 0), ((3, 400, 33), 1), ((9001, 2), 0), ((5, 2500), 0)],
    *[((2, 131, 127), 1), ((0, 4), 0), ((4, 0), 0), ((3, 1, 8), 1), ((64, 3, 64), 1)],
]


def _cases():
    for shape, axis in _CASES:
        yield {"shapes": [shape], "attributes": {} if axis == -1 else {"axis": axis}}


def softmax_cases():
    yield from _cases()
    for low, high in ((-60, 60), (-20, 20), (-0.01, 0.01), (90, 110)):
        for shape, axis in (((5, 77), -1), ((77, 5), 0)):
            yield {
                "shapes": [shape],
                "attributes": {"axis": axis},
                "ranges": [(low, high)],
                "gradient": low != -60,  # where most of it is next to nothing
            }


def softmax_grad_cases():
    # Where dout is almost what is taken off it few digits are left, which is judged by the terms
    # where it is the gradient of Softmax. So the ranges, also of the cases that follow these, are
    # such that it is not; for `out` as it is of a softmax, to add up to about 1, the limit is wider
    # where there are so many elements that some are left with the rounding of the sum.
    yield {"shapes": [(5, 100)] * 2, "ranges": [(1e-6, 1e-5), (3, 4)]}
    for case in _cases():
        shape = case["shapes"][0]
        length = max(1, shape[case["attributes"].get("axis", -1)] if shape else 1)
        yield {
            **case,
            "shapes": [shape] * 2,
            "ranges": [(0.2 / length, 1.8 / length), (-4, 4)],
            **({"ulp": {"float32": 64}} if np.prod(shape) > 1000 else {}),
        }
    for shape, axis in (((5, 3), -1), ((3, 5), 0), ((5, 2), -1), ((2, 5), 0), ((1, 7), 0)):
        yield {
            "shapes": [shape] * 2,
            "attributes": {"axis": axis},
            "ranges": [(0.1, 0.6), (-4, 4)],
        }
