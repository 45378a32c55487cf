// ge::Shape: the shape of a tensor as graphs and the advanced library's host functions take it.
// Source: "Shape" page of the graph-engine interface documentation.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_GRAPH_TENSOR_H_
#define BASCULE_ASCENDC_GRAPH_TENSOR_H_

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "bascule_host_base.h"
#include "graph/ge_error_codes.h"

namespace ge {

class Shape {
 public:
  BASCULE_HIDDEN Shape() = default;
  BASCULE_HIDDEN explicit Shape(const std::vector<int64_t>& dims) : dims_(dims) {}

  BASCULE_HIDDEN size_t GetDimNum() const { return dims_.size(); }
  BASCULE_HIDDEN std::vector<int64_t> GetDims() const { return dims_; }
  // 0 when there is no such dimension.
  BASCULE_HIDDEN int64_t GetDim(size_t index) const {
    return index < dims_.size() ? dims_[index] : 0;
  }
  BASCULE_HIDDEN graphStatus SetDim(size_t index, int64_t value) {
    if (index >= dims_.size()) return GRAPH_FAILED;
    dims_[index] = value;
    return GRAPH_SUCCESS;
  }
  BASCULE_HIDDEN graphStatus SetDimNum(size_t dim_num) {
    dims_.assign(dim_num, -1);
    return GRAPH_SUCCESS;
  }
  // The number of elements, 1 for a scalar; -1 when a dimension is unknown or the product does not
  // fit in 64 bits.
  BASCULE_HIDDEN int64_t GetShapeSize() const {
    uint64_t size = 1;
    bool overflow = false;
    bool empty = false;
    constexpr uint64_t limit = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
    for (int64_t dim : dims_) {
      if (dim < 0) return -1;
      if (dim == 0) {
        empty = true;
      } else if (size > limit / static_cast<uint64_t>(dim)) {
        overflow = true;
      } else {
        size *= static_cast<uint64_t>(dim);
      }
    }
    if (empty) return 0;
    return overflow ? -1 : static_cast<int64_t>(size);
  }

 private:
  std::vector<int64_t> dims_;
};

}  // namespace ge

#endif  // BASCULE_ASCENDC_GRAPH_TENSOR_H_
