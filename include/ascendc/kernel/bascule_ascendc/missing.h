// Calls that are known and not there yet. Using one is an error of the compiler with a sentence,
// not a name that nobody has heard of. docs/coverage.md shows the same list; a name leaves it in
// the commit that brings the call. SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_MISSING_H
#define BASCULE_ASCENDC_MISSING_H

#include "bascule_ascendc/core.h"

#define BASCULE_REASON_CUBE "this part of the cube unit comes later"
#define BASCULE_REASON_OTHER "Atlas A2 does not have it; other chips do"
#define BASCULE_REASON_RAW "nothing public says how it is called; use the AscendC call"
#define BASCULE_REASON_LIBRARY "this part of the advanced library comes later"

BASCULE_PRIVATE_BEGIN
namespace bascule_ascendc {
template <auto...>
struct NeverOf : std::false_type {};
template <typename...>
struct NeverFor : std::false_type {};
}  // namespace bascule_ascendc
BASCULE_PRIVATE_END

#define BASCULE_MISSING_SENTENCE(name, reason) \
#name " is not there yet: " BASCULE_REASON_##reason ". docs/coverage.md lists what is there."

// However it is called: with types, with values, with both in front of the arguments.
#define BASCULE_MISSING(name, reason)                                                              \
  template <typename... Types, typename... Arguments>                                              \
  inline void name(Arguments&&...) {                                                               \
    static_assert(bascule_ascendc::NeverFor<Arguments...>::value,                                  \
                  BASCULE_MISSING_SENTENCE(name, reason));                                         \
  }                                                                                                \
  template <auto value, auto... values, typename... Arguments>                                     \
  inline void name(Arguments&&...) {                                                               \
    static_assert(bascule_ascendc::NeverOf<value>::value, BASCULE_MISSING_SENTENCE(name, reason)); \
  }                                                                                                \
  template <typename Type, auto value, auto... values, typename... Arguments>                      \
  inline void name(Arguments&&...) {                                                               \
    static_assert(bascule_ascendc::NeverOf<value>::value, BASCULE_MISSING_SENTENCE(name, reason)); \
  }                                                                                                \
  template <typename Type, typename Second, auto value, auto... values, typename... Arguments>     \
  inline void name(Arguments&&...) {                                                               \
    static_assert(bascule_ascendc::NeverOf<value>::value, BASCULE_MISSING_SENTENCE(name, reason)); \
  }

BASCULE_ASCENDC_BEGIN
// clang-format off
BASCULE_MISSING(LoadImageToLocal, CUBE)
BASCULE_MISSING(CheckLocalMemoryIA, CUBE)

BASCULE_MISSING(BroadCastVecToMM, OTHER)
BASCULE_MISSING(SetFixPipeClipRelu, OTHER)
BASCULE_MISSING(SetFixPipeAddr, OTHER)
BASCULE_MISSING(SetLoadDataRepeatWithStride, OTHER)
BASCULE_MISSING(LoadDataWithStride, OTHER)
BASCULE_MISSING(Interleave, OTHER)
BASCULE_MISSING(DeInterleave, OTHER)
BASCULE_MISSING(Scatter, OTHER)
BASCULE_MISSING(ProposalConcat, OTHER)
BASCULE_MISSING(ProposalExtract, OTHER)
BASCULE_MISSING(RpSort16, OTHER)
BASCULE_MISSING(MrgSort4, OTHER)
BASCULE_MISSING(SetLoopModePara, OTHER)
BASCULE_MISSING(ResetLoopModePara, OTHER)
BASCULE_MISSING(ResetCtrlSpr, OTHER)
BASCULE_MISSING(Quantize, OTHER)
BASCULE_MISSING(Dequantize, OTHER)
BASCULE_MISSING(AntiQuantize, OTHER)
BASCULE_MISSING(PhiloxRandom, OTHER)
BASCULE_MISSING(SinCos, OTHER)
BASCULE_MISSING(Rint, OTHER)
BASCULE_MISSING(IsFinite, OTHER)
BASCULE_MISSING(BitwiseAnd, OTHER)
BASCULE_MISSING(BitwiseOr, OTHER)
BASCULE_MISSING(BitwiseXor, OTHER)
BASCULE_MISSING(BitwiseNot, OTHER)
BASCULE_MISSING(LogicalAnd, OTHER)
BASCULE_MISSING(LogicalAnds, OTHER)
BASCULE_MISSING(LogicalOr, OTHER)
BASCULE_MISSING(LogicalOrs, OTHER)
BASCULE_MISSING(LogicalXor, OTHER)
BASCULE_MISSING(LogicalNot, OTHER)
// clang-format on
BASCULE_ASCENDC_END

// Lower-level names.
// clang-format off
BASCULE_MISSING(load_cbuf_to_ca, CUBE)
BASCULE_MISSING(load_cbuf_to_cb, CUBE)
BASCULE_MISSING(load_gm_to_cbuf, CUBE)
BASCULE_MISSING(copy_gm_to_cbuf, CUBE)
BASCULE_MISSING(copy_matrix_cc_to_gm, CUBE)

BASCULE_MISSING(vbitsort, RAW)
BASCULE_MISSING(vmrgsort4, RAW)
BASCULE_MISSING(vnchwconv, RAW)
BASCULE_MISSING(scatter_vnchwconv_b8, RAW)
BASCULE_MISSING(scatter_vnchwconv_b16, RAW)
BASCULE_MISSING(scatter_vnchwconv_b32, RAW)
// clang-format on

#endif  // BASCULE_ASCENDC_MISSING_H
