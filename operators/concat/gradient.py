# The gradient of Concat: each tensor of the list gets its part of dout.
# SPDX-License-Identifier: Apache-2.0


def concat_bprop(x, out, dout, *, axis):
    gradients = []
    begin = 0
    for tensor in x:
        before = axis if axis >= 0 else axis + len(tensor.shape)
        end = begin + tensor.shape[before]
        gradients.append(dout[(slice(None),) * before + (slice(begin, end),)])
        begin = end
    return gradients
