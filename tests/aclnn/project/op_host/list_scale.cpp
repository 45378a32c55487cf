#include "register/op_def_registry.h"

// ys[i] = xs[i] * (flags[i] ? -1 : 1) + the sum of groups[i], for each tensor of the list.
namespace list_scale {
constexpr size_t MOST = 8;
struct ListScaleTiling {
  uint32_t lengths[MOST];
  float factors[MOST];
  float offsets[MOST];
};

static ge::graphStatus Plan(gert::TilingContext* context) {
  auto* plan = context->GetTilingData<ListScaleTiling>();
  const size_t count = context->GetIrInputInstanceInfo(0)->GetInstanceNum();
  if (count > MOST || count != context->GetComputeNodeInputNum()) return ge::GRAPH_FAILED;
  const auto* flags = context->GetAttrs()->GetAttrPointer<gert::ContinuousVector>(0);
  const gert::ContinuousVectorVector* groups = context->GetAttrs()->GetListListInt(1);
  for (size_t i = 0; i < count; ++i) {
    const gert::Shape& shape = context->GetDynamicInputShape(0, i)->GetOriginShape();
    plan->lengths[i] = static_cast<uint32_t>(shape.GetShapeSize());
    const bool* flag = static_cast<const bool*>(flags->GetData());
    plan->factors[i] = i < flags->GetSize() && flag[i] ? -1 : 1;
    if (const gert::ContinuousVector* group = groups->Get(i)) {
      const auto* numbers = static_cast<const int64_t*>(group->GetData());
      for (size_t k = 0; k < group->GetSize(); ++k) {
        plan->offsets[i] += static_cast<float>(numbers[k]);
      }
    }
  }
  context->SetBlockDim(1);
  context->GetWorkspaceSizes(1)[0] = 0;
  return ge::GRAPH_SUCCESS;
}

static ge::graphStatus Shape(gert::InferShapeContext* context) {
  const size_t count = context->GetIrInputInstanceInfo(0)->GetInstanceNum();
  if (context->GetIrOutputInstanceInfo(0)->GetInstanceNum() != count) return ge::GRAPH_FAILED;
  for (size_t i = 0; i < count; ++i) {
    *context->GetOutputShape(i) = *context->GetDynamicInputShape(0, i);
  }
  return ge::GRAPH_SUCCESS;
}
}  // namespace list_scale

namespace ops {
class ListScale : public OpDef {
 public:
  explicit ListScale(const char* name) : OpDef(name) {
    this->Input("xs").ParamType(DYNAMIC).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
    this->Output("ys").ParamType(DYNAMIC).DataType({ge::DT_FLOAT}).Format({ge::FORMAT_ND});
    this->Attr("flags").AttrType(OPTIONAL).ListBool({false, true});
    this->Attr("groups").AttrType(OPTIONAL).ListListInt({{1, 2}, {}, {10}});
    this->SetInferShape(list_scale::Shape);
    this->AICore().SetTiling(list_scale::Plan).AddConfig("ascend910b");
  }
};
OP_ADD(ListScale);
}  // namespace ops
