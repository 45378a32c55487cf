// The tiling structures of the advanced library, under the names kernels use: plain structures that
// the host fills through the functions of tiling/tiling_api.h.
// SPDX-License-Identifier: Apache-2.0
#ifndef KERNEL_TILING_KERNEL_TILING_H
#define KERNEL_TILING_KERNEL_TILING_H

#include "bascule/abi/tiling.h"

#define BASCULE_TILING_STRUCT(name, fields) using AscendC::tiling::name;
BASCULE_TILING_STRUCTS(BASCULE_TILING_STRUCT)
#undef BASCULE_TILING_STRUCT

#endif  // KERNEL_TILING_KERNEL_TILING_H
