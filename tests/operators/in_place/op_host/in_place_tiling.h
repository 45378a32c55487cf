// SPDX-License-Identifier: Apache-2.0
#ifndef IN_PLACE_TILING_H
#define IN_PLACE_TILING_H

#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(InPlaceTilingData)
TILING_DATA_FIELD_DEF(uint32_t, length);
TILING_DATA_FIELD_DEF(uint32_t, places);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(AddAt, InPlaceTilingData)
REGISTER_TILING_DATA_CLASS(AddAtRef, InPlaceTilingData)
}  // namespace optiling

#endif  // IN_PLACE_TILING_H
