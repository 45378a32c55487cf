# The gradient of ReduceSum: that of a sum goes to each of its terms.
# SPDX-License-Identifier: Apache-2.0
from bascule import xp


def reduce_sum_bprop(x, out, dout, *, axes, keep_dims):
    rank = len(x.shape)
    kept = []
    for axis in range(rank):
        is_reduced = len(axes) == 0 or axis in axes or axis - rank in axes
        kept.append(1 if is_reduced else x.shape[axis])
    return xp.broadcast_to(xp.reshape(dout, kept), x.shape)
