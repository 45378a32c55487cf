// How many hold each of many things, counted without the threads that do meeting on a cache line:
// a count that all write would travel between processors with every use.
//
// Each thread counts in a table of its own (those beyond kOwnNumbers share the last), in which
// releasing what another thread took goes below zero; the sum is what counts. It is exact for a
// thing that nobody can newly get hold of.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_REGISTRY_HOLDERS_H_
#define BASCULE_REGISTRY_HOLDERS_H_

#include <atomic>
#include <cstdint>

#include "registry/readers.h"

namespace bascule::registry {

class Holders {
 public:
  // A number for a new thing, which nobody holds. Throws Error when there are too many.
  static uint32_t NewNumber();
  // Of a thing that nobody holds any more.
  static void FreeNumber(uint32_t number);

  // `thread` as of Reading::thread().
  static void Take(uint32_t number, uint32_t thread) {
    Add(number, thread, 1, std::memory_order_relaxed);
  }
  // What was done with the thing comes before this for whoever finds it free.
  static void Release(uint32_t number, uint32_t thread) {
    Add(number, thread, ~uint32_t{0}, std::memory_order_release);
  }
  static bool Free(uint32_t number);
  // What counting costs for each thing.
  static uint64_t BytesEach();

 private:
  using Count = std::atomic<uint32_t>;
  static constexpr uint32_t kTables = kOwnNumbers + 1;
  static constexpr uint32_t kPageBits = 12;
  static constexpr uint32_t kPageCounts = 1u << kPageBits;
  static constexpr uint32_t kPages = 1u << 13;

  static void Add(uint32_t number, uint32_t thread, uint32_t what, std::memory_order order) {
    if (thread < kOwnNumbers) [[likely]] {
      Count& own = Cell(number, thread);
      own.store(own.load(std::memory_order_relaxed) + what, order);
    } else {
      Cell(number, kOwnNumbers).fetch_add(what, order);
    }
  }
  static Count& Cell(uint32_t number, uint32_t table) {
    std::atomic<Count*>& slot = pages[table][number >> kPageBits];
    Count* page = slot.load(std::memory_order_acquire);
    if (page == nullptr) [[unlikely]]
      page = MakePage(slot);
    return page[number & (kPageCounts - 1)];
  }
  static Count* MakePage(std::atomic<Count*>& slot);

  static std::atomic<Count*> pages[kTables][kPages];  // made when first counted in
};

}  // namespace bascule::registry

#endif  // BASCULE_REGISTRY_HOLDERS_H_
