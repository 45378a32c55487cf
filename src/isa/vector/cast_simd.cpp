// The SIMD forms of Cast, compiled once for every CPU target. Every one gives the bits of the
// conversions in bascule/numeric/convert.h.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstring>
#include <limits>

#include "bascule/numeric/convert.h"
#include "bascule/numeric/half.h"
#include "bascule/numeric/int4.h"
#include "isa/vector/cast.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "isa/vector/cast_simd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "simd/bfloat-inl.h"
#include "simd/half-inl.h"
#include "simd/loop-inl.h"
#include "simd/small_int-inl.h"

HWY_BEFORE_NAMESPACE();
namespace bascule::isa::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace hs = bascule::simd::HWY_NAMESPACE;
using numeric::Rounding;

// --- rounding ---------------------------------------------------------------------------------

// To an integer, as a float; the sign of a zero does not matter to the callers.
template <Rounding kMode, class D>
HWY_INLINE HWY_ATTR hn::Vec<D> RoundWhole(D d, hn::Vec<D> v) {
  if constexpr (kMode == Rounding::kFloor) return hn::Floor(v);
  if constexpr (kMode == Rounding::kCeil) return hn::Ceil(v);
  if constexpr (kMode == Rounding::kTrunc) return hn::Trunc(v);
  if constexpr (kMode == Rounding::kRound) {
    const auto whole = hn::Trunc(v);
    const auto away = hn::Add(whole, hn::CopySign(hn::Set(d, 1.0f), v));
    return hn::IfThenElse(hn::Ge(hn::Abs(hn::Sub(v, whole)), hn::Set(d, 0.5f)), away, whole);
  }
  return hn::Round(v);
}

// What has to be added to a magnitude in digits, so that cutting off the digits of `rest_mask`
// rounds it: `half` is the first of them, `last` the last digit that stays, 0 or 1.
template <Rounding kMode, class D, class V>
HWY_INLINE HWY_ATTR V Increment(D d, V half, V rest_mask, V last, hn::Mask<D> negative) {
  if constexpr (kMode == Rounding::kTrunc) return hn::Zero(d);
  if constexpr (kMode == Rounding::kRound) return half;
  if constexpr (kMode == Rounding::kFloor) return hn::IfThenElseZero(negative, rest_mask);
  if constexpr (kMode == Rounding::kCeil) return hn::IfThenZeroElse(negative, rest_mask);
  // An even digit becomes odd where anything is cut off.
  if constexpr (kMode == Rounding::kOdd)
    return hn::IfThenElseZero(hn::Eq(last, hn::Zero(d)), rest_mask);
  return hn::Add(hn::Sub(half, hn::Set(d, 1)), last);
}

template <Rounding kMode, class D>
HWY_INLINE HWY_ATTR void StoreHalfBy(D d, hn::Vec<D> value, uint16_t* to) {
  if constexpr (kMode == Rounding::kRint) {
    hs::StoreHalf(d, value, to);
    return;
  }
  const hn::RebindToUnsigned<D> du;
  const hn::RebindToSigned<D> di;
  const hn::Rebind<uint16_t, D> du16;
  const auto one = hn::Set(du, 1);
  const auto bits = hn::BitCast(du, value);
  const auto magnitude = hn::And(bits, hn::Set(du, 0x7fffffff));
  const auto sign = hn::And(hn::ShiftRight<16>(bits), hn::Set(du, 0x8000));
  const auto negative = hn::Ne(sign, hn::Zero(du));
  // Signed comparisons: magnitudes are below 2^31.
  auto below = [&](uint32_t limit) HWY_ATTR {
    return hn::RebindMask(
        du, hn::Lt(hn::BitCast(di, magnitude), hn::Set(di, static_cast<int32_t>(limit))));
  };
  // A normal half keeps 10 of 23 digits behind the point; a smaller one fewer, down to none.
  const auto normal_digits = hn::Sub(magnitude, hn::Set(du, 0x38000000));
  const auto small_digits =
      hn::Or(hn::And(magnitude, hn::Set(du, 0x7fffff)), hn::Set(du, 0x800000));
  const auto is_small = below(0x38800000);
  const auto exponent = hn::ShiftRight<23>(magnitude);
  const auto small_shift = hn::Min(hn::Sub(hn::Set(du, 126), exponent), hn::Set(du, 25));
  const auto shift = hn::IfThenElse(is_small, small_shift, hn::Set(du, 13));
  const auto digits = hn::IfThenElse(is_small, small_digits, normal_digits);
  const auto half = hn::Shl(one, hn::Sub(shift, one));
  const auto rest_mask = hn::Sub(hn::Add(half, half), one);
  const auto last = hn::And(hn::Shr(digits, shift), one);
  auto code =
      hn::Shr(hn::Add(digits, Increment<kMode>(du, half, rest_mask, last, negative)), shift);
  code = hn::IfThenElse(hn::Eq(magnitude, hn::Zero(du)), magnitude, code);
  const auto nan =
      hn::Or(hn::Set(du, 0x7e00), hn::And(hn::ShiftRight<13>(magnitude), hn::Set(du, 0x3ff)));
  code = hn::IfThenElse(below(0x47800000), code, hn::Set(du, 0x7c00));
  code = hn::IfThenElse(below(0x7f800001), code, nan);
  hn::StoreU(hn::DemoteTo(du16, hn::BitCast(di, hn::Or(code, sign))), du16, to);
}

