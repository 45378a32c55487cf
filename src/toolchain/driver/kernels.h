// The kernels that a text declares.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_TOOLCHAIN_DRIVER_KERNELS_H_
#define BASCULE_TOOLCHAIN_DRIVER_KERNELS_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "toolchain/driver/lexer.h"

namespace bascule::toolchain {

struct DeclaredKernel {
  std::string_view name;
  bool is_template = false;
  uint32_t required = 0;   // template arguments that have no default
  bool is_global = false;  // neither in a namespace nor static: its name is a symbol's
  bool is_defined = false;
  // `__cube__`, `__vector__` or `__mix__(…)`, as the source has it; empty: none of them.
  std::string_view cores;
};

// Every function with `__global__` in its declaration, in order; a kernel that is declared and then
// defined comes twice.
std::vector<DeclaredKernel> FindKernels(std::string_view text, const TokenRun& run);

// The tokens `__global__` with such a word beside them, in a declaration or in a macro.
std::vector<uint32_t> FindQualifiedKernels(std::string_view text, const TokenRun& run);

}  // namespace bascule::toolchain

#endif  // BASCULE_TOOLCHAIN_DRIVER_KERNELS_H_
