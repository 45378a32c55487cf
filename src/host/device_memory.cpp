// SPDX-License-Identifier: Apache-2.0
#include "host/device_memory.h"

#include <iterator>
#include <string>

#include "base/error.h"

namespace bascule::host {
namespace {

// Source: "aclrtMalloc" page: sizes are rounded up to 32 bytes and get 32 more.
constexpr uint64_t kUnit = 32;
constexpr size_t kRememberedFrees = 4096;

uint64_t RoundUp(uint64_t bytes, uint64_t unit) { return (bytes + unit - 1) / unit * unit; }
// What is taken from the arena for an allocation.
uint64_t Taken(uint64_t bytes) { return RoundUp(bytes, kUnit) + kUnit; }

// The function whose memory `call` frees.
const char* MallocOf(const std::string& call, DeviceMemory::Kind kind) {
  if (call == "GmFree") return "GmAlloc";
  return kind == DeviceMemory::Kind::kDevice ? "aclrtMalloc" : "aclrtMallocHost";
}
const char* FreeOf(DeviceMemory::Kind kind) {
  return kind == DeviceMemory::Kind::kDevice ? "aclrtFree" : "aclrtFreeHost";
}

}  // namespace

void* DeviceMemory::Allocate(Kind kind, uint64_t bytes, const char* call) {
  if (bytes == 0) {
    throw Error(BASCULE_INVALID_ARGUMENT,
                Join(call, ": 0 bytes were asked for; the size is at least 1."));
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  const uint64_t address = bytes <= UINT64_MAX / 4 ? arena_.Allocate(Taken(bytes)) : 0;
  if (address == 0) {
    throw Error(BASCULE_OUT_OF_MEMORY,
                Join(call, ": there is no memory for ", bytes, " bytes; ", used_bytes_,
                     " bytes are in use by this program's allocations."));
  }
  // Frees of memory that is now in use again are forgotten.
  auto stale = freed_.lower_bound(address);
  if (stale != freed_.begin() && std::prev(stale)->first + std::prev(stale)->second > address)
    --stale;
  while (stale != freed_.end() && stale->first < address + bytes) stale = freed_.erase(stale);
  live_[address] = {kind, bytes};
  if (kind == Kind::kDevice) {
    used_bytes_ += bytes;
    ++generation_;
  }
  return reinterpret_cast<void*>(address);
}

DeviceMemory::Place DeviceMemory::FindLocked(uint64_t address) const {
  auto after = live_.upper_bound(address);
  if (after != live_.begin()) {
    const auto& [begin, allocation] = *std::prev(after);
    if (address <= begin + allocation.bytes) return {allocation.kind, begin, allocation.bytes};
  }
  const auto gone = freed_.upper_bound(address);
  if (gone != freed_.begin()) {
    const auto& [begin, bytes] = *std::prev(gone);
    if (address < begin + bytes) return {Kind::kFreed, begin, bytes};
  }
  if (arena_.Holds(address)) return {Kind::kFreed, address, 0};
  return {};
}

DeviceMemory::Place DeviceMemory::Find(const void* address) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return FindLocked(reinterpret_cast<uint64_t>(address));
}

uint64_t DeviceMemory::Release(Kind kind, void* address, const char* call) {
  const uint64_t at = reinterpret_cast<uint64_t>(address);
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = live_.find(at);
  if (found == live_.end() || found->second.kind != kind) {
    const Place place = FindLocked(at);
    std::string what;
    if (address == nullptr) {
      what = "the pointer is null.";
    } else if (place.kind == Kind::kFreed && place.bytes != 0) {
      what = Join("this memory (", place.bytes, " bytes) was freed before.");
    } else if (place.kind == Kind::kForeign || place.kind == Kind::kFreed) {
      what = Join("the pointer did not come from ", MallocOf(call, kind), ".");
    } else if (place.kind != kind) {
      what = Join("the memory came from ", MallocOf("", place.kind), "; ", FreeOf(place.kind),
                  " frees it.");
    } else {
      what = Join("the pointer lies ", at - place.begin,
                  " bytes behind the beginning of an allocation of ", place.bytes,
                  " bytes; free what ", MallocOf(call, kind), " gave.");
    }
    throw Error(BASCULE_INVALID_ARGUMENT, Join(call, ": ", what, " Nothing was freed."));
  }
  const uint64_t bytes = found->second.bytes;
  live_.erase(found);
  arena_.Free(at, Taken(bytes));
  if (kind == Kind::kDevice) {
    used_bytes_ -= bytes;
    ++generation_;
  }
  freed_[at] = bytes;
  freed_order_.push_back(at);
  if (freed_order_.size() > kRememberedFrees) {
    freed_.erase(freed_order_.front());
    freed_order_.pop_front();
  }
  return bytes;
}

void DeviceMemory::Check(const void* address, uint64_t bytes, int device, const char* call,
                         const char* what, const char* why) const {
  if (address == nullptr) {
    throw Error(BASCULE_INVALID_ARGUMENT,
                Join(call, ": the ", what, " is null. Nothing was done."));
  }
  const Place place = Find(address);
  if (place.kind == Kind::kFreed) {
    const std::string gone = place.bytes != 0
                                 ? Join("memory (", place.bytes, " bytes) that was freed")
                                 : std::string("device memory that is not allocated");
    throw Error(BASCULE_INVALID_ARGUMENT,
                Join(call, ": the ", what, " is ", gone, ". Nothing was done."));
  }
  if (device == 1 && place.kind != Kind::kDevice) {
    throw Error(BASCULE_INVALID_ARGUMENT,
                Join(call, ": the ", what, " is host memory, and ", why,
                     " wants device memory there, which aclrtMalloc gives. Nothing "
                     "was done."));
  }
  if (device == 0 && place.kind == Kind::kDevice) {
    throw Error(BASCULE_INVALID_ARGUMENT, Join(call, ": the ", what, " is device memory, and ", why,
                                               " wants host memory there. Nothing was done."));
  }
  if (place.kind == Kind::kForeign) return;
  const uint64_t offset = reinterpret_cast<uint64_t>(address) - place.begin;
  if (bytes > place.bytes - offset) {
    throw Error(BASCULE_INVALID_ARGUMENT,
                Join(call, ": the ", what, " reaches from byte ", offset, " to byte ",
                     offset + bytes, " of ", place.kind == Kind::kDevice ? "device" : "host",
                     " memory that has ", place.bytes, " bytes. Nothing was done."));
  }
}

uint64_t DeviceMemory::Intervals(std::vector<engine::GlobalInterval>* out, uint64_t known) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (known == generation_) return known;
  out->clear();
  for (const auto& [address, allocation] : live_) {
    if (allocation.kind != Kind::kDevice) continue;
    out->push_back({address, address + RoundUp(allocation.bytes, kUnit),
                    BASCULE_READ | BASCULE_WRITE, kUnnamed});
  }
  return generation_;
}

uint64_t DeviceMemory::used_bytes() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return used_bytes_;
}

}  // namespace bascule::host
