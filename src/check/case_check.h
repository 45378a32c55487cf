// One case of an operator: what its reference says, and any number of results held against it.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_CHECK_CASE_CHECK_H_
#define BASCULE_CHECK_CASE_CHECK_H_

#include <functional>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "bascule/c_api.h"
#include "check/numbers.h"

namespace bascule::check {

// The reference, or the operator itself where there is none: from the floating inputs as double
// (null for the others, which do not change) to the outputs, as double or, where an output is of
// integer or bool type, as int64. Throws what it likes.
struct Outputs {
  std::vector<std::vector<double>> numbers;    // by output; empty for one of integers
  std::vector<std::vector<int64_t>> integers;  // by output; empty for one of floats
};
using Function = std::function<Outputs(const std::vector<std::vector<double>>& inputs)>;

// One tensor of the case, without its memory.
struct Described {
  std::string name;
  bool present = true;
  const Format* format = nullptr;
  std::vector<int64_t> shape;
};

struct Settings {
  // The function is the operator itself, in its own precision, not a reference in double.
  bool is_self = false;
  std::string values = "range";  // as in a case
  // Limits in units (docs/check.md); 0: the usual one of the element type.
  double forward_limit = 0.0;
  double gradient_limit = 0.0;
};

// A stretch of an input along which its gradient is known: one element, or several at once, each by
// its own weight.
struct Probe {
  size_t input = 0;
  std::vector<int64_t> elements;
  std::vector<double> weights;
  double expected = 0.0;   // sum over elements of weight * derivative
  double magnitude = 0.0;  // of the terms it is a sum of
  double noise = 0.0;      // of the difference quotient
  bool judged = true;      // false: not differentiable here
  // Of single elements, for guesses: the terms of the sum over outputs that are not 0, and the
  // derivative of the plain sum of the outputs.
  std::vector<double> terms;
  double without_dout = 0.0;
};

class CaseCheck {
 public:
  CaseCheck(std::vector<Described> inputs, std::vector<std::vector<double>> numbers,
            std::vector<Described> outputs, Function function, Settings settings);

  // Holds outputs of a run against the reference.
  nlohmann::json Forward(std::span<const BasculeTensor* const> outputs);

  // Holds gradients against differences. `outputs` and `douts` are what the gradient function got,
  // `gradients` what it returned; null stands for None. All calls get the same douts.
  nlohmann::json Gradient(std::span<const BasculeTensor* const> outputs,
                          std::span<const BasculeTensor* const> douts,
                          std::span<const BasculeTensor* const> gradients);

 private:
  void PrepareForward();
  void PrepareGradient(std::span<const BasculeTensor* const> douts);
  void Differentiate(Probe* probe);
  Outputs Call(const std::vector<std::vector<double>>& inputs) const;

  nlohmann::json Structure(std::span<const BasculeTensor* const> gradients) const;
  std::string GuessShape(size_t input, const BasculeTensor& gradient) const;
  std::string Guess(size_t input, const std::vector<std::vector<double>>& got,
                    const std::vector<std::vector<double>>& outputs) const;

  std::vector<Described> inputs_;
  std::vector<std::vector<double>> numbers_;  // of the floating inputs
  std::vector<Described> outputs_;
  Function function_;
  Settings settings_;

  bool forward_ready_ = false;
  Outputs expected_;
  std::vector<std::vector<double>> sensitivity_;  // by output and element

  bool gradient_ready_ = false;
  Outputs base_;
  std::vector<std::vector<double>> douts_;
  std::vector<Probe> probes_;
  std::vector<double> largest_;  // by input, of the derivatives known
};

}  // namespace bascule::check

#endif  // BASCULE_CHECK_CASE_CHECK_H_
