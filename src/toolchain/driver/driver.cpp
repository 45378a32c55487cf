// SPDX-License-Identifier: Apache-2.0
#include "toolchain/driver/driver.h"

#include <stdlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <sstream>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "toolchain/driver/kernels.h"
#include "toolchain/driver/lexer.h"
#include "toolchain/driver/options.h"
#include "toolchain/driver/rewrite.h"
#include "toolchain/process.h"
#include "toolchain/temporary_folder.h"

namespace bascule::toolchain {
namespace {

namespace fs = std::filesystem;

using Command = std::vector<std::string>;

constexpr const char* kHelp =
    R"(bascule-ascc [options] files: compiles Ascend C for this machine's processor.

  Takes .asc and C++ files, object files and libraries, and the options of g++ or clang++.
  --npu-arch=dav-2201       the architecture; no other is there, so it may be left out
  -lib -o libx.a            a static library; -shared -o libx.so a shared one
  --host-compiler=COMMAND   the C++ compiler; else CXX, g++, clang++, c++
  --launcher=ccache         put in front of the compilation
  --launch-functions        for each kernel, what its aclrtlaunch_NAME.h calls
  --launch-headers=FOLDER   writes aclrtlaunch_NAME.h for each kernel of the sources, and no more
  Options of the NPU's compiler (--cce-..., --run-mode=..., -dc) are accepted without effect.
)";

void Append(Command& to, const Command& more) { to.insert(to.end(), more.begin(), more.end()); }

std::string ReadFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void WriteFile(const fs::path& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  if (!file.flush()) throw Error(BASCULE_BUILD_ERROR, Join(path.string(), " cannot be written."));
}

// The host's compiler, taken apart.
struct Host {
  Command launcher;
  Command compiler;
  bool is_clang = false;
};

bool LooksLike(const std::string& text, const char* name) {
  return text.find(name) != std::string::npos;
}

bool IsClang(const std::string& program, const fs::path& folder) {
  std::error_code ignored;
  const auto found = FindProgram(program);
  const std::string name = found ? fs::canonical(*found, ignored).filename().string() : program;
  if (LooksLike(name, "clang")) return true;
  if (LooksLike(name, "g++") || LooksLike(name, "gcc")) return false;
  return LooksLike(RunProgram({program, "--version"}, folder / "version").output, "clang");
}

Host FindHost(const DriverOptions& options, const fs::path& folder) {
  Command words = options.host_compiler;
  if (words.empty()) {
    const char* named = std::getenv("CXX");
    std::istringstream stream(named != nullptr ? named : "");
    for (std::string word; stream >> word;) words.push_back(word);
    // Where CXX names this driver, the search goes on.
    if (!words.empty() && fs::path(words.back()).filename() == "bascule-ascc") words.clear();
  }
  if (words.empty()) {
    for (const char* name : {"g++", "clang++", "c++"}) {
      if (!FindProgram(name)) continue;
      words = {name};
      break;
    }
  }
  if (words.empty()) {
    throw Error(BASCULE_BUILD_ERROR,
                "no C++ compiler was found; looked for g++, clang++ and c++ in PATH. Install one, "
                "or name it with --host-compiler= or CXX.");
  }
  // All words up to the first option are programs; the last of them compiles.
  const auto option =
      std::find_if(words.begin(), words.end(), [](const auto& w) { return w[0] == '-'; });
  if (option == words.begin()) {
    throw Error(BASCULE_INVALID_ARGUMENT,
                Join("the C++ compiler is named by ", words[0], ", which is an option."));
  }
  Host host;
  host.launcher.assign(words.begin(), option - 1);
  host.compiler.assign(option - 1, words.end());
  if (!FindProgram(host.compiler[0])) {
    throw Error(BASCULE_BUILD_ERROR,
                Join("the C++ compiler ", host.compiler[0], " was not found."));
  }
  if (!options.launcher.empty()) host.launcher = options.launcher;
  host.is_clang = IsClang(host.compiler[0], folder);
  return host;
}

class Driver {
 public:
  explicit Driver(DriverOptions options)
      : options_(std::move(options)), host_(FindHost(options_, folder_.path())) {
    if (host_.is_clang) Append(options_.common, options_.clang_only);
    std::error_code error;
    prefix_ = fs::read_symlink("/proc/self/exe", error).parent_path().parent_path();
    if (!fs::exists(prefix_ / "include/bascule_ascendc/launch.h", error)) {
      throw Error(BASCULE_NOT_FOUND,
                  Join("the headers of bascule were not found in ", (prefix_ / "include").string(),
                       "; this driver has to lie in PREFIX/bin of an installation."));
    }
  }

