# What Axpy is compared with, and on what.
# SPDX-License-Identifier: Apache-2.0


def axpy_reference(x, y, *, alpha):
    return alpha * x + y


def axpy_cases():
    # Both terms have one sign: where they cancel, the rounding of float is all that is left.
    ranges = [(0.1, 4), (0.1, 4)]
    for shape in [(), (1,), (7,), (16,), (17,), (3, 5), (0, 4), (2, 3, 5, 7), (513,), (100003,)]:
        yield {"shapes": [shape, shape], "attributes": {"alpha": 0.3}, "ranges": ranges}
    yield {"shapes": [(33,), (33,)], "ranges": ranges}
    yield {
        "shapes": [(33,), (33,)],
        "attributes": {"alpha": -2.5},
        "ranges": [(0.1, 4), (-4, -0.1)],
    }
    yield {"shapes": [(33,), (33,)], "attributes": {"alpha": 0.0}}
