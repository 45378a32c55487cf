// How far results may be off. docs/check.md has the reasons.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_CHECK_TOLERANCE_H_
#define BASCULE_CHECK_TOLERANCE_H_

#include <cstdint>

#include "bascule/abi/types.h"

namespace bascule::check {

// References tried with inputs that differ by their rounding. Changes may cancel in an element:
// among 20,000 of them, two tries make the unit of the unluckiest a hundred times too small, six
// four times.
constexpr uint64_t kPerturbations = 6;

// In units: a unit is the larger of an ulp of the result, and of what the result moves when the
// inputs move by their rounding.
constexpr double ForwardLimit(int32_t dtype) {
  return dtype == BASCULE_FLOAT || dtype == BASCULE_DOUBLE ? 16.0 : 8.0;
}

// In units: a unit is an ulp of the largest of the derivative, the terms it is a sum of, and a
// quarter of the largest derivative of that input.
constexpr double GradientLimit(int32_t dtype) {
  return dtype == BASCULE_FLOAT || dtype == BASCULE_DOUBLE ? 32.0 : 8.0;
}
constexpr double kShareOfLargest = 0.25;

// Differences: the step as a share of the element, and the least it is a share of.
constexpr double kStep = 0x1p-17;
constexpr double kStepOfSelf = 0x1p-7;  // in float32, of which a half is lost to rounding
constexpr double kLeast = 0x1p-4;

// Single elements and stretches of elements probed for one input, at most; and evaluations times
// elements for one case.
constexpr int64_t kMostProbes = 48;
constexpr int64_t kMostStretches = 24;
constexpr int64_t kMostWork = 20'000'000;

// Memory may grow so much over many calls before it counts as a leak.
constexpr int64_t kSteadyBytes = 512 * 1024;

}  // namespace bascule::check

#endif  // BASCULE_CHECK_TOLERANCE_H_