  int Run() {
    switch (options_.mode) {
      case DriverMode::kVersion:
        std::printf("bascule-ascc %s\n", BASCULE_VERSION);
        std::fflush(stdout);
        return Do(With({}, {"--version"}));
      case DriverMode::kForward:
        return Do(With({}, options_.common));
      case DriverMode::kLaunchHeaders:
        return EverySource([&](const std::string& source) { return LaunchHeaders(source); });
      case DriverMode::kDependencies:
        return EverySource([&](const std::string& source) { return Dependencies(source); });
      case DriverMode::kPreprocess:
        return EverySource([&](const std::string& source) { return Preprocess(source); });
      case DriverMode::kCompile:
      case DriverMode::kAssembly:
      case DriverMode::kSyntaxOnly:
        CheckOneOutput();
        return EverySource(
            [&](const std::string& source) { return Compile(source, OutputFor(source)); });
      default:
        return Link();
    }
  }

 private:
  Command With(const Command& in_front, const Command& arguments) const {
    Command command = in_front;
    Append(command, host_.compiler);
    Append(command, arguments);
    return command;
  }

  int Do(const Command& command) const {
    const ProcessResult result = RunForwarded(command);
    if (result.signal != 0) {
      std::fprintf(stderr, "bascule-ascc: %s ended with %s\n", command[0].c_str(),
                   SignalName(result.signal).c_str());
      return 128 + result.signal;
    }
    return result.exit_code;
  }

  template <typename Body>
  int EverySource(Body body) const {
    for (const DriverInput& input : options_.inputs) {
      if (!input.is_source) continue;
      if (const int code = body(input.text); code != 0) return code;
    }
    return 0;
  }

  void CheckOneOutput() const {
    const auto sources = std::count_if(options_.inputs.begin(), options_.inputs.end(),
                                       [](const DriverInput& input) { return input.is_source; });
    if (!options_.output.empty() && sources > 1) {
      throw Error(BASCULE_INVALID_ARGUMENT, "-o names one file, and there are several to compile.");
    }
  }

  std::string OutputFor(const std::string& source) const {
    if (!options_.output.empty() || options_.mode == DriverMode::kSyntaxOnly)
      return options_.output;
    return fs::path(source)
        .filename()
        .replace_extension(options_.mode == DriverMode::kAssembly ? ".s" : ".o")
        .string();
  }

  // What every step with C++ in it begins with. C++17 is what Ascend C's compiler starts from.
  Command LanguageArguments() const {
    Command arguments = options_.common;
    const bool standard = std::any_of(arguments.begin(), arguments.end(), [](const auto& argument) {
      return argument.rfind("-std=", 0) == 0;
    });
    if (!standard) arguments.push_back("-std=gnu++17");
    // As the runtime's own: a product and a sum are rounded one after the other on every processor.
    arguments.insert(arguments.begin(), "-ffp-contract=off");
    if (host_.is_clang) arguments.push_back("-Wno-dollar-in-identifier-extension");
    return arguments;
  }

  // What every look at a source begins with: the launch header in front, our include folder at the
  // end and as the system's, so that nobody's warnings are about our headers.
  Command SourceArguments(const std::string& source) const {
    Command arguments = LanguageArguments();
    Append(arguments, options_.preprocess);
    Append(arguments, {"-isystem", (prefix_ / "include").string(), "-include",
                       "bascule_ascendc/launch.h", "-x", "c++", source});
    return arguments;
  }

  int Dependencies(const std::string& source) const {
    Command arguments = SourceArguments(source);
    Append(arguments, options_.dependencies);
    if (!options_.output.empty()) Append(arguments, {"-o", options_.output});
    return Do(With({}, arguments));
  }

