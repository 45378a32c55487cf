// Two lists, an optional input, and an output that is there for the gradient.
// SPDX-License-Identifier: Apache-2.0
#include "../op_kernel/dots_tiling.h"
#include "log/log.h"
#include "register/op_def_registry.h"

static ge::graphStatus Tiling(gert::TilingContext* context) {
  constexpr uint64_t TILE = 256;
  DotsTilingData* tiling = context->GetTilingData<DotsTilingData>();
  tiling->length =
      static_cast<uint64_t>(context->GetOutputShape(0)->GetStorageShape().GetShapeSize());
  tiling->terms = static_cast<uint32_t>(context->GetIrInputInstanceInfo(0)->GetInstanceNum());
  tiling->hasBias = context->GetOptionalInputShape(2) != nullptr ? 1 : 0;
  context->SetBlockDim(static_cast<uint32_t>((tiling->length + TILE - 1) / TILE));
  return ge::GRAPH_SUCCESS;
}

static ge::graphStatus InferShape(gert::InferShapeContext* context) {
  const size_t terms = context->GetIrInputInstanceInfo(0)->GetInstanceNum();
  if (terms == 0 || terms != context->GetIrInputInstanceInfo(1)->GetInstanceNum()) {
    OP_LOGE(context->GetNodeName(), "x and y have to be lists of the same length, and not empty");
    return ge::GRAPH_FAILED;
  }
  const gert::Shape& shape = *context->GetDynamicInputShape(0, 0);
  for (size_t i = 0; i < terms; ++i) {
    if (*context->GetDynamicInputShape(0, i) != shape ||
        *context->GetDynamicInputShape(1, i) != shape) {
      OP_LOGE(context->GetNodeName(), "x[%zu] and y[%zu] need the shape of x[0]", i, i);
      return ge::GRAPH_FAILED;
    }
  }
  const gert::Shape* bias = context->GetOptionalInputShape(2);
  if (bias != nullptr && *bias != shape) {
    OP_LOGE(context->GetNodeName(), "bias needs the shape of x[0]");
    return ge::GRAPH_FAILED;
  }
  *context->GetOutputShape(0) = shape;
  *context->GetOutputShape(1) = shape;
  return ge::GRAPH_SUCCESS;
}

static ge::graphStatus InferDataType(gert::InferDataTypeContext* context) {
  context->SetOutputDataType(0, ge::DT_FLOAT);
  context->SetOutputDataType(1, ge::DT_FLOAT);
  return ge::GRAPH_SUCCESS;
}

namespace ops {

class Dots : public OpDef {
 public:
  explicit Dots(const char* name) : OpDef(name) {
    for (const char* input : {"x", "y"})
      this->Input(input).ParamType(DYNAMIC).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
    this->Input("bias").ParamType(OPTIONAL).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
    for (const char* output : {"out", "first"})
      this->Output(output).ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
    this->SetInferShape(InferShape).SetInferDataType(InferDataType);
    this->AICore().SetTiling(Tiling).AddConfig("ascend910b");
  }
};

OP_ADD(Dots);

}  // namespace ops
