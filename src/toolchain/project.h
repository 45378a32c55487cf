// Where an operator project keeps its files: CANN's layout, consumed unchanged.
//
//   op_host/**/*.cpp            definitions, tiling, inference; not below op_api, tests, ut, and
//                               not for other processors (arch35)
//   op_kernel/<name>.cpp        or op_kernel/<name>/<name>.cpp, each also as <name>_kernel.cpp
//   gradient.py                 optional
//   reference.py                optional
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_TOOLCHAIN_PROJECT_H_
#define BASCULE_TOOLCHAIN_PROJECT_H_

#include <filesystem>
#include <string>
#include <vector>

namespace bascule::toolchain {

struct Project {
  std::filesystem::path root;                       // absolute
  std::filesystem::path lone_kernel;                // a kernel's file in `root`; nothing else then
  std::vector<std::filesystem::path> host_sources;  // sorted
  std::string name;                                 // of the folder
};

// `path` is the folder of a project, or the file of a lone kernel (docs/lone_kernels.md). Throws an
// Error that says what was looked for and what to make.
Project FindProject(const std::string& path);

// A project whose files its own build system lists. `root` is only what paths are told relative to.
Project ListedProject(const std::string& root, const std::vector<std::string>& host_sources);

// The kernel file of an operator: of its name, or of `file` where its OpDef names one.
std::filesystem::path FindKernelSource(const Project& project, const std::string& name,
                                       const std::string& file = "");

// The same, in or below one of these folders.
std::filesystem::path FindKernelSource(const Project& project,
                                       const std::vector<std::string>& folders,
                                       const std::string& name, const std::string& file = "");

// `path` as people should read it: relative to the project when it lies in it.
std::string Shown(const Project& project, const std::filesystem::path& path);

}  // namespace bascule::toolchain

#endif  // BASCULE_TOOLCHAIN_PROJECT_H_
