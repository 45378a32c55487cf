// SPDX-License-Identifier: Apache-2.0
#include "toolchain/doctor.h"

#include <cxxabi.h>
#include <dlfcn.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <vector>

#include "bascule/abi/kernel.h"
#include "bascule/abi/library.h"
#include "base/error.h"
#include "toolchain/cache.h"
#include "toolchain/compiler.h"
#include "toolchain/dependencies.h"
#include "toolchain/elf_file.h"
#include "toolchain/kernel_symbols.h"
#include "toolchain/manifest.h"
#include "toolchain/process.h"
#include "toolchain/temporary_folder.h"
#include "toolchain/version.h"

namespace bascule::toolchain {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int kOldestGcc = 11;
constexpr int kOldestClang = 14;
constexpr double kCompilerSeconds = 30;

std::string Shown(const std::vector<std::string>& names) {
  constexpr std::size_t kNames = 8;
  return Listed(names, kNames);
}

// A function as its source spells it, without parameters.
std::string Spelled(const std::string& symbol) {
  if (!symbol.starts_with("_Z")) return symbol;
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), std::free);
  if (status != 0 || text == nullptr) return symbol;
  const std::string demangled = text.get();
  return demangled.substr(0, demangled.find('('));
}

class Checks {
 public:
  void Good(const char* check, const std::string& text) { Add(check, "ok", text, ""); }
  void Warn(const char* check, const std::string& text, const std::string& todo) {
    Add(check, "warning", text, todo);
  }
  void Fail(const char* check, const std::string& text, const std::string& todo) {
    Add(check, "failed", text, todo);
    ok_ = false;
  }
  void Put(json* report) {
    (*report)["ok"] = ok_;
    (*report)["checks"] = std::move(checks_);
  }

 private:
  void Add(const char* check, const char* status, const std::string& text,
           const std::string& todo) {
    checks_.push_back({{"check", check}, {"status", status}, {"text", text}, {"todo", todo}});
  }

  json checks_ = json::array();
  bool ok_ = true;
};

// --- a library

// Parts of "GLIBCXX_3.4.30": the numbers behind the last underscore.
std::vector<int> Numbers(const std::string& version) {
  std::istringstream text(version.substr(version.rfind('_') + 1));
  std::vector<int> numbers;
  for (std::string part; std::getline(text, part, '.') && part.size() < 9;) {
    numbers.push_back(std::atoi(part.c_str()));
  }
  return numbers;
}

// The highest version of the same kind, "GLIBCXX_3.4.29"; "none".
std::string Highest(const std::vector<std::string>& versions, const std::string& like) {
  const std::string kind = like.substr(0, like.rfind('_') + 1);
  std::string highest = "none";
  for (const std::string& version : versions) {
    if (version.substr(0, version.rfind('_') + 1) != kind) continue;
    if (highest == "none" || Numbers(highest) < Numbers(version)) highest = version;
  }
  return highest;
}

class Examination {
 public:
  Examination(const std::string& path, const std::string& wanted) : path_(path), wanted_(wanted) {}

  json Run() {
    Read();
    json report = {{"path", path_}, {"kind", kind_}};
    checks_.Put(&report);
    return report;
  }

 private:
  void Read() {
    if (!Open()) return;
    const std::vector<Dependency> dependencies = CheckDependencies();
    ReadExports();
    if (MayHaveManifest()) {
      kind_ = "operators";
      CheckOperators();
    } else {
      CheckFunctions();
    }
    CheckPlatform();
    CheckVersionNeeds(dependencies);
  }

  // Also where its notes are damaged: who reads the manifest then says so.
  bool MayHaveManifest() const {
    try {
      return file_->FindNote(BASCULE_NOTE_OWNER, BASCULE_NOTE_MANIFEST).has_value();
    } catch (const Error&) {
      return true;
    }
  }

  // found, readable, machine. False: there is nothing more to see.
  bool Open() {
    std::error_code error;
    const auto status = fs::status(path_, error);
    if (status.type() == fs::file_type::not_found) {
      checks_.Fail("found", Join(path_, " does not exist"),
                   "Build it with `bascule build PROJECT`, or correct the path.");
      return false;
    }
    std::optional<std::string> foreign;
    try {
      file_.emplace(path_);
    } catch (const ForeignElf& what) {
      foreign = what.what();
    } catch (const Error& what) {
      checks_.Good("found", path_);
      checks_.Fail("readable", what.what(), "Build the library again, or copy it again.");
      return false;
    }
    checks_.Good("found", Join(path_, ", ", fs::file_size(path_, error), " bytes"));
    if (foreign) {
      checks_.Good("readable", "an ELF file");
      checks_.Fail("machine", *foreign, "Build it on this machine: `bascule build PROJECT`.");
      return false;
    }
    if (!file_->is_shared()) {
      checks_.Fail("readable", Join(path_, " is an ELF file, and no shared library"),
                   "Link it with -shared.");
      return false;
    }
    checks_.Good("readable", "an ELF shared library");
    checks_.Good("machine", "for this processor");
    return true;
  }

