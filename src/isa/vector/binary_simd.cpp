// The SIMD forms of elementwise instructions with two sources, compiled once for every CPU target.
// SPDX-License-Identifier: Apache-2.0
#include "isa/vector/binary.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "isa/vector/binary_simd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "simd/half-inl.h"

HWY_BEFORE_NAMESPACE();
namespace bascule::isa::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

struct MulOp {
  template <class V>
  V operator()(V a, V b) const {
    return hn::Mul(a, b);
  }
};

// Whole vectors first, then the rest one lane at a time in a vector of one lane, so that the tail
// is computed by the same operations.
template <class Op>
HWY_ATTR void BinaryFloat(void* dst, const void* src0, const void* src1, uint64_t count) {
  const Op op;
  const hn::ScalableTag<float> d;
  float* HWY_RESTRICT to = static_cast<float*>(dst);
  const float* a = static_cast<const float*>(src0);
  const float* b = static_cast<const float*>(src1);
  const uint64_t lanes = hn::Lanes(d);
  uint64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    hn::StoreU(op(hn::LoadU(d, a + i), hn::LoadU(d, b + i)), d, to + i);
  }
  const hn::CappedTag<float, 1> one;
  for (; i < count; ++i) {
    hn::StoreU(op(hn::LoadU(one, a + i), hn::LoadU(one, b + i)), one, to + i);
  }
}

template <class Op>
HWY_ATTR void BinaryHalf(void* dst, const void* src0, const void* src1, uint64_t count) {
  const Op op;
  const hn::ScalableTag<float> d;
  uint16_t* to = static_cast<uint16_t*>(dst);
  const uint16_t* a = static_cast<const uint16_t*>(src0);
  const uint16_t* b = static_cast<const uint16_t*>(src1);
  const uint64_t lanes = hn::Lanes(d);
  uint64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    simd::HWY_NAMESPACE::StoreHalf(
        d, op(simd::HWY_NAMESPACE::LoadHalf(d, a + i), simd::HWY_NAMESPACE::LoadHalf(d, b + i)),
        to + i);
  }
  const hn::CappedTag<float, 1> one;
  for (; i < count; ++i) {
    simd::HWY_NAMESPACE::StoreHalf(
        one,
        op(simd::HWY_NAMESPACE::LoadHalf(one, a + i), simd::HWY_NAMESPACE::LoadHalf(one, b + i)),
        to + i);
  }
}

void MulFloat(void* dst, const void* src0, const void* src1, uint64_t count) {
  BinaryFloat<MulOp>(dst, src0, src1, count);
}
void MulHalf(void* dst, const void* src0, const void* src1, uint64_t count) {
  BinaryHalf<MulOp>(dst, src0, src1, count);
}

}  // namespace bascule::isa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bascule::isa {

HWY_EXPORT(MulFloat);
HWY_EXPORT(MulHalf);

FlatBinary SimdMulFloat() { return HWY_DYNAMIC_DISPATCH(MulFloat); }
FlatBinary SimdMulHalf() { return HWY_DYNAMIC_DISPATCH(MulHalf); }

}  // namespace bascule::isa
#endif  // HWY_ONCE
