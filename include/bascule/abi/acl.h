// The border between the acl headers (include/ascendc/host/acl) and the runtime: device memory,
// streams, events and kernel launches as one table of C functions. C and C++17.
//
// Structures only grow at their end and start with their size.
//
// What the functions do is what the public AscendCL documentation says of the call in the comment,
// on one device that is host memory. Each returns 0 or one of the numbers below, and then leaves a
// sentence in recent_error() and on standard error. Sizes are in bytes. Thread-safe.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ABI_ACL_H_
#define BASCULE_ABI_ACL_H_

#include "bascule/abi/library.h"
#include "bascule/abi/types.h"

#ifdef __cplusplus
extern "C" {
#endif

// Source: "aclError" page of the AscendCL documentation.
enum {
  BASCULE_ACL_SUCCESS = 0,
  BASCULE_ACL_INVALID_PARAM = 100000,
  BASCULE_ACL_UNINITIALIZE = 100001,
  BASCULE_ACL_REPEAT_INITIALIZE = 100002,
  BASCULE_ACL_RT_PARAM_INVALID = 107000,
  BASCULE_ACL_RT_INVALID_DEVICEID = 107001,
  BASCULE_ACL_RT_CONTEXT_NULL = 107002,
  BASCULE_ACL_RT_STREAM_CONTEXT = 107003,
  BASCULE_ACL_RT_EVENT_TIMESTAMP_INVALID = 107006,
  BASCULE_ACL_RT_FEATURE_NOT_SUPPORT = 207000,
  BASCULE_ACL_RT_MEMORY_ALLOCATION = 207001,
  // Source: page of the error codes of run-time compilation.
  BASCULE_ACL_RTC_INVALID_PROGRAM = 176000,
  BASCULE_ACL_RTC_INVALID_INPUT = 176001,
  BASCULE_ACL_RTC_COMPILATION = 176003,
  BASCULE_ACL_RTC_NO_NAME = 176005,
  BASCULE_ACL_INTERNAL_ERROR = 500000,
  BASCULE_ACL_RT_INTERNAL_ERROR = 507000,
  BASCULE_ACL_RT_AICORE_TIMEOUT = 507014,
  BASCULE_ACL_RT_AICORE_EXCEPTION = 507015
};

// Directions of a copy. Source: "aclrtMemcpyKind" page.
enum {
  BASCULE_COPY_HOST_TO_HOST = 0,
  BASCULE_COPY_HOST_TO_DEVICE = 1,
  BASCULE_COPY_DEVICE_TO_HOST = 2,
  BASCULE_COPY_DEVICE_TO_DEVICE = 3,
  BASCULE_COPY_DEFAULT = 4,  // the addresses tell
  BASCULE_COPY_HOST_TO_BUF_TO_DEVICE = 5,
  BASCULE_COPY_INNER_DEVICE_TO_DEVICE = 6,
  BASCULE_COPY_INTER_DEVICE_TO_DEVICE = 7
};

// `width` bytes of each of `height` rows; rows begin `dst_pitch` and `src_pitch` bytes apart. A
// plain copy has one row. `call` is the name of the function the user called.
typedef struct BasculeAclCopy {
  uint32_t struct_bytes;
  uint32_t kind;  // BASCULE_COPY_…
  const char* call;
  void* dst;
  const void* src;
  uint64_t dst_bytes;  // what the caller says there is room for, from `dst`
  uint64_t dst_pitch;
  uint64_t src_pitch;
  uint64_t width;
  uint64_t height;
  void* stream;
  uint32_t on_stream;  // 0: at once, after everything before; `stream` has no meaning
  uint32_t reserved;
} BasculeAclCopy;

typedef struct BasculeAclFill {
  uint32_t struct_bytes;
  int32_t value;  // of each byte
  const char* call;
  void* dst;
  uint64_t dst_bytes;
  uint64_t count;
  void* stream;
  uint32_t on_stream;
  uint32_t reserved;
} BasculeAclFill;

struct BasculeAclnnApi;
struct BasculeAclopApi;
typedef struct BasculeAclApi {
  uint32_t struct_bytes;
  uint32_t reserved;

  int32_t (*init)(const char* config);           // aclInit
  int32_t (*finalize)(void);                     // aclFinalize
  const char* (*recent_error)(void);             // aclGetRecentErrMsg; "" when there is none
  int32_t (*get_device_count)(uint32_t* count);  // aclrtGetDeviceCount
  int32_t (*set_device)(int32_t device);         // aclrtSetDevice
  int32_t (*reset_device)(int32_t device);       // aclrtResetDevice
  int32_t (*get_device)(int32_t* device);        // aclrtGetDevice
  int32_t (*synchronize_device)(void);           // aclrtSynchronizeDevice
  int32_t (*get_memory)(uint64_t* free_bytes, uint64_t* total_bytes);  // aclrtGetMemInfo
  const BasculePlatform* (*platform)(void);  // aclrtGetSocName, PlatformAscendCManager
  int32_t (*create_context)(void** context, int32_t device);  // aclrtCreateContext
  int32_t (*destroy_context)(void* context);                  // aclrtDestroyContext
  int32_t (*set_context)(void* context);                      // aclrtSetCurrentContext
  int32_t (*get_context)(void** context);                     // aclrtGetCurrentContext

  // A null stream is the default stream everywhere. Work given to a stream is done before the call
  // returns; an error is kept, later work on the stream is left out, and synchronize returns it.
  int32_t (*create_stream)(void** stream);      // aclrtCreateStream
  int32_t (*destroy_stream)(void* stream);      // aclrtDestroyStream
  int32_t (*synchronize_stream)(void* stream);  // aclrtSynchronizeStream

  int32_t (*create_event)(void** event);                            // aclrtCreateEvent
  int32_t (*destroy_event)(void* event);                            // aclrtDestroyEvent
  int32_t (*record_event)(void* event, void* stream);               // aclrtRecordEvent
  int32_t (*reset_event)(void* event, void* stream);                // aclrtResetEvent
  int32_t (*synchronize_event)(void* event);                        // aclrtSynchronizeEvent
  int32_t (*query_event)(void* event, int32_t* recorded);           // aclrtQueryEventStatus
  int32_t (*wait_event)(void* stream, void* event);                 // aclrtStreamWaitEvent
  int32_t (*elapsed)(float* milliseconds, void* start, void* end);  // aclrtEventElapsedTime

  int32_t (*allocate)(const char* call, void** memory, uint64_t bytes);  // aclrtMalloc
  int32_t (*release)(const char* call, void* memory);                    // aclrtFree
  int32_t (*allocate_host)(void** memory, uint64_t bytes);               // aclrtMallocHost
  int32_t (*release_host)(void* memory);                                 // aclrtFreeHost
  int32_t (*copy)(const BasculeAclCopy* copy);  // aclrtMemcpy, …Async, …2d, …2dAsync
  int32_t (*fill)(const BasculeAclFill* fill);  // aclrtMemset, aclrtMemsetAsync

  // Kernels compiled while the program runs (aclrtc…). What is given back belongs to the program.
  int32_t (*program_create)(void** program, const char* source, const char* name,
                            int32_t header_count, const char* const* headers,
                            const char* const* include_names);
  int32_t (*program_destroy)(void** program);
  int32_t (*program_add_name)(void* program, const char* expression);
  int32_t (*program_compile)(void* program, int32_t option_count, const char* const* options);
  int32_t (*program_binary)(void* program, const void** data, uint64_t* bytes);
  int32_t (*program_log)(void* program, const char** text, uint64_t* bytes);  // NUL included
  int32_t (*program_lowered_name)(void* program, const char* expression, const char** name);
  // aclrtBinaryLoadFromFile, or with a null path aclrtBinaryLoadFromData
  int32_t (*binary_load)(const char* call, const char* path, const void* data, uint64_t bytes,
                         void** binary);
  int32_t (*binary_unload)(void* binary);  // aclrtBinaryUnLoad
  int32_t (*binary_function)(void* binary, const char* kernel, void** function);  // …GetFunction
  // aclrtLaunchKernelWithArgsArray: the address of each argument. An error is the stream's.
  int32_t (*function_launch)(void* function, uint32_t blocks, void* stream, void** arguments);

  // Work of streams recorded as a model and run as often as wanted (aclmdlRI…). What a captured
  // stream is given is recorded and not done; a stream that waits for an event of a captured one is
  // captured from then on.
  int32_t (*capture_begin)(void* stream);
  int32_t (*capture_end)(void* stream, void** model);
  int32_t (*capture_status)(void* stream, int32_t* captured);
  int32_t (*model_execute)(const char* call, void* model, void* stream);
  int32_t (*model_write)(void* model, const char* path);  // aclmdlRIDebugJsonPrint
  int32_t (*model_destroy)(void* model);

  const struct BasculeAclnnApi* aclnn;  // operators by their two-step functions (abi/aclnn.h)
  const struct BasculeAclopApi* aclop;  // operators of installed packages by name (abi/aclop.h)

  // The code of the thread's last failure; `forget` is 1 for aclrtGetLastError, 0 for
  // aclrtPeekAtLastError.
  int32_t (*last_error)(uint32_t forget);
} BasculeAclApi;

// One launch, as `kernel<<<blocks, l2ctrl, stream>>>(arguments)` makes it.
typedef struct BasculeLaunch {
  uint32_t struct_bytes;
  uint32_t kind;      // BASCULE_KERNEL_…; BASCULE_KERNEL_UNSAID: what the entry says of itself
  const char* name;   // of the kernel; null: it is looked up by `entry`
  const void* entry;  // the kernel's address
  // Calls the kernel with the arguments in `closure`; entered once per block, by several threads.
  void (*invoke)(const void* closure);
  const void* closure;
  int64_t block_count;
  void* stream;
  // The arguments that are pointers: value, and position from 1. They name memory in reports.
  const void* const* pointers;
  const uint32_t* positions;
  uint32_t pointer_count;
  uint32_t reserved;
  BasculeSite site;  // of the launch
  uint64_t tiling_key;
  // Make another closure and end it, for launches that are captured; null: they cannot be.
  void* (*copy_closure)(const void* closure);
  void (*free_closure)(void* copy);
} BasculeLaunch;

// An argument of a launch by ACLRT_LAUNCH_KERNEL: the caller knows the kernel's name and not its
// parameters, so each value goes as what it is there and is converted where the kernel is.
enum {
  BASCULE_ARGUMENT_POINTER = 0,
  BASCULE_ARGUMENT_INTEGER = 1,  // signed or not, as 64 bits
  BASCULE_ARGUMENT_REAL = 2,
  BASCULE_ARGUMENT_BYTES = 3  // anything else: `pointer` to `bytes` bytes
};
typedef struct BasculeLaunchArgument {
  uint32_t kind;
  uint32_t bytes;
  union {
    const void* pointer;
    int64_t integer;
    double real;
  } value;
} BasculeLaunchArgument;

#ifdef __cplusplus
}  // extern "C"

static_assert(sizeof(BasculeLaunchArgument) == 16, "append-only ABI");
static_assert(sizeof(BasculeAclCopy) == 88 && sizeof(BasculeAclFill) == 56, "append-only ABI");
static_assert(sizeof(BasculeLaunch) == 120, "append-only ABI");
#endif

#endif  // BASCULE_ABI_ACL_H_
