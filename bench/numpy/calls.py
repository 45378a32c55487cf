# SPDX-License-Identifier: Apache-2.0
"""What a call on NumPy arrays costs beyond the kernel."""

import time

import numpy as np
from measure import Row, library, repeated, take_turns

import bascule

SMALL = 4096


def rows():
    op = bascule.load(library("operators/my_mul")).my_mul
    x, y, out = (np.random.default_rng(i).random(SMALL, dtype=np.float32) for i in range(3))
    times = take_turns(
        {
            "kernel": repeated(lambda n: op.native.call((x, y), (out,), repeat=n)),
            "call": lambda: op(x, y),
            "numpy": lambda: np.multiply(x, y, out=out),
        },
        clock=time.thread_time,
    )
    us = 1e6
    beyond = times.beyond("call", "kernel") * us
    yield Row(f"numpy: call of {SMALL}, beyond the kernel", beyond, 5.0, "allowed", "us")
    yield Row(
        f"numpy: call of {SMALL}",
        times.median("call") * us,
        times.median("numpy") * us,
        "np.multiply into an allocated array",
        "us",
        target=None,
    )