  std::vector<Dependency> CheckDependencies() {
    std::vector<Dependency> dependencies;
    try {
      dependencies = FindDependencies(path_);
      std::vector<std::string> found;
      for (const Dependency& dependency : dependencies) {
        if (dependency.path.empty()) {
          std::string looked;
          for (const fs::path& folder : dependency.looked_in) looked += folder.string() + ", ";
          checks_.Fail("dependencies",
                       Join(dependency.name, ", which ", dependency.needed_by,
                            " needs, was not found. Looked in ", looked, "/etc/ld.so.cache"),
                       "Install the package that holds it, or add its folder to LD_LIBRARY_PATH.");
          return dependencies;
        }
        found.push_back(dependency.name);
      }
      const std::vector<std::string> open = Unresolved(dependencies);
      if (!open.empty()) {
        checks_.Fail(
            "dependencies",
            Join("undefined symbol", open.size() == 1 ? " " : "s ", Shown(open),
                 ": neither it nor a library it needs defines ", open.size() == 1 ? "it" : "them"),
            "Link the library that defines it; with -Wl,-z,defs the linker tells in time.");
        return dependencies;
      }
      checks_.Good("dependencies",
                   found.empty() ? "it needs no library" : Join("found: ", Shown(found)));
    } catch (const Error& what) {
      checks_.Fail("dependencies", what.what(), "Build the library again, or copy it again.");
    }
    return dependencies;
  }

  std::vector<std::string> Unresolved(const std::vector<Dependency>& dependencies) const {
    std::set<std::string> open;
    for (const ElfSymbol& symbol : file_->Symbols(SHT_DYNSYM)) {
      if (!symbol.defined && symbol.binding == STB_GLOBAL) open.insert(symbol.name);
    }
    for (const Dependency& dependency : dependencies) {
      if (open.empty()) break;
      try {
        for (const ElfSymbol& symbol : ElfFile(dependency.path).Symbols(SHT_DYNSYM)) {
          if (symbol.defined) open.erase(symbol.name);
        }
      } catch (const Error&) {
        return {};  // whether it defines them cannot be told
      }
    }
    std::vector<std::string> left;
    for (const std::string& name : open) {
      if (dlsym(RTLD_DEFAULT, name.c_str()) == nullptr) left.push_back(name);
    }
    return left;
  }

  void ReadExports() {
    try {
      symbols_ = ReadKernelSymbols(*file_);
      exported_.insert(symbols_.kernels.begin(), symbols_.kernels.end());
      exported_.insert(symbols_.functions.begin(), symbols_.functions.end());
    } catch (const Error& what) {
      checks_.Fail("symbols", what.what(), "Build the library again, or copy it again.");
      unreadable_ = true;
    }
  }

  // symbols, manifest, version of a library with manifest.
  void CheckOperators() {
    json manifest;
    std::string manifest_error;
    BasculeStatus status = BASCULE_OK;
    try {
      manifest = ReadManifest(path_);
    } catch (const Error& what) {
      manifest_error = what.what();
      status = what.status();
    }
    std::vector<std::string> problems;
    std::vector<std::string> names;
    if (manifest_error.empty()) {
      problems = ManifestProblems(manifest);
      for (const json& op : manifest["operators"]) {
        if (op.is_object() && op.contains("name") && op["name"].is_string()) {
          names.push_back(op["name"].get<std::string>());
        }
      }
    }
    if (!unreadable_) CheckExports(names);
    if (!manifest_error.empty()) {
      const bool newer = status == BASCULE_VERSION_MISMATCH;
      checks_.Fail(newer ? "version" : "manifest", manifest_error,
                   newer ? "Update bascule (`pip install --upgrade bascule`), or build the library "
                           "again with this version."
                         : "Build the library again.");
      return;
    }
    if (problems.empty()) {
      checks_.Good(
          "manifest",
          Join(names.size(), names.size() == 1 ? " operator: " : " operators: ", Shown(names)));
    } else {
      checks_.Fail("manifest", Join("the manifest is damaged: ", problems[0]),
                   "Build the library again.");
    }
    try {
      CheckVersions(path_, manifest);
      const auto maker = manifest.find("bascule");
      checks_.Good(
          "version",
          Join("built by bascule ",
               maker != manifest.end() && maker->is_string() ? maker->get<std::string>() : "?",
               "; this runtime is ", kVersion));
    } catch (const Error& what) {
      checks_.Fail("version", what.what(), "Update bascule: `pip install --upgrade bascule`.");
    }
    manifest_ = std::move(manifest);
  }

