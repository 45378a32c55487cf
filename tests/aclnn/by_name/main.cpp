// Calls ScaleAdd of ../project by its name. Each check that fails is a line and exit status 1.
#include <cstdio>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "acl/acl_op.h"
#include "acl/acl_op_compiler.h"

static int failures = 0;

#define CHECK(condition)                                          \
  do {                                                            \
    if (!(condition)) {                                           \
      std::printf("%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      std::printf("  last error: %s\n", aclGetRecentErrMsg());    \
      ++failures;                                                 \
    }                                                             \
  } while (0)
#define REFUSED(call, number, words)                                           \
  do {                                                                         \
    CHECK((call) == (number));                                                 \
    CHECK(std::string(aclGetRecentErrMsg()).find(words) != std::string::npos); \
  } while (0)

int main() {
  aclrtStream stream = nullptr;
  CHECK(aclInit(nullptr) == 0 && aclrtSetDevice(0) == 0 && aclrtCreateStream(&stream) == 0);
  CHECK(aclopSetModelDir(".") == 0);
  REFUSED(aclopSetModelDir("/no/such/folder"), ACL_ERROR_INVALID_PARAM,
          "aclopSetModelDir: there is no folder '/no/such/folder'.");

  const int64_t dims[] = {2, 3};
  std::vector<float> x = {1, 2, 3, 4, 5, 6}, out(6);
  const size_t bytes = sizeof(float) * 6;
  void *x_memory = nullptr, *out_memory = nullptr;
  CHECK(aclrtMalloc(&x_memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
  CHECK(aclrtMalloc(&out_memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
  CHECK(aclrtMemcpy(x_memory, bytes, x.data(), bytes, ACL_MEMCPY_HOST_TO_DEVICE) == 0);
  aclTensorDesc* desc = aclCreateTensorDesc(ACL_FLOAT, 2, dims, ACL_FORMAT_ND);
  int64_t second = 0;
  CHECK(aclGetTensorDescType(desc) == ACL_FLOAT && aclGetTensorDescFormat(desc) == ACL_FORMAT_ND);
  CHECK(aclGetTensorDescNumDims(desc) == 2 && aclGetTensorDescSize(desc) == bytes);
  CHECK(aclGetTensorDescDimV2(desc, 1, &second) == 0 && second == 3);
  CHECK(aclGetTensorDescDimV2(desc, 2, &second) != 0);
  CHECK(aclCreateTensorDesc(ACL_FLOAT, -1, dims, ACL_FORMAT_ND) == nullptr);
  aclDataBuffer* in_buffer = aclCreateDataBuffer(x_memory, bytes);
  aclDataBuffer* none = aclCreateDataBuffer(nullptr, 0);
  aclDataBuffer* out_buffer = aclCreateDataBuffer(nullptr, 0);
  CHECK(aclUpdateDataBuffer(out_buffer, out_memory, bytes) == 0);
  CHECK(aclGetDataBufferAddr(out_buffer) == out_memory);
  CHECK(aclGetDataBufferSizeV2(out_buffer) == bytes);
  aclopAttr* attributes = aclopCreateAttr();
  const int64_t offsets[] = {10, 20};
  CHECK(aclopSetAttrFloat(attributes, "scale_factor", 3.0f) == 0);
  CHECK(aclopSetAttrListInt(attributes, "offsets", 2, offsets) == 0);

  aclTensorDesc* in_descs[] = {desc, desc};
  aclDataBuffer* ins[] = {in_buffer, none};
  aclTensorDesc* out_descs[] = {desc};
  aclDataBuffer* outs[] = {out_buffer};
  CHECK(aclopExecuteV2("ScaleAdd", 2, in_descs, ins, 1, out_descs, outs, attributes, stream) == 0);
  CHECK(aclrtSynchronizeStream(stream) == 0);
  CHECK(aclrtMemcpy(out.data(), bytes, out_memory, bytes, ACL_MEMCPY_DEVICE_TO_HOST) == 0);
  CHECK((out == std::vector<float>{33, 36, 39, 42, 45, 48}));
  CHECK(aclopCompileAndExecute("ScaleAdd", 2, in_descs, ins, 1, out_descs, outs, nullptr,
                               ACL_ENGINE_SYS, ACL_COMPILE_SYS, nullptr, stream) == 0);
  CHECK(aclrtMemcpy(out.data(), bytes, out_memory, bytes, ACL_MEMCPY_DEVICE_TO_HOST) == 0);
  CHECK(out[5] == 15.0f);

  // Lists: the tensors in one row.
  void* more_memory = nullptr;
  CHECK(aclrtMalloc(&more_memory, bytes, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
  aclDataBuffer* more_buffer = aclCreateDataBuffer(more_memory, bytes);
  aclopAttr* list_attributes = aclopCreateAttr();
  const uint8_t flags[] = {1, 0};
  const int64_t first[] = {100}, other[] = {1, 2, 3};
  const int64_t* const groups[] = {first, other};
  const int lengths[] = {1, 3};
  CHECK(aclopSetAttrListBool(list_attributes, "flags", 2, flags) == 0);
  CHECK(aclopSetAttrListListInt(list_attributes, "groups", 2, lengths, groups) == 0);
  aclDataBuffer* twice[] = {in_buffer, in_buffer};
  aclTensorDesc* two_descs[] = {desc, desc};
  aclDataBuffer* two[] = {out_buffer, more_buffer};
  CHECK(aclopExecuteV2("ListScale", 2, in_descs, twice, 2, two_descs, two, list_attributes,
                       stream) == 0);
  CHECK(aclrtSynchronizeStream(stream) == 0);
  CHECK(aclrtMemcpy(out.data(), bytes, out_memory, bytes, ACL_MEMCPY_DEVICE_TO_HOST) == 0);
  CHECK((out == std::vector<float>{99, 98, 97, 96, 95, 94}));
  CHECK(aclrtMemcpy(out.data(), bytes, more_memory, bytes, ACL_MEMCPY_DEVICE_TO_HOST) == 0);
  CHECK((out == std::vector<float>{7, 8, 9, 10, 11, 12}));
  aclopDestroyAttr(list_attributes);
  CHECK(aclDestroyDataBuffer(more_buffer) == 0 && aclrtFree(more_memory) == 0);

  REFUSED(aclopExecuteV2("NoSuch", 2, in_descs, ins, 1, out_descs, outs, nullptr, stream),
          ACL_ERROR_OP_NOT_FOUND, "libcust_opapi.so: has no NoSuch");
  CHECK(aclopSetAttrInt(attributes, "no_such", 1) == 0);
  REFUSED(aclopExecuteV2("ScaleAdd", 2, in_descs, ins, 1, out_descs, outs, attributes, stream),
          ACL_ERROR_RT_PARAM_INVALID, "scale_add has no attribute 'no_such'");
  CHECK(aclUpdateDataBuffer(out_buffer, out_memory, 8) == 0);
  REFUSED(aclopExecuteV2("ScaleAdd", 2, in_descs, ins, 1, out_descs, outs, nullptr, stream),
          ACL_ERROR_INVALID_PARAM, "outputs[0] has 8 bytes, and its description wants 24.");
  float host[6] = {};
  CHECK(aclUpdateDataBuffer(out_buffer, host, bytes) == 0);
  REFUSED(aclopExecuteV2("ScaleAdd", 2, in_descs, ins, 1, out_descs, outs, nullptr, stream),
          ACL_ERROR_RT_PARAM_INVALID, "the outputs[0] is host memory");
  CHECK(aclDestroyDataBuffer(out_buffer) == 0);
  REFUSED(aclopExecuteV2("ScaleAdd", 2, in_descs, ins, 1, out_descs, outs, nullptr, stream),
          ACL_ERROR_INVALID_PARAM, "outputs[0] is no aclDataBuffer of aclCreateDataBuffer");
  REFUSED(aclDestroyDataBuffer(out_buffer), ACL_ERROR_INVALID_PARAM, "or was destroyed");

  aclopDestroyAttr(attributes);
  aclDestroyTensorDesc(desc);
  CHECK(aclDestroyDataBuffer(in_buffer) == 0 && aclDestroyDataBuffer(none) == 0);
  aclrtFree(x_memory);
  aclrtFree(out_memory);
  CHECK(aclrtSynchronizeStream(stream) == 0 && aclrtDestroyStream(stream) == 0);
  CHECK(aclFinalize() == 0);
  std::printf("test %s\n", failures == 0 ? "pass" : "failed");
  return failures == 0 ? 0 : 1;
}
