// The SIMD forms of elementwise arithmetic, compiled once for every CPU target.
// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <type_traits>

#include "isa/vector/arithmetic.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "isa/vector/arithmetic_simd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "simd/half-inl.h"
#include "simd/small_int-inl.h"

HWY_BEFORE_NAMESPACE();
namespace bascule::isa::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace hs = bascule::simd::HWY_NAMESPACE;

// The function objects; arguments as in the reference: old destination, sources, scalar.
#define BASCULE_VECTOR(name)                                                                    \
  struct name {                                                                                 \
    template <class D, class V>                                                                 \
    HWY_ATTR V operator()([[maybe_unused]] D t, [[maybe_unused]] V d, [[maybe_unused]] V a,     \
                          [[maybe_unused]] V b, [[maybe_unused]] V s) const;                    \
  };                                                                                            \
  template <class D, class V>                                                                   \
  HWY_ATTR V name::operator()([[maybe_unused]] D t, [[maybe_unused]] V d, [[maybe_unused]] V a, \
                              [[maybe_unused]] V b, [[maybe_unused]] V s) const

template <class D>
constexpr bool kIsFloat = hwy::IsFloat<hn::TFromD<D>>();

// Equal values differ in nothing but the sign of a zero: both bits for the larger, either for the
// smaller.
template <class D, class V>
HWY_INLINE HWY_ATTR V Larger(D /*t*/, V a, V b) {
  if constexpr (kIsFloat<D>) {
    V larger = hn::IfThenElse(hn::Gt(a, b), a, b);
    larger = hn::IfThenElse(hn::Eq(a, b), hn::And(a, b), larger);
    return hn::IfThenElse(hn::Or(hn::IsNaN(a), hn::IsNaN(b)), hn::Add(a, b), larger);
  } else {
    return hn::Max(a, b);
  }
}
template <class D, class V>
HWY_INLINE HWY_ATTR V Smaller(D /*t*/, V a, V b) {
  if constexpr (kIsFloat<D>) {
    V smaller = hn::IfThenElse(hn::Lt(a, b), a, b);
    smaller = hn::IfThenElse(hn::Eq(a, b), hn::Or(a, b), smaller);
    return hn::IfThenElse(hn::Or(hn::IsNaN(a), hn::IsNaN(b)), hn::Add(a, b), smaller);
  } else {
    return hn::Min(a, b);
  }
}

// The number of digits to shift by, from the scalar in every lane.
template <class D, class V>
HWY_INLINE HWY_ATTR int ShiftOf(V s) {
  constexpr uint64_t kWidth = 8 * sizeof(hn::TFromD<D>);
  const uint64_t digits = static_cast<uint64_t>(hn::GetLane(s));
  return static_cast<int>(digits < kWidth ? digits : kWidth);
}

