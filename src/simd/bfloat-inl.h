// bfloat16 <-> float on vectors, bit for bit as bascule/numeric/bfloat16.h states it, on every CPU
// target: plain integer operations, because library conversions differ in rounding and in NaN.
// SPDX-License-Identifier: Apache-2.0

// Included once per CPU target, hence no ordinary guard.
#if defined(BASCULE_SIMD_BFLOAT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef BASCULE_SIMD_BFLOAT_INL_H_
#undef BASCULE_SIMD_BFLOAT_INL_H_
#else
#define BASCULE_SIMD_BFLOAT_INL_H_
#endif

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace bascule::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// `d` is a float tag; loads Lanes(d) bfloat16.
template <class D>
HWY_INLINE hn::Vec<D> LoadBfloat(D d, const uint16_t* from) {
  const hn::Rebind<uint16_t, D> du16;
  const hn::RebindToUnsigned<D> du;
  const auto bits = hn::ShiftLeft<16>(hn::PromoteTo(du, hn::LoadU(du16, from)));
  const auto value = hn::BitCast(d, bits);
  return hn::IfThenElse(hn::IsNaN(value), hn::BitCast(d, hn::Or(bits, hn::Set(du, 0x400000))),
                        value);
}

// Stores the upper halves of floats whose lower halves count for nothing any more.
template <class D, class VU>
HWY_INLINE void StoreUpperHalves(D /*d*/, VU bits, uint16_t* to) {
  const hn::RebindToSigned<D> di;
  const hn::Rebind<uint16_t, D> du16;
  hn::StoreU(hn::DemoteTo(du16, hn::BitCast(di, hn::ShiftRight<16>(bits))), du16, to);
}

// Rounds Lanes(d) floats to nearest even and stores them.
template <class D>
HWY_INLINE void StoreBfloat(D d, hn::Vec<D> value, uint16_t* to) {
  const hn::RebindToUnsigned<D> du;
  const auto bits = hn::BitCast(du, value);
  const auto last = hn::And(hn::ShiftRight<16>(bits), hn::Set(du, 1));
  const auto rounded = hn::Add(hn::Add(bits, hn::Set(du, 0x7fff)), last);
  const auto quiet = hn::Or(bits, hn::Set(du, 0x400000));
  StoreUpperHalves(d, hn::IfThenElse(hn::RebindMask(du, hn::IsNaN(value)), quiet, rounded), to);
}

}  // namespace bascule::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
