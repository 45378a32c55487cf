// SPDX-License-Identifier: Apache-2.0
#include "host/run_settings.h"

#include <mutex>

#include "engine/launch.h"

namespace bascule::host {
namespace {

std::mutex in_use;

}  // namespace

ScopedRunSettings::ScopedRunSettings(const RunSettings& settings) {
  in_use.lock();
  engine::SetWorkerLimit(settings.workers);
  engine::SetFreshFill(settings.fresh_fill);
}

ScopedRunSettings::~ScopedRunSettings() {
  engine::SetWorkerLimit(0);
  engine::SetFreshFill(-1);
  in_use.unlock();
}

}  // namespace bascule::host
