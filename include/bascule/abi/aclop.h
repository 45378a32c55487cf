// The border between the headers acl/acl_op.h and acl/acl_op_compiler.h and the runtime: operators
// of installed packages, by name. C and C++17.
//
// Objects are handles, as in abi/aclnn.h. Each function returns 0 or a number of the page
// "aclError", and then leaves a sentence for aclGetRecentErrMsg and on standard error. `call` is
// the function the user called. Structures only grow at their end. Thread-safe.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ABI_ACLOP_H_
#define BASCULE_ABI_ACLOP_H_

#include "bascule/abi/library.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { BASCULE_ACLOP_DESC = 0, BASCULE_ACLOP_BUFFER = 1, BASCULE_ACLOP_ATTRIBUTES = 2 };
enum { BASCULE_ACLOP_NOT_FOUND = 100024 };  // ACL_ERROR_OP_NOT_FOUND

// aclopExecuteV2: `input_descs[i]` says what `input_buffers[i]` holds; a null buffer or one of no
// bytes behind a null address is an optional input that is left out.
typedef struct BasculeAclopCall {
  uint32_t struct_bytes;
  uint32_t reserved;
  const char* call;
  const char* type;
  int32_t input_count;
  int32_t output_count;
  const void* const* input_descs;
  const void* const* input_buffers;
  const void* const* output_descs;
  const void* const* output_buffers;
  const void* attributes;  // or null
  void* stream;
} BasculeAclopCall;

typedef struct BasculeAclopApi {
  uint32_t struct_bytes;
  uint32_t reserved;
  int32_t (*desc_create)(int32_t dtype, int32_t rank, const int64_t* dims, int32_t format,
                         void** desc);
  // `dims` stays valid while the description lives.
  int32_t (*desc_get)(const char* call, const void* desc, int32_t* dtype, int32_t* format,
                      int32_t* rank, const int64_t** dims);
  int32_t (*buffer_create)(void* data, uint64_t bytes, void** buffer);
  int32_t (*buffer_get)(const char* call, const void* buffer, void** data, uint64_t* bytes);
  int32_t (*buffer_set)(const char* call, void* buffer, void* data, uint64_t bytes);
  int32_t (*attributes_create)(void** attributes);
  // `kind` is one of BASCULE_ATTR_…; `values` points to int64_t, float or bytes of text.
  int32_t (*attributes_set)(const char* call, void* attributes, const char* name, uint32_t kind,
                            const void* values, uint64_t count);
  int32_t (*destroy)(const char* call, uint32_t kind, const void* handle);  // null is nothing
  int32_t (*set_model_folder)(const char* folder);                          // aclopSetModelDir
  int32_t (*execute)(const BasculeAclopCall* call);
} BasculeAclopApi;

#ifdef __cplusplus
}  // extern "C"

static_assert(sizeof(BasculeAclopCall) == 80, "append-only ABI");
#endif

#endif  // BASCULE_ABI_ACLOP_H_
