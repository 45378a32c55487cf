// The SIMD forms of what is done with a whole row, compiled once for every CPU target.
//
// A sum has 64 lanes on every target, added to in the order that float_rows.h states. Targets with
// shorter vectors go through the row several times, for some of the lanes each time.
// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <limits>

#include "isa/vector/float_rows.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "isa/vector/float_rows_simd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "simd/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace bascule::isa::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
namespace hs = bascule::simd::HWY_NAMESPACE;

using D = hn::CappedTag<float, 16>;
using V = hn::Vec<D>;

// What a term is made of.
struct Itself {
  static HWY_INLINE HWY_ATTR V Term(D /*d*/, V a, V /*b*/, V /*s*/) { return a; }
};
struct Product {
  static HWY_INLINE HWY_ATTR V Term(D /*d*/, V a, V b, V /*s*/) { return hn::Mul(a, b); }
};
struct Square {
  static HWY_INLINE HWY_ATTR V Term(D /*d*/, V a, V /*b*/, V s) {
    const V away = hn::Sub(a, s);
    return hn::Mul(away, away);
  }
};
struct Exponential {
  static HWY_INLINE HWY_ATTR V Term(D d, V a, V /*b*/, V s) { return hs::Exp(d, hn::Sub(a, s)); }
};

// The term of a vector, stored where the row of terms is wanted.
template <class Op, bool stores>
HWY_INLINE HWY_ATTR V TermAt(D d, float* to, const float* a, const float* b, V s, uint64_t i) {
  const V first = hn::LoadU(d, a + i);
  const V term = Op::Term(d, first, b != nullptr ? hn::LoadU(d, b + i) : first, s);
  if constexpr (stores) hn::StoreU(term, d, to + i);
  return term;
}

// The same of the row's last elements; behind them what changes no sum.
template <class Op, bool stores>
HWY_INLINE HWY_ATTR V LastTermAt(D d, float* to, const float* a, const float* b, V s, uint64_t i,
                                 uint64_t rest) {
  const V term = TermAt<Op, stores>(d, to, a, b, s, i);
  return hn::IfThenElse(hn::FirstN(d, rest > i ? rest - i : 0), term, hn::Set(d, -0.0f));
}

template <class Op, bool stores>
HWY_INLINE HWY_ATTR float SumOf(float* to, const float* a, const float* b, float scalar,
                                uint64_t n) {
  const D d;
  const uint64_t lanes = hn::Lanes(d);
  const V s = hn::Set(d, scalar);
  const V none = hn::Set(d, -0.0f);
  const uint64_t groups = n / kSumLanes;
  const uint64_t rest = n % kSumLanes;
  HWY_ALIGN float last_a[kSumLanes];
  HWY_ALIGN float last_b[kSumLanes];
  HWY_ALIGN float last_to[kSumLanes];
  if (rest != 0) {
    std::memset(last_a, 0, sizeof(last_a));
    std::memset(last_b, 0, sizeof(last_b));
    std::memcpy(last_a, a + groups * kSumLanes, rest * sizeof(float));
    if (b != nullptr) std::memcpy(last_b, b + groups * kSumLanes, rest * sizeof(float));
  }
  HWY_ALIGN float sums[kSumLanes];
  for (uint64_t lane = 0; lane < kSumLanes; lane += 4 * lanes) {
    V sum0 = none;
    V sum1 = none;
    V sum2 = none;
    V sum3 = none;
    for (uint64_t group = 0; group < groups;) {
      const uint64_t end = group + kSumGroups < groups ? group + kSumGroups : groups;
      V part0 = none;
      V part1 = none;
      V part2 = none;
      V part3 = none;
      for (; group < end; ++group) {
        const uint64_t i = group * kSumLanes + lane;
        part0 = hn::Add(part0, TermAt<Op, stores>(d, to, a, b, s, i));
        part1 = hn::Add(part1, TermAt<Op, stores>(d, to, a, b, s, i + lanes));
        part2 = hn::Add(part2, TermAt<Op, stores>(d, to, a, b, s, i + 2 * lanes));
        part3 = hn::Add(part3, TermAt<Op, stores>(d, to, a, b, s, i + 3 * lanes));
      }
      sum0 = hn::Add(sum0, part0);
      sum1 = hn::Add(sum1, part1);
      sum2 = hn::Add(sum2, part2);
      sum3 = hn::Add(sum3, part3);
    }
    if (rest != 0) {
      const float* other = b != nullptr ? last_b : nullptr;
      sum0 = hn::Add(sum0, LastTermAt<Op, stores>(d, last_to, last_a, other, s, lane, rest));
      sum1 =
          hn::Add(sum1, LastTermAt<Op, stores>(d, last_to, last_a, other, s, lane + lanes, rest));
      sum2 = hn::Add(sum2,
                     LastTermAt<Op, stores>(d, last_to, last_a, other, s, lane + 2 * lanes, rest));
      sum3 = hn::Add(sum3,
                     LastTermAt<Op, stores>(d, last_to, last_a, other, s, lane + 3 * lanes, rest));
    }
    hn::Store(sum0, d, sums + lane);
    hn::Store(sum1, d, sums + lane + lanes);
    hn::Store(sum2, d, sums + lane + 2 * lanes);
    hn::Store(sum3, d, sums + lane + 3 * lanes);
  }
  if (stores && rest != 0) {
    std::memcpy(to + groups * kSumLanes, last_to, rest * sizeof(float));
  }
  for (uint64_t half = kSumLanes / 2; half > 0; half /= 2) {
    for (uint64_t i = 0; i < half; ++i) sums[i] += sums[i + half];
  }
  return sums[0];
}

