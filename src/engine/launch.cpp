// SPDX-License-Identifier: Apache-2.0
#include "engine/launch.h"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.h"
#include "engine/core.h"
#include "engine/fault.h"
#include "engine/launch_state.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace bascule::engine {
namespace {

// Waking a parked thread costs tens of microseconds; below this a launch is done alone.
constexpr uint64_t kAloneBytes = 512 * 1024;
constexpr uint64_t kAloneNanoseconds = 100 * 1000;
constexpr uint64_t kFallbackCacheBytes = 32 * 1024 * 1024;

void Pause() {
#if defined(__x86_64__)
  _mm_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

// Kernels compute with the default floating-point environment whatever the caller has set.
class FloatEnvironment {
 public:
#if defined(__x86_64__)
  FloatEnvironment() : saved_(_mm_getcsr()) {
    if ((saved_ & ~kFlags) != kDefault) _mm_setcsr(kDefault);
  }
  ~FloatEnvironment() {
    if ((saved_ & ~kFlags) != kDefault) _mm_setcsr(saved_);
  }

 private:
  static constexpr unsigned kFlags = 0x3f;
  static constexpr unsigned kDefault = 0x1f80;
  unsigned saved_;
#elif defined(__aarch64__)
  FloatEnvironment() {
    asm volatile("mrs %0, fpcr" : "=r"(saved_));
    if (saved_ != 0) asm volatile("msr fpcr, %0" ::"r"(uint64_t{0}));
  }
  ~FloatEnvironment() {
    if (saved_ != 0) asm volatile("msr fpcr, %0" ::"r"(saved_));
  }

 private:
  uint64_t saved_;
#endif
};

bool Deterministic() {
  const char* value = std::getenv("BASCULE_DETERMINISTIC");
  return value != nullptr && value[0] == '1';
}

uint32_t DefaultWorkerLimit() {
  if (Deterministic()) return 1;
  if (const char* value = std::getenv("BASCULE_THREADS")) {
    const int count = std::atoi(value);
    if (count >= 1) return static_cast<uint32_t>(std::min(count, 1024));
  }
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) == 0) {
    return static_cast<uint32_t>(std::max(1, CPU_COUNT(&set)));
  }
  return std::max(1u, std::thread::hardware_concurrency());
}

std::atomic<uint32_t> worker_limit{0};

uint64_t CacheBytes() {
  static const uint64_t bytes = [] {
    const long reported = sysconf(_SC_LEVEL3_CACHE_SIZE);
    return reported > 0 ? static_cast<uint64_t>(reported) : kFallbackCacheBytes;
  }();
  return bytes;
}

// Cores that no block uses at the moment.
class CorePool {
 public:
  std::unique_ptr<Core> Take(const BasculePlatform& platform) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (!free_.empty()) {
        std::unique_ptr<Core> core = std::move(free_.back());
        free_.pop_back();
        return core;
      }
    }
    return std::make_unique<Core>(platform);
  }
  void Give(std::unique_ptr<Core> core) {
    const std::lock_guard<std::mutex> lock(mutex_);
    free_.push_back(std::move(core));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Core>> free_;
};

