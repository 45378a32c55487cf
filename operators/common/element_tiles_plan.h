// The host's side of elementwise operators: how a launch is cut, and outputs that have the shape of
// the inputs. SPDX-License-Identifier: Apache-2.0
#ifndef ELEMENT_TILES_PLAN_H
#define ELEMENT_TILES_PLAN_H

#include <algorithm>
#include <vector>

#include "element_tiles_tiling.h"
#include "log/log.h"
#include "op_common/op_host/util/shape_util.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace element_tiles {

// Global memory is fastest from addresses that are multiples of this; a datablock (32 bytes)
// divides it.
constexpr uint64_t ALIGN_BYTES = 512;

struct Wants {
  // A block has its price, so a small tensor gets few of them.
  uint64_t minBlockBytes = 32 * 1024;
  // A tile in float. Large enough for the copies to run at full speed, and small enough for all
  // buffers to stay in a CPU's first-level cache; the 16-bit types have some in float besides.
  uint64_t tileBytes = 8 * 1024;
  uint64_t tileBytesOf16Bits = 4 * 1024;
  uint64_t tensors = 0;       // with two buffers each
  uint64_t floatBuffers = 0;  // of the operation itself
};

inline uint64_t DivideUp(uint64_t value, uint64_t unit) { return (value + unit - 1) / unit; }

inline bool Refuse(const char* name, size_t input) {
  OP_LOGE(name, "input %zu must have the shape of input 1", input + 1);
  return false;
}

// All tensors have the type of input 0, which may be float or one of 16 bits.
inline bool Cut(gert::TilingContext* context, const Wants& wants, ElementTilesTiling* tiling) {
  const gert::StorageShape* shape = context->GetInputShape(0);
  const gert::CompileTimeTensorDesc* desc = context->GetInputDesc(0);
  if (shape == nullptr || desc == nullptr) return false;
  // Shape inference has seen to it, unless the caller brings the output.
  for (size_t i = 1; i < context->GetComputeNodeInputNum(); ++i) {
    const gert::StorageShape* other = context->GetInputShape(i);
    if (other == nullptr) return false;
    if (!(other->GetStorageShape() == shape->GetStorageShape()))
      return Refuse(context->GetNodeName(), i);
  }
  const int64_t size = shape->GetStorageShape().GetShapeSize();
  if (size < 0) return false;
  const uint64_t total = static_cast<uint64_t>(size);
  const bool isFloat = desc->GetDataType() == ge::DT_FLOAT;
  const uint64_t elementBytes = isFloat ? sizeof(float) : sizeof(uint16_t);

  const auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
  uint64_t ubBytes = 0;
  platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, ubBytes);
  const uint64_t align = ALIGN_BYTES / elementBytes;
  // The 16-bit types become float, in a buffer for each tensor.
  const uint64_t floats = wants.floatBuffers + (isFloat ? 0 : wants.tensors);
  const uint64_t bytes = 2 * wants.tensors * elementBytes + floats * sizeof(float);
  const uint64_t tileBytes = isFloat ? wants.tileBytes : wants.tileBytesOf16Bits;
  const uint64_t tileLength = std::min(tileBytes / sizeof(float), ubBytes / bytes) / align * align;
  if (tileLength == 0) return false;

  const uint64_t cores = std::max<uint64_t>(1, platform.GetCoreNumAiv());
  const uint64_t blocks =
      std::clamp<uint64_t>(DivideUp(total * elementBytes, wants.minBlockBytes), 1, cores);
  tiling->totalLength = total;
  tiling->blockLength = std::max(align, DivideUp(DivideUp(total, blocks), align) * align);
  tiling->tileLength = static_cast<uint32_t>(tileLength);
  // Rounding up may have left some blocks without work.
  context->SetBlockDim(
      static_cast<uint32_t>(std::max<uint64_t>(1, DivideUp(total, tiling->blockLength))));
  context->GetWorkspaceSizes(1)[0] = 0;
  return true;
}

// Adds what `shape` knows to `known`. False: they are different shapes.
inline bool Unite(const gert::Shape& shape, gert::Shape* known) {
  if (Ops::Base::IsUnknownRank(shape)) return true;
  if (Ops::Base::IsUnknownRank(*known)) {
    *known = shape;
    return true;
  }
  if (shape.GetDimNum() != known->GetDimNum()) return false;
  for (size_t i = 0; i < shape.GetDimNum(); ++i) {
    const int64_t a = known->GetDim(i);
    const int64_t b = shape.GetDim(i);
    if (a >= 0 && b >= 0 && a != b) return false;
    if (a < 0) known->SetDim(i, b);
  }
  return true;
}

// The inputs have one shape. Where only one of them knows a dimension, the output has it.
inline ge::graphStatus InferShape(gert::InferShapeContext* context) {
  gert::Shape* out = context->GetOutputShape(0);
  const gert::Shape* first = context->GetInputShape(0);
  if (out == nullptr || first == nullptr) return ge::GRAPH_FAILED;
  *out = *first;
  for (size_t i = 1; i < context->GetComputeNodeInputNum(); ++i) {
    const gert::Shape* shape = context->GetInputShape(i);
    if (shape == nullptr) return ge::GRAPH_FAILED;
    if (!Unite(*shape, out)) {
      Refuse(context->GetNodeName(), i);
      return ge::GRAPH_FAILED;
    }
  }
  return ge::GRAPH_SUCCESS;
}

inline ge::graphStatus InferDataType(gert::InferDataTypeContext* context) {
  context->SetOutputDataType(0, context->GetInputDataType(0));
  return ge::GRAPH_SUCCESS;
}

inline const std::vector<ge::DataType>& Types() {
  static const std::vector<ge::DataType> types = {ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16};
  return types;
}
inline const std::vector<ge::Format>& Formats() {
  static const std::vector<ge::Format> formats(Types().size(), ge::FORMAT_ND);
  return formats;
}

}  // namespace element_tiles

#endif  // ELEMENT_TILES_PLAN_H
