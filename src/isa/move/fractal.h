// Copies that rearrange matrices between rows (ND) and strips of datablocks (NZ).
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ISA_MOVE_FRACTAL_H_
#define BASCULE_ISA_MOVE_FRACTAL_H_

#include "isa/row.h"

namespace bascule::isa {

// One matrix from rows in global memory to strips on chip that are 32 bytes wide; what a row lacks
// to a whole datablock is zero. Parameters: BASCULE_ND2NZ_…. Pipe: MTE2. Source: "DataCopy" from
// global memory to the unified buffer with ND2NZ, and to L1, of the SIMD API documentation.
extern const Row kNd2NzRow;

// One matrix from strips in the unified buffer that are 16 elements wide to rows in global memory.
// Parameters: BASCULE_NZ2ND_…. Pipe: MTE3. Accumulates like every store to global memory. Source:
// "DataCopy" from the unified buffer to global memory with NZ2ND of the SIMD API documentation.
extern const Row kNz2NdRow;

// Where whole datablocks of a matrix lie, in rows and in strips.
struct StripsShape {
  uint64_t rows;
  uint64_t strips;
  uint64_t row_pitch_bytes;
  uint64_t strip_pitch_bytes;
  uint64_t piece_pitch_bytes;  // from row to row within a strip
};
using ToStripsFunction = void (*)(const StripsShape& shape, const char* from, char* to);
ToStripsFunction SimdToStrips();

// A matrix of kNd2NzRow in bytes: its whole datablocks, and what of a row lies behind them.
struct StripsMatrix {
  StripsShape whole;
  uint64_t tail_bytes;

  uint64_t strips() const { return whole.strips + (tail_bytes != 0 ? 1 : 0); }
  bool empty() const { return whole.rows == 0 || strips() == 0; }
  // From its first byte to its last, in rows and in strips; of one that is not empty.
  uint64_t RowsSpan() const {
    return (whole.rows - 1) * whole.row_pitch_bytes + whole.strips * BASCULE_DATABLOCK_BYTES +
           tail_bytes;
  }
  uint64_t StripsSpan() const {
    return (strips() - 1) * whole.strip_pitch_bytes + (whole.rows - 1) * whole.piece_pitch_bytes +
           BASCULE_DATABLOCK_BYTES;
  }
};
StripsMatrix StripsOf(const BasculeInstruction& in);
// What is wrong with it; empty: nothing.
std::string StripsMisuse(const StripsMatrix& matrix);
void MoveToStrips(const StripsMatrix& matrix, ToStripsFunction move, const char* from, char* to);

}  // namespace bascule::isa

#endif  // BASCULE_ISA_MOVE_FRACTAL_H_
