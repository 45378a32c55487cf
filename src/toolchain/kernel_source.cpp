// SPDX-License-Identifier: Apache-2.0
#include "toolchain/kernel_source.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

#include "bascule/abi/kernel.h"
#include "base/error.h"

namespace bascule::toolchain {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDeclare = "bascule_tpl_declare";

// By the numbers BASCULE_KERNEL_….
constexpr const char* kTypeNames[] = {
    "", "AIC_ONLY", "AIV_ONLY", "MIX_AIV_1_0", "MIX_AIC_1_0", "MIX_AIC_1_1", "MIX_AIC_1_2"};
static_assert(BASCULE_KERNEL_AIC_ONLY == 1 && BASCULE_KERNEL_AIV_ONLY == 2 &&
                  BASCULE_KERNEL_MIX_AIV_1_0 == 3 && BASCULE_KERNEL_MIX_AIC_1_0 == 4 &&
                  BASCULE_KERNEL_MIX_AIC_1_1 == 5 && BASCULE_KERNEL_MIX_AIC_1_2 == 6 &&
                  BASCULE_KERNEL_TYPE_COUNT == std::size(kTypeNames),
              "names in the order of the numbers");

// Functions of the headers in RenamingHeader, without those that have a number or an underscore in
// their names and those of files and processes, after which nobody names an operator.
constexpr std::string_view kNamesOfC[] = {
    "abs",    "acos",   "acosh",       "asin",     "asinh",     "atan",   "atanh",     "cbrt",
    "ceil",   "clock",  "copysign",    "cos",      "cosh",      "div",    "erf",       "erfc",
    "exp",    "expm1",  "fabs",        "fdim",     "floor",     "fma",    "fmax",      "fmin",
    "fmod",   "frexp",  "gamma",       "hypot",    "index",     "labs",   "ldexp",     "lgamma",
    "log",    "logb",   "lrint",       "lround",   "mktime",    "modf",   "nearbyint", "nextafter",
    "pow",    "qsort",  "rand",        "random",   "remainder", "remquo", "rint",      "round",
    "scalb",  "select", "significand", "sin",      "sinh",      "sqrt",   "tan",       "tanh",
    "tgamma", "time",   "trunc",       "truncate", "exp2",      "atan2",  "log2",      "log10",
    "log1p",  "exp10",  "pow10",       "sync",     "signal",    "remove", "rename",    "swab"};

bool IsWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Where `word` stands as a word of its own, from `begin` on.
std::size_t FindWord(std::string_view text, std::string_view word, std::size_t begin = 0) {
  for (std::size_t at = text.find(word, begin); at != std::string_view::npos;
       at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    if ((at == 0 || !IsWord(text[at - 1])) && (end == text.size() || !IsWord(text[end]))) return at;
  }
  return std::string_view::npos;
}

std::size_t SkipSpace(std::string_view text, std::size_t at) {
  while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at])) != 0) ++at;
  return at;
}

// One past the parenthesis that closes the one at `open`.
std::size_t Close(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t at = open; at < text.size(); ++at) {
    if (text[at] == '(') ++depth;
    if (text[at] == ')' && --depth == 0) return at + 1;
  }
  return text.size();
}

// Lines that say where the text comes from; they may stand within a declaration.
std::string WithoutMarkers(const std::string& text, std::set<std::string>* files) {
  std::string rest;
  rest.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = text.find('\n', at);
    if (end == std::string::npos) end = text.size();
    if (text[at] == '#') {
      const std::size_t open = text.find('"', at);
      const std::size_t close = open < end ? text.find('"', open + 1) : std::string::npos;
      if (close < end) files->insert(text.substr(open + 1, close - open - 1));
    } else {
      rest.append(text, at, end - at);
    }
    rest += '\n';
    at = end + 1;
  }
  return rest;
}

// Comments, literals and preprocessor lines blanked out; every character keeps its place.
std::string CodeOnly(std::string text) {
  bool line_begins = true;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    if (text.compare(at, 2, "//") == 0 || (line_begins && text[at] == '#')) {
      end = text.find('\n', at);
      while (end < text.size() && text[end - 1] == '\\') end = text.find('\n', end + 1);
    } else if (text.compare(at, 2, "/*") == 0) {
      end = text.find("*/", at + 2);
      if (end != std::string::npos) end += 2;
    } else if (text[at] == '"' || (text[at] == '\'' && (at == 0 || !IsWord(text[at - 1])))) {
      while (end < text.size() && text[end] != text[at] && text[end] != '\n') {
        end += text[end] == '\\' ? 2 : 1;
      }
      ++end;
    } else {
      line_begins = text[at] == '\n' ||
                    (line_begins && std::isspace(static_cast<unsigned char>(text[at])) != 0);
      ++at;
      continue;
    }
    end = std::min(end, text.size());
    for (; at < end; ++at) text[at] = text[at] == '\n' ? '\n' : ' ';
  }
  return text;
}

