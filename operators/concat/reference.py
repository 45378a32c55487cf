# What Concat is compared with, and on what.
# SPDX-License-Identifier: Apache-2.0
import numpy


def concat_reference(x, *, axis):
    return numpy.concatenate(x, axis)


def concat_cases():
    # The one input is a list, so its shape is a list of shapes.
    for lists, axis in [
        ([(5,)], 0),
        ([(16,), (32,)], 0),
        ([(3, 5), (2, 5), (1, 5)], 0),
        ([(3, 5), (3, 1), (3, 17)], 1),
        ([(2, 3, 4), (2, 0, 4), (2, 6, 4)], -2),
        ([(0,), (0,)], 0),
        ([(7, 1)] * 40, 1),
        ([(40000,), (1,), (70001,)], 0),
        ([(200, 33), (200, 100)], 1),
    ]:
        yield {"shapes": [lists], "attributes": {"axis": axis}}