// Helper threads. They start when first needed and live as long as the process.
class Pool {
 public:
  // Offers the launch to up to `helpers` threads.
  void Offer(LaunchState& launch, uint32_t helpers) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      while (threads_ < helpers) {
        // A thread that cannot be had is no error: the caller works anyway.
        try {
          std::thread(&Pool::Main, this).detach();
        } catch (const std::system_error&) {
          break;
        }
        ++threads_;
      }
      for (uint32_t i = 0; i < helpers; ++i) jobs_.push_back(&launch);
      job_count_.store(static_cast<uint32_t>(jobs_.size()), std::memory_order_release);
    }
    if (helpers == 1) {
      wake_.notify_one();
    } else {
      wake_.notify_all();
    }
  }

  // Takes back what nobody has started and waits for those who have.
  void Withdraw(LaunchState& launch) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      std::erase(jobs_, &launch);
      job_count_.store(static_cast<uint32_t>(jobs_.size()), std::memory_order_release);
    }
    uint32_t spins = 0;
    while (launch.workers_inside.load(std::memory_order_acquire) != 0) {
      if (++spins < 4096) {
        Pause();
      } else {
        std::this_thread::yield();
      }
    }
  }

  CorePool cores;

 private:
  static constexpr uint32_t kSpins = 2000;  // some ten microseconds

  void Main() {
    // What is sent to the process is for the program's own threads.
    sigset_t signals;
    sigfillset(&signals);
    for (int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP}) sigdelset(&signals, fault);
    pthread_sigmask(SIG_SETMASK, &signals, nullptr);
    for (;;) {
      for (uint32_t i = 0; i < kSpins && job_count_.load(std::memory_order_acquire) == 0; ++i)
        Pause();
      LaunchState* launch = nullptr;
      {
        std::unique_lock<std::mutex> lock(mutex_);
        wake_.wait(lock, [&] { return !jobs_.empty(); });
        launch = jobs_.front();
        jobs_.pop_front();
        job_count_.store(static_cast<uint32_t>(jobs_.size()), std::memory_order_release);
        launch->workers_inside.fetch_add(1, std::memory_order_acq_rel);
      }
      launch->Work();
      launch->workers_inside.fetch_sub(1, std::memory_order_acq_rel);
    }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<LaunchState*> jobs_;
  std::atomic<uint32_t> job_count_{0};
  uint32_t threads_ = 0;
};

// Never destroyed: helper threads may outlive static destructors. A forked child has none of the
// threads, so it starts with a new pool.
std::atomic<Pool*> pool_instance{nullptr};

Pool& ThePool() {
  static const bool registered = [] {
    pool_instance.store(new Pool);
    pthread_atfork(nullptr, nullptr, [] { pool_instance.store(new Pool); });
    return true;
  }();
  (void)registered;
  return *pool_instance.load(std::memory_order_acquire);
}

std::atomic<uint64_t> launch_counter{0};

uint32_t HelpersFor(const LaunchRequest& request, uint32_t limit) {
  if (limit <= 1 || request.block_count <= 1) return 0;
  const bool small = request.expected_ns != 0 ? request.expected_ns < kAloneNanoseconds
                                              : request.bytes < kAloneBytes;
  if (small) return 0;
  return std::min(limit, request.block_count) - 1;
}

}  // namespace

uint32_t WorkerLimit() {
  const uint32_t set = worker_limit.load(std::memory_order_relaxed);
  if (set != 0) return set;
  static const uint32_t fallback = DefaultWorkerLimit();
  return fallback;
}

void SetWorkerLimit(uint32_t limit) { worker_limit.store(limit, std::memory_order_relaxed); }

LaunchState::LaunchState(const LaunchRequest& launch_request, uint64_t launch_number,
                         uint32_t limit)
    : request(launch_request), number(launch_number), worker_limit(limit) {
  for (Observer* observer : request.observers) subscriptions |= observer->Subscriptions();
}

void LaunchState::RecordError(uint32_t block, BasculeStatus status, std::string text) {
  {
    const std::lock_guard<std::mutex> lock(error_mutex_);
    if (error_status_ == BASCULE_OK || block < error_block_) {
      error_block_ = block;
      error_status_ = status;
      error_text_ = std::move(text);
    }
  }
  failed_.store(true);
  Progress();
}

Wait LaunchState::Arrive(uint32_t count) {
  Barrier* barrier = nullptr;
  {
    const std::lock_guard<std::mutex> lock(sync_mutex_);
    barrier = &barriers_[count];
    barrier->count = count;
  }
  Wait wait;
  wait.object = barrier;
  wait.target = barrier->generation.load() + 1;
  wait.ready = [](const Wait& w) {
    return static_cast<const Barrier*>(w.object)->generation.load() >= w.target;
  };
  wait.describe = [](const Wait& w) {
    const Barrier& self = *static_cast<const Barrier*>(w.object);
    return Join("SyncAll, where ", self.arrived.load(), " of ", self.count, " blocks have arrived");
  };
  Act();
  if (barrier->arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == count) {
    barrier->arrived.store(0, std::memory_order_relaxed);
    barrier->generation.fetch_add(1);
    Progress();
  }
  return wait;
}

