// What a kernel is called, for one that is known by its address only.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_HOST_KERNEL_NAME_H_
#define BASCULE_HOST_KERNEL_NAME_H_

#include <string>

namespace bascule::host {

// The name of the function at `entry` as its source spells it, "saxpy<float>"; "kernel" where
// neither the loader nor the file it came from can tell. Reads a file: remember the answer.
std::string KernelName(const void* entry);

// What the compiler made a symbol of; "" for one that is no C++ name.
std::string Demangled(const std::string& symbol);

// "void ns::saxpy<float>(unsigned char*, Args)" without result type and parameters.
std::string WithoutSignature(const std::string& demangled);

}  // namespace bascule::host

#endif  // BASCULE_HOST_KERNEL_NAME_H_
