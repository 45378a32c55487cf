// A list attribute: elements and their number, owned by the caller of the host function.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_EXE_GRAPH_RUNTIME_CONTINUOUS_VECTOR_H_
#define BASCULE_ASCENDC_EXE_GRAPH_RUNTIME_CONTINUOUS_VECTOR_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <vector>

#include "bascule_host_base.h"
#include "graph/ge_error_codes.h"

namespace gert {

class ContinuousVector {
 public:
  BASCULE_HIDDEN ContinuousVector(const void* data, size_t size)
      : data_(data), size_(size), capacity_(size) {}
  // Memory of one, with room for so many T behind it, that begins empty. The object is at its
  // beginning.
  template <typename T>
  BASCULE_HIDDEN static std::unique_ptr<uint8_t[]> Create(size_t capacity) {
    static_assert(alignof(T) <= alignof(std::max_align_t), "new gives no more");
    constexpr size_t kHead = (sizeof(ContinuousVector) + 15) / 16 * 16;
    std::unique_ptr<uint8_t[]> memory(new uint8_t[kHead + capacity * sizeof(T)]());
    auto* const vector = new (memory.get()) ContinuousVector(memory.get() + kHead, capacity);
    vector->size_ = 0;
    return memory;
  }
  BASCULE_HIDDEN size_t GetSize() const { return size_; }
  BASCULE_HIDDEN size_t GetCapacity() const { return capacity_; }
  BASCULE_HIDDEN const void* GetData() const { return data_; }
  BASCULE_HIDDEN void* MutableData() { return const_cast<void*>(data_); }
  BASCULE_HIDDEN ge::graphStatus SetSize(size_t size) {
    if (size > capacity_) return ge::GRAPH_FAILED;
    size_ = size;
    return ge::GRAPH_SUCCESS;
  }

 private:
  const void* data_;
  size_t size_;
  size_t capacity_;
};

// A list of lists.
class ContinuousVectorVector {
 public:
  BASCULE_HIDDEN size_t GetSize() const { return lists_.size(); }
  // Null when there is no such list.
  BASCULE_HIDDEN const ContinuousVector* Get(size_t index) const {
    return index < lists_.size() ? &lists_[index] : nullptr;
  }

 private:
  friend class RuntimeAttrs;
  std::vector<ContinuousVector> lists_;
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
