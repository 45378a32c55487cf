// Which CPU target (AVX2, AVX-512, NEON, …) the vector code runs on.
//
// Compiled code holds one version of every function per target; the best one the machine has is
// chosen, or a lesser one that BASCULE_CPU_TARGET=AVX2 in the environment names.
// SPDX-License-Identifier: Apache-2.0
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

// Chooses the target that everything runs with: the best, or what BASCULE_CPU_TARGET names. To be
// called before any vector code. Throws Error when that names no usable target.
void ChooseTarget();

}  // namespace bascule::simd

#endif  // BASCULE_SIMD_TARGETS_H_
