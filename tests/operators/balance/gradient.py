# SPDX-License-Identifier: Apache-2.0


def balance_bprop(base, gains, fee, losses, out, dout):
    more = [dout for _ in gains]
    less = [-dout for _ in losses]
    return dout, more, None if fee is None else -dout, less
