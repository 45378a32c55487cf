// The shape of a tensor. A dimension of -1 is unknown; the one dimension -2 means an unknown rank.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_EXE_GRAPH_RUNTIME_SHAPE_H_
#define BASCULE_ASCENDC_EXE_GRAPH_RUNTIME_SHAPE_H_

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string>

#include "bascule_host_base.h"

namespace gert {

class Shape {
 public:
  static constexpr size_t kMaxDimNum = BASCULE_MAX_RANK;
  static constexpr int64_t kInvalidDimValue = std::numeric_limits<int64_t>::min();

  BASCULE_HIDDEN Shape() = default;
  // More than kMaxDimNum dimensions give the shape of a scalar.
  BASCULE_HIDDEN Shape(std::initializer_list<int64_t> dims) {
    if (dims.size() > kMaxDimNum) return;
    for (int64_t dim : dims) dims_[dim_num_++] = dim;
  }

  BASCULE_HIDDEN bool operator==(const Shape& other) const {
    if (dim_num_ != other.dim_num_) return false;
    for (size_t i = 0; i < dim_num_; ++i) {
      if (dims_[i] != other.dims_[i]) return false;
    }
    return true;
  }
  BASCULE_HIDDEN bool operator!=(const Shape& other) const { return !(*this == other); }

  // The number of elements, 1 for a scalar; -1 when a dimension is unknown or the product does not
  // fit in 64 bits.
  BASCULE_HIDDEN int64_t GetShapeSize() const {
    uint64_t size = 1;
    bool overflow = false;
    bool empty = false;
    constexpr uint64_t limit = static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
    for (size_t i = 0; i < dim_num_; ++i) {
      if (dims_[i] < 0) return -1;
      const uint64_t dim = static_cast<uint64_t>(dims_[i]);
      if (dim == 0) {
        empty = true;
      } else if (size > limit / dim) {
        overflow = true;
      } else {
        size *= dim;
      }
    }
    if (empty) return 0;
    return overflow ? -1 : static_cast<int64_t>(size);
  }

  BASCULE_HIDDEN bool IsScalar() const { return dim_num_ == 0; }
  BASCULE_HIDDEN void SetScalar() { dim_num_ = 0; }
  BASCULE_HIDDEN size_t GetDimNum() const { return dim_num_; }
  BASCULE_HIDDEN void SetDimNum(size_t dim_num) {
    if (dim_num > kMaxDimNum) {
      throw bascule_host::HostError("Shape::SetDimNum(" + std::to_string(dim_num) +
                                    "): a shape has at most 25 dimensions");
    }
    dim_num_ = dim_num;
  }
  // kInvalidDimValue when there is no such dimension.
  BASCULE_HIDDEN int64_t GetDim(size_t index) const {
    return index < dim_num_ ? dims_[index] : kInvalidDimValue;
  }
  BASCULE_HIDDEN void SetDim(size_t index, int64_t value) {
    if (index < kMaxDimNum) dims_[index] = value;
  }
  BASCULE_HIDDEN Shape& AppendDim(int64_t value) {
    SetDimNum(dim_num_ + 1);
    dims_[dim_num_ - 1] = value;
    return *this;
  }
  BASCULE_HIDDEN int64_t& operator[](size_t index) { return dims_[Checked(index)]; }
  BASCULE_HIDDEN const int64_t& operator[](size_t index) const { return dims_[Checked(index)]; }

 private:
  BASCULE_HIDDEN static size_t Checked(size_t index) {
    if (index >= kMaxDimNum) {
      throw bascule_host::HostError("Shape[" + std::to_string(index) +
                                    "]: a shape has at most 25 dimensions");
    }
    return index;
  }

  size_t dim_num_ = 0;
  int64_t dims_[kMaxDimNum] = {};
};

}  // namespace gert

#endif  // BASCULE_ASCENDC_EXE_GRAPH_RUNTIME_SHAPE_H_
