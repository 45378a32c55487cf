// The SIMD forms of Mmad, compiled once for every CPU target.
//
// What an operand has along k is taken in words of 32 bits: a float, an int32, or two int16 where
// one instruction multiplies and sums them. A keeps its order, 16 rows of a datablock, so a word of
// it is read where it stands; of B the fractals of one or two strips are turned into rows of 16
// words, one row for each step along k. A tile of C is kept in registers while k runs; each sum
// takes its products in the order of k, so all targets give the bits of the plain loop.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <type_traits>

#include "bascule/abi/cube.h"
#include "bascule/abi/kernel.h"
#include "isa/cube/mmad.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "isa/cube/mmad_simd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "isa/cube/turn-inl.h"
#include "simd/bfloat-inl.h"
#include "simd/half-inl.h"

#ifndef BASCULE_ISA_CUBE_MMAD_ONCE
#define BASCULE_ISA_CUBE_MMAD_ONCE
namespace bascule::isa {
namespace {

// Room for an operand in words, kept by each thread: a product is never interrupted by another one.
// It begins on a line of the cache, so that no vector lies on two.
template <typename T>
class Room {
 public:
  T* Of(uint64_t elements) {
    if (elements > size_) {
      room_.reset(static_cast<T*>(::operator new(elements * sizeof(T), kLine)));
      size_ = elements;
    }
    return room_.get();
  }

 private:
  static constexpr std::align_val_t kLine{64};
  struct Free {
    void operator()(T* room) const { ::operator delete(room, kLine); }
  };
  std::unique_ptr<T, Free> room_;
  uint64_t size_ = 0;
};
template <typename T>
Room<T>& RoomOfA() {
  thread_local Room<T> room;
  return room;
}
template <typename T>
Room<T>& RoomOfB() {
  thread_local Room<T> room;
  return room;
}

}  // namespace
}  // namespace bascule::isa
#endif  // BASCULE_ISA_CUBE_MMAD_ONCE

HWY_BEFORE_NAMESPACE();
namespace bascule::isa::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace hs = bascule::simd::HWY_NAMESPACE;

// Rows of a tile of C, and strips of 16 columns: as many as registers hold.
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
constexpr uint64_t kRowsAtOnce = 8;
constexpr uint64_t kStripsAtOnce = 2;
#elif HWY_ARCH_X86 && HWY_TARGET > HWY_AVX2
constexpr uint64_t kRowsAtOnce = 2;
constexpr uint64_t kStripsAtOnce = 1;
#else
constexpr uint64_t kRowsAtOnce = 6;
constexpr uint64_t kStripsAtOnce = 1;
#endif

// a * b + c rounded once, also where there is no instruction for it: the product is exact in
// double, and a sum cut to a double's digits with the last made odd where something was cut off
// rounds to float as the sum itself.
#if HWY_TARGET == HWY_SCALAR
template <class D>
HWY_INLINE hn::Vec<D> MultiplyAdd(D d, hn::Vec<D> a, hn::Vec<D> b, hn::Vec<D> c) {
  return hn::Set(d, std::fma(hn::GetLane(a), hn::GetLane(b), hn::GetLane(c)));
}
#elif !HWY_NATIVE_FMA
template <class D>
HWY_INLINE hn::Vec<D> MultiplyAdd(D /*d*/, hn::Vec<D> a, hn::Vec<D> b, hn::Vec<D> c) {
  const D d;
  const hn::Half<D> dh;
  const hn::Repartition<double, D> dd;
  const hn::RebindToUnsigned<decltype(dd)> du;
  const auto part = [&](hn::Vec<decltype(dh)> x, hn::Vec<decltype(dh)> y,
                        hn::Vec<decltype(dh)> z) HWY_ATTR {
    const auto product = hn::Mul(hn::PromoteTo(dd, x), hn::PromoteTo(dd, y));
    const auto addend = hn::PromoteTo(dd, z);
    const auto sum = hn::Add(product, addend);
    const auto back = hn::Sub(sum, product);
    const auto lost = hn::Add(hn::Sub(product, hn::Sub(sum, back)), hn::Sub(addend, back));
    const auto bits = hn::BitCast(du, sum);
    const auto even = hn::Eq(hn::And(bits, hn::Set(du, 1)), hn::Zero(du));
    // Away from zero where what was lost has the sum's sign, else towards it.
    const auto same =
        hn::Eq(hn::ShiftRight<63>(hn::Xor(bits, hn::BitCast(du, lost))), hn::Zero(du));
    const auto odd =
        hn::IfThenElse(same, hn::Add(bits, hn::Set(du, 1)), hn::Sub(bits, hn::Set(du, 1)));
    // Infinities and NaN lose nothing that counts: their difference is NaN, which is not finite.
    const auto inexact = hn::And(hn::Ne(lost, hn::Zero(dd)), hn::Eq(lost, lost));
    const auto changed = hn::And(hn::RebindMask(du, inexact), even);
    return hn::DemoteTo(dh, hn::BitCast(dd, hn::IfThenElse(changed, odd, bits)));
  };
  const auto low = part(hn::LowerHalf(dh, a), hn::LowerHalf(dh, b), hn::LowerHalf(dh, c));
  const auto high = part(hn::UpperHalf(dh, a), hn::UpperHalf(dh, b), hn::UpperHalf(dh, c));
  return hn::Combine(d, high, low);
}
#endif

