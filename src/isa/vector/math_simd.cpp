// The SIMD forms of elementary functions, compiled once for every CPU target.
// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "isa/vector/math.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "isa/vector/math_simd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "simd/bfloat-inl.h"
#include "simd/half-inl.h"
#include "simd/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace bascule::isa::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace hs = bascule::simd::HWY_NAMESPACE;

// What a function makes of vectors; arguments as in the reference: sources, scalar. Wide ones get
// and give doubles.
#define BASCULE_VECTOR_MATH(name, wide)                                                \
  struct name {                                                                        \
    static constexpr bool kWide = wide;                                                \
    template <class D, class V>                                                        \
    HWY_ATTR V operator()(D d, V a, [[maybe_unused]] V b, [[maybe_unused]] V s) const; \
  };                                                                                   \
  template <class D, class V>                                                          \
  HWY_ATTR V name::operator()([[maybe_unused]] D d, V a, [[maybe_unused]] V b,         \
                              [[maybe_unused]] V s) const
#define BASCULE_FLOAT(name) BASCULE_VECTOR_MATH(name, false)
#define BASCULE_WIDE(name) BASCULE_VECTOR_MATH(name, true)

BASCULE_FLOAT(Exp) { return hs::Exp(d, a); }
BASCULE_FLOAT(Ln) { return hs::Ln(d, a); }
BASCULE_FLOAT(Log) { return hs::Ln(d, a); }
BASCULE_WIDE(Log2) { return hs::WideLog2(d, a); }
BASCULE_WIDE(Log10) { return hs::WideLog10(d, a); }
BASCULE_WIDE(Sin) { return hs::WideSin(d, a); }
BASCULE_WIDE(Cos) { return hs::WideCos(d, a); }
BASCULE_WIDE(Tan) { return hs::WideTan(d, a); }
BASCULE_WIDE(Asin) { return hs::WideAsin(d, a); }
BASCULE_WIDE(Acos) { return hs::WideAcos(d, a); }
BASCULE_WIDE(Atan) { return hs::WideAtan(d, a); }
BASCULE_WIDE(Sinh) { return hs::WideSinh(d, a); }
BASCULE_WIDE(Cosh) { return hs::WideCosh(d, a); }
BASCULE_FLOAT(Tanh) { return hs::Tanh(d, a); }
BASCULE_WIDE(Asinh) { return hs::WideAsinh(d, a); }
BASCULE_WIDE(Acosh) { return hs::WideAcosh(d, a); }
BASCULE_WIDE(Atanh) { return hs::WideAtanh(d, a); }
BASCULE_WIDE(Erf) { return hs::WideErf(d, a); }
BASCULE_WIDE(Erfc) { return hs::WideErfc(d, a); }
BASCULE_WIDE(Power) { return hs::WidePower(d, a, b); }
BASCULE_WIDE(PowerOfTensor) { return hs::WidePower(d, a, s); }
BASCULE_WIDE(PowerOfScalar) { return hs::WidePower(d, s, a); }
// The zero of a negative number is negative; not every target knows.
BASCULE_FLOAT(Floor) { return hn::CopySign(hn::Floor(a), a); }
BASCULE_FLOAT(Ceil) { return hn::CopySign(hn::Ceil(a), a); }
BASCULE_FLOAT(Trunc) { return hn::CopySign(hn::Trunc(a), a); }
BASCULE_FLOAT(Round) { return hn::CopySign(hn::Round(a), a); }
BASCULE_FLOAT(Frac) { return hn::Sub(a, hn::Trunc(a)); }
BASCULE_FLOAT(Sign) {
  const auto one = hn::Set(d, 1.0f);
  const auto zero = hn::Zero(d);
  return hn::Sub(hn::IfThenElseZero(hn::Gt(a, zero), one),
                 hn::IfThenElseZero(hn::Lt(a, zero), one));
}
BASCULE_FLOAT(ClampMax) { return hn::IfThenElse(hn::Gt(a, s), s, a); }
BASCULE_FLOAT(ClampMin) { return hn::IfThenElse(hn::Lt(a, s), s, a); }
BASCULE_FLOAT(Sigmoid) { return hs::Sigmoid(d, a); }
BASCULE_WIDE(Silu) { return hs::TimesSigmoid(d, a, a); }
BASCULE_WIDE(Swish) { return hs::TimesSigmoid(d, a, hn::Mul(a, s)); }
BASCULE_WIDE(Gelu) { return hs::WideGelu(d, a); }
BASCULE_WIDE(FasterGelu) { return hs::TimesSigmoid(d, a, hn::Mul(a, hn::Set(d, 1.702))); }
BASCULE_WIDE(FasterGeluV2) {
  const auto edge = hn::Set(d, 1.769);
  const auto half = hn::Set(d, 0.5);
  // A NaN has to come through.
  const auto far = hn::Mul(hn::Set(d, 0.7071), hn::Abs(a));
  const auto near = hn::Sub(hn::IfThenElse(hn::Gt(far, edge), edge, far), edge);
  const auto size = hn::Sub(half, hn::Mul(hn::Set(d, 0.1444), hn::Mul(near, near)));
  const auto sign = hn::IfThenElse(hn::Lt(a, hn::Zero(d)), hn::Neg(size), size);
  return hn::Mul(a, hn::Add(half, sign));
}
BASCULE_WIDE(GeGLU) { return hn::Mul(a, hs::WideGelu(d, b)); }
BASCULE_WIDE(SwiGLU) { return hn::Mul(a, hs::TimesSigmoid(d, b, hn::Mul(b, s))); }
BASCULE_FLOAT(ReGlu) { return hn::Mul(a, hn::IfThenElse(hn::Lt(b, hn::Zero(d)), hn::Zero(d), b)); }
#undef BASCULE_WIDE
#undef BASCULE_FLOAT
#undef BASCULE_VECTOR_MATH

