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
  uint32_t next = 1;
};
Numbers& AllNumbers() {
  static Numbers* const numbers = new Numbers;  // outlives static destructors
  return *numbers;
}

}  // namespace

std::atomic<Holders::Counts*> Holders::pages[kTables][kPages];

Holders::Counts* Holders::MakePage(std::atomic<Counts*>& slot) {
  auto made = std::make_unique<Counts[]>(kPageCounts);
  Counts* there = nullptr;
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
  if (numbers.next == kNumbers) {
    throw Error(BASCULE_OUT_OF_MEMORY, Join("this process keeps ", numbers.next - 1,
                                            " plans, which is as many as there can be."));
  }
  return numbers.next++;
}

void Holders::FreeNumber(uint32_t number) {
  Numbers& numbers = AllNumbers();
  const std::lock_guard<std::mutex> lock(numbers.mutex);
  // As many released as taken, and they go on from there for the next one.
  numbers.free.push_back(number);
}

uint32_t Holders::Sum(uint32_t number, Counter Counts::*counter) {
  uint32_t sum = 0;
  for (auto& table : pages) {
    Counts* const page = table[number >> kPageBits].load(std::memory_order_acquire);
    if (page == nullptr) continue;
    sum += (page[number & (kPageCounts - 1)].*counter).load(std::memory_order_acquire);
  }
  return sum;
}

bool Holders::Free(uint32_t number) {
  // In this order: whoever releases has taken before, or got it from somebody who had.
  const uint32_t released = Sum(number, &Counts::released);
  return released == Sum(number, &Counts::taken);
}

uint32_t Holders::Taken(uint32_t number) { return Sum(number, &Counts::taken); }

uint64_t Holders::BytesEach() {
  uint64_t bytes = 0;
  for (auto& table : pages) bytes += table[0].load() != nullptr ? sizeof(Counts) : 0;
  return bytes;
}

}  // namespace bascule::registry
