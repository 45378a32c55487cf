// SPDX-License-Identifier: Apache-2.0
#include "host/call.h"

#include <algorithm>
#include <cstring>
#include <list>
#include <memory>
#include <numeric>
#include <string>
#include <utility>
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

std::string ShapeOf(int64_t rank, const int64_t* dims) {
  BasculeShape shape = {};
  shape.rank = rank;
  std::copy_n(dims, rank, shape.dims);
  return registry::ShapeText(shape);
}

void CheckOutput(const std::string& subject, const registry::PlannedOutput& wanted,
                 const Operand& came) {
  const BasculeTensor& tensor = *came.tensor;
  if (came.dtype->dtype != wanted.dtype) {
    throw Error(BASCULE_INVALID_ARGUMENT,
                Join(subject, " has to be ", DTypeName(wanted.dtype),
                     " for these inputs, but it is ", came.dtype->name, "."));
  }
  throw Error(BASCULE_INVALID_ARGUMENT,
              Join(subject, " has to have shape ", ShapeOf(wanted.rank, wanted.dims),
                   " for these inputs, but it has ", ShapeOf(tensor.ndim, tensor.shape), "."));
}

bool Fits(const registry::PlannedOutput& wanted, const Operand& came) {
  return came.dtype->dtype == wanted.dtype && came.tensor->ndim == wanted.rank &&
         std::equal(wanted.dims, wanted.dims + wanted.rank, came.tensor->shape);
}

// The same shape and element type.
bool SameKind(const Operand& a, const Operand& b) {
  return a.dtype == b.dtype && a.tensor->ndim == b.tensor->ndim &&
         std::equal(a.tensor->shape, a.tensor->shape + a.tensor->ndim, b.tensor->shape);
}

// Whether each element of one is the same memory as that of the other.
bool SamePlace(const Operand& a, const Operand& b) {
  if (a.data != b.data || !SameKind(a, b)) return false;
  if (a.dense || b.dense) return a.dense && b.dense;
  const int64_t* const strides = a.tensor->strides;
  if (strides == nullptr || b.tensor->strides == nullptr) return strides == b.tensor->strides;
  return std::equal(strides, strides + a.tensor->ndim, b.tensor->strides);
}

// An array without initial values, with room for few on the stack: a call has room for many
// tensors and uses few.
template <typename T, size_t kFew>
class Room {
 public:
  explicit Room(size_t count) : items_(few) {
    if (count <= kFew) return;
    more_ = std::make_unique_for_overwrite<T[]>(count);
    items_ = more_.get();
  }
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;
  T& operator[](size_t i) { return items_[i]; }
  const T& operator[](size_t i) const { return items_[i]; }
  T* data() { return items_; }

 private:
  union {
    T few[kFew];
  };
  T* items_;
  std::unique_ptr<T[]> more_;
};

// The memory that a launch may touch.
class Intervals {
 public:
  explicit Intervals(size_t most) : items_(most) {}
  engine::GlobalInterval& Add(const void* data, uint64_t bytes, uint32_t rights, const char* name) {
    const uint64_t begin = reinterpret_cast<uint64_t>(data);
    return *new (&items_[count_++]) engine::GlobalInterval{begin, begin + bytes, rights, name};
  }
  std::span<const engine::GlobalInterval> Sorted() {
    std::sort(items_.data(), items_.data() + count_,
              [](const engine::GlobalInterval& a, const engine::GlobalInterval& b) {
                return a.begin < b.begin;
              });
    return {items_.data(), count_};
  }

 private:
  Room<engine::GlobalInterval, kMaxTensors + 2> items_;
  size_t count_ = 0;
};

