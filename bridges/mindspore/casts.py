# SPDX-License-Identifier: Apache-2.0
"""bfloat16 to float32 and back in gradient functions: what GRAPH compiles, what PYNATIVE runs.

In PYNATIVE every cast of MindSpore's leaves the process some 700 bytes larger, so there the runtime
does it.
"""

from functools import cache
from typing import Any

import mindspore
from mindspore import Tensor, ops

import bascule


# GRAPH reads the source of these two; their conditions are constants then.
def wide(x):
    if x.dtype == mindspore.bfloat16:
        return ops.cast(x, mindspore.float32)
    return x


def narrow(got, x):
    if x.dtype == mindspore.bfloat16 and isinstance(got, Tensor):  # noqa: SIM102
        if got.dtype == mindspore.float32:
            return ops.cast(got, mindspore.bfloat16)
    return got


def wide_now(x: Tensor) -> Tensor:
    return _casts()[0](x) if x.dtype == mindspore.bfloat16 else x


def narrow_now(got: Any, x: Tensor) -> Any:
    if x.dtype != mindspore.bfloat16 or not isinstance(got, Tensor):
        return got
    return _casts()[1](got) if got.dtype == mindspore.float32 else got


@cache
def _casts() -> tuple[ops.Custom, ops.Custom]:
    """To float32, and to bfloat16; each is the other's gradient."""

    def widened_bprop(x, out, dout):
        return (narrowed(dout),)

    def narrowed_bprop(x, out, dout):
        return (widened(dout),)

    widened = _cast(mindspore.float32, widened_bprop)
    narrowed = _cast(mindspore.bfloat16, narrowed_bprop)
    return widened, narrowed


def _cast(dtype: Any, bprop: Any) -> ops.Custom:
    func = f"{bascule.prefix() / 'lib/libbascule.so'}:bascule_aot_cast"
    return ops.Custom(func, lambda x: x, lambda x: dtype, "aot", bprop)
