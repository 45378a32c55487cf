// SPDX-License-Identifier: Apache-2.0
#include "toolchain/driver/options.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string_view>

#include "base/error.h"

namespace bascule::toolchain {
namespace {

bool StartsWith(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

template <size_t n>
bool Among(std::string_view text, const std::string_view (&words)[n]) {
  return std::find(std::begin(words), std::end(words), text) != std::end(words);
}

// Options whose value is the next argument.
constexpr std::string_view kPreprocessValue[] = {
    "-I",      "-D",         "-U",       "-include",     "-imacros",           "-isystem",
    "-iquote", "-idirafter", "-iprefix", "-iwithprefix", "-iwithprefixbefore", "-Xpreprocessor"};
constexpr std::string_view kDependencyValue[] = {"-MF", "-MT", "-MQ"};
constexpr std::string_view kDependencyFlag[] = {"-MD", "-MMD", "-MP", "-MG"};
constexpr std::string_view kLinkValue[] = {"-L", "-l", "-T", "-Xlinker", "-z", "-u", "-e"};
constexpr std::string_view kCommonValue[] = {"--param", "-isysroot", "--sysroot",   "-B",
                                             "-target", "-Xclang",   "-Xassembler", "-aux-info",
                                             "-specs",  "-G",        "-A"};
constexpr std::string_view kSourceSuffixes[] = {".asc", ".cce", ".cpp", ".cc", ".cxx",
                                                ".c++", ".C",   ".cp",  ".c"};

// Libraries of the toolkit that build files name. What programs use of them is in the headers.
constexpr std::string_view kToolkitLibraries[] = {
    "ascendcl",        "acl_rt",          "acl_rt_compile", "acl_mdl",     "acl_op_compiler",
    "acl_op_executor", "acl_cblas",       "runtime",        "register",    "platform",
    "tiling_api",      "graph",           "graph_base",     "nnopbase",    "unified_dlog",
    "ascendalog",      "profapi",         "mmpa",           "ascend_dump", "c_sec",
    "error_manager",   "ascendc_runtime", "opapi",          "exe_graph",   "lowering",
    "metadef",         "ops_base"};

// Options of Ascend C's compiler without a meaning here.
bool IsForNpuOnly(std::string_view option) {
  static constexpr std::string_view kExact[] = {"--sanitizer", "-forward-options-to-host-compiler"};
  static constexpr std::string_view kPrefixes[] = {"--npu-soc=", "--cce-", "-cce-", "--run-mode="};
  return Among(option, kExact) ||
         std::any_of(std::begin(kPrefixes), std::end(kPrefixes),
                     [&](auto prefix) { return StartsWith(option, prefix); });
}

void CheckArchitecture(std::string_view value) {
  // Atlas A2 and A3; the older spelling names the core type besides.
  if (value == "dav-2201" || value == "dav-c220" || value == "dav-c220-vec" ||
      value == "dav-c220-cube")
    return;
  throw Error(BASCULE_UNSUPPORTED,
              Join("--npu-arch=", value,
                   " is an architecture that bascule does not run; it runs dav-2201 (Atlas "
                   "A2 and A3)."));
}

// As GCC reads them: blanks separate, quotes and backslashes protect.
std::vector<std::string> ReadResponseFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(BASCULE_NOT_FOUND, Join("the argument file ", path, " cannot be read."));
  const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  std::vector<std::string> words;
  std::string word;
  bool inside = false;
  char quote = '\0';
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' && i + 1 < text.size()) {
      word += text[++i];
      inside = true;
    } else if (quote != '\0') {
      if (c == quote) {
        quote = '\0';
      } else {
        word += c;
      }
    } else if (c == '"' || c == '\'') {
      quote = c;
      inside = true;
    } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      if (inside) words.push_back(word);
      word.clear();
      inside = false;
    } else {
      word += c;
      inside = true;
    }
  }
  if (inside) words.push_back(word);
  return words;
}

