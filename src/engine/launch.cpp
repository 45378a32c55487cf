// SPDX-License-Identifier: Apache-2.0
#include "engine/launch.h"

#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cinttypes>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/warning.h"
#include "engine/core.h"
#include "engine/fault.h"
#include "engine/interrupt.h"
#include "engine/launch_state.h"
#include "engine/time_limit.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace bascule::engine {
namespace {

// Waking a parked thread costs tens of microseconds; below this a launch is done alone.
constexpr uint64_t kAloneBytes = 512 * 1024;
constexpr uint64_t kAloneNanoseconds = 100 * 1000;
constexpr uint64_t kFallbackCacheBytes = 32 * 1024 * 1024;
// More of the last-level cache a processor hardly ever has to itself.
constexpr uint64_t kCacheShareBytes = 16 * 1024 * 1024;

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

// Of the last-level cache that a processor reaches. The C library tells the sum over the machine,
// which on large hosts is a multiple of that. A virtual machine tells its host's cache, of which
// its few processors get a share.
uint64_t CacheBytes() {
  static const uint64_t bytes = [] {
    const uint64_t processors = std::max(1L, sysconf(_SC_NPROCESSORS_ONLN));
    uint64_t size = 0;
    char unit = 0;
    if (std::FILE* file = std::fopen("/sys/devices/system/cpu/cpu0/cache/index3/size", "r")) {
      if (std::fscanf(file, "%" SCNu64 "%c", &size, &unit) == 2 && unit == 'K') size *= 1024;
      std::fclose(file);
    }
    if (size == 0) {
      const long reported = sysconf(_SC_LEVEL3_CACHE_SIZE);
      size = reported > 0 ? static_cast<uint64_t>(reported) : kFallbackCacheBytes;
    }
    return std::min(size, processors * kCacheShareBytes);
  }();
  return bytes;
}

// Cores that no block uses at the moment.
class CorePool {
 public:
  std::unique_ptr<Core> Take(const BasculePlatform& platform, uint8_t kind) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      std::vector<std::unique_ptr<Core>>& free = free_[kind];
      if (!free.empty()) {
        std::unique_ptr<Core> core = std::move(free.back());
        free.pop_back();
        return core;
      }
    }
    return std::make_unique<Core>(platform, kind);
  }
  void Give(std::unique_ptr<Core> core) {
    const std::lock_guard<std::mutex> lock(mutex_);
    free_[core->kind].push_back(std::move(core));
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Core>> free_[2];  // by kind
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
    // What is sent to the process is for the program's own threads; faults and the end of a time
    // limit (SIGURG) are for this one.
    sigset_t signals;
    sigfillset(&signals);
    for (int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGURG}) sigdelset(&signals, fault);
    pthread_sigmask(SIG_SETMASK, &signals, nullptr);
    JoinWorking();
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
      {
        const WorkingOn working(launch->number);
        launch->Work();
      }
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

namespace {

// "AIC", "AIV 1", in a kernel that has several cores a block; else "".
std::string CoreName(const Core& core) {
  const BlockCores cores = core.Cores();
  if (!cores.mixed()) return "";
  if (core.kind == BASCULE_CORE_AIC) return "AIC";
  return cores.aiv > 1 ? Join("AIV ", core.sub_block_index) : "AIV";
}

}  // namespace

void LaunchState::RecordError(const Core* core, BasculeStatus status, std::string text) {
  NoteError(core, status, std::move(text));
  Progress();
}

void LaunchState::NoteError(const Core* core, BasculeStatus status, std::string text) {
  const uint32_t index = core != nullptr ? core->Index() : UINT32_MAX;
  std::string where;
  if (core != nullptr) {
    const std::string name = CoreName(*core);
    where = Join(" (block ", core->plan.block, " of ", request.block_count,
                 name.empty() ? "" : ", ", name, ")");
  }
  {
    const std::lock_guard<std::mutex> lock(error_mutex_);
    if (error_status_ == BASCULE_OK || index < error_index_) {
      error_index_ = index;
      error_core_ = std::move(where);
      error_status_ = status;
      error_text_ = std::move(text);
    }
  }
  failed_.store(true);
}

