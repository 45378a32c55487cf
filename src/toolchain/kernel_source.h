// What a build reads off a kernel's source before it compiles it, and the generated file around a
// kernel that has several forms: an instance of a template for each tiling key, or different code
// for the two kinds of core. SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_TOOLCHAIN_KERNEL_SOURCE_H_
#define BASCULE_TOOLCHAIN_KERNEL_SOURCE_H_

#include <filesystem>
#include <string>
#include <vector>

#include "toolchain/schema.h"

namespace bascule::toolchain {

// Throws an Error when the operator's kernel takes more arguments than it would be passed. `text`
// is the kernel's file; a kernel that another file or a macro defines is not found in it.
void CheckKernelArguments(const std::string& text, const Schema& schema, const std::string& shown);

// What a kernel's function is called in its object. The C library has functions named as operators
// are (div, exp), which a kernel of that name would declare a second time; it gets another one.
std::string NameInObject(const std::string& kernel);
// A header to include first, which renames the kernel; "" where its name stays.
std::string RenamingHeader(const std::string& kernel);

struct KernelForm {
  bool is_template = false;
  std::vector<bool> parameter_is_type;  // of ASCENDC_TPL_ARGS_DECL, in its order
  std::string attributes;               // "__attribute__((…))", as the kernel is declared
  std::vector<std::filesystem::path> files;

  std::string declared_type;  // "MIX_AIC_1_2", of __mix__(1, 2); "": the declaration says none

  // __DAV_C220_CUBE__, __DAV_C220_VEC__ or g_coreType decides what is compiled.
  bool splits_cores = false;
  bool has_cube_part = false;  // and it is not __DAV_C220_VEC__ alone
};

// Whether a text has a word that makes a kernel one of several forms; most have none and need no
// second look.
bool MentionsForms(const std::string& text);
bool MentionsCores(const std::string& text);
bool MentionsCubeCores(const std::string& text);

// Reads the preprocessor's output (with BASCULE_TPL_LIST defined) for the kernel `name`. `files`
// are those the text comes from. Throws an Error when the kernel is a template whose parameters
// nothing declares.
KernelForm ReadKernelForm(const std::string& preprocessed, const std::string& name,
                          const std::string& shown);

// "MIX_AIC_1_2": the type of a kernel by what its code says of itself, the content of the section
// .bascule.types; "AIV_ONLY" where it says nothing, "BY_KEY" where tiling keys differ.
std::string KernelTypeName(const std::string& section);

enum class CoreType { kAny, kVector, kCube };
// The entry's symbol in an object of one compile.
const char* EntrySymbol(CoreType core);
// The file to compile instead of `source` for one column: it includes the source and defines the
// entry. With CoreType::kVector, the entry hands cube cores to that of the other compile.
std::string EntrySource(const Schema& schema, std::size_t column, const KernelForm& form,
                        const std::filesystem::path& source, CoreType core);

}  // namespace bascule::toolchain

#endif  // BASCULE_TOOLCHAIN_KERNEL_SOURCE_H_
