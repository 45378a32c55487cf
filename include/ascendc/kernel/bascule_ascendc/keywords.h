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

// A mark that tells a kernel from any other function of a library that is not loaded yet: the
// compiler lists its address in the section __patchable_function_entries, and puts one instruction
// that does nothing at its beginning. (A section for kernels of their own would do, but g++ allows
// no templates in a section that other functions are in.)
#define __global__ __attribute__((visibility("default"), used, patchable_function_entry(1, 0)))

// A note in every file that is compiled with these headers: the version of the border between
// kernels and runtime. One of equal notes stays in a library.
static_assert(BASCULE_KERNEL_ABI_VERSION == 1, "the name of the group and the descriptor below");
__asm__(".pushsection " BASCULE_NOTE_SECTION
        ", \"aG\", %note, bascule_headers_1, comdat\n"
        "  .balign 4\n"
        "  .long 8, 4, 2\n"  // lengths of owner and descriptor, BASCULE_NOTE_HEADERS
        "  .asciz \"" BASCULE_NOTE_OWNER
        "\"\n"
        "  .long 1\n"
        "  .popsection");
#define __aicore__
#define __host__
// Which cores a kernel is for. The function says so itself (BASCULE_KERNEL_MARK), so it is known of
// every kernel that has an address: of templates, of those behind pointers, of those loaded by
// name. Two that are otherwise equal must stay two. Source: "SIMD BuiltIn keywords" of the Ascend C
// guide.
#if defined(__clang__)
#define BASCULE_KERNEL_TYPE(type) \
  __attribute__((                 \
      patchable_function_entry(BASCULE_KERNEL_MARK * (type), BASCULE_KERNEL_MARK * (type))))
#else
#define BASCULE_KERNEL_TYPE(type)                                               \
  __attribute__((no_icf, patchable_function_entry(BASCULE_KERNEL_MARK * (type), \
                                                  BASCULE_KERNEL_MARK * (type))))
#endif
#define __vector__ BASCULE_KERNEL_TYPE(BASCULE_KERNEL_AIV_ONLY)
#define __cube__ BASCULE_KERNEL_TYPE(BASCULE_KERNEL_AIC_ONLY)
#define __mix__(cubes, vectors) \
  BASCULE_KERNEL_TYPE(sizeof(::bascule_ascendc::MixedKernel<cubes, vectors>))
// `__global__` of a kernel that has one of these; the driver writes it.
#define __kernel__ __attribute__((visibility("default"), used))
#define __schedmode__(mode)
#define __gm__
#define __tiling_data_ptr__
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

// Code that earlier sources keep apart by these is compiled once here, for both kinds of core: as
// for vector cores. Inside, `if ASCEND_IS_AIC` and `if ASCEND_IS_AIV` tell them apart.
#if !defined(__DAV_C220_CUBE__) && !defined(__DAV_C220_VEC__)
#define __DAV_C220_VEC__ 1
#endif

namespace bascule_ascendc {

// As large as the number of the kernel's type.
template <int cubes, int vectors>
struct MixedKernel {
  static_assert((cubes == 0 && vectors == 1) || (cubes == 1 && vectors >= 0 && vectors <= 2),
                "a mixed kernel is __mix__(0, 1), (1, 0), (1, 1) or (1, 2): cube cores and vector "
                "cores of a block");
  char type[cubes == 0 ? BASCULE_KERNEL_MIX_AIV_1_0 : BASCULE_KERNEL_MIX_AIC_1_0 + vectors];
};

}  // namespace bascule_ascendc

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

// Source: "设置Kernel类型" page; in its order.
enum KernelMetaType {
  KERNEL_TYPE_AIV_ONLY,
  KERNEL_TYPE_AIC_ONLY,
  KERNEL_TYPE_MIX_AIV_1_0,
  KERNEL_TYPE_MIX_AIC_1_0,
  KERNEL_TYPE_MIX_AIC_1_1,
  KERNEL_TYPE_MIX_AIC_1_2,
  KERNEL_TYPE_AICORE,
  KERNEL_TYPE_VECTORCORE,
  KERNEL_TYPE_MIX_AICORE,
  KERNEL_TYPE_MIX_VECTOR_CORE,
  KERNEL_TYPE_MAX
};

namespace AscendC {

using TTagType = int32_t;

constexpr int32_t AIC = 1;
constexpr int32_t AIV = 2;

using int4b_t = bascule::int4b_t;

// Facts of the architecture: bytes of a datablock and of a repeat, datablocks of a repeat and the
// strides of dense operands, repeats of an instruction, sides of a fractal, and the most dimensions
// a ShapeInfo has.
constexpr int32_t ONE_BLK_SIZE = 32;
constexpr int32_t ONE_REPEAT_BYTE_SIZE = 256;
constexpr int32_t DEFAULT_BLK_NUM = 8;
constexpr int32_t DEFAULT_BLK_STRIDE = 1;
constexpr uint8_t DEFAULT_REPEAT_STRIDE = 8;
constexpr int32_t MAX_REPEAT_TIMES = 255;
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
  C2PIPE2GM = BASCULE_POS_C2PIPE2GM,
  MAX = 0xff  // none
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
