// SPDX-License-Identifier: Apache-2.0
#include "toolchain/gradient.h"

#include <algorithm>
#include <string_view>

#include "base/error.h"
#include "toolchain/python_source.h"

namespace bascule::toolchain {
namespace {

// What a file may define for an operator: <name>_bprop, or just bprop in a project with one
// operator.
constexpr const char* kBprop = "bprop";
constexpr const char* kSaved = "saved";
constexpr const char* kRecompute = "recompute";
constexpr std::string_view kNone = "none:";

std::string Expected(const GradientSignature& signature) {
  std::string text = "def " + signature.operator_name + "_" + kBprop + "(";
  for (std::size_t i = 0; i < signature.parameters.size(); ++i) {
    text += (i == 0 ? "" : ", ") + signature.parameters[i];
  }
  return text + "):";
}

[[noreturn]] void Fail(std::size_t line, const std::string& text) {
  throw Error(BASCULE_BUILD_ERROR, line == 0 ? Join(kGradientFile, ": ", text)
                                             : Join(kGradientFile, ":", line, ": ", text));
}

std::string Listed(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::string Counted(std::size_t count, const char* noun) {
  return Join(count, " ", noun, count == 1 ? "" : "s");
}

// The operator that `name` says something of, in the role "bprop", …; null: it does not.
template <typename Operators>
auto Owner(const std::string& name, const std::string& role, std::size_t line, Operators& operators)
    -> decltype(operators.data()) {
  const bool is_short = name == role && operators.size() == 1;
  const std::string suffix = "_" + role;
  if (!is_short && (name.size() <= suffix.size() || !name.ends_with(suffix))) return nullptr;
  const std::string owner =
      is_short ? operators[0].operator_name : name.substr(0, name.size() - suffix.size());
  const auto match = std::find_if(operators.begin(), operators.end(), [&](const auto& signature) {
    return signature.operator_name == owner;
  });
  if (match == operators.end()) {
    Fail(line, "defines " + name + ", but there is no operator " + owner + "; expected `" +
                   Expected(operators.at(0)) + "`");
  }
  return &*match;
}

// What `<name>_saved` says becomes part of the signature: the saved outputs are no results, so they
// have no gradients.
void ReadSaved(const PythonSource::Assignment& declared, GradientSignature* op) {
  const std::vector<std::string>& outputs = op->outputs;
  const std::vector<std::string>& saved = declared.texts;
  const auto wanted = [&] {
    return Join("; expected the last outputs of ", op->operator_name, ", as in ", declared.name,
                " = (\"", outputs.back(), "\",). It has: ", Listed(outputs));
  };
  if (saved.empty() || declared.rest.find_first_not_of("()[],") != std::string::npos) {
    Fail(declared.line, Join(declared.name, " is no list of texts", wanted()));
  }
  for (const std::string& name : saved) {
    if (std::find(outputs.begin(), outputs.end(), name) != outputs.end()) continue;
    Fail(declared.line, Join(declared.name, " names ", name, ", which is no output", wanted()));
  }
  if (saved.size() >= outputs.size()) {
    Fail(declared.line, Join(declared.name, " names every output, and leaves no result", wanted()));
  }
  if (!std::equal(saved.rbegin(), saved.rend(), outputs.rbegin())) {
    Fail(declared.line, Join(declared.name, " is ", Listed(saved),
                             ", which are not the last outputs in their order", wanted()));
  }
  op->saved = saved;
  op->parameters.resize(op->inputs.size() + outputs.size());
  for (std::size_t i = 0; i + saved.size() < outputs.size(); ++i) {
    op->parameters.push_back("d" + outputs[i]);
  }
}

// An operator that computes the gradients of another takes some of what a function would, by name,
// and gives one gradient for each input.
void CheckBackward(const GradientSignature& forward, const PythonSource::Text& declared,
                   const std::vector<GradientSignature>& operators) {
  std::vector<std::string> names;
  for (const GradientSignature& other : operators) names.push_back(other.operator_name);
  const auto match = std::find(names.begin(), names.end(), declared.value);
  if (match == names.end() || declared.value == forward.operator_name) {
    Fail(declared.line, Join(declared.name, " is \"", declared.value,
                             "\", which is no other operator of this project; it has ",
                             Listed(names), ". An operator without gradient says \"none: why\""));
  }
  const GradientSignature& backward = operators[static_cast<std::size_t>(match - names.begin())];
  for (const std::string& input : backward.inputs) {
    if (std::find(forward.parameters.begin(), forward.parameters.end(), input) !=
        forward.parameters.end()) {
      continue;
    }
    Fail(declared.line,
         Join(backward.operator_name, " cannot be the gradient of ", forward.operator_name,
              ": its input ", input, " is none of ", Listed(forward.parameters)));
  }
  if (backward.outputs.size() != forward.inputs.size()) {
    Fail(declared.line,
         Join(backward.operator_name, " cannot be the gradient of ", forward.operator_name,
              ": it has ", Counted(backward.outputs.size(), "output"), " for ",
              Counted(forward.inputs.size(), "input"), ", ", Listed(forward.inputs)));
  }
}

}  // namespace

GradientSignature MakeGradientSignature(const std::string& operator_name,
                                        const std::vector<std::string>& inputs,
                                        const std::vector<std::string>& outputs) {
  GradientSignature signature{operator_name, inputs, inputs, outputs, {}};
  for (const std::string& output : outputs) signature.parameters.push_back(output);
  for (const std::string& output : outputs) signature.parameters.push_back("d" + output);
  return signature;
}

std::map<std::string, GradientRule> CheckGradient(const std::string& text,
                                                  std::vector<GradientSignature> operators) {
  const PythonSource source = ScanPython(text);
  for (const PythonSource::Import& import : source.imports) {
    if (import.module == "bascule.xp") continue;
    Fail(import.line,
         "imports " + import.module +
             "; a gradient may import bascule.xp only, because it is bound to every framework");
  }
  std::map<std::string, std::size_t> sayings;  // the lines that say how gradients are made
  std::map<std::string, bool> recompute;
  for (const PythonSource::Assignment& declared : source.assignments) {
    if (auto* owner = Owner(declared.name, kSaved, declared.line, operators)) {
      ReadSaved(declared, owner);
      sayings[owner->operator_name] = declared.line;
    } else if (auto* other = Owner(declared.name, kRecompute, declared.line, operators)) {
      if (!declared.texts.empty() || (declared.rest != "True" && declared.rest != "False")) {
        Fail(declared.line, declared.name + " is True or False");
      }
      recompute[other->operator_name] = declared.rest == "True";
      sayings[other->operator_name] = declared.line;
    }
  }
  std::map<std::string, GradientRule> found;
  for (const PythonSource::Function& function : source.functions) {
    const GradientSignature* owner = Owner(function.name, kBprop, function.line, operators);
    if (owner == nullptr) continue;
    const bool tuples = owner->outputs.size() > 1 && owner->saved.empty() &&
                        function.arguments == owner->inputs.size() + 2;
    if (!tuples && function.arguments != owner->parameters.size()) {
      Fail(function.line,
           Join(function.name, " takes ", function.arguments, " arguments; expected ",
                owner->parameters.size(), ", as in `", Expected(*owner), "`"));
    }
    found[owner->operator_name] = {GradientRule::kFunction, function.name, {}};
  }
  for (const PythonSource::Text& declared : source.texts) {
    const GradientSignature* owner = Owner(declared.name, kBprop, declared.line, operators);
    if (owner == nullptr) continue;
    if (declared.value.starts_with(kNone)) {
      std::string reason = declared.value.substr(kNone.size());
      reason.erase(0, reason.find_first_not_of(' '));
      if (reason.empty()) {
        Fail(declared.line, declared.name + " says none without a reason; write \"none: why\"");
      }
      found[owner->operator_name] = {GradientRule::kNone, reason, {}};
      continue;
    }
    CheckBackward(*owner, declared, operators);
    found[owner->operator_name] = {GradientRule::kOperator, declared.value, {}};
  }
  if (found.empty()) {
    Fail(0, "defines no gradient; expected `" + Expected(operators.at(0)) + "`");
  }
  for (const auto& [name, line] : sayings) {
    const auto rule = found.find(name);
    if (rule == found.end() || rule->second.kind == GradientRule::kNone) {
      Fail(line, "says how the gradient of " + name + " gets its outputs, and there is none");
    }
  }
  for (auto& entry : found) {  // named parts of it clang 14 does not capture
    const auto op = std::find_if(operators.begin(), operators.end(), [&](const auto& signature) {
      return signature.operator_name == entry.first;
    });
    entry.second.saved = op->saved;
    entry.second.recompute = recompute[entry.first];
  }
  return found;
}

}  // namespace bascule::toolchain
