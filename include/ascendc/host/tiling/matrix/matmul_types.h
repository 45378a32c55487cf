// What the tiling of a matrix product is told, under the names host code uses.
//
// Source: the pages under "Matmul Tiling" of the Ascend C documentation. Element types have the
// numbers of ge::DataType, so that a cast between the two is right.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_TILING_MATRIX_MATMUL_TYPES_H_
#define BASCULE_ASCENDC_TILING_MATRIX_MATMUL_TYPES_H_

#include <cstdint>

#include "graph/types.h"
#include "tiling/platform/platform_ascendc.h"

namespace matmul_tiling {

// Where a matrix lies. One name for each of the kernel's positions, in their order.
enum class TPosition : int32_t {
  GM = 0,
  A1,
  A2,
  B1,
  B2,
  C1,
  C2,
  CO1,
  CO2,
  VECIN,
  VECOUT,
  VECCALC,
  LCM = VECCALC,
  SPM,
  SHM = SPM,
  TSCM,
  C2PIPE2GM,
  MAX
};

// How its elements lie there.
enum class CubeFormat : int32_t { ND = 0, NZ, ZN, ZZ, NN, ND_ALIGN, SCALAR, VECTOR, COLUMN_MAJOR };

enum class DataType : int32_t {
  DT_FLOAT = ge::DT_FLOAT,
  DT_FLOAT16 = ge::DT_FLOAT16,
  DT_INT8 = ge::DT_INT8,
  DT_INT32 = ge::DT_INT32,
  DT_UINT8 = ge::DT_UINT8,
  DT_INT16 = ge::DT_INT16,
  DT_UINT16 = ge::DT_UINT16,
  DT_UINT32 = ge::DT_UINT32,
  DT_INT64 = ge::DT_INT64,
  DT_UINT64 = ge::DT_UINT64,
  DT_DOUBLE = ge::DT_DOUBLE,
  DT_BF16 = ge::DT_BF16,
  DT_BFLOAT16 = ge::DT_BF16,
  DT_UNDEFINED = ge::DT_UNDEFINED,
  DT_INT4 = ge::DT_INT4,
  // Other chips have these; GetTiling says so.
  DT_HIFLOAT8 = 34,
  DT_FLOAT8_E5M2 = 35,
  DT_FLOAT8_E4M3FN = 36,
  DT_FLOAT8_E8M0 = 37,
  DT_FLOAT4_E2M1 = 40,
  DT_FLOAT4_E1M2 = 41
};

// Which block of C follows: the one below it first, or the one to its right.
enum class MatrixTraverse : int32_t { NOSET = 0, FIRSTM = 1, FIRSTN = 2 };
enum class MatrixMadType : int32_t { NORMAL = 0, HF32 = 1, MXMODE = 2 };
enum class DequantType { SCALAR = 0, TENSOR = 1 };
enum class ScheduleType { INNER_PRODUCT = 0, OUTER_PRODUCT = 1, N_BUFFER_33 = 2 };

// As the kernel's MatmulConfig says. mmConfigType: 0 is Norm, 1 is MDL.
struct MatmulConfigParams {
  int32_t mmConfigType;
  bool enableL1CacheUB;
  ScheduleType scheduleType;
  MatrixTraverse traverse;
  bool enVecND2NZ;
  BASCULE_HIDDEN MatmulConfigParams(int32_t mmConfigTypeIn = 1, bool enableL1CacheUBIn = false,
                                    ScheduleType scheduleTypeIn = ScheduleType::INNER_PRODUCT,
                                    MatrixTraverse traverseIn = MatrixTraverse::NOSET,
                                    bool enVecND2NZIn = false)
      : mmConfigType(mmConfigTypeIn),
        enableL1CacheUB(enableL1CacheUBIn),
        scheduleType(scheduleTypeIn),
        traverse(traverseIn),
        enVecND2NZ(enVecND2NZIn) {}
};

// The memories of a core in bytes, for planning without a PlatformAscendC.
struct PlatformInfo {
  platform_ascendc::SocVersion socVersion;
  uint64_t l1Size = 0;
  uint64_t l0CSize = 0;
  uint64_t ubSize = 0;
  uint64_t l0ASize = 0;
  uint64_t l0BSize = 0;
};

// The bytes a tiling makes use of.
struct SysTilingTempBufSize {
  int32_t ubSize = 0;
  int32_t l1Size = 0;
  int32_t l0cSize = 0;
};

}  // namespace matmul_tiling

#endif  // BASCULE_ASCENDC_TILING_MATRIX_MATMUL_TYPES_H_
