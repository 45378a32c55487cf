// What the describe step says about a project's operators, and what follows from it: the macros
// each kernel variant is compiled with, the generated part of the library, the manifest.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_TOOLCHAIN_SCHEMA_H_
#define BASCULE_TOOLCHAIN_SCHEMA_H_

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace bascule::toolchain {

struct SchemaParameter {
  std::string name;
  uint32_t kind = 0;
  std::vector<int32_t> dtypes;   // one per column, each known to bascule::FindDType
  std::vector<int32_t> formats;  // one per column, each known to FormatName
  // What the aclnn functions take for it.
  uint32_t scalar = 0;  // 1: a number, 2: a list of numbers; of `to_dtype`, or of input `to_name`
  int32_t to_dtype = -1;
  std::string to_name;
  bool value_depend = false;  // host numbers that tiling looks at
  uint32_t version = 0;       // the first that has it
};

struct Schema {
  std::string name;  // my_mul
  std::string type;  // MyMul
  // Where the OpDef names them (ExtendCfgInfo): the kernel's file without its folder and extension;
  // "": the operator's name decides. Its function; usually the operator's name.
  std::string kernel_file;
  std::string kernel_function;
  std::vector<SchemaParameter> inputs;
  std::vector<SchemaParameter> outputs;
  // The kernel changes its inputs and has no outputs; those above are the inputs that it may
  // change.
  bool in_place = false;
  nlohmann::json attributes;      // as in the manifest, and "version" where it is not 0
  std::vector<std::string> socs;  // processors that the OpDef has a configuration for
  bool infer_shape = false;
  bool infer_dtype = false;
  std::size_t columns = 0;
  // The header of the kernel's tiling structures, where the host defines them as classes; "": it
  // does not.
  std::string tiling_header;

  // "MIX_AIC_1_2": which cores the kernel of each column is for; filled once they are compiled.
  std::vector<std::string> kernel_types;

  // How many tensors the kernel takes.
  std::size_t KernelTensors() const { return inputs.size() + (in_place ? 0 : outputs.size()); }
  std::vector<std::string> InputNames() const;
  std::vector<std::string> OutputNames() const;
};

// "ND"; null when the number is unknown.
const char* FormatName(int32_t format);

// Reads the output of the describe step. Throws an Error with its sentence when it holds one.
std::vector<Schema> ParseDescription(const std::string& text);

// -D flags of one column.
std::vector<std::string> KernelMacros(const Schema& schema, std::size_t column);
// "x float16, y float16, out float16", for people.
std::string ColumnText(const Schema& schema, std::size_t column);

// The name of the entry of one kernel variant inside the library.
std::string KernelSymbol(const Schema& schema, std::size_t column);
// Sources of the generated part (bascule/library_stub.h) and the linker's list of exported symbols.
std::string StubSource(const std::vector<Schema>& schemas);
std::string VersionScript(const std::vector<Schema>& schemas);

// The manifest without its "gradient" members, which are null.
nlohmann::json MakeManifest(const std::vector<Schema>& schemas, const std::string& source_hash);

}  // namespace bascule::toolchain

#endif  // BASCULE_TOOLCHAIN_SCHEMA_H_
