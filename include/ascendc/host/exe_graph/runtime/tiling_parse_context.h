// What a TilingParse function reads and fills: it runs once, before the first tiling, and leaves
// what tiling finds with GetCompileInfo(). SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_EXE_GRAPH_RUNTIME_TILING_PARSE_CONTEXT_H_
#define BASCULE_ASCENDC_EXE_GRAPH_RUNTIME_TILING_PARSE_CONTEXT_H_

#include "bascule_host_base.h"
#include "graph/ge_error_codes.h"
#include "platform/platform_infos_def.h"

namespace gert {

class TilingParseContext {
 public:
  BASCULE_HIDDEN TilingParseContext(const BasculeHostCall* call, const char* type,
                                    void* compile_info)
      : name_(call->operator_name),
        type_(type),
        platform_(call->platform),
        compile_info_(compile_info) {}

  BASCULE_HIDDEN const char* GetNodeName() const { return name_; }
  BASCULE_HIDDEN const char* GetNodeType() const { return type_; }
  BASCULE_HIDDEN fe::PlatFormInfos* GetPlatformInfo() const {
    return platform_.Get() == nullptr ? nullptr : &platform_;
  }
  // What the toolkit's compiler wrote down about the operator; nothing here.
  BASCULE_HIDDEN const char* GetCompiledJson() const { return "{}"; }
  // The object to fill.
  template <typename T>
  BASCULE_HIDDEN T* GetCompiledInfo() const {
    return static_cast<T*>(compile_info_);
  }

 private:
  const char* name_;
  const char* type_;
  mutable fe::PlatFormInfos platform_;
  void* compile_info_;
};
using KernelContext = TilingParseContext;

}  // namespace gert

#endif  // BASCULE_ASCENDC_EXE_GRAPH_RUNTIME_TILING_PARSE_CONTEXT_H_
