// SPDX-License-Identifier: Apache-2.0
#include "toolchain/compiler.h"

#include <dlfcn.h>
#include <sys/stat.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "toolchain/cache.h"
#include "toolchain/process.h"

namespace bascule::toolchain {
namespace {

namespace fs = std::filesystem;

constexpr const char* kInstall =
    "Install one: `apt-get install g++` (Debian, Ubuntu), `dnf install gcc-c++` (Fedora), or set "
    "CXX";

std::vector<std::string> Words(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::string Environment(const char* name) {
  const char* value = std::getenv(name);
  return value != nullptr ? value : "";
}

// Path, size and time of change: what tells one installed program from another without running it.
std::string Identity(const fs::path& program) {
  std::error_code error;
  const fs::path real = fs::canonical(program, error);
  struct stat info = {};
  if (error || stat(real.c_str(), &info) != 0) return program.string();
  return Join(real.string(), ":", info.st_size, ":", info.st_mtim.tv_sec, ".",
              info.st_mtim.tv_nsec);
}

std::string FirstLine(const std::string& text) { return text.substr(0, text.find('\n')); }

// The first line of --version, remembered in `work` as long as the program is the same.
std::string Version(const Compiler& compiler, const fs::path& work) {
  const fs::path memory = work / "compiler.json";
  std::ifstream file(memory);
  const nlohmann::json known = nlohmann::json::parse(file, nullptr, /*allow_exceptions=*/false);
  if (known.is_object() && known.value("identity", "") == compiler.identity) {
    return known.value("version", "");
  }
  std::vector<std::string> command = compiler.command;
  command.push_back("--version");
  const ProcessResult result = RunProgram(command, work / "compiler.log", 30);
  if (!result.ok()) {
    throw Error(BASCULE_BUILD_ERROR,
                Join("the compiler ", compiler.command.back(), " does not run: ", result.output));
  }
  const std::string version = FirstLine(result.output);
  WriteFile(memory, nlohmann::json{{"identity", compiler.identity}, {"version", version}}.dump());
  return version;
}

std::string RequireTool(const char* name) {
  const auto path = FindProgram(name);
  if (!path) {
    throw Error(BASCULE_BUILD_ERROR, Join("the program ", name,
                                          " was not found in PATH; it belongs to GNU binutils: "
                                          "`apt-get install binutils` or `dnf install binutils`"));
  }
  return path->string();
}

}  // namespace

Compiler FindCompiler(const std::string& wanted, const fs::path& work) {
  Compiler compiler;
  const std::string from_environment = Environment("CXX");
  std::string looked_for;
  for (const auto& [origin, text] :
       {std::pair<std::string, std::string>{"the option compiler", wanted},
        {"CXX", from_environment},
        {"PATH", "g++"},
        {"PATH", "clang++"},
        {"PATH", "c++"}}) {
    const std::vector<std::string> words = Words(text);
    if (words.empty()) continue;
    // All words up to the first flag are programs: "ccache g++ -m64".
    const auto flags =
        std::find_if(words.begin(), words.end(), [](const auto& w) { return w[0] == '-'; });
    const bool found =
        std::all_of(words.begin(), flags, [](const auto& w) { return FindProgram(w); });
    if (!found) {
      // What was asked for by name is not replaced by something else.
      if (origin != "PATH") {
        throw Error(BASCULE_BUILD_ERROR, Join("the compiler \"", text, "\" from ", origin,
                                              " was not found. ", kInstall));
      }
      looked_for += (looked_for.empty() ? "" : ", ") + text;
      continue;
    }
    compiler.command = words;
    for (auto word = words.begin(); word != flags; ++word) {
      compiler.identity += Identity(*FindProgram(*word)) + "\n";
    }
    break;
  }
  if (compiler.command.empty()) {
    throw Error(BASCULE_BUILD_ERROR,
                Join("no C++ compiler was found. Looked for ", looked_for, " in PATH. ", kInstall));
  }
  compiler.ld = RequireTool("ld");
  compiler.objcopy = RequireTool("objcopy");
  compiler.identity += Identity(compiler.ld) + "\n" + Identity(compiler.objcopy);
  compiler.version = Version(compiler, work);
  std::string lower = compiler.version;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  compiler.is_clang = lower.find("clang") != std::string::npos;
  return compiler;
}

std::vector<fs::path> FindIncludeFolders(const std::string& wanted) {
  std::vector<std::pair<std::string, fs::path>> prefixes;
  if (!wanted.empty()) prefixes.emplace_back("the option prefix", wanted);
  Dl_info self = {};
  if (wanted.empty() && dladdr(reinterpret_cast<const void*>(&FindIncludeFolders), &self) != 0 &&
      self.dli_fname != nullptr) {
    std::error_code error;
    const fs::path library = fs::canonical(self.dli_fname, error);
    if (!error)
      prefixes.emplace_back("the folder of the runtime", library.parent_path().parent_path());
  }
  const std::string from_environment = Environment("BASCULE_PREFIX");
  if (wanted.empty() && !from_environment.empty()) {
    prefixes.emplace_back("BASCULE_PREFIX", from_environment);
  }

  std::string looked_at;
  for (const auto& [origin, prefix] : prefixes) {
    std::error_code error;
    const fs::path include = fs::absolute(prefix / "include", error);
    if (fs::is_regular_file(include / "bascule/library_stub.h", error) &&
        fs::is_regular_file(include / "register/op_def_registry.h", error)) {
      return {include};
    }
    looked_at += Join("\n  ", include.string(), " (", origin, ")");
  }
  throw Error(
      BASCULE_NOT_FOUND,
      Join("the Ascend C headers of bascule were not found. Looked in:", looked_at,
           "\nInstall bascule (pip install bascule), or set BASCULE_PREFIX to what `bascule "
           "prefix` prints"));
}

}  // namespace bascule::toolchain
