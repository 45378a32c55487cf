// SPDX-License-Identifier: Apache-2.0
#include "toolchain/aclnn.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <vector>

#include "bascule/abi/library.h"
#include "base/error.h"

namespace bascule::toolchain {
namespace {

// One parameter of the first step.
struct Parameter {
  std::string type;  // "const aclTensor *"
  std::string name;
  std::string argument;  // how the generated code hands it on, without its name and value
  std::string tail;      // what stands behind the value
};

// One pair of functions.
struct Function {
  std::string name;   // "aclnnMyMulV1"
  std::string first;  // "aclnnMyMulV1GetWorkspaceSize"
  std::vector<Parameter> parameters;
};

// negative_slope becomes negativeSlope.
std::string CamelCase(const std::string& name) {
  std::string text;
  bool upper = false;
  for (const char c : name) {
    if (c == '_') {
      upper = !text.empty();
      continue;
    }
    text += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
    upper = false;
  }
  return text.empty() ? name : text;
}

class Generator {
 public:
  explicit Generator(const Schema& schema) : schema_(schema) {}

  std::vector<Function> Functions() const {
    uint32_t versions = 0;
    for (const SchemaParameter& input : schema_.inputs) {
      versions = std::max(versions, input.version);
    }
    for (const auto& attribute : schema_.attributes)
      versions = std::max(versions, Version(attribute));
    bool has_values = false;
    for (const SchemaParameter& input : schema_.inputs) has_values |= input.value_depend;

    std::vector<Function> functions;
    for (uint32_t version = 0; version <= versions; ++version) {
      const std::string name =
          Join("aclnn", schema_.type, version == 0 ? std::string() : Join("V", version));
      functions.push_back(Make(name, name + "GetWorkspaceSize", version, false));
      // With numbers that lie on the device, as tensors.
      if (has_values) {
        functions.push_back(Make(name, name + "TensorGetWorkspaceSize", version, true));
      }
    }
    return functions;
  }

 private:
  static uint32_t Version(const nlohmann::json& attribute) {
    return attribute.value("version", uint32_t{0});
  }

  // A list of lists, for which aclnn has no type: it has its default.
  bool IsUnsaid(const nlohmann::json& attribute) const {
    if (attribute.at("kind") != "int_lists") return false;
    if (!attribute.at("required").get<bool>()) return true;
    throw Error(
        BASCULE_UNSUPPORTED,
        Join("operator ", schema_.type, ": the attribute ", attribute.at("name").get<std::string>(),
             " is a list of lists and required, and aclnn has no type for it; give it a "
             "default value, which its aclnn function then uses"));
  }

  // The output that is the same tensor as input `name`; -1: there is none.
  int OutputOf(const std::string& name) const {
    for (size_t i = 0; i < schema_.outputs.size(); ++i) {
      if (schema_.outputs[i].name == name) return static_cast<int>(i);
    }
    return -1;
  }

  Function Make(const std::string& name, const std::string& first, uint32_t version,
                bool values_as_tensors) const {
    Function function = {name, first, {}};
    for (size_t i = 0; i < schema_.inputs.size(); ++i) {
      if (schema_.inputs[i].version > version) continue;
      function.parameters.push_back(Input(i, values_as_tensors));
    }
    for (size_t i = 0; i < schema_.attributes.size(); ++i) {
      if (Version(schema_.attributes[i]) > version || IsUnsaid(schema_.attributes[i])) continue;
      function.parameters.push_back(Attribute(i));
    }
    std::vector<size_t> outputs;
    for (size_t i = 0; i < schema_.outputs.size(); ++i) {
      bool input = false;
      for (const SchemaParameter& other : schema_.inputs) {
        input |= other.name == schema_.outputs[i].name;
      }
      if (!input) outputs.push_back(i);
    }
    for (const size_t i : outputs) {
      const SchemaParameter& output = schema_.outputs[i];
      const bool list = output.kind == BASCULE_DYNAMIC;
      function.parameters.push_back(
          {list ? "const aclTensorList *" : "const aclTensor *",
           schema_.outputs.size() == 1 ? "out" : CamelCase(output.name) + "Out",
           Join("Handle(BASCULE_ACLNN_OUTPUT, ",
                list ? "BASCULE_ACLNN_TENSOR_LIST" : "BASCULE_ACLNN_TENSOR", ", ", i),
           ""});
    }
    // A parameter may be called as a keyword is, or as another one.
    std::set<std::string> taken = {
        "workspaceSize", "executor", "workspace", "stream",   "arguments", "default",  "register",
        "switch",        "case",     "const",     "template", "operator",  "union",    "class",
        "new",           "delete",   "this",      "static",   "struct",    "return",   "if",
        "else",          "for",      "while",     "do",       "int",       "float",    "double",
        "bool",          "char",     "long",      "short",    "signed",    "unsigned", "void",
        "auto",          "break",    "continue",  "goto",     "enum",      "typedef",  "namespace",
        "private",       "public"};
    for (Parameter& parameter : function.parameters) {
      while (!taken.insert(parameter.name).second) parameter.name += "_";
    }
    return function;
  }

