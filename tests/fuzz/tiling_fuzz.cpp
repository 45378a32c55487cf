// What host functions of a library answer: tiling data beyond its buffer, no blocks or a million,
// workspace beyond memory, ranks that no shape has, messages without end.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "bascule/c_api.h"
#include "base/error.h"
#include "engine/platform.h"
#include "host/library.h"
#include "registry/inference.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/operator.h"

namespace bascule::fuzz {
namespace {

Reader* answers = nullptr;  // of the input that is being run; one thread

int Answer(BasculeHostCall* call) {
  if (answers->Below(8) != 0) return answers->Below(16) == 0 ? -1 : 0;
  // A sentence that fills its room and has no end.
  std::memset(call->message, 'x', call->message_capacity);
  return answers->Below(2) != 0;
}

int InferShape(BasculeHostCall* call) {
  BasculeTensorInfo& out = call->outputs[0];
  out.shape = call->inputs[0].shape;
  if (answers->Below(3) == 0) {
    out.shape.rank = answers->Number();
    for (int64_t& extent : out.shape.dims) extent = answers->Number();
    out.dtype = static_cast<int32_t>(answers->Number());
    out.format = static_cast<int32_t>(answers->Number());
  }
  return Answer(call);
}

int InferDtype(BasculeHostCall* call) {
  if (answers->Below(3) == 0) call->outputs[0].dtype = static_cast<int32_t>(answers->Number());
  return Answer(call);
}

int Tiling(BasculeHostCall* call) {
  const auto number = [](uint64_t usual) {
    return answers->Below(3) == 0 ? static_cast<uint64_t>(answers->Number()) : usual;
  };
  call->block_count = static_cast<uint32_t>(number(4));
  call->tiling_bytes = number(64);
  call->tiling_key = number(0);
  call->workspace_count = static_cast<uint32_t>(number(1));
  for (uint64_t& bytes : call->workspace_bytes) bytes = number(0);
  std::memset(call->tiling_data, 0xa5, std::min<uint64_t>(call->tiling_bytes, 4096));
  if (answers->Below(16) == 0) call->tiling_data = nullptr;
  if (answers->Below(16) == 0) call->tiling_capacity = UINT32_MAX;
  if (answers->Below(16) == 0) call->outputs = nullptr;
  return Answer(call);
}

}  // namespace

std::vector<std::string> Seeds() { return NumberSeeds({'\1', '\0'}, 400); }

}  // namespace bascule::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace bascule;
  using namespace bascule::fuzz;
  static host::Operator& op = MakeOperator({InferShape, InferDtype, Tiling});
  Reader from(data, size);
  answers = &from;
  if (from.Below(4) != 0) {
    BasculeTensorInfo infos[2] = {};
    infos[0].present = 1;
    infos[0].dtype = BASCULE_FLOAT;
    infos[0].format = BASCULE_FORMAT_ND;
    infos[0].shape.rank = 1;
    infos[0].shape.dims[0] = from.Below(2) == 0 ? 64 : from.Number();
    infos[1].dtype = -1;
    try {
      const auto attributes = registry::CompleteAttributes(*op.entry, {});
      const registry::Plan plan =
          registry::MakePlan(*op.entry, engine::Ascend910B(), infos, attributes);
      constexpr uint32_t kMostBlocks = 65535;
      if (plan.variant != nullptr && (plan.block_count == 0 || plan.block_count > kMostBlocks)) {
        Found("a plan with " + std::to_string(plan.block_count) + " blocks");
      }
      if (plan.tiling_bytes > plan.tiling_data.size() * sizeof(uint64_t)) {
        Found("a plan with less tiling data than it says");
      }
      ++passed;
    } catch (const Error& error) {
      CheckSentence(error.what());
      if (error.status() == BASCULE_INTERNAL) Found(error.what());
    }
    return 0;
  }
  // A whole call: each length has a plan of its own, which is made once.
  static int64_t length = 0;
  static float memory[2][1 << 12];
  length = length % (1 << 12) + 1;
  BasculeTensor x = {};
  x.data = memory[0];
  x.device_type = 1;
  x.ndim = 1;
  x.dtype_code = 2;
  x.dtype_bits = 32;
  x.dtype_lanes = 1;
  x.shape = &length;
  BasculeTensor out = x;
  out.data = memory[1];
  const BasculeTensor* inputs[] = {&x, nullptr};
  BasculeTensor* outputs[] = {&out};
  if (bascule_operator_call(reinterpret_cast<const BasculeOperator*>(&op), 2, inputs, 1, outputs, 0,
                            nullptr) != BASCULE_OK) {
    CheckSentence(bascule_last_error());
  }
  return 0;
}
