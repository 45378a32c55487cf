// Elements of a tensor with strides, as stretches of memory.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_HOST_STRIDED_H_
#define BASCULE_HOST_STRIDED_H_

#include <array>
#include <cstdint>

#include "bascule/c_api.h"

namespace bascule::host {

// The dimensions of a tensor that has elements, as few as say the same: those of size 1 are left
// out, and a dimension that continues the next inner one is merged with it.
class Strided {
 public:
  explicit Strided(const BasculeTensor& tensor);

  int32_t rank() const { return rank_; }
  int64_t size(int32_t d) const { return sizes_[static_cast<size_t>(d)]; }
  int64_t stride_bytes(int32_t d) const { return strides_[static_cast<size_t>(d)]; }
  int64_t element_bytes() const { return element_bytes_; }

  // Calls visit(offset, count, stride_bytes) for each row of the innermost dimension, in row-major
  // order; `offset` in bytes, from the first element. Stops when visit gives false, and gives that.
  template <typename Visit>
  bool Rows(Visit visit) const {
    if (rank_ == 0) return visit(int64_t{0}, int64_t{1}, element_bytes_);
    std::array<int64_t, BASCULE_MAX_RANK> index{};
    const int32_t inner = rank_ - 1;
    int64_t offset = 0;
    for (;;) {
      if (!visit(offset, size(inner), stride_bytes(inner))) return false;
      int32_t d = inner;
      while (d-- > 0) {
        offset += stride_bytes(d);
        if (++index[static_cast<size_t>(d)] < size(d)) break;
        offset -= stride_bytes(d) * size(d);
        index[static_cast<size_t>(d)] = 0;
      }
      if (d < 0) return true;
    }
  }

 private:
  int32_t rank_ = 0;
  int64_t element_bytes_ = 1;
  std::array<int64_t, BASCULE_MAX_RANK> sizes_;
  std::array<int64_t, BASCULE_MAX_RANK> strides_;
};

}  // namespace bascule::host

#endif  // BASCULE_HOST_STRIDED_H_
