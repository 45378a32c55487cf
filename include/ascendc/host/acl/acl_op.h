// Operators of installed packages, by name: descriptions and memory of their tensors, attributes,
// and the call. C and C++.
//
// Source: the pages of these names in the documentation of single-operator calls. The package is
// looked for in ASCEND_CUSTOM_OPP_PATH and ASCEND_OPP_PATH/vendors, as that documentation says; a
// model made by atc is not needed.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_ACL_ACL_OP_H_
#define BASCULE_ASCENDC_ACL_ACL_OP_H_

#include <stdlib.h>

#include "acl/acl_base.h"
#include "bascule/abi/aclop.h"

typedef struct aclTensorDesc aclTensorDesc;
typedef struct aclDataBuffer aclDataBuffer;
typedef struct aclopAttr aclopAttr;

static const int ACL_ERROR_OP_NOT_FOUND = 100024;

#define BASCULE_ACLOP_CALL(function, ...) \
  (BasculeAcl() == NULL ? ACL_ERROR_INTERNAL_ERROR : BasculeAcl()->aclop->function(__VA_ARGS__))

#ifdef __cplusplus
extern "C" {
#endif

// --- descriptions of tensors --------------------------------------------------------------------

// Null when the description is wrong.
BASCULE_HEADER_FUNCTION aclTensorDesc* aclCreateTensorDesc(aclDataType dataType, int numDims,
                                                           const int64_t* dims, aclFormat format) {
  void* desc = NULL;
  return BASCULE_ACLOP_CALL(desc_create, (int32_t)dataType, numDims, dims, (int32_t)format,
                            &desc) == 0
             ? (aclTensorDesc*)desc
             : NULL;
}
BASCULE_HEADER_FUNCTION void aclDestroyTensorDesc(const aclTensorDesc* desc) {
  (void)BASCULE_ACLOP_CALL(destroy, __func__, BASCULE_ACLOP_DESC, desc);
}
BASCULE_HEADER_FUNCTION aclDataType aclGetTensorDescType(const aclTensorDesc* desc) {
  int32_t dtype = 0, format = 0, rank = 0;
  const int64_t* dims = NULL;
  return BASCULE_ACLOP_CALL(desc_get, __func__, desc, &dtype, &format, &rank, &dims) == 0
             ? (aclDataType)dtype
             : ACL_DT_UNDEFINED;
}
BASCULE_HEADER_FUNCTION aclFormat aclGetTensorDescFormat(const aclTensorDesc* desc) {
  int32_t dtype = 0, format = 0, rank = 0;
  const int64_t* dims = NULL;
  return BASCULE_ACLOP_CALL(desc_get, __func__, desc, &dtype, &format, &rank, &dims) == 0
             ? (aclFormat)format
             : ACL_FORMAT_UNDEFINED;
}
BASCULE_HEADER_FUNCTION size_t aclGetTensorDescNumDims(const aclTensorDesc* desc) {
  int32_t dtype = 0, format = 0, rank = 0;
  const int64_t* dims = NULL;
  return BASCULE_ACLOP_CALL(desc_get, __func__, desc, &dtype, &format, &rank, &dims) == 0
             ? (size_t)rank
             : 0;
}
BASCULE_HEADER_FUNCTION size_t aclGetTensorDescElementCount(const aclTensorDesc* desc) {
  int32_t dtype = 0, format = 0, rank = 0, d;
  const int64_t* dims = NULL;
  size_t count = 1;
  if (BASCULE_ACLOP_CALL(desc_get, __func__, desc, &dtype, &format, &rank, &dims) != 0) return 0;
  for (d = 0; d < rank; ++d) count *= (size_t)dims[d];
  return count;
}
BASCULE_HEADER_FUNCTION size_t aclGetTensorDescSize(const aclTensorDesc* desc) {
  return aclGetTensorDescElementCount(desc) * aclDataTypeSize(aclGetTensorDescType(desc));
}
BASCULE_HEADER_FUNCTION aclError aclGetTensorDescDimV2(const aclTensorDesc* desc, size_t index,
                                                       int64_t* dimSize) {
  int32_t dtype = 0, format = 0, rank = 0;
  const int64_t* dims = NULL;
  const int32_t status =
      BASCULE_ACLOP_CALL(desc_get, __func__, desc, &dtype, &format, &rank, &dims);
  if (status != 0) return status;
  if (dimSize == NULL || index >= (size_t)rank) return ACL_ERROR_INVALID_PARAM;
  *dimSize = dims[index];
  return ACL_SUCCESS;
}

// --- memory of tensors --------------------------------------------------------------------------

BASCULE_HEADER_FUNCTION aclDataBuffer* aclCreateDataBuffer(void* data, size_t size) {
  void* buffer = NULL;
  return BASCULE_ACLOP_CALL(buffer_create, data, size, &buffer) == 0 ? (aclDataBuffer*)buffer
                                                                     : NULL;
}
BASCULE_HEADER_FUNCTION aclError aclDestroyDataBuffer(const aclDataBuffer* dataBuffer) {
  return BASCULE_ACLOP_CALL(destroy, __func__, BASCULE_ACLOP_BUFFER, dataBuffer);
}
BASCULE_HEADER_FUNCTION aclError aclUpdateDataBuffer(aclDataBuffer* dataBuffer, void* data,
                                                     size_t size) {
  return BASCULE_ACLOP_CALL(buffer_set, __func__, dataBuffer, data, size);
}
BASCULE_HEADER_FUNCTION void* aclGetDataBufferAddr(const aclDataBuffer* dataBuffer) {
  void* data = NULL;
  uint64_t bytes = 0;
  return BASCULE_ACLOP_CALL(buffer_get, __func__, dataBuffer, &data, &bytes) == 0 ? data : NULL;
}
BASCULE_HEADER_FUNCTION size_t aclGetDataBufferSizeV2(const aclDataBuffer* dataBuffer) {
  void* data = NULL;
  uint64_t bytes = 0;
  return BASCULE_ACLOP_CALL(buffer_get, __func__, dataBuffer, &data, &bytes) == 0 ? (size_t)bytes
                                                                                  : 0;
}
BASCULE_HEADER_FUNCTION uint32_t aclGetDataBufferSize(const aclDataBuffer* dataBuffer) {
  return (uint32_t)aclGetDataBufferSizeV2(dataBuffer);
}

// --- attributes ---------------------------------------------------------------------------------

BASCULE_HEADER_FUNCTION aclopAttr* aclopCreateAttr(void) {
  void* attributes = NULL;
  return BASCULE_ACLOP_CALL(attributes_create, &attributes) == 0 ? (aclopAttr*)attributes : NULL;
}
BASCULE_HEADER_FUNCTION void aclopDestroyAttr(const aclopAttr* attr) {
  (void)BASCULE_ACLOP_CALL(destroy, __func__, BASCULE_ACLOP_ATTRIBUTES, attr);
}
BASCULE_HEADER_FUNCTION aclError aclopSetAttrBool(aclopAttr* attr, const char* attrName,
                                                  uint8_t attrValue) {
  const int64_t value = attrValue != 0;
  return BASCULE_ACLOP_CALL(attributes_set, __func__, attr, attrName, BASCULE_ATTR_BOOL, &value, 1);
}
BASCULE_HEADER_FUNCTION aclError aclopSetAttrInt(aclopAttr* attr, const char* attrName,
                                                 int64_t attrValue) {
  return BASCULE_ACLOP_CALL(attributes_set, __func__, attr, attrName, BASCULE_ATTR_INT, &attrValue,
                            1);
}
BASCULE_HEADER_FUNCTION aclError aclopSetAttrFloat(aclopAttr* attr, const char* attrName,
                                                   float attrValue) {
  return BASCULE_ACLOP_CALL(attributes_set, __func__, attr, attrName, BASCULE_ATTR_FLOAT,
                            &attrValue, 1);
}
BASCULE_HEADER_FUNCTION aclError aclopSetAttrString(aclopAttr* attr, const char* attrName,
                                                    const char* attrValue) {
  return BASCULE_ACLOP_CALL(attributes_set, __func__, attr, attrName, BASCULE_ATTR_STRING,
                            attrValue, attrValue == NULL ? 1 : strlen(attrValue));
}
BASCULE_HEADER_FUNCTION aclError aclopSetAttrListInt(aclopAttr* attr, const char* attrName,
                                                     int numValues, const int64_t* values) {
  return BASCULE_ACLOP_CALL(attributes_set, __func__, attr, attrName, BASCULE_ATTR_INT_LIST, values,
                            (uint64_t)numValues);
}
BASCULE_HEADER_FUNCTION aclError aclopSetAttrListFloat(aclopAttr* attr, const char* attrName,
                                                       int numValues, const float* values) {
  return BASCULE_ACLOP_CALL(attributes_set, __func__, attr, attrName, BASCULE_ATTR_FLOAT_LIST,
                            values, (uint64_t)numValues);
}
BASCULE_HEADER_FUNCTION aclError aclopSetAttrListBool(aclopAttr* attr, const char* attrName,
                                                      int numValues, const uint8_t* values) {
  return BASCULE_ACLOP_CALL(attributes_set, __func__, attr, attrName, BASCULE_ATTR_BOOL_LIST,
                            values, (uint64_t)numValues);
}
BASCULE_HEADER_FUNCTION aclError aclopSetAttrListListInt(aclopAttr* attr, const char* attrName,
                                                         int numLists, const int* numValues,
                                                         const int64_t* const values[]) {
  size_t count = 0;
  for (int i = 0; i < numLists; ++i) count += 1 + (size_t)numValues[i];
  int64_t* const all = (int64_t*)malloc((count + 1) * sizeof(int64_t));
  if (all == NULL) return ACL_ERROR_BAD_ALLOC;
  size_t at = 0;
  for (int i = 0; i < numLists; ++i) {
    all[at++] = numValues[i];
    for (int k = 0; k < numValues[i]; ++k) all[at++] = values[i][k];
  }
  const aclError status = BASCULE_ACLOP_CALL(attributes_set, __func__, attr, attrName,
                                             BASCULE_ATTR_INT_LISTS, all, (uint64_t)count);
  free(all);
  return status;
}

// --- the call -----------------------------------------------------------------------------------

// The folder has to be there; what models lie in it does not matter here.
BASCULE_HEADER_FUNCTION aclError aclopSetModelDir(const char* modelDir) {
  return BASCULE_ACLOP_CALL(set_model_folder, modelDir);
}

BASCULE_HEADER_FUNCTION aclError BasculeAclopExecute(
    const char* call, const char* opType, int numInputs, const aclTensorDesc* const inputDesc[],
    const aclDataBuffer* const inputs[], int numOutputs, const aclTensorDesc* const outputDesc[],
    aclDataBuffer* const outputs[], const aclopAttr* attr, aclrtStream stream) {
  BasculeAclopCall what;
  memset(&what, 0, sizeof(what));
  what.struct_bytes = (uint32_t)sizeof(what);
  what.call = call;
  what.type = opType;
  what.input_count = numInputs;
  what.output_count = numOutputs;
  what.input_descs = (const void* const*)inputDesc;
  what.input_buffers = (const void* const*)inputs;
  what.output_descs = (const void* const*)outputDesc;
  what.output_buffers = (const void* const*)outputs;
  what.attributes = attr;
  what.stream = stream;
  return BASCULE_ACLOP_CALL(execute, &what);
}
BASCULE_HEADER_FUNCTION aclError aclopExecuteV2(const char* opType, int numInputs,
                                                aclTensorDesc* inputDesc[], aclDataBuffer* inputs[],
                                                int numOutputs, aclTensorDesc* outputDesc[],
                                                aclDataBuffer* outputs[], aclopAttr* attr,
                                                aclrtStream stream) {
  return BasculeAclopExecute(__func__, opType, numInputs, (const aclTensorDesc* const*)inputDesc,
                             (const aclDataBuffer* const*)inputs, numOutputs,
                             (const aclTensorDesc* const*)outputDesc, outputs, attr, stream);
}

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // BASCULE_ASCENDC_ACL_ACL_OP_H_
