// half <-> float on vectors, bit for bit as bascule/numeric/half.h states it, on every CPU target.
//
// Where the target converts in hardware with the same bits (x86 with F16C) that is used; elsewhere
// the integer formula, because library emulations differ in NaN and subnormals. A test compares all
// targets with the scalar formula over every half and a sweep of floats. SPDX-License-Identifier:
// Apache-2.0

// Included once per CPU target, hence no ordinary guard.
#if defined(BASCULE_SIMD_HALF_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef BASCULE_SIMD_HALF_INL_H_
#undef BASCULE_SIMD_HALF_INL_H_
#else
#define BASCULE_SIMD_HALF_INL_H_
#endif

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace bascule::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
#define BASCULE_HALF_IN_HARDWARE 1
#else
#define BASCULE_HALF_IN_HARDWARE 0
#endif

// `d` is a float tag; loads Lanes(d) halves.
template <class D>
HWY_INLINE hn::Vec<D> LoadHalf(D d, const uint16_t* from) {
#if BASCULE_HALF_IN_HARDWARE
  const hn::Rebind<hwy::float16_t, D> dh;
  return hn::PromoteTo(d, hn::LoadU(dh, reinterpret_cast<const hwy::float16_t*>(from)));
#else
  const hn::RebindToSigned<D> di;
  const hn::Rebind<uint16_t, D> du16;
  const auto half = hn::PromoteTo(di, hn::LoadU(du16, from));
  const auto sign = hn::ShiftLeft<16>(hn::And(half, hn::Set(di, 0x8000)));
  const auto shifted = hn::ShiftLeft<13>(hn::And(half, hn::Set(di, 0x7fff)));
  const auto exponent = hn::And(shifted, hn::Set(di, 0x0f800000));
  const auto based = hn::Add(shifted, hn::Set(di, 0x38000000));
  const auto special = hn::Eq(exponent, hn::Set(di, 0x0f800000));
  const auto infinite = hn::Eq(shifted, hn::Set(di, 0x0f800000));
  const auto beyond = hn::Add(based, hn::Set(di, 0x38000000));
  const auto quiet =
      hn::Or(beyond, hn::IfThenElse(infinite, hn::Zero(di), hn::Set(di, 0x00400000)));
  // Subnormals: let float arithmetic normalise them.
  const auto small =
      hn::BitCast(di, hn::Sub(hn::BitCast(d, hn::Add(based, hn::Set(di, 0x00800000))),
                              hn::BitCast(d, hn::Set(di, 0x38800000))));
  const auto tiny = hn::Eq(exponent, hn::Zero(di));
  const auto magnitude = hn::IfThenElse(special, quiet, hn::IfThenElse(tiny, small, based));
  return hn::BitCast(d, hn::Or(magnitude, sign));
#endif
}

// Rounds Lanes(d) floats to nearest even and stores them.
template <class D>
HWY_INLINE void StoreHalf(D d, hn::Vec<D> value, uint16_t* to) {
#if BASCULE_HALF_IN_HARDWARE
  const hn::Rebind<hwy::float16_t, D> dh;
  (void)d;
  hn::StoreU(hn::DemoteTo(dh, value), dh, reinterpret_cast<hwy::float16_t*>(to));
#else
  const hn::RebindToSigned<D> di;
  const hn::Rebind<uint16_t, D> du16;
  const auto bits = hn::BitCast(di, value);
  const auto sign = hn::And(hn::ShiftRight<16>(bits), hn::Set(di, 0x8000));
  const auto magnitude = hn::And(bits, hn::Set(di, 0x7fffffff));
  const auto top = hn::ShiftRight<13>(magnitude);
  const auto normal = hn::ShiftRight<13>(
      hn::Add(hn::Add(magnitude, hn::Set(di, 0x0fff - 0x38000000)), hn::And(top, hn::Set(di, 1))));
  // Adding one half makes the adder round at the last digit of a subnormal half.
  const auto small = hn::Sub(hn::BitCast(di, hn::Add(hn::BitCast(d, magnitude), hn::Set(d, 0.5f))),
                             hn::Set(di, 0x3f000000));
  const auto nan = hn::Or(hn::Set(di, 0x7e00), hn::And(top, hn::Set(di, 0x3ff)));
  auto half = hn::IfThenElse(hn::Lt(magnitude, hn::Set(di, 0x38800000)), small, normal);
  half = hn::IfThenElse(hn::Gt(magnitude, hn::Set(di, 0x477fffff)), hn::Set(di, 0x7c00), half);
  half = hn::IfThenElse(hn::Gt(magnitude, hn::Set(di, 0x7f800000)), nan, half);
  hn::StoreU(hn::DemoteTo(du16, hn::Or(half, sign)), du16, to);
#endif
}

#undef BASCULE_HALF_IN_HARDWARE

}  // namespace bascule::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
