// The SIMD forms of Mmad, compiled once for every CPU target.
//
// A block of C, 16 columns wide, is kept in registers while k runs; each sum takes its products in
// the order of k, so all targets give the bits of the plain loop. The operands are laid out first:
// B as 16 columns next to each other for each k, A as the rows of a block for each k, both in the
// type the sum has. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "bascule/abi/kernel.h"
#include "isa/cube/mmad.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "isa/cube/mmad_simd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "simd/bfloat-inl.h"
#include "simd/half-inl.h"

#ifndef BASCULE_ISA_CUBE_MMAD_ONCE
#define BASCULE_ISA_CUBE_MMAD_ONCE
namespace bascule::isa {
namespace {

// Room for panels, kept by each thread: a product is never interrupted by another one.
template <typename T>
T* Room(std::vector<T>& room, uint64_t elements) {
  if (room.size() < elements) room.resize(elements);
  return room.data();
}
template <typename T>
std::vector<T>& RoomOfA() {
  thread_local std::vector<T> room;
  return room;
}
template <typename T>
std::vector<T>& RoomOfB() {
  thread_local std::vector<T> room;
  return room;
}

}  // namespace
}  // namespace bascule::isa
#endif  // BASCULE_ISA_CUBE_MMAD_ONCE

HWY_BEFORE_NAMESPACE();
namespace bascule::isa::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace hs = bascule::simd::HWY_NAMESPACE;

// Rows of a block of C that are computed together, as many as registers hold.
constexpr uint64_t kRowsAtOnce = 6;

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
// 4095 products of int8 are far from the end of int32.
struct OfInt {
  using Sum = int32_t;
  template <class D>
  static HWY_INLINE hn::Vec<D> Step(D /*d*/, hn::Vec<D> a, hn::Vec<D> b, hn::Vec<D> c) {
    return hn::Add(hn::Mul(a, b), c);
  }
};

// `rows` rows of 16 columns: c += a b. `a` has `pitch` rows for each k, c 16 elements for each row.
template <class Of, uint64_t rows>
HWY_ATTR void Block(const typename Of::Sum* HWY_RESTRICT a, uint64_t pitch,
                    const typename Of::Sum* HWY_RESTRICT b, uint64_t k,
                    typename Of::Sum* HWY_RESTRICT c) {
  const hn::CappedTag<typename Of::Sum, kSide> d;
#if HWY_HAVE_SCALABLE
  const uint64_t lanes = hn::Lanes(d);
  for (uint64_t row = 0; row < rows; ++row) {
    for (uint64_t column = 0; column < kSide; column += lanes) {
      auto sum = hn::LoadU(d, c + row * kSide + column);
      for (uint64_t at = 0; at < k; ++at) {
        sum = Of::Step(d, hn::Set(d, a[at * pitch + row]), hn::LoadU(d, b + at * kSide + column),
                       sum);
      }
      hn::StoreU(sum, d, c + row * kSide + column);
    }
  }
#else
  constexpr uint64_t kLanes = hn::MaxLanes(d);
  constexpr uint64_t kVectors = kSide / kLanes;
  hn::Vec<decltype(d)> sum[rows][kVectors];
#pragma GCC unroll 16
  for (uint64_t row = 0; row < rows; ++row) {
#pragma GCC unroll 4
    for (uint64_t v = 0; v < kVectors; ++v) {
      sum[row][v] = hn::LoadU(d, c + row * kSide + v * kLanes);
    }
  }
  for (uint64_t at = 0; at < k; ++at) {
    hn::Vec<decltype(d)> column[kVectors];
#pragma GCC unroll 4
    for (uint64_t v = 0; v < kVectors; ++v) {
      column[v] = hn::LoadU(d, b + at * kSide + v * kLanes);
    }
#pragma GCC unroll 16
    for (uint64_t row = 0; row < rows; ++row) {
      const auto factor = hn::Set(d, a[at * pitch + row]);
#pragma GCC unroll 4
      for (uint64_t v = 0; v < kVectors; ++v) {
        sum[row][v] = Of::Step(d, factor, column[v], sum[row][v]);
      }
    }
  }
#pragma GCC unroll 16
  for (uint64_t row = 0; row < rows; ++row) {
#pragma GCC unroll 4
    for (uint64_t v = 0; v < kVectors; ++v) {
      hn::StoreU(sum[row][v], d, c + row * kSide + v * kLanes);
    }
  }
#endif
}

template <class Of>
HWY_ATTR void Rows(uint64_t rows, const typename Of::Sum* a, uint64_t pitch,
                   const typename Of::Sum* b, uint64_t k, typename Of::Sum* c) {
  while (rows > 0) {
    const uint64_t now = std::min(rows, kRowsAtOnce);
    switch (now) {
      case 6:
        Block<Of, 6>(a, pitch, b, k, c);
        break;
      case 5:
        Block<Of, 5>(a, pitch, b, k, c);
        break;
      case 4:
        Block<Of, 4>(a, pitch, b, k, c);
        break;
      case 3:
        Block<Of, 3>(a, pitch, b, k, c);
        break;
      case 2:
        Block<Of, 2>(a, pitch, b, k, c);
        break;
      default:
        Block<Of, 1>(a, pitch, b, k, c);
        break;
    }
    rows -= now;
    a += now;
    c += now * kSide;
  }
}