BASCULE_VECTOR(Mul) { return hn::Mul(a, b); }
BASCULE_VECTOR(Add) { return hn::Add(a, b); }
BASCULE_VECTOR(Sub) { return hn::Sub(a, b); }
BASCULE_VECTOR(Div) { return hn::Div(a, b); }
BASCULE_VECTOR(Max) { return Larger(t, a, b); }
BASCULE_VECTOR(Min) { return Smaller(t, a, b); }
BASCULE_VECTOR(And) { return hn::And(a, b); }
BASCULE_VECTOR(Or) { return hn::Or(a, b); }
BASCULE_VECTOR(Xor) { return hn::Xor(a, b); }
BASCULE_VECTOR(AddRelu) { return Larger(t, hn::Add(a, b), hn::Zero(t)); }
BASCULE_VECTOR(SubRelu) { return Larger(t, hn::Sub(a, b), hn::Zero(t)); }
BASCULE_VECTOR(MulAddDst) { return hn::Add(hn::Mul(a, b), d); }
BASCULE_VECTOR(FusedMulAdd) { return hn::Add(hn::Mul(a, d), b); }
BASCULE_VECTOR(MulAddRelu) { return Larger(t, hn::Add(hn::Mul(a, d), b), hn::Zero(t)); }
BASCULE_VECTOR(Adds) { return hn::Add(a, s); }
BASCULE_VECTOR(Muls) { return hn::Mul(a, s); }
BASCULE_VECTOR(Maxs) { return Larger(t, a, s); }
BASCULE_VECTOR(Mins) { return Smaller(t, a, s); }
BASCULE_VECTOR(LeakyRelu) {
  const hn::RebindToSigned<D> bits;
  const auto negative = hn::RebindMask(t, hn::Lt(hn::BitCast(bits, a), hn::Zero(bits)));
  return hn::IfThenElse(negative, hn::Mul(a, s), a);
}
BASCULE_VECTOR(Axpy) { return hn::Add(hn::Mul(a, s), d); }
BASCULE_VECTOR(ShiftLeft) {
  const int digits = ShiftOf<D>(s);
  return digits == 8 * sizeof(hn::TFromD<D>) ? hn::Zero(t) : hn::ShiftLeftSame(a, digits);
}
BASCULE_VECTOR(ShiftRight) {
  constexpr int kWidth = 8 * sizeof(hn::TFromD<D>);
  const int digits = ShiftOf<D>(s);
  if (digits < kWidth) return hn::ShiftRightSame(a, digits);
  return hwy::IsSigned<hn::TFromD<D>>() ? hn::ShiftRightSame(a, kWidth - 1) : hn::Zero(t);
}
BASCULE_VECTOR(ShiftRightRounded) {
  const int digits = ShiftOf<D>(s);
  if (digits == 0) return a;
  if (digits == 8 * sizeof(hn::TFromD<D>)) return hn::Zero(t);
  const auto last = hn::And(hn::ShiftRightSame(a, digits - 1), hn::Set(t, 1));
  return hn::Add(hn::ShiftRightSame(a, digits), last);
}
BASCULE_VECTOR(Abs) { return hn::Abs(a); }
BASCULE_VECTOR(Relu) { return Larger(t, a, hn::Zero(t)); }
BASCULE_VECTOR(Sqrt) { return hn::Sqrt(a); }
BASCULE_VECTOR(Rsqrt) { return hn::Div(hn::Set(t, 1), hn::Sqrt(a)); }
BASCULE_VECTOR(Reciprocal) { return hn::Div(hn::Set(t, 1), a); }
BASCULE_VECTOR(Not) { return hn::Not(a); }
template <class D, class V>
HWY_INLINE HWY_ATTR V ReluOfNumber(D t, V value) {
  return hn::IfThenElseZero(hn::Eq(value, value), Larger(t, value, hn::Zero(t)));
}
BASCULE_VECTOR(AddReluCast) { return ReluOfNumber(t, hn::Add(a, b)); }
BASCULE_VECTOR(SubReluCast) { return ReluOfNumber(t, hn::Sub(a, b)); }
BASCULE_VECTOR(MulCast) { return hn::Mul(a, b); }
#undef BASCULE_VECTOR

// How lanes of the sources are loaded, and those of the destination loaded and stored; the
// arithmetic is done in `Wide`.
template <typename T>
struct Plain {
  using Stored = T;
  using Source = T;
  using Wide = T;
  template <class D>
  static HWY_ATTR hn::Vec<D> Load(D d, const Stored* from) {
    return hn::LoadU(d, from);
  }
  template <class D>
  static HWY_ATTR void Store(D d, hn::Vec<D> value, Stored* to) {
    hn::StoreU(value, d, to);
  }
  static HWY_ATTR Wide Scalar(uint64_t bits) {
    T value;
    std::memcpy(&value, &bits, sizeof(T));
    return value;
  }
};
using FloatLane = Plain<float>;
using Int16Lane = Plain<int16_t>;
using UInt16Lane = Plain<uint16_t>;
using Int32Lane = Plain<int32_t>;
using UInt32Lane = Plain<uint32_t>;

struct HalfLane {
  using Stored = uint16_t;
  using Source = uint16_t;
  using Wide = float;
  template <class D>
  static HWY_ATTR hn::Vec<D> Load(D d, const Stored* from) {
    return hs::LoadHalf(d, from);
  }
  template <class D>
  static HWY_ATTR void Store(D d, hn::Vec<D> value, Stored* to) {
    hs::StoreHalf(d, value, to);
  }
  static HWY_ATTR Wide Scalar(uint64_t bits) {
    const hn::CappedTag<float, 1> one;
    const Stored half = static_cast<Stored>(bits);
    return hn::GetLane(hs::LoadHalf(one, &half));
  }
};

struct HalfToFloatLane {
  using Stored = float;
  using Source = uint16_t;
  using Wide = float;
  template <class D>
  static HWY_ATTR hn::Vec<D> Load(D d, const Source* from) {
    return hs::LoadHalf(d, from);
  }
  template <class D>
  static HWY_ATTR hn::Vec<D> Load(D d, const Stored* from) {
    return hn::LoadU(d, from);
  }
  template <class D>
  static HWY_ATTR void Store(D d, hn::Vec<D> value, Stored* to) {
    hn::StoreU(value, d, to);
  }
  static HWY_ATTR Wide Scalar(uint64_t bits) { return HalfLane::Scalar(bits); }
};

struct FloatToHalfLane {
  using Stored = uint16_t;
  using Source = float;
  using Wide = float;
  template <class D>
  static HWY_ATTR hn::Vec<D> Load(D d, const Source* from) {
    return hn::LoadU(d, from);
  }
  template <class D>
  static HWY_ATTR void Store(D d, hn::Vec<D> value, Stored* to) {
    hs::StoreHalf(d, value, to);
  }
  static HWY_ATTR Wide Scalar(uint64_t bits) { return FloatLane::Scalar(bits); }
};

