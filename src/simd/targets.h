// Which CPU target (AVX2, AVX-512, NEON, …) the vector code runs on.
//
// Compiled code holds one version of every function per target; the best one the machine has is
// chosen at the first call. BASCULE_CPU_TARGET=AVX2 in the environment, or LimitTargets, chooses a
// lesser one. SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_SIMD_TARGETS_H_
#define BASCULE_SIMD_TARGETS_H_

#include <cstdint>
#include <string>
#include <vector>

namespace bascule::simd {

// Targets that are compiled in and that this machine can run, best first, as Highway's bits.
std::vector<int64_t> UsableTargets();
std::string TargetName(int64_t target);

// Runs everything from now on with `target`, or with the best again when 0. For tests: not to be
// called while other threads run vector code.
void UseTarget(int64_t target);

// Applies BASCULE_CPU_TARGET once. Throws Error when it names no usable target.
void ApplyEnvironment();

}  // namespace bascule::simd

#endif  // BASCULE_SIMD_TARGETS_H_
