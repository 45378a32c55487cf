// SPDX-License-Identifier: Apache-2.0
#include "host/call.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/dtype.h"
#include "base/error.h"
#include "engine/launch.h"
#include "engine/platform.h"
#include "host/launch.h"
#include "registry/inference.h"

namespace bascule::host {
namespace {

constexpr size_t kMaxTensors =
    28;  // so that workspace and tiling fit into 32 kernel arguments beside them
constexpr size_t kKernelArguments = 32;

struct FreeMemory {
  void operator()(void* memory) const { std::free(memory); }
};
using Memory = std::unique_ptr<char, FreeMemory>;

Memory Allocate(uint64_t bytes, const char* name, const char* what) {
  const uint64_t rounded = (std::max<uint64_t>(bytes, 1) + 63) / 64 * 64;
  Memory memory(static_cast<char*>(std::aligned_alloc(64, rounded)));
  if (memory == nullptr) {
    throw Error(BASCULE_OUT_OF_MEMORY,
                Join(name, ": no memory for ", bytes, " bytes of ", what, "."));
  }
  return memory;
}

// One tensor of a call, dense and row-major from here on.
struct Argument {
  const BasculeTensor* tensor = nullptr;
  char* data = nullptr;  // what the kernel sees
  uint64_t bytes = 0;
  Memory packed;  // holds `data` when the tensor itself is not dense
};

// An error's "my_mul: input 'x'".
std::string Subject(const Operator& op, bool input, size_t i) {
  const BasculeOperatorDef& def = *op.entry->def;
  return Join(op.entry->name, ": ", input ? "input '" : "output '",
              input ? def.inputs[i].name : def.outputs[i].name, "'");
}

BasculeTensorInfo Describe(const Operator& op, const BasculeTensor* tensor, bool input, size_t i) {
  BasculeTensorInfo info = {};
  if (tensor == nullptr) {
    info.dtype = -1;
    if (!input) throw Error(BASCULE_INVALID_ARGUMENT, Join(Subject(op, input, i), " is null."));
    return info;
  }
  if (tensor->device_type != 1) {
    throw Error(BASCULE_INVALID_ARGUMENT,
                Join(Subject(op, input, i), " is on a device of DLPack type ", tensor->device_type,
                     "; bascule works on the CPU. Move it there first."));
  }
  if (tensor->ndim < 0 || tensor->ndim > BASCULE_MAX_RANK) {
    throw Error(BASCULE_INVALID_ARGUMENT,
                Join(Subject(op, input, i), " has ", tensor->ndim, " dimensions; 0 to ",
                     BASCULE_MAX_RANK, " are possible."));
  }
  if (tensor->ndim > 0 && tensor->shape == nullptr) {
    throw Error(BASCULE_INVALID_ARGUMENT,
                Join(Subject(op, input, i), " has dimensions and no shape."));
  }
  const DTypeInfo* dtype = FindDTypeByDlpack(tensor->dtype_code, tensor->dtype_bits);
  if (dtype == nullptr || tensor->dtype_lanes != 1) {
    throw Error(
        BASCULE_INVALID_ARGUMENT,
        Join(Subject(op, input, i), " has an element type bascule does not know (DLPack code ",
             int{tensor->dtype_code}, ", ", int{tensor->dtype_bits}, " bits, ", tensor->dtype_lanes,
             " lanes)."));
  }
  info.present = 1;
  info.dtype = dtype->dtype;
  info.format = BASCULE_FORMAT_ND;
  info.shape.rank = tensor->ndim;
  for (int32_t d = 0; d < tensor->ndim; ++d) {
    if (tensor->shape[d] < 0) {
      throw Error(
          BASCULE_INVALID_ARGUMENT,
          Join(Subject(op, input, i), " has the negative dimension ", tensor->shape[d], "."));
    }
    info.shape.dims[d] = tensor->shape[d];
  }
  return info;
}

bool Dense(const BasculeTensor& tensor) {
  if (tensor.strides == nullptr) return true;
  int64_t expected = 1;
  for (int32_t d = tensor.ndim; d-- > 0;) {
    if (tensor.shape[d] == 0) return true;
    if (tensor.shape[d] != 1 && tensor.strides[d] != expected) return false;
    expected *= tensor.shape[d];
  }
  return true;
}

// Copies between a strided tensor and dense memory, element by element in row-major order.
template <bool pack>
void CopyStrided(const BasculeTensor& tensor, char* strided, char* dense, uint64_t element_bytes) {
  std::array<int64_t, BASCULE_MAX_RANK> index{};
  const int32_t rank = tensor.ndim;
  int64_t total = 1;
  for (int32_t d = 0; d < rank; ++d) total *= tensor.shape[d];
  char* at = strided;
  for (int64_t n = 0; n < total; ++n) {
    if (pack) {
      std::memcpy(dense, at, element_bytes);
    } else {
      std::memcpy(at, dense, element_bytes);
    }
    dense += element_bytes;
    for (int32_t d = rank; d-- > 0;) {
      at += tensor.strides[d] * static_cast<int64_t>(element_bytes);
      if (++index[static_cast<size_t>(d)] < tensor.shape[d]) break;
      at -= tensor.strides[d] * tensor.shape[d] * static_cast<int64_t>(element_bytes);
      index[static_cast<size_t>(d)] = 0;
    }
  }
}

char* DataOf(const BasculeTensor& tensor) {
  return static_cast<char*>(tensor.data) + tensor.byte_offset;
}

// First and one past the last byte a tensor touches, strides of either sign included.
std::pair<uint64_t, uint64_t> Reach(const BasculeTensor& tensor, uint64_t element_bytes,
                                    uint64_t bytes) {
  const uint64_t base = reinterpret_cast<uint64_t>(DataOf(tensor));
  if (bytes == 0) return {base, base};
  if (tensor.strides == nullptr) return {base, base + bytes};
  int64_t low = 0;
  int64_t high = 0;
  for (int32_t d = 0; d < tensor.ndim; ++d) {
    const int64_t extent = (tensor.shape[d] - 1) * tensor.strides[d];
    (extent < 0 ? low : high) += extent;
  }
  const int64_t size = static_cast<int64_t>(element_bytes);
  return {base + static_cast<uint64_t>(low * size),
          base + static_cast<uint64_t>(high * size + size)};
}

// The call's shapes, dtypes and attributes as words; equal words mean an equal plan.
class Key {
 public:
  void Add(int64_t word) {
    if (count_ < small_.size()) {
      small_[count_] = word;
    } else {
      if (large_.empty()) large_.assign(small_.begin(), small_.end());
      large_.push_back(word);
    }
    ++count_;
  }
  void Add(const BasculeTensorInfo& info) {
    Add(info.present != 0 ? info.dtype : -1);
    Add(info.shape.rank);
    for (int64_t d = 0; d < info.shape.rank; ++d) Add(info.shape.dims[d]);
  }
  void Add(const BasculeAttribute& attribute) {
    Add(attribute.kind);
    switch (attribute.kind) {
      case BASCULE_ATTR_STRING:
        for (uint32_t i = 0; i < attribute.length; ++i) Add(attribute.value.s[i]);
        break;
      case BASCULE_ATTR_INT_LIST:
        for (uint32_t i = 0; i < attribute.length; ++i) Add(attribute.value.ints[i]);
        break;
      case BASCULE_ATTR_FLOAT_LIST:
        for (uint32_t i = 0; i < attribute.length; ++i) AddFloat(attribute.value.floats[i]);
        break;
      case BASCULE_ATTR_FLOAT:
        AddFloat(attribute.value.f);
        break;
      default:
        Add(attribute.value.i);
    }
    Add(attribute.length);
  }
  std::span<const int64_t> Words() const {
    return count_ <= small_.size() ? std::span<const int64_t>(small_.data(), count_)
                                   : std::span<const int64_t>(large_);
  }

