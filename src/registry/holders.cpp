// SPDX-License-Identifier: Apache-2.0
#include "registry/holders.h"

#include <memory>
#include <mutex>
#include <vector>

#include "base/error.h"

namespace bascule::registry {
namespace {

struct Numbers {
  std::mutex mutex;
  std::vector<uint32_t> free;
  uint32_t next = 0;
};
Numbers& AllNumbers() {
  static Numbers* const numbers = new Numbers;  // outlives static destructors
  return *numbers;
}

}  // namespace

std::atomic<Holders::Count*> Holders::pages[kTables][kPages];

Holders::Count* Holders::MakePage(std::atomic<Count*>& slot) {
  auto made = std::make_unique<Count[]>(kPageCounts);
  Count* there = nullptr;
  return slot.compare_exchange_strong(there, made.get()) ? made.release() : there;
}

uint32_t Holders::NewNumber() {
  Numbers& numbers = AllNumbers();
  const std::lock_guard<std::mutex> lock(numbers.mutex);
  if (!numbers.free.empty()) {
    const uint32_t number = numbers.free.back();
    numbers.free.pop_back();
    return number;
  }
  if (numbers.next == kPages * kPageCounts) {
    throw Error(BASCULE_OUT_OF_MEMORY, Join("this process keeps ", numbers.next,
                                            " plans, which is as many as there can be."));
  }
  return numbers.next++;
}

void Holders::FreeNumber(uint32_t number) {
  Numbers& numbers = AllNumbers();
  const std::lock_guard<std::mutex> lock(numbers.mutex);
  // The tables' counts add up to nothing, and go on from there for the next one.
  numbers.free.push_back(number);
}

bool Holders::Free(uint32_t number) {
  uint32_t sum = 0;
  for (auto& table : pages) {
    Count* const page = table[number >> kPageBits].load(std::memory_order_acquire);
    if (page != nullptr) sum += page[number & (kPageCounts - 1)].load(std::memory_order_acquire);
  }
  return sum == 0;
}

uint64_t Holders::BytesEach() {
  uint64_t bytes = 0;
  for (auto& table : pages) bytes += table[0].load() != nullptr ? sizeof(Count) : 0;
  return bytes;
}

}  // namespace bascule::registry
