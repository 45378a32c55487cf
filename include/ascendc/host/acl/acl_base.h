// Types, numbers and helpers that every other acl header needs: error codes, element types,
// formats, half-precision numbers, and the way to the runtime. C and C++17.
//
// Everything here is a thin inline function over a table of C functions (bascule/abi/acl.h) that is
// looked up at the first call; nothing has to be linked.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_ACL_ACL_BASE_H_
#define BASCULE_ASCENDC_ACL_ACL_BASE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "bascule/abi/runtime.h"

typedef int aclError;
typedef void* aclrtStream;
typedef void* aclrtEvent;
typedef void* aclrtContext;
typedef uint16_t aclFloat16;

// Source: "aclError" page of the AscendCL documentation.
static const int ACL_SUCCESS = 0;
static const int ACL_ERROR_NONE = 0;
static const int ACL_ERROR_INVALID_PARAM = 100000;
static const int ACL_ERROR_UNINITIALIZE = 100001;
static const int ACL_ERROR_REPEAT_INITIALIZE = 100002;
static const int ACL_ERROR_INVALID_FILE = 100003;
static const int ACL_ERROR_BAD_ALLOC = 200000;
static const int ACL_ERROR_API_NOT_SUPPORT = 200001;
static const int ACL_ERROR_INVALID_DEVICE = 200002;
static const int ACL_ERROR_INTERNAL_ERROR = 500000;
static const int ACL_ERROR_FAILURE = 500001;
static const int ACL_ERROR_RT_PARAM_INVALID = 107000;
static const int ACL_ERROR_RT_INVALID_DEVICEID = 107001;
static const int ACL_ERROR_RT_CONTEXT_NULL = 107002;
static const int ACL_ERROR_RT_STREAM_CONTEXT = 107003;
static const int ACL_ERROR_RT_EVENT_TIMESTAMP_INVALID = 107006;
static const int ACL_ERROR_RT_FEATURE_NOT_SUPPORT = 207000;
static const int ACL_ERROR_RT_MEMORY_ALLOCATION = 207001;
static const int ACL_ERROR_RT_INTERNAL_ERROR = 507000;
static const int ACL_ERROR_RT_AICORE_TIMEOUT = 507014;
static const int ACL_ERROR_RT_AICORE_EXCEPTION = 507015;

// Source: "aclDataType" page.
typedef enum {
  ACL_DT_UNDEFINED = -1,
  ACL_FLOAT = 0,
  ACL_FLOAT16 = 1,
  ACL_INT8 = 2,
  ACL_INT32 = 3,
  ACL_UINT8 = 4,
  ACL_INT16 = 6,
  ACL_UINT16 = 7,
  ACL_UINT32 = 8,
  ACL_INT64 = 9,
  ACL_UINT64 = 10,
  ACL_DOUBLE = 11,
  ACL_BOOL = 12,
  ACL_STRING = 13,
  ACL_COMPLEX64 = 16,
  ACL_COMPLEX128 = 17,
  ACL_BF16 = 27,
  ACL_INT4 = 29,
  ACL_UINT1 = 30,
  ACL_COMPLEX32 = 33
} aclDataType;

// Source: "aclFormat" page.
typedef enum {
  ACL_FORMAT_UNDEFINED = -1,
  ACL_FORMAT_NCHW = 0,
  ACL_FORMAT_NHWC = 1,
  ACL_FORMAT_ND = 2,
  ACL_FORMAT_NC1HWC0 = 3,
  ACL_FORMAT_FRACTAL_Z = 4,
  ACL_FORMAT_NC1HWC0_C04 = 12,
  ACL_FORMAT_HWCN = 16,
  ACL_FORMAT_NDHWC = 27,
  ACL_FORMAT_FRACTAL_NZ = 29,
  ACL_FORMAT_NCDHW = 30,
  ACL_FORMAT_NDC1HWC0 = 32,
  ACL_FRACTAL_Z_3D = 33,
  ACL_FORMAT_NC = 35,
  ACL_FORMAT_NCL = 47
} aclFormat;