// To 8 bits. The destination is never read.
template <typename T, bool from_half>
struct SmallLane {
  using Stored = T;
  using Source = std::conditional_t<from_half, uint16_t, int16_t>;
  using Wide = float;
  template <class D>
  static HWY_ATTR hn::Vec<D> Load(D d, const Source* from) {
    if constexpr (from_half) {
      return hs::LoadHalf(d, from);
    } else {
      return hs::LoadSmallInt(d, from);
    }
  }
  template <class D>
  static HWY_ATTR void Store(D d, hn::Vec<D> value, Stored* to) {
    hs::StoreSmallInt(d, hn::Round(value), to);
  }
  static HWY_ATTR Wide Scalar(uint64_t) { return 0; }
};
using HalfToInt8Lane = SmallLane<int8_t, true>;
using HalfToUInt8Lane = SmallLane<uint8_t, true>;
using Int16ToInt8Lane = SmallLane<int8_t, false>;

template <class Op, class Lane, bool reads_dst, int sources, class D>
HWY_ATTR void Step(D d, hn::Vec<D> s, typename Lane::Stored* to, const typename Lane::Source* a,
                   const typename Lane::Source* b) {
  const auto zero = hn::Zero(d);
  auto old = zero;
  if constexpr (reads_dst) old = Lane::Load(d, to);
  const auto second = sources > 1 ? Lane::Load(d, b) : zero;
  Lane::Store(d, Op()(d, old, Lane::Load(d, a), second, s), to);
}

// Whole vectors first, then the rest one lane at a time in a vector of one lane, so that the tail
// is computed by the same operations.
template <class Op, class Lane, bool reads_dst, int sources>
HWY_ATTR void Loop(void* dst, const void* src0, const void* src1, uint64_t scalar, uint64_t count) {
  using Stored = typename Lane::Stored;
  using Source = typename Lane::Source;
  const hn::ScalableTag<typename Lane::Wide> d;
  const hn::CappedTag<typename Lane::Wide, 1> one;
  Stored* to = static_cast<Stored*>(dst);
  const Source* a = static_cast<const Source*>(src0);
  const Source* b = sources > 1 ? static_cast<const Source*>(src1) : a;
  const auto s = Lane::Scalar(scalar);
  const auto wide_s = hn::Set(d, s);
  const auto one_s = hn::Set(one, s);
  const uint64_t lanes = hn::Lanes(d);
  uint64_t i = 0;
  // With two operands to load the loop itself would be in the way.
  if constexpr (sources > 1 || reads_dst) {
    for (; i + 2 * lanes <= count; i += 2 * lanes) {
      Step<Op, Lane, reads_dst, sources>(d, wide_s, to + i, a + i, b + i);
      const uint64_t next = i + lanes;
      Step<Op, Lane, reads_dst, sources>(d, wide_s, to + next, a + next, b + next);
    }
  }
  for (; i + lanes <= count; i += lanes) {
    Step<Op, Lane, reads_dst, sources>(d, wide_s, to + i, a + i, b + i);
  }
  for (; i < count; ++i) Step<Op, Lane, reads_dst, sources>(one, one_s, to + i, a + i, b + i);
}

#define BASCULE_LOOP(name, to, to_number, from, from_number, lane)                                 \
  void name##lane(void* dst, const void* src0, const void* src1, uint64_t scalar,                  \
                  uint64_t count) {                                                                \
    Loop<name, lane##Lane, name##Shape::kReadsDst, name##Shape::kSources>(dst, src0, src1, scalar, \
                                                                          count);                  \
  }
#define BASCULE_LOOPS(name, reads_dst, sources, types, document) \
  struct name##Shape {                                           \
    static constexpr bool kReadsDst = reads_dst;                 \
    static constexpr int kSources = sources;                     \
  };                                                             \
  BASCULE_##types(BASCULE_LOOP, name)
BASCULE_ARITHMETIC(BASCULE_LOOPS)
#undef BASCULE_LOOPS
#undef BASCULE_LOOP

}  // namespace bascule::isa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bascule::isa {

#define BASCULE_EXPORT_SIMD(name, to, to_number, from, from_number, lane) \
  HWY_EXPORT(name##lane);                                                 \
  FlatFunction Simd##name##lane() { return HWY_DYNAMIC_DISPATCH(name##lane); }
#define BASCULE_EXPORT_SIMDS(name, reads_dst, sources, types, document) \
  BASCULE_##types(BASCULE_EXPORT_SIMD, name)
BASCULE_ARITHMETIC(BASCULE_EXPORT_SIMDS)

}  // namespace bascule::isa
#endif  // HWY_ONCE
