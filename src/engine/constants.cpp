// SPDX-License-Identifier: Apache-2.0
#include "engine/constants.h"

#include <atomic>

#include "engine/not_passed.h"

namespace bascule::engine {
namespace {

std::atomic<ConstantFinder> current{nullptr};

}  // namespace

void SetConstantFinder(ConstantFinder finder) { current.store(finder, std::memory_order_release); }

const GlobalInterval* FindConstant(uint64_t address) {
  const ConstantFinder finder = current.load(std::memory_order_acquire);
  if (finder == nullptr || address == 0 || NotPassedPosition(address) != 0) return nullptr;
  return finder(address);
}

}  // namespace bascule::engine
