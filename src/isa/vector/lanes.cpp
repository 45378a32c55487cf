// SPDX-License-Identifier: Apache-2.0
#include "isa/vector/lanes.h"

#include <algorithm>

namespace bascule::isa {
namespace {

char* At(const BasculeOperand& op, uint64_t repeat, uint64_t block) {
  return static_cast<char*>(op.address) +
         (repeat * op.repeat_stride + block * op.block_stride) * BASCULE_DATABLOCK_BYTES;
}

// Lanes as 256 bits, so that one-byte types fit: 4 words.
struct LaneMask {
  uint64_t words[4] = {0, 0, 0, 0};

  uint64_t Bits(uint32_t first, uint32_t count) const {  // count <= 32, never across two words
    return (words[first / 64] >> (first % 64)) & ((uint64_t{1} << count) - 1);
  }
};

LaneMask MaskOf(const BasculeInstruction& in, uint32_t lanes) {
  LaneMask mask;
  if (in.form == BASCULE_FORM_MASK_BITS) {
    mask.words[0] = in.mask[0];
    mask.words[1] = in.mask[1];
    return mask;
  }
  const uint64_t selected = std::min<uint64_t>(in.mask[0], lanes);
  for (uint64_t lane = 0; lane < selected; ++lane)
    mask.words[lane / 64] |= uint64_t{1} << (lane % 64);
  return mask;
}

}  // namespace

void RunBinaryLanes(const BasculeInstruction& in, FlatBinary flat) {
  const BasculeOperand& dst = in.operand[0];
  const BasculeOperand& src0 = in.operand[1];
  const BasculeOperand& src1 = in.operand[2];
  if (in.form == BASCULE_FORM_COUNT) {
    flat(dst.address, src0.address, src1.address, in.count);
    return;
  }
  const uint32_t element = ElementBytes(dst.dtype);
  const uint32_t per_block = BASCULE_DATABLOCK_BYTES / element;
  const uint32_t lanes = BASCULE_REPEAT_BYTES / element;
  const LaneMask mask = MaskOf(in, lanes);
  const uint64_t full = (uint64_t{1} << per_block) - 1;
  for (uint64_t repeat = 0; repeat < in.count; ++repeat) {
    for (uint32_t block = 0; block < BASCULE_DATABLOCKS_PER_REPEAT; ++block) {
      uint64_t bits = mask.Bits(block * per_block, per_block);
      if (bits == 0) continue;
      char* to = At(dst, repeat, block);
      const char* a = At(src0, repeat, block);
      const char* b = At(src1, repeat, block);
      if (bits == full) {
        flat(to, a, b, per_block);
        continue;
      }
      while (bits != 0) {
        const uint32_t lane = static_cast<uint32_t>(__builtin_ctzll(bits));
        flat(to + lane * element, a + lane * element, b + lane * element, 1);
        bits &= bits - 1;
      }
    }
  }
}

}  // namespace bascule::isa
