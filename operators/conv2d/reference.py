# What Conv2d is compared with, and on what.
# SPDX-License-Identifier: Apache-2.0
import numpy as np


def _pair(values):
    return (values[0], values[-1])


def _taps(x, weight, stride, padding, dilation):
    """For each point of the window: where it is in a filter, and which part of padded x it sees."""
    (sh, sw), (ph, pw), (dh, dw) = _pair(stride), _pair(padding), _pair(dilation)
    kh, kw = weight.shape[2:]
    oh = (x.shape[2] + 2 * ph - (kh - 1) * dh - 1) // sh + 1
    ow = (x.shape[3] + 2 * pw - (kw - 1) * dw - 1) // sw + 1
    if oh < 1 or ow < 1:
        raise ValueError("the window is larger than x")
    for i in range(kh):
        for j in range(kw):
            rows = slice(i * dh, i * dh + (oh - 1) * sh + 1, sh)
            columns = slice(j * dw, j * dw + (ow - 1) * sw + 1, sw)
            yield i, j, rows, columns


def _padded(x, padding):
    ph, pw = _pair(padding)
    return np.pad(x, ((0, 0), (0, 0), (ph, ph), (pw, pw)))


def _grouped(weight, groups):
    return weight.reshape(groups, weight.shape[0] // groups, *weight.shape[1:])


def conv2d_reference(x, weight, bias, *, stride, padding, dilation, groups):
    wide, n = _padded(x, padding), x.shape[0]
    filters = _grouped(weight, groups)
    out = 0.0
    for i, j, rows, columns in _taps(x, weight, stride, padding, dilation):
        seen = wide[:, :, rows, columns]
        seen = seen.reshape(n, groups, weight.shape[1], *seen.shape[2:])
        part = np.einsum("ngchw,goc->ngohw", seen, filters[..., i, j])
        out = out + part.reshape(n, weight.shape[0], *part.shape[3:])
    return out if bias is None else out + bias[:, None, None]


def conv2d_grad_reference(x, weight, bias, dout, *, stride, padding, dilation, groups):
    given = {"stride": stride, "padding": padding, "dilation": dilation, "groups": groups}
    if dout.shape != conv2d_reference(x, weight, bias, **given).shape:
        raise ValueError("dout has another shape than the convolution")
    wide, n = _padded(x, padding), x.shape[0]
    filters = _grouped(weight, groups)
    dwide, dfilters = np.zeros_like(wide), np.zeros_like(filters)
    grouped = dout.reshape(n, groups, filters.shape[1], *dout.shape[2:])
    for i, j, rows, columns in _taps(x, weight, stride, padding, dilation):
        seen = wide[:, :, rows, columns]
        shape = (n, groups, weight.shape[1], *seen.shape[2:])
        dfilters[..., i, j] = np.einsum("ngohw,ngchw->goc", grouped, seen.reshape(shape))
        part = np.einsum("ngohw,goc->ngchw", grouped, filters[..., i, j])
        dwide[:, :, rows, columns] += part.reshape(seen.shape)
        if tuple(stride) == (1, 1):
            # A convolution of dout, whose zeros beside it are terms as well: NaN where a filter
            # is infinite or NaN.
            beside = np.ones(dwide.shape[2:], bool)
            beside[rows, columns] = False
            dwide[:, :, beside] += (0 * filters[..., i, j]).sum(axis=1).reshape(-1, 1)
    ph, pw = _pair(padding)
    dx = dwide[:, :, ph : ph + x.shape[2], pw : pw + x.shape[3]]
    dbias = np.zeros(0) if bias is None else np.sum(dout, axis=(0, 2, 3))
    return dx, dfilters.reshape(weight.shape), dbias


def _limit(terms):
    """Sums are float32, one term after the other, and every step rounds: errors add up as a random
    walk does, or faster where values repeat."""
    return {"ulp": {"float32": max(32.0, 2 * terms**0.5)}} if terms > 64 else {}


def conv2d_cases():
    # images, channels, height, width, filters, their height and width, stride, padding, dilation,
    # groups
    sizes = [
        (2, 17, 9, 7, 5, 3, 3, 1, 1, 1, 1),
        (2, 6, 5, 7, 9, 1, 1, 1, 0, 1, 3),
        (1, 3, 13, 11, 4, 3, 2, (2, 1), (1, 2), (2, 1), 1),
        (1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1),
        (3, 5, 1, 31, 2, 1, 1, 1, 0, 1, 1),
        (2, 3, 8, 8, 4, 2, 2, 2, 0, 1, 1),
        (1, 16, 6, 6, 16, 3, 3, 1, 1, 1, 16),
        (1, 4, 15, 17, 6, 5, 3, 3, 2, 1, 2),
        (1, 2, 4, 4, 3, 1, 1, 3, 4, 1, 1),
        (1, 2, 3, 3, 3, 2, 2, 1, 5, 3, 1),
        (1, 33, 7, 7, 17, 3, 3, 1, 1, 1, 1),
        (2, 8, 5, 261, 3, 3, 3, 1, 1, 1, 1),
        (1, 2, 67, 3, 3, 3, 3, 2, 1, 1, 1),
        (1, 3, 29, 31, 7, 7, 7, 2, 3, 1, 1),
        (0, 3, 5, 5, 4, 3, 3, 1, 1, 1, 1),
        (0, 3, 5, 5, 4, 1, 1, 1, 0, 1, 1),
        (1, 7, 5, 5, 300, 3, 3, 1, 0, 1, 1),
        (1, 1, 7, 7, 1, 3, 3, 1, 1, 1, 1),
        (3, 2, 5, 5, 2, 2, 3, 1, 0, 1, 2),
        (1, 31, 4, 3, 5, 1, 1, 1, 0, 1, 1),
        (41, 1, 2, 2, 1, 2, 2, 1, 0, 1, 1),
        (1, 15, 3, 16, 16, 1, 3, 1, 0, 1, 1),
        (1, 17, 3, 17, 15, 3, 1, (1, 2), (1, 0), 1, 1),
        (2, 4, 6, 5, 8, 3, 3, 2, (0, 2), (1, 2), 4),
        (1, 8, 1, 65, 8, 1, 5, (1, 3), (0, 2), 1, 2),
        (5, 3, 3, 3, 1, 3, 3, 1, 0, 1, 1),
        (1, 16, 8, 8, 16, 3, 3, 1, 1, 1, 1),
        (1, 2, 11, 13, 2, 2, 2, (3, 1), 0, (4, 5), 1),
        (2, 5, 9, 10, 4, 3, 2, 1, (2, 1), (2, 1), 1),
        (1, 90, 8, 8, 3, 7, 7, 1, 3, 1, 1),
    ]
    for n, c, h, w, o, kh, kw, stride, padding, dilation, groups in sizes:
        attributes = {
            "stride": list(stride) if isinstance(stride, tuple) else [stride, stride],
            "padding": list(padding) if isinstance(padding, tuple) else [padding, padding],
            "dilation": list(dilation) if isinstance(dilation, tuple) else [dilation, dilation],
            "groups": groups,
        }
        for bias in ((o,), None):
            yield {
                "shapes": [(n, c, h, w), (o, c // groups, kh, kw), bias],
                "attributes": attributes,
                # Terms of one sign: where they cancel, float's rounding is all that is left.
                "ranges": [(0.1, 1)] * 3,
                **_limit(c // groups * kh * kw),
            }


def conv2d_grad_cases():
    for case in conv2d_cases():
        x, weight, bias = case["shapes"]
        zeros = [np.zeros(x), np.zeros(weight), np.zeros(bias) if bias else None]
        dout = conv2d_reference(*zeros, **case["attributes"]).shape
        # An element of dweight is a sum over images and places, one of dx over filters and taps.
        terms = max(dout[0] * dout[2] * dout[3], weight[0] * weight[2] * weight[3])
        yield {
            **case,
            "shapes": [x, weight, bias, dout],
            "ranges": [(0.1, 1)] * 4,
            **_limit(terms),
        }
