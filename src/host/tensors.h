// The tensors of a call: looked at, made dense, handed to a kernel.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_HOST_TENSORS_H_
#define BASCULE_HOST_TENSORS_H_

#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <string>

#include "bascule/c_api.h"
#include "base/dtype.h"
#include "engine/not_passed.h"
#include "registry/plan_key.h"

namespace bascule::host {

// So that workspace and tiling fit into the arguments of a kernel beside them.
constexpr size_t kMaxTensors = 28;
// In lists, which are one argument each.
constexpr size_t kMaxListedTensors = 4096;

struct FreeMemory {
  void operator()(void* memory) const { std::free(memory); }
};
using Memory = std::unique_ptr<char, FreeMemory>;

// At least `bytes` bytes, up to a multiple of 64, not cleared. `name` and `what` are for the Error.
Memory Allocate(uint64_t bytes, const char* name, const char* what);

// What a call knows of one of its tensors. Without initial values, because a call has room for
// many and uses few.
struct Operand {
  const BasculeTensor* tensor;  // null: an optional input that was left out; the rest is not set
  const DTypeInfo* dtype;
  char* data;      // the first element
  uint64_t count;  // of elements
  uint64_t bytes;  // of the elements, without gaps; two int4 in one
  uint64_t begin;  // the memory that the elements lie in, of whatever strides
  uint64_t end;
  bool dense;    // row-major, without gaps and aligned: a kernel can use it as it is
  char* packed;  // dense memory with the elements, where a call made some; null: not yet
};

// Fills an operand. Throws Error for a tensor that cannot be used; `subject()` is its beginning,
// "my_mul: input 'x'".
void Examine(const BasculeTensor& tensor, Operand* operand, std::string (*subject)(const void*),
             const void* closure);
template <typename Subject>
void Examine(const BasculeTensor& tensor, Operand* operand, const Subject& subject) {
  Examine(
      tensor, operand,
      [](const void* closure) { return (*static_cast<const Subject*>(closure))(); }, &subject);
}

// What host functions see of it.
BasculeTensorInfo InfoOf(const Operand& operand);
void AddTo(registry::PlanKey& key, const Operand& operand);

// "argument 3", for launches that know their tensors by position only; counted from 1.
const char* ArgumentName(uint32_t position);

// Between a tensor and dense memory, in row-major order. Packing one element that all strides
// repeat only writes.
void Pack(const Operand& operand, char* dense);
void Unpack(const char* dense, const Operand& operand);

// Whether a byte belongs to both, or to two elements of one.
bool Meet(const Operand& a, const Operand& b);
bool MeetsItself(const Operand& operand);

// For calls that know their tensors by position only: throws unless the last operand, an output,
// has memory of its own, apart from all before it. `name` is the operator's.
void CheckOwnMemory(const char* name, std::span<const Operand> operands);

struct KernelCall {
  void (*entry)(void);
  void* arguments[engine::kKernelArguments];
  size_t count;
};

// Calls the kernel of a KernelCall, with `count` arguments or a few more.
void Invoke(const void* closure);

}  // namespace bascule::host

#endif  // BASCULE_HOST_TENSORS_H_