Wait LaunchState::Arrive(const Core& core, Party party, uint32_t count) {
  Barrier* barrier = nullptr;
  {
    const std::lock_guard<std::mutex> lock(sync_mutex_);
    barrier = &barriers_[{party, count}];
    barrier->count = count;
    barrier->who = !core.Cores().mixed()          ? "blocks"
                   : party == Party::kVectorCores ? "vector cores"
                   : party == Party::kCubeCores   ? "cube cores"
                                                  : "cores";
  }
  Wait wait;
  wait.object = barrier;
  wait.target = barrier->generation.load() + 1;
  wait.ready = [](const Wait& w) {
    return static_cast<const Barrier*>(w.object)->generation.load() >= w.target;
  };
  wait.describe = [](const Wait& w) {
    const Barrier& self = *static_cast<const Barrier*>(w.object);
    return Join("SyncAll, where ", self.arrived.load(), " of ", self.count, " ", self.who,
                " have arrived");
  };
  Act();
  if (barrier->arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == count) {
    barrier->arrived.store(0, std::memory_order_relaxed);
    barrier->generation.fetch_add(1);
    Progress();
  }
  return wait;
}

void LaunchState::MakeCounters() {
  if (!counters_.empty()) return;
  counters_ = std::vector<std::atomic<uint32_t>>(uint64_t{request.block_count} * kBlockSlots *
                                                 kCrossCoreFlags);
}

// Counters have four bits. Who would set once more waits for a wait to take one.
bool LaunchState::HasRoom(const GatheringKey& key, const Gathering& gathering, uint64_t member) {
  const uint32_t round = gathering.sets[member];
  if (round - gathering.complete >= kMaxCrossCoreSets) return false;
  if (gathering.arrived[round % std::size(gathering.arrived)] + 1 < gathering.members) return true;
  bool room = true;
  EachCounter(key, gathering, [&](const std::atomic<uint32_t>& counter) {
    room = room && counter.load() < kMaxCrossCoreSets;
  });
  return room;
}

bool LaunchState::CrossCoreSet(const Core& core, uint32_t mode, uint32_t id,
                               const BasculeSite& site, Wait* wait) {
  const BlockCores cores = core.Cores();
  const GatheringKey key = {id, mode, core.kind, mode == 0 ? 0 : core.plan.block};
  std::unique_lock<std::mutex> lock(sync_mutex_);
  MakeCounters();
  auto& entry = *gatherings_.try_emplace(key).first;
  Gathering& gathering = entry.second;
  if (gathering.members == 0) {
    gathering.first_block = key.block;
    gathering.blocks = mode == 0 ? request.block_count : 1;
    gathering.members = core.sub_block_count * gathering.blocks;
    gathering.sets.resize(gathering.members);
    // In mode 2 the other kind of core waits.
    const bool for_aic = (core.kind == BASCULE_CORE_AIC) == (mode != 2);
    gathering.first_slot = for_aic ? 0 : 1;
    gathering.slots = for_aic ? cores.aic : cores.aiv;
  }
  const uint64_t member = mode == 0 ? core.block_index : core.sub_block_index;
  if (!HasRoom(key, gathering, member)) {
    wait->object = &entry;
    wait->core = &core;
    wait->target = member;
    wait->flag = id;
    wait->ready = [](const Wait& w) {
      LaunchState& launch = *w.core->launch;
      const std::lock_guard<std::mutex> guard(launch.sync_mutex_);
      const auto& [k, g] = *static_cast<const std::pair<const GatheringKey, Gathering>*>(w.object);
      return launch.HasRoom(k, g, w.target);
    };
    wait->describe = [](const Wait& w) {
      return Join("CrossCoreSetFlag for flag ", w.flag, ", which was set ", kMaxCrossCoreSets,
                  " times and not waited for; the hardware counts to ", kMaxCrossCoreSets);
    };
    wait->site = site;
    return false;
  }
  gathering.site = site;
  uint32_t& arrived = gathering.arrived[gathering.sets[member]++ % std::size(gathering.arrived)];
  if (++arrived == gathering.members) {
    arrived = 0;
    ++gathering.complete;
    EachCounter(key, gathering, [](std::atomic<uint32_t>& counter) { counter.fetch_add(1); });
  }
  lock.unlock();
  Act();
  Progress();
  return true;
}

