// The program behind the CMake functions npu_op_… (cmake/npu_op):
//
//   bascule-npu-op generate SETTINGS    the aclnn functions of a project's operators, as C++
//   bascule-npu-op build SETTINGS       its host code and kernels, as one object
//   bascule-npu-op join OUTPUT FILE...  one executable file: an installer and what it unpacks
//   bascule-npu-op singleop --singleop=FILE [--output=FOLDER] [--soc_version=NAME]
//                                       what bin/atc does: checks the description of single
//                                       operators against the installed packages, and files it
//
// SETTINGS is a file of lines `name=value`, because CMake can write that and no JSON; a name may
// stand in several lines, and a line without a value says nothing.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_TOOLCHAIN_NPU_OP_NPU_OP_H_
#define BASCULE_TOOLCHAIN_NPU_OP_NPU_OP_H_

#include <string>
#include <vector>

namespace bascule::toolchain {

// The exit status: 0 good, 1 failure, 2 wrong usage.
int NpuOp(const std::vector<std::string>& arguments);

}  // namespace bascule::toolchain

#endif  // BASCULE_TOOLCHAIN_NPU_OP_NPU_OP_H_
