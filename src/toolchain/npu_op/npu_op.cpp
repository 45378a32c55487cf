// SPDX-License-Identifier: Apache-2.0
#include "toolchain/npu_op/npu_op.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "toolchain/aclnn.h"
#include "toolchain/build.h"
#include "toolchain/cache.h"
#include "toolchain/installed_packages.h"
#include "toolchain/manifest.h"

namespace bascule::toolchain {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class Settings {
 public:
  explicit Settings(const std::string& path) {
    std::istringstream lines(ReadFile(path));
    for (std::string line; std::getline(lines, line);) {
      const size_t equals = line.find('=');
      if (equals == std::string::npos || equals + 1 == line.size()) continue;
      values_[line.substr(0, equals)].push_back(line.substr(equals + 1));
    }
  }
  std::string One(const std::string& name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? std::string() : found->second.back();
  }
  std::string Wanted(const std::string& name) const {
    const std::string value = One(name);
    if (value.empty()) throw Error(BASCULE_INVALID_ARGUMENT, Join("the settings have no ", name));
    return value;
  }
  std::vector<std::string> All(const std::string& name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? std::vector<std::string>() : found->second;
  }

 private:
  std::map<std::string, std::vector<std::string>> values_;
};

// "AddCustom|rest": what an option or a file is for, and the rest.
std::pair<std::string, std::string> Owned(const std::string& text) {
  const size_t bar = text.find('|');
  if (bar == std::string::npos) return {"", text};
  return {text.substr(0, bar), text.substr(bar + 1)};
}

// What both commands say about the host code.
json HostOptions(const Settings& settings) {
  std::vector<std::string> flags;
  for (const std::string& define : settings.All("host_define")) flags.push_back("-D" + define);
  for (const std::string& folder : settings.All("host_include")) flags.push_back("-I" + folder);
  for (const std::string& flag : settings.All("host_flag")) flags.push_back(flag);
  json options = {{"output", settings.Wanted("output")},
                  {"prefix", settings.Wanted("prefix")},
                  {"host_sources", settings.All("host_source")},
                  {"host_flags", flags}};
  if (settings.All("host_source").empty()) {
    throw Error(BASCULE_INVALID_ARGUMENT,
                Join("the package ", settings.One("package"),
                     " has no host sources; npu_op_library(… TILING …) names them, and "
                     "npu_op_package_add adds that library to the package"));
  }
  if (const std::string compiler = settings.One("compiler"); !compiler.empty()) {
    const std::string launcher = settings.One("launcher");
    options["compiler"] = launcher.empty() ? compiler : launcher + " " + compiler;
  }
  return options;
}

int Generate(const Settings& settings) {
  const fs::path folder = settings.Wanted("folder");
  const std::string package = settings.Wanted("package");
  const std::vector<Schema> schemas =
      DescribeProject(settings.Wanted("root"), HostOptions(settings));
  fs::create_directories(folder);
  // What this call wrote before and does not write now is of operators that are gone.
  const fs::path record = settings.Wanted("record");
  std::set<std::string> old;
  if (fs::exists(record)) {
    std::istringstream lines(ReadFile(record));
    for (std::string line; std::getline(lines, line);) old.insert(line);
  }
  std::string written;
  for (const Schema& schema : schemas) {
    for (const auto& [name, text] :
         {std::pair{"aclnn_" + schema.name + ".h", AclnnHeader(schema)},
          std::pair{"aclnn_" + schema.name + ".cpp", AclnnSource(schema, package)}}) {
      WriteFile(folder / name, text);
      written += name + "\n";
      old.erase(name);
    }
  }
  for (const std::string& name : old) fs::remove(folder / name);
  WriteFile(record, written);
  return 0;
}

int BuildOperators(const Settings& settings) {
  json options = HostOptions(settings);
  options["package"] = settings.Wanted("package");
  options["local"] = settings.One("local") == "1";
  // The folders are relative to the base, which may have been set after the files were named.
  const std::string base = settings.One("kernel_base");
  if (base.empty()) {
    throw Error(BASCULE_INVALID_ARGUMENT,
                Join("the package ", settings.One("package"),
                     " has no kernels; npu_op_kernel_library names them, and npu_op_package_add "
                     "adds that library to the package"));
  }
  json folders = {base};
  json sources = json::object();
  json flags = json::object();
  for (const std::string& line : settings.All("kernel_source")) {
    const auto [type, rest] = Owned(line);
    const auto [folder, file] = Owned(rest);
    if (!folder.empty()) folders.push_back((fs::path(base) / folder).lexically_normal().string());
    if (!type.empty() && !file.empty()) {
      sources[type] = (fs::path(base) / folder / file).lexically_normal().string();
    }
  }
  for (const std::string& line : settings.All("kernel_flag")) {
    const auto [type, flag] = Owned(line);
    flags[type].push_back(flag);
  }
  options["kernel_folders"] = folders;
  options["kernel_sources"] = sources;
  options["kernel_flags"] = flags;
  const BuildResult result = Build(settings.Wanted("root"), options);
  for (const json& message : result.report.value("messages", json::array())) {
    std::fprintf(stderr, "%s:\n%s\n", message["step"].get<std::string>().c_str(),
                 message["text"].get<std::string>().c_str());
  }
  if (result.status != BASCULE_OK) throw Error(result.status, result.error);
  return 0;
}

int JoinFiles(const std::vector<std::string>& arguments) {
  std::string whole;
  for (size_t i = 2; i < arguments.size(); ++i) whole += ReadFile(arguments[i]);
  const fs::path output = arguments[1];
  fs::remove(output);
  WriteFile(output, whole);
  fs::permissions(output, fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec,
                  fs::perm_options::add);
  return 0;
}

// Types as descriptions of single operators spell them, in NumPy's spelling.
std::string TypeName(const std::string& name) {
  if (name == "float" || name == "fp32") return "float32";
  if (name == "fp16" || name == "half") return "float16";
  return name == "bf16" ? "bfloat16" : name == "double" ? "float64" : name;
}

// Throws unless an installed package has the operator with these types.
void CheckSingle(const json& op, const std::string& file) {
  const auto type = op.at("op").get<std::string>();
  std::string looked_at;
  for (const fs::path& path : InstalledLibraries()) {
    std::error_code error;
    if (!fs::is_regular_file(path, error)) continue;
    const json manifest = ReadManifest(path);
    looked_at += "\n  " + path.string();
    for (const json& known : manifest.at("operators")) {
      if (known.at("type") != type) continue;
      for (const auto& [role, key] :
           {std::pair{"inputs", "input_desc"}, {"outputs", "output_desc"}}) {
        const json given = op.value(key, json::array());
        const json& wanted = known.at(role);
        if (given.size() > wanted.size()) {
          throw Error(BASCULE_INVALID_ARGUMENT, Join(file, ": ", type, " has ", wanted.size(), " ",
                                                     role, ", and ", key, " lists ", given.size()));
        }
        for (std::size_t i = 0; i < given.size(); ++i) {
          const std::string dtype = TypeName(given[i].value("type", std::string()));
          const json& dtypes = wanted[i].at("dtypes");
          if (std::find(dtypes.begin(), dtypes.end(), json(dtype)) != dtypes.end()) continue;
          throw Error(BASCULE_INVALID_ARGUMENT,
                      Join(file, ": ", type, " does not take ", dtype, " as ",
                           wanted[i].at("name").get<std::string>(), "; it takes ", dtypes.dump()));
        }
      }
      return;
    }
  }
  throw Error(BASCULE_NOT_FOUND,
              Join(file, ": no installed package has an operator ", type,
                   "; install one, or set ASCEND_OPP_PATH or ASCEND_CUSTOM_OPP_PATH to where it is",
                   looked_at.empty() ? "" : ". Looked at:" + looked_at));
}

int SingleOperators(const std::vector<std::string>& arguments) {
  std::map<std::string, std::string> options;
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    const std::size_t equals = arguments[i].find('=');
    if (arguments[i].rfind("--", 0) != 0 || equals == std::string::npos) {
      throw Error(BASCULE_INVALID_ARGUMENT,
                  Join("atc: ", arguments[i], " is no option --name=value"));
    }
    options[arguments[i].substr(2, equals - 2)] = arguments[i].substr(equals + 1);
  }
  const std::string file = options["singleop"];
  if (file.empty()) {
    throw Error(
        BASCULE_UNSUPPORTED,
        "atc: whole models are not converted here; descriptions of single operators are, with "
        "--singleop=FILE");
  }
  const json description = json::parse(ReadFile(file), nullptr, /*allow_exceptions=*/false);
  if (!description.is_array()) {
    throw Error(BASCULE_INVALID_ARGUMENT, Join("atc: ", file, " is no JSON list of operators"));
  }
  const fs::path folder = options["output"].empty() ? "." : options["output"];
  fs::create_directories(folder);
  try {
    std::size_t number = 0;
    for (const json& op : description) {
      CheckSingle(op, "atc: " + file);
      const std::string name = Join(number++, "_", op.at("op").get<std::string>(), ".om");
      WriteFile(folder / name, op.dump(1) + "\n");
    }
  } catch (const json::exception& error) {
    throw Error(BASCULE_INVALID_ARGUMENT,
                Join("atc: ", file, " does not describe an operator: ", error.what()));
  }
  return 0;
}

}  // namespace

int NpuOp(const std::vector<std::string>& arguments) {
  try {
    if (arguments.size() == 2 && arguments[0] == "generate") {
      return Generate(Settings(arguments[1]));
    }
    if (arguments.size() == 2 && arguments[0] == "build") {
      return BuildOperators(Settings(arguments[1]));
    }
    if (arguments.size() >= 3 && arguments[0] == "join") return JoinFiles(arguments);
    if (!arguments.empty() && arguments[0] == "singleop") return SingleOperators(arguments);
    std::fprintf(stderr,
                 "usage: bascule-npu-op generate SETTINGS\n       bascule-npu-op build SETTINGS\n"
                 "       bascule-npu-op join OUTPUT FILE...\n       bascule-npu-op singleop "
                 "--singleop=FILE\nThe CMake functions npu_op_... call "
                 "this program.\n");
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bascule: %s\n", error.what());
    return 1;
  }
}

}  // namespace bascule::toolchain
