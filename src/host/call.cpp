// SPDX-License-Identifier: Apache-2.0
#include "host/call.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <vector>

#include "bascule/numeric/bfloat16.h"
#include "bascule/numeric/half.h"
#include "base/dtype.h"
#include "base/error.h"
#include "engine/launch.h"
#include "engine/platform.h"
#include "host/function.h"
#include "host/huge_pages.h"
#include "host/kernel_call.h"
#include "host/launch.h"
#include "host/plan_limits.h"
#include "host/plans.h"
#include "host/tensors.h"
#include "host/workspace.h"
#include "registry/inference.h"

namespace bascule::host {
namespace {

// An error's "my_mul: input 'x'".
std::string Subject(const Operator& op, bool input, size_t i) {
  const BasculeOperatorDef& def = *op.entry->def;
  return Join(op.entry->name, ": ", input ? "input '" : "output '",
              input ? def.inputs[i].name : def.outputs[i].name, "'");
}

std::string ShapeOf(int64_t rank, const int64_t* dims) {
  BasculeShape shape = {};
  shape.rank = rank;
  std::copy_n(dims, rank, shape.dims);
  return registry::ShapeText(shape);
}

void CheckOutput(const Operator& op, size_t i, const registry::PlannedOutput& wanted,
                 const Operand& came) {
  const BasculeTensor& tensor = *came.tensor;
  if (came.dtype->dtype != wanted.dtype) {
    throw Error(BASCULE_INVALID_ARGUMENT,
                Join(Subject(op, false, i), " has to be ", DTypeName(wanted.dtype),
                     " for these inputs, but it is ", came.dtype->name, "."));
  }
  if (tensor.ndim != wanted.rank ||
      !std::equal(wanted.dims, wanted.dims + wanted.rank, tensor.shape)) {
    throw Error(
        BASCULE_INVALID_ARGUMENT,
        Join(Subject(op, false, i), " has to have shape ", ShapeOf(wanted.rank, wanted.dims),
             " for these inputs, but it has ", ShapeOf(tensor.ndim, tensor.shape), "."));
  }
}

// The memory that a launch may touch. Without initial values, as Operand.
class Intervals {
 public:
  Intervals() {}  // NOLINT: a default one would set them all
  void Add(const void* data, uint64_t bytes, uint32_t rights, const char* name) {
    const uint64_t begin = reinterpret_cast<uint64_t>(data);
    new (&items[count_++]) engine::GlobalInterval{begin, begin + bytes, rights, name};
  }
  std::span<const engine::GlobalInterval> Sorted() {
    std::sort(items, items + count_,
              [](const engine::GlobalInterval& a, const engine::GlobalInterval& b) {
                return a.begin < b.begin;
              });
    return {items, count_};
  }

 private:
  union {
    engine::GlobalInterval items[kMaxTensors + 2];
  };
  size_t count_ = 0;
};

class OperatorCall {
 public:
  OperatorCall(Operator& op, std::span<const BasculeTensor* const> inputs,
               std::span<BasculeTensor* const> outputs,
               std::span<const BasculeAttribute> attributes)
      : op_(op), def_(*op.entry->def), inputs_(inputs.size()), outputs_(outputs.size()) {
    const BasculeOperatorEntry& entry = *op.entry;
    if (inputs_ + outputs_ > kMaxTensors) {
      throw Error(BASCULE_UNSUPPORTED, Join(entry.name, ": a call takes at most ", kMaxTensors,
                                            " tensors, ", inputs_ + outputs_, " were passed."));
    }
    registry::CheckCounts(entry, inputs_, outputs_);
    registry::PlanKey key;
    for (size_t i = 0; i < inputs_; ++i) {
      operands_[i].tensor = nullptr;
      if (inputs[i] != nullptr) {
        Examine(*inputs[i], &operands_[i], [&] { return Subject(op, true, i); });
      }
      AddTo(key, operands_[i]);
    }
    const uint64_t value_inputs = registry::ValueInputs(def_);
    if (value_inputs != 0) ReadValues(value_inputs, key);
    std::vector<BasculeAttribute> complete;
    if (def_.attribute_count != 0 || !attributes.empty()) {
      complete = registry::CompleteAttributes(entry, attributes);
      for (const BasculeAttribute& attribute : complete) key.Add(attribute);
    }
    // Without shape inference, the caller's outputs say what is planned.
    const bool outputs_count = def_.infer_shape == nullptr;
    if (outputs_count) {
      ExamineOutputs(outputs);
      for (size_t i = 0; i < outputs_; ++i) AddTo(key, operands_[inputs_ + i]);
    }
    AddPlanLimits(&key);
    plan_ = op.plans.FindOrMake(key.Words(), [&] {
      std::vector<BasculeTensorInfo> infos(inputs_);
      for (size_t i = 0; i < inputs_; ++i) infos[i] = InfoOf(operands_[i]);
      std::vector<BasculeTensorInfo> given(outputs_count ? outputs_ : 0);
      for (size_t i = 0; i < given.size(); ++i) given[i] = InfoOf(operands_[inputs_ + i]);
      return MakePlan(op, infos, complete, values_, given);
    });
    if (!outputs_count) ExamineOutputs(outputs);
    for (size_t i = 0; i < outputs_; ++i) {
      const Operand& output = operands_[inputs_ + i];
      CheckOutput(op, i, plan_->Output(static_cast<uint32_t>(i)), output);
      if (output.bytes != 0) CheckOverlaps(i);
    }
  }

