// SPDX-License-Identifier: Apache-2.0
#include "toolchain/dependencies.h"

#include <dlfcn.h>
#include <link.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <iterator>
#include <set>
#include <string_view>

#include "base/error.h"
#include "toolchain/elf_file.h"

namespace bascule::toolchain {
namespace {

namespace fs = std::filesystem;

// The layout of the loader's cache. Source: ldconfig(8) names the file; its format is that of
// glibc 2.2 and later: a magic text, a header, entries, and the strings they point to.
constexpr std::string_view kCacheMagic = "glibc-ld.so.cache1.1";
constexpr std::size_t kCacheHeaderBytes = 48;
struct CacheEntry {
  int32_t flags;
  uint32_t name;  // offsets from the beginning of the header
  uint32_t path;
  uint32_t os_version;
  uint64_t hardware;
};
static_assert(sizeof(CacheEntry) == 24);

// Where the loader looks last.
#if defined(__x86_64__)
constexpr const char* kLastFolders[] = {"/lib/x86_64-linux-gnu",
                                        "/usr/lib/x86_64-linux-gnu",
                                        "/lib64",
                                        "/usr/lib64",
                                        "/lib",
                                        "/usr/lib"};
#elif defined(__aarch64__)
constexpr const char* kLastFolders[] = {"/lib/aarch64-linux-gnu",
                                        "/usr/lib/aarch64-linux-gnu",
                                        "/lib64",
                                        "/usr/lib64",
                                        "/lib",
                                        "/usr/lib"};
#else
constexpr const char* kLastFolders[] = {"/lib64", "/usr/lib64", "/lib", "/usr/lib"};
#endif

// The file of a library that this process has loaded; empty when it has not.
fs::path InProcess(const std::string& name) {
  void* handle = dlopen(name.c_str(), RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
  if (handle == nullptr) return {};
  fs::path path;
  link_map* map = nullptr;
  if (dlinfo(handle, RTLD_DI_LINKMAP, &map) == 0 && map != nullptr && map->l_name[0] != '\0') {
    path = map->l_name;
  }
  dlclose(handle);
  return path;
}

// "a:b" as folders, with $ORIGIN for `origin`.
std::vector<fs::path> Folders(const std::string& text, const fs::path& origin) {
  std::vector<fs::path> folders;
  std::size_t begin = 0;
  while (begin <= text.size() && !text.empty()) {
    const std::size_t end = std::min(text.find(':', begin), text.size());
    std::string folder = text.substr(begin, end - begin);
    for (const char* const word : {"${ORIGIN}", "$ORIGIN"}) {
      const std::size_t at = folder.find(word);
      if (at != std::string::npos) folder.replace(at, std::strlen(word), origin.string());
    }
    if (!folder.empty()) folders.emplace_back(folder);
    begin = end + 1;
  }
  return folders;
}

bool Loadable(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return false;
  try {
    const ElfFile file(path);
    return file.is_shared();
  } catch (const Error&) {
    return false;  // of another machine, or damaged: the loader goes on
  }
}

void Find(const std::string& search_path, const fs::path& origin, Dependency* dependency) {
  if (dependency->name.find('/') != std::string::npos) {
    if (Loadable(dependency->name)) dependency->path = dependency->name;
    return;
  }
  dependency->path = InProcess(dependency->name);
  if (!dependency->path.empty()) return;
  std::vector<fs::path> folders;
  const char* const environment = std::getenv("LD_LIBRARY_PATH");
  for (const std::string& text :
       {std::string(environment != nullptr ? environment : ""), search_path}) {
    for (const fs::path& folder : Folders(text, origin)) folders.push_back(folder);
  }
  for (const fs::path& folder : folders) {
    if (!Loadable(folder / dependency->name)) continue;
    dependency->path = folder / dependency->name;
    return;
  }
  for (const fs::path& path : CachedPaths(dependency->name)) {
    if (!Loadable(path)) continue;
    dependency->path = path;
    return;
  }
  for (const char* const folder : kLastFolders) {
    folders.emplace_back(folder);
    if (!Loadable(folders.back() / dependency->name)) continue;
    dependency->path = folders.back() / dependency->name;
    return;
  }
  dependency->looked_in = std::move(folders);
}

}  // namespace

std::vector<fs::path> CachedPaths(const std::string& name, const fs::path& cache) {
  std::ifstream file(cache, std::ios::binary);
  const std::string content{std::istreambuf_iterator<char>(file), {}};
  // Older caches begin with a table in an older format.
  const std::size_t begin = content.find(kCacheMagic);
  if (begin == std::string::npos) return {};
  const std::string_view text = std::string_view(content).substr(begin);
  uint32_t count = 0;
  if (text.size() < kCacheHeaderBytes) return {};
  std::memcpy(&count, text.data() + kCacheMagic.size(), sizeof(count));
  if (count > (text.size() - kCacheHeaderBytes) / sizeof(CacheEntry)) return {};
  const auto string_at = [&](uint32_t offset) {
    if (offset >= text.size()) return std::string_view();
    const std::string_view rest = text.substr(offset);
    return rest.substr(0, rest.find('\0'));
  };
  std::vector<fs::path> paths;
  for (uint32_t i = 0; i < count; ++i) {
    CacheEntry entry;
    std::memcpy(&entry, text.data() + kCacheHeaderBytes + i * sizeof(entry), sizeof(entry));
    if (string_at(entry.name) == name) paths.emplace_back(string_at(entry.path));
  }
  return paths;
}

std::vector<Dependency> FindDependencies(const fs::path& library) {
  std::vector<Dependency> dependencies;
  std::set<std::string> known;
  std::deque<fs::path> files = {library};
  while (!files.empty()) {
    const fs::path path = files.front();
    files.pop_front();
    ElfDynamic dynamic;
    try {
      dynamic = ElfFile(path).Dynamic();
    } catch (const Error&) {
      if (path == library) throw;
      continue;
    }
    std::error_code error;
    const fs::path origin = fs::weakly_canonical(path, error).parent_path();
    for (const std::string& name : dynamic.needed) {
      if (!known.insert(name).second) continue;
      Dependency dependency;
      dependency.name = name;
      dependency.needed_by = path.string();
      Find(dynamic.search_path, origin, &dependency);
      if (!dependency.path.empty()) files.push_back(dependency.path);
      dependencies.push_back(std::move(dependency));
    }
  }
  return dependencies;
}

}  // namespace bascule::toolchain