template <Rounding kMode, class D>
HWY_INLINE HWY_ATTR void StoreBfloatBy(D d, hn::Vec<D> value, uint16_t* to) {
  if constexpr (kMode == Rounding::kRint) {
    hs::StoreBfloat(d, value, to);
    return;
  }
  const hn::RebindToUnsigned<D> du;
  const hn::RebindToSigned<D> di;
  const auto bits = hn::BitCast(du, value);
  const auto last = hn::And(hn::ShiftRight<16>(bits), hn::Set(du, 1));
  const auto negative = hn::RebindMask(du, hn::Lt(hn::BitCast(di, bits), hn::Zero(di)));
  const auto rounded =
      hn::Add(bits, Increment<kMode>(du, hn::Set(du, 0x8000), hn::Set(du, 0xffff), last, negative));
  const auto quiet = hn::Or(bits, hn::Set(du, 0x400000));
  hs::StoreUpperHalves(d, hn::IfThenElse(hn::RebindMask(du, hn::IsNaN(value)), quiet, rounded), to);
}

// --- lanes: how an element type becomes floats, and floats become it -----------------------------

struct FloatLane {
  using Stored = float;
  template <class D>
  static HWY_INLINE HWY_ATTR hn::Vec<D> Load(D d, const Stored* from) {
    return hn::LoadU(d, from);
  }
  // From float to float the value becomes an integer; zeros become positive.
  template <Rounding kMode, class D>
  static HWY_INLINE HWY_ATTR void StoreWhole(D d, hn::Vec<D> value, Stored* to) {
    hn::StoreU(hn::Add(RoundWhole<kMode>(d, value), hn::Zero(d)), d, to);
  }
  template <Rounding kMode, class D>
  static HWY_INLINE HWY_ATTR void Store(D d, hn::Vec<D> value, Stored* to) {
    hn::StoreU(value, d, to);
  }
};

struct HalfLane {
  using Stored = uint16_t;
  template <class D>
  static HWY_INLINE HWY_ATTR hn::Vec<D> Load(D d, const Stored* from) {
    return hs::LoadHalf(d, from);
  }
  template <Rounding kMode, class D>
  static HWY_INLINE HWY_ATTR void Store(D d, hn::Vec<D> value, Stored* to) {
    StoreHalfBy<kMode>(d, value, to);
  }
};

struct BfloatLane {
  using Stored = uint16_t;
  template <class D>
  static HWY_INLINE HWY_ATTR hn::Vec<D> Load(D d, const Stored* from) {
    return hs::LoadBfloat(d, from);
  }
  template <Rounding kMode, class D>
  static HWY_INLINE HWY_ATTR void Store(D d, hn::Vec<D> value, Stored* to) {
    StoreBfloatBy<kMode>(d, value, to);
  }
};

// 8 and 16 bits: floats hold them all.
template <typename T>
struct NarrowLane {
  using Stored = T;
  template <class D>
  static HWY_INLINE HWY_ATTR hn::Vec<D> Load(D d, const Stored* from) {
    return hs::LoadSmallInt(d, from);
  }
  template <Rounding kMode, class D>
  static HWY_INLINE HWY_ATTR void Store(D d, hn::Vec<D> value, Stored* to) {
    hs::StoreSmallInt(d, RoundWhole<kMode>(d, value), to);
  }
};
using Int8Lane = NarrowLane<int8_t>;
using UInt8Lane = NarrowLane<uint8_t>;
using Int16Lane = NarrowLane<int16_t>;