  void CheckExports(const std::vector<std::string>& names) {
    if (!file_->has_sections()) {
      checks_.Warn("symbols", "its section headers are gone, so its symbols cannot be read",
                   "Keep them: `strip --strip-unneeded` does.");
      return;
    }
    std::vector<std::string> missing;
    if (exported_.count(BASCULE_LIBRARY_SYMBOL) == 0) missing.push_back(BASCULE_LIBRARY_SYMBOL);
    for (const std::string& name : names) {
      if (exported_.count(name) == 0) missing.push_back(name);
    }
    if (!missing.empty()) {
      checks_.Fail("symbols", Join("it has a manifest and does not export ", Shown(missing)),
                   "Build the library again with `bascule build`, and do not filter its symbols.");
      return;
    }
    CheckWanted(names, "operator");
  }

  // symbols and version of a library without manifest.
  void CheckFunctions() {
    if (unreadable_) return;
    std::vector<std::string> kernels;
    std::vector<std::string> aot;
    std::vector<std::string> others;
    for (const std::string& symbol : symbols_.kernels) kernels.push_back(Spelled(symbol));
    for (const std::string& symbol : symbols_.functions) {
      // What MindSpore looks up beside an aot function tells it from any other function.
      const bool companion =
          std::any_of(std::begin(kAotCompanions), std::end(kAotCompanions),
                      [&](const char* suffix) { return exported_.count(symbol + suffix) != 0; });
      (companion ? aot : others).push_back(Spelled(symbol));
    }
    std::sort(kernels.begin(), kernels.end());
    kind_ = kernels.empty() ? "functions" : "kernels";
    std::string text;
    if (!kernels.empty()) text += "kernels: " + Shown(kernels);
    if (!aot.empty()) text += (text.empty() ? "" : "; ") + ("aot functions: " + Shown(aot));
    if (!others.empty()) {
      text +=
          (text.empty() ? "" : "; ") +
          ((kernels.empty() && aot.empty() ? "functions: " : "other functions: ") + Shown(others));
    }
    std::vector<std::string> names = kernels;
    names.insert(names.end(), aot.begin(), aot.end());
    names.insert(names.end(), others.begin(), others.end());
    if (!file_->has_sections()) {
      checks_.Warn("symbols", "its section headers are gone, so its symbols cannot be read",
                   "Keep them: `strip --strip-unneeded` does.");
    } else if (names.empty()) {
      checks_.Fail(
          "symbols", "it exports no function",
          "Declare the kernel extern \"C\" __global__ __aicore__, with default visibility.");
    } else if (CheckWanted(names, kernels.empty() ? "function" : "kernel", text)) {
      if (exported_.count(BASCULE_LIBRARY_SYMBOL) != 0) {
        checks_.Fail("manifest",
                     "none, though it exports " BASCULE_LIBRARY_SYMBOL " as operator libraries do",
                     "Build the library again, or copy it again.");
      } else if (kernels.empty() && symbols_.headers != 0) {
        checks_.Warn("manifest",
                     "none, and no function is declared __global__ __aicore__, so there is no "
                     "kernel to launch",
                     "Declare the kernel extern \"C\" __global__ __aicore__.");
      } else {
        checks_.Good("manifest", kernels.empty()
                                     ? "none: a library of functions, for MindSpore's aot kind only"
                                     : "none: a library of lone kernels");
      }
    }
    if (symbols_.headers > BASCULE_KERNEL_ABI_VERSION) {
      checks_.Fail("version",
                   Join("it was built with kernel headers of version ", symbols_.headers,
                        "; this runtime knows ", BASCULE_KERNEL_ABI_VERSION),
                   "Update bascule: `pip install --upgrade bascule`.");
    } else if (symbols_.headers != 0) {
      checks_.Good("version", Join("kernel headers of version ", symbols_.headers));
    }
  }

  // Whether the operator that was asked for is among `names`.
  bool CheckWanted(const std::vector<std::string>& names, const std::string& what,
                   const std::string& text = "") {
    const std::string have = text.empty() ? Join(what, "s: ", Shown(names)) : text;
    if (wanted_.empty() || std::find(names.begin(), names.end(), wanted_) != names.end()) {
      checks_.Good("symbols", have);
      return true;
    }
    const std::string near = NearName(names, wanted_);
    checks_.Fail("symbols", Join("it has no ", what, " ", wanted_, ". It has ", have),
                 !near.empty() ? Join("Was ", near, " meant?")
                               : Join("Name one of those it has, as in ", path_, ":",
                                      names.empty() ? "name" : names[0], "."));
    return false;
  }

