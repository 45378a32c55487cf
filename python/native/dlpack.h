// The part of the DLPack interface this module uses, declared from its public specification
// (https://dmlc.github.io/dlpack, version 1.3): tensors, managed tensors, and the C exchange table
// that array libraries hang on their type as `__dlpack_c_exchange_api__`.
//
// DLTensor itself is BasculeTensor: the C ABI fixed that layout.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_NATIVE_DLPACK_H_
#define BASCULE_NATIVE_DLPACK_H_

#include <cstddef>
#include <cstdint>

#include "bascule/c_api.h"

namespace bascule::native::dlpack {

using Tensor = BasculeTensor;

constexpr int32_t kCpu = 1;
constexpr uint32_t kMajor = 1;
constexpr uint64_t kReadOnly = 1;  // bit of ManagedTensorVersioned::flags

struct Version {
  uint32_t major;
  uint32_t minor;
};

// What a capsule named "dltensor" holds (before DLPack 1.0): says nothing about write access.
struct ManagedTensor {
  Tensor tensor;
  void* manager;
  void (*deleter)(ManagedTensor* self);
};

// What a capsule named "dltensor_versioned" holds. Fields after `flags` may move with
// `version.major`.
struct ManagedTensorVersioned {
  Version version;
  void* manager;
  void (*deleter)(ManagedTensorVersioned* self);
  uint64_t flags;
  Tensor tensor;
};

// Holds what `type(x).__dlpack_c_exchange_api__` points to: a capsule with this name.
constexpr const char* kExchangeAttribute = "__dlpack_c_exchange_api__";
constexpr const char* kExchangeCapsule = "dlpack_exchange_api";

struct ExchangeApi {
  Version version;
  ExchangeApi* previous;  // a table of an older major version, or null

  // All return 0, or -1 with a Python exception (the allocator: after set_error was called).
  int (*allocate)(Tensor* prototype, ManagedTensorVersioned** out, void* error_context,
                  void (*set_error)(void* error_context, const char* kind, const char* message));
  int (*managed_from_object)(void* object, ManagedTensorVersioned** out);
  int (*managed_to_object)(ManagedTensorVersioned* tensor, void** out);  // steals `tensor`
  // A view for as long as the object lives unchanged; owns nothing. May be null.
  int (*view_object)(void* object, Tensor* out);
  int (*current_stream)(int32_t device_type, int32_t device_id, void** out);
};

static_assert(offsetof(ManagedTensorVersioned, tensor) == 32, "DLPack 1.x");
static_assert(offsetof(ExchangeApi, view_object) == 40, "DLPack 1.3");

}  // namespace bascule::native::dlpack

#endif  // BASCULE_NATIVE_DLPACK_H_
