// Devices, contexts, streams, events, memory. What each function does is in the public AscendCL
// documentation; here the one device, number 0, is the processor itself, so work given to a stream
// is done before the call returns. What a call is refused for is said on standard error.
//
// Device memory is kept apart from host memory as on a real device: a copy whose direction does not
// fit its addresses, or that leaves an allocation, is refused as a whole.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_ACL_ACL_RT_H_
#define BASCULE_ASCENDC_ACL_ACL_RT_H_

#include "acl/acl_base.h"

// Source: "aclrtMemMallocPolicy", "aclrtMemcpyKind", "aclrtRunMode", "aclrtEventRecordedStatus"
// pages.
typedef enum aclrtMemMallocPolicy {
  ACL_MEM_MALLOC_HUGE_FIRST,
  ACL_MEM_MALLOC_HUGE_ONLY,
  ACL_MEM_MALLOC_NORMAL_ONLY,
  ACL_MEM_MALLOC_HUGE_FIRST_P2P,
  ACL_MEM_MALLOC_HUGE_ONLY_P2P,
  ACL_MEM_MALLOC_NORMAL_ONLY_P2P,
  ACL_MEM_TYPE_LOW_BAND_WIDTH = 0x0100,
  ACL_MEM_TYPE_HIGH_BAND_WIDTH = 0x1000
} aclrtMemMallocPolicy;

typedef enum aclrtMemcpyKind {
  ACL_MEMCPY_HOST_TO_HOST,
  ACL_MEMCPY_HOST_TO_DEVICE,
  ACL_MEMCPY_DEVICE_TO_HOST,
  ACL_MEMCPY_DEVICE_TO_DEVICE,
  ACL_MEMCPY_DEFAULT,
  ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE,
  ACL_MEMCPY_INNER_DEVICE_TO_DEVICE,
  ACL_MEMCPY_INTER_DEVICE_TO_DEVICE
} aclrtMemcpyKind;

typedef enum aclrtMemAttr { ACL_DDR_MEM, ACL_HBM_MEM } aclrtMemAttr;
typedef enum aclrtRunMode { ACL_DEVICE, ACL_HOST } aclrtRunMode;
typedef enum aclrtEventRecordedStatus {
  ACL_EVENT_RECORDED_STATUS_NOT_READY = 0,
  ACL_EVENT_RECORDED_STATUS_COMPLETE = 1
} aclrtEventRecordedStatus;
typedef enum aclrtEventStatus {
  ACL_EVENT_STATUS_COMPLETE = 0,
  ACL_EVENT_STATUS_NOT_READY = 1,
  ACL_EVENT_STATUS_RESERVED = 2
} aclrtEventStatus;

typedef enum aclrtLastErrLevel { ACL_RT_THREAD_LEVEL = 0 } aclrtLastErrLevel;

#define ACL_EVENT_SYNC 0x00000001u
#define ACL_EVENT_CAPTURE_STREAM_PROGRESS 0x00000002u
#define ACL_EVENT_TIME_LINE 0x00000008u
#define ACL_STREAM_FAST_LAUNCH 0x00000001u
#define ACL_STREAM_FAST_SYNC 0x00000002u

