// What host functions know of a tensor besides its shape.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_EXE_GRAPH_RUNTIME_COMPUTE_NODE_INFO_H_
#define BASCULE_ASCENDC_EXE_GRAPH_RUNTIME_COMPUTE_NODE_INFO_H_

#include "bascule_host_base.h"
#include "graph/types.h"

namespace gert {

class StorageFormat {
 public:
  BASCULE_HIDDEN explicit StorageFormat(ge::Format format = ge::FORMAT_ND)
      : origin_(format), storage_(format) {}
  BASCULE_HIDDEN ge::Format GetOriginFormat() const { return origin_; }
  BASCULE_HIDDEN ge::Format GetStorageFormat() const { return storage_; }

 private:
  ge::Format origin_;
  ge::Format storage_;
};

class CompileTimeTensorDesc {
 public:
  BASCULE_HIDDEN CompileTimeTensorDesc(ge::DataType dtype, ge::Format format)
      : dtype_(dtype), format_(format) {}
  // ge::DT_UNDEFINED: not known yet.
  BASCULE_HIDDEN ge::DataType GetDataType() const { return dtype_; }
  BASCULE_HIDDEN const StorageFormat& GetFormat() const { return format_; }
  BASCULE_HIDDEN ge::Format GetOriginFormat() const { return format_.GetOriginFormat(); }
  BASCULE_HIDDEN ge::Format GetStorageFormat() const { return format_.GetStorageFormat(); }

 private:
  ge::DataType dtype_;
  StorageFormat format_;
};

}  // namespace gert

#endif  // BASCULE_ASCENDC_EXE_GRAPH_RUNTIME_COMPUTE_NODE_INFO_H_
