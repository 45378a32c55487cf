# SPDX-License-Identifier: Apache-2.0
"""Between torch tensors and NumPy arrays, without a copy where both can see the memory."""

import numpy as np
import torch

from bascule.errors import InvalidArgument, Unsupported


def to_array(tensor: torch.Tensor) -> np.ndarray:
    """Shares memory with the tensor; bfloat16 comes as ml_dtypes has it."""
    if tensor.device.type != "cpu":
        raise InvalidArgument(
            f"a tensor is on {tensor.device}; a Python function of NumPy arrays needs it on the "
            "CPU."
        )
    tensor = tensor.detach().resolve_conj().resolve_neg()
    if tensor.dtype is not torch.bfloat16:
        return tensor.numpy()
    return tensor.view(torch.int16).numpy().view(_bfloat16())


def from_array(array: np.ndarray) -> torch.Tensor:
    """Shares memory with the array, which is dense and nobody else's."""
    if array.dtype.name == "bfloat16":
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(array)


def _bfloat16() -> np.dtype:
    try:
        import ml_dtypes
    except ImportError as error:
        raise Unsupported(
            "NumPy has no bfloat16 of its own: `pip install ml_dtypes` gives it one."
        ) from error
    return np.dtype(ml_dtypes.bfloat16)
