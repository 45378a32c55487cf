# SPDX-License-Identifier: Apache-2.0


def dots_reference(x, y, bias):
    return sum(a * b for a, b in zip(x, y)) + (0 if bias is None else bias)


def dots_cases():
    for shape, terms in (((3, 5), 1), ((17,), 3), ((513,), 2), ((4,), 40)):
        for bias in (shape, None):
            yield {"shapes": [[shape] * terms, [shape] * terms, bias]}
