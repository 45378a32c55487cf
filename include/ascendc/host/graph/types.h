// Element types and formats of tensors as host code names them. The numbers are those of
// bascule/abi/types.h.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_GRAPH_TYPES_H_
#define BASCULE_ASCENDC_GRAPH_TYPES_H_

#include "bascule/abi/types.h"
#include "graph/ge_error_codes.h"

namespace ge {

// Source: "DataType" page of the graph-engine interface documentation.
enum DataType {
  DT_FLOAT = 0,
  DT_FLOAT16 = 1,
  DT_INT8 = 2,
  DT_INT32 = 3,
  DT_UINT8 = 4,
  DT_INT16 = 6,
  DT_UINT16 = 7,
  DT_UINT32 = 8,
  DT_INT64 = 9,
  DT_UINT64 = 10,
  DT_DOUBLE = 11,
  DT_BOOL = 12,
  DT_STRING = 13,
  DT_COMPLEX64 = 16,
  DT_COMPLEX128 = 17,
  DT_BF16 = 27,
  DT_UNDEFINED = 28,
  DT_INT4 = 29,
  DT_UINT1 = 30,
  DT_INT2 = 31,
  DT_UINT2 = 32,
  DT_COMPLEX32 = 33
};

// Source: "Format" page of the same documentation.
enum Format {
  FORMAT_NCHW = 0,
  FORMAT_NHWC = 1,
  FORMAT_ND = 2,
  FORMAT_NC1HWC0 = 3,
  FORMAT_FRACTAL_Z = 4,
  FORMAT_NC1HWC0_C04 = 12,
  FORMAT_HWCN = 16,
  FORMAT_NDHWC = 27,
  FORMAT_FRACTAL_NZ = 29,
  FORMAT_NCDHW = 30,
  FORMAT_NDC1HWC0 = 32,
  FORMAT_FRACTAL_Z_3D = 33,
  FORMAT_NC = 35,
  FORMAT_NCL = 47
};

static_assert(static_cast<int>(DT_FLOAT) == BASCULE_FLOAT &&
                  static_cast<int>(DT_FLOAT16) == BASCULE_FLOAT16 &&
                  static_cast<int>(DT_INT64) == BASCULE_INT64 &&
                  static_cast<int>(DT_BOOL) == BASCULE_BOOL &&
                  static_cast<int>(DT_BF16) == BASCULE_BFLOAT16 &&
                  static_cast<int>(DT_INT4) == BASCULE_INT4,
              "one numbering of element types");
static_assert(static_cast<int>(FORMAT_ND) == BASCULE_FORMAT_ND &&
                  static_cast<int>(FORMAT_FRACTAL_NZ) == BASCULE_FORMAT_FRACTAL_NZ,
              "one numbering of formats");

}  // namespace ge

#endif  // BASCULE_ASCENDC_GRAPH_TYPES_H_