// Where the parameters of a list begin and end that lies between two parentheses.
std::vector<std::pair<std::size_t, std::size_t>> Parameters(std::string_view text,
                                                            std::size_t begin, std::size_t end) {
  std::vector<std::pair<std::size_t, std::size_t>> parameters;
  int depth = 0;
  std::size_t first = begin;
  for (std::size_t at = begin; at <= end; ++at) {
    if (at < end && (text[at] == '(' || text[at] == '<')) ++depth;
    if (at < end && (text[at] == ')' || text[at] == '>')) --depth;
    if (at < end && (text[at] != ',' || depth != 0)) continue;
    if (SkipSpace(text, first) < at) parameters.emplace_back(first, at);
    first = at + 1;
  }
  return parameters;
}

// The name of a parameter, which comes last. "": it has none.
std::string ParameterName(std::string_view parameter) {
  std::size_t end = parameter.size();
  while (end > 0 && !IsWord(parameter[end - 1])) --end;
  std::size_t begin = end;
  while (begin > 0 && IsWord(parameter[begin - 1])) --begin;
  return std::string(parameter.substr(begin, end - begin));
}

// All attributes of a declaration.
std::string Attributes(std::string_view declaration) {
  std::string result;
  constexpr std::string_view kAttribute = "__attribute__";
  for (std::size_t at = FindWord(declaration, kAttribute); at != std::string_view::npos;
       at = FindWord(declaration, kAttribute, at + 1)) {
    const std::size_t open = SkipSpace(declaration, at + kAttribute.size());
    if (open == declaration.size() || declaration[open] != '(') continue;
    result += std::string(declaration.substr(at, Close(declaration, open) - at)) + " ";
  }
  return result;
}

// What __vector__, __cube__ or __mix__ became (keywords.h of the kernel headers).
std::string DeclaredType(std::string_view attributes) {
  if (attributes.find("BASCULE_KERNEL_AIV_ONLY") != std::string_view::npos) return "AIV_ONLY";
  if (attributes.find("BASCULE_KERNEL_AIC_ONLY") != std::string_view::npos) return "AIC_ONLY";
  constexpr std::string_view kMixed = "MixedKernel<";
  const std::size_t at = attributes.find(kMixed);
  if (at == std::string_view::npos) return "";
  std::string numbers;
  for (std::size_t i = at + kMixed.size(); i < attributes.size() && attributes[i] != '>'; ++i) {
    if (std::isdigit(static_cast<unsigned char>(attributes[i])) != 0) numbers += attributes[i];
  }
  if (numbers == "01") return "MIX_AIV_1_0";
  if (numbers == "10") return "MIX_AIC_1_0";
  return numbers == "11" ? "MIX_AIC_1_1" : "MIX_AIC_1_2";
}

}  // namespace

bool MentionsCubeCores(const std::string& text) {
  return text.find("__DAV_C220_CUBE__") != std::string::npos ||
         text.find("g_coreType") != std::string::npos;
}

bool MentionsCores(const std::string& text) {
  return MentionsCubeCores(text) || text.find("__DAV_C220_VEC__") != std::string::npos;
}

bool MentionsForms(const std::string& text) {
  for (const char* word : {"ASCENDC_TPL_", "__cube__", "__vector__", "__mix__"}) {
    if (text.find(word) != std::string::npos) return true;
  }
  return MentionsCores(text);
}

std::string KernelTypeName(const std::string& section) {
  std::set<std::string> keyed;
  for (std::size_t i = 0; i + 1 < section.size(); i += 2) {
    const auto number = static_cast<unsigned char>(section[i]);
    const std::string name = number < std::size(kTypeNames) ? kTypeNames[number] : "";
    if (name.empty()) continue;
    if (section[i + 1] == 0) return name;
    keyed.insert(name);
  }
  if (keyed.empty()) return kTypeNames[BASCULE_KERNEL_AIV_ONLY];
  return keyed.size() == 1 ? *keyed.begin() : "BY_KEY";
}

std::string NameInObject(const std::string& kernel) {
  const bool taken =
      std::find(std::begin(kNamesOfC), std::end(kNamesOfC), kernel) != std::end(kNamesOfC);
  return taken ? "bascule_kernel_" + kernel : kernel;
}

