// Functions in the form of MindSpore's `aot`, for kernels that have none of their own.
//
// MindSpore knows a function by a file and a name, and passes nothing that would tell one kernel
// from another. So there is a number of functions with names, bascule_aot_0 and so on, each of
// which becomes that of one kernel when it is first asked for. As in the files that `bascule build`
// generates, a failure leaves as a std::runtime_error, the only way its sentence reaches
// MindSpore's user. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include "bascule/c_api.h"
#include "bascule/numeric/bfloat16.h"
#include "base/error.h"
#include "host/aot.h"
#include "host/aot_functions.h"
#include "host/library.h"

namespace bascule::host {
namespace {

constexpr uint32_t kFunctions = 256;

struct Slot {
  std::atomic<Operator*> op{nullptr};
  uint32_t inputs = 0;
  char name[24] = {};
};
Slot slots[kFunctions];
std::mutex binding;

int Run(uint32_t number, int nparam, void** params, int* ndims, int64_t** shapes,
        const char** dtypes) {
  Slot& slot = slots[number];
  Operator* const op = slot.op.load(std::memory_order_acquire);
  if (op == nullptr) throw std::runtime_error("this function of bascule stands for no kernel yet.");
  std::string failure;
  try {
    if (nparam < 0 || static_cast<uint32_t>(nparam) <= slot.inputs) {
      throw Error(BASCULE_INVALID_ARGUMENT,
                  Join(op->entry->name, " takes ", slot.inputs, " inputs and at least one output; ",
                       nparam, " tensors were passed."));
    }
    AotCall(*op, {}, std::vector<uint32_t>(slot.inputs, 1), nparam, params, ndims, shapes, dtypes);
    return 0;
  } catch (const std::exception& error) {
    failure = error.what();
  }
  throw std::runtime_error(failure);
}

std::mutex numbering;
std::vector<Operator*> numbered;

}  // namespace

int64_t NumberOf(Operator& op) {
  const std::lock_guard<std::mutex> lock(numbering);
  const auto found = std::find(numbered.begin(), numbered.end(), &op);
  if (found != numbered.end()) return found - numbered.begin();
  numbered.push_back(&op);
  return static_cast<int64_t>(numbered.size()) - 1;
}

const char* BindAotFunction(Operator& op, uint32_t inputs) {
  const std::lock_guard<std::mutex> lock(binding);
  for (uint32_t i = 0; i < kFunctions; ++i) {
    Slot& slot = slots[i];
    const Operator* const bound = slot.op.load(std::memory_order_relaxed);
    if (bound == &op && slot.inputs == inputs) return slot.name;
    if (bound != nullptr) continue;
    slot.inputs = inputs;
    std::snprintf(slot.name, sizeof(slot.name), "bascule_aot_%u", i);
    slot.op.store(&op, std::memory_order_release);
    return slot.name;
  }
  throw Error(BASCULE_UNSUPPORTED, Join(op.entry->name, ": MindSpore can call ", kFunctions,
                                        " lone kernels in one process, and as many are in use."));
}

}  // namespace bascule::host

extern "C" BASCULE_EXPORT int bascule_aot_count_gradient(int nparam, void** params, int*, int64_t**,
                                                         const char**, void*, void*) {
  using bascule::host::numbered;
  using bascule::host::numbering;
  if (nparam != 2) {
    throw std::runtime_error("bascule_aot_count_gradient takes one input and one output.");
  }
  int64_t number = -1;
  std::memcpy(&number, params[0], sizeof(number));
  std::memcpy(params[1], params[0], sizeof(number));
  const std::lock_guard<std::mutex> lock(numbering);
  if (number < 0 || static_cast<size_t>(number) >= numbered.size()) {
    throw std::runtime_error("bascule_aot_count_gradient: no operator has this number.");
  }
  numbered[static_cast<size_t>(number)]->gradients.fetch_add(1, std::memory_order_relaxed);
  return 0;
}

