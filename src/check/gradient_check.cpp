// Central differences of the reference, and what is wrong with a gradient that differs from them.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <set>
#include <utility>

#include "base/dtype.h"
#include "base/error.h"
#include "check/case_check.h"
#include "check/tolerance.h"

namespace bascule::check {
namespace {

using nlohmann::json;

constexpr double kHalfUlpOfDouble = 0x1p-53;
constexpr double kHalfUlpOfFloat = 0x1p-24;
constexpr int kDigitsOfFloat = 24;

json JsonNumber(double value) {
  return std::isfinite(value) ? json(value) : json(NumberText(value));
}

bool IsProbed(const Described& input) { return input.present && input.format->is_float; }

// Which elements of `count` are probed by themselves: the first and the last, those around the
// borders of datablocks, where tails begin, and some in between. Equal for tensors of equal size.
std::vector<int64_t> SingleElements(int64_t count, int64_t most) {
  std::vector<int64_t> elements;
  if (count <= most) {
    for (int64_t i = 0; i < count; ++i) elements.push_back(i);
    return elements;
  }
  std::set<int64_t> chosen;
  const int64_t tail = count / 16 * 16;
  for (const int64_t i : {int64_t{0}, count - 1, int64_t{1}, count - 2, tail, tail - 1, int64_t{15},
                          int64_t{16}, count / 2}) {
    if (i >= 0 && i < count && static_cast<int64_t>(chosen.size()) < most) chosen.insert(i);
  }
  for (uint64_t dice = 0; static_cast<int64_t>(chosen.size()) < most; ++dice) {
    chosen.insert(static_cast<int64_t>(Mix(7, dice) % static_cast<uint64_t>(count)));
  }
  elements.assign(chosen.begin(), chosen.end());
  return elements;
}

// Of tensors with broadcast dimensions: the axes of `to` along which `shape` was repeated. False
// where it cannot be broadcast.
bool BroadcastAxes(const std::vector<int64_t>& shape, const std::vector<int64_t>& to,
                   std::vector<int64_t>* axes) {
  if (shape.size() > to.size()) return false;
  const size_t added = to.size() - shape.size();
  for (size_t d = 0; d < to.size(); ++d) {
    if (d < added) {
      axes->push_back(static_cast<int64_t>(d));
    } else if (shape[d - added] != to[d]) {
      if (shape[d - added] != 1) return false;
      axes->push_back(static_cast<int64_t>(d));
    }
  }
  return true;
}

std::vector<double> SumTo(const std::vector<double>& values, const std::vector<int64_t>& from,
                          const std::vector<int64_t>& shape) {
  std::vector<double> sums(static_cast<size_t>(CountOf(shape)), 0.0);
  const size_t added = from.size() - shape.size();
  for (size_t e = 0; e < values.size(); ++e) {
    const std::vector<int64_t> index = IndexOf(static_cast<int64_t>(e), from);
    int64_t at = 0;
    for (size_t d = 0; d < shape.size(); ++d) {
      at = at * shape[d] + (shape[d] == 1 ? 0 : index[d + added]);
    }
    sums[static_cast<size_t>(at)] += values[e];
  }
  return sums;
}

// The factor as a person would say it, of those that are as close as `precision`, a share of it.
std::string FactorText(double factor, double precision) {
  const auto close = [&](double said) {
    return std::fabs(said - factor) <= precision * std::fabs(factor);
  };
  char text[32];
  for (int n = 2; n <= 4096; ++n) {
    if (close(1.0 / n)) return Join("1/", n);
    if (close(-1.0 / n)) return Join("-1/", n);
  }
  for (const int digits : {1, 2, 3}) {
    std::snprintf(text, sizeof(text), "%.*g", digits, factor);
    if (close(std::strtod(text, nullptr))) return text;
  }
  std::snprintf(text, sizeof(text), "%.4g", factor);
  return text;
}

}  // namespace

void CaseCheck::Differentiate(Probe* probe) {
  const double half_ulp = settings_.is_self ? 4 * kHalfUlpOfFloat : kHalfUlpOfDouble;
  const std::vector<double>& at = numbers_[probe->input];
  const Format& format = *inputs_[probe->input].format;
  const bool single = probe->elements.size() == 1;
  const double scale =
      single ? std::max(std::fabs(at[static_cast<size_t>(probe->elements[0])]), kLeast) : 1.0;

  double jump_before = 0.0;
  double step_share = settings_.is_self ? kStepOfSelf : kStep;
  // A step that crosses a kink of the function is made shorter: if it lies elsewhere, the kink is
  // out of reach; if it is right here, there is no derivative.
  for (int attempt = 0; attempt < 3; ++attempt, step_share /= 8) {
    double step = step_share * scale;
    std::vector<std::vector<double>> plus = numbers_;
    std::vector<std::vector<double>> minus = numbers_;
    for (size_t k = 0; k < probe->elements.size(); ++k) {
      const auto e = static_cast<size_t>(probe->elements[k]);
      plus[probe->input][e] += step * probe->weights[k];
      minus[probe->input][e] -= step * probe->weights[k];
      if (settings_.is_self) {  // the operator sees rounded numbers
        plus[probe->input][e] = Round(plus[probe->input][e], format);
        minus[probe->input][e] = Round(minus[probe->input][e], format);
        step = (plus[probe->input][e] - minus[probe->input][e]) / 2;
      }
    }
    const Outputs above = Call(plus);
    const Outputs below = Call(minus);
    probe->expected = probe->magnitude = probe->noise = probe->without_dout = 0.0;
    probe->terms.clear();
    double jump = 0.0;
    for (size_t o = 0; o < outputs_.size(); ++o) {
      for (size_t j = 0; j < above.numbers[o].size(); ++j) {
        const double high = above.numbers[o][j];
        const double low = below.numbers[o][j];
        if (high == low && high == base_.numbers[o][j]) continue;
        const double derivative = (high - low) / (2 * step);
        const double dout = douts_[o][j];
        probe->expected += dout * derivative;
        probe->without_dout += derivative;
        probe->magnitude += std::fabs(dout * derivative);
        probe->noise += std::fabs(dout) * (std::fabs(high) + std::fabs(low)) * half_ulp / step;
        jump += std::fabs(dout) * std::fabs(high + low - 2 * base_.numbers[o][j]) / step;
        if (single && derivative != 0.0) probe->terms.push_back(dout * derivative);
      }
    }
    // What the difference leaves out: the third derivative.
    probe->noise += probe->magnitude * (settings_.is_self ? 16 * step_share * step_share : 0x1p-30);
    if (!std::isfinite(probe->expected) || !std::isfinite(probe->noise)) {
      probe->judged = false;
      return;
    }
    const double much = settings_.is_self ? 0.25 : 1e-3;
    if (jump <= much * probe->magnitude + 8 * probe->noise) return;
    if (attempt > 0 && jump < 0.3 * jump_before) return;
    if (settings_.is_self) break;  // a shorter step would drown in rounding
    jump_before = jump;
  }
  probe->judged = false;
}

void CaseCheck::PrepareGradient(std::span<const BasculeTensor* const> douts) {
  if (gradient_ready_) return;
  douts_.assign(outputs_.size(), {});
  for (size_t o = 0; o < outputs_.size(); ++o) {
    if (!outputs_[o].format->is_float) continue;
    const auto count = static_cast<size_t>(CountOf(outputs_[o].shape));
    if (o < douts.size() && douts[o] != nullptr) douts_[o] = Numbers(*douts[o]);
    if (douts_[o].size() != count) douts_[o].assign(count, 0.0);
  }
  if (settings_.is_self) {
    base_ = Call(numbers_);
  } else {
    PrepareForward();
    base_ = expected_;
  }

  int64_t elements = 1;
  int64_t probed = 0;
  for (const Described& output : outputs_) elements += CountOf(output.shape);
  for (const Described& input : inputs_) {
    if (!IsProbed(input)) continue;
    elements += CountOf(input.shape);
    ++probed;
  }
  const int64_t evaluations = std::max<int64_t>(16, kMostWork / elements);
  const int64_t most =
      std::clamp<int64_t>(evaluations / (2 * std::max<int64_t>(1, probed)) * 2 / 3, 4, kMostProbes);
  const int64_t most_stretches = std::min(kMostStretches, most / 2);

  largest_.assign(inputs_.size(), 0.0);
  for (size_t i = 0; i < inputs_.size(); ++i) {
    if (!IsProbed(inputs_[i])) continue;
    const int64_t count = CountOf(inputs_[i].shape);
    const std::vector<int64_t> singles = SingleElements(count, most);
    for (const int64_t e : singles) {
      Probe probe;
      probe.input = i;
      probe.elements = {e};
      probe.weights = {1.0};
      Differentiate(&probe);
      if (probe.judged) largest_[i] = std::max(largest_[i], std::fabs(probe.expected));
      probes_.push_back(std::move(probe));
    }
    if (settings_.is_self || static_cast<int64_t>(singles.size()) == count) continue;
    for (int64_t s = 0; s < most_stretches; ++s) {
      Probe probe;
      probe.input = i;
      for (int64_t e = count * s / most_stretches; e < count * (s + 1) / most_stretches; ++e) {
        const double size = std::fabs(numbers_[i][static_cast<size_t>(e)]);
        const double sign = Mix(11, static_cast<uint64_t>(e)) % 2 == 0 ? 1.0 : -1.0;
        probe.elements.push_back(e);
        probe.weights.push_back(sign * std::max(size, kLeast));
      }
      if (probe.elements.empty()) continue;
      Differentiate(&probe);
      probes_.push_back(std::move(probe));
    }
  }
  gradient_ready_ = true;
}

json CaseCheck::Structure(std::span<const BasculeTensor* const> gradients) const {
  json wrong;
  if (gradients.size() != inputs_.size()) {
    wrong["what"] = Join("the gradient function returned ", gradients.size(),
                         gradients.size() == 1 ? " gradient" : " gradients", " for ",
                         inputs_.size(), inputs_.size() == 1 ? " input" : " inputs");
    wrong["guess"] = "wrong count";
    return wrong;
  }
  for (size_t i = 0; i < inputs_.size(); ++i) {
    const Described& input = inputs_[i];
    if (!IsProbed(input)) continue;  // of integers nobody reads the gradient
    const auto say = [&](const std::string& got, const std::string& guess) {
      wrong["what"] = Join("the gradient of input '", input.name, "' ", got, "; expected shape ",
                           TupleText(input.shape), " and type ", DTypeName(input.format->dtype));
      wrong["guess"] = guess;
      wrong["input"] = input.name;
    };
    if (gradients[i] == nullptr) {
      say("is None", "zeros are meant: xp.zeros_like(" + input.name + ")");
      return wrong;
    }
    const std::vector<int64_t> shape = ShapeOf(*gradients[i]);
    if (shape != input.shape) {
      say("has shape " + TupleText(shape), GuessShape(i, *gradients[i]));
      return wrong;
    }
    if (DTypeOf(*gradients[i]) != input.format->dtype) {
      say(Join("has type ", DTypeName(DTypeOf(*gradients[i]))),
          "wrong type: xp.cast(…, " + input.name + ".dtype)");
      return wrong;
    }
  }
  return wrong;
}

std::string CaseCheck::GuessShape(size_t input, const BasculeTensor& gradient) const {
  const std::vector<int64_t> shape = ShapeOf(gradient);
  const std::vector<int64_t>& wanted = inputs_[input].shape;
  const std::vector<double> got = Numbers(gradient);
  // Whether `values`, in the shape of input `as`, are that input's gradient.
  const auto fits = [&](const std::vector<double>& values, size_t as) {
    bool any = false;
    for (const Probe& probe : probes_) {
      if (probe.input != as || probe.elements.size() != 1 || !probe.judged) continue;
      any = true;
      const double value = values[static_cast<size_t>(probe.elements[0])];
      const double scale = std::max({std::fabs(probe.expected), probe.magnitude, largest_[as]});
      const double allowed =
          2 * GradientLimit(inputs_[as].format->dtype) * UlpOf(scale, *inputs_[as].format);
      if (!(std::fabs(value - probe.expected) <= allowed + probe.noise)) return false;
    }
    return any;
  };
  for (size_t other = 0; other < inputs_.size(); ++other) {
    if (other == input || !IsProbed(inputs_[other]) || inputs_[other].shape != shape) continue;
    if (fits(got, other)) {
      return Join("swapped inputs: this is the gradient of '", inputs_[other].name, "'");
    }
  }
  std::vector<int64_t> axes;
  if (BroadcastAxes(wanted, shape, &axes)) {
    const bool right = fits(SumTo(got, shape, wanted), input);
    return Join("missing sum over the broadcast dimension", axes.size() == 1 ? "" : "s", " ",
                TupleText(axes),
                right ? "; summed, it is right" : "; summed, it is still not right",
                ": xp.sum_to(…, ", inputs_[input].name, ".shape)");
  }
  if (static_cast<int64_t>(got.size()) == CountOf(wanted)) {
    if (fits(got, input)) {
      return Join("wrong shape: its elements are right, a reshape is missing: xp.reshape(…, ",
                  inputs_[input].name, ".shape)");
    }
    if (std::equal(shape.begin(), shape.end(), wanted.rbegin(), wanted.rend())) {
      return "wrong shape: a transpose too many or too few";
    }
  }
  return "wrong shape";
}

std::string CaseCheck::Guess(size_t input, const std::vector<std::vector<double>>& got,
                             const std::vector<std::vector<double>>& outputs) const {
  struct Sample {
    const Probe* probe;
    size_t element;
    double got;
    double allowed;
  };
  std::vector<Sample> samples;
  bool all_zero = true;
  const Format& format = *inputs_[input].format;
  for (const Probe& probe : probes_) {
    if (probe.input != input || probe.elements.size() != 1 || !probe.judged) continue;
    const auto e = static_cast<size_t>(probe.elements[0]);
    const double scale =
        std::max({std::fabs(probe.expected), probe.magnitude, kShareOfLargest * largest_[input]});
    const double allowed = 2 * GradientLimit(format.dtype) * UlpOf(scale, format) + probe.noise;
    samples.push_back({&probe, e, got[input][e], allowed});
    all_zero = all_zero && got[input][e] == 0.0;
    if (std::isnan(got[input][e]))
      return "not a number: a division by 0, or infinity less infinity?";
  }
  if (samples.empty()) return "";
  // Whether what came is `wish(sample)`, with the error that the values themselves may have. A
  // factor also multiplies errors, so the result is judged at its own size.
  const auto is = [&](const auto& wish) {
    for (const Sample& sample : samples) {
      const double wanted = wish(sample);
      const double size = std::max(std::fabs(wanted), std::fabs(sample.got));
      const double allowed =
          std::max(sample.allowed, 2 * GradientLimit(format.dtype) * UlpOf(size, format));
      if (!(std::fabs(sample.got - wanted) <= allowed)) return false;
    }
    return true;
  };
  const auto expected = [](const Sample& s) { return s.probe->expected; };
  if (all_zero) return "0 everywhere: nothing flows back, or it was stopped";
  if (is([&](const Sample& s) { return -expected(s); })) return "the sign";
  for (size_t other = 0; other < inputs_.size(); ++other) {
    if (other == input || !IsProbed(inputs_[other]) || inputs_[other].shape != inputs_[input].shape)
      continue;
    std::vector<const Probe*> theirs;
    for (const Probe& probe : probes_) {
      if (probe.input == other && probe.elements.size() == 1) theirs.push_back(&probe);
    }
    const bool swapped = is([&](const Sample& s) {
      for (const Probe* probe : theirs) {
        if (static_cast<size_t>(probe->elements[0]) == s.element) return probe->expected;
      }
      return std::nan("");
    });
    if (swapped) return Join("swapped inputs: this is the gradient of '", inputs_[other].name, "'");
  }
  if (is([](const Sample& s) { return s.probe->without_dout; })) {
    return "missing factor: the gradient of the output (dout) is not multiplied in";
  }
  // One constant factor.
  std::vector<double> ratios;
  size_t most_terms = 1;
  for (const Sample& s : samples) {
    most_terms = std::max(most_terms, s.probe->terms.size());
    if (std::fabs(expected(s)) > 4 * s.allowed) ratios.push_back(s.got / expected(s));
  }
  if (ratios.size() > 1) {
    std::nth_element(ratios.begin(),
                     ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2), ratios.end());
    const double factor = ratios[ratios.size() / 2];
    if (factor != 0.0 && is([&](const Sample& s) { return factor * expected(s); })) {
      if (most_terms > 1 && std::fabs(factor * static_cast<double>(most_terms) - 1.0) < 1e-2) {
        return Join("a factor: it is 1/", most_terms,
                    " of what it should be, a mean in place of a sum?");
      }
      return Join("a factor: it is ",
                  FactorText(factor, std::max(1e-4, std::ldexp(2.0, -format.digits))),
                  " times what it should be");
    }
  }
  if (most_terms > 1) {
    for (const bool first : {true, false}) {
      const bool one_of_many = is([&](const Sample& s) {
        if (s.probe->terms.empty()) return 0.0;
        return first ? s.probe->terms.front() : s.probe->terms.back();
      });
      if (one_of_many) {
        return Join("missing sum: it is one of ", most_terms,
                    " terms, those over the broadcast dimensions have to be summed");
      }
    }
  }
  // A factor or a term that is one of the tensors at hand.
  struct Candidate {
    std::string name;
    const std::vector<double>* values;
  };
  std::vector<Candidate> candidates;
  for (size_t i = 0; i < inputs_.size(); ++i) {
    if (IsProbed(inputs_[i]) && inputs_[i].shape == inputs_[input].shape)
      candidates.push_back({inputs_[i].name, &numbers_[i]});
  }
  for (size_t o = 0; o < outputs_.size(); ++o) {
    if (!outputs_[o].format->is_float || outputs_[o].shape != inputs_[input].shape) continue;
    if (!outputs[o].empty()) candidates.push_back({outputs_[o].name, &outputs[o]});
    candidates.push_back({"d" + outputs_[o].name, &douts_[o]});
  }
  for (const Candidate& candidate : candidates) {
    const auto value = [&](const Sample& s) { return (*candidate.values)[s.element]; };
    // What came times the candidate is the gradient: said as a division, errors grow where the
    // candidate is small.
    const bool missing = std::all_of(samples.begin(), samples.end(), [&](const Sample& s) {
      const double product = s.got * value(s);
      const double allowed =
          std::max(s.allowed, 2 * GradientLimit(format.dtype) * UlpOf(product, format));
      return std::fabs(product - expected(s)) <= allowed;
    });
    if (missing) return Join("missing factor: ", candidate.name);
    if (is([&](const Sample& s) { return expected(s) * value(s); })) {
      return Join("a factor too many: ", candidate.name);
    }
    if (is([&](const Sample& s) { return expected(s) - value(s); })) {
      return Join("missing term: ", candidate.name);
    }
  }
  // Right but for the end?
  int64_t first_wrong = -1;
  bool right_after = false;
  for (const Sample& s : samples) {
    if (std::fabs(s.got - expected(s)) > s.allowed) {
      if (first_wrong < 0) first_wrong = static_cast<int64_t>(s.element);
    } else if (first_wrong >= 0) {
      right_after = true;
    }
  }
  if (first_wrong > 0 && !right_after) {
    return Join("wrong from element ", first_wrong, " on: the tail");
  }
  return "";
}

