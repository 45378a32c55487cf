// The SIMD forms of comparisons and choices, compiled once for every CPU target.
// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "isa/vector/compare.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "isa/vector/compare_simd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "simd/half-inl.h"

HWY_BEFORE_NAMESPACE();
namespace bascule::isa::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace hs = bascule::simd::HWY_NAMESPACE;

struct Less {
  template <class V>
  HWY_ATTR auto operator()(V a, V b) const {
    return hn::Lt(a, b);
  }
};
struct Greater {
  template <class V>
  HWY_ATTR auto operator()(V a, V b) const {
    return hn::Gt(a, b);
  }
};
struct Equal {
  template <class V>
  HWY_ATTR auto operator()(V a, V b) const {
    return hn::Eq(a, b);
  }
};
struct LessOrEqual {
  template <class V>
  HWY_ATTR auto operator()(V a, V b) const {
    return hn::Le(a, b);
  }
};
struct GreaterOrEqual {
  template <class V>
  HWY_ATTR auto operator()(V a, V b) const {
    return hn::Ge(a, b);
  }
};
struct LessOrGreater {
  template <class V>
  HWY_ATTR auto operator()(V a, V b) const {
    return hn::Or(hn::Lt(a, b), hn::Gt(a, b));
  }
};

struct FloatLane {
  using Stored = float;
  using Wide = float;
  template <class D>
  static HWY_ATTR hn::Vec<D> Load(D d, const Stored* from) {
    return hn::LoadU(d, from);
  }
};
struct HalfLane {
  using Stored = uint16_t;
  using Wide = float;
  template <class D>
  static HWY_ATTR hn::Vec<D> Load(D d, const Stored* from) {
    return hs::LoadHalf(d, from);
  }
};
struct Int32Lane {
  using Stored = int32_t;
  using Wide = int32_t;
  template <class D>
  static HWY_ATTR hn::Vec<D> Load(D d, const Stored* from) {
    return hn::LoadU(d, from);
  }
};

// Vectors have at most 64 lanes of 32 bits, so that a group is whole vectors.
template <class Lane, class Op>
HWY_ATTR void CompareGroups(const void* a, const void* b, uint64_t scalar, uint64_t groups,
                            uint8_t* bits, Op op) {
  using Stored = typename Lane::Stored;
  const hn::CappedTag<typename Lane::Wide, 64> d;
  const hn::CappedTag<typename Lane::Wide, 1> one;
  const uint32_t lanes = static_cast<uint32_t>(hn::Lanes(d));
  const Stored* first = static_cast<const Stored*>(a);
  const Stored* second = static_cast<const Stored*>(b);
  Stored stored;
  std::memcpy(&stored, &scalar, sizeof(stored));
  const auto fixed = hn::Set(d, hn::GetLane(Lane::Load(one, &stored)));
  for (uint64_t group = 0; group < groups; ++group) {
    uint64_t word = 0;
    for (uint32_t i = 0; i < 64; i += lanes) {
      const uint64_t at = group * 64 + i;
      const auto other = second != nullptr ? Lane::Load(d, second + at) : fixed;
      uint8_t some[8] = {};
      hn::StoreMaskBits(d, op(Lane::Load(d, first + at), other), some);
      uint64_t found;
      std::memcpy(&found, some, sizeof(found));
      word |= found << i;
    }
    std::memcpy(bits + group * 8, &word, sizeof(word));
  }
}

template <class Lane>
HWY_ATTR void Compare(const void* a, const void* b, uint64_t scalar, uint32_t mode, uint64_t groups,
                      uint8_t* bits) {
  switch (mode) {
    case BASCULE_COMPARE_LT:
      return CompareGroups<Lane>(a, b, scalar, groups, bits, Less());
    case BASCULE_COMPARE_GT:
      return CompareGroups<Lane>(a, b, scalar, groups, bits, Greater());
    case BASCULE_COMPARE_EQ:
      return CompareGroups<Lane>(a, b, scalar, groups, bits, Equal());
    case BASCULE_COMPARE_LE:
      return CompareGroups<Lane>(a, b, scalar, groups, bits, LessOrEqual());
    case BASCULE_COMPARE_GE:
      return CompareGroups<Lane>(a, b, scalar, groups, bits, GreaterOrEqual());
    default:
      return CompareGroups<Lane>(a, b, scalar, groups, bits, LessOrGreater());
  }
}
void CompareFloat(const void* a, const void* b, uint64_t scalar, uint32_t mode, uint64_t groups,
                  uint8_t* bits) {
  Compare<FloatLane>(a, b, scalar, mode, groups, bits);
}
void CompareHalf(const void* a, const void* b, uint64_t scalar, uint32_t mode, uint64_t groups,
                 uint8_t* bits) {
  Compare<HalfLane>(a, b, scalar, mode, groups, bits);
}
void CompareInt32(const void* a, const void* b, uint64_t scalar, uint32_t, uint64_t groups,
                  uint8_t* bits) {
  CompareGroups<Int32Lane>(a, b, scalar, groups, bits, Equal());
}

template <typename T>
HWY_ATTR void SelectLoop(void* dst, const void* a, const void* b, uint64_t scalar,
                         const uint8_t* bits, uint64_t count) {
  const hn::CappedTag<T, 64> d;
  const uint64_t lanes = hn::Lanes(d);
  T* to = static_cast<T*>(dst);
  const T* first = static_cast<const T*>(a);
  const T* second = static_cast<const T*>(b);
  const auto fixed = hn::Set(d, static_cast<T>(scalar));
  uint64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    // Fewer than 8 lanes start within a byte.
    uint8_t some[8] = {};
    std::memcpy(some, bits + i / 8, (lanes + 7) / 8);
    some[0] = static_cast<uint8_t>(some[0] >> (i % 8));
    const auto mask = hn::LoadMaskBits(d, some);
    const auto other = second != nullptr ? hn::LoadU(d, second + i) : fixed;
    hn::StoreU(hn::IfThenElse(mask, hn::LoadU(d, first + i), other), d, to + i);
  }
  for (; i < count; ++i) {
    const bool set = (bits[i / 8] >> (i % 8) & 1) != 0;
    to[i] = set ? first[i] : second != nullptr ? second[i] : static_cast<T>(scalar);
  }
}
void Select16(void* dst, const void* a, const void* b, uint64_t scalar, const uint8_t* bits,
              uint64_t count) {
  SelectLoop<uint16_t>(dst, a, b, scalar, bits, count);
}
void Select32(void* dst, const void* a, const void* b, uint64_t scalar, const uint8_t* bits,
              uint64_t count) {
  SelectLoop<uint32_t>(dst, a, b, scalar, bits, count);
}

}  // namespace bascule::isa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bascule::isa {

#define BASCULE_EXPORT_SIMD(type, name) \
  HWY_EXPORT(name);                     \
  type Simd##name() { return HWY_DYNAMIC_DISPATCH(name); }
BASCULE_EXPORT_SIMD(CompareFunction, CompareFloat)
BASCULE_EXPORT_SIMD(CompareFunction, CompareHalf)
BASCULE_EXPORT_SIMD(CompareFunction, CompareInt32)
BASCULE_EXPORT_SIMD(SelectFunction, Select16)
BASCULE_EXPORT_SIMD(SelectFunction, Select32)
#undef BASCULE_EXPORT_SIMD

}  // namespace bascule::isa
#endif  // HWY_ONCE