  Parameter Input(size_t i, bool values_as_tensors) const {
    const SchemaParameter& input = schema_.inputs[i];
    const std::string name =
        CamelCase(input.name) + (input.kind == BASCULE_OPTIONAL ? "Optional" : "");
    const auto handle = [&](const char* type, const char* kind, const std::string& tail) {
      return Parameter{type, name, Join("Handle(BASCULE_ACLNN_INPUT, ", kind, ", ", i), tail};
    };
    if (const int output = OutputOf(input.name); output >= 0) {
      const bool list = input.kind == BASCULE_DYNAMIC;
      const char* type = list               ? "aclTensorList *"
                         : schema_.in_place ? "const aclTensor *"
                                            : "aclTensor *";
      return {type, schema_.in_place ? name : CamelCase(input.name) + "Ref",
              Join("Handle(BASCULE_ACLNN_INPUT_AND_OUTPUT, ",
                   list ? "BASCULE_ACLNN_TENSOR_LIST" : "BASCULE_ACLNN_TENSOR", ", ", i),
              Join(", ", output)};
    }
    if (input.scalar != 0) {
      const std::string to = Join(", ", ScalarTo(input));
      return input.scalar == 1 ? handle("const aclScalar *", "BASCULE_ACLNN_SCALAR", to)
                               : handle("const aclScalarList *", "BASCULE_ACLNN_SCALAR_LIST", to);
    }
    if (input.value_depend && !values_as_tensors && !input.dtypes.empty()) {
      if (input.dtypes[0] == BASCULE_FLOAT) {
        return handle("const aclFloatArray *", "BASCULE_ACLNN_FLOATS", "");
      }
      if (input.dtypes[0] == BASCULE_BOOL) {
        return handle("const aclBoolArray *", "BASCULE_ACLNN_BOOLS", "");
      }
      return handle("const aclIntArray *", "BASCULE_ACLNN_INTS", "");
    }
    if (input.kind == BASCULE_DYNAMIC) {
      return handle("const aclTensorList *", "BASCULE_ACLNN_TENSOR_LIST", "");
    }
    return handle("const aclTensor *", "BASCULE_ACLNN_TENSOR", "");
  }

  // BasculeAclnnArgument::to.
  int ScalarTo(const SchemaParameter& input) const {
    if (input.to_dtype >= 0) return input.to_dtype;
    for (size_t i = 0; i < schema_.inputs.size(); ++i) {
      if (schema_.inputs[i].name == input.to_name) return -2 - static_cast<int>(i);
    }
    return -1;
  }

