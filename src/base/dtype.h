// Names and sizes of element types.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_BASE_DTYPE_H_
#define BASCULE_BASE_DTYPE_H_

#include <cstdint>
#include <string_view>

#include "bascule/abi/types.h"

namespace bascule {

// One row per element type. `token` is the C++ type that kernel code is compiled with.
struct DTypeInfo {
  int32_t dtype;
  const char* name;   // NumPy's name, or ours where NumPy has none
  const char* token;  // "half"
  const char* label;  // the enumerator kernel code compares with, "DT_FLOAT16"
  uint32_t bits;
  uint8_t dlpack_code;  // 0 int, 1 uint, 2 float, 4 bfloat, 6 bool
};

// Every known type, in the order of their numbers.
const DTypeInfo* AllDTypes(size_t* count);

// Null when the number or name is unknown.
const DTypeInfo* FindDType(int32_t dtype);
const DTypeInfo* FindDType(std::string_view name);
const DTypeInfo* FindDTypeByDlpack(uint8_t code, uint8_t bits);

// The name, or "unknown".
const char* DTypeName(int32_t dtype);

}  // namespace bascule

#endif  // BASCULE_BASE_DTYPE_H_
