// Operators by their two-step functions: what the aclnn headers and the generated functions call.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_HOST_ACLNN_H_
#define BASCULE_HOST_ACLNN_H_

#include "bascule/abi/aclnn.h"

namespace bascule::host {

const BasculeAclnnApi& AclnnApi();

}  // namespace bascule::host

#endif  // BASCULE_HOST_ACLNN_H_
