// The host side of a program that launches kernels: device, streams, events, memory, captured work,
// error text. Operators are in acl_op.h and aclnn/; models from files and data sets are not there.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_ACL_ACL_H_
#define BASCULE_ASCENDC_ACL_ACL_H_

#include "acl/acl_base.h"
#include "acl/acl_mdl.h"
#include "acl/acl_rt.h"

#endif  // BASCULE_ASCENDC_ACL_ACL_H_
