// SPDX-License-Identifier: Apache-2.0
#include "host/host_function.h"

#include <csignal>
#include <cstdio>

#include "engine/fault.h"

namespace bascule::host {
namespace {

struct Run {
  BasculeHostFunction function;
  BasculeHostCall* call;
  int result;
};

const char* NameOf(int signal) {
  switch (signal) {
    case SIGFPE:
      return "a division by zero (SIGFPE)";
    case SIGILL:
      return "an instruction that there is not (SIGILL)";
    default:
      return "an access to memory that is not there (SIGSEGV)";
  }
}

}  // namespace

int CallHostFunction(BasculeHostFunction function, BasculeHostCall* call) {
  Run run = {function, call, 0};
  engine::Fault fault;
  const bool whole = engine::RunCatchingFaults(
      [](void* argument) {
        Run& wanted = *static_cast<Run*>(argument);
        wanted.result = wanted.function(wanted.call);
      },
      &run, &fault);
  if (whole) return run.result;
  if (call->message != nullptr && call->message_capacity != 0) {
    std::snprintf(call->message, call->message_capacity, "it crashed with %s.",
                  NameOf(fault.signal));
  }
  return 1;
}

}  // namespace bascule::host
