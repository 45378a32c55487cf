// The SIMD forms of scaled conversions, compiled once for every CPU target.
// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <limits>

#include "bascule/numeric/half.h"
#include "isa/vector/quant.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "isa/vector/quant_simd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "simd/half-inl.h"

HWY_BEFORE_NAMESPACE();
namespace bascule::isa::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace hs = bascule::simd::HWY_NAMESPACE;

// As Cast from int32_t to half: the product is exact in double, and cut to a float's digits with
// the last made odd where something was cut off it still rounds to half as the product itself.
void AddDeqRelu(void* dst, const void* src0, const void* src1, uint64_t scalar, uint64_t count) {
  const hn::ScalableTag<double> d;
  const hn::RebindToUnsigned<decltype(d)> du;
  const hn::Rebind<int32_t, decltype(d)> narrow;
  const hn::Rebind<float, decltype(d)> floats;
  const auto scale = hn::Set(d, double(half_t::FromBits(static_cast<uint16_t>(scalar))));
  const auto cut = hn::Set(du, (uint64_t{1} << 29) - 1);
  const uint64_t lanes = hn::Lanes(d);
  auto step = [&](const int32_t* a, const int32_t* b, uint16_t* to) HWY_ATTR {
    const auto sum = hn::Add(hn::LoadU(narrow, a), hn::LoadU(narrow, b));
    const auto product = hn::Mul(hn::PromoteTo(d, sum), scale);
    const auto relu = hn::IfThenZeroElse(hn::Le(product, hn::Zero(d)), product);
    const auto bits = hn::BitCast(du, relu);
    const auto exact = hn::Eq(hn::And(bits, cut), hn::Zero(du));
    const auto odd = hn::Or(hn::AndNot(cut, bits), hn::Set(du, uint64_t{1} << 29));
    const auto rounded = hn::BitCast(d, hn::IfThenElse(exact, bits, odd));
    hs::StoreHalf(floats, hn::DemoteTo(floats, rounded), to);
  };
  const int32_t* a = static_cast<const int32_t*>(src0);
  const int32_t* b = static_cast<const int32_t*>(src1);
  uint16_t* to = static_cast<uint16_t*>(dst);
  uint64_t i = 0;
  for (; i + lanes <= count; i += lanes) step(a + i, b + i, to + i);
  if (i == count) return;
  HWY_ALIGN int32_t last_a[hn::MaxLanes(d)] = {};
  HWY_ALIGN int32_t last_b[hn::MaxLanes(d)] = {};
  HWY_ALIGN uint16_t last_to[hn::MaxLanes(d)];
  std::memcpy(last_a, a + i, (count - i) * sizeof(int32_t));
  std::memcpy(last_b, b + i, (count - i) * sizeof(int32_t));
  step(last_a, last_b, last_to);
  std::memcpy(to + i, last_to, (count - i) * sizeof(uint16_t));
}

constexpr uint32_t kLanesPerBlock = 16;

// A whole datablock; lanes beyond `count` are computed and not stored.
template <typename T>
HWY_ATTR void Dequant(void* dst, const int16_t* src, const double* scale, const double* offset,
                      uint32_t count) {
  const hn::CappedTag<double, kLanesPerBlock> d;
  const hn::Rebind<int32_t, decltype(d)> di;
  const auto lowest = hn::Set(d, static_cast<double>(std::numeric_limits<T>::min()));
  const auto highest = hn::Set(d, static_cast<double>(std::numeric_limits<T>::max()));
  HWY_ALIGN int32_t lane[kLanesPerBlock] = {};
  HWY_ALIGN double scales[kLanesPerBlock] = {};
  HWY_ALIGN double offsets[kLanesPerBlock] = {};
  for (uint32_t i = 0; i < count; ++i) {
    lane[i] = src[i];
    scales[i] = scale[i];
    offsets[i] = offset[i];
  }
  for (uint32_t i = 0; i < kLanesPerBlock; i += static_cast<uint32_t>(hn::Lanes(d))) {
    const auto value = hn::PromoteTo(d, hn::Load(di, lane + i));
    const auto scaled = hn::Add(hn::Mul(value, hn::Load(d, scales + i)), hn::Load(d, offsets + i));
    const auto number = hn::IfThenElseZero(hn::Eq(scaled, scaled), scaled);
    const auto whole = hn::Min(hn::Max(hn::Round(number), lowest), highest);
    hn::Store(hn::DemoteTo(di, whole), di, lane + i);
  }
  T* to = static_cast<T*>(dst);
  for (uint32_t i = 0; i < count; ++i) to[i] = static_cast<T>(lane[i]);
}
void DequantInt8(void* dst, const int16_t* src, const double* scale, const double* offset,
                 uint32_t count) {
  Dequant<int8_t>(dst, src, scale, offset, count);
}
void DequantUInt8(void* dst, const int16_t* src, const double* scale, const double* offset,
                  uint32_t count) {
  Dequant<uint8_t>(dst, src, scale, offset, count);
}

}  // namespace bascule::isa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bascule::isa {

HWY_EXPORT(AddDeqRelu);
HWY_EXPORT(DequantInt8);
HWY_EXPORT(DequantUInt8);

FlatFunction SimdAddDeqRelu() { return HWY_DYNAMIC_DISPATCH(AddDeqRelu); }
DequantFunction SimdDequantInt8() { return HWY_DYNAMIC_DISPATCH(DequantInt8); }
DequantFunction SimdDequantUInt8() { return HWY_DYNAMIC_DISPATCH(DequantUInt8); }

}  // namespace bascule::isa
#endif  // HWY_ONCE
