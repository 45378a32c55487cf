// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "isa/move/bytes.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "isa/move/bytes_simd.cpp"
#include "hwy/cache_control.h"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace bascule::isa::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr uint64_t kLineBytes = 64;

// Up to 64 bytes by the library; a whole line needs no loop over sizes.
void Copy(char* to, const char* from, uint64_t bytes, uint64_t ahead_bytes) {
  const hn::CappedTag<uint8_t, kLineBytes> d;
  constexpr uint64_t kLanes = hn::MaxLanes(d);
  const uint8_t* source = reinterpret_cast<const uint8_t*>(from);
  uint8_t* target = reinterpret_cast<uint8_t*>(to);
  const uint64_t lanes = hn::Lanes(d);
  uint64_t at = 0;
  if (lanes == kLanes) {
    for (; at + kLineBytes <= bytes; at += kLineBytes) {
      if (ahead_bytes != 0) hwy::Prefetch(from + at + ahead_bytes);
      for (uint64_t part = 0; part < kLineBytes; part += kLanes) {
        hn::StoreU(hn::LoadU(d, source + at + part), d, target + at + part);
      }
    }
  }
  if (at < bytes) std::memcpy(to + at, from + at, bytes - at);
}

void Stream(char* to, const char* from, uint64_t bytes, const ReadAhead& ahead) {
  const hn::CappedTag<uint8_t, kLineBytes> d;
  constexpr uint64_t kLanes = hn::MaxLanes(d);
  const uint64_t misaligned = reinterpret_cast<uintptr_t>(to) % kLineBytes;
  const uint64_t head = misaligned == 0 ? 0 : kLineBytes - misaligned;
  if (bytes < 4 * kLineBytes || hn::Lanes(d) != kLanes) {
    std::memcpy(to, from, bytes);
    return;
  }
  if (head != 0) std::memcpy(to, from, head);
  uint64_t at = head;
  for (; at + kLineBytes <= bytes; at += kLineBytes) {
    if (at < kAheadBytes) {
      for (uint32_t i = 0; i < ahead.count; ++i) hwy::Prefetch(ahead.from[i] + at);
    }
    for (uint64_t part = 0; part < kLineBytes; part += kLanes) {
      hn::Stream(hn::LoadU(d, reinterpret_cast<const uint8_t*>(from) + at + part), d,
                 reinterpret_cast<uint8_t*>(to) + at + part);
    }
  }
  if (at < bytes) std::memcpy(to + at, from + at, bytes - at);
}

}  // namespace bascule::isa::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace bascule::isa {

HWY_EXPORT(Copy);
HWY_EXPORT(Stream);

CopyFunction CopyBytes() { return HWY_DYNAMIC_DISPATCH(Copy); }
StreamFunction StreamBytes() { return HWY_DYNAMIC_DISPATCH(Stream); }

}  // namespace bascule::isa
#endif  // HWY_ONCE