float Sum(const float* a, uint64_t n) { return SumOf<Itself, false>(nullptr, a, nullptr, 0, n); }
float SumOfProducts(const float* a, const float* b, uint64_t n) {
  return SumOf<Product, false>(nullptr, a, b, 0, n);
}
float SumOfSquares(const float* a, float mean, uint64_t n) {
  return SumOf<Square, false>(nullptr, a, nullptr, mean, n);
}
float Exponentials(float* to, const float* a, float max, uint64_t n) {
  return SumOf<Exponential, true>(to, a, nullptr, max, n);
}

// NaN where there is one, or where the sign of the result is in doubt.
float Largest(const float* a, uint64_t n) {
  const D d;
  const uint64_t lanes = hn::Lanes(d);
  V most = hn::Set(d, -std::numeric_limits<float>::infinity());
  V more = most;
  auto odd = hn::IsNaN(most);
  uint64_t i = 0;
  for (; i + 2 * lanes <= n; i += 2 * lanes) {
    const V first = hn::LoadU(d, a + i);
    const V second = hn::LoadU(d, a + i + lanes);
    odd = hn::Or(odd, hn::Or(hn::IsNaN(first), hn::IsNaN(second)));
    most = hn::Max(most, first);
    more = hn::Max(more, second);
  }
  float largest = hn::GetLane(hn::MaxOfLanes(d, hn::Max(most, more)));
  bool is_odd = !hn::AllFalse(d, odd);
  for (; i < n; ++i) {
    is_odd |= a[i] != a[i];
    if (a[i] > largest) largest = a[i];
  }
  return is_odd || largest == 0 ? std::numeric_limits<float>::quiet_NaN() : largest;
}

template <class Op>
HWY_INLINE HWY_ATTR void EachOf(float* to, const float* a, const float* b, const float* c, float s,
                                float t, uint64_t n) {
  const D d;
  const uint64_t lanes = hn::Lanes(d);
  const V vs = hn::Set(d, s);
  const V vt = hn::Set(d, t);
  uint64_t i = 0;
  for (; i + lanes <= n; i += lanes) {
    const V first = hn::LoadU(d, a + i);
    const V third = c != nullptr ? hn::LoadU(d, c + i) : first;
    hn::StoreU(Op::Of(d, first, hn::LoadU(d, b + i), third, vs, vt), d, to + i);
  }
  const hn::CappedTag<float, 1> one;
  for (; i < n; ++i) {
    const auto first = hn::LoadU(one, a + i);
    const auto third = c != nullptr ? hn::LoadU(one, c + i) : first;
    hn::StoreU(Op::Of(one, first, hn::LoadU(one, b + i), third, hn::Set(one, s), hn::Set(one, t)),
               one, to + i);
  }
}

struct DifferenceTimes {
  template <class Tag, class W>
  static HWY_INLINE HWY_ATTR W Of(Tag /*d*/, W a, W b, W /*c*/, W s, W /*t*/) {
    return hn::Mul(hn::Sub(a, s), b);
  }
};
struct Normal {
  template <class Tag, class W>
  static HWY_INLINE HWY_ATTR W Of(Tag /*d*/, W a, W b, W c, W s, W t) {
    return hn::Add(hn::Mul(hn::Mul(hn::Sub(a, s), t), b), c);
  }
};
void TimesDifference(float* to, const float* a, float s, const float* b, uint64_t n) {
  EachOf<DifferenceTimes>(to, a, b, nullptr, s, 0, n);
}
void Normalised(float* to, const float* a, float mean, float rstd, const float* gamma,
                const float* beta, uint64_t n) {
  EachOf<Normal>(to, a, gamma, beta, mean, rstd, n);
}

}  // namespace bascule::isa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bascule::isa {

HWY_EXPORT(Sum);
HWY_EXPORT(SumOfProducts);
HWY_EXPORT(SumOfSquares);
HWY_EXPORT(Exponentials);
HWY_EXPORT(Largest);
HWY_EXPORT(TimesDifference);
HWY_EXPORT(Normalised);

RowLoops SimdRowLoops() {
  return {HWY_DYNAMIC_DISPATCH(Sum),          HWY_DYNAMIC_DISPATCH(SumOfProducts),
          HWY_DYNAMIC_DISPATCH(SumOfSquares), HWY_DYNAMIC_DISPATCH(Exponentials),
          HWY_DYNAMIC_DISPATCH(Largest),      HWY_DYNAMIC_DISPATCH(TimesDifference),
          HWY_DYNAMIC_DISPATCH(Normalised)};
}

}  // namespace bascule::isa
#endif  // HWY_ONCE