struct OfFloat {
  using Sum = float;
  template <class D>
  static HWY_INLINE hn::Vec<D> Step(D d, hn::Vec<D> a, hn::Vec<D> b, hn::Vec<D> c) {
#if HWY_NATIVE_FMA
    (void)d;
    return hn::MulAdd(a, b, c);
#else
    return MultiplyAdd(d, a, b, c);
#endif
  }
};
// The product of two halves is exact in float.
struct OfHalf {
  using Sum = float;
  template <class D>
  static HWY_INLINE hn::Vec<D> Step(D /*d*/, hn::Vec<D> a, hn::Vec<D> b, hn::Vec<D> c) {
    return hn::MulAdd(a, b, c);
  }
};
// Whether whole numbers are multiplied in pairs of int16, which Highway has no portable name for.
constexpr bool kPairs = HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128;
// 4095 products of int8 are far from the end of int32.
struct OfInt {
  using Sum = int32_t;
  template <class D>
  static HWY_INLINE hn::Vec<D> Step(D d, hn::Vec<D> a, hn::Vec<D> b, hn::Vec<D> c) {
#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
    const hn::Repartition<int16_t, D> pairs;
    auto unused = hn::Zero(d);
    return hn::ReorderWidenMulAccumulate(d, hn::BitCast(pairs, a), hn::BitCast(pairs, b), c,
                                         unused);
#else
    (void)d;
    return hn::Add(hn::Mul(a, b), c);
#endif
  }
};

// The types an operand can have: `kWide` elements and `kWords` words of a datablock, and how
// datablocks become words.
struct HalfIn {
  using Of = OfHalf;
  static constexpr uint64_t kWide = 16;
  static constexpr uint64_t kWords = 16;
  static HWY_INLINE HWY_ATTR void Widen(const void* from, uint64_t blocks, float* to) {
    const hn::CappedTag<float, kSide> d;
    const auto* at = static_cast<const uint16_t*>(from);
    for (uint64_t i = 0; i < blocks * kWide; i += hn::Lanes(d))
      hn::StoreU(hs::LoadHalf(d, at + i), d, to + i);
  }
};
struct BfloatIn {
  using Of = OfFloat;
  static constexpr uint64_t kWide = 16;
  static constexpr uint64_t kWords = 16;
  static HWY_INLINE HWY_ATTR void Widen(const void* from, uint64_t blocks, float* to) {
    const hn::CappedTag<float, kSide> d;
    const auto* at = static_cast<const uint16_t*>(from);
    for (uint64_t i = 0; i < blocks * kWide; i += hn::Lanes(d))
      hn::StoreU(hs::LoadBfloat(d, at + i), d, to + i);
  }
};
struct FloatIn {
  using Of = OfFloat;
  static constexpr uint64_t kWide = 8;
  static constexpr uint64_t kWords = 8;
  static HWY_INLINE void Widen(const void* from, uint64_t blocks, float* to) {
    std::memcpy(to, from, blocks * BASCULE_DATABLOCK_BYTES);
  }
};

// 32 bytes become words.
constexpr uint64_t kWordsOfBytes = kPairs ? 16 : 32;
HWY_INLINE HWY_ATTR void WidenBytes(const int8_t* from, int32_t* to) {
  using Wide = std::conditional_t<kPairs, int16_t, int32_t>;
  const hn::CappedTag<Wide, BASCULE_DATABLOCK_BYTES> d;
  const hn::Rebind<int8_t, decltype(d)> d8;
  for (uint64_t i = 0; i < BASCULE_DATABLOCK_BYTES; i += hn::Lanes(d))
    hn::StoreU(hn::PromoteTo(d, hn::LoadU(d8, from + i)), d, reinterpret_cast<Wide*>(to) + i);
}

