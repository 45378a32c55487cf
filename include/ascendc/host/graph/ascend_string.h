// A string whose layout does not depend on the C++ library's ABI; names of operators and
// parameters. SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_GRAPH_ASCEND_STRING_H_
#define BASCULE_ASCENDC_GRAPH_ASCEND_STRING_H_

#include <cstddef>
#include <string>

#include "bascule_host_base.h"

namespace ge {

class AscendString {
 public:
  AscendString() = default;
  BASCULE_HIDDEN AscendString(const char* name) : text_(name == nullptr ? "" : name) {}
  BASCULE_HIDDEN const char* GetString() const { return text_.c_str(); }
  BASCULE_HIDDEN size_t GetLength() const { return text_.size(); }
  BASCULE_HIDDEN bool operator==(const AscendString& other) const { return text_ == other.text_; }
  BASCULE_HIDDEN bool operator!=(const AscendString& other) const { return text_ != other.text_; }
  BASCULE_HIDDEN bool operator<(const AscendString& other) const { return text_ < other.text_; }

 private:
  std::string text_;
};

}  // namespace ge

#endif  // BASCULE_ASCENDC_GRAPH_ASCEND_STRING_H_