struct FloatLane {
  using Stored = float;
  template <class D>
  static HWY_INLINE HWY_ATTR hn::Vec<D> Load(D d, const Stored* from) {
    return hn::LoadU(d, from);
  }
  template <class D>
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
  template <class D>
  static HWY_INLINE HWY_ATTR void Store(D d, hn::Vec<D> value, Stored* to) {
    hs::StoreHalf(d, value, to);
  }
};

struct BfloatLane {
  using Stored = uint16_t;
  template <class D>
  static HWY_INLINE HWY_ATTR hn::Vec<D> Load(D d, const Stored* from) {
    return hs::LoadBfloat(d, from);
  }
  template <class D>
  static HWY_INLINE HWY_ATTR void Store(D d, hn::Vec<D> value, Stored* to) {
    hs::StoreBfloat(d, value, to);
  }
};

// Rounds to float; what is beyond becomes infinite.
template <class D, class VW>
HWY_INLINE HWY_ATTR hn::Vec<D> Narrow(D d, VW wide) {
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128  // there DemoteTo takes the largest float
  const hn::Rebind<double, D> dw;
  HWY_ALIGN double values[hn::MaxLanes(dw)];
  HWY_ALIGN float floats[hn::MaxLanes(d)];
  hn::Store(wide, dw, values);
  for (size_t i = 0; i < hn::Lanes(d); ++i) floats[i] = static_cast<float>(values[i]);
  return hn::Load(d, floats);
#else
  return hn::DemoteTo(d, wide);
#endif
}

// The tag of floats that are computed with at a time.
template <bool wide>
using FloatTag =
    std::conditional_t<wide, hn::Rebind<float, hn::ScalableTag<double>>, hn::ScalableTag<float>>;

template <class Op, class Lane, int sources, class D>
HWY_INLINE HWY_ATTR void Step(D d, typename Lane::Stored* to, const typename Lane::Stored* a,
                              const typename Lane::Stored* b, hn::Vec<D> s) {
  const auto x = Lane::Load(d, a);
  const auto y = sources > 1 ? Lane::Load(d, b) : x;
  if constexpr (Op::kWide) {
    const hn::Rebind<double, D> wide;
    const auto result =
        Op()(wide, hn::PromoteTo(wide, x), hn::PromoteTo(wide, y), hn::PromoteTo(wide, s));
    Lane::Store(d, Narrow(d, result), to);
  } else {
    Lane::Store(d, Op()(d, x, y, s), to);
  }
}