class OperatorCall {
 public:
  OperatorCall(Operator& op, std::span<const BasculeTensor* const> inputs,
               std::span<BasculeTensor* const> outputs,
               std::span<const BasculeAttribute> attributes, const registry::Counts& counts)
      : op_(op),
        def_(*op.entry->def),
        inputs_(inputs.size()),
        outputs_(outputs.size()),
        lists_(ListsOf(op, inputs_, outputs_, counts)),
        operands_(inputs_ + outputs_) {
    const BasculeOperatorEntry& entry = *op.entry;
    registry::PlanKey key;
    key.AddCounts(lists_.counts());
    for (size_t i = 0; i < inputs_; ++i) {
      operands_[i].tensor = nullptr;
      if (inputs[i] != nullptr) {
        Examine(*inputs[i], &operands_[i], [&] { return Subject(true, i); });
      }
      AddTo(key, operands_[i]);
    }
    if (op.value_inputs != 0) ReadValues(op.value_inputs, key);
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
      return MakePlan(op, infos, complete, values_, given, lists_);
    });
    if (!outputs_count) ExamineOutputs(outputs);
    for (size_t i = 0; i < outputs_; ++i) {
      const Operand& output = operands_[inputs_ + i];
      const registry::PlannedOutput wanted = plan_->Output(static_cast<uint32_t>(i));
      if (!Fits(wanted, output)) CheckOutput(Subject(false, i), wanted, output);
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
    // Each tensor, each list, workspace and tiling data.
    Intervals intervals(inputs_ + outputs_ + lists_.counts().size() + 2);
    uint64_t total_bytes = 0;
    bool empty_input = false;
    const bool initial = HasInitialValues();
    ShareMemory();
    for (size_t i = 0; i < inputs_ + outputs_; ++i) {
      Operand& operand = operands_[i];
      const bool output = i >= inputs_;
      const size_t number = output ? i - inputs_ : i;
      if (operand.tensor == nullptr) {
        kernel.arguments[kernel.count++] = nullptr;
        continue;
      }
      empty_input = empty_input || (!output && operand.bytes == 0);
      // Host functions may have read it, or it shares an output's memory.
      if (operand.packed == nullptr && operand.dense) {
        operand.packed = operand.data;
      } else if (operand.packed == nullptr) {
        operand.packed = MemoryFor(operand, output ? "a packed output" : "a packed input");
        if (!output) PackInput(operand);
      }
      total_bytes += operand.bytes;
      if (!InList(output, number)) kernel.arguments[kernel.count++] = operand.packed;
      if (output ? operand.bytes != 0 : !Shares(i)) {
        const uint32_t rights = output ? BASCULE_READ | BASCULE_WRITE : BASCULE_READ;
        engine::GlobalInterval& interval =
            intervals.Add(operand.packed, operand.bytes, rights, NameOf(output, number));
        if (output) interval.bit = static_cast<int32_t>(number);
      }
      if (output && operand.bytes != 0) PreferHugePages(operand.packed, operand.bytes);
      if (output && operand.bytes != 0 && initial && !Shares(i)) {
        Initialize(number, plan_->variant()->column, operand.packed);
      }
    }
    if (!lists_.plain()) {
      // The other arguments are in their order already; those of lists go between them.
      KernelCall flat = kernel;
      kernel.count = 0;
      size_t taken = 0;
      size_t tensor = 0;
      for (size_t p = 0; p < lists_.counts().size(); ++p) {
        const bool output = p >= def_.input_count;
        const BasculeParameterDef& parameter =
            output ? def_.outputs[p - def_.input_count] : def_.inputs[p];
        const uint32_t count = lists_.counts()[p];
        if (parameter.kind == BASCULE_DYNAMIC) {
          const std::vector<uint64_t>& words = DescribeList(tensor, count);
          kernel.arguments[kernel.count++] = const_cast<uint64_t*>(words.data());
          intervals.Add(words.data(), words.size() * sizeof(uint64_t), BASCULE_READ,
                        Kept(Join("the list ", parameter.name)));
        } else {
          kernel.arguments[kernel.count++] = flat.arguments[taken++];
        }
        tensor += count;
      }
    }
    const Workspace own(given_workspace != nullptr ? 0 : plan_->workspace_bytes(), op_.entry->name);
    void* const workspace = given_workspace != nullptr ? given_workspace : own.get();
    if (plan_->workspace_bytes() != 0) {
      intervals.Add(workspace, plan_->workspace_bytes(), BASCULE_READ | BASCULE_WRITE, "workspace")
          .bit = kOtherBit;
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
    Launch(request, plan_->launch_ns());
    if (empty_input) CheckWritten(written.load());

    for (size_t i = 0; i < outputs_; ++i) {
      const Operand& output = operands_[inputs_ + i];
      if (output.dense) continue;
      Unpack(output.packed, output);
      op_.copies.Count(output.bytes, true);
    }
  }

 private:
  // Outputs have the bits before it, the workspace this one; a launch tells of 64.
  static constexpr int32_t kOtherBit = 63;

  static registry::Lists ListsOf(const Operator& op, size_t inputs, size_t outputs,
                                 const registry::Counts& counts) {
    const BasculeOperatorEntry& entry = *op.entry;
    const bool dynamic = op.takes_lists;
    const size_t most = dynamic ? kMaxListedTensors : kMaxTensors;
    if (inputs + outputs > most) {
      throw Error(BASCULE_UNSUPPORTED, Join(entry.name, ": a call takes at most ", most,
                                            " tensors, ", inputs + outputs, " were passed."));
    }
    if (dynamic && entry.def->input_count + entry.def->output_count > kMaxTensors) {
      throw Error(BASCULE_UNSUPPORTED, Join(entry.name, ": a kernel takes at most ", kMaxTensors,
                                            " inputs and outputs."));
    }
    if (outputs >= static_cast<size_t>(kOtherBit)) {
      throw Error(BASCULE_UNSUPPORTED, Join(entry.name, ": a call has at most ", kOtherBit - 1,
                                            " outputs, ", outputs, " were passed."));
    }
    return op.ListsOf(inputs, outputs, counts);
  }

  // An error's "my_mul: input 'x'".
  std::string Subject(bool input, size_t i) const {
    return Join(op_.entry->name, ": ", input ? "input '" : "output '",
                input ? lists_.InputName(def_, i) : lists_.OutputName(def_, i), "'");
  }
  bool InList(bool output, size_t i) const {
    if (lists_.plain()) return false;
    return (output ? def_.outputs[lists_.Output(i)] : def_.inputs[lists_.Input(i)]).kind ==
           BASCULE_DYNAMIC;
  }
  // As long as the call.
  const char* Kept(std::string name) { return names_.emplace_back(std::move(name)).c_str(); }
  const char* NameOf(bool output, size_t i) {
    if (InList(output, i)) {
      return Kept(output ? lists_.OutputName(def_, i) : lists_.InputName(def_, i));
    }
    return output ? def_.outputs[lists_.Output(i)].name : def_.inputs[lists_.Input(i)].name;
  }

  // What a kernel finds in place of the tensors [first, first + count), as
  // AscendC::ListTensorDesc reads it: where the addresses begin, each one's rank, number and
  // dimensions, the addresses.
  const std::vector<uint64_t>& DescribeList(size_t first, uint32_t count) {
    std::vector<uint64_t>& words = described_.emplace_back(1);
    for (uint32_t i = 0; i < count; ++i) {
      const BasculeTensor& tensor = *operands_[first + i].tensor;
      words.push_back(static_cast<uint64_t>(tensor.ndim) | uint64_t{i} << 32);
      words.insert(words.end(), tensor.shape, tensor.shape + tensor.ndim);
    }
    words[0] = words.size() * sizeof(uint64_t);
    for (uint32_t i = 0; i < count; ++i) {
      words.push_back(reinterpret_cast<uint64_t>(operands_[first + i].packed));
    }
    return words;
  }

  char* MemoryFor(const Operand& operand, const char* what) {
    return packed_.emplace_back(Allocate(operand.bytes, op_.entry->name, what)).get();
  }
  void PackInput(const Operand& input) {
    Pack(input, input.packed);
    op_.copies.Count(input.bytes, false);
  }

  void ExamineOutputs(std::span<BasculeTensor* const> outputs) {
    for (size_t i = 0; i < outputs_; ++i) {
      if (outputs[i] == nullptr) {
        throw Error(BASCULE_INVALID_ARGUMENT, Join(Subject(false, i), " is null."));
      }
      Examine(*outputs[i], &operands_[inputs_ + i], [&] { return Subject(false, i); });
    }
  }

  // Host functions read what some inputs hold, so another plan belongs to each content. What is
  // packed for them the kernel gets, too.
  void ReadValues(uint64_t value_inputs, registry::PlanKey& key) {
    values_.resize(inputs_);
    for (size_t i = 0; i < inputs_; ++i) {
      Operand& input = operands_[i];
      const uint32_t owner = lists_.Input(i);
      if (owner >= 64 || (value_inputs >> owner & 1) == 0 || input.tensor == nullptr) continue;
      if (!input.dense) {
        input.packed = MemoryFor(input, "a packed input");
        PackInput(input);
        values_[i] = input.packed;
      } else {
        values_[i] = input.data;
      }
      key.AddBytes(values_[i], input.bytes);
    }
  }

  // The input tensor that has the name of output tensor `i`; none: inputs_.
  size_t SameInput(size_t i) const {
    if (op_.same_inputs.empty()) return inputs_;
    const uint32_t owner = lists_.Output(i);
    const int32_t input = op_.same_inputs[owner];
    if (input < 0) return inputs_;
    if (lists_.plain()) return static_cast<size_t>(input);
    const auto begin = [](std::span<const uint32_t> counts, uint32_t parameter) {
      return std::accumulate(counts.begin(), counts.begin() + parameter, size_t{0});
    };
    const auto parameter = static_cast<uint32_t>(input);
    const size_t member = i - begin(lists_.output_counts(), owner);
    const bool there = member < lists_.input_counts()[parameter];
    return there ? begin(lists_.input_counts(), parameter) + member : inputs_;
  }
  bool Shares(size_t i) const { return !shares_.empty() && shares_[i]; }

  // An output with the name of an input is one memory with it to the kernel, which finds there what
  // the input holds. The input itself stays as it is, unless the caller passed its memory for both.
  void ShareMemory() {
    for (size_t i = 0; i < outputs_; ++i) {
      const size_t j = SameInput(i);
      if (j == inputs_) continue;
      Operand& input = operands_[j];
      Operand& output = operands_[inputs_ + i];
      if (input.tensor == nullptr || !SameKind(input, output)) continue;
      output.packed = output.dense ? output.data : MemoryFor(output, "a packed output");
      if (input.packed == nullptr && !input.dense) {
        input.packed = output.packed;
        PackInput(input);
      } else {
        const char* const from = input.packed != nullptr ? input.packed : input.data;
        if (from != output.packed && output.bytes != 0) {
          std::memcpy(output.packed, from, output.bytes);
        }
        input.packed = output.packed;
      }
      shares_.resize(inputs_ + outputs_);
      shares_[j] = shares_[inputs_ + i] = true;
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
        HasInitialValues() ? registry::ChooseColumn(*op_.entry, infos, lists_) : uint32_t{0};
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
    const uint32_t owner = lists_.Output(i);
    const uint32_t columns = def_.outputs[owner].column_count;
    const BasculeInitialValue& value = def_.initial_values[owner * columns + column];
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
                  Join(Subject(false, i),
                       " has several elements in the same memory (an expanded dimension, say); an "
                       "output needs memory for each."));
    }
    for (size_t j = 0; j < inputs_ + i; ++j) {
      const Operand& other = operands_[j];
      if (other.tensor == nullptr || other.bytes == 0 || !Meet(output, other)) continue;
      const bool input = j < inputs_;
      if (input && j == SameInput(i) && SamePlace(output, other)) continue;
      throw Error(BASCULE_INVALID_ARGUMENT,
                  Join(Subject(false, i), " overlaps ", input ? "input '" : "output '",
                       input ? lists_.InputName(def_, j) : lists_.OutputName(def_, j - inputs_),
                       "' in memory; an output needs memory of its own."));
    }
  }

  // What an operator makes of nothing only its own code can say: a sum is 0, a maximum is not. A
  // kernel that loops over elements that are not there says nothing.
  void CheckWritten(uint64_t written) const {
    for (size_t i = 0; i < outputs_; ++i) {
      if (operands_[inputs_ + i].bytes == 0 || (written >> i & 1) != 0) continue;
      if (Shares(inputs_ + i)) continue;  // it holds what the input did
      throw Error(
          BASCULE_UNSUPPORTED,
          Join(Subject(false, i), " has ", operands_[inputs_ + i].count,
               " elements and an input has none, and the kernel wrote nothing: the operator "
               "does not say what it makes of no elements. Its contents are undefined."));
    }
  }

  Operator& op_;
  const BasculeOperatorDef& def_;
  const size_t inputs_;
  const size_t outputs_;
  const registry::Lists lists_;
  registry::PlanRef plan_;
  Room<Operand, kMaxTensors> operands_;  // inputs, then outputs
  std::vector<const void*> values_;      // of inputs that host functions read; null: the rest
  std::vector<Memory> packed_;
  std::vector<bool> shares_;  // which operands are one memory with another; empty: none
  std::list<std::vector<uint64_t>> described_;  // lists, as the kernel gets them
  std::list<std::string> names_;
};

