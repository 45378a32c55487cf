// How launches run, for comparing runs of the same call. It counts for the whole process.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_HOST_RUN_SETTINGS_H_
#define BASCULE_HOST_RUN_SETTINGS_H_

#include <cstdint>

namespace bascule::host {

struct RunSettings {
  uint32_t workers = 0;  // threads at most; 0: as many as usual
  int fresh_fill = -1;   // a byte for on-chip memory before each block; -1: as it is
};

// Held for as long as the settings count. One at a time: a second waits for the first.
class ScopedRunSettings {
 public:
  explicit ScopedRunSettings(const RunSettings& settings);
  ~ScopedRunSettings();
  ScopedRunSettings(const ScopedRunSettings&) = delete;
  ScopedRunSettings& operator=(const ScopedRunSettings&) = delete;
};

}  // namespace bascule::host

#endif  // BASCULE_HOST_RUN_SETTINGS_H_
