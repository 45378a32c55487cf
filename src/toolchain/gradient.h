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
};

// The names of the parameters: inputs, outputs, and each output again with a d in front.
GradientSignature MakeGradientSignature(const std::string& operator_name,
                                        const std::vector<std::string>& inputs,
                                        const std::vector<std::string>& outputs);

// Throws an Error that names the line when the text imports anything but bascule.xp, defines a
// gradient for an operator that is not there, defines none at all, or takes the wrong number of
// arguments. Returns the function of each operator that has a gradient: <name>_bprop, or just bprop
// where there is one operator.
std::map<std::string, std::string> CheckGradient(const std::string& text,
                                                 const std::vector<GradientSignature>& operators);

}  // namespace bascule::toolchain

#endif  // BASCULE_TOOLCHAIN_GRADIENT_H_