struct Int4Lane {};  // two in a byte: by way of int8_t

struct Int32Lane {
  using Stored = int32_t;
  template <Rounding kMode, class D>
  static HWY_INLINE HWY_ATTR void Store(D d, hn::Vec<D> value, Stored* to) {
    const hn::RebindToSigned<D> di;
    const auto beyond = hn::Set(d, 2147483648.0f);
    const auto number = hn::IfThenElseZero(hn::Eq(value, value), value);
    const auto whole = hn::Max(RoundWhole<kMode>(d, number), hn::Neg(beyond));
    const auto fits = hn::Lt(whole, beyond);
    const auto converted = hn::ConvertTo(di, hn::IfThenElseZero(fits, whole));
    hn::StoreU(hn::IfThenElse(hn::RebindMask(di, fits), converted,
                              hn::Set(di, std::numeric_limits<int32_t>::max())),
               di, to);
  }
};

// The rounding is what takes the time; the definition does the rest.
struct Int64Lane {
  using Stored = int64_t;
  template <Rounding kMode, class D>
  static HWY_INLINE HWY_ATTR void Store(D d, hn::Vec<D> value, Stored* to) {
    HWY_ALIGN float whole[hn::MaxLanes(d)];
    hn::StoreU(RoundWhole<kMode>(d, value), d, whole);
    for (size_t i = 0; i < hn::Lanes(d); ++i) {
      to[i] = numeric::Convert<int64_t>(whole[i], Rounding::kTrunc);
    }
  }
};

// --- loops ------------------------------------------------------------------------------------

// Calls `loop` with the mode as a type.
template <Rounding kMode>
struct ModeTag {
  static constexpr Rounding kRounding = kMode;
};
template <class Loop>
HWY_INLINE HWY_ATTR void WithMode(uint64_t scalar, const Loop& loop) {
  switch (static_cast<Rounding>(static_cast<uint32_t>(scalar))) {
    case Rounding::kFloor:
      return loop(ModeTag<Rounding::kFloor>());
    case Rounding::kCeil:
      return loop(ModeTag<Rounding::kCeil>());
    case Rounding::kRound:
      return loop(ModeTag<Rounding::kRound>());
    case Rounding::kTrunc:
      return loop(ModeTag<Rounding::kTrunc>());
    case Rounding::kOdd:
      return loop(ModeTag<Rounding::kOdd>());
    default:
      return loop(ModeTag<Rounding::kRint>());
  }
}

template <class From, class To, Rounding kMode>
HWY_ATTR void CastThroughFloat(void* dst, const void* src, uint64_t count) {
  using FromStored = typename From::Stored;
  using ToStored = typename To::Stored;
  const hn::ScalableTag<float> d;
  hs::ForVectors(d, static_cast<const FromStored*>(src), static_cast<ToStored*>(dst), count,
                 [&](const FromStored* from, ToStored* to) HWY_ATTR {
                   const auto value = From::Load(d, from);
                   if constexpr (std::is_same_v<From, FloatLane> && std::is_same_v<To, FloatLane>) {
                     To::template StoreWhole<kMode>(d, value, to);
                   } else {
                     To::template Store<kMode>(d, value, to);
                   }
                 });
}

template <class From, class To>
HWY_ATTR void Cast(From, To, void* dst, const void* src, uint64_t scalar, uint64_t count) {
  WithMode(scalar, [&](auto mode) HWY_ATTR {
    CastThroughFloat<From, To, decltype(mode)::kRounding>(dst, src, count);
  });
}
// A value that floats hold is not rounded.
template <class From>
HWY_ATTR void CastExactly(void* dst, const void* src, uint64_t count) {
  CastThroughFloat<From, FloatLane, Rounding::kRint>(dst, src, count);
}
HWY_ATTR void Cast(HalfLane, FloatLane, void* dst, const void* src, uint64_t, uint64_t count) {
  CastExactly<HalfLane>(dst, src, count);
}
HWY_ATTR void Cast(BfloatLane, FloatLane, void* dst, const void* src, uint64_t, uint64_t count) {
  CastExactly<BfloatLane>(dst, src, count);
}
HWY_ATTR void Cast(Int16Lane, FloatLane, void* dst, const void* src, uint64_t, uint64_t count) {
  CastExactly<Int16Lane>(dst, src, count);
}

