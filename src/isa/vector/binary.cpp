// SPDX-License-Identifier: Apache-2.0
#include "isa/vector/binary.h"

#include "bascule/numeric/half.h"
#include "isa/vector/lanes.h"

namespace bascule::isa {
namespace {

uint8_t PipeV(const BasculeInstruction&) { return BASCULE_PIPE_V; }

template <typename T>
void ReferenceMul(void* dst, const void* src0, const void* src1, uint64_t count) {
  for (uint64_t i = 0; i < count; ++i) {
    static_cast<T*>(dst)[i] = static_cast<const T*>(src0)[i] * static_cast<const T*>(src1)[i];
  }
}

constexpr Body kMulBodies[] = {
    {BASCULE_FLOAT, ReferenceMul<float>, SimdMulFloat},
    {BASCULE_FLOAT16, ReferenceMul<half_t>, SimdMulHalf},
};

void RunSimd(const Row& row, const BasculeInstruction& in, const RunOptions&) {
  RunBinaryLanes(in, FindBody(row, in.operand[0].dtype)->simd());
}

void RunReference(const Row& row, const BasculeInstruction& in, const RunOptions&) {
  RunBinaryLanes(in, FindBody(row, in.operand[0].dtype)->reference);
}

constexpr uint8_t kVectorForms =
    1 << BASCULE_FORM_COUNT | 1 << BASCULE_FORM_MASK_COUNT | 1 << BASCULE_FORM_MASK_BITS;

}  // namespace

constexpr Row kMulRow = {
    .opcode = BASCULE_OPCODE_kMul,
    .name = "Mul",
    .pipe = PipeV,
    .operand_count = 3,
    .roles = {Role::kWrite, Role::kRead, Role::kRead, Role::kNone},
    .bodies = kMulBodies,
    .body_count = 2,
    .forms = kVectorForms,
    .fused = false,
    .ulp = 0,
    .document = "SIMD-API/基础API/Memory矢量计算/基础算术/Mul.md",
    .run = RunSimd,
    .run_reference = RunReference,
};

}  // namespace bascule::isa
