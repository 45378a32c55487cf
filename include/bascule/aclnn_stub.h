// What the generated two-step functions of an operator are made of:
//
//     #include "aclnn_my_mul.h"
//     #include "bascule/aclnn_stub.h"
//     extern "C" const BasculeLibraryTable* bascule_library_of_my_package(void);
//     aclnnStatus aclnnMyMulGetWorkspaceSize(const aclTensor* x, double scale,
//                                            const aclTensor* out, uint64_t* workspaceSize,
//                                            aclOpExecutor** executor) {
//       const BasculeAclnnArgument arguments[] = {
//           bascule_aclnn::Handle(BASCULE_ACLNN_INPUT, BASCULE_ACLNN_TENSOR, 0, "x", x),
//           bascule_aclnn::Float(0, "scale", scale),
//           bascule_aclnn::Handle(BASCULE_ACLNN_OUTPUT, BASCULE_ACLNN_TENSOR, 0, "out", out)};
//       return bascule_aclnn::Plan(bascule_library_of_my_package, "aclnnMyMul", "MyMul", arguments,
//                                  workspaceSize, executor);
//     }
//
// C++17; everything has internal linkage. It needs the host headers beside it (aclnn/acl_meta.h),
// which the generated header has included. SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ACLNN_STUB_H_
#define BASCULE_ACLNN_STUB_H_

#include <cstddef>
#include <cstdint>
#include <cstdio>

#include "bascule/abi/aclnn.h"
#include "bascule/abi/library.h"
#include "bascule/abi/runtime.h"

namespace {
namespace bascule_aclnn {

inline BasculeAclnnArgument Argument(uint32_t role, uint32_t kind, uint32_t index,
                                     const char* name) {
  BasculeAclnnArgument argument = {};
  argument.role = role;
  argument.kind = kind;
  argument.index = index;
  argument.to = -1;
  argument.name = name;
  return argument;
}
// A tensor, list, scalar or array. `more` is the output's index of an input that is also an output,
// and of a scalar the element type it becomes (BasculeAclnnArgument).
[[maybe_unused]] inline BasculeAclnnArgument Handle(uint32_t role, uint32_t kind, uint32_t index,
                                                    const char* name, const void* handle,
                                                    int32_t more = -1) {
  BasculeAclnnArgument argument = Argument(role, kind, index, name);
  if (role == BASCULE_ACLNN_INPUT_AND_OUTPUT) {
    argument.output = static_cast<uint32_t>(more);
  } else {
    argument.to = more;
  }
  argument.value.handle = handle;
  return argument;
}
[[maybe_unused]] inline BasculeAclnnArgument Int(uint32_t index, const char* name, int64_t value) {
  BasculeAclnnArgument argument = Argument(BASCULE_ACLNN_ATTRIBUTE, BASCULE_ACLNN_INT, index, name);
  argument.value.i = value;
  return argument;
}
[[maybe_unused]] inline BasculeAclnnArgument Float(uint32_t index, const char* name, double value) {
  BasculeAclnnArgument argument =
      Argument(BASCULE_ACLNN_ATTRIBUTE, BASCULE_ACLNN_FLOAT, index, name);
  argument.value.f = value;
  return argument;
}
[[maybe_unused]] inline BasculeAclnnArgument Text(uint32_t index, const char* name,
                                                  const char* value) {
  BasculeAclnnArgument argument =
      Argument(BASCULE_ACLNN_ATTRIBUTE, BASCULE_ACLNN_TEXT, index, name);
  argument.value.text = value;
  return argument;
}

// Null, and said on standard error, without a runtime.
inline const BasculeAclnnApi* Api() {
  static const BasculeAclnnApi* const found = []() -> const BasculeAclnnApi* {
    char message[8192];
    const BasculeRuntimeApi* runtime = BasculeFindRuntime(message, sizeof(message));
    if (runtime == nullptr) {
      std::fprintf(stderr, "bascule: %s\n", message);
      return nullptr;
    }
    if (runtime->struct_bytes < offsetof(BasculeRuntimeApi, launch) || runtime->acl == nullptr ||
        runtime->acl->struct_bytes < offsetof(BasculeAclApi, aclnn) + sizeof(void*)) {
      std::fprintf(stderr,
                   "bascule: the operators of this library were built with newer headers than the "
                   "bascule runtime %s in this process; install the bascule they were built with, "
                   "or build them again\n",
                   runtime->version);
      return nullptr;
    }
    return runtime->acl->aclnn;
  }();
  return found;
}

template <size_t count, typename Executor>
inline int32_t Plan(BasculeLibraryFunction library, const char* function, const char* type,
                    const BasculeAclnnArgument (&arguments)[count], uint64_t* workspace_bytes,
                    Executor** executor) {
  const BasculeAclnnApi* api = Api();
  if (api == nullptr) return BASCULE_ACLNN_RUNTIME;
  void* made = nullptr;
  const int32_t status =
      api->plan(library(), function, type, static_cast<uint32_t>(count), arguments, workspace_bytes,
                executor == nullptr ? nullptr : &made);
  if (executor != nullptr) *executor = static_cast<Executor*>(made);
  return status;
}

inline int32_t Run(const char* function, void* workspace, uint64_t workspace_bytes, void* executor,
                   void* stream) {
  const BasculeAclnnApi* api = Api();
  return api == nullptr ? BASCULE_ACLNN_RUNTIME
                        : api->run(function, workspace, workspace_bytes, executor, stream);
}

}  // namespace bascule_aclnn
}  // namespace

#endif  // BASCULE_ACLNN_STUB_H_