// What is left over would be there when the next kernel begins.
void LaunchState::WarnOfFlagsLeft() {
  for (const auto& [key, gathering] : gatherings_) {
    const uint32_t complete = gathering.complete;
    bool left = std::any_of(gathering.sets.begin(), gathering.sets.end(),
                            [&](uint32_t sets) { return sets != complete; });
    EachCounter(key, gathering,
                [&](const std::atomic<uint32_t>& counter) { left |= counter.load() != 0; });
    if (!left) continue;
    WarnOnce(
        "CrossCoreSetFlag", gathering.site.file, gathering.site.line,
        Join(request.kernel, ": CrossCoreSetFlag at ", Where(gathering.site), ": flag ", key.id,
             " is set more often than it is waited for, and the next kernel on the cores would "
             "start with it. A CrossCoreWaitFlag is missing."));
  }
}

Wait LaunchState::CrossCoreWait(const Core& core, uint32_t id) {
  Wait wait;
  {
    const std::lock_guard<std::mutex> lock(sync_mutex_);
    MakeCounters();
    wait.object = &Counter(core.Index(), id);
  }
  wait.core = &core;
  wait.flag = id;
  wait.ready = [](const Wait& w) {
    return static_cast<const std::atomic<uint32_t>*>(w.object)->load() != 0;
  };
  wait.describe = [](const Wait& w) {
    return w.core->launch->DescribeCrossCoreWait(*w.core, w.flag);
  };
  return wait;
}

void LaunchState::CrossCoreTake(const Core& core, uint32_t id) {
  // Somebody may want to set it again.
  if (Counter(core.Index(), id).fetch_sub(1) != kMaxCrossCoreSets) return;
  Act();
  Progress();
}

std::string LaunchState::DescribeCrossCoreWait(const Core& core, uint32_t id) {
  const BlockCores cores = core.Cores();
  const std::string flag = Join("CrossCoreWaitFlag for flag ", id, ", which ");
  const std::lock_guard<std::mutex> lock(sync_mutex_);
  for (const auto& [key, gathering] : gatherings_) {
    if (key.id != id || (key.mode != 0 && key.block != core.plan.block)) continue;
    if ((key.kind == core.kind) == (key.mode == 2)) continue;  // not for this core
    const uint32_t complete = gathering.complete;  // clang 14 does not let lambdas have bindings
    const auto done = std::count_if(gathering.sets.begin(), gathering.sets.end(),
                                    [&](uint32_t sets) { return sets > complete; });
    if (done == 0) continue;
    return Join(flag, done, " of ", gathering.members,
                !cores.mixed()                 ? " blocks"
                : key.kind == BASCULE_CORE_AIC ? " cube cores"
                                               : " vector cores",
                " have set");
  }
  if (!cores.mixed()) return Join(flag, "0 of ", request.block_count, " blocks have set");
  return Join(flag, core.kind == BASCULE_CORE_AIC
                        ? "neither the vector cores of its block nor the other cube cores have set"
                        : "neither the cube core of its block nor the other vector cores have set");
}

bool LaunchState::AgreeOnType(TypeSource source, uint32_t kernel_type, uint32_t* other) {
  const std::lock_guard<std::mutex> lock(sync_mutex_);
  uint32_t& said = said_type_[source == TypeSource::kTilingKey ? 1
                              : source == TypeSource::kLibrary ? 2
                                                               : 0];
  if (said == BASCULE_KERNEL_UNSAID) said = kernel_type;
  *other = said;
  return said == kernel_type;
}

std::atomic<uint32_t>& LaunchState::BlockFlag(uint32_t block, uint32_t event) {
  const std::lock_guard<std::mutex> lock(sync_mutex_);
  return block_flags_[{block, event}];
}

std::atomic<uint64_t>& LaunchState::Count(uint64_t key) {
  const std::lock_guard<std::mutex> lock(sync_mutex_);
  return counts_[key];
}

