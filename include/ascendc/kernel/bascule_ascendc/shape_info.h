// ShapeInfo: the shape a kernel notes on a tensor with SetShapeInfo.
//
// Tensors are copied all the time and hardly any has a shape, so shapes stand beside them: a short
// table of this thread, by the tensor's address. Blocks do not change threads.
// Source: "ShapeInfo" page of the Ascend C documentation. SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_SHAPE_INFO_H
#define BASCULE_ASCENDC_SHAPE_INFO_H

#include "bascule/abi/tiling.h"
#include "bascule_ascendc/core.h"

BASCULE_ASCENDC_BEGIN

struct ShapeInfo {
  ShapeInfo() = default;
  __aicore__ ShapeInfo(uint8_t inputShapeDim, const uint32_t inputShape[],
                       uint8_t inputOriginalShapeDim, const uint32_t inputOriginalShape[],
                       DataFormat inputFormat, bascule_ascendc::Site site = {})
      : dataFormat(inputFormat) {
    shapeDim = Copy(shape, inputShape, inputShapeDim, site);
    originalShapeDim = Copy(originalShape, inputOriginalShape, inputOriginalShapeDim, site);
  }
  // The original shape is the same.
  __aicore__ ShapeInfo(uint8_t inputShapeDim, const uint32_t inputShape[], DataFormat inputFormat,
                       bascule_ascendc::Site site = {})
      : ShapeInfo(inputShapeDim, inputShape, inputShapeDim, inputShape, inputFormat, site) {}
  __aicore__ ShapeInfo(uint8_t inputShapeDim, const uint32_t inputShape[],
                       bascule_ascendc::Site site = {})
      : ShapeInfo(inputShapeDim, inputShape, DataFormat::ND, site) {}

  uint8_t shapeDim = 0;
  uint8_t originalShapeDim = 0;
  uint32_t shape[K_MAX_DIM] = {};
  uint32_t originalShape[K_MAX_DIM] = {};
  DataFormat dataFormat = DataFormat::ND;

 private:
  static uint8_t Copy(uint32_t* to, const uint32_t* from, uint8_t dims,
                      const bascule_ascendc::Site& site) {
    if (dims > K_MAX_DIM) {
      char text[96];
      std::snprintf(text, sizeof(text), "ShapeInfo: %u dimensions; a shape has at most %u",
                    static_cast<unsigned>(dims), static_cast<unsigned>(K_MAX_DIM));
      bascule_ascendc::Fail(text, site);
    }
    for (uint8_t i = 0; i < dims; ++i) to[i] = from[i];
    return dims;
  }
};

// The product of the dimensions.
__aicore__ inline int GetShapeSize(const ShapeInfo& shapeInfo) {
  int size = 1;
  for (uint8_t i = 0; i < shapeInfo.shapeDim; ++i) size *= static_cast<int>(shapeInfo.shape[i]);
  return size;
}

BASCULE_ASCENDC_END

BASCULE_PRIVATE_BEGIN
namespace bascule_ascendc {

class Shapes {
 public:
  static void Set(const void* tensor, const AscendC::ShapeInfo& shape) {
    Shapes& shapes = Here();
    Entry* entry = shapes.Find(tensor);
    const int32_t tag = entry == nullptr ? 0 : entry->tag;
    if (entry == nullptr) {
      entry = &shapes.entries_[shapes.next_];
      shapes.next_ = (shapes.next_ + 1) % kEntries;
    }
    *entry = {tensor, shape, tag};
  }
  static void SetTag(const void* tensor, int32_t tag) {
    if (Here().Find(tensor) == nullptr) Set(tensor, AscendC::ShapeInfo());
    Here().Find(tensor)->tag = tag;
  }
  static int32_t GetTag(const void* tensor) {
    const Entry* entry = Here().Find(tensor);
    return entry == nullptr ? 0 : entry->tag;
  }
  // What was set last for a tensor at this address, by whatever kernel; an empty one where none
  // was, or very many were since. Only a kernel that has set a shape knows that it is its own.
  static AscendC::ShapeInfo Get(const void* tensor) {
    const Entry* entry = Here().Find(tensor);
    return entry == nullptr ? AscendC::ShapeInfo() : entry->shape;
  }

 private:
  static constexpr uint32_t kEntries = 64;
  struct Entry {
    const void* tensor = nullptr;
    AscendC::ShapeInfo shape;
    int32_t tag = 0;
  };

  static Shapes& Here() {
    static thread_local Shapes shapes;
    return shapes;
  }
  Entry* Find(const void* tensor) {
    for (Entry& entry : entries_) {
      if (entry.tensor == tensor) return &entry;
    }
    return nullptr;
  }

  Entry entries_[kEntries];
  uint32_t next_ = 0;
};

}  // namespace bascule_ascendc
BASCULE_PRIVATE_END

#endif  // BASCULE_ASCENDC_SHAPE_INFO_H
