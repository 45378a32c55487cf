// Ends launches that take too long: BASCULE_TIMEOUT, in seconds. Without it a loop in a kernel that
// calls nothing of Ascend C cannot be told from long work.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ENGINE_TIME_LIMIT_H_
#define BASCULE_ENGINE_TIME_LIMIT_H_

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace bascule::engine {

// The limit of one launch. Once it has passed, the threads that work on the launch are stopped in
// the middle of their kernels, as often as it takes for each to be in code that is the kernel's
// own. Thread-safe.
class TimeLimit {
 public:
  // What the environment asks for; zero: no limit. Asked once a process.
  static std::chrono::nanoseconds Wanted();

  explicit TimeLimit(std::chrono::nanoseconds limit);  // begins now
  ~TimeLimit();
  TimeLimit(const TimeLimit&) = delete;
  TimeLimit& operator=(const TimeLimit&) = delete;

  // The calling thread works on the launch from now on, and no more.
  void Enter();
  void Leave();

 private:
  void Watch(std::chrono::nanoseconds limit);

  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  std::vector<pthread_t> workers_;
  std::thread watcher_;
};

}  // namespace bascule::engine

#endif  // BASCULE_ENGINE_TIME_LIMIT_H_
