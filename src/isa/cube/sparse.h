// The index of a matrix of which two of every four elements are there.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ISA_CUBE_SPARSE_H_
#define BASCULE_ISA_CUBE_SPARSE_H_

#include <cstdint>

namespace bascule::isa {

// Which of four elements of A the pair of elements `element` and `element` + 1 (even and odd) of a
// column of B is multiplied with; `index` is the column's.
struct SparsePlaces {
  uint32_t first;
  uint32_t second;
};
SparsePlaces PlacesOf(const uint8_t* index, uint64_t element);

}  // namespace bascule::isa

#endif  // BASCULE_ISA_CUBE_SPARSE_H_
