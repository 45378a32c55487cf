// The driver's command line: a C++ compiler's, with what Ascend C's compiler takes besides.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_TOOLCHAIN_DRIVER_OPTIONS_H_
#define BASCULE_TOOLCHAIN_DRIVER_OPTIONS_H_

#include <cstdint>
#include <string>
#include <vector>

namespace bascule::toolchain {

enum class DriverMode : uint8_t {
  kLink,           // compile what is source, link all of it
  kCompile,        // -c
  kAssembly,       // -S
  kPreprocess,     // -E
  kSyntaxOnly,     // -fsyntax-only
  kDependencies,   // -M, -MM
  kArchive,        // -lib: compile, then a static library
  kLaunchHeaders,  // --launch-headers=: aclrtlaunch_*.h for the kernels of the sources
  kForward,        // nothing to compile: the host compiler answers
  kVersion,
  kHelp
};

struct DriverInput {
  std::string text;
  bool is_source = false;  // compiled by us; everything else is the linker's
};

struct DriverOptions {
  DriverMode mode = DriverMode::kLink;
  std::vector<std::string> host_compiler;  // {"ccache", "g++", "-m64"}; empty: to be found
  std::vector<std::string> launcher;       // put in front of the compilation proper
  std::string output;                      // -o
  std::string header_folder;               // --launch-headers=
  bool launch_functions = false;           // --launch-functions: what those headers call
  // Arguments of the host compiler, by the step they belong to. `common` goes to every step.
  std::vector<std::string> common;
  std::vector<std::string> clang_only;
  std::vector<std::string> preprocess;
  std::vector<std::string> dependencies;  // -MD and its kin
  std::vector<DriverInput> inputs;        // in order, -l and -Wl among them
  bool static_link = false;               // nothing of ours is linked then
};

// Reads the arguments behind the program's name; `@file` is expanded. Throws Error for what this
// driver cannot do, another --npu-arch above all.
DriverOptions ParseDriverOptions(const std::vector<std::string>& arguments);

}  // namespace bascule::toolchain

#endif  // BASCULE_TOOLCHAIN_DRIVER_OPTIONS_H_