const GlobalInterval* LaunchState::SystemWorkspace() {
  const std::lock_guard<std::mutex> lock(sync_mutex_);
  if (workspace_memory_ == nullptr) {
    const uint64_t bytes = request.platform->system_workspace_bytes;
    // Pages that nobody touches cost nothing; calloc would clear them all where it has the memory
    // already.
    void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory != MAP_FAILED)
      workspace_memory_ = std::unique_ptr<void, Unmap>(memory, Unmap{bytes});
    if (workspace_memory_ == nullptr) {
      throw Error(BASCULE_OUT_OF_MEMORY,
                  Join(request.kernel, ": no memory for the system's workspace of a mixed kernel, ",
                       bytes, " bytes."));
    }
    workspace_.begin = reinterpret_cast<uint64_t>(workspace_memory_.get());
    workspace_.end = workspace_.begin + bytes;
    workspace_.name = "the system's workspace";
    workspace_made_.store(true, std::memory_order_release);
  }
  return &workspace_;
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
            [](const Core* a, const Core* b) { return a->Index() < b->Index(); });
  constexpr size_t kShown = 8;
  for (size_t i = 0; i < waiting_.size() && i < kShown; ++i) {
    const Core& core = *waiting_[i];
    const std::string name = CoreName(core);
    text += Join(i == 0 ? "" : "; ", "block ", core.plan.block, name.empty() ? "" : " (", name,
                 name.empty() ? "" : ")", " waits in ", core.wait.describe(core.wait), ", at ",
                 Where(core.wait.site));
    // The pipe would be stuck before the core gets there.
    if (core.flags_awaited != 0) text += Join(" (and before that: ", core.AwaitedFlags(), ")");
  }
  const bool mixed = !waiting_.empty() && waiting_.front()->Cores().mixed();
  const char* noun = mixed ? "cores" : "blocks";
  if (waiting_.size() > kShown) {
    text += Join("; and ", waiting_.size() - kShown, " more ", noun);
  }
  text += Join(". All other ", noun, " have ended.");
  NoteError(waiting_.empty() ? nullptr : waiting_.front(), BASCULE_DEADLOCK, std::move(text));
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

namespace {

// A worker's share of a launch: the cores whose fibres it runs. They stay with it, so a block's
// cores hand over to each other without another thread.
class Worker {
 public:
  explicit Worker(LaunchState& launch) : launch_(launch), pool_(ThePool().cores) {}

  // Starts all cores of a block, and again when the first finds out that they are others.
  void Start(BlockPlan plan) {
    while (!StartOnce(plan)) {
      plan = again_.back();
      again_.pop_back();
    }
  }

  // Runs on those parked cores that need not wait any more. True: there was one.
  bool GoOn() {
    bool moved = false;
    for (size_t i = 0; i < parked.size() && !launch_.failed(); ++i) {
      if (!parked[i]->wait.ready(parked[i]->wait)) continue;
      moved = true;
      if (!Run(*parked[i])) continue;
      pool_.Give(std::unique_ptr<Core>(parked[i]));
      parked.erase(parked.begin() + static_cast<ptrdiff_t>(i));
      --i;
    }
    while (!again_.empty() && !launch_.failed()) {
      const BlockPlan plan = again_.back();
      again_.pop_back();
      Start(plan);
    }
    return moved;
  }

  // What is still parked is abandoned where it stands.
  ~Worker() {
    for (Core* core : parked) {
      core->End(true);
      pool_.Give(std::unique_ptr<Core>(core));
    }
    for (std::unique_ptr<Core>& core : idle_) {
      if (core != nullptr) pool_.Give(std::move(core));
    }
  }

  std::vector<Core*> parked;