#ifdef __cplusplus
extern "C" {
#endif

// --- the process and its device -----------------------------------------------------------------

BASCULE_HEADER_FUNCTION aclError aclInit(const char* configPath) {
  return BASCULE_ACL_CALL(init, configPath);
}
BASCULE_HEADER_FUNCTION aclError aclFinalize(void) { return BASCULE_ACL_CALL(finalize, ); }
// The sentence of this thread's last refusal, or of the last stream error it was told; "" before
// any. Valid until the next call on the thread.
BASCULE_HEADER_FUNCTION const char* aclGetRecentErrMsg(void) {
  return BasculeAcl() == NULL ? "" : BasculeAcl()->recent_error();
}
// The code of this thread's last refusal, or of the last stream error it was told; ACL_SUCCESS
// where there is none. Asking forgets it, peeking does not. A kernel's error is its stream's until
// the stream is synchronised.
BASCULE_HEADER_FUNCTION aclError aclrtGetLastError(aclrtLastErrLevel level) {
  (void)level;
  return BASCULE_ACL_CALL(last_error, 1);
}
BASCULE_HEADER_FUNCTION aclError aclrtPeekAtLastError(aclrtLastErrLevel level) {
  (void)level;
  return BASCULE_ACL_CALL(last_error, 0);
}
BASCULE_HEADER_FUNCTION aclError aclrtGetVersion(int32_t* major, int32_t* minor, int32_t* patch) {
  if (major != NULL) *major = 1;
  if (minor != NULL) *minor = 0;
  if (patch != NULL) *patch = 0;
  return ACL_SUCCESS;
}
BASCULE_HEADER_FUNCTION const char* aclrtGetSocName(void) {
  return BasculeAcl() == NULL ? NULL : BasculeAcl()->platform()->name;
}

BASCULE_HEADER_FUNCTION aclError aclrtGetDeviceCount(uint32_t* count) {
  return BASCULE_ACL_CALL(get_device_count, count);
}
BASCULE_HEADER_FUNCTION aclError aclrtSetDevice(int32_t deviceId) {
  return BASCULE_ACL_CALL(set_device, deviceId);
}
BASCULE_HEADER_FUNCTION aclError aclrtResetDevice(int32_t deviceId) {
  return BASCULE_ACL_CALL(reset_device, deviceId);
}
BASCULE_HEADER_FUNCTION aclError aclrtResetDeviceForce(int32_t deviceId) {
  return BASCULE_ACL_CALL(reset_device, deviceId);
}
BASCULE_HEADER_FUNCTION aclError aclrtGetDevice(int32_t* deviceId) {
  return BASCULE_ACL_CALL(get_device, deviceId);
}
BASCULE_HEADER_FUNCTION aclError aclrtSynchronizeDevice(void) {
  return BASCULE_ACL_CALL(synchronize_device, );
}
BASCULE_HEADER_FUNCTION aclError aclrtSynchronizeDeviceWithTimeout(int32_t timeout) {
  (void)timeout;
  return BASCULE_ACL_CALL(synchronize_device, );
}
// The program runs on the host, beside its device.
BASCULE_HEADER_FUNCTION aclError aclrtGetRunMode(aclrtRunMode* runMode) {
  if (runMode == NULL) return ACL_ERROR_INVALID_PARAM;
  *runMode = ACL_HOST;
  return ACL_SUCCESS;
}
BASCULE_HEADER_FUNCTION aclError aclrtGetMemInfo(aclrtMemAttr attr, size_t* free, size_t* total) {
  uint64_t free_bytes = 0;
  uint64_t total_bytes = 0;
  aclError error;
  (void)attr;
  if (free == NULL || total == NULL) return ACL_ERROR_INVALID_PARAM;
  error = BASCULE_ACL_CALL(get_memory, &free_bytes, &total_bytes);
  *free = (size_t)free_bytes;
  *total = (size_t)total_bytes;
  return error;
}

BASCULE_HEADER_FUNCTION aclError aclrtCreateContext(aclrtContext* context, int32_t deviceId) {
  return BASCULE_ACL_CALL(create_context, context, deviceId);
}
BASCULE_HEADER_FUNCTION aclError aclrtDestroyContext(aclrtContext context) {
  return BASCULE_ACL_CALL(destroy_context, context);
}
BASCULE_HEADER_FUNCTION aclError aclrtSetCurrentContext(aclrtContext context) {
  return BASCULE_ACL_CALL(set_context, context);
}
BASCULE_HEADER_FUNCTION aclError aclrtGetCurrentContext(aclrtContext* context) {
  return BASCULE_ACL_CALL(get_context, context);
}

// --- streams and events -------------------------------------------------------------------------

BASCULE_HEADER_FUNCTION aclError aclrtCreateStream(aclrtStream* stream) {
  return BASCULE_ACL_CALL(create_stream, stream);
}
BASCULE_HEADER_FUNCTION aclError aclrtCreateStreamWithConfig(aclrtStream* stream, uint32_t priority,
                                                             uint32_t flag) {
  (void)priority;
  (void)flag;
  return BASCULE_ACL_CALL(create_stream, stream);
}
BASCULE_HEADER_FUNCTION aclError aclrtDestroyStream(aclrtStream stream) {
  return BASCULE_ACL_CALL(destroy_stream, stream);
}
BASCULE_HEADER_FUNCTION aclError aclrtDestroyStreamForce(aclrtStream stream) {
  return BASCULE_ACL_CALL(destroy_stream, stream);
}
// Not 0 when a kernel or a copy on the stream failed; aclGetRecentErrMsg has the sentence.
BASCULE_HEADER_FUNCTION aclError aclrtSynchronizeStream(aclrtStream stream) {
  return BASCULE_ACL_CALL(synchronize_stream, stream);
}
BASCULE_HEADER_FUNCTION aclError aclrtSynchronizeStreamWithTimeout(aclrtStream stream,
                                                                   int32_t timeout) {
  (void)timeout;
  return BASCULE_ACL_CALL(synchronize_stream, stream);
}

BASCULE_HEADER_FUNCTION aclError aclrtCreateEvent(aclrtEvent* event) {
  return BASCULE_ACL_CALL(create_event, event);
}
BASCULE_HEADER_FUNCTION aclError aclrtCreateEventWithFlag(aclrtEvent* event, uint32_t flag) {
  (void)flag;
  return BASCULE_ACL_CALL(create_event, event);
}
BASCULE_HEADER_FUNCTION aclError aclrtCreateEventExWithFlag(aclrtEvent* event, uint32_t flag) {
  (void)flag;
  return BASCULE_ACL_CALL(create_event, event);
}
BASCULE_HEADER_FUNCTION aclError aclrtDestroyEvent(aclrtEvent event) {
  return BASCULE_ACL_CALL(destroy_event, event);
}
BASCULE_HEADER_FUNCTION aclError aclrtRecordEvent(aclrtEvent event, aclrtStream stream) {
  return BASCULE_ACL_CALL(record_event, event, stream);
}
BASCULE_HEADER_FUNCTION aclError aclrtResetEvent(aclrtEvent event, aclrtStream stream) {
  return BASCULE_ACL_CALL(reset_event, event, stream);
}
BASCULE_HEADER_FUNCTION aclError aclrtSynchronizeEvent(aclrtEvent event) {
  return BASCULE_ACL_CALL(synchronize_event, event);
}
BASCULE_HEADER_FUNCTION aclError aclrtStreamWaitEvent(aclrtStream stream, aclrtEvent event) {
  return BASCULE_ACL_CALL(wait_event, stream, event);
}
BASCULE_HEADER_FUNCTION aclError aclrtQueryEventStatus(aclrtEvent event,
                                                       aclrtEventRecordedStatus* status) {
  int32_t recorded = 0;
  aclError error;
  if (status == NULL) return ACL_ERROR_INVALID_PARAM;
  error = BASCULE_ACL_CALL(query_event, event, &recorded);
  *status =
      recorded != 0 ? ACL_EVENT_RECORDED_STATUS_COMPLETE : ACL_EVENT_RECORDED_STATUS_NOT_READY;
  return error;
}
BASCULE_HEADER_FUNCTION aclError aclrtQueryEvent(aclrtEvent event, aclrtEventStatus* status) {
  int32_t recorded = 0;
  aclError error;
  if (status == NULL) return ACL_ERROR_INVALID_PARAM;
  error = BASCULE_ACL_CALL(query_event, event, &recorded);
  *status = recorded != 0 ? ACL_EVENT_STATUS_COMPLETE : ACL_EVENT_STATUS_NOT_READY;
  return error;
}
BASCULE_HEADER_FUNCTION aclError aclrtEventElapsedTime(float* ms, aclrtEvent startEvent,
                                                       aclrtEvent endEvent) {
  return BASCULE_ACL_CALL(elapsed, ms, startEvent, endEvent);
}

// --- memory -------------------------------------------------------------------------------------

// Not cleared. A kernel may touch the bytes up to the next multiple of 32, a copy may not.
BASCULE_HEADER_FUNCTION aclError aclrtMalloc(void** devPtr, size_t size,
                                             aclrtMemMallocPolicy policy) {
  (void)policy;
  return BASCULE_ACL_CALL(allocate, "aclrtMalloc", devPtr, size);
}
BASCULE_HEADER_FUNCTION aclError aclrtMallocAlign32(void** devPtr, size_t size,
                                                    aclrtMemMallocPolicy policy) {
  (void)policy;
  return BASCULE_ACL_CALL(allocate, "aclrtMallocAlign32", devPtr, size);
}
BASCULE_HEADER_FUNCTION aclError aclrtMallocCached(void** devPtr, size_t size,
                                                   aclrtMemMallocPolicy policy) {
  (void)policy;
  return BASCULE_ACL_CALL(allocate, "aclrtMallocCached", devPtr, size);
}
BASCULE_HEADER_FUNCTION aclError aclrtMemFlush(void* devPtr, size_t size) {
  (void)devPtr;
  (void)size;
  return ACL_SUCCESS;
}
BASCULE_HEADER_FUNCTION aclError aclrtMemInvalidate(void* devPtr, size_t size) {
  (void)devPtr;
  (void)size;
  return ACL_SUCCESS;
}
BASCULE_HEADER_FUNCTION aclError aclrtFree(void* devPtr) {
  return BASCULE_ACL_CALL(release, "aclrtFree", devPtr);
}
BASCULE_HEADER_FUNCTION aclError aclrtMallocHost(void** hostPtr, size_t size) {
  return BASCULE_ACL_CALL(allocate_host, hostPtr, size);
}
BASCULE_HEADER_FUNCTION aclError aclrtFreeHost(void* hostPtr) {
  return BASCULE_ACL_CALL(release_host, hostPtr);
}

BASCULE_HEADER_FUNCTION aclError BasculeAclCopyRows(const char* call, void* dst, size_t dst_bytes,
                                                    size_t dst_pitch, const void* src,
                                                    size_t src_pitch, size_t width, size_t height,
                                                    aclrtMemcpyKind kind, aclrtStream stream,
                                                    uint32_t on_stream) {
  BasculeAclCopy copy;
  memset(&copy, 0, sizeof(copy));
  copy.struct_bytes = sizeof(copy);
  copy.kind = (uint32_t)kind;
  copy.call = call;
  copy.dst = dst;
  copy.src = src;
  copy.dst_bytes = dst_bytes;
  copy.dst_pitch = dst_pitch;
  copy.src_pitch = src_pitch;
  copy.width = width;
  copy.height = height;
  copy.stream = stream;
  copy.on_stream = on_stream;
  return BASCULE_ACL_CALL(copy, &copy);
}
BASCULE_HEADER_FUNCTION aclError aclrtMemcpy(void* dst, size_t destMax, const void* src,
                                             size_t count, aclrtMemcpyKind kind) {
  return BasculeAclCopyRows("aclrtMemcpy", dst, destMax, count, src, count, count, 1, kind, NULL,
                            0);
}
BASCULE_HEADER_FUNCTION aclError aclrtMemcpyAsync(void* dst, size_t destMax, const void* src,
                                                  size_t count, aclrtMemcpyKind kind,
                                                  aclrtStream stream) {
  return BasculeAclCopyRows("aclrtMemcpyAsync", dst, destMax, count, src, count, count, 1, kind,
                            stream, 1);
}
BASCULE_HEADER_FUNCTION aclError aclrtMemcpy2d(void* dst, size_t dpitch, const void* src,
                                               size_t spitch, size_t width, size_t height,
                                               aclrtMemcpyKind kind) {
  return BasculeAclCopyRows("aclrtMemcpy2d", dst, width, dpitch, src, spitch, width, height, kind,
                            NULL, 0);
}
BASCULE_HEADER_FUNCTION aclError aclrtMemcpy2dAsync(void* dst, size_t dpitch, const void* src,
                                                    size_t spitch, size_t width, size_t height,
                                                    aclrtMemcpyKind kind, aclrtStream stream) {
  return BasculeAclCopyRows("aclrtMemcpy2dAsync", dst, width, dpitch, src, spitch, width, height,
                            kind, stream, 1);
}

BASCULE_HEADER_FUNCTION aclError BasculeAclFillBytes(const char* call, void* dst, size_t dst_bytes,
                                                     int32_t value, size_t count,
                                                     aclrtStream stream, uint32_t on_stream) {
  BasculeAclFill fill;
  memset(&fill, 0, sizeof(fill));
  fill.struct_bytes = sizeof(fill);
  fill.value = value;
  fill.call = call;
  fill.dst = dst;
  fill.dst_bytes = dst_bytes;
  fill.count = count;
  fill.stream = stream;
  fill.on_stream = on_stream;
  return BASCULE_ACL_CALL(fill, &fill);
}
BASCULE_HEADER_FUNCTION aclError aclrtMemset(void* devPtr, size_t maxCount, int32_t value,
                                             size_t count) {
  return BasculeAclFillBytes("aclrtMemset", devPtr, maxCount, value, count, NULL, 0);
}
BASCULE_HEADER_FUNCTION aclError aclrtMemsetAsync(void* devPtr, size_t maxCount, int32_t value,
                                                  size_t count, aclrtStream stream) {
  return BasculeAclFillBytes("aclrtMemsetAsync", devPtr, maxCount, value, count, stream, 1);
}

// --- kernels of a binary that the program compiled or found
// ---------------------------------------

typedef void* aclrtBinHandle;
typedef void* aclrtFuncHandle;

// Binaries are for the processor this runs on, whatever the options say.
typedef enum {
  ACL_RT_BINARY_LOAD_OPT_LAZY_LOAD = 1,
  ACL_RT_BINARY_LOAD_OPT_LAZY_MAGIC = 2,
  ACL_RT_BINARY_LOAD_OPT_MAGIC = 2,
  ACL_RT_BINARY_LOAD_OPT_CPU_KERNEL_MODE = 3
} aclrtBinaryLoadOptionType;
#define ACL_RT_BINARY_MAGIC_ELF_AICORE 0x43554245U
#define ACL_RT_BINARY_MAGIC_ELF_VECTOR_CORE 0x41415246U
#define ACL_RT_BINARY_MAGIC_ELF_CUBE_CORE 0x41494343U
typedef union {
  uint32_t isLazyLoad;
  uint32_t magic;
  int32_t cpuKernelMode;
  uint32_t rsv[4];
} aclrtBinaryLoadOptionValue;
typedef struct {
  aclrtBinaryLoadOptionType type;
  aclrtBinaryLoadOptionValue value;
} aclrtBinaryLoadOption;
typedef struct aclrtBinaryLoadOptions {
  aclrtBinaryLoadOption* options;
  size_t numOpt;
} aclrtBinaryLoadOptions;
typedef struct aclrtLaunchKernelCfg aclrtLaunchKernelCfg;

BASCULE_HEADER_FUNCTION aclError aclrtBinaryLoadFromData(const void* data, size_t length,
                                                         const aclrtBinaryLoadOptions* options,
                                                         aclrtBinHandle* binHandle) {
  (void)options;
  return BASCULE_ACL_CALL(binary_load, "aclrtBinaryLoadFromData", NULL, data, length, binHandle);
}
BASCULE_HEADER_FUNCTION aclError aclrtBinaryLoadFromFile(const char* binPath,
                                                         aclrtBinaryLoadOptions* options,
                                                         aclrtBinHandle* binHandle) {
  (void)options;
  return BASCULE_ACL_CALL(binary_load, "aclrtBinaryLoadFromFile", binPath == NULL ? "" : binPath,
                          NULL, 0, binHandle);
}
BASCULE_HEADER_FUNCTION aclError aclrtBinaryUnLoad(aclrtBinHandle binHandle) {
  return BASCULE_ACL_CALL(binary_unload, binHandle);
}
// The function belongs to its binary.
BASCULE_HEADER_FUNCTION aclError aclrtBinaryGetFunction(const aclrtBinHandle binHandle,
                                                        const char* kernelName,
                                                        aclrtFuncHandle* funcHandle) {
  return BASCULE_ACL_CALL(binary_function, binHandle, kernelName, funcHandle);
}
// `argsArray` holds the address of each of the kernel's arguments, in their order. `cfg` has no
// effect and may be null.
BASCULE_HEADER_FUNCTION aclError aclrtLaunchKernelWithArgsArray(aclrtFuncHandle func,
                                                                uint32_t numBlocks,
                                                                aclrtStream stream,
                                                                aclrtLaunchKernelCfg* cfg,
                                                                void** argsArray) {
  (void)cfg;
  return BASCULE_ACL_CALL(function_launch, func, numBlocks, stream, argsArray);
}

#ifdef __cplusplus
}  // extern "C"

// Typed pointers, for C++ programs. Source: the C++ pages of "aclrtMalloc" and "aclrtMallocHost".
template <typename T>
static inline aclError aclrtMalloc(T** devPtr, size_t size,
                                   aclrtMemMallocPolicy policy = ACL_MEM_MALLOC_HUGE_FIRST) {
  return aclrtMalloc(reinterpret_cast<void**>(devPtr), size, policy);
}
template <typename T>
static inline aclError aclrtMallocHost(T** hostPtr, size_t size) {
  return aclrtMallocHost(reinterpret_cast<void**>(hostPtr), size);
}
#endif

#endif  // BASCULE_ASCENDC_ACL_ACL_RT_H_
