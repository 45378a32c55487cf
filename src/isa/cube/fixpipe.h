// What the way out of the cube unit has in vectors.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ISA_CUBE_FIXPIPE_H_
#define BASCULE_ISA_CUBE_FIXPIPE_H_

#include <cstdint>

namespace bascule::isa {

// Rounds 16 floats to nearest even; with `relu`, what is less than 0 becomes 0 first.
using CastFunction = void (*)(const float* from, bool relu, uint16_t* to);
CastFunction SimdCastToHalf();
CastFunction SimdCastToBfloat();

// Strips of 16 columns of 32 bits become rows, as they are.
using RowsFunction = void (*)(const char* from, uint64_t strip_bytes, uint64_t rows,
                              uint64_t columns, char* to, uint64_t row_bytes);
RowsFunction SimdStripsToRows();

}  // namespace bascule::isa

#endif  // BASCULE_ISA_CUBE_FIXPIPE_H_
