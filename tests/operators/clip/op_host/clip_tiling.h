// Tiling data as host classes, in several parts: the kernel never sees this file.
// SPDX-License-Identifier: Apache-2.0
#ifndef CLIP_TILING_H
#define CLIP_TILING_H
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(ClipRange)
TILING_DATA_FIELD_DEF(float, low);
TILING_DATA_FIELD_DEF(float, high);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(ClipRangeOp, ClipRange)

BEGIN_TILING_DATA_DEF(ClipTilingData)
TILING_DATA_FIELD_DEF(uint32_t, length);
TILING_DATA_FIELD_DEF_STRUCT(ClipRange, range);
TILING_DATA_FIELD_DEF_ARR(uint16_t, 3, tiles);
TILING_DATA_FIELD_DEF(uint64_t, check);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(Clip, ClipTilingData)

BEGIN_TILING_DATA_DEF(ClipWholeTilingData)
TILING_DATA_FIELD_DEF(uint32_t, length);
TILING_DATA_FIELD_DEF_STRUCT(ClipRange, range);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(Clip_2, ClipWholeTilingData)
}  // namespace optiling

#endif  // CLIP_TILING_H
