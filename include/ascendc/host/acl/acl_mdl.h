// Captured work: what streams are given between begin and end is recorded as a model and run as
// often as wanted. C99 and C++, nothing to link. Models read from files are not there.
//
// A model keeps addresses, and copies of the launches' arguments; what they point to has to be
// there whenever it runs. Source: the pages on "aclmdlRI" of the AscendCL documentation.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_ACL_ACL_MDL_H_
#define BASCULE_ASCENDC_ACL_ACL_MDL_H_

#include "acl/acl_base.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef void* aclmdlRI;
// Which other calls a capture forbids; here none but waiting for a captured stream.
typedef enum {
  ACL_MODEL_RI_CAPTURE_MODE_GLOBAL = 0,
  ACL_MODEL_RI_CAPTURE_MODE_THREAD_LOCAL,
  ACL_MODEL_RI_CAPTURE_MODE_RELAXED
} aclmdlRICaptureMode;
typedef enum {
  ACL_MODEL_RI_CAPTURE_STATUS_NONE = 0,
  ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE,
  ACL_MODEL_RI_CAPTURE_STATUS_INVALIDATED
} aclmdlRICaptureStatus;

// A stream that waits for an event of the captured one is captured from then on.
BASCULE_HEADER_FUNCTION aclError aclmdlRICaptureBegin(aclrtStream stream,
                                                      aclmdlRICaptureMode mode) {
  (void)mode;
  return BASCULE_ACL_CALL(capture_begin, stream);
}
BASCULE_HEADER_FUNCTION aclError aclmdlRICaptureEnd(aclrtStream stream, aclmdlRI* modelRI) {
  return BASCULE_ACL_CALL(capture_end, stream, modelRI);
}
// The model of a capture under way is not given: `modelRI` may be null and is set to null.
BASCULE_HEADER_FUNCTION aclError aclmdlRICaptureGetInfo(aclrtStream stream,
                                                        aclmdlRICaptureStatus* status,
                                                        aclmdlRI* modelRI) {
  int32_t captured = 0;
  const aclError code = BASCULE_ACL_CALL(capture_status, stream, &captured);
  if (modelRI != NULL) *modelRI = NULL;
  if (status != NULL) {
    *status = captured ? ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE : ACL_MODEL_RI_CAPTURE_STATUS_NONE;
  }
  return code;
}
BASCULE_HEADER_FUNCTION aclError aclmdlRIExecuteAsync(aclmdlRI modelRI, aclrtStream stream) {
  return BASCULE_ACL_CALL(model_execute, "aclmdlRIExecuteAsync", modelRI, stream);
}
// On the default stream. The time limit has no effect.
BASCULE_HEADER_FUNCTION aclError aclmdlRIExecute(aclmdlRI modelRI, int32_t timeout) {
  (void)timeout;
  return BASCULE_ACL_CALL(model_execute, "aclmdlRIExecute", modelRI, NULL);
}
// Writes the names of the model's steps as JSON.
BASCULE_HEADER_FUNCTION aclError aclmdlRIDebugJsonPrint(aclmdlRI modelRI, const char* path,
                                                        uint32_t flags) {
  (void)flags;
  return BASCULE_ACL_CALL(model_write, modelRI, path);
}
BASCULE_HEADER_FUNCTION aclError aclmdlRIDestroy(aclmdlRI modelRI) {
  return BASCULE_ACL_CALL(model_destroy, modelRI);
}

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // BASCULE_ASCENDC_ACL_ACL_MDL_H_
