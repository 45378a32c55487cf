// Keywords, global names and enumerations of the kernel language.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_KEYWORDS_H
#define BASCULE_ASCENDC_KEYWORDS_H

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "bascule/abi/kernel.h"
#include "bascule/numeric/bfloat16.h"
#include "bascule/numeric/half.h"
#include "bascule/numeric/int4.h"

// Two libraries built against different versions of these headers must not share a function or a
// variable. Our own helpers are hidden. The classes kernels use as members cannot be (the compiler
// would warn about every kernel class), so they live in a namespace that the installation names
// after what the headers hold (cmake/name_headers.cmake).
#define BASCULE_PRIVATE_BEGIN _Pragma("GCC visibility push(hidden)")
#define BASCULE_PRIVATE_END _Pragma("GCC visibility pop")
#define BASCULE_ASCENDC_BEGIN \
  namespace AscendC {         \
  inline namespace bascule_1 {
#define BASCULE_ASCENDC_END \
  }                         \
  }

#define __global__ __attribute__((visibility("default"), used))
#define __aicore__
#define __host__
// Which cores a kernel is for: all kernels run on vector cores here, and a cube call in one says
// so.
#define __vector__
#define __cube__
#define __mix__(cubes, vectors)
#define __schedmode__(mode)
#define __gm__
#define __ubuf__
#define __cbuf__
#define __ca__
#define __cb__
#define __cc__
#define __fbuf__
#ifndef __inline__
#define __inline__ inline
#endif

#define GM_ADDR __gm__ uint8_t*

// The architecture the sources see: Atlas A2.
#ifndef __NPU_ARCH__
#define __NPU_ARCH__ 2201
#endif
#ifndef __CCE_AICORE__
#define __CCE_AICORE__ 220
#endif

using half = bascule::half_t;
using TEventID = int8_t;
using bfloat16_t = bascule::bfloat16_t;

typedef enum {
  PIPE_S = BASCULE_PIPE_S,
  PIPE_V = BASCULE_PIPE_V,
  PIPE_M = BASCULE_PIPE_M,
  PIPE_MTE1 = BASCULE_PIPE_MTE1,
  PIPE_MTE2 = BASCULE_PIPE_MTE2,
  PIPE_MTE3 = BASCULE_PIPE_MTE3,
  PIPE_FIX = BASCULE_PIPE_FIX,
  PIPE_ALL = BASCULE_PIPE_ALL
} pipe_t;

typedef enum {
  EVENT_ID0 = 0,
  EVENT_ID1,
  EVENT_ID2,
  EVENT_ID3,
  EVENT_ID4,
  EVENT_ID5,
  EVENT_ID6,
  EVENT_ID7
} event_t;

namespace AscendC {

using int4b_t = bascule::int4b_t;

// Facts of the architecture: bytes of a datablock and of a repeat, datablocks of a repeat, sides of
// a fractal, and the most dimensions a ShapeInfo has.
constexpr int32_t ONE_BLK_SIZE = 32;
constexpr int32_t ONE_REPEAT_BYTE_SIZE = 256;
constexpr int32_t DEFAULT_BLK_NUM = 8;
constexpr int32_t DEFAULT_C0_SIZE = 32;
constexpr int32_t BLOCK_CUBE = 16;
constexpr uint32_t K_MAX_DIM = 8;

enum class TPosition : uint8_t {
  GM = BASCULE_POS_GM,
  A1 = BASCULE_POS_A1,
  A2 = BASCULE_POS_A2,
  B1 = BASCULE_POS_B1,
  B2 = BASCULE_POS_B2,
  C1 = BASCULE_POS_C1,
  C2 = BASCULE_POS_C2,
  CO1 = BASCULE_POS_CO1,
  CO2 = BASCULE_POS_CO2,
  VECIN = BASCULE_POS_VECIN,
  VECOUT = BASCULE_POS_VECOUT,
  VECCALC = BASCULE_POS_VECCALC,
  LCM = BASCULE_POS_VECCALC,
  SPM = BASCULE_POS_SPM,
  SHM = BASCULE_POS_SPM,
  TSCM = BASCULE_POS_TSCM,
  C2PIPE2GM = BASCULE_POS_C2PIPE2GM
};
using QuePosition = TPosition;

enum class HardEvent : uint8_t {
  MTE2_V,
  V_MTE2,
  V_MTE3,
  MTE3_V,
  MTE2_MTE3,
  MTE3_MTE2,
  MTE2_MTE1,
  MTE1_MTE2,
  MTE1_M,
  M_MTE1,
  M_FIX,
  FIX_M,
  M_V,
  V_M,
  V_S,
  S_V,
  MTE2_S,
  S_MTE2,
  MTE3_S,
  S_MTE3,
  V_V,
  MTE2_FIX,
  FIX_MTE2,
  FIX_S,
  M_S,
  S_M,
  MTE1_V,
  FIX_V,
  V_MTE1,
  MTE1_FIX,
  FIX_MTE1,
  MTE3_MTE1,
  MTE1_MTE3,
  FIX_MTE3,
  MTE2_M,
  M_MTE2,
  MTE1_S,
  S_MTE1,
  S_FIX,
  MAX
};
using TEventID = int8_t;

enum class Hardware : uint8_t {
  GM = BASCULE_GM,
  UB = BASCULE_UB,
  L1 = BASCULE_L1,
  L0A = BASCULE_L0A,
  L0B = BASCULE_L0B,
  L0C = BASCULE_L0C,
  BIAS = BASCULE_BT,
  FIXBUF = BASCULE_FB,
  MAX = BASCULE_MEMORY_COUNT
};

}  // namespace AscendC

#endif  // BASCULE_ASCENDC_KEYWORDS_H
