# What Matmul is compared with, and on what.
# SPDX-License-Identifier: Apache-2.0
import numpy as np


def matmul_reference(a, b, bias, *, transpose_a, transpose_b):
    if transpose_a and a.ndim > 1:
        a = np.swapaxes(a, -1, -2)
    if transpose_b and b.ndim > 1:
        b = np.swapaxes(b, -1, -2)
    out = np.matmul(a, b)
    return out if bias is None else out + (bias if b.ndim > 1 else bias[0])


def matmul_cases():
    # batches of a and of b, rows, terms, columns
    sizes = [
        ((2, 1), (3,), 4, 9, 5),
        ((), (), 15, 17, 31),
        ((), (), 1, 1, 1),
        ((), (), 3, 5, 7),
        ((), (), 16, 16, 16),
        ((), (), 33, 31, 17),
        ((), (), 1, 61, 40),
        ((), (), 40, 61, 1),
        ((), (), 129, 67, 259),
        ((), (), 0, 3, 5),
        ((), (), 3, 0, 5),
        ((), (), 3, 5, 0),
        ((4,), (4,), 5, 6, 7),
        ((2, 3), (2, 3), 9, 8, 1),
        ((5, 1, 2), (1, 3, 1), 3, 4, 2),
        ((3,), (), 17, 15, 13),
        ((), (3,), 1, 19, 5),
        ((0,), (0,), 3, 4, 5),
        ((0, 2), (), 3, 4, 5),
    ]
    for batch_a, batch_b, m, k, n in sizes:
        for transpose_a, transpose_b in (
            (False, False),
            (True, False),
            (False, True),
            (True, True),
        ):
            a = (*batch_a, *((k, m) if transpose_a else (m, k)))
            b = (*batch_b, *((n, k) if transpose_b else (k, n)))
            attributes = {"transpose_a": transpose_a, "transpose_b": transpose_b}
            bias = (n,) if (m + n + transpose_a) % 2 else None
            # Terms of one sign: where they cancel, the rounding of float is all that is left.
            yield {"shapes": [a, b, bias], "attributes": attributes, "ranges": [(0.1, 1)] * 3}
    for a, b in (
        ((5,), (5,)),
        ((5,), (5, 3)),
        ((4, 5), (5,)),
        ((5,), (2, 5, 3)),
        ((2, 4, 5), (5,)),
    ):
        yield {"shapes": [a, b, None], "ranges": [(0.1, 1)] * 3}


def _sum_to(x, shape):
    x = np.sum(x, axis=tuple(range(x.ndim - len(shape))))
    axes = tuple(i for i, n in enumerate(shape) if n == 1 and x.shape[i] != 1)
    return np.sum(x, axis=axes, keepdims=True)


def matmul_grad_reference(a, b, bias, dout, *, transpose_a, transpose_b):
    left = a[None, :] if a.ndim == 1 else np.swapaxes(a, -1, -2) if transpose_a else a
    right = b[:, None] if b.ndim == 1 else np.swapaxes(b, -1, -2) if transpose_b else b
    if np.shape(dout) != np.shape(
        matmul_reference(a, b, bias, transpose_a=transpose_a, transpose_b=transpose_b)
    ):
        raise ValueError("dout has another shape than the product")
    wide = dout[..., None] if b.ndim == 1 else dout
    wide = np.expand_dims(wide, -2) if a.ndim == 1 else wide
    da = _sum_to(np.matmul(wide, np.swapaxes(right, -1, -2)), left.shape)
    db = _sum_to(np.matmul(np.swapaxes(left, -1, -2), wide), right.shape)
    if transpose_a and a.ndim > 1:
        da = np.swapaxes(da, -1, -2)
    if transpose_b and b.ndim > 1:
        db = np.swapaxes(db, -1, -2)
    dbias = np.zeros(0) if bias is None else np.sum(wide, axis=tuple(range(wide.ndim - 1)))
    return da.reshape(a.shape), db.reshape(b.shape), dbias


def matmul_grad_cases():
    for case in matmul_cases():
        a, b, bias = case["shapes"]
        attributes = case.get("attributes", {"transpose_a": False, "transpose_b": False})
        none = np.zeros(bias) if bias else None
        dout = matmul_reference(np.zeros(a), np.zeros(b), none, **attributes).shape
        yield {**case, "shapes": [a, b, bias, dout], "ranges": [(0.1, 1)] * 4}
