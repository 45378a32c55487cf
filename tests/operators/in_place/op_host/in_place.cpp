// Two operators that add to some elements of a tensor: one says so by an output of the same name,
// one has no outputs at all. SPDX-License-Identifier: Apache-2.0
#include "in_place_tiling.h"
#include "register/op_def_registry.h"

namespace optiling {

static ge::graphStatus Tiling(gert::TilingContext* context) {
  InPlaceTilingData tiling;
  tiling.set_length(
      static_cast<uint32_t>(context->GetInputShape(0)->GetStorageShape().GetShapeSize()));
  tiling.set_places(
      static_cast<uint32_t>(context->GetInputShape(1)->GetStorageShape().GetShapeSize()));
  gert::TilingData* raw = context->GetRawTilingData();
  tiling.SaveToBuffer(raw->GetData(), raw->GetCapacity());
  raw->SetDataSize(tiling.GetDataSize());
  context->SetBlockDim(1);
  return ge::GRAPH_SUCCESS;
}

}  // namespace optiling

// As the toolkit's generator writes it, whether there is an output or not.
static ge::graphStatus InferShape(gert::InferShapeContext* context) {
  *context->GetOutputShape(0) = *context->GetInputShape(0);
  return ge::GRAPH_SUCCESS;
}

namespace ops {

class AddAt : public OpDef {
 public:
  explicit AddAt(const char* name) : OpDef(name) {
    this->Input("var").ParamType(REQUIRED).DataType({ge::DT_FLOAT});
    this->Input("places").ParamType(REQUIRED).DataType({ge::DT_INT32});
    this->Input("more").ParamType(OPTIONAL).DataType({ge::DT_FLOAT});
    this->SetInferShape(InferShape);
    this->AICore().SetTiling(optiling::Tiling).AddConfig("ascend910b");
  }
};
OP_ADD(AddAt);

class AddAtRef : public OpDef {
 public:
  explicit AddAtRef(const char* name) : OpDef(name) {
    this->Input("var").ParamType(REQUIRED).DataType({ge::DT_FLOAT});
    this->Input("places").ParamType(REQUIRED).DataType({ge::DT_INT32});
    this->Output("var").ParamType(REQUIRED).DataType({ge::DT_FLOAT});
    this->SetInferShape(InferShape);
    this->AICore().SetTiling(optiling::Tiling).AddConfig("ascend910b");
  }
};
OP_ADD(AddAtRef);

}  // namespace ops
