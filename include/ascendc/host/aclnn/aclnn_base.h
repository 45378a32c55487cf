// What every program that calls aclnn functions includes: their status, their types, and the calls
// that begin and end their use. C and C++.
//
// Source: pages "aclnnInit", "aclnnFinalize" and "aclnn return codes" of the aclnn documentation.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_ACLNN_ACLNN_BASE_H_
#define BASCULE_ASCENDC_ACLNN_ACLNN_BASE_H_

#include "aclnn/acl_meta.h"

#define ACLNN_SUCCESS 0
#define ACLNN_ERR_PARAM_NULLPTR 161001
#define ACLNN_ERR_PARAM_INVALID 161002
#define ACLNN_ERR_RUNTIME_ERROR 361001
#define ACLNN_ERR_INNER 561000
#define ACLNN_ERR_INNER_INFERSHAPE_ERROR 561001
#define ACLNN_ERR_INNER_TILING_ERROR 561002
#define ACLNN_ERR_INNER_FIND_KERNEL_ERROR 561003
#define ACLNN_ERR_INNER_CREATE_EXECUTOR 561101
#define ACLNN_ERR_INNER_NOT_TRANS_EXECUTOR 561102
#define ACLNN_ERR_INNER_NULLPTR 561103

#ifdef __cplusplus
extern "C" {
#endif

// `configPath` may be null; else the file has to be there. What it says has no effect here.
BASCULE_HEADER_FUNCTION aclnnStatus aclnnInit(const char* configPath) {
  return BASCULE_ACLNN_CALL(init, configPath);
}
BASCULE_HEADER_FUNCTION aclnnStatus aclnnFinalize(void) {
  return BasculeAclnn() == NULL ? ACL_ERROR_INTERNAL_ERROR : BasculeAclnn()->finalize();
}

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // BASCULE_ASCENDC_ACLNN_ACLNN_BASE_H_
