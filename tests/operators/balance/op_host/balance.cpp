// Two lists with an optional input between them, for tests of which tensor is which.
// SPDX-License-Identifier: Apache-2.0
#include "../op_kernel/balance_tiling.h"
#include "register/op_def_registry.h"

static ge::graphStatus Tiling(gert::TilingContext* context) {
  BalanceTilingData* tiling = context->GetTilingData<BalanceTilingData>();
  tiling->length =
      static_cast<uint64_t>(context->GetInputShape(0)->GetStorageShape().GetShapeSize());
  tiling->hasFee = context->GetOptionalInputShape(2) != nullptr ? 1 : 0;
  context->SetBlockDim(1);
  return ge::GRAPH_SUCCESS;
}

static ge::graphStatus InferShape(gert::InferShapeContext* context) {
  *context->GetOutputShape(0) = *context->GetInputShape(0);
  return ge::GRAPH_SUCCESS;
}

static ge::graphStatus InferDataType(gert::InferDataTypeContext* context) {
  context->SetOutputDataType(0, context->GetInputDataType(0));
  return ge::GRAPH_SUCCESS;
}

namespace ops {

class Balance : public OpDef {
 public:
  explicit Balance(const char* name) : OpDef(name) {
    Parameter("base", REQUIRED);
    Parameter("gains", DYNAMIC);
    Parameter("fee", OPTIONAL);
    Parameter("losses", DYNAMIC);
    this->Output("out").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
    this->SetInferShape(InferShape).SetInferDataType(InferDataType);
    this->AICore().SetTiling(Tiling).AddConfig("ascend910b");
  }

 private:
  void Parameter(const char* name, Option kind) {
    this->Input(name).ParamType(kind).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
  }
};

OP_ADD(Balance);

}  // namespace ops
