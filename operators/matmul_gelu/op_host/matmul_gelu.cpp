// MatmulGelu: parameters, inference and tiling.
// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "../../common/cube_tiles_plan.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {

static ge::graphStatus Tiling(gert::TilingContext* context) {
  const gert::StorageShape* bias = context->GetOptionalInputShape(2);
  matmul::Product shapes;
  if (!cube_tiles::Read(context, bias == nullptr ? nullptr : &bias->GetStorageShape(), &shapes))
    return ge::GRAPH_FAILED;
  const char* approximate = context->GetAttrs()->GetStr(2);
  const bool isTanh = approximate != nullptr && std::strcmp(approximate, "tanh") == 0;
  OP_CHECK_IF(!isTanh && (approximate == nullptr || std::strcmp(approximate, "none") != 0),
              OP_LOGE(context, "approximate is \"%s\"; it must be \"none\" or \"tanh\"",
                      approximate == nullptr ? "" : approximate),
              return ge::GRAPH_FAILED);
  auto* tiling = context->GetTilingData<CubeTilesTilingData>();
  *tiling = {};
  tiling->option = isTanh ? 1 : 0;
  tiling->product.hasBias = bias != nullptr ? CUBE_PRODUCT_BIAS : CUBE_PRODUCT_NO_BIAS;
  const uint64_t elementBytes =
      context->GetInputDesc(0)->GetDataType() == ge::DT_FLOAT ? sizeof(float) : sizeof(uint16_t);
  return cube_tiles::Cut(context, shapes, elementBytes, tiling) ? ge::GRAPH_SUCCESS
                                                                : ge::GRAPH_FAILED;
}

}  // namespace optiling

namespace ge {

static graphStatus InferDataType(gert::InferDataTypeContext* context) {
  context->SetOutputDataType(0, context->GetInputDataType(0));
  return GRAPH_SUCCESS;
}

}  // namespace ge

namespace ops {

class MatmulGelu : public OpDef {
 public:
  explicit MatmulGelu(const char* name) : OpDef(name) {
    const std::vector<ge::DataType> types = {ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16};
    const std::vector<ge::Format> formats(types.size(), ge::FORMAT_ND);
    this->Input("a").ParamType(REQUIRED).DataType(types).Format(formats);
    this->Input("b").ParamType(REQUIRED).DataType(types).Format(formats);
    this->Input("bias").ParamType(OPTIONAL).DataType(types).Format(formats);
    this->Output("out").ParamType(REQUIRED).DataType(types).Format(formats);
    this->Attr("transpose_a").AttrType(OPTIONAL).Bool(false);
    this->Attr("transpose_b").AttrType(OPTIONAL).Bool(false);
    this->Attr("approximate").AttrType(OPTIONAL).String("none");
    this->SetInferShape(matmul::InferShape).SetInferDataType(ge::InferDataType);
    this->AICore().SetTiling(optiling::Tiling).AddConfig("ascend910b");
  }
};

OP_ADD(MatmulGelu);

}  // namespace ops
