// SPDX-License-Identifier: Apache-2.0
#include "base/warning.h"

#include <cstdio>
#include <mutex>
#include <set>

#include "base/error.h"

namespace bascule {
namespace {

constexpr size_t kMostWarnings = 200;

struct Said {
  std::mutex mutex;
  std::set<std::string> places;
};

}  // namespace

void WarnOnce(const char* topic, const char* file, uint32_t line, const std::string& sentence) {
  static Said* const said = new Said;  // outlives static destructors, which may still warn
  {
    const std::lock_guard<std::mutex> lock(said->mutex);
    if (said->places.size() > kMostWarnings) return;
    // Names are copied: a library may be gone when the next one warns.
    if (!said->places.insert(Join(topic, '\n', file != nullptr ? file : "", '\n', line)).second)
      return;
    if (said->places.size() > kMostWarnings) {
      std::fprintf(stderr, "bascule: warning: there are more warnings, which are not shown.\n");
      return;
    }
  }
  std::fprintf(stderr, "bascule: warning: %s\n", sentence.c_str());
}

}  // namespace bascule
