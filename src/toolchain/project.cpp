// SPDX-License-Identifier: Apache-2.0
#include "toolchain/project.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <sstream>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "toolchain/cache.h"

namespace bascule::toolchain {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLayout =
    "a project has op_host/<name>.cpp with the OpDef and op_kernel/<name>.cpp with the kernel";

// Whether a folder or file is for processors after this family by its name: "arch35",
// "add_tiling_arch35" are Ascend 950's.
bool IsForLaterProcessors(std::string_view name) {
  constexpr std::string_view kArchitecture = "arch";
  constexpr int kLast = 32;  // of the vector units this family has
  if (const std::size_t last = name.rfind('_'); last != std::string_view::npos) {
    name.remove_prefix(last + 1);
  }
  if (!name.starts_with(kArchitecture) || name.size() != kArchitecture.size() + 2) return false;
  int number = 0;
  const char* const end = name.data() + name.size();
  const auto read = std::from_chars(name.data() + kArchitecture.size(), end, number);
  return read.ec == std::errc() && read.ptr == end && number > kLast;
}

// Folders below op_host with code that is not the operator's own: functions for programs (aclnn),
// tests, and what is for other processors.
bool IsForOthers(const std::string& folder) {
  for (const char* other : {"op_api", "tests", "test", "ut", "config"}) {
    if (folder == other) return true;
  }
  return IsForLaterProcessors(folder);
}

// A header of the layer that functions for programs are written with: its executor, its kernels.
bool IsOfFunctions(std::string_view header) {
  if (header.starts_with("aclnn/")) header.remove_prefix(6);
  if (header == "opdev/platform.h" || header == "opdev/op_log.h") return false;  // tiling has them
  return header.starts_with("opdev/") || header.starts_with("aclnn_kernels/") ||
         header.starts_with("aclnnop/");
}

// Whether a file includes that layer, itself or through headers beside it.
bool IncludesFunctions(const fs::path& file, std::set<fs::path>* seen) {
  std::error_code error;
  if (!fs::is_regular_file(file, error) || !seen->insert(file).second) return false;
  std::istringstream lines(ReadFile(file));
  for (std::string line; std::getline(lines, line);) {
    constexpr std::string_view kInclude = "#include \"";
    if (!line.starts_with(kInclude)) continue;
    const std::size_t end = line.find('"', kInclude.size());
    if (end == std::string::npos) continue;
    const std::string header = line.substr(kInclude.size(), end - kInclude.size());
    if (IsOfFunctions(header)) return true;
    if (IncludesFunctions((file.parent_path() / header).lexically_normal(), seen)) return true;
  }
  return false;
}

// Whether a source is a function for programs (aclnn), or what one is made of. What says something
// of an operator is the operator's, whatever it includes.
bool IsForPrograms(const fs::path& source) {
  std::set<fs::path> seen;
  if (!IncludesFunctions(source, &seen)) return false;
  const std::string text = ReadFile(source);
  return text.find("OP_ADD") == std::string::npos && text.find("IMPL_OP") == std::string::npos;
}

}  // namespace

Project FindProject(const std::string& path) {
  std::error_code error;
  const fs::path given = fs::absolute(path.empty() ? "." : path, error).lexically_normal();
  if (!fs::exists(given, error)) {
    throw Error(BASCULE_NOT_FOUND, Join("there is no project ", path, "; ", kLayout));
  }
  Project project;
  if (!fs::is_directory(given, error)) {
    const std::string extension = given.extension().string();
    if (extension != ".cpp" && extension != ".cc" && extension != ".cxx") {
      throw Error(BASCULE_UNSUPPORTED,
                  Join(path,
                       " is neither the folder of a project nor a kernel's file, which ends in "
                       ".cpp, .cc or .cxx; ",
                       kLayout));
    }
    project.lone_kernel = fs::canonical(given, error);
    if (error) throw Error(BASCULE_NOT_FOUND, Join(path, " cannot be read: ", error.message()));
    if (!fs::is_regular_file(given, error)) {  // reading a pipe would wait for a writer
      throw Error(BASCULE_NOT_FOUND, Join(path, " is not a regular file"));
    }
    project.root = project.lone_kernel.parent_path();
    project.name = project.lone_kernel.stem().string();
    return project;
  }
  // The real path, so that the same project reached two ways is built once.
  project.root = fs::canonical(given, error);
  if (error) throw Error(BASCULE_NOT_FOUND, Join(path, " cannot be read: ", error.message()));
  project.name = project.root.filename().string();

  const fs::path host = project.root / "op_host";
  if (!fs::is_directory(host, error)) {
    throw Error(BASCULE_BUILD_ERROR, Join(path, " has no folder op_host; ", kLayout));
  }
  for (fs::recursive_directory_iterator file(host, error), end; !error && file != end;
       file.increment(error)) {
    if (file->is_directory(error) && IsForOthers(file->path().filename().string())) {
      file.disable_recursion_pending();
      continue;
    }
    const std::string extension = file->path().extension().string();
    if (file->is_regular_file(error) && (extension == ".cpp" || extension == ".cc") &&
        !IsForLaterProcessors(file->path().stem().string()) && !IsForPrograms(file->path())) {
      project.host_sources.push_back(file->path());
    }
  }
  if (error)
    throw Error(BASCULE_BUILD_ERROR, Join(host.string(), " cannot be read: ", error.message()));
  if (project.host_sources.empty()) {
    throw Error(BASCULE_BUILD_ERROR, Join(path, "/op_host holds no .cpp file; ", kLayout));
  }
  std::sort(project.host_sources.begin(), project.host_sources.end());
  return project;
}

Project ListedProject(const std::string& root, const std::vector<std::string>& host_sources) {
  std::error_code error;
  Project project;
  project.root = fs::canonical(root, error);
  if (error) throw Error(BASCULE_NOT_FOUND, Join(root, " cannot be read: ", error.message()));
  project.name = project.root.filename().string();
  for (const std::string& source : host_sources) {
    if (!fs::is_regular_file(source, error)) {
      throw Error(BASCULE_NOT_FOUND, Join("there is no host source ", source));
    }
    project.host_sources.push_back(fs::canonical(source, error));
  }
  return project;
}

fs::path FindKernelSource(const Project& project, const std::string& name,
                          const std::string& file) {
  return FindKernelSource(project, {(project.root / "op_kernel").string()}, name, file);
}

fs::path FindKernelSource(const Project& project, const std::vector<std::string>& folders,
                          const std::string& name, const std::string& file) {
  std::vector<std::string> stems;
  if (!file.empty()) stems.push_back(file);
  stems.insert(stems.end(), {name, name + "_kernel"});
  std::string looked_for;
  for (const fs::path folder : folders) {
    std::vector<fs::path> candidates;
    for (const std::string& stem : stems) {
      candidates.insert(candidates.end(),
                        {folder / (stem + ".cpp"), folder / name / (stem + ".cpp")});
    }
    for (const fs::path& candidate : candidates) {
      std::error_code error;
      if (fs::is_regular_file(candidate, error)) return candidate;
      looked_for += "\n  " + Shown(project, candidate);
    }
  }
  throw Error(BASCULE_BUILD_ERROR,
              Join("operator ", name, " has no kernel file. Looked for:", looked_for));
}

std::string Shown(const Project& project, const fs::path& path) {
  const fs::path relative = path.lexically_relative(project.root);
  return relative.empty() || *relative.begin() == ".." ? path.string() : relative.string();
}

}  // namespace bascule::toolchain
