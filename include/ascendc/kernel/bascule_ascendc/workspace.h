// The workspace argument of a kernel: a part for the system, then the part the host asked for.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_WORKSPACE_H
#define BASCULE_ASCENDC_WORKSPACE_H

#include "bascule_ascendc/core.h"

// Kernels use these names without a namespace.
__aicore__ inline void SetSysWorkspace(GM_ADDR workspace) {
  bascule_ascendc::Core()->system_workspace = workspace;
}
__aicore__ inline GM_ADDR GetSysWorkSpacePtr() {
  return static_cast<GM_ADDR>(bascule_ascendc::Core()->system_workspace);
}
// Behind the system's part, whose size the host learns from GetLibApiWorkSpaceSize().
__aicore__ inline GM_ADDR GetUserWorkspace(GM_ADDR workspace) {
  return workspace + BASCULE_SYSTEM_WORKSPACE_BYTES;
}

BASCULE_ASCENDC_BEGIN
using ::GetSysWorkSpacePtr;
using ::GetUserWorkspace;
using ::SetSysWorkspace;
__aicore__ inline void SetSysWorkspaceForce(GM_ADDR workspace) { SetSysWorkspace(workspace); }
BASCULE_ASCENDC_END

#endif  // BASCULE_ASCENDC_WORKSPACE_H
