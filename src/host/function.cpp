// SPDX-License-Identifier: Apache-2.0
#include "host/function.h"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "base/error.h"
#include "host/load.h"
#include "host/tensors.h"
#include "toolchain/elf_file.h"
#include "toolchain/kernel_symbols.h"

namespace bascule::host {
namespace {

// Leaked on purpose: code is never unloaded.
struct Functions {
  std::mutex mutex;
  std::map<ContentHash, void*> handles;
  std::map<std::pair<ContentHash, std::string>, std::unique_ptr<Operator>> operators;
};

Functions& AllFunctions() {
  static Functions* const functions = new Functions;
  return *functions;
}

// Refuses what is no such function, as far as the file tells: calling a kernel this way would end
// the process.
void CheckFile(const std::string& path, const std::string& symbol) {
  const toolchain::ElfFile file(path);
  if (file.FindNote(BASCULE_NOTE_OWNER, BASCULE_NOTE_MANIFEST)) {
    throw Error(BASCULE_INVALID_ARGUMENT,
                Join("'", path, "' is an operator library; open it as one."));
  }
  const toolchain::KernelSymbols symbols = toolchain::ReadKernelSymbols(file);
  for (const std::string& kernel : symbols.kernels) {
    if (kernel == symbol) {
      throw Error(BASCULE_INVALID_ARGUMENT,
                  Join("'", symbol, "' of '", path, "' is a kernel; open the library instead."));
    }
  }
  const std::vector<std::string>& names = symbols.functions;
  if (std::find(names.begin(), names.end(), symbol) != names.end()) return;
  const std::string near = toolchain::NearName(names, symbol);
  throw Error(BASCULE_NOT_FOUND, Join("'", path, "' has no function '", symbol, "'",
                                      near.empty() ? "." : Join("; was '", near, "' meant?"),
                                      " Its functions: ", toolchain::Listed(names), "."));
}

std::string Subject(const Operator& op, size_t i) {
  return Join(op.entry->name, ": ", ArgumentName(static_cast<uint32_t>(i) + 1));
}

}  // namespace

Operator& OpenFunction(const std::string& path, const std::string& symbol) {
  CheckFile(path, symbol);
  const std::string content = ReadFile(path);
  const ContentHash hash = HashOf(content);

  Functions& all = AllFunctions();
  const std::lock_guard<std::mutex> lock(all.mutex);
  std::unique_ptr<Operator>& slot = all.operators[{hash, symbol}];
  if (slot != nullptr) return *slot;
  void*& handle = all.handles[hash];
  if (handle == nullptr) handle = LoadContent(path, content);
  void* const address = dlsym(handle, symbol.c_str());
  if (address == nullptr) {
    throw Error(BASCULE_NOT_FOUND, Join("'", path, "' does not give out '", symbol, "'."));
  }
  auto op = std::make_unique<Operator>();
  std::memcpy(&op->function, &address, sizeof(address));
  op->DescribeAsUnknown(symbol);
  op->schema =
      nlohmann::json{{"name", symbol},
                     {"kernel", true},
                     {"inputs", nlohmann::json::array()},
                     {"outputs", nlohmann::json::array()},
                     {"attributes", nlohmann::json::array()},
                     {"gradient",
                      {{"kind", "none"},
                       {"reason", "a function comes without one, unless Custom is given a bprop"}}}}
          .dump();
  slot = std::move(op);
  return *slot;
}

void CallFunction(Operator& op, std::span<const BasculeTensor* const> inputs,
                  std::span<BasculeTensor* const> outputs) {
  const char* const name = op.entry->name;
  const size_t count = inputs.size() + outputs.size();
  if (count > kMaxTensors) {
    throw Error(BASCULE_UNSUPPORTED, Join(name, ": a call takes at most ", kMaxTensors,
                                          " tensors, ", count, " were passed."));
  }
  std::array<Operand, kMaxTensors> operands;
  std::array<Memory, kMaxTensors> packed;
  std::array<void*, kMaxTensors> params;
  std::array<int, kMaxTensors> ranks;
  std::array<std::array<int64_t, BASCULE_MAX_RANK>, kMaxTensors> dims;
  std::array<int64_t*, kMaxTensors> shapes;
  std::array<const char*, kMaxTensors> dtypes;
  for (size_t i = 0; i < count; ++i) {
    const bool output = i >= inputs.size();
    const BasculeTensor* const tensor = output ? outputs[i - inputs.size()] : inputs[i];
    if (tensor == nullptr) {
      throw Error(BASCULE_INVALID_ARGUMENT,
                  Join(Subject(op, i), " was left out; a function takes every tensor."));
    }
    Operand& operand = operands[i];
    operand.tensor = tensor;
    Examine(*tensor, &operand, [&] { return Subject(op, i); });
    if (output) CheckOwnMemory(name, std::span<const Operand>(operands.data(), i + 1));
    params[i] = operand.data;
    if (!operand.dense) {
      packed[i] = Allocate(operand.bytes, name, output ? "a packed output" : "a packed input");
      params[i] = packed[i].get();
      if (!output) {
        Pack(operand, packed[i].get());
        op.copies.Count(operand.bytes, false);
      }
    }
    ranks[i] = tensor->ndim;
    std::copy_n(tensor->shape, tensor->ndim, dims[i].begin());
    shapes[i] = dims[i].data();
    dtypes[i] = operand.dtype->name;
  }
  int result = 0;
  try {
    result = op.function(static_cast<int>(count), params.data(), ranks.data(), shapes.data(),
                         dtypes.data(), nullptr, nullptr);
  } catch (const std::exception& error) {
    throw Error(BASCULE_KERNEL_ERROR, Join(name, ": the function threw: ", error.what()));
  } catch (...) {
    throw Error(BASCULE_KERNEL_ERROR,
                Join(name, ": the function threw what is no std::exception."));
  }
  if (result != 0) {
    throw Error(BASCULE_KERNEL_ERROR,
                Join(name, ": the function returned ", result, " for ", inputs.size(),
                     inputs.size() == 1 ? " input and " : " inputs and ", outputs.size(),
                     outputs.size() == 1 ? " output" : " outputs",
                     "; 0 means success, what else means only its author knows."));
  }
  for (size_t i = inputs.size(); i < count; ++i) {
    if (packed[i] == nullptr) continue;
    Unpack(packed[i].get(), operands[i]);
    op.copies.Count(operands[i].bytes, true);
  }
}

}  // namespace bascule::host
