// A tensor's format as the user gave it and as it is stored.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_EXE_GRAPH_RUNTIME_STORAGE_FORMAT_H_
#define BASCULE_ASCENDC_EXE_GRAPH_RUNTIME_STORAGE_FORMAT_H_

#include <cstdint>

#include "bascule_host_base.h"
#include "graph/types.h"

namespace gert {

// Which dimensions were added to reach a format's rank; none are here.
class ExpandDimsType {
 public:
  BASCULE_HIDDEN ExpandDimsType() = default;
  BASCULE_HIDDEN explicit ExpandDimsType(const int64_t&) {}
  BASCULE_HIDDEN uint64_t GetFullSize() const { return 0; }
  BASCULE_HIDDEN bool IsExpandIndex(uint64_t) const { return false; }
  BASCULE_HIDDEN bool operator==(const ExpandDimsType&) const { return true; }
};

class StorageFormat {
 public:
  BASCULE_HIDDEN explicit StorageFormat(ge::Format format = ge::FORMAT_ND)
      : origin_(format), storage_(format) {}
  BASCULE_HIDDEN StorageFormat(ge::Format origin, ge::Format storage, const ExpandDimsType&)
      : origin_(origin), storage_(storage) {}
  BASCULE_HIDDEN ge::Format GetOriginFormat() const { return origin_; }
  BASCULE_HIDDEN ge::Format GetStorageFormat() const { return storage_; }
  BASCULE_HIDDEN void SetOriginFormat(ge::Format format) { origin_ = format; }
  BASCULE_HIDDEN void SetStorageFormat(ge::Format format) { storage_ = format; }
  BASCULE_HIDDEN ExpandDimsType GetExpandDimsType() const { return ExpandDimsType(); }
  BASCULE_HIDDEN bool operator==(const StorageFormat& other) const {
    return origin_ == other.origin_ && storage_ == other.storage_;
  }
  BASCULE_HIDDEN bool operator!=(const StorageFormat& other) const { return !(*this == other); }

 private:
  ge::Format origin_;
  ge::Format storage_;
};

}  // namespace gert

#endif  // BASCULE_ASCENDC_EXE_GRAPH_RUNTIME_STORAGE_FORMAT_H_