  void Run(void* given_workspace, uint64_t given_bytes) {
    if (given_workspace != nullptr && given_bytes < plan_->workspace_bytes()) {
      throw Error(
          BASCULE_INVALID_ARGUMENT,
          Join(op_.entry->name, " uses ", plan_->workspace_bytes(),
               " bytes of workspace with what its inputs hold, and was given ", given_bytes, "."));
    }
    if (plan_->block_count() == 0) {
      FillOutputs();
      return;
    }
    KernelCall kernel;
    kernel.entry = plan_->variant()->entry;
    kernel.count = 0;
    Intervals intervals;
    uint64_t total_bytes = 0;
    bool empty_input = false;
    std::vector<Memory> packed;  // of outputs, in their order
    for (size_t i = 0; i < inputs_; ++i) {
      Operand& input = operands_[i];
      if (input.tensor == nullptr) {
        kernel.arguments[kernel.count++] = nullptr;
        continue;
      }
      empty_input = empty_input || input.bytes == 0;
      if (!input.dense) {
        Memory& memory =
            packed.emplace_back(Allocate(input.bytes, op_.entry->name, "a packed input"));
        Pack(input, memory.get());
        input.data = memory.get();
        op_.copies.Count(input.bytes, false);
      }
      total_bytes += input.bytes;
      kernel.arguments[kernel.count++] = input.data;
      intervals.Add(input.data, input.bytes, BASCULE_READ, def_.inputs[i].name);
    }
    const size_t packed_inputs = packed.size();
    const bool initial = HasInitialValues();
    for (size_t i = 0; i < outputs_; ++i) {
      Operand& output = operands_[inputs_ + i];
      char* data = output.data;
      if (!output.dense) {
        packed.push_back(Allocate(output.bytes, op_.entry->name, "a packed output"));
        data = packed.back().get();
      }
      total_bytes += output.bytes;
      kernel.arguments[kernel.count++] = data;
      if (output.bytes == 0) continue;
      PreferHugePages(data, output.bytes);
      if (initial) Initialize(i, plan_->variant()->column, data);
      intervals.Add(data, output.bytes, BASCULE_READ | BASCULE_WRITE, def_.outputs[i].name);
    }
    const Workspace own(given_workspace != nullptr ? 0 : plan_->workspace_bytes(), op_.entry->name);
    void* const workspace = given_workspace != nullptr ? given_workspace : own.get();
    if (plan_->workspace_bytes() != 0) {
      intervals.Add(workspace, plan_->workspace_bytes(), BASCULE_READ | BASCULE_WRITE, "workspace");
    }
    kernel.arguments[kernel.count++] = workspace;
    kernel.arguments[kernel.count++] = const_cast<void*>(plan_->tiling_data());
    if (plan_->tiling_bytes() != 0) {
      intervals.Add(plan_->tiling_data(), plan_->tiling_bytes(), BASCULE_READ, "tiling");
    }

    std::atomic<uint64_t> written{0};
    engine::LaunchRequest request;
    request.kernel = op_.entry->name;
    request.invoke = Invoke;
    request.closure = &kernel;
    request.block_count = plan_->block_count();
    request.kernel_type = plan_->kernel_type();
    request.tiling_key = plan_->tiling_key();
    request.platform = &engine::Ascend910B();
    request.globals = intervals.Sorted();
    request.bytes = total_bytes;
    if (empty_input) request.written = &written;
    if (inputs_ != 0 && operands_[0].tensor != nullptr && operands_[0].dtype->bits >= 8) {
      request.first_elements = operands_[0].count;
      request.first_element_bytes = operands_[0].dtype->bits / 8;
    }
    Launch(request, plan_->launch_ns);
    if (empty_input) CheckWritten(request, written.load(), kernel);

    size_t next = packed_inputs;
    for (size_t i = 0; i < outputs_; ++i) {
      const Operand& output = operands_[inputs_ + i];
      if (output.dense) continue;
      Unpack(packed[next++].get(), output);
      op_.copies.Count(output.bytes, true);
    }
  }

