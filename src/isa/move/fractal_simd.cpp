// Rows cut into strips of datablocks, compiled once for every CPU target.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "bascule/abi/kernel.h"
#include "isa/move/fractal.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "isa/move/fractal_simd.cpp"
#include "hwy/cache_control.h"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace bascule::isa::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr uint64_t kBlock = BASCULE_DATABLOCK_BYTES;
constexpr uint64_t kRowsAtOnce = 8;

HWY_INLINE HWY_ATTR void CopyBlock(const char* from, char* to) {
#if HWY_HAVE_SCALABLE || HWY_TARGET == HWY_SCALAR
  std::memcpy(to, from, kBlock);
#else
  const hn::CappedTag<uint8_t, kBlock> d;
  for (uint64_t at = 0; at < kBlock; at += hn::MaxLanes(d)) {
    hn::StoreU(hn::LoadU(d, reinterpret_cast<const uint8_t*>(from) + at), d,
               reinterpret_cast<uint8_t*>(to) + at);
  }
#endif
}

// A strip after the other, of `rows` rows. So the lines of the cache that they lie in are read and
// written as a whole before others take their places. With `ahead` the rows behind them are fetched
// meanwhile.
template <uint64_t rows, bool ahead>
HWY_ATTR void Strips(const StripsShape& shape, const char* from, char* to) {
  const uint64_t row_pitch = shape.row_pitch_bytes;
  const uint64_t piece_pitch = shape.piece_pitch_bytes;
  const uint64_t strip_pitch = shape.strip_pitch_bytes;
  const uint64_t strips = shape.strips;
  for (uint64_t strip = 0; strip < strips; ++strip) {
#pragma GCC unroll 8
    for (uint64_t row = 0; row < rows; ++row) {
      CopyBlock(from + row * row_pitch, to + row * piece_pitch);
      if (ahead && strip % 2 == 0) hwy::Prefetch(from + (rows + row) * row_pitch);
    }
    from += kBlock;
    to += strip_pitch;
  }
}

// Up to `most` rows: few are copied in one walk over the strips, too.
template <uint64_t most>
HWY_ATTR void Rest(const StripsShape& shape, uint64_t rows, const char* from, char* to) {
  if (rows == most) {
    Strips<most, false>(shape, from, to);
  } else if constexpr (most > 1) {
    Rest<most - 1>(shape, rows, from, to);
  }
}

void ToStrips(const StripsShape& shape, const char* from, char* to) {
  uint64_t rows = shape.rows;
  for (; rows >= kRowsAtOnce; rows -= kRowsAtOnce) {
    if (rows >= 2 * kRowsAtOnce) {
      Strips<kRowsAtOnce, true>(shape, from, to);
    } else {
      Strips<kRowsAtOnce, false>(shape, from, to);
    }
    from += kRowsAtOnce * shape.row_pitch_bytes;
    to += kRowsAtOnce * shape.piece_pitch_bytes;
  }
  Rest<kRowsAtOnce - 1>(shape, rows, from, to);
}

}  // namespace bascule::isa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bascule::isa {

HWY_EXPORT(ToStrips);

ToStripsFunction SimdToStrips() { return HWY_DYNAMIC_DISPATCH(ToStrips); }

}  // namespace bascule::isa
#endif  // HWY_ONCE
