// Squares of elements turned in registers, compiled once for every CPU target.
// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "bascule/abi/cube.h"
#include "bascule/abi/kernel.h"
#include "isa/cube/load.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "isa/cube/load_simd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "isa/cube/turn-inl.h"

HWY_BEFORE_NAMESPACE();
namespace bascule::isa::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr uint64_t kFractal = BASCULE_FRACTAL_BYTES;
constexpr uint64_t kBlock = BASCULE_DATABLOCK_BYTES;

// What the square is: `side` rows of datablocks, one below the other, of elements T.
template <typename T, uint64_t side>
HWY_ATTR void TurnRows(char* to, uint64_t fractal_stride, const char* from) {
  constexpr uint64_t kRows = BASCULE_FRACTAL_ROWS;
#if BASCULE_TURN_IN_BLOCKS
  // Blocks of 128 bits are squares of kLanes x kLanes elements; two of them are a datablock.
  constexpr uint64_t kLanes = 16 / sizeof(T);
  const hn::CappedTag<T, kLanes> d;
  for (uint64_t row = 0; row < side; row += kLanes) {
    for (uint64_t column = 0; column < side; column += kLanes) {
      hn::Vec<decltype(d)> rows[kLanes];
#pragma GCC unroll 16
      for (uint64_t i = 0; i < kLanes; ++i) {
        rows[i] = hn::LoadU(d, reinterpret_cast<const T*>(from + (row + i) * kBlock) + column);
      }
      TurnBlocks<kLanes>(d, rows);
#pragma GCC unroll 16
      for (uint64_t i = 0; i < kLanes; ++i) {
        const uint64_t line = column + i;
        char* place = to + line / kRows * fractal_stride + line % kRows * kBlock;
        hn::StoreU(rows[i], d, reinterpret_cast<T*>(place) + row);
      }
    }
  }
#else
  for (uint64_t row = 0; row < side; ++row) {
    char* place = to + row / kRows * fractal_stride + row % kRows * kBlock;
    for (uint64_t column = 0; column < side; ++column) {
      std::memcpy(place + column * sizeof(T), from + column * kBlock + row * sizeof(T), sizeof(T));
    }
  }
#endif
}

void Turn8(char* to, uint64_t fractal_stride, const char* from) {
  TurnRows<uint8_t, 32>(to, fractal_stride, from);
}
void Turn16(char* to, uint64_t fractal_stride, const char* from) {
  TurnRows<uint16_t, 16>(to, fractal_stride, from);
}
// Of a column of 16 words, which lies half in either fractal, the part from `row` on.
template <class D>
HWY_INLINE HWY_ATTR void StoreColumn(D d, hn::Vec<D> part, uint64_t row, char* to,
                                     uint64_t fractal_stride) {
  constexpr uint64_t kWide = kBlock / sizeof(uint32_t);
#if BASCULE_TURN_IN_BLOCKS
  if constexpr (hn::MaxLanes(d) > kWide) {
    const hn::Half<D> half;
    StoreColumn(half, hn::LowerHalf(half, part), row, to, fractal_stride);
    StoreColumn(half, hn::UpperHalf(half, part), row + kWide, to, fractal_stride);
    return;
  }
#endif
  char* place = to + row / kWide * fractal_stride + row % kWide * sizeof(uint32_t);
  hn::StoreU(part, d, reinterpret_cast<uint32_t*>(place));
}

void Turn32(char* to, uint64_t fractal_stride, const char* from) {
  constexpr uint64_t kWide = kBlock / sizeof(uint32_t);
  for (uint64_t half = 0; half < 2; ++half) {
    // 16 rows of 8 words become 8 rows of 16.
    char* lines = to + half * kWide * kBlock;
    TurnWords<kWide>(reinterpret_cast<const uint32_t*>(from + half * kFractal),
                     [&](uint64_t word, uint64_t row, auto d, auto part) HWY_ATTR {
                       StoreColumn(d, part, row, lines + word * kBlock, fractal_stride);
                     });
  }
}

// Fractals as they are.
void MoveFractals(char* to, uint64_t to_stride, const char* from, int64_t from_stride,
                  uint64_t count) {
  const hn::CappedTag<uint8_t, 64> d;
  const uint64_t lanes = hn::Lanes(d);
  for (uint64_t i = 0; i < count; ++i, to += to_stride, from += from_stride) {
    for (uint64_t at = 0; at < kFractal; at += lanes) {
      hn::StoreU(hn::LoadU(d, reinterpret_cast<const uint8_t*>(from) + at), d,
                 reinterpret_cast<uint8_t*>(to) + at);
    }
  }
}

}  // namespace bascule::isa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bascule::isa {

HWY_EXPORT(Turn8);
HWY_EXPORT(Turn16);
HWY_EXPORT(Turn32);
HWY_EXPORT(MoveFractals);

TurnFunction SimdTurn8() { return HWY_DYNAMIC_DISPATCH(Turn8); }
TurnFunction SimdTurn16() { return HWY_DYNAMIC_DISPATCH(Turn16); }
TurnFunction SimdTurn32() { return HWY_DYNAMIC_DISPATCH(Turn32); }
MoveFunction SimdMoveFractals() { return HWY_DYNAMIC_DISPATCH(MoveFractals); }

}  // namespace bascule::isa
#endif  // HWY_ONCE
