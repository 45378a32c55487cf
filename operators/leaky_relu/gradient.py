# The gradient of LeakyRelu: 1 where x is above 0, the slope elsewhere, also at 0.
# SPDX-License-Identifier: Apache-2.0
from bascule import xp


def leaky_relu_bprop(x, out, dout, *, negative_slope):
    return xp.where(x > 0, dout, dout * negative_slope)
