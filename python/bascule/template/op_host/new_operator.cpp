// NewOperator for the host: its parameters, how outputs follow from inputs, how work is cut.
#include <algorithm>

#include "../op_kernel/tiling_data.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {

constexpr uint64_t MIN_BLOCK_BYTES = 32 * 1024;  // a block has its price: a small tensor gets few
constexpr uint64_t ALIGN_BYTES = 512;            // where copies from global memory are fastest
constexpr uint64_t TILE_BYTES = 8 * 1024;
constexpr uint64_t BUFFERS = 2 * 3;  // two for each of x, y and out

static uint64_t DivideUp(uint64_t value, uint64_t unit) { return (value + unit - 1) / unit; }

// Runs once for each combination of shapes and element types; the kernel reads what it writes.
static ge::graphStatus TilingFunc(gert::TilingContext* context) {
  const gert::StorageShape* shape = context->GetInputShape(0);
  const gert::CompileTimeTensorDesc* desc = context->GetInputDesc(0);
  if (shape == nullptr || desc == nullptr) return ge::GRAPH_FAILED;
  const int64_t size = shape->GetStorageShape().GetShapeSize();
  if (size < 0) return ge::GRAPH_FAILED;
  const uint64_t total = static_cast<uint64_t>(size);
  const uint64_t elementBytes = desc->GetDataType() == ge::DT_FLOAT16 ? 2 : 4;

  const auto platform = platform_ascendc::PlatformAscendC(context->GetPlatformInfo());
  uint64_t ubBytes = 0;
  platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, ubBytes);
  const uint64_t tileBytes = std::min(TILE_BYTES, ubBytes / BUFFERS / ALIGN_BYTES * ALIGN_BYTES);
  if (tileBytes == 0) return ge::GRAPH_FAILED;

  const uint64_t cores = std::max<uint64_t>(1, platform.GetCoreNumAiv());
  const uint64_t wanted = DivideUp(total * elementBytes, MIN_BLOCK_BYTES);
  const uint64_t align = ALIGN_BYTES / elementBytes;
  const uint64_t share = DivideUp(total, std::clamp<uint64_t>(wanted, 1, cores));
  const uint64_t blockLength = std::max(align, DivideUp(share, align) * align);

  TilingData* tiling = context->GetTilingData<TilingData>();
  tiling->totalLength = total;
  tiling->blockLength = blockLength;
  tiling->tileLength = static_cast<uint32_t>(tileBytes / elementBytes);
  context->SetBlockDim(static_cast<uint32_t>(std::max<uint64_t>(1, DivideUp(total, blockLength))));
  context->GetWorkspaceSizes(1)[0] = 0;
  return ge::GRAPH_SUCCESS;
}

}  // namespace optiling

namespace ge {

static graphStatus InferShape(gert::InferShapeContext* context) {
  const gert::Shape* x = context->GetInputShape(0);
  const gert::Shape* y = context->GetInputShape(1);
  gert::Shape* out = context->GetOutputShape(0);
  if (x == nullptr || y == nullptr || out == nullptr) return GRAPH_FAILED;
  if (x->GetDimNum() != y->GetDimNum()) return GRAPH_FAILED;
  *out = *x;
  for (size_t i = 0; i < x->GetDimNum(); ++i) {
    const int64_t a = x->GetDim(i);
    const int64_t b = y->GetDim(i);
    if (a >= 0 && b >= 0 && a != b) return GRAPH_FAILED;  // negative: not known yet
    out->SetDim(i, a >= 0 ? a : b);
  }
  return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext* context) {
  context->SetOutputDataType(0, context->GetInputDataType(0));
  return GRAPH_SUCCESS;
}

}  // namespace ge

namespace ops {

// The kernel and its function have the name of this class in snake case.
class NewOperator : public OpDef {
 public:
  explicit NewOperator(const char* name) : OpDef(name) {
    for (const char* input : {"x", "y"}) {
      this->Input(input)
          .ParamType(REQUIRED)
          .DataType({ge::DT_FLOAT16, ge::DT_FLOAT})
          .Format({ge::FORMAT_ND, ge::FORMAT_ND});
    }
    this->Output("out")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT16, ge::DT_FLOAT})
        .Format({ge::FORMAT_ND, ge::FORMAT_ND});
    this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
    this->AICore().SetTiling(optiling::TilingFunc).AddConfig("ascend910b");
  }
};
OP_ADD(NewOperator);

}  // namespace ops
