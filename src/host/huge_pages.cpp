// SPDX-License-Identifier: Apache-2.0
#include "host/huge_pages.h"

#include <sys/mman.h>

namespace bascule::host {
namespace {

constexpr uint64_t kHugePage = 2 * 1024 * 1024;
// Below it a call of the system is not worth its time.
constexpr uint64_t kLeastBytes = 2 * kHugePage;

}  // namespace

void PreferHugePages(void* begin, uint64_t bytes) {
  if (bytes < kLeastBytes) return;
  const uint64_t at = reinterpret_cast<uint64_t>(begin);
  const uint64_t first = (at + kHugePage - 1) / kHugePage * kHugePage;
  const uint64_t end = (at + bytes) / kHugePage * kHugePage;
  if (first < end) madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE);
}

}  // namespace bascule::host
