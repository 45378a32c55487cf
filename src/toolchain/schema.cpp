// SPDX-License-Identifier: Apache-2.0
#include "toolchain/schema.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <sstream>

#include "bascule/abi/kernel.h"
#include "bascule/abi/library.h"
#include "base/dtype.h"
#include "base/error.h"
#include "toolchain/manifest.h"
#include "toolchain/version.h"

namespace bascule::toolchain {
namespace {

using nlohmann::json;

// In the order of their numbers.
constexpr const char* kFormats[] = {
    "NCHW",
    "NHWC",
    "ND",
    "NC1HWC0",
    "FRACTAL_Z",
    "NC1C0HWPAD",
    "NHWC1C0",
    "FSR_NCHW",
    "FRACTAL_DECONV",
    "C1HWNC0",
    "FRACTAL_DECONV_TRANSPOSE",
    "FRACTAL_DECONV_SP_STRIDE_TRANS",
    "NC1HWC0_C04",
    "FRACTAL_Z_C04",
    "CHWN",
    "FRACTAL_DECONV_SP_STRIDE8_TRANS",
    "HWCN",
    "NC1KHKWHWC0",
    "BN_WEIGHT",
    "FILTER_HWCK",
    "HASHTABLE_LOOKUP_LOOKUPS",
    "HASHTABLE_LOOKUP_KEYS",
    "HASHTABLE_LOOKUP_VALUE",
    "HASHTABLE_LOOKUP_OUTPUT",
    "HASHTABLE_LOOKUP_HITS",
    "C1HWNCoC0",
    "MD",
    "NDHWC",
    "FRACTAL_ZZ",
    "FRACTAL_NZ",
    "NCDHW",
    "DHWCN",
    "NDC1HWC0",
    "FRACTAL_Z_3D",
    "CN",
    "NC",
    "DHWNC",
    "FRACTAL_Z_3D_TRANSPOSE",
    "FRACTAL_ZN_LSTM",
    "FRACTAL_Z_G",
    "RESERVED",
    "ALL",
    "NULL",
    "ND_RNN_BIAS",
    "FRACTAL_ZN_RNN",
    "NYUV",
    "NYUV_A",
    "NCL",
    "FRACTAL_Z_WINO",
    "C1HWC0",
    "FRACTAL_NZ_C0_16",
    "FRACTAL_NZ_C0_32",
    "FRACTAL_NZ_C0_2",
    "FRACTAL_NZ_C0_4",
    "FRACTAL_NZ_C0_8",
};

constexpr const char* kParameterKinds[] = {"required", "optional", "dynamic"};
constexpr const char* kAttributeKinds[] = {"int",      "float",      "bool",      "string",
                                           "int_list", "float_list", "bool_list", "int_lists"};

SchemaParameter ParseParameter(const json& from, const std::string& owner, const char* role) {
  SchemaParameter parameter;
  parameter.name = from.at("name").get<std::string>();
  parameter.kind = from.at("kind").get<uint32_t>();
  parameter.dtypes = from.at("dtypes").get<std::vector<int32_t>>();
  parameter.formats = from.at("formats").get<std::vector<int32_t>>();
  parameter.scalar = from.value("scalar", uint32_t{0});
  parameter.to_dtype = from.value("to_dtype", -1);
  parameter.to_name = from.value("to_name", std::string());
  parameter.value_depend = from.value("value_depend", false);
  parameter.version = from.value("version", uint32_t{0});
  for (int32_t dtype : parameter.dtypes) {
    if (FindDType(dtype) != nullptr) continue;
    throw Error(BASCULE_BUILD_ERROR, Join("operator ", owner, ": ", role, " ", parameter.name,
                                          " lists the data type number ", dtype,
                                          " of ge::DataType, which kernels here do not know"));
  }
  for (int32_t format : parameter.formats) {
    if (FormatName(format) != nullptr) continue;
    throw Error(BASCULE_BUILD_ERROR, Join("operator ", owner, ": ", role, " ", parameter.name,
                                          " lists the format number ", format,
                                          " of ge::Format, which is not known here"));
  }
  return parameter;
}

std::string Upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

std::vector<std::string> Names(const std::vector<SchemaParameter>& parameters) {
  std::vector<std::string> names;
  for (const SchemaParameter& parameter : parameters) names.push_back(parameter.name);
  return names;
}

json ManifestParameter(const SchemaParameter& parameter) {
  json dtypes = json::array();
  json formats = json::array();
  for (int32_t dtype : parameter.dtypes) dtypes.push_back(DTypeName(dtype));
  for (int32_t format : parameter.formats) formats.push_back(FormatName(format));
  return {{"name", parameter.name},
          {"kind", kParameterKinds[parameter.kind]},
          {"dtypes", std::move(dtypes)},
          {"formats", std::move(formats)}};
}

}  // namespace

std::vector<std::string> Schema::InputNames() const { return Names(inputs); }
std::vector<std::string> Schema::OutputNames() const { return Names(outputs); }

const char* FormatName(int32_t format) {
  return format >= 0 && static_cast<std::size_t>(format) < std::size(kFormats) ? kFormats[format]
                                                                               : nullptr;
}

namespace {

// What the kernel of an operator is given of the project's classes of tiling data: those registered
// for the operator, and for one of its tiling keys under "<operator>_<key>".
std::string TilingHeader(const std::string& type, const json& classes) {
  std::string structures;
  std::string fallback;
  for (const json& from : classes) {
    const auto owner = from.at("operator").get<std::string>();
    const auto name = from.at("name").get<std::string>();
    if (owner != type && owner.rfind(type + "_", 0) != 0) continue;
    if (owner == type && !fallback.empty() && fallback != name) {
      throw Error(
          BASCULE_BUILD_ERROR,
          Join("REGISTER_TILING_DATA_CLASS names two classes for ", type, ": ", fallback, " and ",
               name, "; a class for a tiling key is registered as ", type, "_<key>"));
    }
    if (owner == type) fallback = name;
    // A header with the class is seen by several files, and classes share parts.
    std::istringstream lines(from.at("structures").get<std::string>());
    for (std::string line; std::getline(lines, line);) {
      if (structures.find(line + "\n") == std::string::npos) structures += line + "\n";
    }
  }
  if (structures.empty()) return "";
  return Join("// Generated by bascule build from the operator's tiling data classes.\n",
              "#include <cstdint>\n#include \"kernel_tiling/kernel_tiling.h\"\n", structures,
              fallback.empty() ? "" : "using BasculeDefaultTiling = " + fallback + ";\n");
}

}  // namespace

std::vector<Schema> ParseDescription(const std::string& text) {
  const json description = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (description.is_object() && description.contains("error")) {
    throw Error(BASCULE_BUILD_ERROR, description["error"].get<std::string>());
  }
  try {
    std::vector<Schema> schemas;
    for (const json& from : description.at("operators")) {
      Schema schema;
      schema.name = from.at("name").get<std::string>();
      schema.type = from.at("type").get<std::string>();
      schema.kernel_file = from.value("kernel_file", "");
      schema.kernel_function = from.value("kernel_function", "");
      if (schema.kernel_function.empty()) schema.kernel_function = schema.name;
      for (const json& input : from.at("inputs")) {
        schema.inputs.push_back(ParseParameter(input, schema.type, "input"));
      }
      for (const json& output : from.at("outputs")) {
        schema.outputs.push_back(ParseParameter(output, schema.type, "output"));
      }
      schema.in_place = from.value("in_place", false);
      schema.attributes = json::array();
      for (const json& attribute : from.at("attributes")) {
        const auto kind = attribute.at("kind").get<std::size_t>();
        json entry = {{"name", attribute.at("name")},
                      {"kind", kAttributeKinds[std::min(kind, std::size(kAttributeKinds) - 1)]},
                      {"required", attribute.at("required")},
                      {"default", attribute.at("default")}};
        if (const auto version = attribute.value("version", 0); version != 0) {
          entry["version"] = version;
        }
        schema.attributes.push_back(std::move(entry));
      }
      schema.socs = from.value("socs", schema.socs);
      schema.infer_shape = from.at("infer_shape").get<bool>();
      schema.infer_dtype = from.at("infer_dtype").get<bool>();
      schema.columns = from.at("columns").get<std::size_t>();
      schema.tiling_header = TilingHeader(schema.type, description.value("tiling", json::array()));
      schemas.push_back(std::move(schema));
    }
    return schemas;
  } catch (const json::exception& error) {
    throw Error(BASCULE_INTERNAL,
                Join("the description of the operators cannot be read: ", error.what()));
  }
}

std::vector<std::string> KernelMacros(const Schema& schema, std::size_t column) {
  std::vector<std::string> macros;
  const auto define = [&](const SchemaParameter& parameter, std::string name) {
    const DTypeInfo& dtype = *FindDType(parameter.dtypes[column]);
    name = Upper(std::move(name));
    macros.push_back("-DDTYPE_" + name + "=" + dtype.token);
    macros.push_back("-DORIG_DTYPE_" + name + "=" + dtype.label);
    macros.push_back("-DFORMAT_" + name + "=FORMAT_" + FormatName(parameter.formats[column]));
  };
  const std::vector<std::string> inputs = schema.InputNames();
  for (const SchemaParameter& input : schema.inputs) define(input, input.name);
  for (const SchemaParameter& output : schema.outputs) {
    // An output that is also an input is the kernel's parameter <name>_ref.
    const bool also_input = std::find(inputs.begin(), inputs.end(), output.name) != inputs.end();
    define(output, also_input ? output.name + "_ref" : output.name);
  }
  return macros;
}

std::string ColumnText(const Schema& schema, std::size_t column) {
  std::string text;
  for (const auto* list : {&schema.inputs, &schema.outputs}) {
    if (schema.in_place && list == &schema.outputs) continue;  // they are inputs
    for (const SchemaParameter& parameter : *list) {
      text +=
          (text.empty() ? "" : ", ") + parameter.name + " " + DTypeName(parameter.dtypes[column]);
    }
  }
  return text;
}

std::string KernelSymbol(const Schema& schema, std::size_t column) {
  return Join("bascule_kernel_", schema.name, "_", column);
}

std::string StubSource(const std::vector<Schema>& schemas) {
  std::string kernels;
  std::string entries;
  std::string functions;
  for (const Schema& schema : schemas) {
    std::string variants;
    for (std::size_t column = 0; column < schema.columns; ++column) {
      kernels += Join("BASCULE_STUB_KERNEL(", schema.name, ", ", column, ")\n");
      variants += Join("    BASCULE_STUB_VARIANT(", schema.name, ", ", column,
                       ", BASCULE_KERNEL_UNSAID),\n");
    }
    kernels += Join("static const BasculeKernelVariant ", schema.name, "_variants[] = {\n",
                    variants, "};\n");
    entries += Join(entries.empty() ? "" : ",\n    ", "BASCULE_STUB_OPERATOR(\"", schema.name,
                    "\", \"", schema.type, "\", ", schema.name, "_variants)");
    functions += Join("BASCULE_STUB_AOT(", schema.name, ")\n");
    if (schema.outputs.size() == 1) {
      functions += Join("BASCULE_STUB_AOT_INFER(", schema.name, ", ", schema.inputs.size(), ")\n");
    } else {
      functions += Join("BASCULE_STUB_AOT_INFER_ALL(", schema.name, ", ", schema.inputs.size(),
                        ", ", schema.outputs.size(), ")\n");
    }
  }
  return "// Generated by bascule build.\n#include \"bascule/library_stub.h\"\n" + kernels +
         "BASCULE_STUB_TABLE(\n    " + entries + ")\n" + functions;
}

std::string VersionScript(const std::vector<Schema>& schemas) {
  std::string exported = "  " BASCULE_LIBRARY_SYMBOL ";\n";
  for (const Schema& schema : schemas) {
    exported += "  " + schema.name + ";\n  " + schema.name + "InferShape;\n  " + schema.name +
                "InferType;\n";
  }
  return "{\nglobal:\n" + exported + "local:\n  *;\n};\n";
}

namespace {

// The kind of core a kernel of a type runs on.
const char* CoreOf(const std::string& type) {
  if (type == "AIV_ONLY" || type == "MIX_AIV_1_0") return "AIV";
  return type == "AIC_ONLY" || type == "MIX_AIC_1_0" ? "AIC" : "MIX";
}

}  // namespace

json MakeManifest(const std::vector<Schema>& schemas, const std::string& source_hash) {
  json operators = json::array();
  for (const Schema& schema : schemas) {
    json inputs = json::array();
    json outputs = json::array();
    json kernels = json::array();
    for (const SchemaParameter& input : schema.inputs) inputs.push_back(ManifestParameter(input));
    for (const SchemaParameter& output : schema.outputs)
      outputs.push_back(ManifestParameter(output));
    for (std::size_t column = 0; column < schema.columns; ++column) {
      const std::string type =
          column < schema.kernel_types.size() ? schema.kernel_types[column] : "AIV_ONLY";
      kernels.push_back({{"column", column}, {"core", CoreOf(type)}, {"type", type}});
    }
    operators.push_back({{"name", schema.name},
                         {"type", schema.type},
                         {"inputs", std::move(inputs)},
                         {"outputs", std::move(outputs)},
                         {"attributes", schema.attributes},
                         {"socs", schema.socs},
                         {"infer_shape", schema.infer_shape},
                         {"infer_dtype", schema.infer_dtype},
                         {"columns", schema.columns},
                         {"kernels", std::move(kernels)},
                         {"gradient", nullptr}});
  }
  return {{"manifest", kManifestVersion},
          {"bascule", kVersion},
          {"library_abi", BASCULE_LIBRARY_ABI_VERSION},
          {"kernel_abi", BASCULE_KERNEL_ABI_VERSION},
          {"source_hash", source_hash},
          {"operators", std::move(operators)}};
}

}  // namespace bascule::toolchain