std::vector<std::string> Expand(const std::vector<std::string>& arguments, int depth = 0) {
  std::vector<std::string> all;
  for (const std::string& argument : arguments) {
    if (argument.size() > 1 && argument[0] == '@' && depth < 8 &&
        std::filesystem::exists(argument.substr(1))) {
      const std::vector<std::string> inner =
          Expand(ReadResponseFile(argument.substr(1)), depth + 1);
      all.insert(all.end(), inner.begin(), inner.end());
    } else {
      all.push_back(argument);
    }
  }
  return all;
}

std::vector<std::string> Words(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

class Parser {
 public:
  explicit Parser(const std::vector<std::string>& arguments) : arguments_(Expand(arguments)) {}

  DriverOptions Run() {
    while (at_ < arguments_.size()) {
      const size_t begin = at_;
      const std::string& argument = arguments_[at_++];
      if (Own(argument) || Npu(argument)) continue;
      if (!Step(argument)) Compiler(argument);
      host_arguments_.insert(host_arguments_.end(),
                             arguments_.begin() + static_cast<ptrdiff_t>(begin),
                             arguments_.begin() + static_cast<ptrdiff_t>(at_));
    }
    const bool has_input =
        std::any_of(out_.inputs.begin(), out_.inputs.end(),
                    [](const DriverInput& i) { return i.text[0] != '-' || i.is_source; });
    if (!has_input && out_.mode != DriverMode::kVersion && out_.mode != DriverMode::kHelp) {
      out_.mode = DriverMode::kForward;
      out_.common = host_arguments_;
    }
    return out_;
  }

 private:
  std::string Value(const std::string& option) {
    if (at_ >= arguments_.size()) {
      throw Error(BASCULE_INVALID_ARGUMENT,
                  Join("the option ", option, " wants a value behind it."));
    }
    return arguments_[at_++];
  }

  // Options of this driver alone.
  bool Own(const std::string& option) {
    if (StartsWith(option, "--host-compiler=")) {
      out_.host_compiler = Words(option.substr(16));
    } else if (StartsWith(option, "--launcher=")) {
      out_.launcher = Words(option.substr(11));
    } else if (StartsWith(option, "--launch-headers=")) {
      out_.mode = DriverMode::kLaunchHeaders;
      out_.header_folder = option.substr(17);
    } else if (option == "--launch-functions") {
      out_.launch_functions = true;
    } else if (option == "--version") {
      out_.mode = DriverMode::kVersion;
    } else if (option == "--help" || option == "-help") {
      out_.mode = DriverMode::kHelp;
    } else {
      return false;
    }
    return true;
  }

  // Options of Ascend C's compiler.
  bool Npu(const std::string& option) {
    if (StartsWith(option, "--npu-arch=")) {
      CheckArchitecture(std::string_view(option).substr(11));
    } else if (option == "--npu-arch" || option == "--cce-aicore-arch") {
      CheckArchitecture(Value(option));
    } else if (StartsWith(option, "--cce-aicore-arch=")) {
      CheckArchitecture(std::string_view(option).substr(18));
    } else if (option == "--enable-simt") {
      throw Error(BASCULE_UNSUPPORTED,
                  "--enable-simt: dav-2201 (Atlas A2 and A3) has no SIMT; that is dav-3510.");
    } else if (option == "-dc") {
      out_.mode = DriverMode::kCompile;
    } else if (option == "-lib" || option == "--cce-build-static-lib") {
      out_.mode = DriverMode::kArchive;
    } else if (option == "-mllvm") {
      Value(option);  // tunes the code for the NPU
    } else if (StartsWith(option, "--gcc-toolchain=")) {
      out_.clang_only.push_back(option);
    } else {
      return IsForNpuOnly(option);
    }
    return true;
  }

  // Options that say what is done, and with which files.
  bool Step(const std::string& option) {
    if (option == "-c") {
      // -dc and -lib say more.
      if (out_.mode == DriverMode::kLink) out_.mode = DriverMode::kCompile;
    } else if (option == "-S") {
      out_.mode = DriverMode::kAssembly;
    } else if (option == "-E") {
      out_.mode = DriverMode::kPreprocess;
    } else if (option == "-fsyntax-only") {
      out_.mode = DriverMode::kSyntaxOnly;
    } else if (option == "-M" || option == "-MM") {
      out_.mode = DriverMode::kDependencies;
      out_.dependencies.push_back(option);
    } else if (option == "-o") {
      out_.output = Value(option);
    } else if (StartsWith(option, "-o")) {
      out_.output = option.substr(2);
    } else if (option == "-x") {
      language_ = Value(option);
    } else if (StartsWith(option, "-x")) {
      language_ = option.substr(2);
    } else if (option == "-" || option[0] != '-') {
      Input(option);
    } else {
      return false;
    }
    return true;
  }

  void Input(const std::string& name) {
    const std::string suffix = std::filesystem::path(name).extension().string();
    const bool ours = language_.empty() || language_ == "none"
                          ? Among(suffix, kSourceSuffixes)
                          : language_ == "asc" || language_ == "cce" || language_ == "c++";
    if (!ours && !language_.empty() && language_ != "none") {
      throw Error(BASCULE_UNSUPPORTED,
                  Join("-x ", language_, ": this driver compiles asc, cce and c++."));
    }
    out_.inputs.push_back({name, ours});
  }

  // Everything else is the host compiler's.
  void Compiler(const std::string& option) {
    std::vector<std::string> words = {option};
    const auto take = [&](std::vector<std::string>& to) {
      to.insert(to.end(), words.begin(), words.end());
    };
    if (Among(option, kDependencyValue)) {
      words.push_back(Value(option));
      take(out_.dependencies);
    } else if (Among(option, kDependencyFlag) || StartsWith(option, "-MF") ||
               StartsWith(option, "-MT") || StartsWith(option, "-MQ")) {
      take(out_.dependencies);
    } else if (Among(option, kPreprocessValue)) {
      words.push_back(Value(option));
      take(out_.preprocess);
    } else if (StartsWith(option, "-I") || StartsWith(option, "-D") || StartsWith(option, "-U") ||
               StartsWith(option, "-isystem") || StartsWith(option, "-iquote") ||
               StartsWith(option, "-Wp,")) {
      take(out_.preprocess);
    } else if (Among(option, kLinkValue)) {
      words.push_back(Value(option));
      Link(words);
    } else if (StartsWith(option, "-l") || StartsWith(option, "-L") || StartsWith(option, "-Wl,") ||
               option == "-shared" || option == "--shared" || option == "-rdynamic" ||
               option == "-static" || option == "-r" || option == "-nostdlib" ||
               option == "-nodefaultlibs" || option == "-pie" || option == "-no-pie" ||
               option == "-s") {
      Link(words);
    } else {
      if (Among(option, kCommonValue)) words.push_back(Value(option));
      take(out_.common);
    }
  }

  void Link(std::vector<std::string> words) {
    std::string_view library =
        words[0] == "-l" ? std::string_view(words[1]) : std::string_view(words[0]);
    if (words[0] != "-l" && StartsWith(library, "-l")) library = library.substr(2);
    if (words[0].substr(0, 2) == "-l" && Among(library, kToolkitLibraries)) return;
    if (words[0] == "--shared") words[0] = "-shared";
    if (words[0] == "-static" || words[0] == "-r" || words[0] == "-nostdlib" ||
        words[0] == "-nodefaultlibs") {
      out_.static_link = true;
    }
    for (std::string& word : words) out_.inputs.push_back({std::move(word), false});
  }

  std::vector<std::string> arguments_;
  size_t at_ = 0;
  std::string language_;
  std::vector<std::string> host_arguments_;  // as they came, without what only this driver knows
  DriverOptions out_;
};

}  // namespace

DriverOptions ParseDriverOptions(const std::vector<std::string>& arguments) {
  return Parser(arguments).Run();
}

}  // namespace bascule::toolchain
