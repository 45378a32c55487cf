// SPDX-License-Identifier: Apache-2.0
#include "engine/interrupt.h"

#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <ctime>

#include "engine/fault.h"

namespace bascule::engine {

// A thread that may work on launches. Never freed: signal handlers look at it.
struct Working {
  pthread_t thread = pthread_self();
  std::atomic<uint64_t> launch{0};  // its number; 0: none
  Working* next = nullptr;
};

namespace {

constexpr long kAgainNanoseconds = 5 * 1000 * 1000;

thread_local Working* mine = nullptr;
std::atomic<Working*> all{nullptr};
std::atomic<Working*> watched{nullptr};
std::atomic<uint64_t> interrupted{0};
timer_t timer;
std::atomic<bool> has_timer{false};

void Repeat(bool wanted) {
  if (!has_timer.load()) return;
  itimerspec when = {};
  if (wanted) when.it_interval.tv_nsec = when.it_value.tv_nsec = kAgainNanoseconds;
  timer_settime(timer, 0, &when, nullptr);
}

// False: the launch has ended.
bool SendSignals(uint64_t launch) {
  const Working* const waiting = watched.load();
  if (launch == 0 || waiting == nullptr || waiting->launch.load() != launch) return false;
  for (const Working* working = all.load(); working != nullptr; working = working->next) {
    if (working->launch.load() == launch) StopKernelOn(working->thread);
  }
  return true;
}

void MakeTimer() {
  sigevent event = {};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = kStopSignal;
  event.sigev_value.sival_ptr = &timer;
  has_timer.store(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
}

// A forked child has one thread and none of its parent's timers.
void BeginChild() {
  has_timer.store(false);
  if (mine != nullptr) mine->next = nullptr;
  all.store(mine);
  if (mine == nullptr || watched.load() != mine) {
    watched.store(nullptr);
  } else {
    MakeTimer();
  }
}

}  // namespace

void WatchInterrupts() {
  Working* nobody = nullptr;
  if (watched.load() != nullptr || !PrepareToStop()) return;
  JoinWorking();
  if (!watched.compare_exchange_strong(nobody, mine)) return;
  MakeTimer();
  pthread_atfork(nullptr, nullptr, BeginChild);
}

void Interrupt() {
  const Working* const waiting = watched.load();
  const uint64_t launch = waiting != nullptr ? waiting->launch.load() : 0;
  if (launch == 0) return;
  const int before = errno;
  interrupted.store(launch);
  SendSignals(launch);
  Repeat(true);
  errno = before;
}

bool IsInterrupted(uint64_t launch) { return launch != 0 && interrupted.load() == launch; }

bool RepeatInterrupt(const siginfo_t& info) {
  if (info.si_code != SI_TIMER || info.si_value.sival_ptr != &timer) return false;
  const int before = errno;
  if (!SendSignals(interrupted.load())) Repeat(false);
  errno = before;
  return true;
}

void JoinWorking() {
  if (mine != nullptr) return;
  mine = new Working;
  mine->next = all.load();
  while (!all.compare_exchange_weak(mine->next, mine)) {
  }
}

WorkingOn::WorkingOn(uint64_t launch) : working_(mine) {
  if (working_ == nullptr) return;
  before_ = working_->launch.load(std::memory_order_relaxed);
  working_->launch.store(launch, std::memory_order_relaxed);
}

WorkingOn::~WorkingOn() {
  if (working_ == nullptr) return;
  const uint64_t launch = working_->launch.load(std::memory_order_relaxed);
  working_->launch.store(before_, std::memory_order_relaxed);
  if (IsInterrupted(launch) && working_ == watched.load()) Repeat(false);
}

}  // namespace bascule::engine
