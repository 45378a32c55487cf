// Turns a call form (count, mask, repeats and strides) into lanes of repeats and calls on
// consecutive elements. SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ISA_VECTOR_LANES_H_
#define BASCULE_ISA_VECTOR_LANES_H_

#include <algorithm>

#include "isa/row.h"

namespace bascule::isa {

// The lanes of a repeat as bits; 256 of them, so that one-byte types fit.
struct LaneMask {
  uint64_t words[4] = {0, 0, 0, 0};

  // `count` bits from lane `first`; at most 32, never across two words.
  uint64_t Bits(uint32_t first, uint32_t count) const {
    return (words[first / 64] >> (first % 64)) & ((uint64_t{1} << count) - 1);
  }
  bool Has(uint32_t lane) const { return (words[lane / 64] >> (lane % 64) & 1) != 0; }
  bool Empty() const { return (words[0] | words[1] | words[2] | words[3]) == 0; }
  // The first lane from `lane` on that is selected, or is not; 256 when there is none.
  uint32_t Next(uint32_t lane, bool selected) const {
    while (lane < 256) {
      const uint64_t word = selected ? words[lane / 64] : ~words[lane / 64];
      const uint64_t rest = word >> (lane % 64);
      if (rest != 0) return lane + static_cast<uint32_t>(__builtin_ctzll(rest));
      lane = (lane / 64 + 1) * 64;
    }
    return 256;
  }
  // One past the last lane, 0 when there is none.
  uint32_t End() const;
  // The first End() lanes, without a gap.
  bool IsPrefix() const;
  bool operator==(const LaneMask&) const = default;
};

LaneMask FirstLanes(uint64_t count);

// How many repeats an instruction has and which lanes each of them works on, whatever its form. A
// count is spread over repeats as in counter mode: only the last has fewer lanes.
class Repeats {
 public:
  // `lanes`: how many a repeat has.
  Repeats(const BasculeInstruction& in, uint32_t lanes);

  uint64_t count() const { return count_; }
  const LaneMask& Lanes(uint64_t repeat) const {
    return repeat + 1 == count_ ? last_ : all_but_last_;
  }

 private:
  uint64_t count_ = 0;
  LaneMask all_but_last_;
  LaneMask last_;
};

// Where the lanes of one operand lie.
struct LaneWalker {
  char* base = nullptr;
  uint32_t element_bytes = 1;  // 0 for four bits: such lanes are taken in pairs
  uint32_t element_bits = 8;
  uint32_t per_block = BASCULE_DATABLOCK_BYTES;
  uint64_t block_stride_bytes = 0;
  uint64_t repeat_stride_bytes = 0;

  explicit LaneWalker(const BasculeOperand& op)
      : base(static_cast<char*>(op.address)),
        element_bytes(ElementBytes(op.dtype)),
        element_bits(ElementBits(op.dtype)),
        per_block(8 * BASCULE_DATABLOCK_BYTES / element_bits),
        block_stride_bytes(uint64_t{op.block_stride} * BASCULE_DATABLOCK_BYTES),
        repeat_stride_bytes(uint64_t{op.repeat_stride} * BASCULE_DATABLOCK_BYTES) {}

  char* At(uint64_t repeat, uint32_t lane) const {
    return base + repeat * repeat_stride_bytes + lane / per_block * block_stride_bytes +
           uint64_t{lane % per_block} * element_bits / 8;
  }
  // The lanes of a repeat follow one another without a gap.
  bool Dense() const { return block_stride_bytes == BASCULE_DATABLOCK_BYTES; }
};

// Calls `run(repeat, lane, count)` for runs of lanes that are selected and lie next to one another
// in an operand: whole repeats where its datablocks are adjacent, else at most a datablock at a
// time.
template <typename Run>
void ForEachRun(const Repeats& repeats, const LaneWalker& walker, const Run& run) {
  const uint32_t lanes = BASCULE_REPEAT_BYTES / walker.element_bytes;
  for (uint64_t repeat = 0; repeat < repeats.count(); ++repeat) {
    const LaneMask& mask = repeats.Lanes(repeat);
    for (uint32_t lane = mask.Next(0, true); lane < lanes; lane = mask.Next(lane, true)) {
      const uint32_t limit =
          walker.Dense() ? lanes : lane / walker.per_block * walker.per_block + walker.per_block;
      const uint32_t end = std::min(limit, mask.Next(lane, false));
      run(repeat, lane, end - lane);
      lane = end;
    }
  }
}

// Runs `flat` on every lane the instruction selects, repeat after repeat, so that a repeat sees
// what the one before it wrote. Lanes the mask leaves out are not touched. A repeat has as many
// lanes as 256 bytes hold of the widest element type among the operands; operands of narrower types
// use fewer datablocks. An instruction without sources hands its destination over as one.
void RunLanes(const BasculeInstruction& instruction, FlatFunction flat);
// As above with another value for the scalar operand.
void RunLanes(const BasculeInstruction& instruction, FlatFunction flat, uint64_t scalar);

// Infinite results of half and bfloat16 become the largest number of their sign, NaN becomes 0; of
// other element types nothing changes.
void SaturateResults(const BasculeInstruction& instruction);

// The run functions of elementwise rows.
void RunElementwise(const Row& row, const BasculeInstruction& instruction,
                    const RunOptions& options);
void RunElementwiseReference(const Row& row, const BasculeInstruction& instruction,
                             const RunOptions& options);

}  // namespace bascule::isa

#endif  // BASCULE_ISA_VECTOR_LANES_H_
