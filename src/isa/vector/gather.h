// Reading by offsets: Gather takes elements, Gatherb datablocks.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ISA_VECTOR_GATHER_H_
#define BASCULE_ISA_VECTOR_GATHER_H_

#include "bascule/abi/vector.h"
#include "isa/row.h"

namespace bascule::isa {

// Lane i of repeat r takes the element extra[0] + offset bytes behind operand 1; its offset is
// element r · lanes + i of operand 2. An offset that leads outside the source, or between two
// elements, is refused.
extern const Row kGatherRow;

// Datablock i of repeat r takes the datablock offset bytes behind operand 1; its offset is element
// 8r + i of operand 2.
extern const Row kGatherbRow;

// The highest of offsets, and the bits of all of them together.
struct OffsetSummary {
  uint32_t highest = 0;
  uint32_t bits = 0;
};
// Adds `count` offsets to a summary, with the CPU target in use.
void SummariseOffsets(const uint32_t* offsets, uint64_t count, OffsetSummary* summary);

}  // namespace bascule::isa

#endif  // BASCULE_ISA_VECTOR_GATHER_H_
