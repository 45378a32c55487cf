// What the ways into the operands' memories have in vectors.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ISA_CUBE_LOAD_H_
#define BASCULE_ISA_CUBE_LOAD_H_

#include <cstdint>

namespace bascule::isa {

// Turns a square: 16 x 16 elements of 16 bits in a fractal, 32 x 32 bytes in two fractals on top of
// each other, 16 x 16 elements of 32 bits in two fractals side by side. `fractal_stride` bytes lie
// between the begins of the destination's fractals.
using TurnFunction = void (*)(char* to, uint64_t fractal_stride, const char* from);
TurnFunction SimdTurn8();
TurnFunction SimdTurn16();
TurnFunction SimdTurn32();

// Moves fractals whose begins lie strides of bytes apart.
using MoveFunction = void (*)(char* to, uint64_t to_stride, const char* from, int64_t from_stride,
                              uint64_t count);
MoveFunction SimdMoveFractals();

}  // namespace bascule::isa

#endif  // BASCULE_ISA_CUBE_LOAD_H_