constexpr uint64_t kPairsAtATime = 64;

HWY_ATTR void Cast(HalfLane, Int4Lane, void* dst, const void* src, uint64_t scalar,
                   uint64_t count) {
  const auto* from = static_cast<const uint16_t*>(src);
  auto* to = static_cast<uint8_t*>(dst);
  for (uint64_t i = 0; i < count; i += 2 * kPairsAtATime) {
    HWY_ALIGN int8_t bytes[2 * kPairsAtATime] = {};
    const uint64_t elements = HWY_MIN(count - i, 2 * kPairsAtATime);
    Cast(HalfLane(), Int8Lane(), bytes, from + i, scalar, elements);
    auto four_bits = [&](uint64_t at) {
      return int4b_t(HWY_MIN(HWY_MAX(bytes[at], numeric::kInt4Lowest), numeric::kInt4Highest));
    };
    for (uint64_t at = 0; at < elements; at += 2) {
      to[(i + at) / 2] = numeric::PackInt4(four_bits(at), four_bits(at + 1));
    }
  }
}
HWY_ATTR void Cast(Int4Lane, HalfLane, void* dst, const void* src, uint64_t scalar,
                   uint64_t count) {
  const auto* from = static_cast<const uint8_t*>(src);
  auto* to = static_cast<uint16_t*>(dst);
  for (uint64_t i = 0; i < count; i += 2 * kPairsAtATime) {
    HWY_ALIGN int8_t bytes[2 * kPairsAtATime];
    const uint64_t elements = HWY_MIN(count - i, 2 * kPairsAtATime);
    for (uint64_t at = 0; at < elements; at += 2) {
      const uint8_t pair = from[(i + at) / 2];
      bytes[at] = static_cast<int8_t>(static_cast<int>(numeric::FirstInt4(pair)));
      bytes[at + 1] = static_cast<int8_t>(static_cast<int>(numeric::SecondInt4(pair)));
    }
    Cast(Int8Lane(), HalfLane(), to + i, bytes, scalar, elements);
  }
}

// A double holds an int32_t. Rounded to the digits of a float among its own, it converts exactly.
template <Rounding kMode>
HWY_ATTR void Int32ToFloat(const int32_t* src, float* dst, uint64_t count) {
  if constexpr (kMode == Rounding::kRint) {
    const hn::ScalableTag<float> d;
    const hn::RebindToSigned<decltype(d)> di;
    hs::ForVectors(d, src, dst, count, [&](const int32_t* from, float* to) HWY_ATTR {
      hn::StoreU(hn::ConvertTo(d, hn::LoadU(di, from)), d, to);
    });
  } else {
    const hn::ScalableTag<double> d;
    const hn::RebindToUnsigned<decltype(d)> du;
    const hn::Rebind<int32_t, decltype(d)> narrow;
    const hn::Rebind<float, decltype(d)> floats;
    const auto half = hn::Set(du, uint64_t{1} << 28);
    const auto cut = hn::Set(du, (uint64_t{1} << 29) - 1);
    hs::ForVectors(d, src, dst, count, [&](const int32_t* from, float* to) HWY_ATTR {
      const auto bits = hn::BitCast(du, hn::PromoteTo(d, hn::LoadU(narrow, from)));
      const auto last = hn::And(hn::ShiftRight<29>(bits), hn::Set(du, 1));
      const auto negative = hn::Ne(hn::ShiftRight<63>(bits), hn::Zero(du));
      const auto sum = hn::Add(bits, Increment<kMode>(du, half, cut, last, negative));
      hn::StoreU(hn::DemoteTo(floats, hn::BitCast(d, hn::AndNot(cut, sum))), floats, to);
    });
  }
}
HWY_ATTR void Cast(Int32Lane, FloatLane, void* dst, const void* src, uint64_t scalar,
                   uint64_t count) {
  WithMode(scalar, [&](auto mode) HWY_ATTR {
    Int32ToFloat<decltype(mode)::kRounding>(static_cast<const int32_t*>(src),
                                            static_cast<float*>(dst), count);
  });
}