std::string RenamingHeader(const std::string& kernel) {
  const std::string name = NameInObject(kernel);
  if (name == kernel) return "";
  std::string text = "// Generated by bascule build.\n";
  for (const char* header : {"<algorithm>", "<cmath>", "<csignal>", "<cstdio>", "<cstdlib>",
                             "<cstring>", "<ctime>", "<unistd.h>", "\"kernel_operator.h\""}) {
    text += Join("#include ", header, "\n");
  }
  return text + Join("#define ", kernel, " ", name, "\n");
}

void CheckKernelArguments(const std::string& text, const Schema& schema, const std::string& shown) {
  const std::string code = CodeOnly(text);
  const std::string& name = schema.kernel_function;
  const std::size_t tensors = schema.KernelTensors();
  const std::size_t outputs = tensors - schema.inputs.size();
  std::string refusal;
  for (std::size_t at = FindWord(code, name); at != std::string::npos;
       at = FindWord(code, name, at + 1)) {
    const std::size_t open = SkipSpace(code, at + name.size());
    if (open == code.size() || code[open] != '(') continue;
    std::size_t begin = at;
    while (begin > 0 && code[begin - 1] != ';' && code[begin - 1] != '}') --begin;
    const std::string_view declaration = std::string_view(code).substr(begin, at - begin);
    if (FindWord(declaration, "__global__") == std::string_view::npos) continue;
    const auto parameters = Parameters(code, open + 1, Close(code, open) - 1);
    if (parameters.size() <= tensors + 2) return;  // perhaps one of several under #if
    // Workspace and tiling data come last.
    const auto [first, end] = parameters[tensors];
    const std::size_t excess = parameters.size() - tensors - 2;
    const auto line =
        std::count(code.begin(), code.begin() + static_cast<std::ptrdiff_t>(SkipSpace(code, first)),
                   '\n') +
        1;
    refusal =
        Join(shown, ":", line, ": the kernel ", name, " takes ", parameters.size(),
             " arguments, and a launch passes ", tensors + 2, ": ", schema.inputs.size(),
             schema.inputs.size() == 1 ? " input, " : " inputs, ", outputs,
             outputs == 1 ? " output" : " outputs",
             ", the workspace and the tiling data. Nobody passes '",
             ParameterName(std::string_view(code).substr(first, end - first)), "'",
             excess == 1 ? "" : Join(" and ", excess - 1, " more"),
             ". Inputs and outputs are those of the OpDef. An argument for the shapes of outputs "
             "that are known only after the kernel has run (OutputShapeDependOnCompute) is not "
             "supported: give the output its largest shape and write how much of it counts to an "
             "output of its own");
  }
  if (!refusal.empty()) throw Error(BASCULE_BUILD_ERROR, refusal);
}

KernelForm ReadKernelForm(const std::string& preprocessed, const std::string& name,
                          const std::string& shown) {
  KernelForm form;
  std::set<std::string> files;
  const std::string text = WithoutMarkers(preprocessed, &files);
  form.files.assign(files.begin(), files.end());

  bool declared = false;
  if (const std::size_t at = FindWord(text, kDeclare); at != std::string::npos) {
    declared = true;
    const std::size_t open = SkipSpace(text, at + std::string_view(kDeclare).size());
    const std::string_view list = std::string_view(text).substr(open, Close(text, open) - open);
    constexpr std::string_view kMark = "bascule_tpl_";
    for (std::size_t next = list.find(kMark); next != std::string_view::npos;
         next = list.find(kMark, next + 1)) {
      form.parameter_is_type.push_back(list.substr(next + kMark.size(), 4) == "type");
    }
  }

  // "void my_mul (": the declaration began behind the last ';', '}' or ')' that ends a construct.
  for (std::size_t at = FindWord(text, name); at != std::string::npos;
       at = FindWord(text, name, at + 1)) {
    const std::size_t open = SkipSpace(text, at + name.size());
    if (open == text.size() || text[open] != '(') continue;
    std::size_t begin = at;
    while (begin > 0 && text[begin - 1] != ';' && text[begin - 1] != '}') --begin;
    const std::string_view declaration = std::string_view(text).substr(begin, at - begin);
    if (FindWord(declaration, "void") == std::string_view::npos) continue;
    form.attributes = Attributes(declaration);
    form.declared_type = DeclaredType(form.attributes);
    form.is_template = FindWord(declaration, "template") != std::string_view::npos;
    break;
  }
  if (form.is_template && !declared) {
    throw Error(BASCULE_BUILD_ERROR,
                Join(shown, ": the kernel ", name,
                     " is a template, and nothing says with which arguments; declare its "
                     "parameters with ASCENDC_TPL_ARGS_DECL and list their values with "
                     "ASCENDC_TPL_SEL in a header that host code and kernel include"));
  }
  return form;
}

