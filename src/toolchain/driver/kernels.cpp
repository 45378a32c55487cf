// SPDX-License-Identifier: Apache-2.0
#include "toolchain/driver/kernels.h"

#include <optional>

namespace bascule::toolchain {
namespace {

class Finder {
 public:
  Finder(std::string_view text, const TokenRun& run) : text_(text), run_(run) {}

  std::vector<DeclaredKernel> Run() const {
    std::vector<DeclaredKernel> found;
    for (uint32_t i = 0; i < run_.tokens.size(); ++i) {
      // A rewritten text has the second where the kernel says its cores.
      if (!Is(i, "__global__") && !Is(i, "__kernel__")) continue;
      const std::optional<uint32_t> parameters = Parameters(i);
      if (!parameters) continue;
      DeclaredKernel kernel;
      kernel.name = Text(*parameters - 1);
      kernel.is_global = true;
      kernel.cores = Cores(i);
      uint32_t begin = i;
      while (begin != 0 && !Is(begin - 1, ";") && !Is(begin - 1, "{") && !Is(begin - 1, "}")) {
        --begin;
        if (Is(begin, "static")) kernel.is_global = false;
        if (Is(begin, "template") && Is(begin + 1, "<")) {
          kernel.is_template = true;
          kernel.required = Required(begin + 1);
        }
      }
      if (InNamespace(begin)) kernel.is_global = false;
      const uint32_t end = run_.partner[*parameters];
      kernel.is_defined = end != kNoToken && Is(end + 1, "{");
      found.push_back(kernel);
    }
    return found;
  }

  std::vector<uint32_t> Qualified() const {
    std::vector<uint32_t> found;
    for (uint32_t i = 0; i < run_.tokens.size(); ++i) {
      if (Is(i, "__global__") && !Cores(i).empty()) found.push_back(i);
    }
    return found;
  }

 private:
  // Words that stand beside `__global__` in any order.
  bool IsSpecifier(uint32_t i) const {
    return Is(i, "__aicore__") || Is(i, "inline") || Is(i, "__inline__") || Is(i, "static") ||
           Is(i, "extern") || (i < run_.tokens.size() && Text(i).front() == '"');
  }
  bool IsCores(uint32_t i) const {
    return Is(i, "__cube__") || Is(i, "__vector__") || Is(i, "__mix__");
  }
  std::string_view CoresAt(uint32_t i) const {
    uint32_t end = i;
    if (Is(i, "__mix__") && Is(i + 1, "(") && run_.partner[i + 1] != kNoToken)
      end = run_.partner[i + 1];
    const Token& last = run_.tokens[end];
    return text_.substr(run_.tokens[i].begin, last.begin + last.length - run_.tokens[i].begin);
  }

  // What says beside the `__global__` at token i which cores it is for.
  std::string_view Cores(uint32_t i) const {
    for (uint32_t at = i + 1; at < run_.tokens.size(); ++at) {
      if (IsCores(at)) return CoresAt(at);
      if (Is(at, "(") && Is(at - 1, "__schedmode__") && run_.partner[at] != kNoToken) {
        at = run_.partner[at];
      } else if (!IsSpecifier(at) && !Is(at, "__schedmode__")) {
        break;
      }
    }
    for (uint32_t at = i; at-- != 0;) {
      if (IsCores(at)) return CoresAt(at);
      if (Is(at, ")") && run_.partner[at] != kNoToken && run_.partner[at] != 0) {
        at = run_.partner[at] - 1;
        if (IsCores(at)) return CoresAt(at);
        if (!Is(at, "__schedmode__")) break;
      } else if (!IsSpecifier(at)) {
        break;
      }
    }
    return {};
  }

  std::string_view Text(uint32_t i) const {
    return text_.substr(run_.tokens[i].begin, run_.tokens[i].length);
  }
  bool Is(uint32_t i, std::string_view what) const {
    return i < run_.tokens.size() && Text(i) == what;
  }

  // The parenthesis behind the kernel's name: the first that belongs to no attribute.
  std::optional<uint32_t> Parameters(uint32_t i) const {
    while (++i < run_.tokens.size()) {
      if (Is(i, ";") || Is(i, "{")) return std::nullopt;
      if (!Is(i, "(")) continue;
      if (Text(i - 1).substr(0, 2) != "__") return i;
      if (run_.partner[i] == kNoToken) return std::nullopt;
      i = run_.partner[i];
    }
    return std::nullopt;
  }

  // Whether a brace around token i is other than that of `extern "C" {`.
  bool InNamespace(uint32_t i) const {
    while (i-- != 0) {
      if (run_.partner[i] == kNoToken) continue;
      if (run_.partner[i] < i) {
        i = run_.partner[i];
      } else if (Is(i, "{") && (i < 2 || !Is(i - 2, "extern"))) {
        return true;
      }
    }
    return false;
  }

  // Parameters without a default in the list that begins with the `<` at token `list`.
  uint32_t Required(uint32_t list) const {
    uint32_t count = 0;
    uint32_t depth = 0;
    bool empty = true;
    bool optional = false;
    for (uint32_t i = list + 1; i < run_.tokens.size(); ++i) {
      if (run_.partner[i] != kNoToken && run_.partner[i] > i) {
        i = run_.partner[i];
      } else if (Is(i, "<")) {
        ++depth;
      } else if (depth == 0 && (Is(i, ",") || Is(i, ">"))) {
        if (!empty && !optional) ++count;
        if (Is(i, ">")) break;
        optional = false;
      } else if (Is(i, ">")) {
        --depth;
      } else if (depth == 0 && (Is(i, "=") || Is(i, "."))) {
        optional = true;  // a pack is, too
      }
      empty = false;
    }
    return count;
  }

  std::string_view text_;
  const TokenRun& run_;
};

}  // namespace

std::vector<DeclaredKernel> FindKernels(std::string_view text, const TokenRun& run) {
  return Finder(text, run).Run();
}

std::vector<uint32_t> FindQualifiedKernels(std::string_view text, const TokenRun& run) {
  return Finder(text, run).Qualified();
}

}  // namespace bascule::toolchain
