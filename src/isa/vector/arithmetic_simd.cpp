// The SIMD forms of elementwise arithmetic, compiled once for every CPU target.
// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "isa/vector/arithmetic.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "isa/vector/arithmetic_simd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "simd/half-inl.h"

HWY_BEFORE_NAMESPACE();
namespace bascule::isa::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace hs = bascule::simd::HWY_NAMESPACE;

// The function objects; arguments as in the reference: old destination, sources, scalar.
struct Mul {
  template <class D, class V>
  HWY_ATTR V operator()(D /*d*/, V /*old*/, V a, V b, V /*s*/) const {
    return hn::Mul(a, b);
  }
};

// How lanes of an element type are loaded and stored; the arithmetic is done in `Wide`.
template <typename T>
struct Plain {
  using Stored = T;
  using Wide = T;
  template <class D>
  static HWY_ATTR hn::Vec<D> Load(D d, const Stored* from) {
    return hn::LoadU(d, from);
  }
  template <class D>
  static HWY_ATTR void Store(D d, hn::Vec<D> value, Stored* to) {
    hn::StoreU(value, d, to);
  }
  static HWY_ATTR Wide Scalar(uint64_t bits) {
    T value;
    std::memcpy(&value, &bits, sizeof(T));
    return value;
  }
};
using FloatLane = Plain<float>;

struct HalfLane {
  using Stored = uint16_t;
  using Wide = float;
  template <class D>
  static HWY_ATTR hn::Vec<D> Load(D d, const Stored* from) {
    return hs::LoadHalf(d, from);
  }
  template <class D>
  static HWY_ATTR void Store(D d, hn::Vec<D> value, Stored* to) {
    hs::StoreHalf(d, value, to);
  }
  static HWY_ATTR Wide Scalar(uint64_t bits) {
    const hn::CappedTag<float, 1> one;
    const Stored half = static_cast<Stored>(bits);
    return hn::GetLane(hs::LoadHalf(one, &half));
  }
};

template <class Op, class Lane, bool reads_dst, int sources, class D>
HWY_ATTR void Step(D d, hn::Vec<D> s, typename Lane::Stored* to, const typename Lane::Stored* a,
                   const typename Lane::Stored* b) {
  const auto zero = hn::Zero(d);
  const auto old = reads_dst ? Lane::Load(d, to) : zero;
  const auto second = sources > 1 ? Lane::Load(d, b) : zero;
  Lane::Store(d, Op()(d, old, Lane::Load(d, a), second, s), to);
}

// Whole vectors first, then the rest one lane at a time in a vector of one lane, so that the tail is
// computed by the same operations.
template <class Op, class Lane, bool reads_dst, int sources>
HWY_ATTR void Loop(void* dst, const void* src0, const void* src1, uint64_t scalar, uint64_t count) {
  using Stored = typename Lane::Stored;
  const hn::ScalableTag<typename Lane::Wide> d;
  const hn::CappedTag<typename Lane::Wide, 1> one;
  Stored* to = static_cast<Stored*>(dst);
  const Stored* a = static_cast<const Stored*>(src0);
  const Stored* b = sources > 1 ? static_cast<const Stored*>(src1) : a;
  const auto s = Lane::Scalar(scalar);
  const auto wide_s = hn::Set(d, s);
  const auto one_s = hn::Set(one, s);
  const uint64_t lanes = hn::Lanes(d);
  uint64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    Step<Op, Lane, reads_dst, sources>(d, wide_s, to + i, a + i, b + i);
  }
  for (; i < count; ++i) Step<Op, Lane, reads_dst, sources>(one, one_s, to + i, a + i, b + i);
}

#define BASCULE_LOOP(name, type, number, lane)                                                    \
  void name##lane(void* dst, const void* src0, const void* src1, uint64_t scalar, uint64_t count) { \
    Loop<name, lane##Lane, name##Shape::kReadsDst, name##Shape::kSources>(dst, src0, src1, scalar,  \
                                                                          count);                 \
  }
#define BASCULE_LOOPS(name, reads_dst, sources, types, document) \
  struct name##Shape {                                           \
    static constexpr bool kReadsDst = reads_dst;                 \
    static constexpr int kSources = sources;                     \
  };                                                             \
  BASCULE_##types(BASCULE_LOOP, name)
BASCULE_ARITHMETIC(BASCULE_LOOPS)
#undef BASCULE_LOOPS
#undef BASCULE_LOOP

}  // namespace bascule::isa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bascule::isa {

#define BASCULE_EXPORT_SIMD(name, type, number, lane) \
  HWY_EXPORT(name##lane);                             \
  FlatFunction Simd##name##lane() { return HWY_DYNAMIC_DISPATCH(name##lane); }
#define BASCULE_EXPORT_SIMDS(name, reads_dst, sources, types, document) \
  BASCULE_##types(BASCULE_EXPORT_SIMD, name)
BASCULE_ARITHMETIC(BASCULE_EXPORT_SIMDS)

}  // namespace bascule::isa
#endif  // HWY_ONCE
