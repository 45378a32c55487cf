// SPDX-License-Identifier: Apache-2.0
#include "simd/targets.h"

#include <cstdlib>

#include "base/error.h"
#include "hwy/highway.h"

namespace bascule::simd {

std::vector<int64_t> UsableTargets() {
  std::vector<int64_t> targets;
  int64_t left = hwy::SupportedTargets() & HWY_TARGETS;
  while (left != 0) {
    const int64_t best = left & -left;  // Highway numbers better targets lower
    targets.push_back(best);
    left &= ~best;
  }
  return targets;
}

std::string TargetName(int64_t target) { return hwy::TargetName(target); }

void UseTarget(int64_t target) {
  hwy::SetSupportedTargetsForTest(0);
  if (target != 0) hwy::SetSupportedTargetsForTest(target);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

void ChooseTarget() {
  const char* wanted = std::getenv("BASCULE_CPU_TARGET");
  if (wanted == nullptr || wanted[0] == '\0') {
    // Until a target is chosen, a function's address is that of one that asks the processor what it
    // can do, at every call. The engine keeps addresses, and a virtual machine takes microseconds
    // to answer.
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    return;
  }
  std::string known;
  for (int64_t target : UsableTargets()) {
    if (TargetName(target) == wanted) {
      UseTarget(target);
      return;
    }
    known += (known.empty() ? "" : ", ") + TargetName(target);
  }
  throw Error(BASCULE_INVALID_ARGUMENT,
              Join("BASCULE_CPU_TARGET is '", wanted,
                   "', which this machine or build does not have; it has ", known, "."));
}

}  // namespace bascule::simd
