// A tensor as tiling and shape inference see one: shape, type and, of an input that the OpDef marks
// with ValueDepend, what it holds. SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_EXE_GRAPH_RUNTIME_TENSOR_H_
#define BASCULE_ASCENDC_EXE_GRAPH_RUNTIME_TENSOR_H_

#include <cstddef>
#include <cstdint>

#include "bascule_host_base.h"
#include "exe_graph/runtime/storage_format.h"
#include "exe_graph/runtime/storage_shape.h"
#include "graph/types.h"

namespace gert {

enum TensorPlacement { kOnDeviceHbm, kOnHost, kFollowing, kOnDeviceP2p, kTensorPlacementEnd };
using TensorAddress = void*;
using ConstTensorAddressPtr = const void*;

class Tensor {
 public:
  BASCULE_HIDDEN Tensor() = default;
  BASCULE_HIDDEN Tensor(const StorageShape& shape, ge::DataType dtype, ge::Format format,
                        const void* data)
      : shape_(shape), dtype_(dtype), format_(format), data_(data) {}
  BASCULE_HIDDEN Tensor(const StorageShape& shape, const StorageFormat& format,
                        TensorPlacement placement, ge::DataType dtype, TensorAddress address)
      : shape_(shape), dtype_(dtype), format_(format), placement_(placement), data_(address) {}

  BASCULE_HIDDEN const StorageShape& GetShape() const { return shape_; }
  BASCULE_HIDDEN const Shape& GetOriginShape() const { return shape_.GetOriginShape(); }
  BASCULE_HIDDEN const Shape& GetStorageShape() const { return shape_.GetStorageShape(); }
  BASCULE_HIDDEN Shape& MutableOriginShape() { return shape_.MutableOriginShape(); }
  BASCULE_HIDDEN Shape& MutableStorageShape() { return shape_.MutableStorageShape(); }
  BASCULE_HIDDEN int64_t GetShapeSize() const { return shape_.GetStorageShape().GetShapeSize(); }
  BASCULE_HIDDEN ge::DataType GetDataType() const { return dtype_; }
  BASCULE_HIDDEN const StorageFormat& GetFormat() const { return format_; }
  BASCULE_HIDDEN ge::Format GetOriginFormat() const { return format_.GetOriginFormat(); }
  BASCULE_HIDDEN ge::Format GetStorageFormat() const { return format_.GetStorageFormat(); }
  BASCULE_HIDDEN TensorPlacement GetPlacement() const { return placement_; }
  BASCULE_HIDDEN size_t GetSize() const {
    const int64_t bytes = ge::GetSizeInBytes(GetShapeSize(), dtype_);
    return bytes < 0 ? 0 : static_cast<size_t>(bytes);
  }
  // Null where what the tensor holds is not known.
  template <typename T>
  BASCULE_HIDDEN const T* GetData() const {
    return static_cast<const T*>(data_);
  }
  BASCULE_HIDDEN ConstTensorAddressPtr GetAddr() const { return data_; }

 private:
  StorageShape shape_;
  ge::DataType dtype_ = ge::DT_UNDEFINED;
  StorageFormat format_;
  TensorPlacement placement_ = kOnHost;
  const void* data_ = nullptr;
};

}  // namespace gert

#endif  // BASCULE_ASCENDC_EXE_GRAPH_RUNTIME_TENSOR_H_
