// Vector arithmetic. One line per instruction; what it computes is its row in the runtime.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_VECTOR_H
#define BASCULE_ASCENDC_VECTOR_H

#include "bascule_ascendc/tensor.h"

BASCULE_PRIVATE_BEGIN
namespace bascule_ascendc {

template <typename T, typename... Allowed>
constexpr bool IsOneOf = (std::is_same_v<T, Allowed> || ...);

template <typename T>
void BinaryCount(uint16_t opcode, const AscendC::LocalTensor<T>& dst,
                 const AscendC::LocalTensor<T>& src0, const AscendC::LocalTensor<T>& src1,
                 int32_t count, const Site& site) {
  if (count < 0) Fail("the count of a vector instruction is negative", site);
  BasculeInstruction in;
  in.opcode = opcode;
  in.form = BASCULE_FORM_COUNT;
  in.operand_count = 3;
  in.count = static_cast<uint32_t>(count);
  in.mask[0] = in.mask[1] = 0;
  in.operand[0] = Operand(dst);
  in.operand[1] = Operand(src0);
  in.operand[2] = Operand(src1);
  in.params.vector = BasculeVectorParams{};
  in.site = site;
  BasculeCore* core = dst.Core();
  core->api->execute(core, &in);
}

}  // namespace bascule_ascendc
BASCULE_PRIVATE_END

BASCULE_ASCENDC_BEGIN

#define BASCULE_BINARY(name, ...)                                                              \
  template <typename T>                                                                        \
  __aicore__ inline void name(const LocalTensor<T>& dst, const LocalTensor<T>& src0,           \
                              const LocalTensor<T>& src1, const int32_t& count,                \
                              bascule_ascendc::Site site = {}) {                               \
    static_assert(bascule_ascendc::IsOneOf<T, __VA_ARGS__>,                                    \
                  #name ": this element type is not supported; supported: " #__VA_ARGS__);     \
    bascule_ascendc::BinaryCount(BASCULE_OPCODE_k##name, dst, src0, src1, count, site);        \
  }

BASCULE_BINARY(Mul, half, float)

#undef BASCULE_BINARY

BASCULE_ASCENDC_END

#endif  // BASCULE_ASCENDC_VECTOR_H
