// Element types as this module meets them: by number in the C ABI, by code and bits in DLPack, by
// kind and size in NumPy, by name in Python. The names are those of the runtime
// (src/base/dtype.cpp); a test compares the two.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_NATIVE_DTYPES_H_
#define BASCULE_NATIVE_DTYPES_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "bascule/abi/types.h"

namespace bascule::native {

struct DType {
  int32_t number;  // BASCULE_FLOAT, …
  const char* name;
  uint8_t dlpack_code;
  uint8_t bits;
  char numpy_kind;  // of __array_struct__; 'V': not NumPy's own, from ml_dtypes; 0: NumPy has none
};

inline constexpr DType kDTypes[] = {
    {BASCULE_FLOAT, "float32", 2, 32, 'f'},     {BASCULE_FLOAT16, "float16", 2, 16, 'f'},
    {BASCULE_INT8, "int8", 0, 8, 'i'},          {BASCULE_INT32, "int32", 0, 32, 'i'},
    {BASCULE_UINT8, "uint8", 1, 8, 'u'},        {BASCULE_INT16, "int16", 0, 16, 'i'},
    {BASCULE_UINT16, "uint16", 1, 16, 'u'},     {BASCULE_UINT32, "uint32", 1, 32, 'u'},
    {BASCULE_INT64, "int64", 0, 64, 'i'},       {BASCULE_UINT64, "uint64", 1, 64, 'u'},
    {BASCULE_DOUBLE, "float64", 2, 64, 'f'},    {BASCULE_BOOL, "bool", 6, 8, 'b'},
    {BASCULE_BFLOAT16, "bfloat16", 4, 16, 'V'}, {BASCULE_INT4, "int4", 0, 4, 0},
};

// Each is null when there is no such type.
inline const DType* DTypeByNumber(int32_t number) {
  for (const DType& dtype : kDTypes)
    if (dtype.number == number) return &dtype;
  return nullptr;
}
inline const DType* DTypeByName(std::string_view name) {
  for (const DType& dtype : kDTypes)
    if (name == dtype.name) return &dtype;
  return nullptr;
}
inline const DType* DTypeByDlpack(uint8_t code, uint8_t bits) {
  for (const DType& dtype : kDTypes)
    if (dtype.dlpack_code == code && dtype.bits == bits) return &dtype;
  return nullptr;
}
inline const DType* DTypeByNumpy(char kind, int item_bytes) {
  for (const DType& dtype : kDTypes)
    if (dtype.numpy_kind == kind && dtype.bits == 8 * item_bytes) return &dtype;
  return nullptr;
}

}  // namespace bascule::native

#endif  // BASCULE_NATIVE_DTYPES_H_