uint32_t LaunchState::CrossCoreSet(uint32_t block, uint32_t id, uint32_t waited) {
  CrossCoreFlag* flag = nullptr;
  {
    const std::lock_guard<std::mutex> lock(sync_mutex_);
    flag = &cross_core_flags_[id];
    if (flag->sets.empty()) flag->sets = std::vector<std::atomic<uint32_t>>(request.block_count);
  }
  const uint32_t sets = flag->sets[block].fetch_add(1) + 1;
  Act();
  Progress();
  return sets - waited;
}

Wait LaunchState::CrossCoreWait(uint32_t id, uint32_t waits) {
  CrossCoreFlag* flag = nullptr;
  {
    const std::lock_guard<std::mutex> lock(sync_mutex_);
    flag = &cross_core_flags_[id];
    if (flag->sets.empty()) flag->sets = std::vector<std::atomic<uint32_t>>(request.block_count);
  }
  Wait wait;
  wait.object = flag;
  wait.target = waits;
  wait.ready = [](const Wait& w) {
    const auto& sets = static_cast<const CrossCoreFlag*>(w.object)->sets;
    return std::all_of(sets.begin(), sets.end(), [&](const std::atomic<uint32_t>& count) {
      return count.load() >= w.target;
    });
  };
  wait.describe = [](const Wait& w) {
    const auto& sets = static_cast<const CrossCoreFlag*>(w.object)->sets;
    const auto done =
        std::count_if(sets.begin(), sets.end(),
                      [&](const std::atomic<uint32_t>& count) { return count.load() >= w.target; });
    return Join("CrossCoreWaitFlag for flag ", w.flag, ", which ", done, " of ", sets.size(),
                " blocks have set");
  };
  return wait;
}

std::atomic<uint32_t>& LaunchState::BlockFlag(uint32_t block, uint32_t event) {
  const std::lock_guard<std::mutex> lock(sync_mutex_);
  return block_flags_[{block, event}];
}

void LaunchState::Progress() {
  // Sequentially consistent with the store in WaitForReady: either we see the sleeper or it sees
  // us.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  if (stuck_.load(std::memory_order_relaxed) == 0) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  changed_.notify_all();
}

void LaunchState::ReportDeadlock() {
  std::string text = "nothing can go on: ";
  std::sort(waiting_.begin(), waiting_.end(),
            [](const Core* a, const Core* b) { return a->block_index < b->block_index; });
  constexpr size_t kShown = 8;
  for (size_t i = 0; i < waiting_.size() && i < kShown; ++i) {
    const Core& core = *waiting_[i];
    text += Join(i == 0 ? "" : "; ", "block ", core.block_index, " waits in ",
                 core.wait.describe(core.wait), ", at ", Where(core.wait.site));
    // The pipe would be stuck before the core gets there.
    if (core.flags_awaited != 0) text += Join(" (and before that: ", core.AwaitedFlags(), ")");
  }
  if (waiting_.size() > kShown) text += Join("; and ", waiting_.size() - kShown, " more blocks");
  text += ". All other blocks have ended.";
  const uint32_t block = waiting_.empty() ? 0 : waiting_.front()->block_index;
  {
    const std::lock_guard<std::mutex> lock(error_mutex_);
    if (error_status_ == BASCULE_OK) {
      error_block_ = block;
      error_status_ = BASCULE_DEADLOCK;
      error_text_ = std::move(text);
    }
  }
  failed_.store(true);
}

bool LaunchState::WaitForReady(const std::vector<Core*>& parked) {
  auto any_ready = [](const std::vector<Core*>& cores) {
    return std::any_of(cores.begin(), cores.end(),
                       [](const Core* core) { return core->wait.ready(core->wait); });
  };
  for (int spin = 0; spin < 1000; ++spin) {
    if (failed()) return false;
    if (any_ready(parked)) return true;
    Pause();
  }
  std::unique_lock<std::mutex> lock(mutex_);
  stuck_.fetch_add(1);
  waiting_.insert(waiting_.end(), parked.begin(), parked.end());
  bool ready = false;
  while (!failed()) {
    if (any_ready(parked)) {
      ready = true;
      break;
    }
    // When every worker is in here, no fibre runs, so nothing can change any more.
    if (stuck_.load() == active_.load() && !any_ready(waiting_)) {
      ReportDeadlock();
      changed_.notify_all();
      break;
    }
    changed_.wait(lock);
  }
  stuck_.fetch_sub(1);
  std::erase_if(waiting_, [&](const Core* core) {
    return std::find(parked.begin(), parked.end(), core) != parked.end();
  });
  return ready;
}

