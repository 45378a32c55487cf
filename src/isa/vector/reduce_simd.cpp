// The SIMD forms of reductions, compiled once for every CPU target.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "isa/vector/reduce.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "isa/vector/reduce_simd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "simd/half-inl.h"

HWY_BEFORE_NAMESPACE();
namespace bascule::isa::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace hs = bascule::simd::HWY_NAMESPACE;

struct SumFloatLane {
  using Stored = float;
  template <class D>
  static HWY_ATTR hn::Vec<D> Load(D d, const Stored* from) {
    return hn::LoadU(d, from);
  }
  template <class D>
  static HWY_ATTR void Store(D d, hn::Vec<D> value, Stored* to) {
    hn::StoreU(value, d, to);
  }
};
struct SumHalfLane {
  using Stored = uint16_t;
  template <class D>
  static HWY_ATTR hn::Vec<D> Load(D d, const Stored* from) {
    return hs::LoadHalf(d, from);
  }
  template <class D>
  static HWY_ATTR void Store(D d, hn::Vec<D> value, Stored* to) {
    hs::StoreHalf(d, value, to);
  }
};

// One level of the trees: out[i] = in[2i] + in[2i + 1]. `out` may be `in`.
template <class Lane>
HWY_ATTR void Halve(const typename Lane::Stored* in, typename Lane::Stored* out, uint64_t count) {
  const hn::CappedTag<float, 1> one;
  uint64_t i = 0;
#if HWY_TARGET != HWY_SCALAR  // has one lane only, and no even and odd ones
  const hn::ScalableTag<float> d;
  const uint64_t lanes = hn::Lanes(d);
  for (; i + lanes <= count; i += lanes) {
    const auto low = Lane::Load(d, in + 2 * i);
    const auto high = Lane::Load(d, in + 2 * i + lanes);
    Lane::Store(d, hn::Add(hn::ConcatEven(d, high, low), hn::ConcatOdd(d, high, low)), out + i);
  }
#endif
  for (; i < count; ++i) {
    Lane::Store(one, hn::Add(Lane::Load(one, in + 2 * i), Lane::Load(one, in + 2 * i + 1)),
                out + i);
  }
}

// Many groups at a time, so that the upper levels fill vectors as well.
template <class Lane>
HWY_ATTR void Sum(const void* src, uint64_t groups, uint32_t per_group, void* sums) {
  using Stored = typename Lane::Stored;
  constexpr uint64_t kElements = 2048;
  Stored level[kElements / 2];
  const Stored* from = static_cast<const Stored*>(src);
  Stored* to = static_cast<Stored*>(sums);
  const uint64_t most = kElements / per_group;
  while (groups > 0) {
    const uint64_t now = std::min(groups, most);
    const Stored* in = from;
    for (uint64_t width = now * per_group / 2;; width /= 2) {
      Stored* out = width == now ? to : level;
      Halve<Lane>(in, out, width);
      if (width == now) break;
      in = level;
    }
    from += now * per_group;
    to += now;
    groups -= now;
  }
}
void SumFloat(const void* src, uint64_t groups, uint32_t per_group, void* sums) {
  Sum<SumFloatLane>(src, groups, per_group, sums);
}
void SumHalf(const void* src, uint64_t groups, uint32_t per_group, void* sums) {
  Sum<SumHalfLane>(src, groups, per_group, sums);
}

// Integers in the order of the numbers, or in the reverse order, with NaN above all.
template <class D, class V>
HWY_INLINE HWY_ATTR V Keys(D d, V bits, V reverse, hn::TFromD<D> infinity) {
  using T = hn::TFromD<D>;
  const auto magnitude_bits = hn::Set(d, hwy::LimitsMax<T>());
  const auto sign = hn::BroadcastSignBit(bits);
  const auto ordered = hn::Xor(hn::Xor(bits, hn::And(sign, magnitude_bits)), reverse);
  const auto nan = hn::Gt(hn::And(bits, magnitude_bits), hn::Set(d, infinity));
  return hn::IfThenElse(nan, magnitude_bits, ordered);
}

template <class D>
HWY_ATTR void Extreme(D d, const void* src, uint64_t groups, uint32_t per_group, bool largest,
                      hn::TFromD<D> infinity, uint32_t* indices) {
  using T = hn::TFromD<D>;
  const uint32_t lanes = static_cast<uint32_t>(hn::Lanes(d));
  const T* from = static_cast<const T*>(src);
  const auto reverse = hn::Set(d, static_cast<T>(largest ? 0 : -1));
  HWY_ALIGN T best[HWY_MAX_BYTES / sizeof(T)];
  for (uint64_t group = 0; group < groups; ++group, from += per_group) {
    auto most = Keys(d, hn::LoadU(d, from), reverse, infinity);
    for (uint32_t i = lanes; i < per_group; i += lanes) {
      most = hn::Max(most, Keys(d, hn::LoadU(d, from + i), reverse, infinity));
    }
    hn::Store(most, d, best);
    const auto wanted = hn::Set(d, *std::max_element(best, best + lanes));
    for (uint32_t i = 0; i < per_group; i += lanes) {
      const intptr_t at =
          hn::FindFirstTrue(d, hn::Eq(Keys(d, hn::LoadU(d, from + i), reverse, infinity), wanted));
      if (at < 0) continue;
      indices[group] = i + static_cast<uint32_t>(at);
      break;
    }
  }
}
void ExtremeFloat(const void* src, uint64_t groups, uint32_t per_group, bool largest,
                  uint32_t* indices) {
  Extreme(hn::CappedTag<int32_t, 8>(), src, groups, per_group, largest, 0x7f800000, indices);
}
void ExtremeHalf(const void* src, uint64_t groups, uint32_t per_group, bool largest,
                 uint32_t* indices) {
  Extreme(hn::CappedTag<int16_t, 16>(), src, groups, per_group, largest, 0x7c00, indices);
}

}  // namespace bascule::isa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bascule::isa {

#define BASCULE_EXPORT_SIMD(type, name) \
  HWY_EXPORT(name);                     \
  type Simd##name() { return HWY_DYNAMIC_DISPATCH(name); }
BASCULE_EXPORT_SIMD(SumFunction, SumFloat)
BASCULE_EXPORT_SIMD(SumFunction, SumHalf)
BASCULE_EXPORT_SIMD(ExtremeFunction, ExtremeFloat)
BASCULE_EXPORT_SIMD(ExtremeFunction, ExtremeHalf)
#undef BASCULE_EXPORT_SIMD

}  // namespace bascule::isa
#endif  // HWY_ONCE
