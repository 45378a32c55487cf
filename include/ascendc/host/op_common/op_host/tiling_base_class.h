// Tiling in steps, as public operator projects with several ways to plan write it: each way is a
// class, asked in turn whether it fits.
//
// Written from how such projects override the steps.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_OP_COMMON_OP_HOST_TILING_BASE_CLASS_H_
#define BASCULE_ASCENDC_OP_COMMON_OP_HOST_TILING_BASE_CLASS_H_

#include <cstdint>
#include <string>

#include "exe_graph/runtime/tiling_context.h"
#include "op_common/log/log.h"
#include "tiling/platform/platform_ascendc.h"

namespace Ops {
namespace Base {

// What the steps pass on.
struct AiCoreParams {
  uint64_t ubSize = 0;
  uint64_t numBlocks = 0;
  uint64_t blockDim = 0;
  uint64_t aicNum = 0;
  uint64_t l1Size = 0;
  uint64_t l0aSize = 0;
  uint64_t l0bSize = 0;
  uint64_t l0cSize = 0;
};

// What a TilingParse function may keep of the processor.
struct CompileInfoCommon {
  uint32_t aivNum = 0;
  uint32_t aicNum = 0;
  uint64_t ubSize = 0;
  uint64_t l1Size = 0;
  uint64_t l2Size = 0;
  uint64_t l0aSize = 0;
  uint64_t l0bSize = 0;
  uint64_t l0cSize = 0;
  uint64_t btSize = 0;
  int32_t socVersion = static_cast<int32_t>(platform_ascendc::SocVersion::RESERVED_VERSION);
};

class TilingBaseClass {
 public:
  BASCULE_HIDDEN explicit TilingBaseClass(gert::TilingContext* context) : context_(context) {}
  virtual ~TilingBaseClass() = default;
  TilingBaseClass(const TilingBaseClass&) = delete;
  TilingBaseClass& operator=(const TilingBaseClass&) = delete;

  BASCULE_HIDDEN virtual void Reset(gert::TilingContext* context) { context_ = context; }

  // GRAPH_PARAM_INVALID: this way to plan does not fit, another may.
  BASCULE_HIDDEN ge::graphStatus DoTiling() {
    ge::graphStatus status = GetShapeAttrsInfo();
    if (status != ge::GRAPH_SUCCESS) return status;
    status = GetPlatformInfo();
    if (status != ge::GRAPH_SUCCESS) return status;
    if (!IsCapable()) return ge::GRAPH_PARAM_INVALID;
    status = DoOpTiling();
    if (status != ge::GRAPH_SUCCESS) return status;
    status = DoLibApiTiling();
    if (status != ge::GRAPH_SUCCESS) return status;
    status = GetWorkspaceSize();
    if (status != ge::GRAPH_SUCCESS) return status;
    status = PostTiling();
    if (status != ge::GRAPH_SUCCESS) return status;
    context_->SetTilingKey(GetTilingKey());
    DumpTilingInfo();
    return ge::GRAPH_SUCCESS;
  }

 protected:
  virtual bool IsCapable() = 0;
  virtual ge::graphStatus GetPlatformInfo() = 0;
  virtual ge::graphStatus GetShapeAttrsInfo() = 0;
  virtual ge::graphStatus DoOpTiling() = 0;
  virtual ge::graphStatus DoLibApiTiling() = 0;
  virtual uint64_t GetTilingKey() const = 0;
  virtual ge::graphStatus GetWorkspaceSize() = 0;
  virtual ge::graphStatus PostTiling() = 0;
  BASCULE_HIDDEN virtual void DumpTilingInfo() {}

  gert::TilingContext* context_ = nullptr;
  uint32_t blockDim_ = 0;
  uint32_t numBlocks_ = 0;
  uint64_t workspaceSize_ = 0;
  uint64_t tilingKey_ = 0;
  AiCoreParams aicoreParams_;
};

}  // namespace Base
}  // namespace Ops

#endif  // BASCULE_ASCENDC_OP_COMMON_OP_HOST_TILING_BASE_CLASS_H_
