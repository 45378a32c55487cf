// Walks over consecutive elements a vector at a time.
// SPDX-License-Identifier: Apache-2.0

// Included once per CPU target, hence no ordinary guard.
#if defined(BASCULE_SIMD_LOOP_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef BASCULE_SIMD_LOOP_INL_H_
#undef BASCULE_SIMD_LOOP_INL_H_
#else
#define BASCULE_SIMD_LOOP_INL_H_
#endif

#include <cstdint>
#include <cstring>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace bascule::simd::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Calls `step(from, to)` for Lanes(d) elements at a time. The last ones take the same way by way of
// a buffer that zeros fill up: vectors of fewer lanes than the machine's have faults of their own
// (Highway 1.0.3 shifts one lane by what lies beside its count).
template <class D, typename From, typename To, class Step>
HWY_INLINE HWY_ATTR void ForVectors(D d, const From* from, To* to, uint64_t count,
                                    const Step& step) {
  const uint64_t lanes = hn::Lanes(d);
  uint64_t i = 0;
  for (; i + lanes <= count; i += lanes) step(from + i, to + i);
  if (i == count) return;
  HWY_ALIGN From last_from[hn::MaxLanes(d)] = {};
  HWY_ALIGN To last_to[hn::MaxLanes(d)];
  std::memcpy(last_from, from + i, (count - i) * sizeof(From));
  step(last_from, last_to);
  std::memcpy(to + i, last_to, (count - i) * sizeof(To));
}

}  // namespace bascule::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // per-target guard