  void CheckPlatform() {
    if (kind_ == "operators" && !manifest_.is_object()) return;
    std::vector<std::string> strange;
    if (manifest_.is_object()) {
      for (const json& op : manifest_["operators"]) {
        if (!op.is_object() || !op.contains("socs") || !op["socs"].is_array()) continue;
        const json& socs = op["socs"];
        const bool ours = std::any_of(socs.begin(), socs.end(), [](const json& soc) {
          return soc.is_string() && soc.get<std::string>().starts_with("ascend910");
        });
        const auto name = op.find("name");
        if (socs.empty() || ours || name == op.end() || !name->is_string()) continue;
        strange.push_back(name->get<std::string>());
      }
    }
    if (!strange.empty()) {
      checks_.Warn(
          "platform",
          Join(Shown(strange), ": its OpDef names no processor of the ascend910 family"),
          "Here it runs as on Ascend910B; add AddConfig(\"ascend910b\") if it is meant to.");
    } else {
      checks_.Good("platform", "Ascend910B");
    }
  }

  void CheckVersionNeeds(const std::vector<Dependency>& dependencies) {
    try {
      std::map<std::string, fs::path> files;
      for (const Dependency& dependency : dependencies) {
        if (!dependency.path.empty()) files[dependency.name] = dependency.path;
      }
      std::map<std::string, std::vector<std::string>> defined;
      std::map<std::string, std::string> highest;
      for (const ElfVersionNeed& need : file_->VersionNeeds()) {
        const auto file = files.find(need.library);
        if (file == files.end()) continue;  // told by the dependencies
        auto [versions, fresh] = defined.try_emplace(need.library);
        if (fresh) versions->second = ElfFile(file->second).VersionDefinitions();
        const auto& all = versions->second;
        if (!all.empty() && std::find(all.begin(), all.end(), need.version) == all.end()) {
          checks_.Fail(
              "c++ runtime",
              Join("it needs ", need.version, " of ", need.library, "; the one of this process, ",
                   file->second.string(), ", has ", Highest(all, need.version), " at most"),
              "Build the library on this machine, or one as old; or put a newer one in front: "
              "LD_LIBRARY_PATH, `conda install libstdcxx-ng`.");
          return;
        }
        const std::string kind = need.version.substr(0, need.version.rfind('_') + 1);
        std::string& most = highest[kind];
        if (most.empty() || Numbers(most) < Numbers(need.version)) most = need.version;
      }
      std::vector<std::string> needs;
      for (const auto& [kind, version] : highest) needs.push_back(version);
      checks_.Good("c++ runtime",
                   needs.empty() ? "it needs no version" : Join("needs at most ", Shown(needs)));
    } catch (const Error& what) {
      checks_.Fail("c++ runtime", what.what(), "Build the library again, or copy it again.");
    }
  }

  const std::string path_;
  const std::string wanted_;
  std::string kind_ = "unknown";
  Checks checks_;
  std::optional<ElfFile> file_;
  KernelSymbols symbols_;
  std::set<std::string> exported_;
  json manifest_;
  bool unreadable_ = false;
};

// --- the installation

int MajorOf(const Compiler& compiler, const fs::path& work) {
  std::vector<std::string> command = compiler.command;
  command.push_back("-dumpversion");
  const ProcessResult result = RunProgram(command, work / "version.log", kCompilerSeconds);
  return result.ok() ? std::atoi(result.output.c_str()) : 0;
}

}  // namespace

json ExamineLibrary(const std::string& path, const std::string& wanted) {
  return Examination(path, wanted).Run();
}

json ExamineInstallation() {
  Checks checks;
  const TemporaryFolder work;
  try {
    const Compiler compiler = FindCompiler("", work.path());
    const int major = MajorOf(compiler, work.path());
    const int oldest = compiler.is_clang ? kOldestClang : kOldestGcc;
    if (major < oldest) {
      checks.Fail("compiler",
                  Join(compiler.version, " is too old: version ", oldest, " or later is needed"),
                  "Install g++ 11 or clang 14 or later, and set CXX to it.");
    } else {
      checks.Good("compiler", compiler.version);
    }
    checks.Good("binutils", Join(compiler.ld, ", ", compiler.objcopy));
  } catch (const Error& what) {
    const bool binutils = std::string(what.what()).find("binutils") != std::string::npos;
    checks.Fail(binutils ? "binutils" : "compiler", what.what(),
                "Only `bascule build` needs it; libraries that are built load without.");
  }
  try {
    checks.Good("headers", FindIncludeFolders("")[0].string());
  } catch (const Error& what) {
    checks.Fail("headers", what.what(), "Install bascule again: `pip install bascule`.");
  }
  json report = json::object();
  checks.Put(&report);
  return report;
}

}  // namespace bascule::toolchain
