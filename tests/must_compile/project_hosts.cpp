// Forms of host code that operator projects use and documentation pages mention in passing, if at
// all.
#include "aclnn/opdev/platform.h"
#include "graph/operator.h"
#include "log/error_code.h"
#include "log/log.h"
#include "op_host/util/shape_util.h"
#include "opdev/platform.h"
#include "platform/platform_info.h"
#include "platform/platform_info_def.h"
#include "register/op_def_registry.h"
#include "runtime/infer_datatype_context.h"

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

// Host code may have constants of these names.
namespace ge {
constexpr int64_t UNKNOWN_DIM = -1;
static bool Own(int64_t dimension) { return dimension == UNKNOWN_DIM; }
}  // namespace ge
bool Both(int64_t dimension) { return ge::Own(dimension) && dimension == ge::UNKNOWN_DIM; }

using namespace ge;
using namespace Ops::Base;
bool OfEither(int64_t dimension) { return dimension == UNKNOWN_DIM_NUM; }
