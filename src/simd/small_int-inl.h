// Integers of 8 and 16 bits <-> float on vectors. A float holds them all.
// SPDX-License-Identifier: Apache-2.0

// Included once per CPU target, hence no ordinary guard.
#if defined(BASCULE_SIMD_SMALL_INT_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef BASCULE_SIMD_SMALL_INT_INL_H_
#undef BASCULE_SIMD_SMALL_INT_INL_H_
#else
#define BASCULE_SIMD_SMALL_INT_INL_H_
#endif

#include <limits>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace bascule::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// `d` is a float tag; loads Lanes(d) integers.
template <class D, typename T>
HWY_INLINE HWY_ATTR hn::Vec<D> LoadSmallInt(D d, const T* from) {
  const hn::RebindToSigned<D> di;
  const hn::Rebind<T, D> narrow;
  return hn::ConvertTo(d, hn::PromoteTo(di, hn::LoadU(narrow, from)));
}

// Stores Lanes(d) floats that are whole, infinite or NaN: the nearest value T has, 0 for NaN.
template <class D, typename T>
HWY_INLINE HWY_ATTR void StoreSmallInt(D d, hn::Vec<D> whole, T* to) {
  const hn::RebindToSigned<D> di;
  const hn::Rebind<T, D> narrow;
  const auto number = hn::IfThenElseZero(hn::Eq(whole, whole), whole);
  const auto lowest = hn::Set(d, static_cast<float>(std::numeric_limits<T>::min()));
  const auto highest = hn::Set(d, static_cast<float>(std::numeric_limits<T>::max()));
  const auto inside = hn::Min(hn::Max(number, lowest), highest);
  hn::StoreU(hn::DemoteTo(narrow, hn::ConvertTo(di, inside)), narrow, to);
}

}  // namespace bascule::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