void LaunchState::Work() {
  active_.fetch_add(1);
  const FloatEnvironment environment;
  CatchFaults();
  CorePool& pool = ThePool().cores;
  std::vector<Core*> parked;
  std::unique_ptr<Core> idle;
  auto run = [&](Core* core) {
    // True: the block is over and the core is free again.
    const Leave how = EnterCore(*core);
    if (how == Leave::kParked) return false;
#if defined(__x86_64__)
    // Streaming stores are not ordered by what publishes the result.
    if (core->options.stream_stores) _mm_sfence();
#endif
    core->End(how == Leave::kAbandoned);
    return true;
  };
  try {
    while (!failed()) {
      bool moved = false;
      for (size_t i = 0; i < parked.size() && !failed(); ++i) {
        if (!parked[i]->wait.ready(parked[i]->wait)) continue;
        moved = true;
        if (run(parked[i])) {
          pool.Give(std::unique_ptr<Core>(parked[i]));
          parked.erase(parked.begin() + static_cast<ptrdiff_t>(i));
          --i;
        }
      }
      // A block that polls is always ready; what it polls for may come from one that has not
      // started.
      if (moved && !HasBlocks()) continue;
      const uint32_t block =
          HasBlocks() ? next_block_.fetch_add(1, std::memory_order_relaxed) : request.block_count;
      if (block < request.block_count) {
        if (idle == nullptr) {
          idle = pool.Take(*request.platform);
          idle->options.stream_stores = request.bytes > CacheBytes();
        }
        idle->Begin(*this, block);
        Act();
        Core* core = idle.get();
        if (!run(core)) parked.push_back(idle.release());
        continue;
      }
      if (parked.empty()) break;
      if (!WaitForReady(parked)) break;
    }
  } catch (const Error& error) {  // no memory for another core
    RecordError(request.block_count, error.status(), error.what());
  }
  // After a failure what is still parked is abandoned where it stands.
  for (Core* core : parked) {
    core->End(true);
    pool.Give(std::unique_ptr<Core>(core));
  }
  if (idle != nullptr) pool.Give(std::move(idle));
  active_.fetch_sub(1);
  Progress();
}

void LaunchState::Finish() {
  std::sort(ended.begin(), ended.end(),
            [](const Ended& a, const Ended& b) { return a.block < b.block; });
  for (Ended& end : ended) {
    for (Core::Watcher& watcher : end.watchers) {
      watcher.observer->Merge(end.block, std::move(watcher.recorder));
    }
  }
  for (Observer* observer : request.observers) observer->LaunchEnd(failed());
  if (!failed()) return;
  if (error_block_ >= request.block_count) {
    throw Error(error_status_, Join(request.kernel, ": ", error_text_));
  }
  throw Error(error_status_, Join(request.kernel, " (block ", error_block_, " of ",
                                  request.block_count, "): ", error_text_));
}

void Launch(const LaunchRequest& request) {
  if (request.block_count == 0) {
    throw Error(
        BASCULE_INVALID_ARGUMENT,
        Join(request.kernel, ": launched with 0 blocks; the tiling has to ask for at least 1."));
  }
  const uint32_t limit = WorkerLimit();
  LaunchState state(request, launch_counter.fetch_add(1) + 1, limit);
  if (!request.observers.empty()) {
    std::vector<LaunchInfo::Tensor> tensors;
    for (const GlobalInterval& interval : request.globals) {
      tensors.push_back(
          {interval.begin, interval.end - interval.begin, interval.rights, interval.name});
    }
    LaunchInfo info;
    info.launch = state.number;
    info.kernel = request.kernel;
    info.block_count = request.block_count;
    info.worker_count = limit;
    info.tensors = tensors;
    for (Observer* observer : request.observers) observer->LaunchBegin(info);
  }
  const uint32_t helpers = HelpersFor(request, limit);
  if (helpers == 0) {
    state.Work();
  } else {
    Pool& pool = ThePool();
    pool.Offer(state, helpers);
    state.Work();
    pool.Withdraw(state);
  }
  state.Finish();
}

}  // namespace bascule::engine
