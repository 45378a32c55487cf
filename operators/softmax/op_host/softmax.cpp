// Softmax and its backward kernel SoftmaxGrad: their parameters, how their outputs follow from
// their inputs, and how a launch is cut into blocks. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "../op_kernel/softmax_tiling.h"
#include "log/log.h"
#include "op_common/op_host/util/shape_util.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"
#include "tiling/tiling_api.h"

namespace optiling {

// A block has its price, so a small tensor gets few of them.
constexpr uint64_t MIN_BLOCK_LENGTH = 4 * 1024;
// A tile of rows that fit; small enough for a CPU's first-level cache.
constexpr uint64_t TILE_LENGTH = 4 * 1024;
constexpr uint64_t ALIGN_LENGTH = 256;
// Up to this length of a tile its queues have two buffers each.
constexpr uint64_t TWO_BUFFERS_LENGTH = 2 * 1024;
// Runs of columns are at least so long, where there are so many.
constexpr uint64_t MIN_WIDTH = 64;
// How much of a tile the rows of columns take side by side: a quarter, because two of them share a
// buffer.
constexpr uint64_t ROW_SHARE = 4;
// For an element of a tile: three buffers of its type, and five of float.
constexpr uint64_t TENSORS = 3;
constexpr uint64_t FLOAT_BUFFERS = 5;

static uint64_t DivideUp(uint64_t value, uint64_t unit) { return (value + unit - 1) / unit; }

// The axis as a number from 0 on; false, with the reason, where there is none.
static bool FindAxis(const char* node, const gert::RuntimeAttrs* attributes, size_t rank,
                     size_t* axis) {
  const int64_t* given = attributes != nullptr ? attributes->GetInt(0) : nullptr;
  if (given == nullptr) return false;
  const int64_t most = std::max<int64_t>(1, static_cast<int64_t>(rank));
  if (*given < -most || *given >= most) {
    OP_LOGE(node, "axis is %ld; x has %zu dimensions, so that it must be from %ld to %ld",
            static_cast<long>(*given), rank, static_cast<long>(-most), static_cast<long>(most - 1));
    return false;
  }
  *axis = static_cast<size_t>(*given < 0 ? *given + most : *given);
  return true;
}

static void CutColumns(uint64_t tileLength, uint64_t datablock, SoftmaxTilingData* tiling) {
  const uint64_t most = tileLength / ROW_SHARE;
  const uint64_t fitting =
      tileLength / std::min(tiling->length, tileLength) / datablock * datablock;
  const uint64_t width = std::min({tiling->inner, most, std::max(fitting, MIN_WIDTH)});
  const uint64_t pitch = DivideUp(width, datablock) * datablock;
  uint64_t outers = 1;
  if (width == tiling->inner) {
    outers =
        std::clamp<uint64_t>(std::min(tileLength / tiling->length, most) / pitch, 1, tiling->outer);
  }
  tiling->width = static_cast<uint32_t>(width);
  tiling->outers = static_cast<uint32_t>(outers);
  tiling->tileRows = static_cast<uint32_t>(std::min(tiling->length, tileLength / (outers * pitch)));
  tiling->units = DivideUp(tiling->outer, outers) * DivideUp(tiling->inner, width);
}

static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  const gert::StorageShape* storage = context->GetInputShape(0);
  const gert::CompileTimeTensorDesc* desc = context->GetInputDesc(0);
  if (storage == nullptr || desc == nullptr) return ge::GRAPH_FAILED;
  const gert::Shape& shape = storage->GetStorageShape();
  size_t axis = 0;
  if (!FindAxis(context->GetNodeName(), context->GetAttrs(), shape.GetDimNum(), &axis)) {
    return ge::GRAPH_FAILED;
  }
  SoftmaxTilingData* tiling = context->GetTilingData<SoftmaxTilingData>();
  *tiling = {};
  tiling->outer = tiling->length = tiling->inner = 1;
  for (size_t i = 0; i < shape.GetDimNum(); ++i) {
    const uint64_t size = static_cast<uint64_t>(shape.GetDim(i));
    (i < axis ? tiling->outer : i == axis ? tiling->length : tiling->inner) *= size;
  }
  const uint64_t total = tiling->outer * tiling->length * tiling->inner;

