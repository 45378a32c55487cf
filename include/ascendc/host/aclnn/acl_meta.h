// The arguments of aclnn functions: tensors, scalars, arrays and lists, and the executor that the
// first of two steps hands to the second. C and C++.
//
// Source: the pages of these names in the aclnn documentation. An object is a handle: what it holds
// was copied when it was made, a null or destroyed one is refused with a sentence
// (aclGetRecentErrMsg). SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_ACLNN_ACL_META_H_
#define BASCULE_ASCENDC_ACLNN_ACL_META_H_

#include <stdlib.h>

#include "acl/acl_base.h"
#include "bascule/abi/aclnn.h"

typedef struct aclOpExecutor aclOpExecutor;
typedef struct aclTensor aclTensor;
typedef struct aclScalar aclScalar;
typedef struct aclIntArray aclIntArray;
typedef struct aclFloatArray aclFloatArray;
typedef struct aclBoolArray aclBoolArray;
typedef struct aclTensorList aclTensorList;
typedef struct aclScalarList aclScalarList;
typedef int32_t aclnnStatus;

// The runtime's table; null without a runtime, as BasculeAcl().
BASCULE_HEADER_FUNCTION const BasculeAclnnApi* BasculeAclnn(void) {
  return BasculeAcl() == NULL ? NULL : BasculeAcl()->aclnn;
}
#define BASCULE_ACLNN_CALL(function, ...) \
  (BasculeAclnn() == NULL ? ACL_ERROR_INTERNAL_ERROR : BasculeAclnn()->function(__VA_ARGS__))

