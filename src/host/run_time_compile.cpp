// SPDX-License-Identifier: Apache-2.0
#include "host/run_time_compile.h"

#include <dlfcn.h>
#include <elf.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/acl_error.h"
#include "toolchain/cache.h"
#include "toolchain/elf_file.h"
#include "toolchain/process.h"
#include "toolchain/temporary_folder.h"

namespace bascule::host {
namespace {

namespace fs = std::filesystem;

// What the driver puts into a binary for each kernel (BASCULE_LAUNCH_FUNCTION).
constexpr const char* kLaunchArray = "bascule_launch_array_";
using LaunchArray = void (*)(uint32_t blocks, void* stream, void* const* arguments);

struct Program {
  std::string source;
  std::string name;
  std::vector<std::pair<std::string, std::string>> headers;  // name and text
  std::vector<std::string> expressions;
  std::vector<std::string> lowered_names;  // of the expressions, after the compilation
  bool compiled = false;
  std::string binary;
  std::string log;
};

struct Binary {
  std::string kernels;  // for messages
  void* handle = nullptr;
};

struct Function {
  const Binary* binary;
  std::string kernel;
  LaunchArray launch;
};

struct State {
  std::mutex mutex;
  std::map<const void*, std::shared_ptr<Program>> programs;
  std::map<const void*, std::unique_ptr<Binary>> binaries;
  std::map<const void*, std::unique_ptr<Function>> functions;
};

State& TheState() {
  static State* const state = new State;  // outlives static destructors, which may still unload
  return *state;
}

std::shared_ptr<Program> FindProgram(const void* program, const char* call) {
  State& state = TheState();
  const std::lock_guard<std::mutex> lock(state.mutex);
  const auto found = state.programs.find(program);
  if (found != state.programs.end()) return found->second;
  throw Refusal(BASCULE_ACL_RTC_INVALID_PROGRAM,
                Join(call, ": the program did not come from aclrtcCreateProg, or was destroyed."));
}

[[noreturn]] void BadInput(const std::string& sentence) {
  throw Refusal(BASCULE_ACL_RTC_INVALID_INPUT, sentence);
}

// The driver of the installation this runtime belongs to.
fs::path Driver() {
  Dl_info self = {};
  fs::path driver;
  if (dladdr(reinterpret_cast<const void*>(&CompileProgram), &self) != 0) {
    std::error_code ignored;
    driver = fs::weakly_canonical(self.dli_fname, ignored).parent_path().parent_path() /
             "bin/bascule-ascc";
  }
  if (!fs::exists(driver)) {
    throw Error(BASCULE_NOT_FOUND,
                Join("aclrtcCompileProg: the driver bascule-ascc was looked for as ",
                     driver.string(), " and is not there; install bascule again."));
  }
  return driver;
}

std::string Without(const std::string& part, std::string text) {
  for (size_t at = 0; (at = text.find(part, at)) != std::string::npos;) text.erase(at, part.size());
  return text;
}

// A name that makes a file of the temporary folder and nothing outside.
bool StaysInside(const fs::path& name) {
  return name.is_relative() && !name.empty() &&
         std::none_of(name.begin(), name.end(), [](const fs::path& part) { return part == ".."; });
}

}  // namespace

int32_t CreateProgram(void** program, const char* source, const char* name, int32_t header_count,
                      const char* const* headers, const char* const* include_names) {
  return Guard([&] {
    if (program == nullptr || source == nullptr) {
      BadInput(Join("aclrtcCreateProg: '", program == nullptr ? "prog" : "src", "' is null."));
    }
    if (header_count < 0 ||
        (header_count > 0 && (headers == nullptr || include_names == nullptr))) {
      BadInput(Join("aclrtcCreateProg: ", header_count,
                    " headers, which need as many texts and names."));
    }
    auto made = std::make_shared<Program>();
    made->source = source;
    made->name = name != nullptr && *name != '\0' ? name : "default_program";
    for (int32_t i = 0; i < header_count; ++i) {
      if (headers[i] == nullptr || include_names[i] == nullptr || !StaysInside(include_names[i])) {
        BadInput(Join("aclrtcCreateProg: header ", i,
                      " needs a text and a relative name without '..'."));
      }
      made->headers.emplace_back(include_names[i], headers[i]);
    }
    State& state = TheState();
    const std::lock_guard<std::mutex> lock(state.mutex);
    *program = made.get();
    state.programs[made.get()] = std::move(made);
  });
}

int32_t DestroyProgram(void** program) {
  return Guard([&] {
    if (program == nullptr) BadInput("aclrtcDestroyProg: 'prog' is null.");
    FindProgram(*program, "aclrtcDestroyProg");
    State& state = TheState();
    const std::lock_guard<std::mutex> lock(state.mutex);
    state.programs.erase(*program);
    *program = nullptr;
  });
}

int32_t AddName(void* handle, const char* expression) {
  return Guard([&] {
    const std::shared_ptr<Program> program = FindProgram(handle, "aclrtcAddNameExpr");
    if (expression == nullptr || *expression == '\0') {
      BadInput("aclrtcAddNameExpr: 'nameExpression' is empty.");
    }
    if (program->compiled) {
      BadInput(Join("aclrtcAddNameExpr: ", expression,
                    " comes after aclrtcCompileProg; names have to be added before it."));
    }
    program->expressions.emplace_back(expression);
  });
}

int32_t CompileProgram(void* handle, int32_t option_count, const char* const* options) {
  return Guard([&] {
    const std::shared_ptr<Program> program = FindProgram(handle, "aclrtcCompileProg");
    if (option_count < 0 || (option_count > 0 && options == nullptr)) {
      BadInput("aclrtcCompileProg: 'options' is null, or there are fewer than none.");
    }
    const toolchain::TemporaryFolder folder;
    for (const auto& [name, text] : program->headers) {
      fs::create_directories((folder.path() / name).parent_path());
      toolchain::WriteFile(folder.path() / name, text);
    }
    std::string source = program->source;
    program->lowered_names.clear();
    for (const std::string& expression : program->expressions) {
      program->lowered_names.push_back(Join("bascule_program_", program->lowered_names.size()));
      source += Join("\n# 1 \"<name expression>\"\nBASCULE_LAUNCH_EXPRESSION(",
                     program->lowered_names.back(), ", ", expression, ")\n");
    }
    // The compiler's messages name the file as the caller named the program.
    std::string file = fs::path(program->name).filename().string();
    if (file.empty() || file == "." || file == "..") file = "default_program";
    if (fs::path(file).extension() != ".asc") file += ".asc";
    toolchain::WriteFile(folder.path() / file, source);

    std::vector<std::string> command = {Driver().string(),
                                        "-shared",
                                        "--launch-functions",
                                        "-O2",
                                        "-fPIC",
                                        Join("-I", folder.path().string())};
    for (int32_t i = 0; i < option_count; ++i) {
      if (options[i] == nullptr) {
        BadInput(Join("aclrtcCompileProg: option ", i, " is null."));
      }
      command.emplace_back(options[i]);
    }
    const fs::path output = folder.path() / "program.so";
    command.insert(command.end(), {"-o", output.string(), (folder.path() / file).string()});
    const toolchain::ProcessResult result = toolchain::RunProgram(command, folder.path() / "log");
    program->log = Without(Join(folder.path().string(), "/"), result.output);
    program->compiled = result.ok();
    if (!result.ok()) {
      throw Refusal(BASCULE_ACL_RTC_COMPILATION,
                    Join("aclrtcCompileProg: ", program->name,
                         " does not compile; aclrtcGetCompileLog has what the compiler says:\n",
                         program->log));
    }
    program->binary = toolchain::ReadFile(output);
  });
}

int32_t ProgramBinary(void* handle, const void** data, uint64_t* bytes) {
  return Guard([&] {
    const std::shared_ptr<Program> program = FindProgram(handle, "aclrtcGetBinData");
    if (!program->compiled) BadInput("aclrtcGetBinData: the program has not been compiled.");
    *data = program->binary.data();
    *bytes = program->binary.size();
  });
}

int32_t ProgramLog(void* handle, const char** text, uint64_t* bytes) {
  return Guard([&] {
    const std::shared_ptr<Program> program = FindProgram(handle, "aclrtcGetCompileLog");
    *text = program->log.c_str();
    *bytes = program->log.size() + 1;
  });
}

int32_t LoweredName(void* handle, const char* expression, const char** name) {
  return Guard([&] {
    const std::shared_ptr<Program> program = FindProgram(handle, "aclrtcGetLoweredName");
    if (expression == nullptr || name == nullptr) {
      BadInput("aclrtcGetLoweredName: 'nameExpression' or 'loweredName' is null.");
    }
    const auto& all = program->expressions;
    const auto found = std::find(all.begin(), all.end(), expression);
    if (found == all.end()) {
      BadInput(Join("aclrtcGetLoweredName: ", expression,
                    " was not added with aclrtcAddNameExpr, in these very letters."));
    }
    if (!program->compiled) {
      throw Refusal(BASCULE_ACL_RTC_NO_NAME,
                    "aclrtcGetLoweredName: the program has not been compiled.");
    }
    *name = program->lowered_names[static_cast<size_t>(found - all.begin())].c_str();
  });
}

int32_t LoadBinary(const char* call, const char* path, const void* data, uint64_t bytes,
                   void** binary) {
  return Guard([&] {
    Require(binary, call, "binHandle");
    // A file of its own each time: the loader would take the same path for the same library.
    const toolchain::TemporaryFolder folder;
    const fs::path copy = folder.path() / "binary.so";
    if (path == nullptr) {
      Require(data, call, "data");
      toolchain::WriteFile(copy, std::string_view(static_cast<const char*>(data), bytes));
    } else {
      std::error_code why;
      fs::copy_file(path, copy, why);
      if (why) throw Error(BASCULE_NOT_FOUND, Join(call, ": ", path, ": ", why.message(), "."));
    }
    auto made = std::make_unique<Binary>();
    try {
      for (const toolchain::ElfSymbol& symbol : toolchain::ElfFile(copy).Symbols(SHT_DYNSYM)) {
        if (!symbol.defined || symbol.name.rfind(kLaunchArray, 0) != 0) continue;
        if (!made->kernels.empty()) made->kernels += ", ";
        made->kernels += symbol.name.substr(std::string(kLaunchArray).size());
      }
    } catch (const Error&) {
      throw Error(BASCULE_BAD_LIBRARY, Join(call, ": this is not what aclrtcGetBinData gives."));
    }
    made->handle = dlopen(copy.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (made->handle == nullptr) throw Error(BASCULE_BAD_LIBRARY, Join(call, ": ", dlerror()));
    State& state = TheState();
    const std::lock_guard<std::mutex> lock(state.mutex);
    *binary = made.get();
    state.binaries[made.get()] = std::move(made);
  });
}

// The code stays in the process, as that of every library does: a thread may still be in it.
int32_t UnloadBinary(void* binary) {
  return Guard([&] {
    State& state = TheState();
    const std::lock_guard<std::mutex> lock(state.mutex);
    if (state.binaries.erase(binary) == 0) {
      throw Refusal(BASCULE_ACL_RT_PARAM_INVALID,
                    "aclrtBinaryUnLoad: the binary was not loaded, or was unloaded before.");
    }
    for (auto at = state.functions.begin(); at != state.functions.end();) {
      at = at->second->binary == binary ? state.functions.erase(at) : std::next(at);
    }
  });
}

int32_t FindFunction(void* handle, const char* kernel, void** function) {
  return Guard([&] {
    Require(kernel, "aclrtBinaryGetFunction", "kernelName");
    Require(function, "aclrtBinaryGetFunction", "funcHandle");
    State& state = TheState();
    const std::lock_guard<std::mutex> lock(state.mutex);
    const auto found = state.binaries.find(handle);
    if (found == state.binaries.end()) {
      throw Refusal(BASCULE_ACL_RT_PARAM_INVALID,
                    "aclrtBinaryGetFunction: the binary was not loaded, or was unloaded before.");
    }
    const Binary& binary = *found->second;
    void* symbol = dlsym(binary.handle, Join(kLaunchArray, kernel).c_str());
    if (symbol == nullptr) {
      throw Refusal(BASCULE_ACL_RT_PARAM_INVALID,
                    Join("aclrtBinaryGetFunction: no kernel ", kernel, "; the binary has ",
                         binary.kernels.empty() ? "none" : binary.kernels,
                         ". A template's instance is found by what aclrtcGetLoweredName gives."));
    }
    auto made = std::make_unique<Function>();
    made->binary = &binary;
    made->kernel = kernel;
    made->launch = reinterpret_cast<LaunchArray>(symbol);
    *function = made.get();
    state.functions[made.get()] = std::move(made);
  });
}

int32_t LaunchFunction(void* function, uint32_t blocks, void* stream, void** arguments) {
  return Guard([&] {
    LaunchArray launch = nullptr;
    {
      State& state = TheState();
      const std::lock_guard<std::mutex> lock(state.mutex);
      const auto found = state.functions.find(function);
      if (found == state.functions.end()) {
        throw Refusal(BASCULE_ACL_RT_PARAM_INVALID,
                      "aclrtLaunchKernelWithArgsArray: the function is unknown, or its binary was "
                      "unloaded.");
      }
      launch = found->second->launch;
    }
    launch(blocks, stream, arguments);
  });
}

}  // namespace bascule::host
