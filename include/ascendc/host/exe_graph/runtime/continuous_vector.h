// A list attribute: elements and their number, owned by the caller of the host function.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_EXE_GRAPH_RUNTIME_CONTINUOUS_VECTOR_H_
#define BASCULE_ASCENDC_EXE_GRAPH_RUNTIME_CONTINUOUS_VECTOR_H_

#include <cstddef>

#include "bascule_host_base.h"

namespace gert {

class ContinuousVector {
 public:
  BASCULE_HIDDEN ContinuousVector(const void* data, size_t size) : data_(data), size_(size) {}
  BASCULE_HIDDEN size_t GetSize() const { return size_; }
  BASCULE_HIDDEN size_t GetCapacity() const { return size_; }
  BASCULE_HIDDEN const void* GetData() const { return data_; }

 private:
  const void* data_;
  size_t size_;
};

template <typename T>
class TypedContinuousVector : private ContinuousVector {
 public:
  using ContinuousVector::GetCapacity;
  using ContinuousVector::GetSize;
  BASCULE_HIDDEN TypedContinuousVector(const T* data, size_t size) : ContinuousVector(data, size) {}
  BASCULE_HIDDEN const T* GetData() const {
    return static_cast<const T*>(ContinuousVector::GetData());
  }
};

}  // namespace gert

#endif  // BASCULE_ASCENDC_EXE_GRAPH_RUNTIME_CONTINUOUS_VECTOR_H_
