// SPDX-License-Identifier: Apache-2.0
#include "isa/vector/lanes.h"

#include <algorithm>

namespace bascule::isa {
namespace {

// Lanes as 256 bits, so that one-byte types fit.
struct LaneMask {
  uint64_t words[4] = {0, 0, 0, 0};

  uint64_t Bits(uint32_t first, uint32_t count) const {  // count <= 32, never across two words
    return (words[first / 64] >> (first % 64)) & ((uint64_t{1} << count) - 1);
  }
};

LaneMask FirstLanes(uint64_t count) {
  LaneMask mask;
  for (uint64_t lane = 0; lane < count; ++lane) mask.words[lane / 64] |= uint64_t{1} << (lane % 64);
  return mask;
}

// The lanes of a repeat; of the first one in the counter form, where only the last has fewer.
LaneMask MaskOf(const BasculeInstruction& in, uint32_t lanes) {
  if (in.form != BASCULE_FORM_MASK_BITS) return FirstLanes(std::min<uint64_t>(in.mask[0], lanes));
  LaneMask mask;
  mask.words[0] = in.mask[0];
  mask.words[1] = in.mask[1];
  return mask;
}

// Where the lanes of one operand lie.
struct Walker {
  char* base = nullptr;
  uint32_t element = 1;
  uint32_t per_block = 32;
  uint64_t block_stride = 0;
  uint64_t repeat_stride = 0;

  explicit Walker(const BasculeOperand& op)
      : base(static_cast<char*>(op.address)),
        element(ElementBytes(op.dtype)),
        per_block(BASCULE_DATABLOCK_BYTES / element),
        block_stride(uint64_t{op.block_stride} * BASCULE_DATABLOCK_BYTES),
        repeat_stride(uint64_t{op.repeat_stride} * BASCULE_DATABLOCK_BYTES) {}

  char* At(uint64_t repeat, uint32_t lane) const {
    return base + repeat * repeat_stride + lane / per_block * block_stride +
           uint64_t{lane % per_block} * element;
  }
};

}  // namespace

void RunLanes(const BasculeInstruction& in, FlatFunction flat) {
  const uint64_t scalar = in.params.vector.scalar.bits;
  void* second = in.operand_count > 2 ? in.operand[2].address : nullptr;
  if (in.form == BASCULE_FORM_COUNT) {
    flat(in.operand[0].address, in.operand[1].address, second, scalar, in.count);
    return;
  }
  const Walker dst(in.operand[0]);
  const Walker src0(in.operand[1]);
  const Walker src1(in.operand[in.operand_count > 2 ? 2 : 1]);
  // Runs of as many lanes as a datablock of the widest type holds are consecutive in every operand.
  const uint32_t widest = std::max({dst.element, src0.element, src1.element});
  const uint32_t run = BASCULE_DATABLOCK_BYTES / widest;
  const uint32_t lanes = BASCULE_REPEAT_BYTES / widest;
  const bool counter = in.form == BASCULE_FORM_COUNTER;
  const uint64_t repeats = counter ? (in.mask[0] + lanes - 1) / lanes : in.count;
  LaneMask mask = MaskOf(in, lanes);
  const uint64_t full = (uint64_t{1} << run) - 1;
  for (uint64_t repeat = 0; repeat < repeats; ++repeat) {
    if (counter && repeat + 1 == repeats) mask = FirstLanes(in.mask[0] - repeat * lanes);
    for (uint32_t first = 0; first < lanes; first += run) {
      uint64_t bits = mask.Bits(first, run);
      if (bits == full) {
        flat(dst.At(repeat, first), src0.At(repeat, first),
             second != nullptr ? src1.At(repeat, first) : nullptr, scalar, run);
        continue;
      }
      while (bits != 0) {
        const uint32_t lane = first + static_cast<uint32_t>(__builtin_ctzll(bits));
        flat(dst.At(repeat, lane), src0.At(repeat, lane),
             second != nullptr ? src1.At(repeat, lane) : nullptr, scalar, 1);
        bits &= bits - 1;
      }
    }
  }
}

void RunElementwise(const Row& row, const BasculeInstruction& in, const RunOptions&) {
  RunLanes(in, FindBody(row, in.operand[0].dtype, in.operand[1].dtype)->simd());
}

void RunElementwiseReference(const Row& row, const BasculeInstruction& in, const RunOptions&) {
  RunLanes(in, FindBody(row, in.operand[0].dtype, in.operand[1].dtype)->reference);
}

}  // namespace bascule::isa