// Whole vectors, then the rest by way of a buffer that zeros fill up.
template <class Op, class Lane, int sources>
HWY_ATTR void Loop(void* dst, const void* src0, const void* src1, uint64_t scalar, uint64_t count) {
  using Stored = typename Lane::Stored;
  const FloatTag<Op::kWide> d;
  Stored* to = static_cast<Stored*>(dst);
  const Stored* a = static_cast<const Stored*>(src0);
  const Stored* b = sources > 1 ? static_cast<const Stored*>(src1) : a;
  HWY_ALIGN Stored everywhere[hn::MaxLanes(d)];
  for (Stored& lane : everywhere) std::memcpy(&lane, &scalar, sizeof(Stored));
  const auto s = Lane::Load(d, everywhere);
  const uint64_t lanes = hn::Lanes(d);
  uint64_t i = 0;
  for (; i + lanes <= count; i += lanes) Step<Op, Lane, sources>(d, to + i, a + i, b + i, s);
  if (i == count) return;
  HWY_ALIGN Stored last_to[hn::MaxLanes(d)];
  HWY_ALIGN Stored last_a[hn::MaxLanes(d)] = {};
  HWY_ALIGN Stored last_b[hn::MaxLanes(d)] = {};
  std::memcpy(last_a, a + i, (count - i) * sizeof(Stored));
  std::memcpy(last_b, b + i, (count - i) * sizeof(Stored));
  Step<Op, Lane, sources>(d, last_to, last_a, last_b, s);
  std::memcpy(to + i, last_to, (count - i) * sizeof(Stored));
}

// Integers have no vector form: the number of products differs from lane to lane.
struct Int32Lane {};
template <class Op, class Lane, int sources>
requires std::is_same_v<Lane, Int32Lane>
void Loop(void* dst, const void* src0, const void* src1, uint64_t scalar, uint64_t count) {
  int32_t* to = static_cast<int32_t*>(dst);
  const int32_t* a = static_cast<const int32_t*>(src0);
  const int32_t* b = static_cast<const int32_t*>(src1);
  const int32_t s = static_cast<int32_t>(scalar);
  for (uint64_t i = 0; i < count; ++i) {
    if constexpr (std::is_same_v<Op, Power>) to[i] = IntegerPower(a[i], b[i]);
    if constexpr (std::is_same_v<Op, PowerOfTensor>) to[i] = IntegerPower(a[i], s);
    if constexpr (std::is_same_v<Op, PowerOfScalar>) to[i] = IntegerPower(s, a[i]);
  }
}

#define BASCULE_LOOP(name, type, number, lane)                                     \
  void name##lane(void* dst, const void* src0, const void* src1, uint64_t scalar,  \
                  uint64_t count) {                                                \
    Loop<name, lane##Lane, name##Shape::kSources>(dst, src0, src1, scalar, count); \
  }
#define BASCULE_LOOPS(name, sources, types, forms, ulp, document) \
  struct name##Shape {                                            \
    static constexpr int kSources = sources;                      \
  };                                                              \
  BASCULE_##types(BASCULE_LOOP, name)
BASCULE_MATHS(BASCULE_LOOPS)
#undef BASCULE_LOOPS
#undef BASCULE_LOOP

}  // namespace bascule::isa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bascule::isa {

#define BASCULE_EXPORT_SIMD(name, type, number, lane) \
  HWY_EXPORT(name##lane);                             \
  FlatFunction Simd##name##lane() { return HWY_DYNAMIC_DISPATCH(name##lane); }
#define BASCULE_EXPORT_SIMDS(name, sources, types, forms, ulp, document) \
  BASCULE_##types(BASCULE_EXPORT_SIMD, name)
BASCULE_MATHS(BASCULE_EXPORT_SIMDS)

}  // namespace bascule::isa
#endif  // HWY_ONCE
