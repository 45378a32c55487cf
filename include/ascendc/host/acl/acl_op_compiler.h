// Operators by name that the toolkit compiles when they are called; here they were compiled with
// their package.
//
// Source: page "aclopCompileAndExecute" of the documentation of single-operator calls.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_ACL_ACL_OP_COMPILER_H_
#define BASCULE_ASCENDC_ACL_ACL_OP_COMPILER_H_

#include "acl/acl_op.h"

typedef enum aclEngineType { ACL_ENGINE_SYS, ACL_ENGINE_AICORE, ACL_ENGINE_VECTOR } aclopEngineType;
typedef enum aclCompileType { ACL_COMPILE_SYS, ACL_COMPILE_UNREGISTERED } aclopCompileType;

#ifdef __cplusplus
extern "C" {
#endif

// Engine, flag and path have no effect.
BASCULE_HEADER_FUNCTION aclError aclopCompileAndExecute(
    const char* opType, int numInputs, const aclTensorDesc* const inputDesc[],
    const aclDataBuffer* const inputs[], int numOutputs, const aclTensorDesc* const outputDesc[],
    aclDataBuffer* const outputs[], const aclopAttr* attr, aclopEngineType engineType,
    aclopCompileType compileFlag, const char* opPath, aclrtStream stream) {
  (void)engineType;
  (void)compileFlag;
  (void)opPath;
  return BasculeAclopExecute(__func__, opType, numInputs, inputDesc, inputs, numOutputs, outputDesc,
                             outputs, attr, stream);
}

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // BASCULE_ASCENDC_ACL_ACL_OP_COMPILER_H_
