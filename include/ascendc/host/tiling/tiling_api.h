// Planning for the functions of the advanced library: how much temporary space they take, and the
// tiling structures they read. One header a family.
// SPDX-License-Identifier: Apache-2.0
#ifndef TILING_API_H
#define TILING_API_H

#include <algorithm>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "register/tilingdata_base.h"
#include "securec.h"
#include "tiling/activation/activation_tiling.h"
#include "tiling/filter/filter_tiling.h"
#include "tiling/math/math_tiling.h"
#include "tiling/matrix/matmul_tiling.h"
#include "tiling/normalization/normalization_tiling.h"
#include "tiling/platform/platform_ascendc.h"
#include "tiling/quantization/quantization_tiling.h"
#include "tiling/reduce/reduce_tiling.h"
#include "tiling/softmax/softmax_tiling.h"
#include "tiling/sort/sort_tiling.h"
#include "tiling/transform/transform_tiling.h"

#endif  // TILING_API_H