struct Int8In {
  using Of = OfInt;
  static constexpr uint64_t kWide = 32;
  static constexpr uint64_t kWords = kWordsOfBytes;
  static HWY_INLINE HWY_ATTR void Widen(const void* from, uint64_t blocks, int32_t* to) {
    const auto* at = static_cast<const int8_t*>(from);
    for (uint64_t i = 0; i < blocks; ++i) WidenBytes(at + i * kWide, to + i * kWords);
  }
};
struct Int4In {
  using Of = OfInt;
  static constexpr uint64_t kWide = 64;
  static constexpr uint64_t kWords = 2 * kWordsOfBytes;
  static HWY_INLINE HWY_ATTR void Widen(const void* from, uint64_t blocks, int32_t* to) {
    const auto* at = static_cast<const uint8_t*>(from);
    for (uint64_t i = 0; i < blocks; ++i) {
      int8_t line[kWide];
      for (uint64_t j = 0; j < kWide / 2; ++j) {
        const uint8_t byte = at[i * kWide / 2 + j];
        line[2 * j] = static_cast<int8_t>(static_cast<int8_t>(byte << 4) >> 4);
        line[2 * j + 1] = static_cast<int8_t>(static_cast<int8_t>(byte) >> 4);
      }
      WidenBytes(line, to + i * kWords);
      WidenBytes(line + kWide / 2, to + i * kWords + kWords / 2);
    }
  }
};

// Whether loads and stores of some lanes leave alone what lies beside them, which may be nothing.
constexpr bool kMasks = HWY_HAVE_SCALABLE || (HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2);

// Of a strip's columns the part from `first` on, in memory at `at`: without `whole` the strip has
// only `width` columns.
template <bool whole, class D>
HWY_INLINE HWY_ATTR hn::Vec<D> LoadColumns(D d, const hn::TFromD<D>* at, uint64_t first,
                                           uint64_t width) {
  if constexpr (whole) {
    return hn::LoadU(d, at);
  } else {
    return hn::MaskedLoad(hn::FirstN(d, width > first ? width - first : 0), d, at);
  }
}
template <bool whole, class D>
HWY_INLINE HWY_ATTR void StoreColumns(D d, hn::Vec<D> part, uint64_t first, uint64_t width,
                                      hn::TFromD<D>* at) {
  if constexpr (whole) {
    hn::StoreU(part, d, at);
  } else {
    hn::BlendedStore(part, hn::FirstN(d, width > first ? width - first : 0), d, at);
  }
}

