// Kernels compiled while the program runs: C99 and C++, nothing to link. The source is compiled by
// the driver of the installation; what aclrtcGetBinData gives is for aclrtBinaryLoadFromData in a
// process of the same machine. Source: the pages under "RTC" of the Ascend C API. Thread-safe for
// different programs.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_ACL_ACL_RT_COMPILE_H_
#define BASCULE_ASCENDC_ACL_ACL_RT_COMPILE_H_

#include "acl/acl_rt.h"

#ifdef __cplusplus
extern "C" {
#endif

// Of a call that fails; aclrtcCompileProg gives the compiler's words to standard error as well.
#define ACL_ERROR_RTC_INVALID_PROG 176000
#define ACL_ERROR_RTC_INVALID_INPUT 176001
#define ACL_ERROR_RTC_INVALID_OPTION 176002
#define ACL_ERROR_RTC_COMPILATION 176003
#define ACL_ERROR_RTC_LINKING 176004
#define ACL_ERROR_RTC_NO_NAME_EXPR_AFTER_COMPILATION 176005

typedef void* aclrtcProg;

// `headers` are texts, found by the source under `includeNames`. `name` stands in messages.
BASCULE_HEADER_FUNCTION aclError aclrtcCreateProg(aclrtcProg* prog, const char* src,
                                                  const char* name, int numHeaders,
                                                  const char** headers, const char** includeNames) {
  return BASCULE_ACL_CALL(program_create, prog, src, name, numHeaders, headers, includeNames);
}
// Names an instance of a template, before the compilation.
BASCULE_HEADER_FUNCTION aclError aclrtcAddNameExpr(aclrtcProg prog,
                                                   const char* const nameExpression) {
  return BASCULE_ACL_CALL(program_add_name, prog, nameExpression);
}
// Options are those of bascule-ascc.
BASCULE_HEADER_FUNCTION aclError aclrtcCompileProg(aclrtcProg prog, int numOptions,
                                                   const char** options) {
  return BASCULE_ACL_CALL(program_compile, prog, numOptions, options);
}
BASCULE_HEADER_FUNCTION aclError aclrtcGetBinDataSize(aclrtcProg prog, size_t* binDataSizeRet) {
  const void* data = NULL;
  uint64_t bytes = 0;
  const aclError code = BASCULE_ACL_CALL(program_binary, prog, &data, &bytes);
  if (binDataSizeRet == NULL) return ACL_ERROR_RTC_INVALID_INPUT;
  *binDataSizeRet = (size_t)bytes;
  return code;
}
// `binData` has room for what aclrtcGetBinDataSize says.
BASCULE_HEADER_FUNCTION aclError aclrtcGetBinData(aclrtcProg prog, char* binData) {
  const void* data = NULL;
  uint64_t bytes = 0;
  const aclError code = BASCULE_ACL_CALL(program_binary, prog, &data, &bytes);
  if (binData == NULL) return ACL_ERROR_RTC_INVALID_INPUT;
  if (code == ACL_SUCCESS) memcpy(binData, data, (size_t)bytes);
  return code;
}
// The ending NUL is counted.
BASCULE_HEADER_FUNCTION aclError aclrtcGetCompileLogSize(aclrtcProg prog, size_t* logSizeRet) {
  const char* text = NULL;
  uint64_t bytes = 0;
  const aclError code = BASCULE_ACL_CALL(program_log, prog, &text, &bytes);
  if (logSizeRet == NULL) return ACL_ERROR_RTC_INVALID_INPUT;
  *logSizeRet = (size_t)bytes;
  return code;
}
BASCULE_HEADER_FUNCTION aclError aclrtcGetCompileLog(aclrtcProg prog, char* log) {
  const char* text = NULL;
  uint64_t bytes = 0;
  const aclError code = BASCULE_ACL_CALL(program_log, prog, &text, &bytes);
  if (log == NULL) return ACL_ERROR_RTC_INVALID_INPUT;
  if (code == ACL_SUCCESS) memcpy(log, text, (size_t)bytes);
  return code;
}
// What aclrtBinaryGetFunction knows the instance by; the program's, until it is destroyed.
BASCULE_HEADER_FUNCTION aclError aclrtcGetLoweredName(aclrtcProg prog, const char* nameExpression,
                                                      const char** loweredName) {
  return BASCULE_ACL_CALL(program_lowered_name, prog, nameExpression, loweredName);
}
BASCULE_HEADER_FUNCTION aclError aclrtcDestroyProg(aclrtcProg* prog) {
  return BASCULE_ACL_CALL(program_destroy, prog);
}

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // BASCULE_ASCENDC_ACL_ACL_RT_COMPILE_H_