 private:
  void ExamineOutputs(std::span<BasculeTensor* const> outputs) {
    for (size_t i = 0; i < outputs_; ++i) {
      if (outputs[i] == nullptr) {
        throw Error(BASCULE_INVALID_ARGUMENT, Join(Subject(op_, false, i), " is null."));
      }
      Examine(*outputs[i], &operands_[inputs_ + i], [&] { return Subject(op_, false, i); });
    }
  }

  // Host functions read what some inputs hold, so another plan belongs to each content.
  void ReadValues(uint64_t value_inputs, registry::PlanKey& key) {
    values_.resize(inputs_);
    for (size_t i = 0; i < inputs_; ++i) {
      const Operand& input = operands_[i];
      if (i >= 64 || (value_inputs >> i & 1) == 0 || input.tensor == nullptr) continue;
      if (!input.dense) {
        packed_values_.push_back(Allocate(input.bytes, op_.entry->name, "a packed input"));
        Pack(input, packed_values_.back().get());
        values_[i] = packed_values_.back().get();
      } else {
        values_[i] = input.data;
      }
      key.AddBytes(values_[i], input.bytes);
    }
  }

  bool HasInitialValues() const {
    return def_.struct_bytes >= sizeof(def_) && def_.initial_values != nullptr;
  }

  // No input has an element, so nothing is launched. An output that has some holds what its OpDef
  // says it begins with, else zeros, as a sum of nothing is.
  void FillOutputs() {
    std::vector<BasculeTensorInfo> infos(inputs_);
    for (size_t i = 0; i < inputs_; ++i) infos[i] = InfoOf(operands_[i]);
    const uint32_t column =
        HasInitialValues() ? registry::ChooseColumn(*op_.entry, infos) : uint32_t{0};
    for (size_t i = 0; i < outputs_; ++i) {
      const Operand& output = operands_[inputs_ + i];
      if (output.bytes == 0) continue;
      Memory packed;
      char* data = output.data;
      if (!output.dense) {
        packed = Allocate(output.bytes, op_.entry->name, "a packed output");
        data = packed.get();
      }
      std::memset(data, 0, output.bytes);
      if (HasInitialValues()) Initialize(i, column, data);
      if (output.dense) continue;
      Unpack(packed.get(), output);
      op_.copies.Count(output.bytes, true);
    }
  }

  // As the OpDef's InitValue says: the kernel finds an output filled with a value.
  void Initialize(size_t i, uint32_t column, char* data) const {
    const Operand& output = operands_[inputs_ + i];
    const uint32_t columns = def_.outputs[i].column_count;
    const BasculeInitialValue& value = def_.initial_values[i * columns + column];
    if (value.kind == BASCULE_INITIAL_NONE) return;
    const DTypeInfo& dtype = *output.dtype;
    const double real = value.kind == BASCULE_INITIAL_FLOAT    ? static_cast<double>(value.value.f)
                        : value.kind == BASCULE_INITIAL_SIGNED ? static_cast<double>(value.value.i)
                                                               : static_cast<double>(value.value.u);
    uint64_t bits = value.kind == BASCULE_INITIAL_FLOAT
                        ? static_cast<uint64_t>(static_cast<int64_t>(real))
                        : value.value.u;
    if (dtype.dtype == BASCULE_FLOAT) {
      const float number = static_cast<float>(real);
      std::memcpy(&bits, &number, sizeof(number));
    } else if (dtype.dtype == BASCULE_DOUBLE) {
      std::memcpy(&bits, &real, sizeof(real));
    } else if (dtype.dtype == BASCULE_FLOAT16) {
      const half_t number(static_cast<float>(real));
      std::memcpy(&bits, &number, sizeof(number));
    } else if (dtype.dtype == BASCULE_BFLOAT16) {
      const bfloat16_t number(static_cast<float>(real));
      std::memcpy(&bits, &number, sizeof(number));
    }
    const size_t bytes = dtype.bits < 8 ? 1 : dtype.bits / 8;
    if (dtype.bits < 8) bits = (bits & 0xf) * 0x11;  // two to a byte
    for (uint64_t at = 0; at < output.bytes; at += bytes) std::memcpy(data + at, &bits, bytes);
  }