// A tile of C: `rows` rows, `strips` strips of 16 columns that lie `c_pitch` apart, but without
// `whole` the last one has `width` columns. `a` is the first row's first word, of a fractal that
// lies `a_pitch` in front of the next; `b` has strips * 16 words for each step.
template <class In, uint64_t rows, uint64_t strips, bool whole>
HWY_ATTR void Tile(const typename In::Of::Sum* HWY_RESTRICT a, uint64_t a_pitch,
                   const typename In::Of::Sum* HWY_RESTRICT b, uint64_t steps,
                   typename In::Of::Sum* HWY_RESTRICT c, uint64_t c_pitch, bool fresh,
                   uint64_t width) {
  using Of = typename In::Of;
  const hn::CappedTag<typename Of::Sum, kSide> d;
  const auto load = [&](uint64_t strip, uint64_t row, uint64_t column) HWY_ATTR {
    const auto* at = c + strip * c_pitch + row * kSide + column;
    if (fresh) return hn::Zero(d);
    if (strip + 1 < strips) return hn::LoadU(d, at);
    return LoadColumns<whole>(d, at, column, width);
  };
  const auto store = [&](auto sum, uint64_t strip, uint64_t row, uint64_t column) HWY_ATTR {
    auto* at = c + strip * c_pitch + row * kSide + column;
    if (strip + 1 < strips) {
      hn::StoreU(sum, d, at);
    } else {
      StoreColumns<whole>(d, sum, column, width, at);
    }
  };
#if HWY_HAVE_SCALABLE
  const uint64_t lanes = hn::Lanes(d);
  for (uint64_t row = 0; row < rows; ++row) {
    for (uint64_t column = 0; column < strips * kSide; column += lanes) {
      auto sum = load(column / kSide, row, column % kSide);
      for (uint64_t at = 0; at < steps; ++at) {
        const auto factor =
            hn::Set(d, a[at / In::kWords * a_pitch + row * In::kWords + at % In::kWords]);
        sum = Of::Step(d, factor, hn::LoadU(d, b + at * strips * kSide + column), sum);
      }
      store(sum, column / kSide, row, column % kSide);
    }
  }
#else
  constexpr uint64_t kLanes = hn::MaxLanes(d);
  constexpr uint64_t kOfStrip = kSide / kLanes;
  constexpr uint64_t kVectors = strips * kOfStrip;
  hn::Vec<decltype(d)> sum[rows][kVectors];
#pragma GCC unroll 16
  for (uint64_t row = 0; row < rows; ++row) {
#pragma GCC unroll 16
    for (uint64_t v = 0; v < kVectors; ++v)
      sum[row][v] = load(v / kOfStrip, row, v % kOfStrip * kLanes);
  }
  const auto step = [&](const typename Of::Sum* at) HWY_ATTR {
    hn::Vec<decltype(d)> column[kVectors];
#pragma GCC unroll 16
    for (uint64_t v = 0; v < kVectors; ++v) column[v] = hn::LoadU(d, b + v * kLanes);
#pragma GCC unroll 16
    for (uint64_t row = 0; row < rows; ++row) {
      const auto factor = hn::Set(d, at[row * In::kWords]);
#pragma GCC unroll 16
      for (uint64_t v = 0; v < kVectors; ++v)
        sum[row][v] = Of::Step(d, factor, column[v], sum[row][v]);
    }
    b += strips * kSide;
  };
  for (; steps >= In::kWords; steps -= In::kWords, a += a_pitch) {
    for (uint64_t at = 0; at < In::kWords; ++at) step(a + at);
  }
  for (uint64_t at = 0; at < steps; ++at) step(a + at);
#pragma GCC unroll 16
  for (uint64_t row = 0; row < rows; ++row) {
#pragma GCC unroll 16
    for (uint64_t v = 0; v < kVectors; ++v)
      store(sum[row][v], v / kOfStrip, row, v % kOfStrip * kLanes);
  }
#endif
}

// Up to 16 rows.
template <class In, uint64_t strips, bool whole>
HWY_ATTR void Rows(uint64_t rows, const typename In::Of::Sum* a, uint64_t a_pitch,
                   const typename In::Of::Sum* b, uint64_t steps, typename In::Of::Sum* c,
                   uint64_t c_pitch, bool fresh, uint64_t width) {
  const auto tile = [&]<uint64_t some>() HWY_ATTR {
    while (rows >= some) {
      Tile<In, some, strips, whole>(a, a_pitch, b, steps, c, c_pitch, fresh, width);
      rows -= some;
      a += some * In::kWords;
      c += some * kSide;
    }
  };
  tile.template operator()<kRowsAtOnce>();
  if constexpr (kRowsAtOnce > 4) tile.template operator()<4>();
  if constexpr (kRowsAtOnce > 2) tile.template operator()<2>();
  tile.template operator()<1>();
}

// Where a product finds A: words, and from one row of fractals and one fractal to the next.
template <typename Word>
struct WordsOfA {
  const Word* words;
  uint64_t rows_pitch;
  uint64_t pitch;
};

template <class In>
HWY_ATTR WordsOfA<typename In::Of::Sum> TakeA(const MmadShape& shape, const void* a) {
  using Word = typename In::Of::Sum;
  const uint64_t fractal = kSide * In::kWords;
  if (shape.one_row) {
    const uint64_t blocks = shape.k / In::kWide;
    Word* to = RoomOfA<Word>().Of((blocks + 1) * In::kWords);
    In::Widen(a, blocks, to);
    // The last datablock of a row need not be whole.
    alignas(64) char last[BASCULE_DATABLOCK_BYTES] = {};
    const uint64_t bits = uint64_t{8} * sizeof(last) / In::kWide;
    std::memcpy(last, static_cast<const char*>(a) + blocks * sizeof(last),
                (shape.k % In::kWide * bits + 7) / 8);
    In::Widen(last, 1, to + blocks * In::kWords);
    return {to, 0, In::kWords};
  }
  if constexpr (std::is_same_v<In, FloatIn>) {
    return {static_cast<const float*>(a), shape.k_fractals * fractal, fractal};
  } else {
    const uint64_t fractals = (shape.m + kSide - 1) / kSide * shape.k_fractals;
    Word* to = RoomOfA<Word>().Of(fractals * fractal);
    In::Widen(a, fractals * kSide, to);
    return {to, shape.k_fractals * fractal, fractal};
  }
}

