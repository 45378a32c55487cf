# SPDX-License-Identifier: Apache-2.0
"""Element types by the names that manifests use."""

import numpy as np

from bascule.errors import Unsupported

__all__ = ["dtype_named"]


def dtype_named(name: str) -> np.dtype:
    """The NumPy dtype of a name in a manifest."""
    if name != "bfloat16":
        return np.dtype(name)
    try:
        import ml_dtypes
    except ImportError as error:
        raise Unsupported(
            f"bfloat16 arrays need ml_dtypes, which cannot be imported: {error}. Install it with "
            "`pip install ml_dtypes`."
        ) from error
    return np.dtype(ml_dtypes.bfloat16)
