// What a library needs from other libraries, and which files the dynamic loader would give it.
// Nothing is loaded. SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_TOOLCHAIN_DEPENDENCIES_H_
#define BASCULE_TOOLCHAIN_DEPENDENCIES_H_

#include <filesystem>
#include <string>
#include <vector>

namespace bascule::toolchain {

struct Dependency {
  std::string name;                              // "libstdc++.so.6"
  std::string needed_by;                         // the file that names it
  std::filesystem::path path;                    // empty: not found
  std::vector<std::filesystem::path> looked_in;  // when it was not found
};

// All of them, also those of dependencies, each once. A file that is already in this process is
// what the loader would take. A file that cannot be read ends the search below it.
std::vector<Dependency> FindDependencies(const std::filesystem::path& library);

// The files that the loader's cache, /etc/ld.so.cache, lists for a name; none when it cannot be
// read. For tests, `cache` is another file.
std::vector<std::filesystem::path> CachedPaths(
    const std::string& name, const std::filesystem::path& cache = "/etc/ld.so.cache");

}  // namespace bascule::toolchain

#endif  // BASCULE_TOOLCHAIN_DEPENDENCIES_H_
