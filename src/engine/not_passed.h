// Addresses that stand for arguments nobody passed.
//
// A kernel that is called by its symbol may take more arguments than its caller knows of:
// workspace, tiling data. It gets one of these addresses for each. Nothing can be read or written
// there, and an access says which argument it was. Used as a number, such an address is of no
// sensible size: its low 32 bits are negative, or more than two thousand million without a sign.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ENGINE_NOT_PASSED_H_
#define BASCULE_ENGINE_NOT_PASSED_H_

#include <cstdint>
#include <string>

namespace bascule::engine {

constexpr uint32_t kKernelArguments = 32;

// For the argument at `position`, counted from 1, at most kKernelArguments. Null where the process
// may not reserve the address range.
void* NotPassed(uint32_t position);

// The position of the argument an address stands for or points behind; 0: none.
uint32_t NotPassedPosition(uint64_t address);

// What such an address is, for a sentence. `tensors` is how many arguments were passed.
std::string DescribeNotPassed(uint32_t position, uint32_t tensors);

}  // namespace bascule::engine

#endif  // BASCULE_ENGINE_NOT_PASSED_H_
