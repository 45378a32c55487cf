// Several operators in one library: scaled_mul = factor * x * y, the operator that is its gradient,
// and one that says why it has none.
// SPDX-License-Identifier: Apache-2.0
#include "../op_kernel/backward_tiling.h"
#include "register/op_def_registry.h"

static ge::graphStatus Tiling(gert::TilingContext* context) {
  const gert::RuntimeAttrs* attributes = context->GetAttrs();
  BackwardTilingData* tiling = context->GetTilingData<BackwardTilingData>();
  tiling->length =
      static_cast<uint64_t>(context->GetInputShape(0)->GetStorageShape().GetShapeSize());
  const float* factor = attributes != nullptr ? attributes->GetFloat(0) : nullptr;
  tiling->factor = factor != nullptr ? *factor : 1.0f;
  context->SetBlockDim(1);
  return ge::GRAPH_SUCCESS;
}

static ge::graphStatus InferOne(gert::InferShapeContext* context) {
  *context->GetOutputShape(0) = *context->GetInputShape(0);
  return ge::GRAPH_SUCCESS;
}

static ge::graphStatus InferTwo(gert::InferShapeContext* context) {
  *context->GetOutputShape(1) = *context->GetInputShape(0);
  return InferOne(context);
}

namespace ops {

class ScaledMul : public OpDef {
 public:
  explicit ScaledMul(const char* name) : OpDef(name) {
    for (const char* input : {"x", "y"})
      this->Input(input).ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
    this->Output("out").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
    this->Attr("factor").AttrType(OPTIONAL).Float(1.0f);
    this->SetInferShape(InferOne);
    this->AICore().SetTiling(Tiling).AddConfig("ascend910b");
  }
};
OP_ADD(ScaledMul);

class ScaledMulGrad : public OpDef {
 public:
  explicit ScaledMulGrad(const char* name) : OpDef(name) {
    for (const char* input : {"x", "y", "dout"})
      this->Input(input).ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
    for (const char* output : {"dx", "dy"})
      this->Output(output).ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
    this->Attr("factor").AttrType(OPTIONAL).Float(1.0f);
    this->SetInferShape(InferTwo);
    this->AICore().SetTiling(Tiling).AddConfig("ascend910b");
  }
};
OP_ADD(ScaledMulGrad);

class Positive : public OpDef {
 public:
  explicit Positive(const char* name) : OpDef(name) {
    this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
    this->Output("out").ParamType(REQUIRED).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
    this->SetInferShape(InferOne);
    this->AICore().SetTiling(Tiling).AddConfig("ascend910b");
  }
};
OP_ADD(Positive);

}  // namespace ops