  void CheckOverlaps(size_t i) const {
    const Operand& output = operands_[inputs_ + i];
    if (MeetsItself(output)) {
      throw Error(BASCULE_INVALID_ARGUMENT,
                  Join(Subject(op_, false, i),
                       " has several elements in the same memory (an expanded dimension, say); an "
                       "output needs memory for each."));
    }
    for (size_t j = 0; j < inputs_ + i; ++j) {
      const Operand& other = operands_[j];
      if (other.tensor == nullptr || other.bytes == 0 || !Meet(output, other)) continue;
      const bool input = j < inputs_;
      throw Error(BASCULE_INVALID_ARGUMENT,
                  Join(Subject(op_, false, i), " overlaps ", input ? "input '" : "output '",
                       input ? def_.inputs[j].name : def_.outputs[j - inputs_].name,
                       "' in memory; an output needs memory of its own."));
    }
  }

  // What an operator makes of nothing only its own code can say: a sum is 0, a maximum is not. A
  // kernel that loops over elements that are not there says nothing.
  void CheckWritten(const engine::LaunchRequest& request, uint64_t written,
                    const KernelCall& kernel) const {
    for (size_t i = 0; i < outputs_; ++i) {
      if (operands_[inputs_ + i].bytes == 0) continue;
      const uint64_t begin = reinterpret_cast<uint64_t>(kernel.arguments[inputs_ + i]);
      size_t place = 0;
      while (request.globals[place].begin != begin || request.globals[place].end == begin) ++place;
      if ((written >> place & 1) != 0) continue;
      throw Error(
          BASCULE_UNSUPPORTED,
          Join(Subject(op_, false, i), " has ", operands_[inputs_ + i].count,
               " elements and an input has none, and the kernel wrote nothing: the operator "
               "does not say what it makes of no elements. Its contents are undefined."));
    }
  }

  Operator& op_;
  const BasculeOperatorDef& def_;
  const size_t inputs_;
  const size_t outputs_;
  registry::PlanRef plan_;
  std::array<Operand, kMaxTensors> operands_;  // inputs, then outputs
  std::vector<const void*> values_;            // of inputs that host functions read; null: the rest
  std::vector<Memory> packed_values_;
};

void RefuseAttributes(const Operator& kernel, std::span<const BasculeAttribute> attributes) {
  if (attributes.empty()) return;
  const char* const name = attributes.front().name;
  throw Error(BASCULE_INVALID_ARGUMENT,
              Join(kernel.entry->name, " is ", kernel.kind(), " and has no attribute '",
                   name != nullptr ? name : "", "'; it takes tensors only."));
}

}  // namespace

void CheckCall(Operator& op, std::span<const BasculeTensor* const> inputs,
               std::span<BasculeTensor* const> outputs,
               std::span<const BasculeAttribute> attributes) {
  if (!op.takes_any()) {
    const OperatorCall checked(op, inputs, outputs, attributes);
    return;
  }
  RefuseAttributes(op, attributes);
  Operand operand;
  for (size_t i = 0; i < inputs.size() + outputs.size(); ++i) {
    const BasculeTensor* const tensor = i < inputs.size() ? inputs[i] : outputs[i - inputs.size()];
    if (tensor == nullptr) continue;
    Examine(*tensor, &operand,
            [&] { return Join(op.entry->name, ": ", ArgumentName(static_cast<uint32_t>(i) + 1)); });
  }
}

void Call(Operator& op, std::span<const BasculeTensor* const> inputs,
          std::span<BasculeTensor* const> outputs, std::span<const BasculeAttribute> attributes,
          void* workspace, uint64_t workspace_bytes) {
  if (op.takes_any()) {
    RefuseAttributes(op, attributes);
    if (op.kernel != nullptr) {
      CallKernel(op, inputs, outputs);
    } else {
      CallFunction(op, inputs, outputs);
    }
  } else {
    OperatorCall(op, inputs, outputs, attributes).Run(workspace, workspace_bytes);
  }
  op.calls.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace bascule::host
