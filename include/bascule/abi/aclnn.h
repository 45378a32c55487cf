// The border between the aclnn headers (include/ascendc/host/aclnn), the two-step functions that
// `bascule` generates from an operator's definition, and the runtime. C and C++17.
//
// Everything a caller gets here is a handle: a number that names an object of the runtime and is
// never given twice, so a destroyed or foreign one is refused and touches no memory. Each function
// returns 0 or a number of the documentation's page "aclnn return codes", and then leaves a
// sentence for aclGetRecentErrMsg and on standard error. `call` is the name of the function the
// user called. Structures only grow at their end. Thread-safe.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ABI_ACLNN_H_
#define BASCULE_ABI_ACLNN_H_

#include "bascule/abi/library.h"
#include "bascule/abi/types.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  BASCULE_ACLNN_SUCCESS = 0,
  BASCULE_ACLNN_NULL = 161001,     // ACLNN_ERR_PARAM_NULLPTR
  BASCULE_ACLNN_INVALID = 161002,  // ACLNN_ERR_PARAM_INVALID
  BASCULE_ACLNN_RUNTIME = 361001,  // ACLNN_ERR_RUNTIME_ERROR
  BASCULE_ACLNN_INNER = 561000,
  BASCULE_ACLNN_INFER_SHAPE = 561001,
  BASCULE_ACLNN_TILING = 561002,
  BASCULE_ACLNN_NO_KERNEL = 561003,
  BASCULE_ACLNN_INNER_NULL = 561103
};

// What a handle names.
enum {
  BASCULE_ACLNN_TENSOR = 0,
  BASCULE_ACLNN_SCALAR = 1,
  BASCULE_ACLNN_INTS = 2,
  BASCULE_ACLNN_FLOATS = 3,
  BASCULE_ACLNN_BOOLS = 4,
  BASCULE_ACLNN_TENSOR_LIST = 5,
  BASCULE_ACLNN_SCALAR_LIST = 6,
  BASCULE_ACLNN_EXECUTOR = 7,
  // Arguments that are no handles.
  BASCULE_ACLNN_INT = 8,
  BASCULE_ACLNN_FLOAT = 9,
  BASCULE_ACLNN_TEXT = 10
};

// An aclTensor: a view of device memory. Dimensions and strides are in elements, row-major without
// strides. Pointers given to the runtime are copied; those it gives are valid until the tensor
// changes.
typedef struct BasculeAclnnTensor {
  uint32_t struct_bytes;
  int32_t dtype;  // aclDataType
  int32_t format;
  uint32_t reserved;
  const int64_t* view_dims;
  uint64_t view_rank;
  const int64_t* strides;  // `view_rank` of them, or null
  const int64_t* storage_dims;
  uint64_t storage_rank;
  int64_t offset;  // of the first element, from `data`
  void* data;
} BasculeAclnnTensor;

// Where an argument of aclnn…GetWorkspaceSize goes.
enum {
  BASCULE_ACLNN_INPUT = 0,
  BASCULE_ACLNN_OUTPUT = 1,
  BASCULE_ACLNN_INPUT_AND_OUTPUT = 2,  // a tensor that the operator reads and writes
  BASCULE_ACLNN_ATTRIBUTE = 3
};

// One argument of aclnn…GetWorkspaceSize. A null handle is an optional argument that was left out.
typedef struct BasculeAclnnArgument {
  uint32_t role;    // BASCULE_ACLNN_INPUT, …
  uint32_t kind;    // BASCULE_ACLNN_TENSOR, …
  uint32_t index;   // of the input, the output or the attribute in the definition
  uint32_t output;  // of an input that is also an output: the index as an output
  // Of scalars: the element type they become; -1: their own; -2 - i: that of input i.
  int32_t to;
  uint32_t reserved;
  const char* name;  // in the function's signature
  union {
    const void* handle;
    const char* text;
    int64_t i;
    double f;
  } value;
} BasculeAclnnArgument;

typedef struct BasculeAclnnApi {
  uint32_t struct_bytes;
  uint32_t reserved;

  int32_t (*init)(const char* config);  // aclnnInit
  int32_t (*finalize)(void);            // aclnnFinalize

  int32_t (*tensor_create)(const BasculeAclnnTensor* from, void** tensor);  // aclCreateTensor
  int32_t (*tensor_set)(void* tensor, const BasculeAclnnTensor* from);      // aclInitTensor
  int32_t (*tensor_get)(const char* call, const void* tensor, BasculeAclnnTensor* to);
  int32_t (*tensor_set_address)(void* tensor, void* address);  // aclSetRawTensorAddr

  // Scalars (`count` 1, of `dtype`) and arrays (`dtype` has no meaning), from host memory.
  int32_t (*values_create)(const char* call, uint32_t kind, const void* values, uint64_t count,
                           int32_t dtype, void** handle);
  // Lists own their items: with the list the items are destroyed.
  int32_t (*list_create)(const char* call, uint32_t kind, const void* const* items, uint64_t count,
                         void** handle);
  int32_t (*size)(const char* call, uint32_t kind, const void* handle, uint64_t* count);
  int32_t (*destroy)(const char* call, uint32_t kind, const void* handle);

  // The two steps. `type` is the operator's, "AddCustom", in `library`.
  int32_t (*plan)(const BasculeLibraryTable* library, const char* function, const char* type,
                  uint32_t count, const BasculeAclnnArgument* arguments, uint64_t* workspace_bytes,
                  void** executor);
  int32_t (*run)(const char* function, void* workspace, uint64_t workspace_bytes, void* executor,
                 void* stream);

  int32_t (*executor_set_repeatable)(void* executor);
  // `role`: BASCULE_ACLNN_INPUT, BASCULE_ACLNN_OUTPUT, or BASCULE_ACLNN_INPUT_AND_OUTPUT for all
  // tensors, inputs first. `list` is -1, and `index` counts the tensors of the role, members of
  // lists each for themselves; or `list` is the parameter's place in the definition, and `index`
  // counts within the list.
  int32_t (*executor_set_address)(const char* call, void* executor, uint32_t role, int64_t list,
                                  uint64_t index, const void* tensor, void* address);
} BasculeAclnnApi;

#ifdef __cplusplus
}  // extern "C"

static_assert(sizeof(BasculeAclnnTensor) == 72 && sizeof(BasculeAclnnArgument) == 40,
              "append-only ABI");
#endif

#endif  // BASCULE_ABI_ACLNN_H_
