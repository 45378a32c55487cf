// SPDX-License-Identifier: Apache-2.0
#include "toolchain/gradient.h"

#include <algorithm>
#include <string_view>

#include "base/error.h"
#include "toolchain/python_source.h"

namespace bascule::toolchain {
namespace {

constexpr std::string_view kSuffix = "_bprop";
// How a project with one operator may call its gradient.
constexpr std::string_view kShortName = "bprop";

std::string Expected(const GradientSignature& signature) {
  std::string text = "def " + signature.operator_name + std::string(kSuffix) + "(";
  for (std::size_t i = 0; i < signature.parameters.size(); ++i) {
    text += (i == 0 ? "" : ", ") + signature.parameters[i];
  }
  return text + "):";
}

[[noreturn]] void Fail(std::size_t line, const std::string& text) {
  throw Error(BASCULE_BUILD_ERROR, line == 0 ? Join(kGradientFile, ": ", text)
                                             : Join(kGradientFile, ":", line, ": ", text));
}

}  // namespace

GradientSignature MakeGradientSignature(const std::string& operator_name,
                                        const std::vector<std::string>& inputs,
                                        const std::vector<std::string>& outputs) {
  GradientSignature signature{operator_name, inputs};
  for (const std::string& output : outputs) signature.parameters.push_back(output);
  for (const std::string& output : outputs) signature.parameters.push_back("d" + output);
  return signature;
}

std::map<std::string, std::string> CheckGradient(const std::string& text,
                                                 const std::vector<GradientSignature>& operators) {
  const PythonSource source = ScanPython(text);
  for (const PythonSource::Import& import : source.imports) {
    if (import.module == "bascule.xp") continue;
    Fail(import.line,
         "imports " + import.module +
             "; a gradient may import bascule.xp only, because it is bound to every framework");
  }
  std::map<std::string, std::string> found;
  for (const PythonSource::Function& function : source.functions) {
    const std::string& name = function.name;
    const bool is_short = name == kShortName && operators.size() == 1;
    if (!is_short && (name.size() <= kSuffix.size() || !name.ends_with(kSuffix))) continue;
    const std::string owner =
        is_short ? operators[0].operator_name : name.substr(0, name.size() - kSuffix.size());
    const auto match = std::find_if(operators.begin(), operators.end(), [&](const auto& signature) {
      return signature.operator_name == owner;
    });
    if (match == operators.end()) {
      Fail(function.line, "defines " + name + ", but there is no operator " + owner +
                              "; expected `" + Expected(operators.at(0)) + "`");
    }
    if (function.arguments != match->parameters.size()) {
      Fail(function.line, Join(name, " takes ", function.arguments, " arguments; expected ",
                               match->parameters.size(), ", as in `", Expected(*match), "`"));
    }
    found[owner] = name;
  }
  if (found.empty()) {
    Fail(0, "defines no gradient; expected `" + Expected(operators.at(0)) + "`");
  }
  return found;
}

}  // namespace bascule::toolchain
