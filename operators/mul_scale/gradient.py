# The gradient of MulScale: d(s * x * y) = s * (dx * y + x * dy).
# SPDX-License-Identifier: Apache-2.0


def mul_scale_bprop(x, y, out, dout, *, scale):
    scaled = dout * scale
    return scaled * y, scaled * x
