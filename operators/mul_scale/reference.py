# What MulScale is compared with, and on what.
# SPDX-License-Identifier: Apache-2.0


def mul_scale_reference(x, y, *, scale):
    return x * y * scale


def mul_scale_cases():
    for shape in [(), (1,), (7,), (16,), (17,), (3, 5), (0, 4), (2, 3, 5, 7), (513,), (100003,)]:
        yield {"shapes": [shape, shape], "attributes": {"scale": 0.3}}
    yield {"shapes": [(33,), (33,)]}
    yield {"shapes": [(33,), (33,)], "attributes": {"scale": -2.5}}
    yield {"shapes": [(33,), (33,)], "attributes": {"scale": 0.0}}
