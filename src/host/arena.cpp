// SPDX-License-Identifier: Apache-2.0
#include "host/arena.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>

namespace bascule::host {
namespace {

constexpr uint64_t kAlignment = 512;
constexpr uint64_t kHugePage = 2 * 1024 * 1024;
constexpr uint64_t kRegionBytes = 64 * 1024 * 1024;
// Smaller pieces are likely to be wanted again soon, with their pages in place.
constexpr uint64_t kReturnedBytes = 256 * 1024;

uint64_t RoundUp(uint64_t value, uint64_t unit) { return (value + unit - 1) / unit * unit; }

}  // namespace

Arena::~Arena() {
  for (const Region& region : regions_) munmap(reinterpret_cast<void*>(region.begin), region.bytes);
}

bool Arena::Grow(uint64_t bytes) {
  // One huge page more, so that an aligned piece of the size is in it wherever it begins.
  const uint64_t wanted = std::max(RoundUp(bytes, kHugePage) + kHugePage, kRegionBytes);
  void* memory = mmap(nullptr, wanted, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return false;
  const uint64_t begin = reinterpret_cast<uint64_t>(memory);
  regions_.push_back({begin, wanted});
  free_[begin] = wanted;
  return true;
}

uint64_t Arena::Allocate(uint64_t bytes) {
  if (bytes > UINT64_MAX / 4) return 0;
  const uint64_t size = RoundUp(bytes, kAlignment);
  const uint64_t alignment = size >= kHugePage ? kHugePage : kAlignment;
  for (int attempt = 0; attempt < 2; ++attempt) {
    for (auto piece = free_.begin(); piece != free_.end(); ++piece) {
      const uint64_t begin = piece->first;
      const uint64_t end = begin + piece->second;
      const uint64_t address = RoundUp(begin, alignment);
      if (address > end || end - address < size) continue;
      free_.erase(piece);
      if (address > begin) free_[begin] = address - begin;
      if (address + size < end) free_[address + size] = end - address - size;
      if (alignment == kHugePage) {
        madvise(reinterpret_cast<void*>(address), size / kHugePage * kHugePage, MADV_HUGEPAGE);
      }
      return address;
    }
    if (attempt == 0 && !Grow(size)) return 0;
  }
  return 0;
}

bool Arena::Holds(uint64_t address) const {
  return std::any_of(regions_.begin(), regions_.end(), [address](const Region& region) {
    return address >= region.begin && address - region.begin < region.bytes;
  });
}

void Arena::Free(uint64_t address, uint64_t bytes) {
  uint64_t begin = address;
  uint64_t end = address + RoundUp(bytes, kAlignment);
  if (end - begin >= kReturnedBytes) {
    // Many aarch64 systems have pages of 64 KiB; part of one is never given back.
    static const uint64_t page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
    const uint64_t first = RoundUp(begin, page);
    madvise(reinterpret_cast<void*>(first), end / page * page - first, MADV_DONTNEED);
  }
  auto after = free_.lower_bound(begin);
  if (after != free_.end() && after->first == end) {
    end += after->second;
    after = free_.erase(after);
  }
  if (after != free_.begin()) {
    const auto before = std::prev(after);
    if (before->first + before->second == begin) {
      begin = before->first;
      free_.erase(before);
    }
  }
  free_[begin] = end - begin;
}

}  // namespace bascule::host