// What a kernel without definition cannot have.
void RefuseAttributes(const Operator& kernel, std::span<const BasculeAttribute> attributes,
                      const registry::Counts& counts) {
  if (!counts.inputs.empty() || !counts.outputs.empty()) {
    throw Error(
        BASCULE_INVALID_ARGUMENT,
        Join(kernel.entry->name, " is ", kernel.kind(),
             " and takes no lists of tensors: nothing says which of its arguments is one."));
  }
  if (attributes.empty()) return;
  const char* const name = attributes.front().name;
  throw Error(BASCULE_INVALID_ARGUMENT,
              Join(kernel.entry->name, " is ", kernel.kind(), " and has no attribute '",
                   name != nullptr ? name : "", "'; it takes tensors only."));
}

}  // namespace

void CheckCall(Operator& op, std::span<const BasculeTensor* const> inputs,
               std::span<BasculeTensor* const> outputs,
               std::span<const BasculeAttribute> attributes, const registry::Counts& counts) {
  if (!op.takes_any()) {
    const OperatorCall checked(op, inputs, outputs, attributes, counts);
    return;
  }
  RefuseAttributes(op, attributes, counts);
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
          const registry::Counts& counts, void* workspace, uint64_t workspace_bytes) {
  if (op.takes_any()) {
    RefuseAttributes(op, attributes, counts);
    if (op.kernel != nullptr) {
      CallKernel(op, inputs, outputs);
    } else {
      CallFunction(op, inputs, outputs);
    }
  } else {
    OperatorCall(op, inputs, outputs, attributes, counts).Run(workspace, workspace_bytes);
  }
  op.calls.fetch_add(1, std::memory_order_relaxed);
}

}  // namespace bascule::host
