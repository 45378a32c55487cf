// Casts on the way out of the cube unit, compiled once for every CPU target.
// SPDX-License-Identifier: Apache-2.0
#include "isa/cube/fixpipe.h"

#include <cstring>

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

void StripsToRows(const char* from, uint64_t strip_bytes, uint64_t rows, uint64_t columns, char* to,
                  uint64_t row_bytes) {
  const hn::CappedTag<float, kColumns> d;
  const uint64_t lanes = hn::Lanes(d);
  for (uint64_t row = 0; row < rows; ++row) {
    const char* line = from + row * kColumns * sizeof(float);
    char* place = to + row * row_bytes;
    uint64_t left = columns;
    for (; left >= kColumns; left -= kColumns) {
      for (uint64_t i = 0; i < kColumns; i += lanes) {
        hn::StoreU(hn::LoadU(d, reinterpret_cast<const float*>(line) + i), d,
                   reinterpret_cast<float*>(place) + i);
      }
      line += strip_bytes;
      place += kColumns * sizeof(float);
    }
    if (left > 0) std::memcpy(place, line, left * sizeof(float));
  }
}

}  // namespace bascule::isa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bascule::isa {

HWY_EXPORT(CastToHalf);
HWY_EXPORT(CastToBfloat);
HWY_EXPORT(StripsToRows);

CastFunction SimdCastToHalf() { return HWY_DYNAMIC_DISPATCH(CastToHalf); }
CastFunction SimdCastToBfloat() { return HWY_DYNAMIC_DISPATCH(CastToBfloat); }
RowsFunction SimdStripsToRows() { return HWY_DYNAMIC_DISPATCH(StripsToRows); }

}  // namespace bascule::isa
#endif  // HWY_ONCE
