// SPDX-License-Identifier: Apache-2.0
#include "host/load.h"

#include <dlfcn.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/error.h"
#include "xxhash.h"

namespace bascule::host {
namespace {

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

}  // namespace

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string content{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file.good() && !file.eof()) {
    throw Error(BASCULE_NOT_FOUND,
                Join("'", path, "' cannot be read: ", std::strerror(errno), "."));
  }
  return content;
}

ContentHash HashOf(const std::string& content) {
  const XXH128_hash_t hash = XXH3_128bits(content.data(), content.size());
  return {hash.high64, hash.low64};
}

void* LoadContent(const std::string& path, const std::string& content) {
  std::error_code error;
  std::string full = std::filesystem::canonical(path, error).string();
  if (error) full = path;
  const bool in_process = dlopen(full.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD) != nullptr;
  void* handle = in_process ? LoadCopy(full, content) : dlopen(full.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    const char* why = dlerror();
    throw Error(
        BASCULE_BAD_LIBRARY,
        Join("'", path, "' could not be loaded: ", why != nullptr ? why : "no reason given", "."));
  }
  return handle;
}

}  // namespace bascule::host
