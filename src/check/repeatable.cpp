// SPDX-License-Identifier: Apache-2.0
#include "check/repeatable.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "base/dtype.h"
#include "base/error.h"
#include "check/numbers.h"
#include "check/tolerance.h"
#include "host/run_settings.h"

namespace bascule::check {
namespace {

using nlohmann::json;

// Zeros, and bytes that are NaN in every floating type.
constexpr int kClear = 0x00;
constexpr int kNaN = 0xff;
constexpr int kRunsOnMany = 3;
constexpr uint32_t kWarmUpCalls = 50;
constexpr int kMemoryRounds = 3;

struct Result {
  std::vector<std::vector<char>> outputs;
};

class Runner {
 public:
  Runner(const BasculeOperator* op, const BasculeLists* lists,
         std::span<const BasculeTensor* const> inputs, std::span<const BasculeTensorInfo> outputs,
         std::span<const BasculeAttribute> attributes)
      : op_(op), lists_(lists), inputs_(inputs), outputs_(outputs), attributes_(attributes) {}

  Result Run(uint32_t workers, int fresh_fill, int output_fill) const {
    Result result;
    std::vector<BasculeTensor> tensors(outputs_.size());
    std::vector<BasculeTensor*> pointers;
    std::vector<std::vector<int64_t>> shapes;
    for (const BasculeTensorInfo& info : outputs_) {
      shapes.emplace_back(info.shape.dims, info.shape.dims + info.shape.rank);
    }
    for (size_t o = 0; o < outputs_.size(); ++o) {
      const DTypeInfo& dtype = *FindDType(outputs_[o].dtype);
      const auto bytes = static_cast<size_t>(CountOf(shapes[o])) * (dtype.bits / 8);
      result.outputs.emplace_back(bytes, static_cast<char>(output_fill));
      BasculeTensor& tensor = tensors[o];
      tensor = {};
      tensor.data = result.outputs[o].data();
      tensor.device_type = 1;
      tensor.ndim = static_cast<int32_t>(shapes[o].size());
      tensor.dtype_code = dtype.dlpack_code;
      tensor.dtype_bits = static_cast<uint8_t>(dtype.bits);
      tensor.dtype_lanes = 1;
      tensor.shape = shapes[o].data();
      pointers.push_back(&tensor);
    }
    const host::ScopedRunSettings settings({workers, fresh_fill});
    const BasculeStatus status = bascule_operator_call_lists(
        op_, lists_, static_cast<uint32_t>(inputs_.size()), inputs_.data(),
        static_cast<uint32_t>(pointers.size()), pointers.data(),
        static_cast<uint32_t>(attributes_.size()), attributes_.data());
    if (status != BASCULE_OK) throw Error(status, bascule_last_error());
    return result;
  }

 private:
  const BasculeOperator* op_;
  const BasculeLists* lists_;
  std::span<const BasculeTensor* const> inputs_;
  std::span<const BasculeTensorInfo> outputs_;
  std::span<const BasculeAttribute> attributes_;
};

int64_t ResidentBytes() {
  std::ifstream file("/proc/self/statm");
  int64_t total = 0;
  int64_t resident = 0;
  file >> total >> resident;
  return resident * sysconf(_SC_PAGESIZE);
}

}  // namespace

json CheckRepeatable(const BasculeOperator* op, const BasculeLists* lists,
                     std::span<const BasculeTensor* const> inputs,
                     std::span<const BasculeTensorInfo> outputs,
                     std::span<const BasculeAttribute> attributes,
                     std::span<const std::string> output_names) {
  const Runner runner(op, lists, inputs, outputs, attributes);
  const Result base = runner.Run(1, kClear, kClear);
  json report = {{"verdict", "ok"}, {"runs", 1}};
  // True when the bits are those of the first run.
  const auto same = [&](const Result& result, const char* what) {
    report["runs"] = report["runs"].get<int>() + 1;
    for (size_t o = 0; o < outputs.size(); ++o) {
      const std::vector<char>& a = base.outputs[o];
      const std::vector<char>& b = result.outputs[o];
      const auto [left, right] = std::mismatch(a.begin(), a.end(), b.begin());
      if (left == a.end()) continue;
      const auto element_bytes = static_cast<std::ptrdiff_t>(FindDType(outputs[o].dtype)->bits / 8);
      const std::ptrdiff_t number = (left - a.begin()) / element_bytes;
      const std::vector<int64_t> shape(outputs[o].shape.dims,
                                       outputs[o].shape.dims + outputs[o].shape.rank);
      report["verdict"] = "failed";
      report["guess"] = what;
      report["first"] = {
          {"output", o < output_names.size() ? output_names[o] : std::to_string(o)},
          {"index", IndexOf(number, shape)},
          {"expected", NumberText(ReadNumber(a.data() + number * element_bytes, outputs[o].dtype))},
          {"got", NumberText(ReadNumber(b.data() + number * element_bytes, outputs[o].dtype))}};
      return false;
    }
    return true;
  };
  if (!same(runner.Run(1, kClear, kNaN), "the element is never written")) return report;
  if (!same(runner.Run(1, kNaN, kClear),
            "it depends on what was in on-chip memory before: read before it was written")) {
    return report;
  }
  const uint32_t many = std::max(4u, std::thread::hardware_concurrency());
  report["workers"] = many;
  for (int run = 0; run < kRunsOnMany; ++run) {
    if (!same(runner.Run(many, kClear, kClear),
              "it depends on how many workers run the blocks, so on their order: blocks that touch "
              "the same memory?")) {
      return report;
    }
  }
  return report;
}

json CheckMemory(const std::function<void()>& call, uint32_t calls) {
  for (uint32_t i = 0; i < std::min(kWarmUpCalls, calls); ++i) call();
  // An allocator takes memory in steps, and not again: only what grows every time is a leak.
  int64_t grown = 0;
  for (int round = 0; round < kMemoryRounds; ++round) {
    const int64_t before = ResidentBytes();
    for (uint32_t i = 0; i < calls; ++i) call();
    const int64_t now = ResidentBytes() - before;
    grown = round == 0 ? now : std::min(grown, now);
    if (grown <= kSteadyBytes) break;
  }
  json report = {{"verdict", grown <= kSteadyBytes ? "ok" : "failed"},
                 {"calls", calls},
                 {"grown_bytes", std::max<int64_t>(0, grown)}};
  if (grown > kSteadyBytes) {
    report["guess"] = Join("memory grows by ", grown / calls, " bytes a call");
  }
  return report;
}

}  // namespace bascule::check
