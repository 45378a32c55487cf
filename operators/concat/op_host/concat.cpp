// Concat: its parameters, how its output follows from its inputs, and how a launch is cut into
// blocks. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <vector>

#include "../op_kernel/concat_tiling.h"
#include "log/log.h"
#include "op_common/op_host/util/shape_util.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {

// A block has its price, so little work gets few of them.
constexpr uint64_t MIN_BLOCK_BYTES = 32 * 1024;
// Global memory is fastest from addresses that are multiples of this.
constexpr uint64_t ALIGN_BYTES = 512;
// Large enough for the copies to run at full speed, small enough for a CPU's first-level cache.
constexpr uint64_t TILE_BYTES = 16 * 1024;
constexpr uint64_t BUFFERS = 2;

static uint64_t DivideUp(uint64_t value, uint64_t unit) { return (value + unit - 1) / unit; }

static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  const gert::StorageShape* shape = context->GetOutputShape(0);
  const gert::CompileTimeTensorDesc* desc = context->GetDynamicInputDesc(0, 0);
  const gert::RuntimeAttrs* attributes = context->GetAttrs();
  if (shape == nullptr || desc == nullptr || attributes == nullptr) return ge::GRAPH_FAILED;
  const gert::Shape& out = shape->GetStorageShape();
  const int64_t rank = static_cast<int64_t>(out.GetDimNum());
  const int64_t axis = *attributes->GetInt(0) + (*attributes->GetInt(0) < 0 ? rank : 0);
  if (axis < 0 || axis >= rank) return ge::GRAPH_FAILED;
  const int typeBytes = ge::GetSizeByDataType(desc->GetDataType());
  if (typeBytes <= 0) return ge::GRAPH_FAILED;
  const uint64_t elementBytes = static_cast<uint64_t>(typeBytes);

  uint64_t rows = 1;
  uint64_t rowBytes = elementBytes;
  for (int64_t d = 0; d < rank; ++d) {
    (d < axis ? rows : rowBytes) *= static_cast<uint64_t>(out.GetDim(static_cast<size_t>(d)));
  }

  const auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
  uint64_t ubBytes = 0;
  platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, ubBytes);
  const uint64_t tileBytes = std::min(TILE_BYTES, ubBytes / BUFFERS) / ALIGN_BYTES * ALIGN_BYTES;
  if (tileBytes == 0) return ge::GRAPH_FAILED;

  // Rows first, and where there are too few, parts of a row.
  const uint64_t cores = std::max<uint64_t>(1, platform.GetCoreNumAiv());
  const uint64_t wanted =
      std::clamp<uint64_t>(DivideUp(rows * rowBytes, MIN_BLOCK_BYTES), 1, cores);
  const uint64_t rowsPerBlock = DivideUp(rows, std::min(wanted, rows));
  const uint64_t rowBlocks = DivideUp(rows, rowsPerBlock);
  const uint64_t parts = std::max<uint64_t>(1, wanted / rowBlocks);
  const uint64_t bytesPerBlock = DivideUp(DivideUp(rowBytes, parts), ALIGN_BYTES) * ALIGN_BYTES;
  const uint64_t blocksPerRow = DivideUp(rowBytes, bytesPerBlock);

  ConcatTilingData* tiling = context->GetTilingData<ConcatTilingData>();
  tiling->rows = rows;
  tiling->rowBytes = rowBytes;
  tiling->rowsPerBlock = rowsPerBlock;
  tiling->bytesPerBlock = bytesPerBlock;
  tiling->blocksPerRow = static_cast<uint32_t>(blocksPerRow);
  tiling->axis = static_cast<uint32_t>(axis);
  tiling->elementBytes = static_cast<uint32_t>(elementBytes);
  tiling->tileBytes = static_cast<uint32_t>(tileBytes);
  context->SetBlockDim(static_cast<uint32_t>(rowBlocks * blocksPerRow));
  size_t* workspace = context->GetWorkspaceSizes(1);
  workspace[0] = 0;
  return ge::GRAPH_SUCCESS;
}

}  // namespace optiling

namespace ge {

constexpr int64_t UNKNOWN_DIM = -1;

// All shapes are one but along the axis, where their lengths add up.
static graphStatus InferShape(gert::InferShapeContext* context) {
  const gert::RuntimeAttrs* attributes = context->GetAttrs();
  gert::Shape* out = context->GetOutputShape(0);
  if (attributes == nullptr || out == nullptr) return GRAPH_FAILED;
  const size_t count = context->GetIrInputInstanceInfo(0)->GetInstanceNum();
  if (count == 0) {
    OP_LOGE(context->GetNodeName(), "the list x has no tensors; it needs one or more");
    return GRAPH_FAILED;
  }
  const int64_t given = *attributes->GetInt(0);
  bool known = false;
  size_t axis = 0;
  for (size_t i = 0; i < count; ++i) {
    const gert::Shape* shape = context->GetDynamicInputShape(0, i);
    if (shape == nullptr) return GRAPH_FAILED;
    if (Ops::Base::IsUnknownRank(*shape)) {
      *out = *shape;
      return GRAPH_SUCCESS;
    }
    const int64_t rank = static_cast<int64_t>(shape->GetDimNum());
    if (given < -rank || given >= rank) {
      OP_LOGE(context->GetNodeName(), "axis is %ld, and x[%zu] has %ld dimensions",
              static_cast<long>(given), i, static_cast<long>(rank));
      return GRAPH_FAILED;
    }
    axis = static_cast<size_t>(given < 0 ? given + rank : given);
    if (!known) {
      *out = *shape;
      known = true;
      continue;
    }
    if (shape->GetDimNum() != out->GetDimNum()) {
      OP_LOGE(context->GetNodeName(), "x[0] has %zu dimensions and x[%zu] has %zu",
              out->GetDimNum(), i, shape->GetDimNum());
      return GRAPH_FAILED;
    }
    for (size_t d = 0; d < shape->GetDimNum(); ++d) {
      const int64_t a = out->GetDim(d);
      const int64_t b = shape->GetDim(d);
      const bool both = a != UNKNOWN_DIM && b != UNKNOWN_DIM;
      if (d == axis) {
        out->SetDim(d, both ? a + b : UNKNOWN_DIM);
      } else if (both && a != b) {
        OP_LOGE(context->GetNodeName(), "x[0] and x[%zu] differ in dimension %zu, beside axis %zu",
                i, d, axis);
        return GRAPH_FAILED;
      } else {
        out->SetDim(d, a != UNKNOWN_DIM ? a : b);
      }
    }
  }
  return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext* context) {
  context->SetOutputDataType(0, context->GetDynamicInputDataType(0, 0));
  return GRAPH_SUCCESS;
}

}  // namespace ge

namespace ops {

class Concat : public OpDef {
 public:
  explicit Concat(const char* name) : OpDef(name) {
    const std::vector<ge::DataType> types = {ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16,
                                             ge::DT_INT32, ge::DT_INT64};
    const std::vector<ge::Format> formats(types.size(), ge::FORMAT_ND);
    this->Input("x").ParamType(DYNAMIC).DataType(types).Format(formats);
    this->Output("out").ParamType(REQUIRED).DataType(types).Format(formats);
    this->Attr("axis").AttrType(OPTIONAL).Int(0);
    this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
    this->AICore().SetTiling(optiling::TilingFunc).AddConfig("ascend910b");
  }
};

OP_ADD(Concat);

}  // namespace ops
