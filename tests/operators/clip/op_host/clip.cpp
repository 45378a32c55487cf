// Tiling data by classes with set_ functions, and a tiling key for each of two branches.
// SPDX-License-Identifier: Apache-2.0
#include "clip_tiling.h"
#include "register/op_def_registry.h"

namespace optiling {

static ge::graphStatus Tiling(gert::TilingContext* context) {
  const gert::RuntimeAttrs* attributes = context->GetAttrs();
  const uint32_t length =
      static_cast<uint32_t>(context->GetInputShape(0)->GetStorageShape().GetShapeSize());
  gert::TilingData* raw = context->GetRawTilingData();
  const auto fill = [&](auto& tiling) {
    tiling.set_length(length);
    tiling.range.set_low(*attributes->GetFloat(0));
    tiling.range.set_high(*attributes->GetFloat(1));
    tiling.SaveToBuffer(raw->GetData(), raw->GetCapacity());
    raw->SetDataSize(tiling.GetDataSize());
  };
  if (length > 512) {
    const uint16_t tiles[] = {512, 256, 128};
    ClipTilingData tiling;
    tiling.set_tiles(tiles);
    tiling.set_check(0x123456789abcdefull);
    fill(tiling);
    context->SetTilingKey(1);
  } else {
    ClipWholeTilingData tiling;
    fill(tiling);
    context->SetTilingKey(2);
  }
  context->SetBlockDim(1);
  return ge::GRAPH_SUCCESS;
}

}  // namespace optiling

static ge::graphStatus InferShape(gert::InferShapeContext* context) {
  *context->GetOutputShape(0) = *context->GetInputShape(0);
  return ge::GRAPH_SUCCESS;
}

namespace ops {

class Clip : public OpDef {
 public:
  explicit Clip(const char* name) : OpDef(name) {
    this->Input("x").ParamType(REQUIRED).DataType({ge::DT_FLOAT, ge::DT_FLOAT16});
    this->Output("y").ParamType(REQUIRED).DataType({ge::DT_FLOAT, ge::DT_FLOAT16});
    this->Attr("low").AttrType(OPTIONAL).Float(-1);
    this->Attr("high").AttrType(OPTIONAL).Float(1);
    this->SetInferShape(InferShape);
    this->AICore().SetTiling(optiling::Tiling).AddConfig("ascend910b");
  }
};

OP_ADD(Clip);

}  // namespace ops