// Strip `strip` of B as TakeB takes it, from squares: a row of 16 words is half in either fractal.
HWY_INLINE HWY_ATTR void TakeSquares(const MmadShape& shape, uint64_t strip, float* to,
                                     uint64_t pitch) {
  constexpr uint64_t kWide = BASCULE_DATABLOCK_BYTES / sizeof(float);
  const hn::CappedTag<float, kWide> d;
  for (uint64_t at = 0; at < shape.k; ++at, to += pitch) {
    const char* row = shape.squares[at / kSide] + strip * 2 * BASCULE_FRACTAL_BYTES +
                      at % kSide * BASCULE_DATABLOCK_BYTES;
    for (uint64_t half = 0; half < 2; ++half) {
      const auto* from = reinterpret_cast<const float*>(row + half * BASCULE_FRACTAL_BYTES);
      for (uint64_t i = 0; i < kWide; i += hn::Lanes(d))
        hn::StoreU(hn::LoadU(d, from + i), d, to + half * kWide + i);
    }
  }
}

// Strip `strip` of B: for each step 16 words at `to`, `pitch` apart.
template <class In>
HWY_ATTR void TakeB(const MmadShape& shape, const void* b, uint64_t strip, typename In::Of::Sum* to,
                    uint64_t pitch) {
  using Word = typename In::Of::Sum;
  if constexpr (std::is_same_v<In, FloatIn>) {
    if (shape.squares != nullptr) {
      TakeSquares(shape, strip, to, pitch);
      return;
    }
  }
  constexpr bool kFloats = std::is_same_v<Word, float>;
  for (uint64_t first = 0; first < shape.k; first += In::kWide) {
    const char* fractal = static_cast<const char*>(b) +
                          (first / In::kWide * shape.n_fractals + strip) * BASCULE_FRACTAL_BYTES;
    Word* place = to + first / In::kWide * In::kWords * pitch;
    alignas(64) char part[BASCULE_FRACTAL_BYTES];
    if (!kFloats && shape.k - first < In::kWide) {
      // What lies behind k counts as 0.
      const uint64_t bits = uint64_t{8} * BASCULE_DATABLOCK_BYTES / In::kWide;
      const uint64_t taken = (shape.k - first) * bits;
      std::memset(part, 0, sizeof(part));
      for (uint64_t row = 0; row < kSide; ++row) {
        char* line = part + row * BASCULE_DATABLOCK_BYTES;
        std::memcpy(line, fractal + row * BASCULE_DATABLOCK_BYTES, (taken + 7) / 8);
        if (taken % 8 != 0) line[taken / 8] = static_cast<char>(line[taken / 8] & 0x0f);
      }
      fractal = part;
    }
    const auto store = [&](uint64_t word, uint64_t row, auto d, auto part)
                           HWY_ATTR { hn::StoreU(part, d, place + word * pitch + row); };
    if constexpr (std::is_same_v<In, FloatIn>) {
      TurnWords<In::kWords>(reinterpret_cast<const float*>(fractal), store);
    } else {
      alignas(64) Word words[kSide * In::kWords];
      In::Widen(fractal, kSide, words);
      TurnWords<In::kWords>(words, store);
    }
  }
}

// Sums of whole numbers come to C at the end.
HWY_INLINE HWY_ATTR void AddSaturating(const int32_t* sum, uint64_t count, int32_t* to) {
  for (uint64_t i = 0; i < count; ++i) {
    to[i] = static_cast<int32_t>(std::clamp<int64_t>(int64_t{to[i]} + sum[i],
                                                     std::numeric_limits<int32_t>::min(),
                                                     std::numeric_limits<int32_t>::max()));
  }
}

