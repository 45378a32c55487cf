// The two-step functions of operators, as C++ text: aclnn_<name>.h and aclnn_<name>.cpp.
//
// Names and types of their parameters follow the documentation's page on calling single operators
// ("parameter naming rules") and the pages of OpParamDef and OpAttrDef.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_TOOLCHAIN_ACLNN_H_
#define BASCULE_TOOLCHAIN_ACLNN_H_

#include <string>

#include "toolchain/schema.h"

namespace bascule::toolchain {

// The operator's library is found by the function `bascule_library_of_<package>`, which the
// package's object defines.
std::string LibraryFunctionOf(const std::string& package);

std::string AclnnHeader(const Schema& schema);
std::string AclnnSource(const Schema& schema, const std::string& package);

}  // namespace bascule::toolchain

#endif  // BASCULE_TOOLCHAIN_ACLNN_H_
