// SPDX-License-Identifier: Apache-2.0
#include "isa/vector/lanes.h"

#include <algorithm>
#include <bit>

namespace bascule::isa {

LaneMask FirstLanes(uint64_t count) {
  LaneMask mask;
  for (uint64_t& word : mask.words) {
    const uint64_t lanes = std::min<uint64_t>(count, 64);
    word = lanes == 64 ? ~uint64_t{0} : (uint64_t{1} << lanes) - 1;
    count -= lanes;
  }
  return mask;
}

uint32_t LaneMask::End() const {
  for (uint32_t word = 4; word-- > 0;) {
    if (words[word] != 0) {
      return word * 64 + 64 - static_cast<uint32_t>(std::countl_zero(words[word]));
    }
  }
  return 0;
}

bool LaneMask::IsPrefix() const { return *this == FirstLanes(End()); }

Repeats::Repeats(const BasculeInstruction& in, uint32_t lanes) {
  if (in.form == BASCULE_FORM_COUNT || in.form == BASCULE_FORM_COUNTER) {
    const uint64_t total = in.form == BASCULE_FORM_COUNT ? in.count : in.mask[0];
    count_ = (total + lanes - 1) / lanes;
    all_but_last_ = FirstLanes(lanes);
    last_ = count_ == 0 ? LaneMask() : FirstLanes(total - (count_ - 1) * lanes);
    return;
  }
  count_ = in.count;
  if (in.form == BASCULE_FORM_MASK_COUNT) {
    all_but_last_ = FirstLanes(std::min<uint64_t>(in.mask[0], lanes));
  } else {
    all_but_last_.words[0] = in.mask[0];
    all_but_last_.words[1] = in.mask[1];
  }
  last_ = all_but_last_;
}

void RunLanes(const BasculeInstruction& in, FlatFunction flat) {
  RunLanes(in, flat, in.params.vector.scalar.bits);
}

void RunLanes(const BasculeInstruction& in, FlatFunction flat, uint64_t scalar) {
  const BasculeOperand& first_source = in.operand[in.operand_count > 1 ? 1 : 0];
  void* second = in.operand_count > 2 ? in.operand[2].address : nullptr;
  if (in.form == BASCULE_FORM_COUNT) {
    flat(in.operand[0].address, first_source.address, second, scalar, in.count);
    return;
  }
  const LaneWalker dst(in.operand[0]);
  const LaneWalker src0(first_source);
  const LaneWalker src1(in.operand_count > 2 ? in.operand[2] : first_source);
  // Runs of as many lanes as a datablock of the widest type holds are consecutive in every operand;
  // without gaps between datablocks, all lanes of a repeat are.
  const uint32_t widest = std::max({dst.element_bytes, src0.element_bytes, src1.element_bytes});
  const uint32_t run = BASCULE_DATABLOCK_BYTES / widest;
  const uint32_t lanes = BASCULE_REPEAT_BYTES / widest;
  const Repeats repeats(in, lanes);
  const bool dense = dst.Dense() && src0.Dense() && src1.Dense();
  for (uint64_t repeat = 0; repeat < repeats.count(); ++repeat) {
    const LaneMask& mask = repeats.Lanes(repeat);
    for (uint32_t lane = mask.Next(0, true); lane < lanes; lane = mask.Next(lane, true)) {
      const uint32_t limit = dense ? lanes : lane / run * run + run;
      const uint32_t end = std::min(limit, mask.Next(lane, false));
      flat(dst.At(repeat, lane), src0.At(repeat, lane),
           second != nullptr ? src1.At(repeat, lane) : nullptr, scalar, end - lane);
      lane = end;
    }
  }
}

namespace {

// Codes of 16 bits whose exponent is all ones; `infinity` has nothing else.
template <uint16_t infinity>
void SaturateCodes(void* dst, const void*, const void*, uint64_t, uint64_t count) {
  uint16_t* codes = static_cast<uint16_t*>(dst);
  for (uint64_t i = 0; i < count; ++i) {
    const uint16_t magnitude = codes[i] & 0x7fff;
    const uint16_t largest = static_cast<uint16_t>((codes[i] & 0x8000) | (infinity - 1));
    codes[i] = magnitude > infinity ? uint16_t{0} : magnitude == infinity ? largest : codes[i];
  }
}

}  // namespace

void SaturateResults(const BasculeInstruction& in) {
  if (in.operand[0].dtype == BASCULE_FLOAT16) RunLanes(in, SaturateCodes<0x7c00>);
  if (in.operand[0].dtype == BASCULE_BFLOAT16) RunLanes(in, SaturateCodes<0x7f80>);
}

void RunElementwise(const Row& row, const BasculeInstruction& in, const RunOptions& options) {
  const Body& body =
      *FindBody(row, in.operand[0].dtype, in.operand[row.operand_count > 1 ? 1 : 0].dtype);
  RunLanes(in, options.saturate && body.saturating != nullptr ? body.saturating : body.simd());
}

void RunElementwiseReference(const Row& row, const BasculeInstruction& in, const RunOptions&) {
  RunLanes(in, FindBody(row, in.operand[0].dtype, in.operand[row.operand_count > 1 ? 1 : 0].dtype)
                   ->reference);
}

}  // namespace bascule::isa