 private:
  // False: the block is to begin again, as the last of again_ says.
  bool StartOnce(const BlockPlan& plan) {
    const BlockCores cores = CoresOf(plan.kernel_type);
    std::shared_ptr<BasculeBlock> shared;
    if (cores.aic + cores.aiv > 1) {
      shared = std::make_shared<BasculeBlock>();
      shared->vector_cores = cores.aiv;
    }
    for (uint32_t i = 0; i < uint32_t{cores.aic} + cores.aiv && !launch_.failed(); ++i) {
      const uint8_t kind = i < cores.aic ? BASCULE_CORE_AIC : BASCULE_CORE_AIV;
      std::unique_ptr<Core>& idle = idle_[kind];
      if (idle == nullptr) {
        idle = pool_.Take(*launch_.request.platform, kind);
        idle->options.stream_stores = launch_.request.bytes >= CacheBytes() / 2;
      }
      idle->Begin(launch_, plan, static_cast<uint16_t>(i < cores.aic ? i : i - cores.aic), shared);
      idle->alone = i == 0;
      launch_.Act();
      if (!Run(*idle)) {
        parked.push_back(idle.release());
      } else if (idle->begins_again) {
        return false;
      }
    }
    return true;
  }

  // True: the core's part is over and it is free again.
  bool Run(Core& core) {
    const Leave how = EnterCore(core);
    if (how == Leave::kParked) {
      core.alone = core.Cores().aic + core.Cores().aiv == 1;
      return false;
    }
#if defined(__x86_64__)
    // Streaming stores are not ordered by what publishes the result.
    if (core.options.stream_stores) _mm_sfence();
#endif
    if (core.begins_again) {
      core.Forget();
      again_.push_back(core.plan);
    } else {
      core.End(how == Leave::kAbandoned);
    }
    return true;
  }

  LaunchState& launch_;
  CorePool& pool_;
  std::unique_ptr<Core> idle_[2];  // by kind
  std::vector<BlockPlan> again_;
};

}  // namespace

void LaunchState::Work() {
  active_.fetch_add(1);
  const FloatEnvironment environment;
  CatchFaults();
  if (time_limit != nullptr) time_limit->Enter();
  try {
    Worker worker(*this);
    BlockPlan plan;
    plan.kernel_type = request.kernel_type;
    if (plan.kernel_type != BASCULE_KERNEL_UNSAID) plan.source = TypeSource::kLaunch;
    while (!failed()) {
      // A block that polls is always ready; what it polls for may come from one that has not
      // started.
      if (worker.GoOn() && !HasBlocks()) continue;
      plan.block =
          HasBlocks() ? next_block_.fetch_add(1, std::memory_order_relaxed) : request.block_count;
      if (plan.block < request.block_count) {
        worker.Start(plan);
        continue;
      }
      if (worker.parked.empty()) break;
      if (!WaitForReady(worker.parked)) break;
    }
  } catch (const Error& error) {  // no memory for another core
    RecordError(nullptr, error.status(), error.what());
  }
  if (time_limit != nullptr) time_limit->Leave();
  active_.fetch_sub(1);
  Progress();
}

void LaunchState::Finish() {
  std::sort(ended.begin(), ended.end(),
            [](const Ended& a, const Ended& b) { return a.index < b.index; });
  for (Ended& end : ended) {
    for (Core::Watcher& watcher : end.watchers) {
      watcher.observer->Merge(end.core, std::move(watcher.recorder));
    }
  }
  for (Observer* observer : request.observers) observer->LaunchEnd(failed());
  if (!failed()) return WarnOfFlagsLeft();
  throw Error(error_status_, Join(request.kernel, error_core_, ": ", error_text_));
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
    info.kernel_type = request.kernel_type;
    info.worker_count = limit;
    info.stream = request.stream;
    info.tensors = tensors;
    for (Observer* observer : request.observers) observer->LaunchBegin(info);
  }
  std::optional<TimeLimit> time_limit;
  if (TimeLimit::Wanted().count() != 0) {
    time_limit.emplace(TimeLimit::Wanted());
    state.time_limit = &*time_limit;
  }
  const uint32_t helpers = HelpersFor(request, limit);
  std::optional<WorkingOn> working(state.number);
  if (helpers == 0) {
    state.Work();
  } else {
    Pool& pool = ThePool();
    pool.Offer(state, helpers);
    state.Work();
    pool.Withdraw(state);
  }
  working.reset();
  time_limit.reset();
  state.Finish();
}

}  // namespace bascule::engine