// The runtime's table; null when there is no runtime to be found or it is older than this header,
// which is said once on standard error.
BASCULE_HEADER_FUNCTION const BasculeAclApi* BasculeAcl(void) {
  static const BasculeAclApi* found = NULL;
  static int told = 0;
  const BasculeAclApi* api = __atomic_load_n(&found, __ATOMIC_ACQUIRE);
  const BasculeRuntimeApi* runtime;
  char message[8192];
  if (api != NULL) return api;
  runtime = BasculeFindRuntime(message, sizeof(message));
  if (runtime != NULL && runtime->struct_bytes >= sizeof(BasculeRuntimeApi) &&
      runtime->acl != NULL && runtime->acl->struct_bytes >= sizeof(BasculeAclApi)) {
    __atomic_store_n(&found, runtime->acl, __ATOMIC_RELEASE);
    return runtime->acl;
  }
  if (runtime != NULL) {
    snprintf(
        message, sizeof(message),
        "this program was built with newer headers than the bascule runtime %s in this process; "
        "install the bascule it was built with, or build it again",
        runtime->version);
  }
  if (__atomic_exchange_n(&told, 1, __ATOMIC_RELAXED) == 0) {
    fprintf(stderr, "bascule: %s\n", message);
  }
  return NULL;
}

// `BASCULE_ACL_CALL(set_device, deviceId)` is what the table's function returns.
#define BASCULE_ACL_CALL(function, ...) \
  (BasculeAcl() == NULL ? ACL_ERROR_INTERNAL_ERROR : BasculeAcl()->function(__VA_ARGS__))

#ifdef __cplusplus
extern "C" {
#endif

// Bytes of an element; 0 for types that have none of their own.
BASCULE_HEADER_FUNCTION size_t aclDataTypeSize(aclDataType dataType) {
  switch (dataType) {
    case ACL_BOOL:
    case ACL_INT8:
    case ACL_UINT8:
      return 1;
    case ACL_FLOAT16:
    case ACL_BF16:
    case ACL_INT16:
    case ACL_UINT16:
      return 2;
    case ACL_FLOAT:
    case ACL_INT32:
    case ACL_UINT32:
    case ACL_COMPLEX32:
      return 4;
    case ACL_DOUBLE:
    case ACL_INT64:
    case ACL_UINT64:
    case ACL_COMPLEX64:
      return 8;
    case ACL_COMPLEX128:
      return 16;
    default:
      return 0;
  }
}

// Exact.
BASCULE_HEADER_FUNCTION float aclFloat16ToFloat(aclFloat16 value) {
  const uint32_t sign = (uint32_t)(value & 0x8000u) << 16;
  uint32_t exponent = (value >> 10) & 0x1fu;
  uint32_t fraction = value & 0x3ffu;
  uint32_t bits;
  float result;
  if (exponent == 0x1f) {
    bits = sign | 0x7f800000u | fraction << 13;
  } else if (exponent != 0) {
    bits = sign | (exponent + 112) << 23 | fraction << 13;
  } else if (fraction == 0) {
    bits = sign;
  } else {  // subnormal: normal in float
    exponent = 113;
    while ((fraction & 0x400u) == 0) {
      fraction <<= 1;
      --exponent;
    }
    bits = sign | exponent << 23 | (fraction & 0x3ffu) << 13;
  }
  memcpy(&result, &bits, sizeof(result));
  return result;
}

// To the nearest, ties to even; too large becomes infinity, NaN stays NaN.
BASCULE_HEADER_FUNCTION aclFloat16 aclFloatToFloat16(float value) {
  uint32_t bits;
  uint32_t sign;
  uint32_t magnitude;
  uint32_t rest;
  uint32_t kept;
  uint32_t half;
  int shift;
  memcpy(&bits, &value, sizeof(bits));
  sign = bits >> 16 & 0x8000u;
  magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return (aclFloat16)(sign | 0x7e00u | (magnitude >> 13 & 0x3ffu));
  if (magnitude >= 0x47800000u) return (aclFloat16)(sign | 0x7c00u);
  if (magnitude >= 0x38800000u) {
    magnitude -= 112u << 23;
    shift = 13;
  } else {
    shift = 126 - (int)(magnitude >> 23);
    if (shift > 24) return (aclFloat16)sign;
    magnitude = (magnitude & 0x7fffffu) | 0x800000u;
  }
  kept = magnitude >> shift;
  rest = magnitude & ((1u << shift) - 1);
  half = 1u << (shift - 1);
  if (rest > half || (rest == half && (kept & 1u) != 0)) ++kept;
  return (aclFloat16)(sign | kept);
}

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // BASCULE_ASCENDC_ACL_ACL_BASE_H_
