// What the generated headers aclrtlaunch_NAME.h are made of: ACLRT_LAUNCH_KERNEL(NAME)(blockDim,
// stream, arguments...), which launches the kernel NAME of a library that ascendc_library() made.
// Returns 0, or not 0 when the arguments do not fit the kernel; what goes wrong later is the
// stream's error. SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ACLRTLAUNCH_H_
#define BASCULE_ACLRTLAUNCH_H_

#include <cstdint>
#include <type_traits>

#include "acl/acl.h"
#include "bascule/abi/acl.h"

namespace bascule_host {

template <typename T>
BasculeLaunchArgument LaunchArgument(const T& value) {
  BasculeLaunchArgument argument = {};
  if constexpr (std::is_null_pointer<T>::value) {
    argument.kind = BASCULE_ARGUMENT_POINTER;
  } else if constexpr (std::is_pointer<T>::value) {
    argument.kind = BASCULE_ARGUMENT_POINTER;
    argument.value.pointer = const_cast<const void*>(static_cast<const volatile void*>(value));
  } else if constexpr (std::is_floating_point<T>::value) {
    argument.kind = BASCULE_ARGUMENT_REAL;
    argument.value.real = static_cast<double>(value);
  } else if constexpr (std::is_integral<T>::value || std::is_enum<T>::value) {
    argument.kind = BASCULE_ARGUMENT_INTEGER;
    argument.value.integer = static_cast<int64_t>(value);
  } else {
    static_assert(std::is_trivially_copyable<T>::value,
                  "a kernel takes numbers, pointers and plain structures");
    argument.kind = BASCULE_ARGUMENT_BYTES;
    argument.bytes = sizeof(T);
    argument.value.pointer = &value;
  }
  return argument;
}

}  // namespace bascule_host

#define ACLRT_LAUNCH_KERNEL(kernel) aclrtlaunch_##kernel

#define BASCULE_ACLRTLAUNCH(kernel)                                                             \
  extern "C" uint32_t bascule_launch_##kernel(                                                  \
      uint32_t blockDim, void* stream, const BasculeLaunchArgument* arguments, uint32_t count); \
  template <typename... Arguments>                                                              \
  inline uint32_t aclrtlaunch_##kernel(uint32_t blockDim, aclrtStream stream,                   \
                                       Arguments... arguments) {                                \
    const BasculeLaunchArgument list[] = {bascule_host::LaunchArgument(arguments)..., {}};      \
    return bascule_launch_##kernel(blockDim, stream, list, sizeof...(Arguments));               \
  }

#endif  // BASCULE_ACLRTLAUNCH_H_