json CaseCheck::Gradient(std::span<const BasculeTensor* const> outputs,
                         std::span<const BasculeTensor* const> douts,
                         std::span<const BasculeTensor* const> gradients) {
  json report = {{"verdict", "ok"}, {"count", 0}, {"failed", 0}, {"worst_ulp", 0.0}};
  if (settings_.is_self) {
    const auto too_short = [](const Described& d) {
      return d.present && d.format->is_float && d.format->digits < kDigitsOfFloat;
    };
    if (std::any_of(inputs_.begin(), inputs_.end(), too_short) ||
        std::any_of(outputs_.begin(), outputs_.end(), too_short)) {
      report["verdict"] = "not checkable";
      report["what"] =
          "there is no reference, and differences of 16-bit floats say nothing about a gradient";
      return report;
    }
  }
  PrepareGradient(douts);
  const json wrong = Structure(gradients);
  if (!wrong.is_null()) {
    report.update(wrong);
    report["verdict"] = "failed";
    report["failed"] = report["count"] = 1;
    return report;
  }
  std::vector<std::vector<double>> got(inputs_.size());
  for (size_t i = 0; i < inputs_.size(); ++i) {
    if (IsProbed(inputs_[i])) got[i] = Numbers(*gradients[i]);
  }
  std::vector<std::set<int64_t>> judged(inputs_.size());
  int64_t not_judged = 0;
  int64_t failed = 0;
  double worst = 0.0;
  size_t wrong_input = inputs_.size();
  for (const Probe& probe : probes_) {
    const size_t i = probe.input;
    if (!probe.judged) {
      not_judged += static_cast<int64_t>(probe.elements.size());
      continue;
    }
    const Format& format = *inputs_[i].format;
    const double limit =
        settings_.gradient_limit > 0.0 ? settings_.gradient_limit : GradientLimit(format.dtype);
    double value = 0.0;
    double unit = 0.0;
    for (size_t k = 0; k < probe.elements.size(); ++k) {
      const auto e = static_cast<size_t>(probe.elements[k]);
      const double scale = probe.elements.size() == 1
                               ? std::max(std::fabs(probe.expected), probe.magnitude)
                               : std::fabs(got[i][e]);
      value += probe.weights[k] * got[i][e];
      unit += std::fabs(probe.weights[k]) *
              UlpOf(std::max(scale, kShareOfLargest * largest_[i]), format);
      judged[i].insert(probe.elements[k]);
    }
    if (probe.elements.size() > 1) unit = std::max(unit, UlpOf(probe.magnitude, format));
    const double off = std::fabs(value - probe.expected);
    const double units = std::isnan(off) ? std::numeric_limits<double>::infinity()
                                         : std::max(0.0, off - probe.noise) / unit;
    worst = std::max(worst, units);
    if (units <= limit) continue;
    if (failed++ != 0) continue;
    wrong_input = i;
    report["limit"] = limit;
    report["first"] = {{"input", inputs_[i].name},
                       {"index", IndexOf(probe.elements[0], inputs_[i].shape)},
                       {"expected", JsonNumber(probe.expected)},
                       {"got", JsonNumber(value)},
                       {"ulp", JsonNumber(units)}};
    if (probe.elements.size() > 1) {
      report["first"]["to"] = IndexOf(probe.elements.back(), inputs_[i].shape);
    }
  }
  int64_t count = 0;
  for (const std::set<int64_t>& elements : judged) count += static_cast<int64_t>(elements.size());
  report["count"] = count;
  report["failed"] = failed;
  report["worst_ulp"] = JsonNumber(worst);
  if (not_judged != 0) report["not_differentiable"] = not_judged;
  if (count == 0 && not_judged != 0) {
    report["verdict"] = "not checkable";
    report["what"] = "the function has no derivative at any element that was tried";
  }
  if (failed != 0) {
    report["verdict"] = "failed";
    std::vector<std::vector<double>> seen(outputs_.size());
    for (size_t o = 0; o < outputs_.size() && o < outputs.size(); ++o) {
      if (outputs[o] != nullptr && outputs_[o].format->is_float) seen[o] = Numbers(*outputs[o]);
    }
    report["guess"] = Guess(wrong_input, got, seen);
  }
  // For the warning about gradients that are stopped.
  bool all_zero = true;
  bool any_expected = false;
  for (const std::vector<double>& values : got) {
    for (const double v : values) all_zero = all_zero && v == 0.0;
  }
  for (const double v : largest_) any_expected = any_expected || v != 0.0;
  report["all_zero"] = all_zero && count != 0;
  report["any_expected"] = any_expected;
  return report;
}

}  // namespace bascule::check
