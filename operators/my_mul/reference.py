# What MyMul is compared with, and on what.
# SPDX-License-Identifier: Apache-2.0


def my_mul_reference(x, y):
    return x * y


def my_mul_cases():
    plain = [(), (1,), (7,), (16,), (17,), (3, 5), (0, 4), (2, 3, 5, 7), (513,), (100003,)]
    for shape in plain:
        yield {"shapes": [shape, shape]}
    broadcast = [
        ((5,), ()),
        ((3, 5), (5,)),
        ((3, 5), (3, 1)),
        ((7, 1), (1, 9)),
        ((2, 3, 4, 5), (3, 1, 5)),
        ((1, 4, 1, 6), (3, 1, 5, 1)),
        ((300, 1030), (1030,)),
        ((300, 1030), (300, 1)),
        ((5, 0, 3), (1, 3)),
        ((4, 9001), (4, 1)),
        ((9001, 3), (3,)),
    ]
    for x, y in broadcast:
        yield {"shapes": [x, y]}
        yield {"shapes": [y, x]}
