// Attributes that MindSpore's ops.Custom hands over with an aot call.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_HOST_AOT_ATTRIBUTES_H_
#define BASCULE_HOST_AOT_ATTRIBUTES_H_

#include <cstdint>
#include <list>
#include <span>
#include <string>
#include <vector>

#include "bascule/abi/library.h"

namespace bascule::host {

// Those of `op` that `extra`, a mindspore::AotExtra* or null, has: what reg_info gives values to.
// The others keep their defaults. An operator without attributes never looks at `extra`. Throws
// Error for a value of another type than the OpDef's.
class AotAttributes {
 public:
  AotAttributes(const BasculeOperatorEntry& op, const void* extra);
  std::span<const BasculeAttribute> given() const { return given_; }

 private:
  std::vector<BasculeAttribute> given_;
  // What the values point to.
  std::list<std::string> texts_;
  std::list<std::vector<int64_t>> ints_;
  std::list<std::vector<float>> floats_;
};

// How many tensors each input has, 0 where one was left out: what bascule's bridge says in an
// attribute beside the operator's own. Empty where it does not. Throws Error for other than one
// number for each input of `op`.
std::vector<uint32_t> AotCounts(const BasculeOperatorEntry& op, const void* extra);

}  // namespace bascule::host

#endif  // BASCULE_HOST_AOT_ATTRIBUTES_H_
