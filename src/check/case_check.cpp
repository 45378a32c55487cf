// SPDX-License-Identifier: Apache-2.0
#include "check/case_check.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/dtype.h"
#include "base/error.h"
#include "check/tolerance.h"

namespace bascule::check {
namespace {

using nlohmann::json;

json JsonNumber(double value) {  // JSON has no infinities
  return std::isfinite(value) ? json(value) : json(NumberText(value));
}

double Limit(double given, double usual) { return given > 0.0 ? given : usual; }

// What one pass over many elements found.
struct Tally {
  int64_t count = 0;
  int64_t failed = 0;
  int64_t overflowed = 0;
  double worst = 0.0;
  int64_t first = -1;
  int64_t last = -1;
  bool all_zero = true;
  bool any_expected = false;  // other than 0
};

}  // namespace

CaseCheck::CaseCheck(std::vector<Described> inputs, std::vector<std::vector<double>> numbers,
                     std::vector<Described> outputs, Function function, Settings settings)
    : inputs_(std::move(inputs)),
      numbers_(std::move(numbers)),
      outputs_(std::move(outputs)),
      function_(std::move(function)),
      settings_(std::move(settings)) {}

Outputs CaseCheck::Call(const std::vector<std::vector<double>>& inputs) const {
  Outputs outputs = function_(inputs);
  if (outputs.numbers.size() != outputs_.size() || outputs.integers.size() != outputs_.size()) {
    throw Error(BASCULE_INTERNAL, "the reference's results do not fit the outputs.");
  }
  return outputs;
}

void CaseCheck::PrepareForward() {
  if (forward_ready_) return;
  expected_ = Call(numbers_);
  sensitivity_.resize(outputs_.size());
  for (size_t o = 0; o < outputs_.size(); ++o) {
    sensitivity_[o].assign(expected_.numbers[o].size(), 0.0);
  }
  // Where inputs differ by their own rounding, so may the result: a program that works in that
  // precision cannot do better, whatever the condition of the function.
  for (uint64_t round = 0; round < kPerturbations; ++round) {
    std::vector<std::vector<double>> moved = numbers_;
    bool any = false;
    for (size_t i = 0; i < moved.size(); ++i) {
      if (moved[i].empty()) continue;
      any = true;
      const double unit = std::ldexp(1.0, -inputs_[i].format->digits);
      for (size_t e = 0; e < moved[i].size(); ++e) {
        const double sign = Mix(round * 64 + i, e) % 2 == 0 ? 1.0 : -1.0;
        moved[i][e] *= 1.0 + sign * unit;
      }
    }
    if (!any) break;
    const Outputs shifted = Call(moved);
    for (size_t o = 0; o < outputs_.size(); ++o) {
      for (size_t e = 0; e < expected_.numbers[o].size(); ++e) {
        const double change = std::fabs(shifted.numbers[o][e] - expected_.numbers[o][e]);
        if (std::isfinite(change)) sensitivity_[o][e] = std::max(sensitivity_[o][e], change);
      }
    }
  }
  forward_ready_ = true;
}

json CaseCheck::Forward(std::span<const BasculeTensor* const> outputs) {
  PrepareForward();
  json report = {{"verdict", "ok"}, {"count", 0}, {"failed", 0}, {"worst_ulp", 0.0}};
  if (outputs.size() != outputs_.size()) {
    report["verdict"] = "failed";
    report["what"] = Join(outputs.size(), " outputs came; expected ", outputs_.size());
    return report;
  }
  int64_t overflowed = 0;
  for (size_t o = 0; o < outputs_.size(); ++o) {
    const Described& described = outputs_[o];
    const std::vector<int64_t> shape = ShapeOf(*outputs[o]);
    if (shape != described.shape || DTypeOf(*outputs[o]) != described.format->dtype) {
      report["verdict"] = "failed";
      report["what"] =
          Join("output '", described.name, "' has shape ", TupleText(shape), " and type ",
               DTypeName(DTypeOf(*outputs[o])), "; expected ", TupleText(described.shape), " and ",
               DTypeName(described.format->dtype));
      return report;
    }
    const Format& format = *described.format;
    const double limit = Limit(settings_.forward_limit, ForwardLimit(format.dtype));
    Tally tally;
    json first;
    const auto note = [&](int64_t i, bool good, double units, const json& expected,
                          const json& got) {
      ++tally.count;
      tally.worst = std::max(tally.worst, units);
      if (good) return;
      if (tally.failed++ == 0) {
        tally.first = i;
        first = {{"output", described.name},
                 {"index", IndexOf(i, described.shape)},
                 {"expected", expected},
                 {"got", got},
                 {"ulp", JsonNumber(units)}};
      }
      tally.last = i;
    };
    if (format.is_float) {
      const std::vector<double> got = Numbers(*outputs[o]);
      for (size_t e = 0; e < got.size(); ++e) {
        const double exact = expected_.numbers[o][e];
        const double expected = Round(exact, format);
        tally.all_zero = tally.all_zero && got[e] == 0.0;
        tally.any_expected = tally.any_expected || expected != 0.0;
        const auto i = static_cast<int64_t>(e);
        if (std::isnan(expected) || std::isinf(expected) || !std::isfinite(got[e])) {
          const bool same = std::isnan(expected) ? std::isnan(got[e]) : got[e] == expected;
          const bool beyond = settings_.values == "extreme" && !same;
          // Results of very large and very small numbers pass through infinity on the way.
          if (beyond) ++overflowed;
          note(i, same || beyond, 0.0, JsonNumber(expected), JsonNumber(got[e]));
          continue;
        }
        const double unit = std::max(UlpOf(expected, format), sensitivity_[o][e]);
        const double units = std::fabs(got[e] - exact) / unit;
        note(i, units <= limit, units, JsonNumber(exact), JsonNumber(got[e]));
      }
    } else {
      const std::vector<int64_t> got = Integers(*outputs[o]);
      for (size_t e = 0; e < got.size(); ++e) {
        const int64_t expected = expected_.integers[o][e];
        tally.all_zero = tally.all_zero && got[e] == 0;
        tally.any_expected = tally.any_expected || expected != 0;
        const double distance =
            std::fabs(static_cast<double>(got[e]) - static_cast<double>(expected));
        note(static_cast<int64_t>(e), got[e] == expected, distance, expected, got[e]);
      }
    }
    report["count"] = report["count"].get<int64_t>() + tally.count;
    report["worst_ulp"] = std::max(report["worst_ulp"].get<double>(), tally.worst);
    if (tally.failed == 0) continue;
    report["failed"] = report["failed"].get<int64_t>() + tally.failed;
    if (report["verdict"] == "ok") {
      report["verdict"] = "failed";
      report["limit"] = limit;
      report["first"] = first;
      if (tally.all_zero && tally.any_expected && tally.count > 1) {
        report["guess"] = "every element is 0: nothing was written, or nothing was read";
      } else if (tally.failed < tally.count && tally.last == tally.count - 1 &&
                 tally.failed == tally.last - tally.first + 1) {
        report["guess"] = Join("only the last ", tally.failed, " of ", tally.count,
                               " elements are wrong: the tail");
      }
    }
  }
  if (overflowed != 0) report["overflowed"] = overflowed;
  return report;
}

}  // namespace bascule::check
