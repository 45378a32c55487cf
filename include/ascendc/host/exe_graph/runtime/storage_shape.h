// A tensor's shape as the user gave it and as it is stored. Here both are the same: tensors cross
// the border in the format ND. SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_EXE_GRAPH_RUNTIME_STORAGE_SHAPE_H_
#define BASCULE_ASCENDC_EXE_GRAPH_RUNTIME_STORAGE_SHAPE_H_

#include <cstdint>
#include <initializer_list>

#include "exe_graph/runtime/shape.h"

namespace gert {

class StorageShape {
 public:
  BASCULE_HIDDEN StorageShape() = default;
  BASCULE_HIDDEN StorageShape(std::initializer_list<int64_t> origin,
                              std::initializer_list<int64_t> storage)
      : origin_(origin), storage_(storage) {}

  BASCULE_HIDDEN const Shape& GetOriginShape() const { return origin_; }
  BASCULE_HIDDEN const Shape& GetStorageShape() const { return storage_; }
  BASCULE_HIDDEN Shape& MutableOriginShape() { return origin_; }
  BASCULE_HIDDEN Shape& MutableStorageShape() { return storage_; }
  BASCULE_HIDDEN void SetOriginShape(const Shape& shape) { origin_ = shape; }
  BASCULE_HIDDEN void SetStorageShape(const Shape& shape) { storage_ = shape; }
  BASCULE_HIDDEN bool operator==(const StorageShape& other) const {
    return origin_ == other.origin_ && storage_ == other.storage_;
  }
  BASCULE_HIDDEN bool operator!=(const StorageShape& other) const { return !(*this == other); }

 private:
  Shape origin_;
  Shape storage_;
};

}  // namespace gert

#endif  // BASCULE_ASCENDC_EXE_GRAPH_RUNTIME_STORAGE_SHAPE_H_
