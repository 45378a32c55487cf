// SPDX-License-Identifier: Apache-2.0
#include "host/library.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <utility>

#include "bascule/abi/kernel.h"
#include "bascule/c_api.h"
#include "base/error.h"
#include "host/kernel_name.h"
#include "host/load.h"
#include "host/plans.h"
#include "toolchain/elf_file.h"
#include "toolchain/kernel_symbols.h"
#include "toolchain/manifest.h"

namespace bascule::host {
namespace {

// Every library ever opened, by content and by table. Leaked on purpose: code is never unloaded.
struct Loaded {
  std::mutex mutex;
  std::map<ContentHash, std::unique_ptr<Library>> by_content;
  std::map<const BasculeLibraryTable*, std::unique_ptr<Library>> by_table;
};

Loaded& AllLoaded() {
  static Loaded* const loaded = new Loaded;
  return *loaded;
}

// A function's name as its source spells it, from its symbol.
std::string FunctionName(const std::string& symbol) {
  const std::string demangled = Demangled(symbol);
  return demangled.empty() ? symbol : WithoutSignature(demangled);
}

void CheckKernels(const std::string& path, const toolchain::KernelSymbols& symbols) {
  if (symbols.headers > BASCULE_KERNEL_ABI_VERSION) {
    throw Error(
        BASCULE_VERSION_MISMATCH,
        Join("'", path, "' was built with kernel headers that are newer than this runtime (",
             bascule_version(), "). Install their version, or build the library again."));
  }
  if (!symbols.kernels.empty()) return;
  std::vector<std::string> names;
  for (const std::string& symbol : symbols.functions) names.push_back(FunctionName(symbol));
  throw Error(
      BASCULE_BAD_LIBRARY,
      Join("'", path, "' holds no manifest, so it is not an operator library; make one with ",
           "`bascule build PROJECT`. It is no library of lone kernels either: ",
           symbols.headers == 0 ? "it was not compiled with bascule's kernel headers"
                                : "it exports no function declared __global__ __aicore__",
           ". Its functions: ", toolchain::Listed(names), "."));
}

nlohmann::json KernelSchema(const std::string& name) {
  return {{"name", name},
          {"kernel", true},
          {"inputs", nlohmann::json::array()},
          {"outputs", nlohmann::json::array()},
          {"attributes", nlohmann::json::array()},
          {"gradient",
           {{"kind", "none"},
            {"reason", "a lone kernel comes without one, unless Custom is given a bprop"}}}};
}

nlohmann::json KernelManifest(const toolchain::KernelSymbols& symbols) {
  nlohmann::json manifest = {{"kernel_abi", symbols.headers},
                             {"operators", nlohmann::json::array()}};
  for (const std::string& symbol : symbols.kernels) {
    manifest["operators"].push_back(KernelSchema(FunctionName(symbol)));
  }
  return manifest;
}

std::vector<int32_t> SameInputs(const BasculeOperatorDef& def) {
  std::vector<int32_t> same(def.output_count, -1);
  for (uint32_t i = 0; i < def.output_count; ++i) {
    for (uint32_t j = 0; j < def.input_count; ++j) {
      if (std::strcmp(def.outputs[i].name, def.inputs[j].name) == 0) {
        same[i] = static_cast<int32_t>(j);
      }
    }
  }
  const bool any = std::any_of(same.begin(), same.end(), [](int32_t j) { return j >= 0; });
  return any ? same : std::vector<int32_t>();
}

}  // namespace

void Operator::DescribeAsUnknown(const std::string& name) {
  // What is known of all of them: nothing but that they take tensors.
  static constexpr BasculeOperatorDef kUnknown = [] {
    BasculeOperatorDef def = {};
    def.struct_bytes = sizeof(def);
    def.type = "";
    return def;
  }();
  unknown_name = name;
  unknown_entry = {unknown_name.c_str(), &kUnknown, nullptr, 0, 0};
  entry = &unknown_entry;
}

Library& Library::Open(const std::string& path) {
  nlohmann::json manifest;
  toolchain::KernelSymbols symbols;
  if (const toolchain::ElfFile file(path);
      file.FindNote(BASCULE_NOTE_OWNER, BASCULE_NOTE_MANIFEST)) {
    manifest = toolchain::ReadManifest(path);
    toolchain::CheckVersions(path, manifest);
    if (const auto problems = toolchain::ManifestProblems(manifest); !problems.empty()) {
      throw Error(BASCULE_BAD_LIBRARY, Join(path, " is damaged: in its manifest, ", problems[0]));
    }
  } else {
    symbols = toolchain::ReadKernelSymbols(file);
    CheckKernels(path, symbols);
    manifest = KernelManifest(symbols);
  }
  const std::string content = ReadFile(path);
  const ContentHash key = HashOf(content);

  Loaded& loaded = AllLoaded();
  const std::lock_guard<std::mutex> lock(loaded.mutex);
  const auto same = loaded.by_content.find(key);
  if (same != loaded.by_content.end()) return *same->second;

  void* handle = LoadContent(path, content);
  std::unique_ptr<Library> library(new Library);
  library->path_ = path;
  library->content_ = key;
  library->manifest_ = manifest.dump();
  if (symbols.headers != 0) {
    library->AdoptKernels(handle, symbols);
    return *loaded.by_content.emplace(key, std::move(library)).first->second;
  }
  void* symbol = dlsym(handle, BASCULE_LIBRARY_SYMBOL);
  if (symbol == nullptr) {
    throw Error(BASCULE_BAD_LIBRARY, Join("'", path, "' has a manifest and no symbol ",
                                          BASCULE_LIBRARY_SYMBOL, "; build it again."));
  }
  BasculeLibraryFunction function;
  std::memcpy(&function, &symbol, sizeof(function));
  library->Adopt(*function());
  return *loaded.by_content.emplace(key, std::move(library)).first->second;
}

Library& Library::FromTable(const BasculeLibraryTable& table) {
  Loaded& loaded = AllLoaded();
  const std::lock_guard<std::mutex> lock(loaded.mutex);
  for (const auto& [key, library] : loaded.by_content) {
    if (library->table_ == &table) return *library;
  }
  std::unique_ptr<Library>& slot = loaded.by_table[&table];
  if (slot == nullptr) {
    std::unique_ptr<Library> library(new Library);
    Dl_info info;
    if (dladdr(&table, &info) != 0 && info.dli_fname != nullptr) library->path_ = info.dli_fname;
    library->Adopt(table);
    slot = std::move(library);
  }
  return *slot;
}

void Library::Adopt(const BasculeLibraryTable& table) {
  if (table.struct_bytes < sizeof(BasculeLibraryTable) ||
      table.abi_version > BASCULE_LIBRARY_ABI_VERSION) {
    throw Error(BASCULE_VERSION_MISMATCH,
                Join("'", path_, "' speaks version ", table.abi_version,
                     " of the library interface, this "
                     "runtime version ",
                     BASCULE_LIBRARY_ABI_VERSION, ". Build the library again."));
  }
  table_ = &table;
  const nlohmann::json manifest =
      manifest_.empty() ? nlohmann::json::object() : nlohmann::json::parse(manifest_);
  for (uint32_t i = 0; i < table.operator_count; ++i) {
    const BasculeOperatorEntry& entry = table.operators[i];
    if (entry.name == nullptr || entry.def == nullptr ||
        entry.def->struct_bytes < offsetof(BasculeOperatorDef, value_inputs)) {
      throw Error(BASCULE_BAD_LIBRARY, Join("operator ", i, " of '", path_, "' is incomplete."));
    }
    auto op = std::make_unique<Operator>();
    op->library = this;
    op->entry = &entry;
    op->takes_lists = registry::IsDynamic(*entry.def);
    op->value_inputs = registry::ValueInputs(*entry.def);
    op->same_inputs = SameInputs(*entry.def);
    for (const nlohmann::json& described : manifest.value("operators", nlohmann::json::array())) {
      if (described.value("name", "") == entry.name) op->schema = described.dump();
    }
    operators_.push_back(std::move(op));
  }
  std::vector<Operator*> own;
  for (const auto& op : operators_) own.push_back(op.get());
  UnpackCarriedPlans(*this, own, &table);
}

void Library::AdoptKernels(void* handle, const toolchain::KernelSymbols& symbols) {
  for (const std::string& symbol : symbols.kernels) {
    void* const address = dlsym(handle, symbol.c_str());
    if (address == nullptr) continue;
    auto op = std::make_unique<Operator>();
    op->library = this;
    std::memcpy(&op->kernel, &address, sizeof(address));
    op->DescribeAsUnknown(FunctionName(symbol));
    op->schema = KernelSchema(op->unknown_name).dump();
    operators_.push_back(std::move(op));
  }
  std::sort(operators_.begin(), operators_.end(),
            [](const auto& a, const auto& b) { return a->unknown_name < b->unknown_name; });
  for (const std::string& symbol : symbols.functions) functions_.push_back(FunctionName(symbol));
}

Operator& Library::Find(const std::string& name) const {
  if (has_kernels()) return FindKernel(name);
  std::string known;
  for (const auto& op : operators_) {
    if (name == op->entry->name) return *op;
    known += (known.empty() ? "" : ", ") + std::string(op->entry->name);
  }
  throw Error(BASCULE_NOT_FOUND,
              Join("'", path_, "' has no operator '", name, "'; it has: ", known, "."));
}

Operator& Library::FindKernel(const std::string& name) const {
  std::vector<std::string> names;
  for (const auto& op : operators_) {
    if (name == op->unknown_name) return *op;
    names.push_back(op->unknown_name);
  }
  std::string text = Join("'", path_, "' has no kernel '", name, "'");
  const std::string near = toolchain::NearName(names, name);
  if (std::find(functions_.begin(), functions_.end(), name) != functions_.end()) {
    text = Join("'", name, "' of '", path_, "' is a function and no kernel: it was not declared ",
                "__global__ __aicore__, so it cannot be launched.");
  } else {
    text += near.empty() ? "." : Join("; was '", near, "' meant?");
  }
  throw Error(BASCULE_NOT_FOUND,
              Join(text, " The library's kernels: ", toolchain::Listed(names), "."));
}

Operator& GradientOf(const Operator& op) {
  const std::string name = op.entry->name;
  const nlohmann::json schema =
      nlohmann::json::parse(op.schema, nullptr, /*allow_exceptions=*/false);
  const nlohmann::json gradient =
      schema.is_object() ? schema.value("gradient", nlohmann::json()) : nlohmann::json();
  const auto text = [&](const char* member, const char* otherwise) {
    const auto found = gradient.is_object() ? gradient.find(member) : gradient.end();
    return found != gradient.end() && found->is_string() ? found->get<std::string>() : otherwise;
  };
  const std::string kind = text("kind", "none");
  if (kind == "operator") return op.library->Find(text("operator", ""));
  if (kind == "python") {
    throw Error(BASCULE_UNSUPPORTED,
                Join(name, ": its gradient is Python text, ", text("function", "?"), " in ",
                     text("file", "?"),
                     ", which a program without Python cannot run. An operator can be named "
                     "instead: ",
                     name, "_bprop = \"", name, "_grad\"."));
  }
  throw Error(BASCULE_UNSUPPORTED,
              Join(name, " has no gradient: ", text("reason", "its project declares none"), "."));
}

}  // namespace bascule::host
