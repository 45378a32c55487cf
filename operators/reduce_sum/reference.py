# What ReduceSum is compared with, and on what.
# SPDX-License-Identifier: Apache-2.0
import numpy as np


def reduce_sum_reference(x, *, axes, keep_dims):
    return np.sum(x, axis=tuple(axes) or None, keepdims=keep_dims)


def reduce_sum_cases():
    # All terms have one sign: where they cancel, the rounding of float is all that is left.
    cases = [
        ((), []),
        ((1,), [0]),
        ((7,), [0]),
        ((16,), []),
        ((100003,), [0]),
        ((3, 5), [0]),
        ((3, 5), [1]),
        ((3, 5), [-1]),
        ((3, 5), [0, 1]),
        ((0, 4), [0]),
        ((0, 4), [1]),
        ((2, 3, 5, 7), [1, 3]),
        ((2, 3, 5, 7), [0, 2]),
        ((2, 3, 5, 7), [-3]),
        ((3, 1, 4), [1]),
        ((3, 2500), [1]),
        ((2500, 3), [0]),
        ((700, 65), [0]),
        ((5, 3000), [0]),
        ((200, 3, 5), [1]),
        ((1000, 33), [1]),
        ((4, 33, 5, 40), [0, 2]),
    ]
    for shape, axes in cases:
        for keep_dims in (False, True):
            yield {
                "shapes": [shape],
                "attributes": {"axes": axes, "keep_dims": keep_dims},
                "ranges": [(0.1, 1)],
            }