// The types an operand can have: how a datablock of it is widened.
struct HalfIn {
  using Of = OfHalf;
  static constexpr uint64_t kWide = 16;
  static HWY_INLINE HWY_ATTR void Get(const void* from, uint64_t element, float* to) {
    const hn::CappedTag<float, kSide> d;
    const uint16_t* at = static_cast<const uint16_t*>(from) + element;
    for (uint64_t i = 0; i < kWide; i += hn::Lanes(d))
      hn::StoreU(hs::LoadHalf(d, at + i), d, to + i);
  }
};
struct BfloatIn {
  using Of = OfFloat;
  static constexpr uint64_t kWide = 16;
  static HWY_INLINE HWY_ATTR void Get(const void* from, uint64_t element, float* to) {
    const hn::CappedTag<float, kSide> d;
    const uint16_t* at = static_cast<const uint16_t*>(from) + element;
    for (uint64_t i = 0; i < kWide; i += hn::Lanes(d))
      hn::StoreU(hs::LoadBfloat(d, at + i), d, to + i);
  }
};
struct FloatIn {
  using Of = OfFloat;
  static constexpr uint64_t kWide = 8;
  static HWY_INLINE void Get(const void* from, uint64_t element, float* to) {
    std::memcpy(to, static_cast<const float*>(from) + element, kWide * sizeof(float));
  }
};
struct Int8In {
  using Of = OfInt;
  static constexpr uint64_t kWide = 32;
  static HWY_INLINE void Get(const void* from, uint64_t element, int32_t* to) {
    const int8_t* at = static_cast<const int8_t*>(from) + element;
    for (uint64_t i = 0; i < kWide; ++i) to[i] = at[i];
  }
};
struct Int4In {
  using Of = OfInt;
  static constexpr uint64_t kWide = 64;
  static HWY_INLINE void Get(const void* from, uint64_t element, int32_t* to) {
    const uint8_t* at = static_cast<const uint8_t*>(from) + element / 2;
    for (uint64_t i = 0; i < kWide / 2; ++i) {
      to[2 * i] = static_cast<int8_t>(at[i] << 4) >> 4;
      to[2 * i + 1] = static_cast<int8_t>(at[i]) >> 4;
    }
  }
};

// `count` rows of A from `row` on as columns: element (row, at) at to[at * count + row]. So are
// columns of B.
template <class In, class Index>
HWY_ATTR void LayOut(const void* from, uint64_t count, uint64_t k, typename In::Of::Sum* to,
                     uint64_t pitch, const Index& index) {
  typename In::Of::Sum line[In::kWide];
  for (uint64_t first = 0; first < k; first += In::kWide) {
    const uint64_t here = std::min(In::kWide, k - first);
    for (uint64_t i = 0; i < count; ++i) {
      In::Get(from, index(i, first), line);
      for (uint64_t j = 0; j < here; ++j) to[(first + j) * pitch + i] = line[j];
    }
  }
}

// What comes after the sums: those of int32 saturate.
HWY_INLINE void Finish(const float* sum, uint64_t count, float* to) {
  std::memcpy(to, sum, count * sizeof(float));
}
HWY_INLINE void Finish(const int32_t* sum, uint64_t count, int32_t* to) {
  for (uint64_t i = 0; i < count; ++i) {
    to[i] = static_cast<int32_t>(std::clamp<int64_t>(int64_t{to[i]} + sum[i],
                                                     std::numeric_limits<int32_t>::min(),
                                                     std::numeric_limits<int32_t>::max()));
  }
}

template <class In>
HWY_ATTR void Product(const MmadShape& shape, const void* a, const void* b, void* c) {
  using Sum = typename In::Of::Sum;
  constexpr bool kFloats = std::is_same_v<Sum, float>;
  Sum* rows = Room(RoomOfA<Sum>(), shape.m * shape.k + In::kWide);
  Sum* columns = Room(RoomOfB<Sum>(), shape.k * kSide);
  // Blocks of rows one after the other, each with its rows side by side for every k.
  for (uint64_t row = 0; row < shape.m; row += kSide) {
    const uint64_t count = std::min(kSide, shape.m - row);
    if (shape.one_row) {
      Sum line[In::kWide];
      for (uint64_t first = 0; first < shape.k; first += In::kWide) {
        const uint64_t here = std::min(In::kWide, shape.k - first);
        if (here == In::kWide) {
          In::Get(a, first, rows + first);
          continue;
        }
        // The last datablock of a row need not be whole.
        alignas(64) char last[BASCULE_DATABLOCK_BYTES] = {};
        const uint64_t bits = uint64_t{8} * sizeof(last) / In::kWide;
        std::memcpy(last, static_cast<const char*>(a) + first * bits / 8, (here * bits + 7) / 8);
        In::Get(last, 0, line);
        std::copy_n(line, here, rows + first);
      }
    } else {
      LayOut<In>(a, count, shape.k, rows + row * shape.k, count,
                 [&](uint64_t i, uint64_t at) { return shape.A(row + i, at); });
    }
  }
  for (uint64_t column = 0; column < shape.n; column += kSide) {
    const uint64_t width = std::min(kSide, shape.n - column);
    LayOut<In>(b, kSide, shape.k, columns, kSide,
               [&](uint64_t i, uint64_t at) { return shape.B(at, column + i); });
    for (uint64_t row = 0; row < shape.m; row += kSide) {
      const uint64_t count = std::min(kSide, shape.m - row);
      Sum* to = static_cast<Sum*>(c) + shape.C(row, column);
      if (kFloats && width == kSide) {
        Rows<typename In::Of>(count, rows + row * shape.k, count, columns, shape.k, to);
        continue;
      }
      Sum sums[kSide * kSide] = {};
      if (kFloats) {
        for (uint64_t i = 0; i < count; ++i) std::copy_n(to + i * kSide, width, sums + i * kSide);
      }
      Rows<typename In::Of>(count, rows + row * shape.k, count, columns, shape.k, sums);
      for (uint64_t i = 0; i < count; ++i) Finish(sums + i * kSide, width, to + i * kSide);
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
