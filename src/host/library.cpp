// SPDX-License-Identifier: Apache-2.0
#include "host/library.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <utility>

#include "bascule/abi/kernel.h"
#include "bascule/c_api.h"
#include "base/error.h"
#include "toolchain/manifest.h"
#include "xxhash.h"

namespace bascule::host {
namespace {

// Every library ever opened, by content and by table. Leaked on purpose: code is never unloaded.
struct Loaded {
  std::mutex mutex;
  std::map<std::pair<uint64_t, uint64_t>, std::unique_ptr<Library>> by_content;
  std::map<const BasculeLibraryTable*, std::unique_ptr<Library>> by_table;
};

Loaded& AllLoaded() {
  static Loaded* const loaded = new Loaded;
  return *loaded;
}

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string content{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file.good() && !file.eof()) {
    throw Error(BASCULE_NOT_FOUND,
                Join("'", path, "' cannot be read: ", std::strerror(errno), "."));
  }
  return content;
}

// The dynamic loader goes by name: a path it has loaded before gives the old code, whatever the
// file holds now. A private copy under a name of its own does not.
void* LoadCopy(const std::string& path, const std::string& content) {
  std::string folder = (std::filesystem::temp_directory_path() / "bascule-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) {
    throw Error(BASCULE_INTERNAL, Join("no temporary folder for the rebuilt '", path,
                                       "' could be made: ", std::strerror(errno), "."));
  }
  const std::string copy = folder + "/" + std::filesystem::path(path).filename().string();
  {
    std::ofstream file(copy, std::ios::binary);
    file.write(content.data(), static_cast<std::streamsize>(content.size()));
  }
  void* handle = dlopen(copy.c_str(), RTLD_NOW | RTLD_LOCAL);
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  return handle;
}

void CheckVersions(const std::string& path, const nlohmann::json& manifest) {
  const int library_abi = manifest.value("library_abi", 0);
  const int kernel_abi = manifest.value("kernel_abi", 0);
  if (library_abi > BASCULE_LIBRARY_ABI_VERSION || kernel_abi > BASCULE_KERNEL_ABI_VERSION) {
    throw Error(
        BASCULE_VERSION_MISMATCH,
        Join("'", path, "' was built with bascule ", manifest.value("bascule", std::string("?")),
             ", which is newer than this runtime (", bascule_version(),
             "). Install that version, or build the library again."));
  }
}

}  // namespace

Library& Library::Open(const std::string& path) {
  const nlohmann::json manifest = toolchain::ReadManifest(path);
  CheckVersions(path, manifest);
  const std::string content = ReadFile(path);
  const XXH128_hash_t hash = XXH3_128bits(content.data(), content.size());
  const std::pair<uint64_t, uint64_t> key{hash.high64, hash.low64};
  std::error_code error;
  std::string full = std::filesystem::canonical(path, error).string();
  if (error) full = path;

  Loaded& loaded = AllLoaded();
  const std::lock_guard<std::mutex> lock(loaded.mutex);
  const auto same = loaded.by_content.find(key);
  if (same != loaded.by_content.end()) return *same->second;

  const bool in_process = dlopen(full.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD) != nullptr;
  void* handle = in_process ? LoadCopy(full, content) : dlopen(full.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* why = dlerror();
    throw Error(
        BASCULE_BAD_LIBRARY,
        Join("'", path, "' could not be loaded: ", why != nullptr ? why : "no reason given", "."));
  }
  void* symbol = dlsym(handle, BASCULE_LIBRARY_SYMBOL);
  if (symbol == nullptr) {
    throw Error(BASCULE_BAD_LIBRARY, Join("'", path, "' has a manifest and no symbol ",
                                          BASCULE_LIBRARY_SYMBOL, "; build it again."));
  }
  BasculeLibraryFunction function;
  std::memcpy(&function, &symbol, sizeof(function));
  std::unique_ptr<Library> library(new Library);
  library->path_ = path;
  library->manifest_ = manifest.dump();
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
        entry.def->struct_bytes < sizeof(BasculeOperatorDef)) {
      throw Error(BASCULE_BAD_LIBRARY, Join("operator ", i, " of '", path_, "' is incomplete."));
    }
    auto op = std::make_unique<Operator>();
    op->entry = &entry;
    for (const nlohmann::json& described : manifest.value("operators", nlohmann::json::array())) {
      if (described.value("name", "") == entry.name) op->schema = described.dump();
    }
    operators_.push_back(std::move(op));
  }
}

Operator& Library::Find(const std::string& name) const {
  std::string known;
  for (const auto& op : operators_) {
    if (name == op->entry->name) return *op;
    known += (known.empty() ? "" : ", ") + std::string(op->entry->name);
  }
  throw Error(BASCULE_NOT_FOUND,
              Join("'", path_, "' has no operator '", name, "'; it has: ", known, "."));
}

}  // namespace bascule::host
