// Two outputs and two attributes, for tests of what my_mul does not have.
// SPDX-License-Identifier: Apache-2.0
#include "../op_kernel/products_tiling.h"
#include "register/op_def_registry.h"

static ge::graphStatus Tiling(gert::TilingContext* context) {
  const gert::RuntimeAttrs* attributes = context->GetAttrs();
  if (attributes == nullptr) return ge::GRAPH_FAILED;
  const int64_t* tile = attributes->GetInt(0);
  const bool* swap = attributes->GetBool(1);
  if (tile == nullptr || swap == nullptr || *tile <= 0) return ge::GRAPH_FAILED;
  ProductsTilingData* tiling = context->GetTilingData<ProductsTilingData>();
  tiling->length =
      static_cast<uint64_t>(context->GetInputShape(0)->GetStorageShape().GetShapeSize());
  tiling->tileLength = static_cast<uint32_t>(*tile);
  tiling->swap = *swap ? 1 : 0;
  context->SetBlockDim(1);
  return ge::GRAPH_SUCCESS;
}

static ge::graphStatus InferShape(gert::InferShapeContext* context) {
  *context->GetOutputShape(0) = *context->GetInputShape(0);
  *context->GetOutputShape(1) = *context->GetInputShape(0);
  return ge::GRAPH_SUCCESS;
}

static ge::graphStatus InferDataType(gert::InferDataTypeContext* context) {
  context->SetOutputDataType(0, context->GetInputDataType(0));
  context->SetOutputDataType(1, context->GetInputDataType(0));
  return ge::GRAPH_SUCCESS;
}

namespace ops {

class Products : public OpDef {
 public:
  explicit Products(const char* name) : OpDef(name) {
    for (const char* input : {"x", "y"})
      this->Input(input).ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
    for (const char* output : {"product", "square"})
      this->Output(output).ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
    this->Attr("tile").AttrType(OPTIONAL).Int(1024);
    this->Attr("swap").AttrType(OPTIONAL).Bool(false);
    this->SetInferShape(InferShape).SetInferDataType(InferDataType);
    this->AICore().SetTiling(Tiling).AddConfig("ascend910b");
  }
};

OP_ADD(Products);

}  // namespace ops
