// SPDX-License-Identifier: Apache-2.0
#include "engine/core.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <utility>

#include "base/error.h"
#include "base/warning.h"
#include "engine/constants.h"
#include "engine/launch_state.h"

namespace bascule::engine {
namespace {

thread_local Core* current_core = nullptr;

std::atomic<int> fresh_fill{-1};

struct PositionInfo {
  const char* name;
  uint8_t writer;
  uint8_t reader;
};

constexpr PositionInfo kPositions[BASCULE_POS_COUNT] = {
    {"GM", BASCULE_PIPE_MTE3, BASCULE_PIPE_MTE2},
    {"A1", BASCULE_PIPE_MTE2, BASCULE_PIPE_MTE1},
    {"A2", BASCULE_PIPE_MTE1, BASCULE_PIPE_M},
    {"B1", BASCULE_PIPE_MTE2, BASCULE_PIPE_MTE1},
    {"B2", BASCULE_PIPE_MTE1, BASCULE_PIPE_M},
    {"C1", BASCULE_PIPE_MTE2, BASCULE_PIPE_MTE1},
    {"C2", BASCULE_PIPE_MTE1, BASCULE_PIPE_M},
    {"CO1", BASCULE_PIPE_M, BASCULE_PIPE_FIX},
    {"CO2", BASCULE_PIPE_FIX, BASCULE_PIPE_MTE2},
    {"VECIN", BASCULE_PIPE_MTE2, BASCULE_PIPE_V},
    {"VECOUT", BASCULE_PIPE_V, BASCULE_PIPE_MTE3},
    {"VECCALC", BASCULE_PIPE_V, BASCULE_PIPE_V},
    {"SPM", BASCULE_PIPE_MTE3, BASCULE_PIPE_MTE2},
    {"TSCM", BASCULE_PIPE_MTE2, BASCULE_PIPE_MTE1},
    {"C2PIPE2GM", BASCULE_PIPE_MTE1, BASCULE_PIPE_FIX},
};

}  // namespace

Core* CurrentCore() { return current_core; }

uint32_t WriterOf(uint32_t position) { return kPositions[position].writer; }
uint32_t ReaderOf(uint32_t position) { return kPositions[position].reader; }
const char* PositionName(uint32_t position) {
  return position < BASCULE_POS_COUNT ? kPositions[position].name : "an unknown position";
}

const char* PipeName(uint32_t pipe) {
  static constexpr const char* kNames[] = {"S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX", "ALL"};
  return pipe < sizeof(kNames) / sizeof(kNames[0]) ? kNames[pipe] : "an unknown pipe";
}

std::string Where(const BasculeSite& site) {
  if (site.file == nullptr || site.line == 0) return "an unknown line";
  return Join(site.file, ":", site.line);
}

Core::Core(const BasculePlatform& platform, uint8_t core_kind) : BasculeCore{} {
  BasculeCore::api = &KernelApi();
  struct_bytes = sizeof(BasculeCore);
  kind = core_kind;
  for (int i = BASCULE_GM + 1; i < BASCULE_MEMORY_COUNT; ++i) {
    // A vector core has the unified buffer, a cube core all other memories.
    if ((i == BASCULE_UB) == (kind == BASCULE_CORE_AIV)) {
      memory[i] = OnChipMemory(platform.memory_bytes[i] + SystemBytes(static_cast<uint32_t>(i)));
    }
  }
  if (kind == BASCULE_CORE_AIC) {
    sparse = std::make_unique<char[]>(platform.memory_bytes[BASCULE_L0B] / 4);
    sparse_index = sparse.get();
  }
  for (int i = 0; i < BASCULE_MEMORY_COUNT; ++i) {
    memory_begin[i] = memory[i].begin();
    if (memory[i].begin() != nullptr) memory_end[i] = memory[i].begin() + platform.memory_bytes[i];
  }
}

void SetFreshFill(int byte) { fresh_fill.store(byte, std::memory_order_relaxed); }

void Core::Begin(LaunchState& state, const BlockPlan& block_plan, uint16_t sub_block,
                 std::shared_ptr<BasculeBlock> cores_of_block) {
  if (const int byte = fresh_fill.load(std::memory_order_relaxed); byte >= 0) [[unlikely]] {
    for (int i = BASCULE_GM + 1; i < BASCULE_MEMORY_COUNT; ++i) {
      char* const begin = static_cast<char*>(memory_begin[i]);
      if (begin == nullptr) continue;
      std::memset(begin, byte, static_cast<size_t>(static_cast<char*>(memory_end[i]) - begin));
    }
  }
  launch = &state;
  globals = state.request.globals.data();
  global_bytes = state.request.globals.size_bytes();
  plan = block_plan;
  begins_again = false;
  seen = false;
  shared = std::move(cores_of_block);
  block = shared.get();
  const BlockCores cores = Cores();
  sub_block_index = sub_block;
  sub_block_count = kind == BASCULE_CORE_AIC ? cores.aic : cores.aiv;
  block_index = plan.block * sub_block_count + sub_block;
  block_count = state.request.block_count;
  tiling_key = state.request.tiling_key;
  counter_mode = 0;
  deq_scale_set = pad_value_set = 0;
  gathered = 0;
  fixpipe_word = 0;
  fixpipe_words = nullptr;
  fixpipe_matrices = 1;
  fixpipe_from_stride = fixpipe_to_stride = fixpipe_reserved = 0;
  image_size = image_padding = 0;
  image_boundary = 0;
  image_repeat_stride = image_repeat_side = 0;
  image_repeats = 1;
  hf32 = hf32_to_zero = 0;
  control = uint64_t{1} << BASCULE_CONTROL_INFINITY;
  vector_mask[0] = vector_mask[1] = ~uint64_t{0};
  user_pipe = nullptr;
  cube_user = nullptr;
  system_workspace =
      block != nullptr ? reinterpret_cast<void*>(state.SystemWorkspace()->begin) : nullptr;
  options.ahead.count = 0;
  stream_bytes = isa::StreamBytes();
  if (const isa::CopyFunction copy = isa::CopyBytes(); copy != copy_bytes) {
    copy_bytes = copy;  // that of another CPU target, as are all functions known
    for (Known& entry : known) entry.opcode = 0;
  }
  for (BasculeSite& site : rounded) site = BasculeSite{};
  last_opcode = 0;
  atomic_op = options.atomic_op = BASCULE_ATOMIC_NONE;
  atomic_dtype = options.atomic_dtype = BASCULE_FLOAT;
  poll_budget = BASCULE_POLL_BUDGET;
  idle_polls = 0;
  registers = BasculeRegisters{};
  pipe_open = false;
  std::fill(std::begin(used_bytes), std::end(used_bytes), 0);
  queues.clear();
  std::fill(std::begin(live_tensors), std::end(live_tensors), uint8_t{0});
  buffers.clear();
  buffers_before = 0;
  count_waits.clear();
  if (flags_set != 0 || flags_awaited != 0) {
    for (auto& from : flags) {
      for (auto& to : from) {
        for (Flag& flag : to) flag.state = FlagState::kClear;
      }
    }
    flags_set = flags_awaited = 0;
  }
  sequence = 0;
  last_global = 0;
  for (auto& direction : lately) {
    for (const GlobalInterval*& interval : direction) interval = nullptr;
  }
  global_written = 0;
  wanted = state.subscriptions;
  pieces.Begin(options.stream_stores && !Wants(EventKind::kInstruction));
  turns.Begin(kind == BASCULE_CORE_AIC && !Wants(EventKind::kInstruction));
  raw_pointers =
      pieces.wanted() || turns.wanted() ? 0 : 1;  // where nothing waits, nobody has to know
  WatchScalars();
  scalar.repeats = 0;
  if (!state.request.observers.empty()) {
    const std::lock_guard<std::mutex> lock(state.observers_mutex);
    const CoreInfo info = {plan.block, kind, sub_block};
    for (Observer* observer : state.request.observers) {
      watchers.push_back({observer, observer->MakeRecorder(info), observer->Subscriptions()});
    }
  }
  fibre.Prepare(&Core::Main, &Core::Faulted, this);
}

void Core::End(bool failed) {
  if (launch->request.written != nullptr) launch->request.written->fetch_or(global_written);
  if (shared != nullptr) {
    // Who waits in another core of the block sees that this one will not ask for anything any more.
    if (kind == BASCULE_CORE_AIV) __atomic_fetch_sub(&shared->vector_cores, 1, __ATOMIC_SEQ_CST);
    __atomic_fetch_add(&shared->news, 1, __ATOMIC_SEQ_CST);
    shared = nullptr;
    block = nullptr;
    launch->Act();
    launch->Progress();
  }
  if (watchers.empty()) return;
  if (!failed) FlushScalars();
  for (Watcher& watcher : watchers) watcher.recorder->BlockEnd(failed);
  const std::lock_guard<std::mutex> lock(launch->observers_mutex);
  launch->ended.push_back({Index(), {plan.block, kind, sub_block_index}, std::move(watchers)});
  watchers.clear();
}

void Core::Forget() {
  watchers.clear();
  shared = nullptr;
  block = nullptr;
}

void Core::Main(void* argument) {
  Core& self = *static_cast<Core*>(argument);
  const LaunchRequest& request = self.launch->request;
  // A kernel's own exception stops here: below this frame is no C++ that could take it.
  std::string thrown;
  try {
    request.invoke(request.closure);
    self.RunWaiting();
    self.CheckFlagsAtEnd();
    return;
  } catch (const std::exception& error) {
    thrown = Join("the kernel threw an exception: ", error.what());
  } catch (...) {
    thrown = "the kernel threw an exception that is no std::exception.";
  }
  self.Fail(BASCULE_KERNEL_ERROR, [&] { return std::move(thrown); });
}

void Core::Faulted(void* argument, const Fault& fault) {
  Core& self = *static_cast<Core*>(argument);
  self.Fail(BASCULE_KERNEL_ERROR, [&] { return DescribeFault(self, fault); });
}

std::string Core::AwaitedFlags() const {
  std::string text;
  if (flags_awaited == 0) return text;
  for (uint32_t from = 0; from < BASCULE_PIPE_COUNT; ++from) {
    for (uint32_t to = 0; to < BASCULE_PIPE_COUNT; ++to) {
      for (uint32_t id = 0; id < kFlagIds; ++id) {
        const Flag& flag = flags[from][to][id];
        if (flag.state != FlagState::kAwaited) continue;
        text += Join(text.empty() ? "" : "; ", "WaitFlag at ", Where(flag.site), ": pipe ",
                     PipeName(to), " waits for event ", id, " of pipe ", PipeName(from));
      }
    }
  }
  return text;
}

void Core::CheckFlagsAtEnd() {
  if (flags_awaited != 0) {
    Fail(BASCULE_DEADLOCK, [&] {
      return Join(AwaitedFlags(),
                  ", which is never set. The hardware would wait for ever: the SetFlag of the same "
                  "two pipes and the same id is missing.");
    });
  }
  if (flags_set != 0) {
    for (uint32_t from = 0; from < BASCULE_PIPE_COUNT; ++from) {
      for (uint32_t to = 0; to < BASCULE_PIPE_COUNT; ++to) {
        for (uint32_t id = 0; id < kFlagIds; ++id) {
          const Flag& flag = flags[from][to][id];
          if (flag.state != FlagState::kSet) continue;
          WarnOnce("SetFlag", flag.site.file, flag.site.line,
                   Join(launch->request.kernel, ": SetFlag at ", Where(flag.site), ": event ", id,
                        " from pipe ", PipeName(from), " to pipe ", PipeName(to),
                        " is still set when the kernel ends, and the next kernel on the core would "
                        "start with it. A WaitFlag is missing."));
        }
      }
    }
  }
}

void Core::RecordError(BasculeStatus status, std::string text) {
  if (flags_awaited != 0 && status != BASCULE_DEADLOCK) {
    // What went wrong later may follow from it.
    text += Join(" Before that: ", AwaitedFlags(), ", which had not been set.");
  }
  launch->RecordError(this, status, std::move(text));
}

void Core::WaitUntil(const Wait& condition) {
  while (!condition.ready(condition)) {
    wait = condition;
    fibre.Park();
  }
  wait.ready = nullptr;
}

void Core::Yield(const BasculeSite& site) {
  // Nobody else may have anything to do but to poll as well. What others do shows as activity; a
  // kernel that sees none for this long will never see any.
  constexpr uint64_t kPatience = 200000;
  const uint64_t activity = launch->Activity();
  if (activity != polled_activity) {
    polled_activity = activity;
    idle_polls = 0;
  } else if (++idle_polls > kPatience) {
    Fail(BASCULE_DEADLOCK, [&] {
      return Join("the kernel polls at ", Where(site),
                  " for something that never comes: no block has done "
                  "anything else for a long time.");
    });
  }
  Wait once;
  once.ready = [](const Wait&) { return true; };
  once.describe = [](const Wait&) { return std::string("a polling loop"); };
  once.site = site;
  wait = once;
  fibre.Park();
  wait.ready = nullptr;
}

Event Core::NewEvent(EventKind event_kind, const char* name, uint8_t pipe,
                     const BasculeSite* site) const {
  Event event;
  event.kind = event_kind;
  event.pipe = pipe;
  event.core_kind = kind;
  event.block = plan.block;
  event.sub_block = sub_block_index;
  event.launch = launch->number;
  event.sequence = sequence;
  event.name = name;
  if (site != nullptr) event.site = *site;
  return event;
}

Decision Core::Before(const Event& event) {
  Decision decision = Decision::kRun;
  for (Watcher& watcher : watchers) {
    if ((watcher.subscriptions & Bit(event.kind)) == 0) continue;
    if (watcher.recorder->Before(event) == Decision::kSkip) decision = Decision::kSkip;
  }
  return decision;
}

void Core::After(const Event& event) {
  for (Watcher& watcher : watchers) {
    if ((watcher.subscriptions & Bit(event.kind)) != 0) watcher.recorder->After(event);
  }
}

void Core::Tell(const Event& event) {
  Before(event);
  After(event);
}

void Core::WatchScalars() {
  watch_scalar = Wants(EventKind::kScalar) || !pieces.empty() || !turns.empty() ? 1 : 0;
}

void Core::RunPieces() {
  pieces.Run(copy_bytes, stream_bytes, options.ahead);
  WatchScalars();
}

void Core::RunTurns() {
  turns.Run();
  WatchScalars();
}

void Core::FlushScalars() {
  if (scalar.repeats == 0) return;
  Footprint run = scalar;
  scalar.repeats = 0;
  Event event = NewEvent(EventKind::kScalar, run.writes ? "SetValue" : "GetValue", BASCULE_PIPE_S,
                         &scalar_site);
  event.operands = std::span<const Footprint>(&run, 1);
  Tell(event);
}

uint32_t Core::BufferAt(uint8_t where, uint64_t address) const {
  // The last made that is there: a pool is a buffer too, and others lie in it.
  for (size_t i = buffers.size(); i-- > 0;) {
    if (buffers[i].memory == where && address >= buffers[i].begin && address < buffers[i].end) {
      return static_cast<uint32_t>(i + 1);
    }
  }
  return 0;
}

const GlobalInterval* Core::FindGlobal(uint64_t address, uint64_t bytes) const {
  const std::span<const GlobalInterval> all = launch->request.globals;
  auto holds = [&](const GlobalInterval& interval) {
    return address >= interval.begin && address <= interval.end && bytes <= interval.end - address;
  };
  if (last_global < all.size() && holds(all[last_global])) return &all[last_global];
  // Sorted by begin; views of one buffer overlap, so more than the nearest has to be asked.
  auto after = std::upper_bound(all.begin(), all.end(), address,
                                [](uint64_t at, const GlobalInterval& i) { return at < i.begin; });
  while (after != all.begin() && !holds(*std::prev(after))) --after;
  if (after == all.begin()) {
    const GlobalInterval* own = launch->SystemWorkspaceIfMade();
    if (own != nullptr && holds(*own)) return own;
    if (const GlobalInterval* padded = FindPadded(address, bytes)) return padded;
    const GlobalInterval* constant = FindConstant(address);
    return constant != nullptr && holds(*constant) ? constant : nullptr;
  }
  --after;
  last_global = static_cast<uint32_t>(after - all.begin());
  return &*after;
}

const GlobalInterval* Core::FindPadded(uint64_t address, uint64_t bytes) const {
  const LaunchRequest& request = launch->request;
  if (request.padding_used == nullptr) return nullptr;
  for (const GlobalInterval& interval : request.globals) {
    if (address < interval.begin || address > interval.padded_end ||
        bytes > interval.padded_end - address) {
      continue;
    }
    if (bytes != 0) request.padding_used->store(true, std::memory_order_relaxed);
    return &interval;
  }
  return nullptr;
}

Leave EnterCore(Core& core) {
  Core* const outer = current_core;  // not null when a kernel itself launches
  current_core = &core;
  const Leave how = core.fibre.Enter();
  current_core = outer;
  return how;
}

}  // namespace bascule::engine
