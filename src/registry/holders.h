// How many hold each of many things, counted without the threads that do meeting on a cache line:
// a count that all write would travel between processors with every use.
//
// Each thread counts in a table of its own (those beyond kOwnNumbers share the last) how often it
// took and how often it released a thing; what one took another may release, and the sums over all
// tables are what counts.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_REGISTRY_HOLDERS_H_
#define BASCULE_REGISTRY_HOLDERS_H_

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "registry/readers.h"

namespace bascule::registry {

class Holders {
 public:
  static constexpr uint32_t kNumbers = 1u << 25;  // they are less, and not 0

  // A number for a new thing, which nobody holds. Throws Error when there are too many.
  static uint32_t NewNumber();
  // Of a thing that nobody holds any more.
  static void FreeNumber(uint32_t number);

  // `thread` as of Reading::thread().
  static void Take(uint32_t number, uint32_t thread) {
    Count(Cell(number, thread).taken, thread, std::memory_order_relaxed);
  }
  // What was done with the thing comes before this for whoever finds it free.
  static void Release(uint32_t number, uint32_t thread) {
    Count(Cell(number, thread).released, thread, std::memory_order_release);
  }
  // Of a thing that nobody can get but from somebody who holds it.
  static bool Free(uint32_t number);
  // How often it was taken, modulo 2^32, and no more than about where others take it meanwhile.
  static uint32_t Taken(uint32_t number);
  // What counting costs for each thing.
  static uint64_t BytesEach();

 private:
  using Counter = std::atomic<uint32_t>;
  struct Counts {
    Counter taken{0};
    Counter released{0};
  };
  static constexpr uint32_t kTables = kOwnNumbers + 1;
  static constexpr uint32_t kPageBits = 12;
  static constexpr uint32_t kPageCounts = 1u << kPageBits;
  static constexpr uint32_t kPages = kNumbers >> kPageBits;

  static void Count(Counter& counter, uint32_t thread, std::memory_order order) {
    if (thread < kOwnNumbers) [[likely]] {
      counter.store(counter.load(std::memory_order_relaxed) + 1, order);
    } else {
      counter.fetch_add(1, order);
    }
  }
  static Counts& Cell(uint32_t number, uint32_t thread) {
    std::atomic<Counts*>& slot = pages[std::min(thread, kOwnNumbers)][number >> kPageBits];
    Counts* page = slot.load(std::memory_order_acquire);
    if (page == nullptr) [[unlikely]]
      page = MakePage(slot);
    return page[number & (kPageCounts - 1)];
  }
  static Counts* MakePage(std::atomic<Counts*>& slot);
  static uint32_t Sum(uint32_t number, Counter Counts::*counter);

  static std::atomic<Counts*> pages[kTables][kPages];  // made when first counted in
};

}  // namespace bascule::registry

#endif  // BASCULE_REGISTRY_HOLDERS_H_
