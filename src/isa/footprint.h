// Which bytes an operand of an instruction touches.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ISA_FOOTPRINT_H_
#define BASCULE_ISA_FOOTPRINT_H_

#include <cstdint>

#include "bascule/abi/kernel.h"
#include "isa/row.h"

namespace bascule::isa {

// Repeats of equally spaced runs of bytes. A count form is one repeat of one run; a copy is one
// repeat of block_count runs; a mask form has up to 8 runs (datablocks) per repeat, of which the
// mask may leave lanes out.
struct Extent {
  uint64_t run_bytes = 0;
  uint32_t runs = 0;  // per repeat
  uint32_t repeats = 0;
  uint64_t run_stride_bytes = 0;
  uint64_t repeat_stride_bytes = 0;
  // From the operand's address to one past the last byte; 0 when nothing is touched.
  uint64_t span_bytes = 0;
};

Extent ExtentOf(const Row& row, const BasculeInstruction& instruction, uint32_t operand);

// `elements` elements in each of `repeats` repeats, in as many datablocks as they need.
Extent ExtentOfElements(const BasculeOperand& operand, uint64_t elements, uint64_t repeats);

// The span of an operand of DataCopy, which has no padding: the same as ExtentOf gives, in fewer
// steps.
inline uint64_t PlainCopySpan(const BasculeInstruction& instruction, uint32_t operand) {
  const BasculeCopy& copy = instruction.params.copy;
  if (copy.block_count == 0 || copy.block_bytes == 0) return 0;
  const uint64_t gap = operand == 0 ? copy.dst_gap_bytes : copy.src_gap_bytes;
  return (copy.block_bytes + gap) * (copy.block_count - 1) + copy.block_bytes;
}

// What follows from the call form alone: count, masked repeats, strided copy.
Extent ExtentOfForm(const BasculeInstruction& instruction, uint32_t operand);

}  // namespace bascule::isa

#endif  // BASCULE_ISA_FOOTPRINT_H_
