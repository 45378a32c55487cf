// Tiling that reads what an input holds, and outputs that hold something before the kernel runs.
// SPDX-License-Identifier: Apache-2.0
#include "../op_kernel/values_tiling.h"
#include "log/log.h"
#include "register/op_def_registry.h"

static ge::graphStatus Tiling(gert::TilingContext* context) {
  const gert::Tensor* factor = context->GetRequiredInputTensor(1);
  OP_CHECK_NULL_WITH_CONTEXT(context, factor);
  const int32_t* value = factor->GetData<int32_t>();
  OP_CHECK_IF(value == nullptr, OP_LOGE(context, "the factor is not known"),
              return ge::GRAPH_FAILED);
  OP_CHECK_IF(*value == 0, OP_LOGE(context, "the factor is %d", *value), return ge::GRAPH_FAILED);
  auto* tiling = context->GetTilingData<ValuesTiling>();
  tiling->length =
      static_cast<uint32_t>(context->GetInputShape(0)->GetStorageShape().GetShapeSize());
  tiling->factor = *value;
  context->SetNeedAtomic(true);
  context->SetBlockDim(1);
  return ge::GRAPH_SUCCESS;
}

static ge::graphStatus InferShape(gert::InferShapeContext* context) {
  *context->GetOutputShape(0) = *context->GetInputShape(0);
  *context->GetOutputShape(1) = *context->GetInputShape(0);
  return ge::GRAPH_SUCCESS;
}

namespace ops {

class Values : public OpDef {
 public:
  explicit Values(const char* name) : OpDef(name) {
    this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT, ge::DT_FLOAT16});
    this->Input("factor").ParamType(REQUIRED).ValueDepend(REQUIRED).DataType(
        {ge::DT_INT32, ge::DT_INT32});
    this->Output("product").ParamType(REQUIRED).DataType({ge::DT_FLOAT, ge::DT_FLOAT16});
    this->Output("sum")
        .ParamType(REQUIRED)
        .DataType({ge::DT_FLOAT, ge::DT_FLOAT16})
        .InitValue({{ScalarType::FLOAT32, 2.5f}, {ScalarType::INT16, -3}});
    this->SetInferShape(InferShape);
    this->AICore().SetTiling(Tiling).AddConfig("ascend910b");
  }
};

OP_ADD(Values);

}  // namespace ops
