// MulScale: its parameters, how its output follows from its inputs, and how a launch is cut into
// blocks. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "../op_kernel/mul_scale_tiling.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {

// A block has its price, so a small tensor gets few of them.
constexpr uint64_t MIN_BLOCK_BYTES = 32 * 1024;
// Global memory is fastest from addresses that are multiples of this; a datablock (32 bytes)
// divides it.
constexpr uint64_t ALIGN_BYTES = 512;
// Large enough for the copies to run at full speed, and small enough for all buffers to stay in a
// CPU's first-level cache.
constexpr uint64_t TILE_BYTES = 4 * 1024;
// Two buffers for each of x, y and out.
constexpr uint64_t BUFFERS = 2 * 3;

static uint64_t DivideUp(uint64_t value, uint64_t unit) { return (value + unit - 1) / unit; }

static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  const gert::StorageShape* shape = context->GetInputShape(0);
  const gert::CompileTimeTensorDesc* desc = context->GetInputDesc(0);
  const gert::RuntimeAttrs* attributes = context->GetAttrs();
  if (shape == nullptr || desc == nullptr || attributes == nullptr) return ge::GRAPH_FAILED;
  const float* scale = attributes->GetFloat(0);
  const int64_t size = shape->GetStorageShape().GetShapeSize();
  if (scale == nullptr || size < 0) return ge::GRAPH_FAILED;
  const uint64_t total = static_cast<uint64_t>(size);
  const bool isFloat = desc->GetDataType() == ge::DT_FLOAT;
  const uint64_t elementBytes = isFloat ? sizeof(float) : sizeof(uint16_t);

  const auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
  uint64_t ubBytes = 0;
  platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, ubBytes);
  const uint64_t align = ALIGN_BYTES / elementBytes;
  // The 16-bit types are computed in float, in two more buffers.
  const uint64_t temporaryBytes = isFloat ? 0 : 2 * sizeof(float);
  const uint64_t tileLength =
      std::min(TILE_BYTES / sizeof(float), ubBytes / (BUFFERS * elementBytes + temporaryBytes)) /
      align * align;
  if (tileLength == 0) return ge::GRAPH_FAILED;

  const uint64_t cores = std::max<uint64_t>(1, platform.GetCoreNumAiv());
  uint64_t blocks = std::clamp<uint64_t>(DivideUp(total * elementBytes, MIN_BLOCK_BYTES), 1, cores);
  const uint64_t blockLength = std::max(align, DivideUp(DivideUp(total, blocks), align) * align);
  blocks = std::max<uint64_t>(
      1, DivideUp(total, blockLength));  // rounding up may leave some without work

  MulScaleTilingData* tiling = context->GetTilingData<MulScaleTilingData>();
  tiling->totalLength = total;
  tiling->blockLength = blockLength;
  tiling->tileLength = static_cast<uint32_t>(tileLength);
  tiling->scale = *scale;
  context->SetBlockDim(static_cast<uint32_t>(blocks));
  size_t* workspace = context->GetWorkspaceSizes(1);
  workspace[0] = 0;
  return ge::GRAPH_SUCCESS;
}

}  // namespace optiling

namespace ge {

constexpr int64_t UNKNOWN_DIM = -1;
constexpr int64_t UNKNOWN_RANK = -2;

static bool HasUnknownRank(const gert::Shape& shape) {
  return shape.GetDimNum() == 1 && shape.GetDim(0) == UNKNOWN_RANK;
}

// Both inputs have one shape. Where only one of them knows a dimension, the output has it.
static graphStatus InferShape(gert::InferShapeContext* context) {
  const gert::Shape* x = context->GetInputShape(0);
  const gert::Shape* y = context->GetInputShape(1);
  gert::Shape* out = context->GetOutputShape(0);
  if (x == nullptr || y == nullptr || out == nullptr) return GRAPH_FAILED;
  if (HasUnknownRank(*x)) {
    *out = *y;
    return GRAPH_SUCCESS;
  }
  *out = *x;
  if (HasUnknownRank(*y)) return GRAPH_SUCCESS;
  if (x->GetDimNum() != y->GetDimNum()) return GRAPH_FAILED;
  for (size_t i = 0; i < x->GetDimNum(); ++i) {
    const int64_t a = x->GetDim(i);
    const int64_t b = y->GetDim(i);
    if (a != UNKNOWN_DIM && b != UNKNOWN_DIM && a != b) return GRAPH_FAILED;
    out->SetDim(i, a != UNKNOWN_DIM ? a : b);
  }
  return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext* context) {
  context->SetOutputDataType(0, context->GetInputDataType(0));
  return GRAPH_SUCCESS;
}

}  // namespace ge

namespace ops {

class MulScale : public OpDef {
 public:
  explicit MulScale(const char* name) : OpDef(name) {
    const std::vector<ge::DataType> types = {ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16};
    const std::vector<ge::Format> formats(types.size(), ge::FORMAT_ND);
    this->Input("x").ParamType(REQUIRED).DataType(types).Format(formats);
    this->Input("y").ParamType(REQUIRED).DataType(types).Format(formats);
    this->Output("out").ParamType(REQUIRED).DataType(types).Format(formats);
    this->Attr("scale").AttrType(OPTIONAL).Float(1.0f);
    this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
    this->AICore().SetTiling(optiling::TilingFunc).AddConfig("ascend910b");
  }
};

OP_ADD(MulScale);

}  // namespace ops
