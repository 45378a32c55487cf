// The smallest and the largest of something, neither owned.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_EXE_GRAPH_RUNTIME_RANGE_H_
#define BASCULE_ASCENDC_EXE_GRAPH_RUNTIME_RANGE_H_

#include "bascule_host_base.h"

namespace gert {

template <typename T>
class Range {
 public:
  BASCULE_HIDDEN Range() = default;
  BASCULE_HIDDEN Range(T* min, T* max) : min_(min), max_(max) {}
  BASCULE_HIDDEN explicit Range(T* same) : min_(same), max_(same) {}
  BASCULE_HIDDEN const T* GetMin() const { return min_; }
  BASCULE_HIDDEN const T* GetMax() const { return max_; }
  BASCULE_HIDDEN T* GetMin() { return min_; }
  BASCULE_HIDDEN T* GetMax() { return max_; }
  BASCULE_HIDDEN void SetMin(T* min) { min_ = min; }
  BASCULE_HIDDEN void SetMax(T* max) { max_ = max; }
  BASCULE_HIDDEN bool operator==(const Range& other) const {
    const auto same = [](const T* a, const T* b) {
      return a == b || (a != nullptr && b != nullptr && *a == *b);
    };
    return same(min_, other.min_) && same(max_, other.max_);
  }

 private:
  T* min_ = nullptr;
  T* max_ = nullptr;
};

}  // namespace gert

#endif  // BASCULE_ASCENDC_EXE_GRAPH_RUNTIME_RANGE_H_
