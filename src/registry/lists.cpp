// SPDX-License-Identifier: Apache-2.0
#include "registry/lists.h"

#include <algorithm>

#include "base/error.h"
#include "registry/inference.h"

namespace bascule::registry {
namespace {

std::span<const BasculeParameterDef> Parameters(const BasculeOperatorDef& def, bool output) {
  return output ? std::span(def.outputs, def.output_count) : std::span(def.inputs, def.input_count);
}

std::string Names(std::span<const BasculeParameterDef> parameters) {
  std::string names;
  for (const BasculeParameterDef& parameter : parameters) {
    names += Join(names.empty() ? "" : ", ", parameter.name,
                  parameter.kind == BASCULE_DYNAMIC ? " (a list)" : "");
  }
  return names;
}

[[noreturn]] void Refuse(const std::string& text) { throw Error(BASCULE_INVALID_ARGUMENT, text); }

// Appends the count of each parameter to `counts`.
void Resolve(const BasculeOperatorEntry& op, bool output, size_t tensors,
             std::span<const uint32_t> given, std::vector<uint32_t>* counts) {
  const std::span<const BasculeParameterDef> parameters = Parameters(*op.def, output);
  const char* const what = output ? "output" : "input";
  if (!given.empty()) {
    if (given.size() != parameters.size()) {
      Refuse(Join(op.name, " has ", parameters.size(), " ", what, parameters.size() == 1 ? "" : "s",
                  " (", Names(parameters), "), but the numbers of tensors of ", given.size(),
                  " were passed."));
    }
    uint64_t total = 0;
    for (size_t i = 0; i < given.size(); ++i) {
      total += given[i];
      if (parameters[i].kind == BASCULE_DYNAMIC || given[i] == 1) continue;
      Refuse(Join(op.name, ": ", what, " '", parameters[i].name, "' is one tensor, not a list of ",
                  given[i], "."));
    }
    if (total != tensors) {
      Refuse(Join(op.name, ": the lists of its ", what, "s have ", total,
                  total == 1 ? " tensor" : " tensors", " together, but ", tensors,
                  tensors == 1 ? " was" : " were", " passed."));
    }
    counts->insert(counts->end(), given.begin(), given.end());
    return;
  }
  const auto dynamic = static_cast<size_t>(
      std::count_if(parameters.begin(), parameters.end(),
                    [](const BasculeParameterDef& p) { return p.kind == BASCULE_DYNAMIC; }));
  if (tensors == parameters.size()) {
    counts->insert(counts->end(), parameters.size(), 1);
    return;
  }
  if (dynamic > 1) {
    Refuse(Join(op.name, ": ", tensors, " tensors were passed for its ", what, "s (",
                Names(parameters),
                "), and nothing says how many belong to each list; pass a "
                "BasculeLists."));
  }
  if (dynamic == 0 || tensors + 1 < parameters.size()) {
    const size_t wanted = parameters.size() - dynamic;
    Refuse(Join(op.name, output ? " has " : " takes ", wanted, dynamic != 0 ? " or more" : "", " ",
                what, wanted == 1 ? "" : "s", " (", Names(parameters), "), but ", tensors,
                tensors == 1 ? " was" : " were", " passed."));
  }
  for (const BasculeParameterDef& parameter : parameters) {
    counts->push_back(parameter.kind == BASCULE_DYNAMIC
                          ? static_cast<uint32_t>(tensors + 1 - parameters.size())
                          : 1);
  }
}

std::string NameOf(std::span<const BasculeParameterDef> parameters,
                   std::span<const uint32_t> counts, std::span<const uint32_t> owners,
                   size_t tensor) {
  if (counts.empty()) return parameters[tensor].name;
  const uint32_t owner = owners[tensor];
  if (parameters[owner].kind != BASCULE_DYNAMIC) return parameters[owner].name;
  size_t first = tensor;
  while (first > 0 && owners[first - 1] == owner) --first;
  return Join(parameters[owner].name, "[", tensor - first, "]");
}

}  // namespace

bool IsDynamic(const BasculeOperatorDef& def) {
  const auto dynamic = [](const BasculeParameterDef& p) { return p.kind == BASCULE_DYNAMIC; };
  return std::any_of(def.inputs, def.inputs + def.input_count, dynamic) ||
         std::any_of(def.outputs, def.outputs + def.output_count, dynamic);
}

Lists Lists::Of(const BasculeOperatorEntry& op, size_t inputs, size_t outputs,
                const Counts& given) {
  const BasculeOperatorDef& def = *op.def;
  Lists lists;
  const bool dynamic = IsDynamic(def);
  if (!dynamic && given.inputs.empty() && given.outputs.empty()) {
    CheckCounts(op, inputs, outputs);
    return lists;
  }
  lists.input_parameters_ = def.input_count;
  Resolve(op, false, inputs, given.inputs, &lists.counts_);
  Resolve(op, true, outputs, given.outputs, &lists.counts_);
  if (!dynamic) return {};
  const auto own = [](std::span<const uint32_t> counts, std::vector<uint32_t>* owners) {
    for (uint32_t i = 0; i < counts.size(); ++i) owners->insert(owners->end(), counts[i], i);
  };
  own(lists.input_counts(), &lists.inputs_);
  own(lists.output_counts(), &lists.outputs_);
  return lists;
}

std::string Lists::InputName(const BasculeOperatorDef& def, size_t tensor) const {
  return NameOf(Parameters(def, false), counts_, inputs_, tensor);
}

std::string Lists::OutputName(const BasculeOperatorDef& def, size_t tensor) const {
  return NameOf(Parameters(def, true), counts_, outputs_, tensor);
}

}  // namespace bascule::registry
