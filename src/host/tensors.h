// The tensors of a call: looked at, made dense, handed to a kernel.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_HOST_TENSORS_H_
#define BASCULE_HOST_TENSORS_H_

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bascule/c_api.h"
#include "engine/not_passed.h"

namespace bascule::host {

// So that workspace and tiling fit into the arguments of a kernel beside them.
constexpr size_t kMaxTensors = 28;

struct FreeMemory {
  void operator()(void* memory) const { std::free(memory); }
};
using Memory = std::unique_ptr<char, FreeMemory>;

// At least `bytes` bytes, up to a multiple of 64, not cleared. `name` and `what` are for the Error.
Memory Allocate(uint64_t bytes, const char* name, const char* what);

// One tensor of a call, dense and row-major from here on.
struct Argument {
  const BasculeTensor* tensor = nullptr;
  char* data = nullptr;  // what the kernel sees
  uint64_t bytes = 0;
  Memory packed;  // holds `data` when the tensor itself is not dense
};

// What host functions see of a tensor. Throws Error for one that cannot be used; `subject()` is its
// beginning, "my_mul: input 'x'".
BasculeTensorInfo DescribeTensor(const BasculeTensor& tensor, std::string (*subject)(const void*),
                                 const void* closure);
template <typename Subject>
BasculeTensorInfo DescribeTensor(const BasculeTensor& tensor, const Subject& subject) {
  return DescribeTensor(
      tensor, [](const void* closure) { return (*static_cast<const Subject*>(closure))(); },
      &subject);
}

bool Dense(const BasculeTensor& tensor);

inline char* DataOf(const BasculeTensor& tensor) {
  return static_cast<char*>(tensor.data) + tensor.byte_offset;
}

// Between a tensor of `bytes` bytes, strided or not, and dense memory, in row-major order.
void Pack(const BasculeTensor& tensor, uint64_t bytes, char* dense);
void Unpack(const char* dense, uint64_t bytes, const BasculeTensor& tensor);

// "argument 3", for launches that know their tensors by position only; counted from 1.
const char* ArgumentName(uint32_t position);

// First and one past the last byte a tensor touches, strides of either sign included. `bytes` are
// those of its elements.
std::pair<uint64_t, uint64_t> Reach(const BasculeTensor& tensor, uint64_t bytes);

// The call's shapes, dtypes and attributes as words; equal words mean an equal plan.
class Key {
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
  void Add(const BasculeTensorInfo& info) {
    Add(info.present != 0 ? info.dtype : -1);
    Add(info.shape.rank);
    for (int64_t d = 0; d < info.shape.rank; ++d) Add(info.shape.dims[d]);
  }
  void Add(const BasculeAttribute& attribute) {
    Add(attribute.kind);
    switch (attribute.kind) {
      case BASCULE_ATTR_STRING:
        for (uint32_t i = 0; i < attribute.length; ++i) Add(attribute.value.s[i]);
        break;
      case BASCULE_ATTR_INT_LIST:
        for (uint32_t i = 0; i < attribute.length; ++i) Add(attribute.value.ints[i]);
        break;
      case BASCULE_ATTR_FLOAT_LIST:
        for (uint32_t i = 0; i < attribute.length; ++i) AddFloat(attribute.value.floats[i]);
        break;
      case BASCULE_ATTR_FLOAT:
        AddFloat(attribute.value.f);
        break;
      default:
        Add(attribute.value.i);
    }
    Add(attribute.length);
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

struct KernelCall {
  void (*entry)(void);
  void* arguments[engine::kKernelArguments];
  size_t count;
};

// Calls the kernel of a KernelCall, with `count` arguments or a few more.
void Invoke(const void* closure);

}  // namespace bascule::host

#endif  // BASCULE_HOST_TENSORS_H_
