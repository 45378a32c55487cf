// SPDX-License-Identifier: Apache-2.0
#include "check/advice.h"

#include <cmath>
#include <string>

#include "base/error.h"

namespace bascule::check {
namespace {

using nlohmann::json;

// A framework reads and writes whole tensors for every operator of a gradient function; a kernel
// does so once.
constexpr int64_t kManyOperators = 4;
constexpr double kLargeShare = 0.6;

}  // namespace

json Advise(const json& facts) {
  json hints = json::array();
  json warnings = json::array();
  const std::string name = facts.value("operator", "the operator");
  const auto operators = facts.value("operators", int64_t{0});
  const double forward = facts.value("forward_seconds", 0.0);
  const double backward = facts.value("backward_seconds", 0.0);
  const double share = forward + backward > 0.0 ? backward / (forward + backward) : 0.0;
  if (operators >= kManyOperators && share >= kLargeShare) {
    hints.push_back(Join("a backward kernel would pay: the gradient of ", name, " runs ", operators,
                         " operators, which take ", std::lround(share * 100),
                         " % of forward and backward together"));
  }
  const auto saved = facts.value("bytes_saved", int64_t{0});
  const auto least = facts.value("input_bytes", int64_t{0});
  if (saved > 2 * least && least > 0) {
    hints.push_back(Join("its gradient keeps ", saved,
                         " bytes until backward, more than twice the ", least,
                         " bytes of its inputs; recompute what is cheap"));
  }
  if (facts.value("stopped", false)) {
    warnings.push_back(Join("every gradient of ", name,
                            " is stopped (xp.stop_gradient or a constant): no second derivative "
                            "flows, and nothing in front of it may train"));
  } else if (facts.value("all_zero", false)) {
    warnings.push_back(
        Join("every gradient of ", name, " is 0: nothing in front of it will train"));
  }
  return {{"share", share}, {"hints", std::move(hints)}, {"warnings", std::move(warnings)}};
}

}  // namespace bascule::check