const char* EntrySymbol(CoreType core) {
  return core == CoreType::kCube ? "bascule_entry_cube" : "bascule_entry";
}

std::string EntrySource(const Schema& schema, std::size_t column, const KernelForm& form,
                        const fs::path& source, CoreType core) {
  const std::size_t count = schema.inputs.size() + schema.outputs.size() + 2;
  std::string parameters;
  std::string arguments;
  std::string taken;  // by the kernel: not the outputs of one that has none
  for (std::size_t i = 0; i < count; ++i) {
    parameters += Join(i == 0 ? "" : ", ", "void* a", i);
    arguments += Join(i == 0 ? "" : ", ", "a", i);
    if (schema.in_place && i >= schema.inputs.size() && i + 2 < count) continue;
    taken += Join(i == 0 ? "" : ", ", "a", i);
  }
  const std::size_t taken_count = schema.KernelTensors() + 2;
  std::string call = Join("bascule_ascendc::CallKernel<", taken_count, ">(&",
                          schema.kernel_function, ", bascule_arguments);\n");
  std::string kernel_class;
  if (form.is_template) {
    const auto numbers = [&](const std::vector<SchemaParameter>& list, bool formats) {
      std::string text;
      for (const SchemaParameter& parameter : list) {
        text += Join(text.empty() ? "" : ", ",
                     formats ? parameter.formats[column] : parameter.dtypes[column]);
      }
      return text.empty() ? "-1" : text;
    };
    std::string instance;
    for (std::size_t i = 0; i < form.parameter_is_type.size(); ++i) {
      instance += i == 0 ? "" : ", ";
      instance += form.parameter_is_type[i]
                      ? Join("typename bascule_ascendc::TypeOf<v[", i, "]>::type")
                      : Join("bascule_ascendc::Number<v[", i, "]>{}");
    }
    kernel_class = Join(
        "namespace {\nstruct BasculeKernel {\n"
        "  static constexpr const bascule::tpl::Arguments& Declared() {\n"
        "    return g_tilingDeclareParams;\n  }\n"
        "  static constexpr size_t kSelections =\n"
        "      sizeof(g_tilingSelectParams) / sizeof(g_tilingSelectParams[0]);\n"
        "  static constexpr const bascule::tpl::Arguments& Selection(size_t i) {\n"
        "    return g_tilingSelectParams[i];\n  }\n"
        "  static constexpr int32_t kInputTypes[] = {",
        numbers(schema.inputs, false), "};\n  static constexpr int32_t kOutputTypes[] = {",
        numbers(schema.outputs, false), "};\n  static constexpr int32_t kInputFormats[] = {",
        numbers(schema.inputs, true), "};\n  static constexpr int32_t kOutputFormats[] = {",
        numbers(schema.outputs, true),
        "};\n  template <size_t n>\n  static void Run(void* const* bascule_arguments) {\n"
        "    [[maybe_unused]] constexpr const auto& v =\n"
        "        bascule_ascendc::Instances<BasculeKernel>::list.at[n].values;\n"
        "    bascule_ascendc::CallKernel<",
        taken_count, ">(&", schema.kernel_function, "<", instance,
        ">, bascule_arguments);\n  }\n};\n}\n");
    call = "bascule_ascendc::RunInstance<BasculeKernel>(bascule_arguments);\n";
  }
  std::string other;
  std::string branch;
  if (core == CoreType::kVector) {
    other = Join("extern \"C\" void ", EntrySymbol(CoreType::kCube), "(", parameters, ");\n");
    branch = Join("  if ASCEND_IS_AIC {\n    ", EntrySymbol(CoreType::kCube), "(", arguments,
                  ");\n    return;\n  }\n");
  }
  return Join("// Generated by bascule build.\n#include \"", source.string(),
              "\"\n#include \"bascule_ascendc/entry.h\"\n", kernel_class, other, "extern \"C\" ",
              form.attributes, "void ", EntrySymbol(core), "(", parameters,
              ") {\n  void* const bascule_arguments[] = {", taken, "};\n", branch, "  ", call,
              "}\n");
}

}  // namespace bascule::toolchain
