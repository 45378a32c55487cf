// Operator libraries in this process.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_HOST_LIBRARY_H_
#define BASCULE_HOST_LIBRARY_H_

#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bascule/abi/library.h"
#include "registry/inference.h"
#include "registry/lists.h"
#include "registry/plan_cache.h"
#include "toolchain/kernel_symbols.h"

namespace bascule::host {

class Library;

// What was copied because a tensor was not dense. Counted where something was copied anyway.
struct CopyCounts {
  std::atomic<uint64_t> inputs{0};
  std::atomic<uint64_t> input_bytes{0};
  std::atomic<uint64_t> outputs{0};
  std::atomic<uint64_t> output_bytes{0};

  void Count(uint64_t bytes, bool output) {
    (output ? outputs : inputs).fetch_add(1, std::memory_order_relaxed);
    (output ? output_bytes : input_bytes).fetch_add(bytes, std::memory_order_relaxed);
  }
};

class Library;

// What the process keeps of one operator. Lives as long as the process.
struct Operator {
  const Library* library = nullptr;
  const BasculeOperatorEntry* entry = nullptr;
  // Of the definition, for every call: whether a parameter is a list, and registry::ValueInputs().
  bool takes_lists = false;
  uint64_t value_inputs = 0;
  // Of each output, the input of the same name; -1: none has it. Empty: so it is of all outputs.
  std::vector<int32_t> same_inputs;
  std::string schema;  // its entry of the manifest, as JSON
  registry::PlanCache plans;
  CopyCounts copies;
  std::atomic<uint64_t> calls{0};         // that succeeded
  std::atomic<uint64_t> gradients{0};     // how often whoever differentiates it said that it did
  std::atomic<uint64_t> loaded_plans{0};  // that came with the library or from a file
  // Known by its symbol only, of which the caller says what it takes: a lone kernel, which was
  // compiled without a project, or a function (host/function.h). The schema says its name and no
  // parameters, the definition is empty.
  void (*kernel)(void) = nullptr;
  int (*function)(int, void**, int*, int64_t**, const char**, void*, void*) = nullptr;
  std::string unknown_name;
  BasculeOperatorEntry unknown_entry = {};
  std::atomic<bool> told_of_padding{false};

  bool takes_any() const { return kernel != nullptr || function != nullptr; }
  // "a lone kernel", for sentences about what takes any tensors.
  const char* kind() const { return kernel != nullptr ? "a lone kernel" : "a function"; }
  void DescribeAsUnknown(const std::string& name);
  // Which tensors of a call are whose. Throws Error (registry::Lists::Of). Most operators take no
  // lists and most callers say nothing of any; then there is nothing to work out.
  registry::Lists ListsOf(size_t inputs, size_t outputs, const registry::Counts& counts) const {
    if (takes_lists || !counts.inputs.empty() || !counts.outputs.empty()) [[unlikely]]
      return registry::Lists::Of(*entry, inputs, outputs, counts);
    registry::CheckCounts(*entry, inputs, outputs);
    return {};
  }
};

class Library {
 public:
  // Opens the file, or returns the library that was opened from the same content. Throws Error.
  static Library& Open(const std::string& path);
  // The library behind a table that arrived without Open: one that a framework loaded by itself.
  static Library& FromTable(const BasculeLibraryTable& table);

  // Of the file's content; 0 for one that a framework loaded by itself.
  std::pair<uint64_t, uint64_t> content() const { return content_; }
  const std::string& path() const { return path_; }
  const std::string& manifest() const { return manifest_; }
  const std::vector<std::unique_ptr<Operator>>& operators() const { return operators_; }
  // Throws Error, which lists what is there.
  Operator& Find(const std::string& name) const;
  // Whether this is a library of lone kernels, without manifest.
  bool has_kernels() const { return table_ == nullptr; }

 private:
  Library() = default;
  void Adopt(const BasculeLibraryTable& table);
  // For a library of lone kernels.
  void AdoptKernels(void* handle, const toolchain::KernelSymbols& symbols);
  Operator& FindKernel(const std::string& name) const;

  std::string path_;
  std::pair<uint64_t, uint64_t> content_{0, 0};
  std::string manifest_;
  const BasculeLibraryTable* table_ = nullptr;
  std::vector<std::unique_ptr<Operator>> operators_;
  std::vector<std::string> functions_;  // of a library of lone kernels: what are none
};

// The operator that computes the gradients of `op`. Throws Error where it is something else.
Operator& GradientOf(const Operator& op);

}  // namespace bascule::host

#endif  // BASCULE_HOST_LIBRARY_H_
