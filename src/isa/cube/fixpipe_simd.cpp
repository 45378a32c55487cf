// Casts on the way out of the cube unit, compiled once for every CPU target.
// SPDX-License-Identifier: Apache-2.0
#include "isa/cube/fixpipe.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "isa/cube/fixpipe_simd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "simd/bfloat-inl.h"
#include "simd/half-inl.h"

HWY_BEFORE_NAMESPACE();
namespace bascule::isa::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace hs = bascule::simd::HWY_NAMESPACE;

constexpr uint64_t kColumns = 16;

template <class D>
HWY_INLINE hn::Vec<D> Load(D d, const float* from, bool relu) {
  const auto value = hn::LoadU(d, from);
  // NaN is not less than 0.
  return relu ? hn::IfThenZeroElse(hn::Lt(value, hn::Zero(d)), value) : value;
}

void CastToHalf(const float* from, bool relu, uint16_t* to) {
  const hn::CappedTag<float, kColumns> d;
  for (uint64_t i = 0; i < kColumns; i += hn::Lanes(d))
    hs::StoreHalf(d, Load(d, from + i, relu), to + i);
}
void CastToBfloat(const float* from, bool relu, uint16_t* to) {
  const hn::CappedTag<float, kColumns> d;
  for (uint64_t i = 0; i < kColumns; i += hn::Lanes(d))
    hs::StoreBfloat(d, Load(d, from + i, relu), to + i);
}

}  // namespace bascule::isa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bascule::isa {

HWY_EXPORT(CastToHalf);
HWY_EXPORT(CastToBfloat);

CastFunction SimdCastToHalf() { return HWY_DYNAMIC_DISPATCH(CastToHalf); }
CastFunction SimdCastToBfloat() { return HWY_DYNAMIC_DISPATCH(CastToBfloat); }

}  // namespace bascule::isa
#endif  // HWY_ONCE