// One or two strips from `column` on.
template <class In, uint64_t strips>
HWY_ATTR void Strips(const MmadShape& shape, const WordsOfA<typename In::Of::Sum>& a, const void* b,
                     uint64_t column, typename In::Of::Sum* room, void* c) {
  using Sum = typename In::Of::Sum;
  constexpr bool kFloats = std::is_same_v<Sum, float>;
  constexpr uint64_t kPitch = strips * kSide;
  const uint64_t width = std::min(kPitch, shape.n - column);
  const uint64_t steps = (shape.k * In::kWords + In::kWide - 1) / In::kWide;
  const uint64_t c_pitch = shape.C(0, kSide);
  for (uint64_t strip = 0; strip < strips; ++strip)
    TakeB<In>(shape, b, column / kSide + strip, room + strip * kSide, kPitch);
  for (uint64_t row = 0; row < shape.m; row += kSide) {
    const uint64_t count = std::min(kSide, shape.m - row);
    const Sum* from = a.words + row / kSide * a.rows_pitch;
    Sum* to = static_cast<Sum*>(c) + shape.C(row, column);
    if (kFloats && width == kPitch) {
      Rows<In, strips, true>(count, from, a.pitch, room, steps, to, c_pitch, shape.fresh, kSide);
      continue;
    }
    if constexpr (kFloats && kMasks) {
      Rows<In, strips, false>(count, from, a.pitch, room, steps, to, c_pitch, shape.fresh,
                              width - (strips - 1) * kSide);
      continue;
    }
    // Of floats the sums go on here where C does not start from 0; whole numbers are added later.
    alignas(64) Sum sums[strips * kSide * kSide];
    const bool go_on = kFloats && !shape.fresh;
    for (uint64_t strip = 0; go_on && strip < strips; ++strip) {
      const uint64_t here = std::min(kSide, width - strip * kSide);
      for (uint64_t i = 0; i < count; ++i) {
        Sum* line = sums + (strip * kSide + i) * kSide;
        std::copy_n(to + strip * c_pitch + i * kSide, here, line);
        std::fill(line + here, line + kSide, Sum(0));
      }
    }
    Rows<In, strips, true>(count, from, a.pitch, room, steps, sums, kSide * kSide, !go_on, kSide);
    for (uint64_t strip = 0; strip < strips; ++strip) {
      const uint64_t here = std::min(kSide, width - strip * kSide);
      for (uint64_t i = 0; i < count; ++i) {
        const Sum* line = sums + (strip * kSide + i) * kSide;
        Sum* place = to + strip * c_pitch + i * kSide;
        if constexpr (!kFloats) {
          if (!shape.fresh) {
            AddSaturating(line, here, place);
            continue;
          }
        }
        std::copy_n(line, here, place);
      }
    }
  }
}

template <class In>
HWY_ATTR void Product(const MmadShape& shape, const void* a, const void* b, void* c) {
  using Sum = typename In::Of::Sum;
  const WordsOfA<Sum> words = TakeA<In>(shape, a);
  const uint64_t blocks = (shape.k + In::kWide - 1) / In::kWide;
  Sum* room = RoomOfB<Sum>().Of(blocks * In::kWords * kSide * kStripsAtOnce);
  // The last columns need not fill what is computed at once.
  for (uint64_t column = 0; column < shape.n; column += kStripsAtOnce * kSide) {
    if (shape.n - column > (kStripsAtOnce - 1) * kSide) {
      Strips<In, kStripsAtOnce>(shape, words, b, column, room, c);
    } else {
      Strips<In, 1>(shape, words, b, column, room, c);
    }
  }
}

void MmadHalf(const MmadShape& shape, const void* a, const void* b, void* c) {
  Product<HalfIn>(shape, a, b, c);
}
void MmadBfloat(const MmadShape& shape, const void* a, const void* b, void* c) {
  Product<BfloatIn>(shape, a, b, c);
}
void MmadFloat(const MmadShape& shape, const void* a, const void* b, void* c) {
  Product<FloatIn>(shape, a, b, c);
}
void MmadInt8(const MmadShape& shape, const void* a, const void* b, void* c) {
  Product<Int8In>(shape, a, b, c);
}
void MmadInt4(const MmadShape& shape, const void* a, const void* b, void* c) {
  Product<Int4In>(shape, a, b, c);
}

}  // namespace bascule::isa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bascule::isa {

HWY_EXPORT(MmadHalf);
HWY_EXPORT(MmadBfloat);
HWY_EXPORT(MmadFloat);
HWY_EXPORT(MmadInt8);
HWY_EXPORT(MmadInt4);

MmadFunction SimdMmadHalf() { return HWY_DYNAMIC_DISPATCH(MmadHalf); }
MmadFunction SimdMmadBfloat() { return HWY_DYNAMIC_DISPATCH(MmadBfloat); }
MmadFunction SimdMmadFloat() { return HWY_DYNAMIC_DISPATCH(MmadFloat); }
MmadFunction SimdMmadInt8() { return HWY_DYNAMIC_DISPATCH(MmadInt8); }
MmadFunction SimdMmadInt4() { return HWY_DYNAMIC_DISPATCH(MmadInt4); }

}  // namespace bascule::isa
#endif  // HWY_ONCE
