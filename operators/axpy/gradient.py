# The gradient of Axpy: d(alpha * x + y) = alpha * dx + dy.
# SPDX-License-Identifier: Apache-2.0


def axpy_bprop(x, y, out, dout, *, alpha):
    return dout * alpha, dout