  const uint64_t elementBytes =
      desc->GetDataType() == ge::DT_FLOAT ? sizeof(float) : sizeof(uint16_t);
  const uint64_t datablock = 32 / elementBytes;
  const auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
  uint64_t ubBytes = 0;
  platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, ubBytes);
  const uint64_t most = ubBytes / (TENSORS * elementBytes + FLOAT_BUFFERS * sizeof(float)) /
                        ALIGN_LENGTH * ALIGN_LENGTH;
  if (most == 0) return ge::GRAPH_FAILED;
  uint64_t tileLength = most;
  const uint64_t pitch = DivideUp(tiling->length, datablock) * datablock;
  if (total == 0) {
    tiling->units = 0;
  } else if (tiling->inner > 1) {
    tiling->kind = SOFTMAX_COLUMNS;
    CutColumns(tileLength, datablock, tiling);
  } else if (pitch <= most) {
    tiling->kind = SOFTMAX_ROWS;
    const uint64_t rows =
        std::clamp<uint64_t>(std::min(most, TILE_LENGTH) / pitch, 1, tiling->outer);
    tiling->tileRows = static_cast<uint32_t>(rows);
    tileLength = rows * pitch;
    tiling->units = DivideUp(tiling->outer, rows);
    const bool inFloat = desc->GetDataType() != ge::DT_FLOAT16;
    AscendC::SoftMaxTilingFunc(
        ge::Shape({static_cast<int64_t>(rows), static_cast<int64_t>(pitch)}),
        inFloat ? sizeof(float) : sizeof(uint16_t),
        static_cast<uint32_t>(ubBytes - tileLength * (TENSORS * elementBytes +
                                                      (FLOAT_BUFFERS - TENSORS) * sizeof(float))),
        tiling->library);
  } else {
    tiling->kind = SOFTMAX_PIECES;
    tiling->units = tiling->outer;
  }
  tiling->tileLength = static_cast<uint32_t>(tileLength);
  tiling->buffers = tileLength <= std::min(TWO_BUFFERS_LENGTH, most / 2) ? 2 : 1;

  const uint64_t units = std::max<uint64_t>(1, tiling->units);
  const uint64_t blocks = std::min({units, std::max<uint64_t>(1, platform.GetCoreNumAiv()),
                                    std::max<uint64_t>(1, DivideUp(total, MIN_BLOCK_LENGTH))});
  tiling->blockUnits = DivideUp(units, blocks);
  context->SetBlockDim(static_cast<uint32_t>(DivideUp(units, tiling->blockUnits)));
  size_t* workspace = context->GetWorkspaceSizes(1);
  workspace[0] = platform.GetLibApiWorkSpaceSize();
  return ge::GRAPH_SUCCESS;
}

static ge::graphStatus GradTilingFunc(gert::TilingContext* context) {
  const gert::StorageShape* out = context->GetInputShape(0);
  const gert::StorageShape* dout = context->GetInputShape(1);
  if (out == nullptr || dout == nullptr) return ge::GRAPH_FAILED;
  if (!(out->GetStorageShape() == dout->GetStorageShape())) {
    OP_LOGE(context->GetNodeName(), "dout must have the shape of out");
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
  size_t axis = 0;
  if (!Ops::Base::IsUnknownRank(*x) &&
      !optiling::FindAxis(context->GetNodeName(), context->GetAttrs(), x->GetDimNum(), &axis)) {
    return GRAPH_FAILED;
  }
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

class Softmax : public OpDef {
 public:
  explicit Softmax(const char* name) : OpDef(name) {
    this->Input("x").ParamType(REQUIRED).DataType(TYPES).Format(FORMATS);
    this->Output("out").ParamType(REQUIRED).DataType(TYPES).Format(FORMATS);
    this->Attr("axis").AttrType(OPTIONAL).Int(-1);
    this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
    this->AICore().SetTiling(optiling::TilingFunc).AddConfig("ascend910b");
  }
};
OP_ADD(Softmax);

class SoftmaxGrad : public OpDef {
 public:
  explicit SoftmaxGrad(const char* name) : OpDef(name) {
    this->Input("out").ParamType(REQUIRED).DataType(TYPES).Format(FORMATS);
    this->Input("dout").ParamType(REQUIRED).DataType(TYPES).Format(FORMATS);
    this->Output("dx").ParamType(REQUIRED).DataType(TYPES).Format(FORMATS);
    this->Attr("axis").AttrType(OPTIONAL).Int(-1);
    this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
    this->AICore().SetTiling(optiling::GradTilingFunc).AddConfig("ascend910b");
  }
};
OP_ADD(SoftmaxGrad);

}  // namespace ops
