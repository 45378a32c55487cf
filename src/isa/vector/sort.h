// Sorting by score. A record has 8 bytes: the score in the lowest (of half 2, and 2 that are 0),
// the index in the upper 4. Scores descend; equal ones, and the two zeros are equal, keep their
// order; NaN comes first. SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ISA_VECTOR_SORT_H_
#define BASCULE_ISA_VECTOR_SORT_H_

#include "bascule/abi/vector.h"
#include "isa/row.h"

namespace bascule::isa {

// 32 scores (operand 1) and indices (operand 2) per repeat become 32 sorted records.
extern const Row kSort32Row;

// The same for `count` · 32 of them in one; operand 3 is a work buffer as large as operand 0.
extern const Row kSortRow;

// 2 to 4 sorted queues of records into one, of equal scores the lower queue first; parameters in
// abi/vector.h. `count` repeats, each on queues behind those of the one before.
extern const Row kMrgSortRow;

// Scores and indices (operands 0 and 1) of `count` · 32 records (operand 2).
extern const Row kExtractRow;

// A number that is higher the earlier a score comes, from its bits: NaN before everything, both
// zeros alike.
uint32_t RankOfScore(uint16_t half);
uint32_t RankOfScore(uint32_t single);

}  // namespace bascule::isa

#endif  // BASCULE_ISA_VECTOR_SORT_H_
