// The tiling of matrix products, by the name its page has.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_LIB_MATMUL_BMM_TILING_H_
#define BASCULE_ASCENDC_LIB_MATMUL_BMM_TILING_H_

#include "tiling/matrix/matmul_tiling.h"

#endif  // BASCULE_ASCENDC_LIB_MATMUL_BMM_TILING_H_