 private:
  void AddFloat(float value) {
    int32_t bits = 0;
    std::memcpy(&bits, &value, sizeof(bits));
    Add(bits);
  }
  std::array<int64_t, 48> small_;
  std::vector<int64_t> large_;
  size_t count_ = 0;
};

struct KernelCall {
  void (*entry)(void);
  void* arguments[kKernelArguments];
  size_t count;
};

// A C function may be called with more arguments than it takes; the calling conventions of x86-64
// and AArch64 leave the rest alone. So three shapes serve all kernels.
void Invoke(const void* closure) {
  const KernelCall& call = *static_cast<const KernelCall*>(closure);
  void* const* a = call.arguments;
  using P = void*;
  if (call.count <= 8) {
    reinterpret_cast<void (*)(P, P, P, P, P, P, P, P)>(call.entry)(a[0], a[1], a[2], a[3], a[4],
                                                                   a[5], a[6], a[7]);
  } else if (call.count <= 16) {
    reinterpret_cast<void (*)(P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P)>(call.entry)(
        a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12], a[13],
        a[14], a[15]);
  } else {
    reinterpret_cast<void (*)(P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P, P,
                              P, P, P, P, P, P, P, P, P)>(call.entry)(
        a[0], a[1], a[2], a[3], a[4], a[5], a[6], a[7], a[8], a[9], a[10], a[11], a[12], a[13],
        a[14], a[15], a[16], a[17], a[18], a[19], a[20], a[21], a[22], a[23], a[24], a[25], a[26],
        a[27], a[28], a[29], a[30], a[31]);
  }
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
      CopyStrided<true>(*inputs[i], argument.data, argument.packed.get(), element);
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
    const auto [begin, end] = Reach(*outputs[i], element, argument.bytes);
    for (size_t j = 0; j < inputs.size() + i; ++j) {
      if (arguments[j].tensor == nullptr || arguments[j].bytes == 0) continue;
      const bool other_input = j < inputs.size();
      const BasculeTensor& other = *arguments[j].tensor;
      const uint64_t other_element = other.dtype_bits / 8u;
      const auto [other_begin, other_end] = Reach(other, other_element, arguments[j].bytes);
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
    CopyStrided<false>(*argument.tensor, DataOf(*argument.tensor), argument.packed.get(),
                       argument.tensor->dtype_bits / 8u);
  }
}

}  // namespace bascule::host