  // -MD and its kin, as the compiler would complete them if it knew what is made.
  Command DependencyArguments(const std::string& source, const std::string& output) const {
    Command arguments = options_.dependencies;
    const auto has = [&](const char* option) {
      return std::any_of(arguments.begin(), arguments.end(), [&](const std::string& argument) {
        return argument.rfind(option, 0) == 0;
      });
    };
    if (!has("-MD") && !has("-MMD")) return arguments;
    const fs::path made = output.empty() ? fs::path(source).filename() : fs::path(output);
    if (!has("-MF")) Append(arguments, {"-MF", fs::path(made).replace_extension(".d").string()});
    if (!has("-MT") && !has("-MQ")) {
      Append(arguments,
             {"-MQ", output.empty() ? fs::path(made).replace_extension(".o").string() : output});
    }
    return arguments;
  }

  // Rewrites the launches of `text`; false when there was something to complain about.
  static bool Rewrite(const std::string& source, std::string& text) {
    RewrittenSource rewritten = RewriteLaunches(text, source);
    for (const LaunchProblem& problem : rewritten.problems) {
      std::fprintf(stderr, "%s:%u:%u: error: %s\n", problem.place.file.c_str(), problem.place.line,
                   problem.place.column, problem.text.c_str());
    }
    text = std::move(rewritten.text);
    return rewritten.problems.empty();
  }

  // Kernels of a text that can be launched by name from another file.
  static std::set<std::string> LaunchableKernels(const std::string& text) {
    std::set<std::string> names;
    const std::vector<TokenRun> runs = Tokenize(text);
    for (const DeclaredKernel& kernel : FindKernels(text, runs.front())) {
      if (kernel.is_global && kernel.is_defined && !kernel.is_template) {
        names.insert(std::string(kernel.name));
      }
    }
    return names;
  }

  static std::string LaunchFunctions(const std::string& text) {
    std::string functions = "\n# 1 \"<launch functions>\"\n";
    for (const std::string& name : LaunchableKernels(text)) {
      functions += Join("BASCULE_LAUNCH_FUNCTION(", name, ")\n");
    }
    return functions;
  }

  // A header stands for a kernel's name alone; it is written when it is not there yet, so that what
  // includes it is not compiled again.
  int LaunchHeaders(const std::string& source) const {
    const std::string text = ReadFile(source);
    if (text.empty()) throw Error(BASCULE_NOT_FOUND, Join(source, " cannot be read, or is empty."));
    fs::create_directories(options_.header_folder);
    for (const std::string& name : LaunchableKernels(text)) {
      const std::string header =
          Join("// Made by bascule-ascc from ", fs::path(source).filename().string(),
               ".\n#ifndef ACLRTLAUNCH_", name, "_H\n#define ACLRTLAUNCH_", name,
               "_H\n\n#include \"bascule_aclrtlaunch.h\"\n\nBASCULE_ACLRTLAUNCH(", name,
               ")\n\n#endif\n");
      const fs::path file = fs::path(options_.header_folder) / Join("aclrtlaunch_", name, ".h");
      if (ReadFile(file) != header) WriteFile(file, header);
    }
    return 0;
  }

  // The compiler's own macros stand at the top of its text. Marked as the system's, they are no
  // matter for -Wpedantic, as where they come from the compiler itself.
  static void MarkBuiltIns(std::string& text) {
    constexpr std::string_view kName = "\"<built-in>\"\n";
    for (size_t at = text.find(kName); at != std::string::npos; at = text.find(kName, at + 1)) {
      text.insert(at + kName.size() - 1, " 3");
    }
  }

  // Preprocesses `source` as far as its directives go and rewrites its launches, into a file whose
  // path is the result. Empty: failed with `code`.
  fs::path Rewritten(const std::string& source, const std::string& output, int& code) const {
    const fs::path file = folder_.path() / fs::path(source).filename().replace_extension(".ii");
    Command arguments = SourceArguments(source);
    Append(arguments, DependencyArguments(source, output));
    Append(arguments, {"-E", host_.is_clang ? "-frewrite-includes" : "-fdirectives-only", "-o",
                       file.string()});
    code = Do(With({}, arguments));
    if (code != 0) return {};
    std::string text = ReadFile(file);
    if (!Rewrite(source, text)) {
      code = 1;
      return {};
    }
    if (!host_.is_clang) MarkBuiltIns(text);
    if (options_.launch_functions) text += LaunchFunctions(text);
    WriteFile(file, text);
    return file;
  }

