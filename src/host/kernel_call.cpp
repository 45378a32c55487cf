// SPDX-License-Identifier: Apache-2.0
#include "host/kernel_call.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <memory>
#include <string>

#include "base/dtype.h"
#include "base/error.h"
#include "base/warning.h"
#include "engine/launch.h"
#include "engine/not_passed.h"
#include "engine/platform.h"
#include "host/launch.h"
#include "host/tensors.h"
#include "registry/inference.h"

namespace bascule::host {
namespace {

constexpr uint64_t kBlockBytes = BASCULE_DATABLOCK_BYTES;

uint64_t RoundUp(uint64_t value, uint64_t unit) { return (value + unit - 1) / unit * unit; }

std::string Subject(const Operator& op, size_t i) {
  return Join(op.entry->name, ": ", ArgumentName(static_cast<uint32_t>(i) + 1));
}

// Marks memory that a kernel has to write, so that one that does not shows. The engine sees the
// writes of instructions and of SetValue; through a raw pointer a kernel writes unseen. A large
// tensor gets its marks in a few places only: the cost of a call must not grow by a pass over
// memory.
class Marks {
 public:
  static void Put(char* data, uint64_t bytes) {
    Visit(bytes, [&](uint64_t at) { data[at] = Mark(at); });
  }
  static bool Untouched(const char* data, uint64_t bytes) {
    bool same = true;
    Visit(bytes, [&](uint64_t at) { same = same && data[at] == Mark(at); });
    return same;
  }

 private:
  static constexpr uint64_t kWhole = 4096;
  static constexpr uint64_t kPlaces = 64;
  static constexpr uint64_t kPlaceBytes = 32;

