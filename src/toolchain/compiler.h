// The tools a build uses, and where the headers lie.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_TOOLCHAIN_COMPILER_H_
#define BASCULE_TOOLCHAIN_COMPILER_H_

#include <filesystem>
#include <string>
#include <vector>

namespace bascule::toolchain {

struct Compiler {
  std::vector<std::string> command;  // {"ccache", "g++"}
  std::string version;               // the first line of --version
  std::string identity;              // changes when one of the programs does
  bool is_clang = false;
  std::string ld;
  std::string objcopy;
};

// `wanted` as in the environment variable CXX, which comes next, then g++, clang++ and c++. `work`
// is a folder for what can be remembered. Throws an Error that says what to install.
Compiler FindCompiler(const std::string& wanted, const std::filesystem::path& work);

// The include folders of the prefix `wanted`, else of the prefix this library lies in, else of
// BASCULE_PREFIX. Throws an Error with the places looked at.
std::vector<std::filesystem::path> FindIncludeFolders(const std::string& wanted);

}  // namespace bascule::toolchain

#endif  // BASCULE_TOOLCHAIN_COMPILER_H_
