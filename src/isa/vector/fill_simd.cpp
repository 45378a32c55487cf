// The SIMD forms of filling, compiled once for every CPU target.
// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "isa/vector/fill.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "isa/vector/fill_simd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "simd/half-inl.h"

HWY_BEFORE_NAMESPACE();
namespace bascule::isa::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace hs = bascule::simd::HWY_NAMESPACE;

template <typename T>
HWY_ATTR void FillLoop(void* dst, uint64_t scalar, uint64_t count) {
  T* to = static_cast<T*>(dst);
  const hn::ScalableTag<T> d;
  const auto value = hn::Set(d, static_cast<T>(scalar));
  const uint64_t lanes = hn::Lanes(d);
  uint64_t i = 0;
  for (; i + lanes <= count; i += lanes) hn::StoreU(value, d, to + i);
  for (; i < count; ++i) to[i] = static_cast<T>(scalar);
}
void Fill16(void* dst, const void*, const void*, uint64_t scalar, uint64_t count) {
  FillLoop<uint16_t>(dst, scalar, count);
}
void Fill32(void* dst, const void*, const void*, uint64_t scalar, uint64_t count) {
  FillLoop<uint32_t>(dst, scalar, count);
}

template <typename T>
HWY_ATTR void IndexIntegers(void* dst, uint64_t first, uint64_t start, uint64_t count) {
  using U = hwy::MakeUnsigned<T>;
  U* to = static_cast<U*>(dst);
  const hn::ScalableTag<U> d;
  const uint64_t lanes = hn::Lanes(d);
  auto value = hn::Iota(d, static_cast<U>(first + start));
  const auto step = hn::Set(d, static_cast<U>(lanes));
  uint64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    hn::StoreU(value, d, to + i);
    value = hn::Add(value, step);
  }
  for (; i < count; ++i) to[i] = static_cast<U>(first + start + i);
}
void IndexInt16(void* dst, uint64_t first, uint64_t start, uint64_t count) {
  IndexIntegers<int16_t>(dst, first, start, count);
}
void IndexInt32(void* dst, uint64_t first, uint64_t start, uint64_t count) {
  IndexIntegers<int32_t>(dst, first, start, count);
}

// Positions are exact integers, so that no rounding adds up.
template <class D, class Store>
HWY_ATTR void IndexFloats(D d, float first, uint64_t start, uint64_t from, uint64_t to,
                          Store store) {
  const hn::RebindToSigned<D> di;
  const uint64_t lanes = hn::Lanes(d);
  const auto base = hn::Set(d, first);
  for (uint64_t i = from; i + lanes <= to; i += lanes) {
    const auto position = hn::Iota(di, static_cast<int32_t>(start + i));
    store(d, hn::Add(base, hn::ConvertTo(d, position)), i);
  }
}

struct StoreFloats {
  float* to;
  template <class D>
  HWY_ATTR void operator()(D d, hn::Vec<D> value, uint64_t i) const {
    hn::StoreU(value, d, to + i);
  }
};
struct StoreHalves {
  uint16_t* to;
  template <class D>
  HWY_ATTR void operator()(D d, hn::Vec<D> value, uint64_t i) const {
    hs::StoreHalf(d, value, to + i);
  }
};

template <class Store>
HWY_ATTR void IndexRealNumbers(Store store, float first, uint64_t start, uint64_t count) {
  const hn::ScalableTag<float> d;
  const hn::CappedTag<float, 1> one;
  const uint64_t whole = count - count % hn::Lanes(d);
  IndexFloats(d, first, start, 0, whole, store);
  IndexFloats(one, first, start, whole, count, store);
}
void IndexFloat(void* dst, uint64_t first, uint64_t start, uint64_t count) {
  float value;
  std::memcpy(&value, &first, sizeof(value));
  IndexRealNumbers(StoreFloats{static_cast<float*>(dst)}, value, start, count);
}
void IndexHalf(void* dst, uint64_t first, uint64_t start, uint64_t count) {
  const hn::CappedTag<float, 1> one;
  const uint16_t bits = static_cast<uint16_t>(first);
  const float value = hn::GetLane(hs::LoadHalf(one, &bits));
  IndexRealNumbers(StoreHalves{static_cast<uint16_t*>(dst)}, value, start, count);
}

}  // namespace bascule::isa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bascule::isa {

#define BASCULE_EXPORT_SIMD(type, name) \
  HWY_EXPORT(name);                     \
  type Simd##name() { return HWY_DYNAMIC_DISPATCH(name); }
BASCULE_EXPORT_SIMD(FlatFunction, Fill16)
BASCULE_EXPORT_SIMD(FlatFunction, Fill32)
BASCULE_EXPORT_SIMD(IndexFunction, IndexFloat)
BASCULE_EXPORT_SIMD(IndexFunction, IndexHalf)
BASCULE_EXPORT_SIMD(IndexFunction, IndexInt16)
BASCULE_EXPORT_SIMD(IndexFunction, IndexInt32)
#undef BASCULE_EXPORT_SIMD

}  // namespace bascule::isa
#endif  // HWY_ONCE
