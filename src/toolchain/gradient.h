// The gradient file beside an operator: read and checked, never run.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_TOOLCHAIN_GRADIENT_H_
#define BASCULE_TOOLCHAIN_GRADIENT_H_

#include <map>
#include <string>
#include <vector>

namespace bascule::toolchain {

constexpr const char* kGradientFile = "gradient.py";

// What one function of the file must look like.
struct GradientSignature {
  std::string operator_name;            // my_mul
  std::vector<std::string> parameters;  // x, y, out, dout
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::vector<std::string> saved;  // the last of them, where the file says so
};

// The names of the parameters: inputs, outputs, and each output again with a d in front.
GradientSignature MakeGradientSignature(const std::string& operator_name,
                                        const std::vector<std::string>& inputs,
                                        const std::vector<std::string>& outputs);

// What an operator's gradient is declared to be.
struct GradientRule {
  enum Kind {
    kFunction,  // def my_mul_bprop(x, y, out, dout): …
    kOperator,  // my_mul_bprop = "my_mul_grad"
    kNone       // my_mul_bprop = "none: why"
  };
  Kind kind;
  std::string text;                // the function's name, the operator's name, the reason
  std::vector<std::string> saved;  // outputs kept for the gradient and hidden from callers
  bool recompute = false;          // outputs are made again for the gradient rather than kept

  bool operator==(const GradientRule&) const = default;
};

// Throws an Error that names the line when the text imports anything but bascule.xp, defines a
// gradient for an operator that is not there, defines none at all, takes the wrong number of
// arguments, or names an operator that cannot be a gradient. Returns what each operator has that
// has something: <name>_bprop, or just bprop where there is one operator. <name>_saved names
// outputs of the operator, its last ones, that are no results: the gradient takes them between the
// results and the results' gradients. <name>_recompute is True or False.
std::map<std::string, GradientRule> CheckGradient(const std::string& text,
                                                  std::vector<GradientSignature> operators);

}  // namespace bascule::toolchain

#endif  // BASCULE_TOOLCHAIN_GRADIENT_H_
