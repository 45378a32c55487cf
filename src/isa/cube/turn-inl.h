// Matrices turned in registers: what was a row becomes a column.
// SPDX-License-Identifier: Apache-2.0

// Included once per CPU target, hence no ordinary guard.
#if defined(BASCULE_ISA_CUBE_TURN_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef BASCULE_ISA_CUBE_TURN_INL_H_
#undef BASCULE_ISA_CUBE_TURN_INL_H_
#else
#define BASCULE_ISA_CUBE_TURN_INL_H_
#endif

#include <cstdint>

#include "hwy/highway.h"

// Registers of a length known here, with whole blocks of 128 bits.
#undef BASCULE_TURN_IN_BLOCKS
#if HWY_HAVE_SCALABLE || HWY_TARGET == HWY_SCALAR
#define BASCULE_TURN_IN_BLOCKS 0
#else
#define BASCULE_TURN_IN_BLOCKS 1
#endif

HWY_BEFORE_NAMESPACE();
namespace bascule::isa::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if BASCULE_TURN_IN_BLOCKS
// In each block of 128 bits `n` rows of n elements become columns: rows of the first half and of
// the second are interleaved, until every bit of an element's place has moved to the other side.
template <uint64_t n, class D>
HWY_INLINE void TurnBlocks(D d, hn::Vec<D> (&rows)[n]) {
#pragma GCC unroll 4
  for (uint64_t pass = 1; pass < n; pass *= 2) {
    hn::Vec<D> next[n];
#pragma GCC unroll 8
    for (uint64_t i = 0; i < n / 2; ++i) {
      next[2 * i] = hn::InterleaveLower(d, rows[i], rows[i + n / 2]);
      next[2 * i + 1] = hn::InterleaveUpper(d, rows[i], rows[i + n / 2]);
    }
#pragma GCC unroll 16
    for (uint64_t i = 0; i < n; ++i) rows[i] = next[i];
  }
}

// Blocks of 128 bits that lie `pitch` elements apart, side by side.
template <class D, typename T>
HWY_INLINE hn::Vec<D> LoadBlocks(D d, const T* from, uint64_t pitch) {
  if constexpr (hn::MaxLanes(d) * sizeof(T) <= 16) {
    (void)pitch;
    return hn::LoadU(d, from);
  } else {
    const hn::Half<D> half;
    return hn::Combine(d,
                       LoadBlocks(half, from + hn::MaxLanes(half) * sizeof(T) / 16 * pitch, pitch),
                       LoadBlocks(half, from, pitch));
  }
}
#endif

// 16 rows of `words` elements of 32 bits become `words` rows of 16, which `store(word, row, part)`
// takes in parts, from element `row` on.
template <uint64_t words, typename T, class Store>
HWY_INLINE HWY_ATTR void TurnWords(const T* HWY_RESTRICT from, const Store& store) {
  constexpr uint64_t kRows = 16;
#if BASCULE_TURN_IN_BLOCKS
  const hn::CappedTag<T, kRows> d;
  constexpr uint64_t kLanes = hn::MaxLanes(d);
  for (uint64_t word = 0; word < words; word += 4) {
    for (uint64_t row = 0; row < kRows; row += kLanes) {
      hn::Vec<decltype(d)> rows[4];
#pragma GCC unroll 4
      for (uint64_t i = 0; i < 4; ++i)
        rows[i] = LoadBlocks(d, from + (row + i) * words + word, 4 * words);
      TurnBlocks<4>(d, rows);
#pragma GCC unroll 4
      for (uint64_t i = 0; i < 4; ++i) store(word + i, row, d, rows[i]);
    }
  }
#else
  const hn::CappedTag<T, 1> d;
  for (uint64_t row = 0; row < kRows; ++row) {
    for (uint64_t word = 0; word < words; ++word)
      store(word, row, d, hn::Set(d, from[row * words + word]));
  }
#endif
}

}  // namespace bascule::isa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