// The product is exact in double. Cut to a float's digits with the last made odd where something
// was cut off, it still rounds to half as the product itself.
HWY_ATTR void Cast(Int32Lane, HalfLane, void* dst, const void* src, uint64_t scalar,
                   uint64_t count) {
  const hn::ScalableTag<double> d;
  const hn::RebindToUnsigned<decltype(d)> du;
  const hn::Rebind<int32_t, decltype(d)> narrow;
  const hn::Rebind<float, decltype(d)> floats;
  const auto scale = hn::Set(d, double(half_t::FromBits(static_cast<uint16_t>(scalar >> 32))));
  const auto cut = hn::Set(du, (uint64_t{1} << 29) - 1);
  hs::ForVectors(d, static_cast<const int32_t*>(src), static_cast<uint16_t*>(dst), count,
                 [&](const int32_t* from, uint16_t* to) HWY_ATTR {
                   const auto value = hn::PromoteTo(d, hn::LoadU(narrow, from));
                   const auto bits = hn::BitCast(du, hn::Mul(value, scale));
                   const auto exact = hn::Eq(hn::And(bits, cut), hn::Zero(du));
                   const auto odd = hn::Or(hn::AndNot(cut, bits), hn::Set(du, uint64_t{1} << 29));
                   const auto rounded = hn::BitCast(d, hn::IfThenElse(exact, bits, odd));
                   hs::StoreHalf(floats, hn::DemoteTo(floats, rounded), to);
                 });
}

HWY_ATTR void Cast(Int32Lane, Int16Lane, void* dst, const void* src, uint64_t, uint64_t count) {
  const hn::ScalableTag<int32_t> d;
  const hn::Rebind<int16_t, decltype(d)> narrow;
  hs::ForVectors(d, static_cast<const int32_t*>(src), static_cast<int16_t*>(dst), count,
                 [&](const int32_t* from, int16_t* to) HWY_ATTR {
                   hn::StoreU(hn::DemoteTo(narrow, hn::LoadU(d, from)), narrow, to);
                 });
}
HWY_ATTR void Cast(Int32Lane, Int64Lane, void* dst, const void* src, uint64_t, uint64_t count) {
  const hn::ScalableTag<int64_t> d;
  const hn::Rebind<int32_t, decltype(d)> narrow;
  hs::ForVectors(d, static_cast<const int32_t*>(src), static_cast<int64_t*>(dst), count,
                 [&](const int32_t* from, int64_t* to)
                     HWY_ATTR { hn::StoreU(hn::PromoteTo(d, hn::LoadU(narrow, from)), d, to); });
}

// Sources of 64 bits: the definition itself, except where C++ has the same.
HWY_ATTR void Cast(Int64Lane, Int32Lane, void* dst, const void* src, uint64_t, uint64_t count) {
  const auto* from = static_cast<const int64_t*>(src);
  auto* to = static_cast<int32_t*>(dst);
  for (uint64_t i = 0; i < count; ++i) {
    const int64_t low = from[i] < INT32_MIN ? INT32_MIN : from[i];
    to[i] = static_cast<int32_t>(low > INT32_MAX ? INT32_MAX : low);
  }
}
HWY_ATTR void Cast(Int64Lane, FloatLane, void* dst, const void* src, uint64_t scalar,
                   uint64_t count) {
  const auto* from = static_cast<const int64_t*>(src);
  auto* to = static_cast<float*>(dst);
  const auto rounding = static_cast<Rounding>(static_cast<uint32_t>(scalar));
  if (rounding == Rounding::kRint) {
    for (uint64_t i = 0; i < count; ++i) to[i] = static_cast<float>(from[i]);
  } else {
    for (uint64_t i = 0; i < count; ++i) to[i] = numeric::Convert<float>(from[i], rounding);
  }
}

#define BASCULE_CAST_LOOP(from, from_number, to, to_number, modes)                  \
  void Cast##from##To##to(void* dst, const void* src, const void*, uint64_t scalar, \
                          uint64_t count) {                                         \
    Cast(from##Lane(), to##Lane(), dst, src, scalar, count);                        \
  }
BASCULE_CASTS(BASCULE_CAST_LOOP)
#undef BASCULE_CAST_LOOP

}  // namespace bascule::isa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bascule::isa {

#define BASCULE_EXPORT_CAST(from, from_number, to, to_number, modes) \
  HWY_EXPORT(Cast##from##To##to);                                    \
  FlatFunction SimdCast##from##To##to() { return HWY_DYNAMIC_DISPATCH(Cast##from##To##to); }
BASCULE_CASTS(BASCULE_EXPORT_CAST)

}  // namespace bascule::isa
#endif  // HWY_ONCE
