// SPDX-License-Identifier: Apache-2.0
#include "base/dtype.h"

#include <array>
#include <cstddef>

namespace bascule {
namespace {

constexpr std::array<DTypeInfo, 14> kDTypes = {{
    {BASCULE_FLOAT, "float32", "float", "DT_FLOAT", 32, 2},
    {BASCULE_FLOAT16, "float16", "half", "DT_FLOAT16", 16, 2},
    {BASCULE_INT8, "int8", "int8_t", "DT_INT8", 8, 0},
    {BASCULE_INT32, "int32", "int32_t", "DT_INT32", 32, 0},
    {BASCULE_UINT8, "uint8", "uint8_t", "DT_UINT8", 8, 1},
    {BASCULE_INT16, "int16", "int16_t", "DT_INT16", 16, 0},
    {BASCULE_UINT16, "uint16", "uint16_t", "DT_UINT16", 16, 1},
    {BASCULE_UINT32, "uint32", "uint32_t", "DT_UINT32", 32, 1},
    {BASCULE_INT64, "int64", "int64_t", "DT_INT64", 64, 0},
    {BASCULE_UINT64, "uint64", "uint64_t", "DT_UINT64", 64, 1},
    {BASCULE_DOUBLE, "float64", "double", "DT_DOUBLE", 64, 2},
    {BASCULE_BOOL, "bool", "bool", "DT_BOOL", 8, 6},
    {BASCULE_BFLOAT16, "bfloat16", "bfloat16_t", "DT_BF16", 16, 4},
    {BASCULE_INT4, "int4", "int4b_t", "DT_INT4", 4, 0},
}};

template <typename Predicate>
const DTypeInfo* FindIf(Predicate predicate) {
  for (const DTypeInfo& info : kDTypes) {
    if (predicate(info)) return &info;
  }
  return nullptr;
}

}  // namespace

const DTypeInfo* AllDTypes(size_t* count) {
  *count = kDTypes.size();
  return kDTypes.data();
}

const DTypeInfo* FindDType(int32_t dtype) {
  return FindIf([&](const DTypeInfo& info) { return info.dtype == dtype; });
}

const DTypeInfo* FindDType(std::string_view name) {
  return FindIf([&](const DTypeInfo& info) { return name == info.name; });
}

const DTypeInfo* FindDTypeByDlpack(uint8_t code, uint8_t bits) {
  return FindIf(
      [&](const DTypeInfo& info) { return info.dlpack_code == code && info.bits == bits; });
}

const char* DTypeName(int32_t dtype) {
  const DTypeInfo* info = FindDType(dtype);
  return info == nullptr ? "unknown" : info->name;
}

}  // namespace bascule
