// One device, which is host memory: what the acl headers and `<<<>>>` call.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_HOST_ACL_H_
#define BASCULE_HOST_ACL_H_

#include "bascule/abi/acl.h"

namespace bascule::host {

const BasculeAclApi& AclApi();

// Runs the kernel before it returns. Throws nothing; an error becomes the stream's.
void LaunchOnStream(const BasculeLaunch* launch);

}  // namespace bascule::host

#endif  // BASCULE_HOST_ACL_H_
