// What offsets have in common, compiled once for every CPU target.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "isa/vector/gather.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "isa/vector/gather_simd.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace bascule::isa::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

HWY_ATTR void Offsets(const uint32_t* offsets, uint64_t count, OffsetSummary* summary) {
  const hn::ScalableTag<uint32_t> d;
  const uint64_t lanes = hn::Lanes(d);
  auto highest = hn::Set(d, summary->highest);
  auto bits = hn::Set(d, summary->bits);
  uint64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto some = hn::LoadU(d, offsets + i);
    highest = hn::Max(highest, some);
    bits = hn::Or(bits, some);
  }
  HWY_ALIGN uint32_t highest_lanes[HWY_MAX_BYTES / sizeof(uint32_t)];
  HWY_ALIGN uint32_t bits_lanes[HWY_MAX_BYTES / sizeof(uint32_t)];
  hn::Store(highest, d, highest_lanes);
  hn::Store(bits, d, bits_lanes);
  for (uint64_t lane = 0; lane < lanes; ++lane) {
    summary->highest = std::max(summary->highest, highest_lanes[lane]);
    summary->bits |= bits_lanes[lane];
  }
  for (; i < count; ++i) {
    summary->highest = std::max(summary->highest, offsets[i]);
    summary->bits |= offsets[i];
  }
}

}  // namespace bascule::isa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bascule::isa {

HWY_EXPORT(Offsets);
void SummariseOffsets(const uint32_t* offsets, uint64_t count, OffsetSummary* summary) {
  HWY_DYNAMIC_DISPATCH(Offsets)(offsets, count, summary);
}

}  // namespace bascule::isa
#endif  // HWY_ONCE
