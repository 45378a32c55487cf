// Plain numbers that every part of bascule agrees on: element types, tensor formats, memories,
// pipes, status codes. C and C++17. All lists are append-only: a number once given never changes
// meaning.
//
// Element types and formats carry the numbers of `ge::DataType` and `ge::Format`, so that host code
// written for the toolkit and manifests agree without a table in between.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ABI_TYPES_H_
#define BASCULE_ABI_TYPES_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Element types. Source: "DataType" page of the Ascend graph-engine interface documentation.
enum {
  BASCULE_FLOAT = 0,
  BASCULE_FLOAT16 = 1,
  BASCULE_INT8 = 2,
  BASCULE_INT32 = 3,
  BASCULE_UINT8 = 4,
  BASCULE_INT16 = 6,
  BASCULE_UINT16 = 7,
  BASCULE_UINT32 = 8,
  BASCULE_INT64 = 9,
  BASCULE_UINT64 = 10,
  BASCULE_DOUBLE = 11,
  BASCULE_BOOL = 12,
  BASCULE_BFLOAT16 = 27,
  BASCULE_INT4 = 29,
  BASCULE_DTYPE_COUNT = 32
};
typedef uint8_t BasculeDType;

// Tensor formats. Source: "Format" page of the same documentation.
enum {
  BASCULE_FORMAT_NCHW = 0,
  BASCULE_FORMAT_NHWC = 1,
  BASCULE_FORMAT_ND = 2,
  BASCULE_FORMAT_NC1HWC0 = 3,
  BASCULE_FORMAT_FRACTAL_Z = 4,
  BASCULE_FORMAT_FRACTAL_NZ = 29
};

// Memories of a core, and global memory.
enum {
  BASCULE_GM = 0,  // global memory: host memory that the launch declares
  BASCULE_UB = 1,  // unified buffer
  BASCULE_L1 = 2,
  BASCULE_L0A = 3,
  BASCULE_L0B = 4,
  BASCULE_L0C = 5,
  BASCULE_BT = 6,  // bias table
  BASCULE_FB = 7,  // fixpipe buffer
  BASCULE_MEMORY_COUNT = 8
};

// Pipes: the in-order instruction queues of a core.
enum {
  BASCULE_PIPE_S = 0,
  BASCULE_PIPE_V = 1,
  BASCULE_PIPE_M = 2,
  BASCULE_PIPE_MTE1 = 3,
  BASCULE_PIPE_MTE2 = 4,
  BASCULE_PIPE_MTE3 = 5,
  BASCULE_PIPE_FIX = 6,
  BASCULE_PIPE_COUNT = 7,
  BASCULE_PIPE_ALL = 7
};

// Logical positions of a queue or buffer, in the order of `TPosition`.
enum {
  BASCULE_POS_GM = 0,
  BASCULE_POS_A1,
  BASCULE_POS_A2,
  BASCULE_POS_B1,
  BASCULE_POS_B2,
  BASCULE_POS_C1,
  BASCULE_POS_C2,
  BASCULE_POS_CO1,
  BASCULE_POS_CO2,
  BASCULE_POS_VECIN,
  BASCULE_POS_VECOUT,
  BASCULE_POS_VECCALC,
  BASCULE_POS_SPM,
  BASCULE_POS_TSCM,
  BASCULE_POS_C2PIPE2GM,
  BASCULE_POS_COUNT
};

// What a core can do.
enum {
  BASCULE_CORE_AIV = 0,  // vector core
  BASCULE_CORE_AIC = 1   // cube core
};

// Which cores a block of a kernel runs on. Source: "设置Kernel类型" page of the Ascend C
// documentation.
enum {
  // Nobody has said: whatever the kernel says itself when it runs, else one vector core.
  BASCULE_KERNEL_UNSAID = 0,
  BASCULE_KERNEL_AIC_ONLY = 1,
  BASCULE_KERNEL_AIV_ONLY = 2,
  BASCULE_KERNEL_MIX_AIV_1_0 = 3,  // one vector core, with the means to wait for other blocks
  BASCULE_KERNEL_MIX_AIC_1_0 = 4,
  BASCULE_KERNEL_MIX_AIC_1_1 = 5,  // a cube core and a vector core
  BASCULE_KERNEL_MIX_AIC_1_2 = 6,  // a cube core and two vector cores
  BASCULE_KERNEL_TYPE_COUNT = 7
};

// How a function says of itself which type of kernel it is: by so many instructions without effect
// directly in front of its first one, times its number. Written by a compiler's attribute
// (`patchable_function_entry`), so it holds for templates, inline and static functions alike, and
// whoever has the function's address can read it.
#define BASCULE_KERNEL_MARK 32

// Result of every call across the C border; the text is in bascule_last_error().
enum {
  BASCULE_OK = 0,
  BASCULE_INVALID_ARGUMENT = 1,  // the caller passed something that cannot be used
  BASCULE_NOT_FOUND = 2,         // a file, library, operator or symbol does not exist
  BASCULE_UNSUPPORTED = 3,       // known, and not available in this version
  BASCULE_KERNEL_ERROR = 4,      // the kernel did something the hardware would not survive
  BASCULE_DEADLOCK = 5,          // a wait that can never end
  BASCULE_BUILD_ERROR = 6,       // compiler, linker or project layout
  BASCULE_BAD_LIBRARY = 7,       // a file that is not, or is a damaged, operator library
  BASCULE_VERSION_MISMATCH = 8,  // built for another version of the runtime
  BASCULE_OUT_OF_MEMORY = 9,
  BASCULE_INTERNAL = 10  // a fault of bascule itself
};
typedef int32_t BasculeStatus;

// Where in the user's source a call stands. `file` lives as long as the library that holds it.
typedef struct BasculeSite {
  const char* file;  // null: unknown
  uint32_t line;     // 0: unknown
  uint32_t opcode;   // where a failure is about an instruction that was not issued; else 0
} BasculeSite;

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // BASCULE_ABI_TYPES_H_
