// A call's shapes, dtypes and attributes as words. Equal words mean an equal plan.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_REGISTRY_PLAN_KEY_H_
#define BASCULE_REGISTRY_PLAN_KEY_H_

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "bascule/abi/library.h"

namespace bascule::registry {

// Every part says its length before its contents, so different requests never give equal words.
// Which operator and which platform is not in it: each operator has a cache of its own, for the
// platform of this runtime.
class PlanKey {
 public:
  void Add(int64_t word) {
    if (count_ < small_.size()) {
      small_[count_] = word;
    } else {
      if (large_.empty()) large_.assign(small_.begin(), small_.end());
      large_.push_back(word);
    }
    ++count_;
  }
  // A tensor with `rank` dimensions; `format` as of its BasculeTensorInfo.
  void AddTensor(int32_t dtype, int32_t format, int64_t rank, const int64_t* dims) {
    const int64_t first =
        rank << 48 | static_cast<int64_t>(format & 0xffff) << 16 | (dtype & 0xffff);
    const size_t size = rank > 0 ? static_cast<size_t>(rank) : 0;
    if (count_ + 1 + size > small_.size()) [[unlikely]] {
      Add(first);
      for (size_t d = 0; d < size; ++d) Add(dims[d]);
      return;
    }
    int64_t* const at = small_.data() + count_;
    count_ += 1 + size;
    at[0] = first;
    for (size_t d = 0; d < size; ++d) at[1 + d] = dims[d];
  }
  // How many tensors each parameter has, of an operator that takes lists of them.
  void AddCounts(std::span<const uint32_t> counts) {
    for (const uint32_t count : counts) Add(count);
  }
  // An optional input that was left out.
  void AddAbsent() { Add(-1); }
  void Add(const BasculeTensorInfo& info) {
    if (info.present == 0) return AddAbsent();
    AddTensor(info.dtype, info.format, info.shape.rank, info.shape.dims);
  }
  void Add(const BasculeAttribute& attribute) {
    const uint32_t length = attribute.kind >= BASCULE_ATTR_STRING ? attribute.length : 1;
    Add(int64_t{length} << 8 | attribute.kind);
    switch (attribute.kind) {
      case BASCULE_ATTR_STRING:
        for (uint32_t i = 0; i < length; ++i) Add(attribute.value.s[i]);
        break;
      case BASCULE_ATTR_INT_LIST:
      case BASCULE_ATTR_BOOL_LIST:
      case BASCULE_ATTR_INT_LISTS:
        for (uint32_t i = 0; i < length; ++i) Add(attribute.value.ints[i]);
        break;
      case BASCULE_ATTR_FLOAT_LIST:
        for (uint32_t i = 0; i < length; ++i) AddFloat(attribute.value.floats[i]);
        break;
      case BASCULE_ATTR_FLOAT:
        AddFloat(attribute.value.f);
        break;
      default:
        Add(attribute.value.i);
    }
  }
  // What a tensor holds.
  void AddBytes(const void* data, size_t bytes) {
    Add(static_cast<int64_t>(bytes));
    for (size_t at = 0; at < bytes; at += sizeof(int64_t)) {
      int64_t word = 0;
      std::memcpy(&word, static_cast<const char*>(data) + at, std::min(sizeof(word), bytes - at));
      Add(word);
    }
  }
  std::span<const int64_t> Words() const {
    return count_ <= small_.size() ? std::span<const int64_t>(small_.data(), count_)
                                   : std::span<const int64_t>(large_);
  }

 private:
  void AddFloat(float value) {
    int32_t bits = 0;
    std::memcpy(&bits, &value, sizeof(bits));
    Add(bits);
  }
  std::array<int64_t, 48> small_;
  std::vector<int64_t> large_;
  size_t count_ = 0;
};

}  // namespace bascule::registry

#endif  // BASCULE_REGISTRY_PLAN_KEY_H_
