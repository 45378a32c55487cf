// What the size helpers of the advanced library share. How much temporary space is asked for, and
// why, says bascule/abi/tiling.h.
//
// All these functions throw bascule_host::HostError, a std::runtime_error, for a shape that has no
// size. SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_TILING_TMP_SIZE_H_
#define BASCULE_ASCENDC_TILING_TMP_SIZE_H_

#include <cstdint>
#include <cstring>
#include <limits>
#include <string>

#include "bascule/abi/tiling.h"
#include "bascule_host_base.h"
#include "graph/tensor.h"
#include "graph/types.h"

namespace AscendC {
using TensorShape = ge::Shape;
using TensorDataType = ge::DataType;
}  // namespace AscendC

namespace bascule_host {

BASCULE_HIDDEN inline uint64_t Elements(const char* function, const ge::Shape& shape) {
  const int64_t elements = shape.GetShapeSize();
  if (elements >= 0) return static_cast<uint64_t>(elements);
  std::string dims;
  for (int64_t dim : shape.GetDims()) dims += (dims.empty() ? "" : ", ") + std::to_string(dim);
  throw HostError(std::string(function) + ": the shape [" + dims +
                  "] has no size; every dimension must be known and not negative");
}

// The largest size that is of use: all elements at once, in float where the type is narrower.
BASCULE_HIDDEN inline uint32_t MaxTmpBytes(const char* function, const ge::Shape& shape,
                                           uint32_t type_bytes) {
  const uint64_t elements = Elements(function, shape);
  const uint64_t limit = std::numeric_limits<uint32_t>::max() / 32 * 32;
  const uint64_t bytes_each = type_bytes < 4 ? 4 : type_bytes;
  if (elements > (limit - 32) / bytes_each) return static_cast<uint32_t>(limit);
  const uint64_t bytes = (elements * bytes_each + 31) / 32 * 32;
  return static_cast<uint32_t>(bytes < bascule_tiling::kMinTmpBytes ? bascule_tiling::kMinTmpBytes
                                                                    : bytes);
}

BASCULE_HIDDEN inline void MaxMinTmpBytes(const char* function, const ge::Shape& shape,
                                          uint32_t type_bytes, uint32_t* max, uint32_t* min) {
  *max = MaxTmpBytes(function, shape, type_bytes);
  *min = bascule_tiling::kMinTmpBytes;
}

// How many times the source's bytes the largest temporary space has.
BASCULE_HIDDEN inline void TmpFactor(uint32_t type_bytes, uint32_t* live, uint32_t* extra) {
  *live = type_bytes < 4 && type_bytes != 0 ? 4 / type_bytes : 1;
  *extra = 0;
}

// The host's class has the layout of the plain structure.
template <typename Class, typename Plain>
BASCULE_HIDDEN void Assign(Class* to, const Plain& from) {
  static_assert(sizeof(Class) == sizeof(Plain), "one layout on both sides");
  std::memcpy(static_cast<void*>(to), &from, sizeof(from));
}

}  // namespace bascule_host

#endif  // BASCULE_ASCENDC_TILING_TMP_SIZE_H_