  // What every look at a rewritten source begins with. Clang's text still has conditions in it, and
  // not the macros of the command line.
  Command RewrittenArguments() const {
    Command arguments = LanguageArguments();
    if (host_.is_clang) Append(arguments, options_.preprocess);
    return arguments;
  }

  int Preprocess(const std::string& source) const {
    int code = 0;
    const fs::path file = Rewritten(source, options_.output, code);
    if (file.empty()) return code;
    Command arguments = RewrittenArguments();
    Append(arguments, {"-E", "-x", "c++"});
    if (!host_.is_clang) Append(arguments, {"-fpreprocessed", "-fdirectives-only"});
    arguments.push_back(file.string());
    if (!options_.output.empty()) Append(arguments, {"-o", options_.output});
    return Do(With({}, arguments));
  }

  int Compile(const std::string& source, const std::string& output) const {
    int code = 0;
    const fs::path file = Rewritten(source, output, code);
    if (file.empty()) return code;
    Command arguments = RewrittenArguments();
    if (host_.is_clang) {
      Append(arguments, {"-x", "c++"});
    } else {
      // The long spelling of -fdirectives-only: ccache keeps the short one from the compilation.
      Append(arguments, {"--directives-only", "-x", "c++-cpp-output"});
    }
    arguments.push_back(file.string());
    arguments.push_back(options_.mode == DriverMode::kAssembly     ? "-S"
                        : options_.mode == DriverMode::kSyntaxOnly ? "-fsyntax-only"
                                                                   : "-c");
    if (options_.mode != DriverMode::kSyntaxOnly) Append(arguments, {"-o", output});
    return Do(With(host_.launcher, arguments));
  }

  int Link() {
    if (options_.mode == DriverMode::kArchive && options_.output.empty()) {
      throw Error(BASCULE_INVALID_ARGUMENT, "-lib wants -o and the library's name.");
    }
    Command parts;
    uint32_t number = 0;
    for (const DriverInput& input : options_.inputs) {
      if (!input.is_source) {
        parts.push_back(input.text);
        continue;
      }
      const std::string object =
          (folder_.path() /
           Join(number++, "-", fs::path(input.text).filename().replace_extension(".o").string()))
              .string();
      if (const int code = Compile(input.text, object); code != 0) return code;
      parts.push_back(object);
    }
    if (options_.mode == DriverMode::kArchive) {
      std::error_code ignored;
      fs::remove(options_.output, ignored);
      Command command = {"ar", "rcs", options_.output};
      for (const std::string& part : parts) {
        if (part[0] != '-') command.push_back(part);
      }
      return Do(command);
    }
    Command arguments = options_.common;
    Append(arguments, parts);
    // Not needed, for the headers find the runtime; but a program that names it finds it at once,
    // and a missing one is missed when the program starts.
    const fs::path runtime = prefix_ / "lib/libbascule.so";
    std::error_code ignored;
    if (!options_.static_link && fs::exists(runtime, ignored)) {
      Append(arguments, {"-Wl,--push-state,--no-as-needed", runtime.string(), "-Wl,--pop-state",
                         Join("-Wl,-rpath,", runtime.parent_path().string())});
    }
    if (!options_.output.empty()) Append(arguments, {"-o", options_.output});
    return Do(With({}, arguments));
  }

  TemporaryFolder folder_;
  DriverOptions options_;
  Host host_;
  fs::path prefix_;
};

}  // namespace

int Drive(const std::vector<std::string>& arguments) {
  try {
    DriverOptions options = ParseDriverOptions(arguments);
    if (options.mode == DriverMode::kHelp) {
      std::fputs(kHelp, stdout);
      return 0;
    }
    return Driver(std::move(options)).Run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bascule-ascc: error: %s\n", error.what());
    return 1;
  }
}

}  // namespace bascule::toolchain