#ifdef __cplusplus
extern "C" {
#endif

// --- tensors ------------------------------------------------------------------------------------

BASCULE_HEADER_FUNCTION BasculeAclnnTensor
BasculeAclnnTensorOf(const int64_t* viewDims, uint64_t viewDimsNum, aclDataType dataType,
                     const int64_t* stride, int64_t offset, aclFormat format,
                     const int64_t* storageDims, uint64_t storageDimsNum, void* data) {
  BasculeAclnnTensor tensor;
  memset(&tensor, 0, sizeof(tensor));
  tensor.struct_bytes = (uint32_t)sizeof(tensor);
  tensor.dtype = (int32_t)dataType;
  tensor.format = (int32_t)format;
  tensor.view_dims = viewDims;
  tensor.view_rank = viewDimsNum;
  tensor.strides = stride;
  tensor.storage_dims = storageDims;
  tensor.storage_rank = storageDimsNum;
  tensor.offset = offset;
  tensor.data = data;
  return tensor;
}

// Null when the description is wrong.
BASCULE_HEADER_FUNCTION aclTensor* aclCreateTensor(const int64_t* viewDims, uint64_t viewDimsNum,
                                                   aclDataType dataType, const int64_t* stride,
                                                   int64_t offset, aclFormat format,
                                                   const int64_t* storageDims,
                                                   uint64_t storageDimsNum, void* tensorData) {
  const BasculeAclnnTensor from =
      BasculeAclnnTensorOf(viewDims, viewDimsNum, dataType, stride, offset, format, storageDims,
                           storageDimsNum, tensorData);
  void* tensor = NULL;
  return BASCULE_ACLNN_CALL(tensor_create, &from, &tensor) == 0 ? (aclTensor*)tensor : NULL;
}
BASCULE_HEADER_FUNCTION aclnnStatus aclInitTensor(aclTensor* tensor, const int64_t* viewDims,
                                                  uint64_t viewDimsNum, aclDataType dataType,
                                                  const int64_t* stride, int64_t offset,
                                                  aclFormat format, const int64_t* storageDims,
                                                  uint64_t storageDimsNum, void* tensorDataAddr) {
  const BasculeAclnnTensor from =
      BasculeAclnnTensorOf(viewDims, viewDimsNum, dataType, stride, offset, format, storageDims,
                           storageDimsNum, tensorDataAddr);
  return BASCULE_ACLNN_CALL(tensor_set, tensor, &from);
}

BASCULE_HEADER_FUNCTION aclnnStatus BasculeAclnnGet(const char* call, const aclTensor* tensor,
                                                    const void* out, BasculeAclnnTensor* to) {
  memset(to, 0, sizeof(*to));
  to->struct_bytes = (uint32_t)sizeof(*to);
  return BASCULE_ACLNN_CALL(tensor_get, call, out == NULL ? NULL : tensor, to);
}
// The caller releases the copy, in C++ with delete[].
BASCULE_HEADER_FUNCTION int64_t* BasculeAclnnCopy(const int64_t* from, uint64_t count) {
  uint64_t i;
#ifdef __cplusplus
  int64_t* copy = new int64_t[count + 1];
#else
  int64_t* copy = (int64_t*)malloc((count + 1) * sizeof(int64_t));
#endif
  if (copy != NULL) {
    for (i = 0; i < count; ++i) copy[i] = from[i];
  }
  return copy;
}
// The dimensions belong to the caller: delete[] in C++, free in C.
BASCULE_HEADER_FUNCTION aclnnStatus aclGetViewShape(const aclTensor* tensor, int64_t** viewDims,
                                                    uint64_t* viewDimsNum) {
  BasculeAclnnTensor of;
  const aclnnStatus status =
      BasculeAclnnGet(__func__, tensor, viewDims == NULL ? NULL : viewDimsNum, &of);
  if (status != 0) return status;
  *viewDims = BasculeAclnnCopy(of.view_dims, of.view_rank);
  *viewDimsNum = of.view_rank;
  return 0;
}
BASCULE_HEADER_FUNCTION aclnnStatus aclGetStorageShape(const aclTensor* tensor,
                                                       int64_t** storageDims,
                                                       uint64_t* storageDimsNum) {
  BasculeAclnnTensor of;
  const aclnnStatus status =
      BasculeAclnnGet(__func__, tensor, storageDims == NULL ? NULL : storageDimsNum, &of);
  if (status != 0) return status;
  *storageDims = BasculeAclnnCopy(of.storage_dims, of.storage_rank);
  *storageDimsNum = of.storage_rank;
  return 0;
}
BASCULE_HEADER_FUNCTION aclnnStatus aclGetViewStrides(const aclTensor* tensor,
                                                      int64_t** stridesValue,
                                                      uint64_t* stridesNum) {
  BasculeAclnnTensor of;
  const aclnnStatus status =
      BasculeAclnnGet(__func__, tensor, stridesValue == NULL ? NULL : stridesNum, &of);
  if (status != 0) return status;
  *stridesValue = BasculeAclnnCopy(of.strides, of.view_rank);
  *stridesNum = of.view_rank;
  return 0;
}
BASCULE_HEADER_FUNCTION aclnnStatus aclGetViewOffset(const aclTensor* tensor, int64_t* offset) {
  BasculeAclnnTensor of;
  const aclnnStatus status = BasculeAclnnGet(__func__, tensor, offset, &of);
  if (status == 0) *offset = of.offset;
  return status;
}
BASCULE_HEADER_FUNCTION aclnnStatus aclGetFormat(const aclTensor* tensor, aclFormat* format) {
  BasculeAclnnTensor of;
  const aclnnStatus status = BasculeAclnnGet(__func__, tensor, format, &of);
  if (status == 0) *format = (aclFormat)of.format;
  return status;
}
BASCULE_HEADER_FUNCTION aclnnStatus aclGetDataType(const aclTensor* tensor, aclDataType* dataType) {
  BasculeAclnnTensor of;
  const aclnnStatus status = BasculeAclnnGet(__func__, tensor, dataType, &of);
  if (status == 0) *dataType = (aclDataType)of.dtype;
  return status;
}
BASCULE_HEADER_FUNCTION aclnnStatus aclGetRawTensorAddr(const aclTensor* tensor, void** addr) {
  BasculeAclnnTensor of;
  const aclnnStatus status = BasculeAclnnGet(__func__, tensor, addr, &of);
  if (status == 0) *addr = of.data;
  return status;
}
BASCULE_HEADER_FUNCTION aclnnStatus aclSetRawTensorAddr(aclTensor* tensor, void* addr) {
  return BASCULE_ACLNN_CALL(tensor_set_address, tensor, addr);
}

// --- scalars, arrays, lists ---------------------------------------------------------------------

BASCULE_HEADER_FUNCTION void* BasculeAclnnValues(const char* call, uint32_t kind,
                                                 const void* values, uint64_t count,
                                                 int32_t dtype) {
  void* handle = NULL;
  return BASCULE_ACLNN_CALL(values_create, call, kind, values, count, dtype, &handle) == 0 ? handle
                                                                                           : NULL;
}
BASCULE_HEADER_FUNCTION void* BasculeAclnnList(const char* call, uint32_t kind,
                                               const void* const* items, uint64_t count) {
  void* handle = NULL;
  return BASCULE_ACLNN_CALL(list_create, call, kind, items, count, &handle) == 0 ? handle : NULL;
}

BASCULE_HEADER_FUNCTION aclScalar* aclCreateScalar(void* value, aclDataType dataType) {
  return (aclScalar*)BasculeAclnnValues(__func__, BASCULE_ACLNN_SCALAR, value, 1, dataType);
}
BASCULE_HEADER_FUNCTION aclIntArray* aclCreateIntArray(const int64_t* value, uint64_t size) {
  return (aclIntArray*)BasculeAclnnValues(__func__, BASCULE_ACLNN_INTS, value, size, -1);
}
BASCULE_HEADER_FUNCTION aclFloatArray* aclCreateFloatArray(const float* value, uint64_t size) {
  return (aclFloatArray*)BasculeAclnnValues(__func__, BASCULE_ACLNN_FLOATS, value, size, -1);
}
BASCULE_HEADER_FUNCTION aclBoolArray* aclCreateBoolArray(const bool* value, uint64_t size) {
  return (aclBoolArray*)BasculeAclnnValues(__func__, BASCULE_ACLNN_BOOLS, value, size, -1);
}
// The list owns the tensors from here on: aclDestroyTensorList destroys them, too.
BASCULE_HEADER_FUNCTION aclTensorList* aclCreateTensorList(const aclTensor* const* value,
                                                           uint64_t size) {
  return (aclTensorList*)BasculeAclnnList(__func__, BASCULE_ACLNN_TENSOR_LIST,
                                          (const void* const*)value, size);
}
BASCULE_HEADER_FUNCTION aclScalarList* aclCreateScalarList(const aclScalar* const* value,
                                                           uint64_t size) {
  return (aclScalarList*)BasculeAclnnList(__func__, BASCULE_ACLNN_SCALAR_LIST,
                                          (const void* const*)value, size);
}

BASCULE_HEADER_FUNCTION aclnnStatus aclGetIntArraySize(const aclIntArray* array, uint64_t* size) {
  return BASCULE_ACLNN_CALL(size, __func__, BASCULE_ACLNN_INTS, array, size);
}
BASCULE_HEADER_FUNCTION aclnnStatus aclGetFloatArraySize(const aclFloatArray* array,
                                                         uint64_t* size) {
  return BASCULE_ACLNN_CALL(size, __func__, BASCULE_ACLNN_FLOATS, array, size);
}
BASCULE_HEADER_FUNCTION aclnnStatus aclGetBoolArraySize(const aclBoolArray* array, uint64_t* size) {
  return BASCULE_ACLNN_CALL(size, __func__, BASCULE_ACLNN_BOOLS, array, size);
}
BASCULE_HEADER_FUNCTION aclnnStatus aclGetTensorListSize(const aclTensorList* tensorList,
                                                         uint64_t* size) {
  return BASCULE_ACLNN_CALL(size, __func__, BASCULE_ACLNN_TENSOR_LIST, tensorList, size);
}
BASCULE_HEADER_FUNCTION aclnnStatus aclGetScalarListSize(const aclScalarList* scalarList,
                                                         uint64_t* size) {
  return BASCULE_ACLNN_CALL(size, __func__, BASCULE_ACLNN_SCALAR_LIST, scalarList, size);
}

// A null pointer is nothing to destroy.
BASCULE_HEADER_FUNCTION aclnnStatus aclDestroyTensor(const aclTensor* tensor) {
  return BASCULE_ACLNN_CALL(destroy, __func__, BASCULE_ACLNN_TENSOR, tensor);
}
BASCULE_HEADER_FUNCTION aclnnStatus aclDestroyScalar(const aclScalar* scalar) {
  return BASCULE_ACLNN_CALL(destroy, __func__, BASCULE_ACLNN_SCALAR, scalar);
}
BASCULE_HEADER_FUNCTION aclnnStatus aclDestroyIntArray(const aclIntArray* array) {
  return BASCULE_ACLNN_CALL(destroy, __func__, BASCULE_ACLNN_INTS, array);
}
BASCULE_HEADER_FUNCTION aclnnStatus aclDestroyFloatArray(const aclFloatArray* array) {
  return BASCULE_ACLNN_CALL(destroy, __func__, BASCULE_ACLNN_FLOATS, array);
}
BASCULE_HEADER_FUNCTION aclnnStatus aclDestroyBoolArray(const aclBoolArray* array) {
  return BASCULE_ACLNN_CALL(destroy, __func__, BASCULE_ACLNN_BOOLS, array);
}
BASCULE_HEADER_FUNCTION aclnnStatus aclDestroyTensorList(const aclTensorList* array) {
  return BASCULE_ACLNN_CALL(destroy, __func__, BASCULE_ACLNN_TENSOR_LIST, array);
}
BASCULE_HEADER_FUNCTION aclnnStatus aclDestroyScalarList(const aclScalarList* array) {
  return BASCULE_ACLNN_CALL(destroy, __func__, BASCULE_ACLNN_SCALAR_LIST, array);
}

// --- executors ----------------------------------------------------------------------------------

// An executor serves one run; after this call, until it is destroyed.
BASCULE_HEADER_FUNCTION aclnnStatus aclSetAclOpExecutorRepeatable(aclOpExecutor* executor) {
  return BASCULE_ACLNN_CALL(executor_set_repeatable, executor);
}
// One that has run and was not repeatable is gone already; destroying it again is no error.
BASCULE_HEADER_FUNCTION aclnnStatus aclDestroyAclOpExecutor(aclOpExecutor* executor) {
  return BASCULE_ACLNN_CALL(destroy, __func__, BASCULE_ACLNN_EXECUTOR, executor);
}

// New addresses for a repeatable executor. `index` counts the tensors the first step was given,
// each member of a list for itself; `irIndex` counts the parameters of the definition.
BASCULE_HEADER_FUNCTION aclnnStatus aclSetInputTensorAddr(aclOpExecutor* executor,
                                                          const size_t index, aclTensor* tensor,
                                                          void* addr) {
  return BASCULE_ACLNN_CALL(executor_set_address, __func__, executor, BASCULE_ACLNN_INPUT, -1,
                            index, tensor, addr);
}
BASCULE_HEADER_FUNCTION aclnnStatus aclSetOutputTensorAddr(aclOpExecutor* executor,
                                                           const size_t index, aclTensor* tensor,
                                                           void* addr) {
  return BASCULE_ACLNN_CALL(executor_set_address, __func__, executor, BASCULE_ACLNN_OUTPUT, -1,
                            index, tensor, addr);
}
BASCULE_HEADER_FUNCTION aclnnStatus aclSetTensorAddr(aclOpExecutor* executor, const size_t index,
                                                     aclTensor* tensor, void* addr) {
  return BASCULE_ACLNN_CALL(executor_set_address, __func__, executor,
                            BASCULE_ACLNN_INPUT_AND_OUTPUT, -1, index, tensor, addr);
}
BASCULE_HEADER_FUNCTION aclnnStatus aclSetDynamicInputTensorAddr(aclOpExecutor* executor,
                                                                 size_t irIndex,
                                                                 const size_t relativeIndex,
                                                                 aclTensorList* tensors,
                                                                 void* addr) {
  return BASCULE_ACLNN_CALL(executor_set_address, __func__, executor, BASCULE_ACLNN_INPUT,
                            (int64_t)irIndex, relativeIndex, tensors, addr);
}
BASCULE_HEADER_FUNCTION aclnnStatus aclSetDynamicOutputTensorAddr(aclOpExecutor* executor,
                                                                  size_t irIndex,
                                                                  const size_t relativeIndex,
                                                                  aclTensorList* tensors,
                                                                  void* addr) {
  return BASCULE_ACLNN_CALL(executor_set_address, __func__, executor, BASCULE_ACLNN_OUTPUT,
                            (int64_t)irIndex, relativeIndex, tensors, addr);
}
BASCULE_HEADER_FUNCTION aclnnStatus aclSetDynamicTensorAddr(aclOpExecutor* executor, size_t irIndex,
                                                            const size_t relativeIndex,
                                                            aclTensorList* tensors, void* addr) {
  return BASCULE_ACLNN_CALL(executor_set_address, __func__, executor,
                            BASCULE_ACLNN_INPUT_AND_OUTPUT, (int64_t)irIndex, relativeIndex,
                            tensors, addr);
}

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // BASCULE_ASCENDC_ACLNN_ACL_META_H_
