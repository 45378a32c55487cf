// Forms of host code that operator projects use and documentation pages mention in passing, if at
// all.
#include "aclnn/opdev/op_log.h"
#include "aclnn/opdev/platform.h"
#include "graph/operator.h"
#include "graph/operator_reg.h"
#include "log/error_code.h"
#include "log/log.h"
#include "op_host/util/shape_util.h"
#include "opdev/platform.h"
#include "platform/platform_info.h"
#include "platform/platform_info_def.h"
#include "register/op_def_registry.h"
#include "runtime/infer_datatype_context.h"
#include "tiling/platform/platform_ascendc.h"
#include "toolchain/slog.h"

// The parameter's class is never looked into.
ge::graphStatus CheckSupport(const ge::Operator& /*op*/, ge::AscendString& result) {
  result = ge::AscendString("{}");
  return ge::GRAPH_SUCCESS;
}

ge::graphStatus InferShape(gert::InferShapeContext* context) {
  std::cout << "printed without <iostream>" << std::endl;
  if (CheckLogLevel(static_cast<int32_t>(OP), DLOG_DEBUG) == 1) {
    D_OP_LOGD(Ops::Base::GetSafeStr(Ops::Base::GetOpInfo(context)), "at length");
  }
  return ge::GRAPH_SUCCESS;
}
bool IsLater() {
  fe::PlatformInfo platform;
  fe::OptionalInfo optional;
  return fe::PlatformInfoManager::Instance().GetPlatformInfoWithOutSocVersion(platform, optional) ==
             ge::GRAPH_SUCCESS &&
         platform.str_info.short_soc_version == "Ascend950";
}
IMPL_OP_INFERSHAPE(MyMul).InferShape(InferShape).InferOutDataTypeSameWithFirstInput();

bool Unknown(int64_t dimension, int count) {
  if (count > 99) OP_LOGE_FOR_INVALID_LISTSIZE("MyMul", "axes", count, 99);
  if (count == 7) OP_LOGE_FOR_INVALID_TENSORNUMS_WITH_REASON("MyMul", "x, y", "3, 4", "equal");
  if (count < 0) OP_LOGE_FOR_INVALID_SHAPESIZE("MyMul", "x", count, "positive");
  return dimension == ge::UNKNOWN_DIM || dimension == ge::UNKNOWN_DIM_NUM ||
         op::GetCurrentPlatformInfo().GetSocVersion() != op::SocVersion::ASCEND910B;
}

// Macros of a project's own, over the log beneath.
#define OpLogSub(module, level, who, format, ...)                                                \
  do {                                                                                           \
    if (AlogCheckDebugLevel(static_cast<int>(module), level) == 1) {                             \
      AlogRecord(static_cast<int>(module), DLOG_TYPE_DEBUG, level, "%s: [%" PRIu64 "] " #format, \
                 who, uint64_t{1}, ##__VA_ARGS__);                                               \
    }                                                                                            \
  } while (0)
void Log() {
  OpLogSub(OP, DLOG_ERROR, "MyMul", "%d", 1);
  DlogSub(OP, "OP_PROTO", DLOG_WARN, "%d", 2);
  dlog_error(OP, "%d", 3);
}

// Attributes by what they are, and by what they are read as.
bool Read(const gert::RuntimeAttrs& attributes) {
  return *attributes.GetAttrPointer<int32_t>(0) == 1 &&
         *attributes.GetAttrPointer<const uint64_t>(0) == 1 &&
         *attributes.GetAttrPointer<ge::DataType>(0) == ge::DT_FLOAT16 &&
         attributes.GetAttrPointer<gert::TypedContinuousVector<int64_t>>(1)->GetSize() == 2 &&
         attributes.GetAttrPointer<gert::TypedContinuousVector<float>>(2)->GetSize() == 2;
}

// Processors that host code tells apart.
bool IsSimilar(platform_ascendc::SocVersion version) {
  return version == platform_ascendc::SocVersion::ASCEND910B ||
         version == platform_ascendc::SocVersion::ASCEND910_93 ||
         version == platform_ascendc::SocVersion::KIRINX90;
}

// Prototypes for graphs, and names that come with the platform's header.
namespace ge {
REG_OP(MyMul)
    .INPUT(x, TensorType({DT_FLOAT, DT_FLOAT16}))
    .OPTIONAL_INPUT(y, TensorType::ALL())
    .OUTPUT(z, TensorType({DT_FLOAT, DT_FLOAT16}))
    .REQUIRED_ATTR(axis, Int)
    .ATTR(axes, ListInt, {0, 1})
    .OP_END_FACTORY_REG(MyMul) REG_OP(MyAdd)
    .DYNAMIC_INPUT(x, TensorType({DT_FLOAT}))
    .OP_END_FACTORY_REG(MyAdd);
}  // namespace ge
const map<string, vector<int64_t>> kSizes = {{"small", {1, 2}}};

// Host code may have constants of these names.
namespace ge {
constexpr int64_t UNKNOWN_DIM = -1;
static bool Own(int64_t dimension) { return dimension == UNKNOWN_DIM; }
}  // namespace ge
bool Both(int64_t dimension) { return ge::Own(dimension) && dimension == ge::UNKNOWN_DIM; }

using namespace ge;
using namespace Ops::Base;
bool OfEither(int64_t dimension) { return dimension == UNKNOWN_DIM_NUM; }
