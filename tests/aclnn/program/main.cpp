// Calls the operators of ../project the way test programs of such projects do. Each check that
// fails is a line and exit status 1.
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "acl/acl.h"
#include "aclnn/aclnn_base.h"
#include "aclnn_accumulate.h"
#include "aclnn_list_scale.h"
#include "aclnn_scale_add.h"

static int failures = 0;

#define CHECK(condition)                                          \
  do {                                                            \
    if (!(condition)) {                                           \
      std::printf("%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      std::printf("  last error: %s\n", aclGetRecentErrMsg());    \
      ++failures;                                                 \
    }                                                             \
  } while (0)

// The call is refused with this number and these words.
static void Refused(int line, aclnnStatus status, aclnnStatus wanted, const std::string& words) {
  const char* said = aclGetRecentErrMsg();
  if (status == wanted && said != nullptr && std::string(said).find(words) != std::string::npos)
    return;
  std::printf("%d: wanted %d and \"%s\", got %d and \"%s\"\n", line, wanted, words.c_str(), status,
              said == nullptr ? "" : said);
  ++failures;
}
#define REFUSED(call, status, words) Refused(__LINE__, call, status, words)

struct Buffer {
  explicit Buffer(const std::vector<float>& values, std::vector<int64_t> dims = {},
                  std::vector<int64_t> strides = {}, int64_t offset = 0)
      : count(values.size()) {
    if (dims.empty()) dims = {static_cast<int64_t>(count)};
    CHECK(aclrtMalloc(&memory, bytes(), ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS);
    CHECK(aclrtMemcpy(memory, bytes(), values.data(), bytes(), ACL_MEMCPY_HOST_TO_DEVICE) ==
          ACL_SUCCESS);
    const int64_t storage = static_cast<int64_t>(count);
    tensor = aclCreateTensor(dims.data(), dims.size(), ACL_FLOAT,
                             strides.empty() ? nullptr : strides.data(), offset, ACL_FORMAT_ND,
                             &storage, 1, memory);
    CHECK(tensor != nullptr);
  }
  ~Buffer() {
    aclDestroyTensor(tensor);
    aclrtFree(memory);
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  size_t bytes() const { return count * sizeof(float); }
  std::vector<float> Read() const {
    std::vector<float> values(count);
    CHECK(aclrtMemcpy(values.data(), bytes(), memory, bytes(), ACL_MEMCPY_DEVICE_TO_HOST) ==
          ACL_SUCCESS);
    return values;
  }
  void* memory = nullptr;
  size_t count;
  aclTensor* tensor = nullptr;
};

// Both steps, with a workspace of the size the first one says.
template <typename Second>
static void Run(Second second, uint64_t workspace_bytes, aclOpExecutor* executor,
                aclrtStream stream) {
  void* workspace = nullptr;
  if (workspace_bytes > 0) {
    CHECK(aclrtMalloc(&workspace, workspace_bytes, ACL_MEM_MALLOC_HUGE_FIRST) == ACL_SUCCESS);
  }
  CHECK(second(workspace, workspace_bytes, executor, stream) == ACL_SUCCESS);
  CHECK(aclrtSynchronizeStream(stream) == ACL_SUCCESS);
  if (workspace_bytes > 0) aclrtFree(workspace);
}

static void Results(aclrtStream stream) {
  uint64_t bytes = 0;
  aclOpExecutor* executor = nullptr;
  std::vector<float> numbers(777);
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i) * 0.5f;
  const Buffer x(numbers), bias(std::vector<float>(777, 100.0f)),
      out(std::vector<float>(777, -1.0f));

  // The first version has no `offsets`: they are 1 and 2.
  CHECK(aclnnScaleAddGetWorkspaceSize(x.tensor, bias.tensor, 4.0, out.tensor, &bytes, &executor) ==
        0);
  CHECK(bytes > numbers.size() * sizeof(float));
  Run(aclnnScaleAdd, bytes, executor, stream);
  for (size_t i = 0; i < numbers.size(); ++i) CHECK(out.Read()[i] == numbers[i] * 4 + 103);

  // Without the optional input, with offsets of our own.
  const int64_t offsets[] = {10, 20, 30};
  aclIntArray* array = aclCreateIntArray(offsets, 3);
  uint64_t size = 0;
  CHECK(aclGetIntArraySize(array, &size) == 0 && size == 3);
  CHECK(aclnnScaleAddV1GetWorkspaceSize(x.tensor, nullptr, 1.0, array, out.tensor, &bytes,
                                        &executor) == 0);
  CHECK(aclDestroyIntArray(array) == 0);
  Run(aclnnScaleAddV1, bytes, executor, stream);
  CHECK(out.Read()[2] == 61.0f);
  // Offsets left out are the default.
  CHECK(aclnnScaleAddV1GetWorkspaceSize(x.tensor, nullptr, 1.0, nullptr, out.tensor, &bytes,
                                        &executor) == 0);
  Run(aclnnScaleAddV1, bytes, executor, stream);
  CHECK(out.Read()[2] == 4.0f);

  // A transposed view of 2 rows and 3 columns that begins at the second element.
  const Buffer matrix({9, 0, 1, 2, 3, 4, 5}, {3, 2}, {1, 3}, 1);
  const Buffer dense(std::vector<float>(6), {3, 2});
  CHECK(aclnnScaleAddGetWorkspaceSize(matrix.tensor, nullptr, 1.0, dense.tensor, &bytes,
                                      &executor) == 0);
  Run(aclnnScaleAdd, bytes, executor, stream);
  CHECK((dense.Read() == std::vector<float>{3, 6, 4, 7, 5, 8}));

  // In place: x += y, where y is an int that becomes a float.
  int32_t three = 3;
  aclScalar* y = aclCreateScalar(&three, ACL_INT32);
  const Buffer sum({1, 2, 3, 4});
  CHECK(aclnnAccumulateGetWorkspaceSize(sum.tensor, y, &bytes, &executor) == 0);
  CHECK(bytes == 0);
  Run(aclnnAccumulate, bytes, executor, stream);
  CHECK((sum.Read() == std::vector<float>{4, 5, 6, 7}));

  // An executor that is used again, on other memory.
  const Buffer other({10, 20, 30, 40});
  CHECK(aclnnAccumulateGetWorkspaceSize(sum.tensor, y, &bytes, &executor) == 0);
  CHECK(aclSetAclOpExecutorRepeatable(executor) == 0);
  Run(aclnnAccumulate, bytes, executor, stream);
  CHECK(aclSetInputTensorAddr(executor, 0, sum.tensor, other.memory) == 0);
  Run(aclnnAccumulate, bytes, executor, stream);
  CHECK((sum.Read() == std::vector<float>{7, 8, 9, 10}));
  CHECK((other.Read() == std::vector<float>{13, 23, 33, 43}));
  CHECK(aclDestroyAclOpExecutor(executor) == 0);
  CHECK(aclDestroyScalar(y) == 0);

  // Nothing in, nothing out.
  const Buffer none({0}, {0, 4}), nothing({0}, {0, 4});
  CHECK(aclnnScaleAddGetWorkspaceSize(none.tensor, nullptr, 1.0, nothing.tensor, &bytes,
                                      &executor) == 0);
  Run(aclnnScaleAdd, bytes, executor, stream);
}

// A list of tensors that owns none: the buffers do.
static aclTensorList* ListOf(const std::vector<const Buffer*>& buffers) {
  std::vector<const aclTensor*> tensors;
  for (const Buffer* buffer : buffers) tensors.push_back(buffer->tensor);
  aclTensorList* list = aclCreateTensorList(tensors.data(), tensors.size());
  CHECK(list != nullptr);
  return list;
}

static void Lists(aclrtStream stream) {
  uint64_t bytes = 0;
  aclOpExecutor* executor = nullptr;
  const Buffer a({1, 2, 3}), b({4}), c({5, 6, 7, 8}, {2, 2}, {1, 2});
  const Buffer p(std::vector<float>(3)), q(std::vector<float>(1)),
      r(std::vector<float>(4), {2, 2}, {2, 1});
  aclTensorList* xs = ListOf({&a, &b, &c});
  aclTensorList* ys = ListOf({&p, &q, &r});
  uint64_t size = 0;
  CHECK(aclGetTensorListSize(xs, &size) == 0 && size == 3);
  // The list of lists has no type here, and its default.
  CHECK(aclnnListScaleGetWorkspaceSize(xs, nullptr, ys, &bytes, &executor) == 0);
  CHECK(aclSetAclOpExecutorRepeatable(executor) == 0);
  Run(aclnnListScale, bytes, executor, stream);
  CHECK((p.Read() == std::vector<float>{4, 5, 6}));
  CHECK((q.Read() == std::vector<float>{-4}));
  CHECK((r.Read() == std::vector<float>{15, 17, 16, 18}));
  // Another memory for one of them.
  const Buffer other({40});
  CHECK(aclSetDynamicInputTensorAddr(executor, 0, 1, xs, other.memory) == 0);
  Run(aclnnListScale, bytes, executor, stream);
  CHECK((q.Read() == std::vector<float>{-40}));
  REFUSED(aclSetDynamicInputTensorAddr(executor, 0, 3, xs, other.memory), ACLNN_ERR_PARAM_INVALID,
          "parameter 0 has no tensor 3");
  CHECK(aclDestroyAclOpExecutor(executor) == 0);

  const bool flags[] = {true, false, true};
  aclBoolArray* array = aclCreateBoolArray(flags, 3);
  CHECK(aclnnListScaleGetWorkspaceSize(xs, array, ys, &bytes, &executor) == 0);
  Run(aclnnListScale, bytes, executor, stream);
  CHECK((p.Read() == std::vector<float>{2, 1, 0}));
  CHECK((q.Read() == std::vector<float>{4}));
  CHECK(aclDestroyBoolArray(array) == 0);

  // Empty lists are nothing to do; lists of different lengths are refused by the operator.
  aclTensorList* none = ListOf({});
  CHECK(aclnnListScaleGetWorkspaceSize(none, nullptr, none, &bytes, &executor) == 0);
  Run(aclnnListScale, bytes, executor, stream);
  REFUSED(aclnnListScaleGetWorkspaceSize(xs, nullptr, none, &bytes, &executor),
          ACLNN_ERR_PARAM_INVALID, "its shape inference refuses xs[0] (3,), xs[1] (1,)");
  const aclTensor* const with_null[] = {a.tensor, nullptr};
  CHECK(aclCreateTensorList(with_null, 2) == nullptr);
  CHECK(std::strstr(aclGetRecentErrMsg(), "value[1] is null") != nullptr);
}

static void Objects() {
  const int64_t dims[] = {2, 3};
  const int64_t strides[] = {4, 1};
  aclTensor* tensor =
      aclCreateTensor(dims, 2, ACL_FLOAT16, strides, 5, ACL_FORMAT_NCHW, dims, 2, nullptr);
  int64_t *view = nullptr, *storage = nullptr, *steps = nullptr;
  uint64_t rank = 0, storage_rank = 0, step_count = 0;
  CHECK(aclGetViewShape(tensor, &view, &rank) == 0 && rank == 2 && view[0] == 2 && view[1] == 3);
  CHECK(aclGetStorageShape(tensor, &storage, &storage_rank) == 0 && storage_rank == 2);
  CHECK(aclGetViewStrides(tensor, &steps, &step_count) == 0 && step_count == 2 && steps[0] == 4);
  delete[] view;
  delete[] storage;
  delete[] steps;
  int64_t offset = 0;
  aclFormat format = ACL_FORMAT_ND;
  aclDataType type = ACL_FLOAT;
  void* address = &offset;
  CHECK(aclGetViewOffset(tensor, &offset) == 0 && offset == 5);
  CHECK(aclGetFormat(tensor, &format) == 0 && format == ACL_FORMAT_NCHW);
  CHECK(aclGetDataType(tensor, &type) == 0 && type == ACL_FLOAT16);
  CHECK(aclGetRawTensorAddr(tensor, &address) == 0 && address == nullptr);
  CHECK(aclSetRawTensorAddr(tensor, &offset) == 0);
  CHECK(aclGetRawTensorAddr(tensor, &address) == 0 && address == &offset);
  CHECK(aclInitTensor(tensor, dims, 1, ACL_INT8, nullptr, 0, ACL_FORMAT_ND, dims, 1, nullptr) == 0);
  CHECK(aclGetDataType(tensor, &type) == 0 && type == ACL_INT8);

  // A list owns its tensors.
  const aclTensor* items[] = {tensor};
  aclTensorList* list = aclCreateTensorList(items, 1);
  uint64_t size = 0;
  CHECK(aclGetTensorListSize(list, &size) == 0 && size == 1);
  CHECK(aclDestroyTensorList(list) == 0);
  REFUSED(aclDestroyTensor(tensor), ACLNN_ERR_PARAM_INVALID,
          "aclDestroyTensor: the argument is no aclTensor of aclCreateTensor: it was destroyed.");
  CHECK(aclDestroyTensor(nullptr) == 0);
  REFUSED(aclDestroyTensor(reinterpret_cast<aclTensor*>(&size)), ACLNN_ERR_PARAM_INVALID,
          "aclDestroyTensor: the argument is no aclTensor of aclCreateTensor.");
  const int64_t wrong[] = {2, -3};
  CHECK(aclCreateTensor(wrong, 2, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, dims, 2, nullptr) ==
        nullptr);
  CHECK(std::strstr(aclGetRecentErrMsg(), "viewDims holds -3") != nullptr);
  CHECK(aclCreateTensor(dims, 2, ACL_STRING, nullptr, 0, ACL_FORMAT_ND, dims, 2, nullptr) ==
        nullptr);
  const int64_t huge[] = {INT64_C(1) << 40, INT64_C(1) << 40};
  CHECK(aclCreateTensor(huge, 2, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, dims, 2, nullptr) ==
        nullptr);
  const bool flags[] = {true, false};
  const float reals[] = {1, 2, 3};
  aclBoolArray* bools = aclCreateBoolArray(flags, 2);
  aclFloatArray* floats = aclCreateFloatArray(reals, 3);
  CHECK(aclGetBoolArraySize(bools, &size) == 0 && size == 2);
  CHECK(aclGetFloatArraySize(floats, &size) == 0 && size == 3);
  REFUSED(aclDestroyBoolArray(reinterpret_cast<aclBoolArray*>(floats)), ACLNN_ERR_PARAM_INVALID,
          "is no aclBoolArray of aclCreateBoolArray: it is an aclFloatArray.");
  CHECK(aclDestroyBoolArray(bools) == 0 && aclDestroyFloatArray(floats) == 0);
}

static void Mistakes(aclrtStream stream) {
  uint64_t bytes = 0;
  aclOpExecutor* executor = nullptr;
  const Buffer x({1, 2, 3, 4}), out(std::vector<float>(4));
  const Buffer shorter(std::vector<float>(3));
  REFUSED(aclnnScaleAddGetWorkspaceSize(nullptr, nullptr, 1.0, out.tensor, &bytes, &executor),
          ACLNN_ERR_PARAM_NULLPTR,
          "aclnnScaleAddGetWorkspaceSize: x is null; aclCreateTensor makes one.");
  CHECK(executor == nullptr);
  REFUSED(aclnnScaleAddGetWorkspaceSize(x.tensor, nullptr, 1.0, nullptr, &bytes, &executor),
          ACLNN_ERR_PARAM_NULLPTR, "aclnnScaleAddGetWorkspaceSize: out is null");
  REFUSED(aclnnScaleAddGetWorkspaceSize(x.tensor, nullptr, 1.0, out.tensor, nullptr, &executor),
          ACLNN_ERR_PARAM_NULLPTR, "aclnnScaleAddGetWorkspaceSize: workspaceSize is null.");
  REFUSED(aclnnScaleAddGetWorkspaceSize(x.tensor, nullptr, 1.0, out.tensor, &bytes, nullptr),
          ACLNN_ERR_PARAM_NULLPTR, "aclnnScaleAddGetWorkspaceSize: executor is null.");
  REFUSED(aclnnScaleAddGetWorkspaceSize(x.tensor, nullptr, 1.0, shorter.tensor, &bytes, &executor),
          ACLNN_ERR_PARAM_INVALID,
          "aclnnScaleAddGetWorkspaceSize: out has to have shape (4,) for these inputs, but it has "
          "(3,).");
  const int64_t four = 4;
  aclTensor* integers =
      aclCreateTensor(&four, 1, ACL_INT32, nullptr, 0, ACL_FORMAT_ND, &four, 1, x.memory);
  REFUSED(aclnnScaleAddGetWorkspaceSize(integers, nullptr, 1.0, out.tensor, &bytes, &executor),
          ACLNN_ERR_PARAM_INVALID, "int32");
  CHECK(aclDestroyTensor(integers) == 0);

  float host[4] = {};
  aclTensor* outside =
      aclCreateTensor(&four, 1, ACL_FLOAT, nullptr, 0, ACL_FORMAT_ND, &four, 1, host);
  CHECK(aclnnScaleAddGetWorkspaceSize(outside, nullptr, 1.0, out.tensor, &bytes, &executor) == 0);
  CHECK(aclDestroyTensor(outside) == 0);
  aclrtStream broken = nullptr;
  void* workspace = nullptr;
  CHECK(aclrtCreateStream(&broken) == 0);
  CHECK(aclrtMalloc(&workspace, bytes, ACL_MEM_MALLOC_HUGE_FIRST) == 0);
  REFUSED(aclnnScaleAdd(workspace, bytes, executor, broken), ACLNN_ERR_PARAM_INVALID,
          "aclnnScaleAdd: x is host memory; operators work on what aclrtMalloc gave.");
  CHECK(aclrtSynchronizeStream(broken) == 0);  // nothing was given to it
  CHECK(aclrtDestroyStream(broken) == 0);

  CHECK(aclnnScaleAddGetWorkspaceSize(x.tensor, nullptr, 1.0, out.tensor, &bytes, &executor) == 0);
  REFUSED(aclnnScaleAddV1(workspace, bytes, executor, stream), ACLNN_ERR_PARAM_INVALID,
          "aclnnScaleAddV1: the executor is one for aclnnScaleAdd.");
  REFUSED(aclnnScaleAdd(workspace, bytes - 1, executor, stream), ACLNN_ERR_PARAM_INVALID,
          "aclnnScaleAdd: workspaceSize is " + std::to_string(bytes - 1) +
              " bytes, and aclnnScaleAddGetWorkspaceSize said " + std::to_string(bytes) + ".");
  REFUSED(aclnnScaleAdd(nullptr, bytes, executor, stream), ACLNN_ERR_PARAM_NULLPTR,
          "aclnnScaleAdd: workspace has no memory");
  CHECK(aclnnScaleAdd(workspace, bytes, executor, stream) == 0);
  REFUSED(aclnnScaleAdd(workspace, bytes, executor, stream), ACLNN_ERR_PARAM_INVALID,
          "aclnnScaleAdd: the executor has run already, which ends it; call "
          "aclnnScaleAddGetWorkspaceSize again, or aclSetAclOpExecutorRepeatable before the first "
          "run.");
  // Programs destroy it all the same.
  CHECK(aclDestroyAclOpExecutor(executor) == 0);
  REFUSED(aclSetAclOpExecutorRepeatable(nullptr), ACLNN_ERR_INNER_NULLPTR,
          "aclSetAclOpExecutorRepeatable: executor is null");
  REFUSED(aclnnScaleAdd(workspace, bytes, nullptr, stream), ACLNN_ERR_PARAM_NULLPTR,
          "aclnnScaleAdd: executor is null");
  aclrtFree(workspace);
}

int main() {
  aclrtStream stream = nullptr;
  CHECK(aclnnInit(nullptr) == 0);
  CHECK(aclrtSetDevice(0) == 0);
  CHECK(aclrtCreateStream(&stream) == 0);
  Results(stream);
  Lists(stream);
  Objects();
  Mistakes(stream);
  CHECK(aclrtSynchronizeStream(stream) == 0);
  CHECK(aclrtDestroyStream(stream) == 0);
  CHECK(aclrtResetDevice(0) == 0);
  CHECK(aclnnFinalize() == 0);
  std::printf("test %s\n", failures == 0 ? "pass" : "failed");
  return failures == 0 ? 0 : 1;
}
