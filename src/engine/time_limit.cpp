// SPDX-License-Identifier: Apache-2.0
#include "engine/time_limit.h"

#include <algorithm>
#include <csignal>
#include <cstdlib>

#include "engine/fault.h"

namespace bascule::engine {

std::chrono::nanoseconds TimeLimit::Wanted() {
  static const std::chrono::nanoseconds wanted = [] {
    const char* value = std::getenv("BASCULE_TIMEOUT");
    const double seconds = value != nullptr ? std::strtod(value, nullptr) : 0;
    const bool sensible = seconds > 0 && seconds < 1e9;
    return std::chrono::nanoseconds(sensible ? static_cast<int64_t>(seconds * 1e9) : 0);
  }();
  return wanted;
}

TimeLimit::TimeLimit(std::chrono::nanoseconds limit) : watcher_(&TimeLimit::Watch, this, limit) {}

TimeLimit::~TimeLimit() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    over_ = true;
  }
  changed_.notify_all();
  watcher_.join();
}

void TimeLimit::Enter() {
  const std::lock_guard<std::mutex> lock(mutex_);
  workers_.push_back(pthread_self());
}

void TimeLimit::Leave() {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto self = std::find_if(workers_.begin(), workers_.end(), [](pthread_t thread) {
    return pthread_equal(thread, pthread_self()) != 0;
  });
  if (self != workers_.end()) workers_.erase(self);
}

void TimeLimit::Watch(std::chrono::nanoseconds limit) {
  sigset_t signals;
  sigfillset(&signals);
  pthread_sigmask(SIG_SETMASK, &signals, nullptr);
  constexpr std::chrono::milliseconds kAgain(5);
  std::unique_lock<std::mutex> lock(mutex_);
  if (changed_.wait_for(lock, limit, [&] { return over_; })) return;
  do {
    for (const pthread_t worker : workers_) StopKernelOn(worker);
  } while (!changed_.wait_for(lock, kAgain, [&] { return over_; }));
}

}  // namespace bascule::engine
