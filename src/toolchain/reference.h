// The reference file beside an operator: what `bascule check` compares with. Read, never run.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_TOOLCHAIN_REFERENCE_H_
#define BASCULE_TOOLCHAIN_REFERENCE_H_

#include <map>
#include <string>
#include <vector>

namespace bascule::toolchain {

constexpr const char* kReferenceFile = "reference.py";

struct ReferenceSignature {
  std::string operator_name;        // my_mul
  std::vector<std::string> inputs;  // x, y
};

struct ReferenceFunctions {
  std::string reference;  // my_mul_reference
  std::string cases;      // my_mul_cases; empty where the file has none
};

// Throws an Error that names the line when the text imports anything but numpy and the standard
// library's math, defines a reference for an operator that is not there, or one that takes the
// wrong number of arguments. Returns the functions of each operator that has a reference. Where
// there is one operator, they may be called reference and cases.
std::map<std::string, ReferenceFunctions> CheckReference(
    const std::string& text, const std::vector<ReferenceSignature>& operators);

}  // namespace bascule::toolchain

#endif  // BASCULE_TOOLCHAIN_REFERENCE_H_