  static char Mark(uint64_t at) { return static_cast<char>(0xa5 ^ (at * 151 + at / 256 * 37)); }
  template <typename Byte>
  static void Visit(uint64_t bytes, Byte byte) {
    if (bytes <= kWhole) {
      for (uint64_t at = 0; at < bytes; ++at) byte(at);
      return;
    }
    for (uint64_t place = 0; place < kPlaces; ++place) {
      const uint64_t begin = (bytes - kPlaceBytes) / (kPlaces - 1) * place;
      for (uint64_t at = begin; at < begin + kPlaceBytes; ++at) byte(at);
    }
  }
};

uint32_t BlocksFor(uint64_t total, uint64_t element_bytes) {
  const uint64_t cores = engine::Ascend910B().aiv_cores;
  const uint64_t lanes = std::max<uint64_t>(1, kBlockBytes / element_bytes);
  const uint64_t share = RoundUp((total + cores - 1) / cores, lanes);
  if (share == 0) return 1;
  return static_cast<uint32_t>(std::min(cores, (total + share - 1) / share));
}

void TellOfPadding(Operator& op, uint64_t padded_bytes, uint32_t position) {
  if (op.told_of_padding.exchange(true)) return;
  const std::string sentence = Join(
      op.entry->name, ": argument ", position, " has ", padded_bytes,
      " bytes, which is no multiple of ", kBlockBytes,
      ", and the kernel uses the whole last datablock. Here it finds padding behind the "
      "tensor, and only the tensor's own elements come back; on an NPU it would touch what lies "
      "behind it. DataCopyPad copies a tail.");
  WarnOnce("padding", op.entry->name, 0, sentence);
}

}  // namespace

void CallKernel(Operator& op, std::span<const BasculeTensor* const> inputs,
                std::span<BasculeTensor* const> outputs) {
  const char* const name = op.entry->name;
  const size_t count = inputs.size() + outputs.size();
  if (count > kMaxTensors) {
    throw Error(BASCULE_UNSUPPORTED, Join(name, ": a call takes at most ", kMaxTensors,
                                          " tensors, ", count, " were passed."));
  }
  if (outputs.empty()) {
    throw Error(BASCULE_INVALID_ARGUMENT,
                Join(name, ": no output was passed; a kernel leaves its results in outputs."));
  }

  std::array<Operand, kMaxTensors> operands;
  registry::PlanKey key;
  bool empty = true;
  const Operand* first = nullptr;
  for (size_t i = 0; i < count; ++i) {
    const bool output = i >= inputs.size();
    Operand& operand = operands[i];
    const BasculeTensor* const tensor = output ? outputs[i - inputs.size()] : inputs[i];
    operand.tensor = tensor;
    operand.bytes = 0;
    operand.data = nullptr;
    if (tensor == nullptr) {
      if (output) throw Error(BASCULE_INVALID_ARGUMENT, Join(Subject(op, i), " is null."));
      key.AddAbsent();
      continue;
    }
    Examine(*tensor, &operand, [&] { return Subject(op, i); });
    AddTo(key, operand);
    if (first == nullptr) first = &operand;
    if (!output || operand.bytes == 0) continue;
    empty = false;
    CheckOwnMemory(name, std::span<const Operand>(operands.data(), i + 1));
  }
  if (empty) return;  // nothing to compute, and nothing left undefined

  KernelCall kernel = {op.kernel, {}, engine::kKernelArguments};
  for (uint32_t i = 0; i < engine::kKernelArguments; ++i) {
    kernel.arguments[i] = engine::NotPassed(i + 1);
  }
  std::array<engine::GlobalInterval, kMaxTensors> intervals;
  std::array<Memory, kMaxTensors> packed;
  size_t interval_count = 0;
  uint64_t total_bytes = 0;
  size_t padded = count;  // the first argument that ends within a datablock
  for (size_t i = 0; i < count; ++i) {
    const Operand& operand = operands[i];
    const bool output = i >= inputs.size();
    char* data = operand.data;
    if (operand.bytes != 0) {
      const uint64_t whole = RoundUp(operand.bytes, kBlockBytes);
      if (whole != operand.bytes && padded == count) padded = i;
      if (whole != operand.bytes || !operand.dense) {
        packed[i] = Allocate(whole, name, output ? "a packed output" : "a packed input");
        data = packed[i].get();
        if (!output) Pack(operand, data);
        std::memset(data + operand.bytes, 0, whole - operand.bytes);
        op.copies.Count(operand.bytes, output);
      }
      if (output) Marks::Put(data, operand.bytes);
      total_bytes += operand.bytes;
      engine::GlobalInterval& interval = intervals[interval_count++];
      interval.begin = reinterpret_cast<uint64_t>(data);
      interval.end = interval.begin + operand.bytes;
      interval.padded_end = interval.begin + whole;
      interval.rights = output ? BASCULE_READ | BASCULE_WRITE : BASCULE_READ;
      interval.name = ArgumentName(static_cast<uint32_t>(i) + 1);
      interval.dtype = operand.dtype->dtype;
    }
    kernel.arguments[i] = data;
  }
  const auto by_begin = [](const engine::GlobalInterval& a, const engine::GlobalInterval& b) {
    return a.begin < b.begin;
  };
  std::sort(intervals.begin(), intervals.begin() + static_cast<ptrdiff_t>(interval_count),
            by_begin);

  // An int4 counts as its half of a byte: kernels handle two at a time.
  const uint64_t total = first->count;
  const uint64_t first_element_bytes = std::max<uint64_t>(first->dtype->bits / 8, 1);
  const registry::PlanRef cached = op.plans.FindOrMake(key.Words(), [&] {
    registry::Plan plan;
    plan.block_count = BlocksFor(total, first_element_bytes);
    return plan;
  });

  std::atomic<uint64_t> written{0};
  std::atomic<bool> padding_used{false};
  engine::LaunchRequest request;
  request.kernel = name;
  request.invoke = Invoke;
  request.closure = &kernel;
  request.block_count = cached->block_count();
  request.kernel_type =
      KernelTypeOf(reinterpret_cast<const void*>(op.kernel), BASCULE_KERNEL_UNSAID);
  request.platform = &engine::Ascend910B();
  request.globals = std::span<const engine::GlobalInterval>(intervals.data(), interval_count);
  request.written = &written;
  request.padding_used = &padding_used;
  request.arguments = static_cast<uint32_t>(count);
  request.bytes = total_bytes;
  if (first->dtype->bits >= 8) {
    request.first_elements = total;
    request.first_element_bytes = static_cast<uint32_t>(first_element_bytes);
  }
  Launch(request, cached->launch_ns());

  for (size_t i = inputs.size(); i < count; ++i) {
    const Operand& operand = operands[i];
    if (operand.bytes == 0) continue;
    char* const data = static_cast<char*>(kernel.arguments[i]);
    engine::GlobalInterval wanted;
    wanted.begin = reinterpret_cast<uint64_t>(data);
    const auto interval =
        std::lower_bound(request.globals.begin(), request.globals.end(), wanted, by_begin);
    const uint64_t bit = uint64_t{1} << (interval - request.globals.begin());
    if ((written.load() & bit) == 0 && Marks::Untouched(data, operand.bytes)) {
      throw Error(BASCULE_KERNEL_ERROR,
                  Join(name, ": the kernel ran and wrote nothing to output ", i - inputs.size() + 1,
                       ", its argument ", i + 1, ". It was called with ", inputs.size(),
                       inputs.size() == 1 ? " input and " : " inputs and ", outputs.size(),
                       outputs.size() == 1 ? " output" : " outputs",
                       "; it has to take as many, the inputs first."));
    }
  }
  for (size_t i = inputs.size(); i < count; ++i) {
    if (packed[i] != nullptr) Unpack(packed[i].get(), operands[i]);
  }
  if (padding_used.load()) {
    TellOfPadding(op, operands[padded].bytes, static_cast<uint32_t>(padded) + 1);
  }
}

}  // namespace bascule::host
