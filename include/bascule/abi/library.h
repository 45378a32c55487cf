// What an operator library hands to the runtime: its operators, their host functions (shapes,
// dtypes, tiling) and their compiled kernels. C and C++17.
//
// A library exports one function, `bascule_library_v1`, that returns a BasculeLibraryTable.
// Everything it points to is owned by the library and lives until the process ends: libraries are
// never unloaded. Structures start with their size and only grow at their end.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ABI_LIBRARY_H_
#define BASCULE_ABI_LIBRARY_H_

#include "bascule/abi/kernel.h"
#include "bascule/abi/types.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BASCULE_LIBRARY_ABI_VERSION 1
#define BASCULE_LIBRARY_SYMBOL "bascule_library_v1"

#define BASCULE_MAX_RANK 25  // source: gert::Shape in the graph-engine documentation
#define BASCULE_MAX_WORKSPACES 16

enum { BASCULE_REQUIRED = 0, BASCULE_OPTIONAL = 1, BASCULE_DYNAMIC = 2 };

// A dimension of -1 is unknown; a rank of -1 is unknown altogether (dims is then ignored).
typedef struct BasculeShape {
  int64_t rank;
  int64_t dims[BASCULE_MAX_RANK];
} BasculeShape;

// What host functions see of a tensor. `present` is 0 for an optional input that was left out.
typedef struct BasculeTensorInfo {
  BasculeShape shape;
  int32_t dtype;  // BASCULE_FLOAT, …; -1: unknown
  int32_t format;
  uint32_t present;
  uint32_t reserved;
} BasculeTensorInfo;

enum {
  BASCULE_ATTR_INT = 0,
  BASCULE_ATTR_FLOAT = 1,
  BASCULE_ATTR_BOOL = 2,
  BASCULE_ATTR_STRING = 3,
  BASCULE_ATTR_INT_LIST = 4,
  BASCULE_ATTR_FLOAT_LIST = 5,
  BASCULE_ATTR_BOOL_LIST = 6,  // `ints`, each 0 or 1
  BASCULE_ATTR_INT_LISTS = 7   // `ints`: of each list its length, then its numbers
};
typedef struct BasculeAttribute {
  const char* name;
  uint32_t kind;
  uint32_t length;  // of a list or string; of lists, all that `ints` has
  union {
    int64_t i;
    float f;
    const char* s;
    const int64_t* ints;
    const float* floats;
  } value;
} BasculeAttribute;

// Facts about the machine that a kernel is planned for.
typedef struct BasculePlatform {
  uint32_t struct_bytes;
  uint32_t aiv_cores;
  uint32_t aic_cores;
  uint32_t reserved;
  uint64_t memory_bytes[BASCULE_MEMORY_COUNT];  // usable by user code; [BASCULE_GM] is 0
  uint64_t l2_bytes;
  uint64_t system_workspace_bytes;  // GetLibApiWorkSpaceSize()
  const char* name;                 // "Ascend910B"
} BasculePlatform;

// One call of a host function: the caller fills the first part, the function the second.
typedef struct BasculeHostCall {
  uint32_t struct_bytes;
  uint32_t input_count;
  const char* operator_name;
  const BasculeTensorInfo* inputs;
  BasculeTensorInfo* outputs;  // tiling: filled by the caller; inference: by the function
  uint32_t output_count;
  uint32_t attribute_count;
  const BasculeAttribute*
      attributes;  // every attribute of the schema, in its order, defaults filled in
  const BasculePlatform* platform;
  char* message;  // room for a sentence in case of failure, NUL-terminated by the function
  uint32_t message_capacity;
  uint32_t tiling_capacity;
  // results of tiling
  void* tiling_data;  // caller's memory of tiling_capacity bytes, zeroed, 64-byte aligned
  uint64_t tiling_bytes;
  uint64_t tiling_key;
  uint32_t block_count;
  uint32_t workspace_count;
  uint64_t workspace_bytes[BASCULE_MAX_WORKSPACES];
  // How many of `inputs` and `outputs` belong to each input and output of the OpDef, which matters
  // to dynamic ones; null: one each.
  const uint32_t* input_instances;
  const uint32_t* output_instances;
  uint32_t schema_input_count;   // numbers in input_instances
  uint32_t schema_output_count;  // numbers in output_instances
  // What each of `inputs` holds, dense, for those in BasculeOperatorDef::value_inputs; a null
  // pointer or entry: not known.
  const void* const* input_data;
} BasculeHostCall;

// Returns 0, or not 0 with a sentence in call->message. Must not throw.
typedef int (*BasculeHostFunction)(BasculeHostCall* call);

typedef struct BasculeParameterDef {
  const char* name;
  uint32_t kind;          // BASCULE_REQUIRED, …
  uint32_t column_count;  // length of dtypes and of formats: one column per supported combination
  const int32_t* dtypes;
  const int32_t* formats;
} BasculeParameterDef;

typedef struct BasculeAttributeDef {
  const char* name;
  uint32_t kind;      // BASCULE_ATTR_…
  uint32_t required;  // 0: fallback holds the default
  BasculeAttribute fallback;
} BasculeAttributeDef;

// What an output's memory holds before the kernel runs.
enum {
  BASCULE_INITIAL_NONE = 0,  // anything
  BASCULE_INITIAL_UNSIGNED = 1,
  BASCULE_INITIAL_SIGNED = 2,
  BASCULE_INITIAL_FLOAT = 3
};
typedef struct BasculeInitialValue {
  uint32_t kind;
  uint32_t reserved;
  union {
    uint64_t u;
    int64_t i;
    float f;
  } value;
} BasculeInitialValue;

// An operator as its host code defines it (OpDef). Null function: the operator does not have it.
typedef struct BasculeOperatorDef {
  uint32_t struct_bytes;
  uint32_t input_count;
  const char* type;  // "MyMul"; the kernel's name is its snake_case form
  const BasculeParameterDef* inputs;
  const BasculeParameterDef* outputs;
  const BasculeAttributeDef* attributes;
  uint32_t output_count;
  uint32_t attribute_count;
  BasculeHostFunction infer_shape;
  BasculeHostFunction infer_dtype;
  BasculeHostFunction tiling;
  uint64_t value_inputs;  // bit i: host functions read what input i of the first 64 holds
  // One for each output and each column, outputs first: [output * columns + column]; null: none.
  const BasculeInitialValue* initial_values;
} BasculeOperatorDef;

// A compiled kernel for one column of the dtype and format lists. The entry takes up to 32 pointer
// arguments: inputs, outputs, workspace, tiling.
typedef struct BasculeKernelVariant {
  uint32_t column;
  uint32_t kind;  // BASCULE_KERNEL_…; BASCULE_KERNEL_UNSAID: what the entry says of itself
  void (*entry)(void);
} BasculeKernelVariant;

typedef struct BasculeOperatorEntry {
  const char* name;  // "my_mul"
  const BasculeOperatorDef* def;
  const BasculeKernelVariant* variants;
  uint32_t variant_count;
  uint32_t reserved;
} BasculeOperatorEntry;

typedef struct BasculeLibraryTable {
  uint32_t struct_bytes;
  uint32_t abi_version;
  const BasculeOperatorEntry* operators;
  uint32_t operator_count;
  uint32_t reserved;
} BasculeLibraryTable;

typedef const BasculeLibraryTable* (*BasculeLibraryFunction)(void);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // BASCULE_ABI_LIBRARY_H_