  Parameter Attribute(size_t i) const {
    const nlohmann::json& attribute = schema_.attributes[i];
    const auto kind = attribute.at("kind").get<std::string>();
    std::string name = CamelCase(attribute.at("name").get<std::string>());
    if (kind == "int") return {"int64_t ", name, Join("Int(", i), ""};
    if (kind == "bool") return {"bool ", name, Join("Int(", i), ""};
    if (kind == "float") return {"double ", name, Join("Float(", i), ""};
    // What is a pointer may be null, when it is optional.
    if (!attribute.at("required").get<bool>()) name += "Optional";
    if (kind == "string") return {"const char *", name, Join("Text(", i), ""};
    const char* type = kind == "float_list"  ? "const aclFloatArray *"
                       : kind == "bool_list" ? "const aclBoolArray *"
                                             : "const aclIntArray *";
    const char* which = kind == "float_list"  ? "BASCULE_ACLNN_FLOATS"
                        : kind == "bool_list" ? "BASCULE_ACLNN_BOOLS"
                                              : "BASCULE_ACLNN_INTS";
    return {type, name, Join("Handle(BASCULE_ACLNN_ATTRIBUTE, ", which, ", ", i), ""};
  }

  const Schema& schema_;
};

std::string FirstStep(const Function& function) {
  std::string text = Join("aclnnStatus ", function.first, "(\n");
  for (const Parameter& parameter : function.parameters) {
    text += Join("    ", parameter.type, parameter.name, ",\n");
  }
  return text + "    uint64_t *workspaceSize,\n    aclOpExecutor **executor)";
}

std::string SecondStep(const Function& function) {
  return Join("aclnnStatus ", function.name,
              "(\n    void *workspace,\n    uint64_t workspaceSize,\n    aclOpExecutor *executor,\n"
              "    aclrtStream stream)");
}

// The variant with tensors has no second step of its own.
bool HasSecondStep(const Function& function) {
  return function.first == function.name + "GetWorkspaceSize";
}

}  // namespace

std::string LibraryFunctionOf(const std::string& package) {
  std::string name = "bascule_library_of_";
  for (const char c : package) name += std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
  return name;
}

std::string AclnnHeader(const Schema& schema) {
  std::string guard = "ACLNN_" + schema.name + "_H_";
  std::transform(guard.begin(), guard.end(), guard.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  std::string text = Join("// Generated from the definition of ", schema.type, ".\n#ifndef ", guard,
                          "\n#define ", guard,
                          "\n\n#include \"aclnn/acl_meta.h\"\n\n#ifdef __cplusplus\n"
                          "extern \"C\" {\n#endif\n\n");
  const std::string visible = "__attribute__((visibility(\"default\")))\n";
  for (const Function& function : Generator(schema).Functions()) {
    text += visible + FirstStep(function) + ";\n\n";
    if (HasSecondStep(function)) text += visible + SecondStep(function) + ";\n\n";
  }
  return text + "#ifdef __cplusplus\n}\n#endif\n\n#endif  // " + guard + "\n";
}

std::string AclnnSource(const Schema& schema, const std::string& package) {
  const std::string library = LibraryFunctionOf(package);
  std::string text =
      Join("// Generated from the definition of ", schema.type, ".\n#include \"aclnn_", schema.name,
           ".h\"\n#include \"bascule/aclnn_stub.h\"\n\nextern \"C\" {\n\n",
           "__attribute__((visibility(\"hidden\"))) const BasculeLibraryTable *", library,
           "(void);\n\n");
  for (const Function& function : Generator(schema).Functions()) {
    text += FirstStep(function) + " {\n  const BasculeAclnnArgument arguments[] = {\n";
    for (const Parameter& parameter : function.parameters) {
      text += Join("      bascule_aclnn::", parameter.argument, ", \"", parameter.name, "\", ",
                   parameter.name, parameter.tail, "),\n");
    }
    text += Join("  };\n  return bascule_aclnn::Plan(", library, ", \"", function.name, "\", \"",
                 schema.type, "\", arguments, workspaceSize, executor);\n}\n\n");
    if (!HasSecondStep(function)) continue;
    text += SecondStep(function) + Join(" {\n  return bascule_aclnn::Run(\"", function.name,
                                        "\", workspace, workspaceSize, executor, stream);\n}\n\n");
  }
  return text + "}  // extern \"C\"\n";
}

}  // namespace bascule::toolchain
