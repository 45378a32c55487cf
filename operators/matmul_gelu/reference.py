# What MatmulGelu is compared with, and on what.
# SPDX-License-Identifier: Apache-2.0
import math

import numpy as np

_erfc = np.vectorize(math.erfc, otypes=[np.float64])


def matmul_gelu_reference(a, b, bias, *, transpose_a, transpose_b, approximate):
    if transpose_a and a.ndim > 1:
        a = np.swapaxes(a, -1, -2)
    if transpose_b and b.ndim > 1:
        b = np.swapaxes(b, -1, -2)
    z = np.matmul(a, b)
    if bias is not None:
        z = z + (bias if b.ndim > 1 else bias[0])
    if approximate == "tanh":
        return z / (1 + np.exp(-2 * math.sqrt(2 / math.pi) * (z + 0.044715 * z**3)))
    return z * _erfc(-z / math.sqrt(2)) / 2


def matmul_gelu_cases():
    # batches of a and of b, rows, terms, columns
    sizes = [
        ((2, 1), (3,), 4, 9, 5),
        ((), (), 15, 17, 31),
        ((), (), 1, 1, 1),
        ((), (), 33, 31, 17),
        ((), (), 1, 61, 40),
        ((), (), 40, 61, 1),
        ((), (), 67, 31, 259),
        ((), (), 0, 3, 5),
        ((), (), 3, 0, 5),
        ((), (), 3, 5, 0),
        ((3,), (), 17, 15, 13),
        ((), (3,), 1, 19, 5),
        ((0,), (), 3, 4, 5),
    ]
    for batch_a, batch_b, m, k, n in sizes:
        for turned_a, turned_b in ((False, False), (True, False), (False, True), (True, True)):
            for approximate in ("none", "tanh"):
                yield {
                    "shapes": [
                        (*batch_a, *((k, m) if turned_a else (m, k))),
                        (*batch_b, *((n, k) if turned_b else (k, n))),
                        (n,) if (m + n + turned_a) % 2 else None,
                    ],
                    "attributes": {
                        "transpose_a": turned_a,
                        "transpose_b": turned_b,
                        "approximate": approximate,
                    },
                    # Sums of one sign, and no larger than gelu bends.
                    "ranges": [(0.1, 0.5), (0.01, 0.1), (0.1, 1)],
                    # erfc of many elements, a hundred times over, is slow.
                    "gradient": m * n < 10000 or not (turned_a or turned_b),
                }
    for a, b in (((5,), (5,)), ((5,), (5, 3)), ((4, 5), (5,))):
        yield {"shapes": [a, b, None], "ranges": [(0.1, 1)] * 3}
