// SPDX-License-Identifier: Apache-2.0
#include "toolchain/reference.h"

#include <algorithm>

#include "base/error.h"
#include "toolchain/python_source.h"

namespace bascule::toolchain {
namespace {

[[noreturn]] void Fail(std::size_t line, const std::string& text) {
  throw Error(BASCULE_BUILD_ERROR, line == 0 ? Join(kReferenceFile, ": ", text)
                                             : Join(kReferenceFile, ":", line, ": ", text));
}

std::string Expected(const ReferenceSignature& signature) {
  std::string text = "def " + signature.operator_name + "_reference(";
  for (std::size_t i = 0; i < signature.inputs.size(); ++i) {
    text += (i == 0 ? "" : ", ") + signature.inputs[i];
  }
  return text + "):";
}

bool IsAllowed(const std::string& module) {
  return module == "numpy" || module.starts_with("numpy.") || module == "math";
}

// The operator that a function called <name>_reference or <name>_cases belongs to; "" for another.
std::string OwnerOf(const std::string& function, const std::string& role,
                    const std::vector<ReferenceSignature>& operators) {
  if (function == role && operators.size() == 1) return operators[0].operator_name;
  const std::string suffix = "_" + role;
  if (function.size() <= suffix.size() || !function.ends_with(suffix)) return "";
  return function.substr(0, function.size() - suffix.size());
}

}  // namespace

std::map<std::string, ReferenceFunctions> CheckReference(
    const std::string& text, const std::vector<ReferenceSignature>& operators) {
  const PythonSource source = ScanPython(text);
  for (const PythonSource::Import& import : source.imports) {
    if (IsAllowed(import.module)) continue;
    Fail(import.line, "imports " + import.module +
                          "; a reference may import numpy and math only, because it travels with "
                          "the library");
  }
  std::map<std::string, ReferenceFunctions> found;
  for (const std::string role : {"reference", "cases"}) {
    for (const PythonSource::Function& function : source.functions) {
      const std::string owner = OwnerOf(function.name, role, operators);
      if (owner.empty()) continue;
      const auto match = std::find_if(operators.begin(), operators.end(),
                                      [&](const auto& op) { return op.operator_name == owner; });
      if (match == operators.end()) {
        Fail(function.line, "defines " + function.name + ", but there is no operator " + owner +
                                "; expected `" + Expected(operators.at(0)) + "`");
      }
      const std::size_t wanted = role == "cases" ? 0 : match->inputs.size();
      if (function.arguments != wanted) {
        Fail(function.line,
             Join(function.name, " takes ", function.arguments, " arguments; expected ", wanted,
                  role == "cases" ? std::string(", as in `def ") + owner + "_cases():`"
                                  : ", the operator's inputs, as in `" + Expected(*match) + "`"));
      }
      (role == "cases" ? found[owner].cases : found[owner].reference) = function.name;
    }
  }
  for (const auto& [owner, functions] : found) {
    if (!functions.reference.empty()) continue;
    Fail(0, "defines " + functions.cases + ", but no reference for " + owner);
  }
  if (found.empty()) {
    Fail(0, "defines no reference; expected `" + Expected(operators.at(0)) + "`");
  }
  return found;
}

}  // namespace bascule::toolchain
