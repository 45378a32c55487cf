// What a library without manifest exports, and which of it are kernels; the file is not loaded.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_TOOLCHAIN_KERNEL_SYMBOLS_H_
#define BASCULE_TOOLCHAIN_KERNEL_SYMBOLS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "toolchain/elf_file.h"

namespace bascule::toolchain {

// What MindSpore looks up beside an `aot` function NAME, as NAMEInferShape; a function that has one
// of them follows its convention.
constexpr const char* kAotCompanions[] = {"Init", "InferShape", "InferType"};

struct KernelSymbols {
  // The BASCULE_KERNEL_ABI_VERSION of the kernel headers it was compiled with; 0: without them.
  uint32_t headers = 0;
  std::vector<std::string> kernels;    // exported functions that were declared __global__
  std::vector<std::string> functions;  // all others
};

// Symbols as they stand in the file, in its order of addresses. Throws Error for a damaged file.
KernelSymbols ReadKernelSymbols(const ElfFile& file);

// For sentences about names that are not there.

// The first of `names` that differs from `wanted` by an ending, as people name one thing: my_mul,
// my_mul_kernel, my_mul_custom. "": none does.
std::string NearName(const std::vector<std::string>& names, const std::string& wanted);
// "a, b and 3 more"; "none".
std::string Listed(const std::vector<std::string>& names, size_t shown = 20);

}  // namespace bascule::toolchain

#endif  // BASCULE_TOOLCHAIN_KERNEL_SYMBOLS_H_
