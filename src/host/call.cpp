// SPDX-License-Identifier: Apache-2.0
#include "host/call.h"

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "base/dtype.h"
#include "base/error.h"
#include "engine/launch.h"
#include "engine/platform.h"
#include "host/kernel_call.h"
#include "host/launch.h"
#include "host/tensors.h"
#include "registry/inference.h"

namespace bascule::host {
namespace {

// An error's "my_mul: input 'x'".
std::string Subject(const Operator& op, bool input, size_t i) {
  const BasculeOperatorDef& def = *op.entry->def;
  return Join(op.entry->name, ": ", input ? "input '" : "output '",
              input ? def.inputs[i].name : def.outputs[i].name, "'");
}

BasculeTensorInfo Describe(const Operator& op, const BasculeTensor* tensor, bool input, size_t i) {
  if (tensor != nullptr) {
    return DescribeTensor(*tensor, [&] { return Subject(op, input, i); });
  }
  if (!input) throw Error(BASCULE_INVALID_ARGUMENT, Join(Subject(op, input, i), " is null."));
  BasculeTensorInfo info = {};
  info.dtype = -1;
  return info;
}

void CheckOutput(const Operator& op, size_t i, const BasculeTensorInfo& wanted,
                 const BasculeTensorInfo& came) {
  if (came.dtype != wanted.dtype) {
    throw Error(BASCULE_INVALID_ARGUMENT,
                Join(Subject(op, false, i), " has to be ", DTypeName(wanted.dtype),
                     " for these inputs, but it is ", DTypeName(came.dtype), "."));
  }
  if (!registry::SameShape(came.shape, wanted.shape)) {
    throw Error(
        BASCULE_INVALID_ARGUMENT,
        Join(Subject(op, false, i), " has to have shape ", registry::ShapeText(wanted.shape),
             " for these inputs, but it has ", registry::ShapeText(came.shape), "."));
  }
}

}  // namespace

void Call(Operator& op, std::span<const BasculeTensor* const> inputs,
          std::span<BasculeTensor* const> outputs, std::span<const BasculeAttribute> attributes) {
  if (op.kernel != nullptr) {
    if (!attributes.empty()) {
      throw Error(BASCULE_INVALID_ARGUMENT,
                  Join(op.entry->name, " is a lone kernel and has no attribute '",
                       attributes.front().name, "'; it takes tensors only."));
    }
    CallKernel(op, inputs, outputs);
    return;
  }
  const BasculeOperatorEntry& entry = *op.entry;
  const BasculeOperatorDef& def = *entry.def;
  if (inputs.size() + outputs.size() > kMaxTensors) {
    throw Error(BASCULE_UNSUPPORTED,
                Join(entry.name, ": a call takes at most ", kMaxTensors, " tensors, ",
                     inputs.size() + outputs.size(), " were passed."));
  }
  registry::CheckCounts(entry, inputs.size(), outputs.size());

  Key key;
  std::array<BasculeTensorInfo, kMaxTensors> infos;
  for (size_t i = 0; i < inputs.size(); ++i) {
    infos[i] = Describe(op, inputs[i], true, i);
    key.Add(infos[i]);
  }
  std::vector<BasculeAttribute> complete;
  if (def.attribute_count != 0 || !attributes.empty()) {
    complete = registry::CompleteAttributes(entry, attributes);
    for (const BasculeAttribute& attribute : complete) key.Add(attribute);
  }
  const std::span<const BasculeTensorInfo> input_infos(infos.data(), inputs.size());
  std::shared_ptr<registry::CachedPlan> cached = op.plans.Find(key.Words());
  if (cached == nullptr) {
    cached = op.plans.Insert(
        key.Words(), registry::MakePlan(entry, engine::Ascend910B(), input_infos, complete));
  }
  const registry::Plan& plan = cached->plan;

  // Dense views of all tensors.
  std::array<Argument, kMaxTensors> arguments;
  std::array<engine::GlobalInterval, kMaxTensors + 2> intervals;
  size_t interval_count = 0;
  uint64_t total_bytes = 0;
  KernelCall kernel = {plan.variant->entry, {}, 0};
  for (size_t i = 0; i < inputs.size(); ++i) {
    Argument& argument = arguments[i];
    argument.tensor = inputs[i];
    if (inputs[i] == nullptr) {
      kernel.arguments[kernel.count++] = nullptr;
      continue;
    }
    const DTypeInfo& dtype = *FindDType(infos[i].dtype);
    const uint64_t element = dtype.bits / 8;
    const uint64_t count = static_cast<uint64_t>(
        registry::ElementCount(infos[i].shape, entry.name, def.inputs[i].name));
    argument.bytes = count * element;
    argument.data = DataOf(*inputs[i]);
    if (argument.bytes != 0 && inputs[i]->data == nullptr) {
      throw Error(BASCULE_INVALID_ARGUMENT, Join(Subject(op, true, i), " has no data."));
    }
    if (!Dense(*inputs[i])) {
      argument.packed = Allocate(argument.bytes, entry.name, "a packed input");
      Pack(*inputs[i], argument.bytes, argument.packed.get());
      argument.data = argument.packed.get();
    }
    total_bytes += argument.bytes;
    kernel.arguments[kernel.count++] = argument.data;
    const uint64_t begin = reinterpret_cast<uint64_t>(argument.data);
    intervals[interval_count++] = {begin, begin + argument.bytes, BASCULE_READ, def.inputs[i].name};
  }
  bool empty = true;
  for (size_t i = 0; i < outputs.size(); ++i) {
    Argument& argument = arguments[inputs.size() + i];
    argument.tensor = outputs[i];
    const BasculeTensorInfo came = Describe(op, outputs[i], false, i);
    CheckOutput(op, i, plan.outputs[i], came);
    const uint64_t element = FindDType(came.dtype)->bits / 8;
    const uint64_t count =
        static_cast<uint64_t>(registry::ElementCount(came.shape, entry.name, def.outputs[i].name));
    argument.bytes = count * element;
    argument.data = DataOf(*outputs[i]);
    if (argument.bytes == 0) {
      kernel.arguments[kernel.count++] = argument.data;
      continue;
    }
    empty = false;
    if (outputs[i]->data == nullptr) {
      throw Error(BASCULE_INVALID_ARGUMENT, Join(Subject(op, false, i), " has no data."));
    }
    const auto [begin, end] = Reach(*outputs[i], argument.bytes);
    for (size_t j = 0; j < inputs.size() + i; ++j) {
      if (arguments[j].tensor == nullptr || arguments[j].bytes == 0) continue;
      const bool other_input = j < inputs.size();
      const BasculeTensor& other = *arguments[j].tensor;
      const auto [other_begin, other_end] = Reach(other, arguments[j].bytes);
      if (begin < other_end && other_begin < end) {
        throw Error(BASCULE_INVALID_ARGUMENT,
                    Join(Subject(op, false, i), " overlaps ", other_input ? "input '" : "output '",
                         other_input ? def.inputs[j].name : def.outputs[j - inputs.size()].name,
                         "' in memory; an output needs memory of its own."));
      }
    }
    if (!Dense(*outputs[i])) {
      argument.packed = Allocate(argument.bytes, entry.name, "a packed output");
      argument.data = argument.packed.get();
    }
    total_bytes += argument.bytes;
    kernel.arguments[kernel.count++] = argument.data;
    const uint64_t at = reinterpret_cast<uint64_t>(argument.data);
    intervals[interval_count++] = {at, at + argument.bytes, BASCULE_READ | BASCULE_WRITE,
                                   def.outputs[i].name};
  }
  if (empty) return;  // nothing to compute, and nothing left undefined

  Memory workspace;
  if (plan.workspace_bytes != 0) {
    workspace = Allocate(plan.workspace_bytes, entry.name, "workspace");
    const uint64_t at = reinterpret_cast<uint64_t>(workspace.get());
    intervals[interval_count++] = {at, at + plan.workspace_bytes, BASCULE_READ | BASCULE_WRITE,
                                   "workspace"};
  }
  kernel.arguments[kernel.count++] = workspace.get();
  kernel.arguments[kernel.count++] = const_cast<uint64_t*>(plan.tiling_data.data());
  if (plan.tiling_bytes != 0) {
    const uint64_t at = reinterpret_cast<uint64_t>(plan.tiling_data.data());
    intervals[interval_count++] = {at, at + plan.tiling_bytes, BASCULE_READ, "tiling"};
  }
  std::sort(intervals.begin(), intervals.begin() + static_cast<ptrdiff_t>(interval_count),
            [](const engine::GlobalInterval& a, const engine::GlobalInterval& b) {
              return a.begin < b.begin;
            });

  engine::LaunchRequest request;
  request.kernel = entry.name;
  request.invoke = Invoke;
  request.closure = &kernel;
  request.block_count = plan.block_count;
  request.kernel_type =
      KernelTypeOf(reinterpret_cast<const void*>(plan.variant->entry), plan.variant->kind);
  request.tiling_key = plan.tiling_key;
  request.platform = &engine::Ascend910B();
  request.globals = std::span<const engine::GlobalInterval>(intervals.data(), interval_count);
  request.bytes = total_bytes;
  if (infos[0].present != 0 && !inputs.empty()) {
    const uint32_t element_bytes = FindDType(infos[0].dtype)->bits / 8;
    request.first_elements = element_bytes != 0 ? arguments[0].bytes / element_bytes : 0;
    request.first_element_bytes = element_bytes;
  }
  Launch(request, cached->launch_ns);

  for (size_t i = 0; i < outputs.size(); ++i) {
    Argument& argument = arguments[inputs.size() + i];
    if (argument.packed == nullptr) continue;
    Unpack(argument.packed.get(), argument.bytes, *argument.tensor);
  }
}

}  // namespace bascule::host
