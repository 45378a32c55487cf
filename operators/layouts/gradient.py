# The gradient of a layout is the way back, without what is there only to fill blocks.
# SPDX-License-Identifier: Apache-2.0
from bascule import xp


def _planes(x):
    n, c1, h, w, c0 = x.shape
    return xp.reshape(xp.transpose(x, [0, 1, 4, 2, 3]), (n, c1 * c0, h, w))


def _rows(x):
    *batch, n1, m1, m0, n0 = x.shape
    rank = len(batch)
    order = [*range(rank), rank + 1, rank + 2, rank, rank + 3]
    return xp.reshape(xp.transpose(x, order), (*batch, m1 * m0, n1 * n0))


def nchw_to_nc1hwc0_bprop(x, out, dout):
    return _planes(dout)[:, : x.shape[1]]


def nc1hwc0_to_nchw_bprop(x, out, dout, *, channels):
    n, c1, h, w, c0 = x.shape
    filled = xp.concat([dout, xp.zeros_like(_planes(x)[:, channels:])], 1)
    return xp.transpose(xp.reshape(filled, (n, c1, c0, h, w)), [0, 1, 3, 4, 2])


def nd_to_nz_bprop(x, out, dout):
    return _rows(dout)[..., : x.shape[-2], : x.shape[-1]]


def nz_to_nd_bprop(x, out, dout, *, rows, columns):
    *batch, n1, m1, m0, n0 = x.shape
    rank = len(batch)
    zeros = xp.zeros_like(_rows(x))
    filled = xp.concat([dout, zeros[..., :rows, columns:]], rank + 1)
    filled = xp.concat([filled, zeros[..., rows:, :]], rank)
    filled = xp.reshape(filled, (*batch, m1, m0, n1, n0))
    return xp.transpose(filled, [*range(rank), rank + 2, rank, rank + 1, rank + 3])