// From bfloat16 to float32 or back, rounded to the nearest: MindSpore's own cast keeps 700 bytes of
// every call in PYNATIVE.
extern "C" BASCULE_EXPORT int bascule_aot_cast(int nparam, void** params, int* ndims,
                                               int64_t** shapes, const char** dtypes, void*,
                                               void*) {
  if (nparam != 2) throw std::runtime_error("bascule_aot_cast takes one input and one output.");
  size_t count = 1;
  for (int d = 0; d < ndims[0]; ++d) count *= static_cast<size_t>(shapes[0][d]);
  const bool widens = std::strcmp(dtypes[0], "bfloat16") == 0;
  if (std::strcmp(dtypes[widens ? 0 : 1], "bfloat16") != 0 ||
      std::strcmp(dtypes[widens ? 1 : 0], "float32") != 0) {
    throw std::runtime_error("bascule_aot_cast goes from bfloat16 to float32, or back.");
  }
  if (widens) {
    const auto* const from = static_cast<const uint16_t*>(params[0]);
    std::transform(from, from + count, static_cast<float*>(params[1]),
                   bascule::numeric::BfloatFormat::ToFloat);
  } else {
    const auto* const from = static_cast<const float*>(params[0]);
    std::transform(from, from + count, static_cast<uint16_t*>(params[1]),
                   bascule::numeric::BfloatFormat::FromFloat);
  }
  return 0;
}

#define BASCULE_AOT_FUNCTION(number)                                                               \
  extern "C" BASCULE_EXPORT int bascule_aot_##number(int nparam, void** params, int* ndims,        \
                                                     int64_t** shapes, const char** dtypes, void*, \
                                                     void*) {                                      \
    return bascule::host::Run(number, nparam, params, ndims, shapes, dtypes);                      \
  }
#define BASCULE_AOT_TEN(tens)   \
  BASCULE_AOT_FUNCTION(tens##0) \
  BASCULE_AOT_FUNCTION(tens##1) \
  BASCULE_AOT_FUNCTION(tens##2) \
  BASCULE_AOT_FUNCTION(tens##3) \
  BASCULE_AOT_FUNCTION(tens##4) \
  BASCULE_AOT_FUNCTION(tens##5) \
  BASCULE_AOT_FUNCTION(tens##6) \
  BASCULE_AOT_FUNCTION(tens##7) \
  BASCULE_AOT_FUNCTION(tens##8) \
  BASCULE_AOT_FUNCTION(tens##9)
BASCULE_AOT_TEN()
BASCULE_AOT_TEN(1)
BASCULE_AOT_TEN(2)
BASCULE_AOT_TEN(3)
BASCULE_AOT_TEN(4)
BASCULE_AOT_TEN(5)
BASCULE_AOT_TEN(6)
BASCULE_AOT_TEN(7)
BASCULE_AOT_TEN(8)
BASCULE_AOT_TEN(9)
BASCULE_AOT_TEN(10)
BASCULE_AOT_TEN(11)
BASCULE_AOT_TEN(12)
BASCULE_AOT_TEN(13)
BASCULE_AOT_TEN(14)
BASCULE_AOT_TEN(15)
BASCULE_AOT_TEN(16)
BASCULE_AOT_TEN(17)
BASCULE_AOT_TEN(18)
BASCULE_AOT_TEN(19)
BASCULE_AOT_TEN(20)
BASCULE_AOT_TEN(21)
BASCULE_AOT_TEN(22)
BASCULE_AOT_TEN(23)
BASCULE_AOT_TEN(24)
BASCULE_AOT_FUNCTION(250)
BASCULE_AOT_FUNCTION(251)
BASCULE_AOT_FUNCTION(252)
BASCULE_AOT_FUNCTION(253)
BASCULE_AOT_FUNCTION(254)
BASCULE_AOT_FUNCTION(255)
