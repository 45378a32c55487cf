// SPDX-License-Identifier: Apache-2.0
#include "host/acl_error.h"

#include <cstdio>

namespace bascule::host {

int32_t CodeOf(BasculeStatus status) {
  switch (status) {
    case BASCULE_INVALID_ARGUMENT:
      return BASCULE_ACL_RT_PARAM_INVALID;
    case BASCULE_KERNEL_ERROR:
      return BASCULE_ACL_RT_AICORE_EXCEPTION;
    case BASCULE_DEADLOCK:
      return BASCULE_ACL_RT_AICORE_TIMEOUT;
    case BASCULE_OUT_OF_MEMORY:
      return BASCULE_ACL_RT_MEMORY_ALLOCATION;
    case BASCULE_UNSUPPORTED:
      return BASCULE_ACL_RT_FEATURE_NOT_SUPPORT;
    default:
      return BASCULE_ACL_RT_INTERNAL_ERROR;
  }
}

BasculeStatus StatusOf(int32_t code) {
  for (const BasculeStatus status :
       {BASCULE_INVALID_ARGUMENT, BASCULE_KERNEL_ERROR, BASCULE_DEADLOCK, BASCULE_OUT_OF_MEMORY,
        BASCULE_UNSUPPORTED}) {
    if (CodeOf(status) == code) return status;
  }
  return BASCULE_INTERNAL;
}

std::string& RecentError() {
  thread_local std::string sentence;
  return sentence;
}

int32_t& LastCode() {
  thread_local int32_t code = BASCULE_ACL_SUCCESS;
  return code;
}

void Say(const std::string& sentence) { std::fprintf(stderr, "bascule: %s\n", sentence.c_str()); }

void Require(const void* pointer, const char* call, const char* argument) {
  if (pointer != nullptr) return;
  throw Refusal(BASCULE_ACL_RT_PARAM_INVALID, Join(call, ": '", argument, "' is null."));
}

}  // namespace bascule::host
