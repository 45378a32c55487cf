// QuantMatmul: parameters, inference, tiling, and which scales are none.
// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstring>

#include "../../common/cube_tiles_plan.h"
#include "register/op_def_registry.h"
#include "tiling/platform/platform_ascendc.h"

namespace optiling {

static std::string WrongShape(const gert::Shape& scale, int64_t columns) {
  const bool one = scale.GetDimNum() == 0 || (scale.GetDimNum() == 1 && scale.GetDim(0) == 1);
  if (one || (scale.GetDimNum() == 1 &&
              (scale.GetDim(0) == columns || scale.GetDim(0) < 0 || columns < 0))) {
    return "";
  }
  return "scale is " + ShapeText(scale) + "; expected (1,), or (" + std::to_string(columns) +
         ",), an element for each column of b";
}

static float Bits(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

// An element of any of the types that scales have.
static float Value(const void* data, ge::DataType type, int64_t index) {
  if (type == ge::DT_FLOAT) return static_cast<const float*>(data)[index];
  const uint32_t bits = static_cast<const uint16_t*>(data)[index];
  if (type == ge::DT_BF16) return Bits(bits << 16);
  const uint32_t sign = (bits & 0x8000u) << 16;
  const uint32_t exponent = bits >> 10 & 31;
  const uint32_t fraction = bits & 1023;
  if (exponent == 31) return Bits(sign | 0x7f800000u | fraction << 13);
  const float size = std::ldexp(static_cast<float>(exponent == 0 ? fraction : fraction | 1024),
                                static_cast<int>(exponent == 0 ? 1 : exponent) - 25);
  return sign != 0 ? -size : size;
}

static ge::graphStatus Tiling(gert::TilingContext* context) {
  matmul::Product shapes;
  if (!cube_tiles::Read(context, nullptr, &shapes)) return ge::GRAPH_FAILED;
  const gert::Tensor* scale = context->GetRequiredInputTensor(2);
  OP_CHECK_NULL_WITH_CONTEXT(context, scale);
  const gert::Shape& shape = scale->GetStorageShape();
  const std::string wrong = WrongShape(shape, shapes.b.columns);
  OP_CHECK_IF(!wrong.empty(), OP_LOGE(context, "%s", wrong.c_str()), return ge::GRAPH_FAILED);
  const void* data = scale->GetData<uint8_t>();
  const int64_t count = shape.GetShapeSize();
  OP_CHECK_IF(data == nullptr && count > 0,
              OP_LOGE(context, "scale is not known while the call is planned"),
              return ge::GRAPH_FAILED);
  for (int64_t i = 0; i < count; ++i) {
    const float value = Value(data, context->GetInputDesc(2)->GetDataType(), i);
    if (std::isfinite(value) && value > 0) continue;
    OP_LOGE(context, "scale[%lld] is %g; every scale is a finite number above 0",
            static_cast<long long>(i), static_cast<double>(value));
    return ge::GRAPH_FAILED;
  }
  auto* tiling = context->GetTilingData<CubeTilesTilingData>();
  *tiling = {};
  tiling->option = count != 1 ? 1 : 0;
  return cube_tiles::Cut(context, shapes, sizeof(int8_t), tiling) ? ge::GRAPH_SUCCESS
                                                                  : ge::GRAPH_FAILED;
}

}  // namespace optiling

namespace ge {

static graphStatus InferShape(gert::InferShapeContext* context) {
  const gert::Shape* a = context->GetInputShape(0);
  const gert::Shape* b = context->GetInputShape(1);
  const gert::Shape* scale = context->GetInputShape(2);
  gert::Shape* out = context->GetOutputShape(0);
  const gert::RuntimeAttrs* attributes = context->GetAttrs();
  if (a == nullptr || b == nullptr || out == nullptr || attributes == nullptr) return GRAPH_FAILED;
  const bool* transposeA = attributes->GetBool(0);
  const bool* transposeB = attributes->GetBool(1);
  if (transposeA == nullptr || transposeB == nullptr) return GRAPH_FAILED;
  if (Ops::Base::IsUnknownRank(*a) || Ops::Base::IsUnknownRank(*b)) {
    Ops::Base::SetUnknownRank(*out);
    return GRAPH_SUCCESS;
  }
  matmul::Product product;
  std::string wrong = product.Set(*a, *b, nullptr, *transposeA, *transposeB);
  if (wrong.empty() && scale != nullptr && !Ops::Base::IsUnknownRank(*scale))
    wrong = optiling::WrongShape(*scale, product.b.columns);
  OP_CHECK_IF(!wrong.empty(), OP_LOGE(context, "%s", wrong.c_str()), return GRAPH_FAILED);
  product.Output(out);
  return GRAPH_SUCCESS;
}

static graphStatus InferDataType(gert::InferDataTypeContext* context) {
  context->SetOutputDataType(0, context->GetInputDataType(2));
  return GRAPH_SUCCESS;
}

}  // namespace ge

namespace ops {

class QuantMatmul : public OpDef {
 public:
  explicit QuantMatmul(const char* name) : OpDef(name) {
    const std::vector<ge::DataType> scales = {ge::DT_FLOAT16, ge::DT_FLOAT, ge::DT_BF16};
    const std::vector<ge::DataType> integers(scales.size(), ge::DT_INT8);
    const std::vector<ge::Format> formats(scales.size(), ge::FORMAT_ND);
    this->Input("a").ParamType(REQUIRED).DataType(integers).Format(formats);
    this->Input("b").ParamType(REQUIRED).DataType(integers).Format(formats);
    this->Input("scale").ParamType(REQUIRED).ValueDepend(REQUIRED).DataType(scales).Format(formats);
    this->Output("out").ParamType(REQUIRED).DataType(scales).Format(formats);
    this->Attr("transpose_a").AttrType(OPTIONAL).Bool(false);
    this->Attr("transpose_b").AttrType(OPTIONAL).Bool(false);
    this->SetInferShape(ge::InferShape).SetInferDataType(ge::InferDataType);
    this->AICore().SetTiling(optiling::Tiling).AddConfig("ascend910b");
  }
};

OP_ADD(QuantMatmul);

}  // namespace ops
