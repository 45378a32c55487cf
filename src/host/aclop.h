// Operators of installed packages, by name: what acl/acl_op.h calls.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_HOST_ACLOP_H_
#define BASCULE_HOST_ACLOP_H_

#include "bascule/abi/aclop.h"

namespace bascule::host {

const BasculeAclopApi& AclopApi();

}  // namespace bascule::host

#endif  // BASCULE_HOST_ACLOP_H_
