// Gelu and its backward kernel GeluGrad: their parameters, how their outputs follow from their
// inputs, and how a launch is cut into blocks. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <vector>

#include "../op_kernel/gelu_tiling.h"
#include "log/log.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {

// A block has its price, so a small tensor gets few of them.
constexpr uint64_t MIN_BLOCK_BYTES = 8 * 1024;
// Global memory is fastest from addresses that are multiples of this; a datablock (32 bytes)
// divides it.
constexpr uint64_t ALIGN_BYTES = 512;
// In float; large enough for the copies to run at full speed, small enough for a CPU's first-level
// cache with all the buffers of a tile.
constexpr uint64_t TILE_BYTES = 4 * 1024;
// Two buffers for each of x, dout and dx; x within bounds, x and dout as float, three between them.
constexpr uint64_t BUFFERS = 2 * 3;
constexpr uint64_t FLOAT_BUFFERS = 6;

static uint64_t DivideUp(uint64_t value, uint64_t unit) { return (value + unit - 1) / unit; }

static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  const gert::StorageShape* shape = context->GetInputShape(0);
  const gert::CompileTimeTensorDesc* desc = context->GetInputDesc(0);
  const gert::RuntimeAttrs* attributes = context->GetAttrs();
  if (shape == nullptr || desc == nullptr || attributes == nullptr) return ge::GRAPH_FAILED;
  const char* approximate = attributes->GetStr(0);
  const int64_t size = shape->GetStorageShape().GetShapeSize();
  if (approximate == nullptr || size < 0) return ge::GRAPH_FAILED;
  const bool isTanh = std::strcmp(approximate, "tanh") == 0;
  if (!isTanh && std::strcmp(approximate, "none") != 0) {
    OP_LOGE(context->GetNodeName(), "approximate is \"%s\"; it must be \"none\" or \"tanh\"",
            approximate);
    return ge::GRAPH_FAILED;
  }
  const uint64_t total = static_cast<uint64_t>(size);
  const uint64_t elementBytes =
      desc->GetDataType() == ge::DT_FLOAT ? sizeof(float) : sizeof(uint16_t);

  const auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
  uint64_t ubBytes = 0;
  platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, ubBytes);
  const uint64_t align = ALIGN_BYTES / elementBytes;
  const uint64_t tileLength =
      std::min(TILE_BYTES / sizeof(float),
               ubBytes / (BUFFERS * elementBytes + FLOAT_BUFFERS * sizeof(float))) /
      align * align;
  if (tileLength == 0) return ge::GRAPH_FAILED;

  const uint64_t cores = std::max<uint64_t>(1, platform.GetCoreNumAiv());
  uint64_t blocks = std::clamp<uint64_t>(DivideUp(total * elementBytes, MIN_BLOCK_BYTES), 1, cores);
  const uint64_t blockLength = std::max(align, DivideUp(DivideUp(total, blocks), align) * align);
  blocks = std::max<uint64_t>(
      1, DivideUp(total, blockLength));  // rounding up may leave some without work

  GeluTilingData* tiling = context->GetTilingData<GeluTilingData>();
  tiling->totalLength = total;
  tiling->blockLength = blockLength;
  tiling->tileLength = static_cast<uint32_t>(tileLength);
  tiling->isTanh = isTanh ? 1 : 0;
  context->SetBlockDim(static_cast<uint32_t>(blocks));
  size_t* workspace = context->GetWorkspaceSizes(1);
  workspace[0] = 0;
  return ge::GRAPH_SUCCESS;
}

// dout has the shape of x, which shape inference has seen to where the caller brings no output.
static ge::graphStatus GradTilingFunc(gert::TilingContext* context) {
  const gert::StorageShape* x = context->GetInputShape(0);
  const gert::StorageShape* dout = context->GetInputShape(1);
  if (x == nullptr || dout == nullptr) return ge::GRAPH_FAILED;
  if (!(x->GetStorageShape() == dout->GetStorageShape())) {
    OP_LOGE(context->GetNodeName(), "dout must have the shape of x");
    return ge::GRAPH_FAILED;
  }
  return TilingFunc(context);
}

}  // namespace optiling

namespace ge {

static graphStatus InferShape(gert::InferShapeContext* context) {
  const gert::Shape* x = context->GetInputShape(0);
  gert::Shape* out = context->GetOutputShape(0);
  if (x == nullptr || out == nullptr) return GRAPH_FAILED;
  *out = *x;
  return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext* context) {
  context->SetOutputDataType(0, context->GetInputDataType(0));
  return GRAPH_SUCCESS;
}

}  // namespace ge

namespace ops {

static const std::vector<ge::DataType> TYPES = {ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16};
static const std::vector<ge::Format> FORMATS(TYPES.size(), ge::FORMAT_ND);

class Gelu : public OpDef {
 public:
  explicit Gelu(const char* name) : OpDef(name) {
    this->Input("x").ParamType(REQUIRED).DataType(TYPES).Format(FORMATS);
    this->Output("out").ParamType(REQUIRED).DataType(TYPES).Format(FORMATS);
    this->Attr("approximate").AttrType(OPTIONAL).String("none");
    this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
    this->AICore().SetTiling(optiling::TilingFunc).AddConfig("ascend910b");
  }
};
OP_ADD(Gelu);

class GeluGrad : public OpDef {
 public:
  explicit GeluGrad(const char* name) : OpDef(name) {
    this->Input("x").ParamType(REQUIRED).DataType(TYPES).Format(FORMATS);
    this->Input("dout").ParamType(REQUIRED).DataType(TYPES).Format(FORMATS);
    this->Output("dx").ParamType(REQUIRED).DataType(TYPES).Format(FORMATS);
    this->Attr("approximate").AttrType(OPTIONAL).String("none");
    this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
    this->AICore().SetTiling(optiling::GradTilingFunc).AddConfig("ascend910b");
  }
};
OP_ADD(GeluGrad);

}  // namespace ops
