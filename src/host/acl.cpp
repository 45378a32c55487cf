// SPDX-License-Identifier: Apache-2.0
#include "host/acl.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "engine/platform.h"
#include "host/acl_error.h"
#include "host/aclnn.h"
#include "host/aclop.h"
#include "host/device_memory.h"
#include "host/kernel_name.h"
#include "host/launch.h"
#include "host/observers.h"
#include "host/run_time_compile.h"
#include "host/tensors.h"

namespace bascule::host {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int64_t kMaxBlocks = 65535;  // source: "SIMD BuiltIn keywords", configuration of a kernel

// Work that captured streams were given, in its order, which satisfies every event.
struct Model {
  struct Step {
    std::string name;
    std::function<void()> run;
  };
  void Add(std::string name, std::function<void()> run) {
    const std::lock_guard<std::mutex> lock(mutex);
    steps.push_back({std::move(name), std::move(run)});
  }

  const void* origin = nullptr;  // the stream it began on
  std::mutex mutex;              // of the rest, while it is recorded
  std::vector<Step> steps;
  std::vector<std::shared_ptr<struct Stream>> streams;  // those captured; none when it is complete
};

// An ordered queue whose work is done when it is given. The first error stays until the stream is
// destroyed or the device reset; what comes after it is left out, for it would work on wrong data.
struct Stream {
  std::mutex order;  // held while something of this stream runs
  int32_t code = BASCULE_ACL_SUCCESS;
  std::string sentence;
  bool told = false;
  std::shared_ptr<Model> capture;  // not null: what it is given is recorded
};

struct Event {
  bool recorded = false;
  Clock::time_point when;
  std::weak_ptr<Model> capture;  // in which it was recorded last
};

// What is remembered of a kernel from launch to launch.
struct Kernel {
  std::string name;
  static constexpr uint32_t kNotAsked = UINT32_MAX;
  std::atomic<uint32_t> type{kNotAsked};  // of the kernel's code, where a launch says none
  std::mutex mutex;
  std::map<std::pair<int64_t, uint64_t>, std::atomic<uint64_t>> launch_ns;  // by blocks and bytes
};

struct State {
  DeviceMemory memory;
  std::mutex mutex;  // of everything below
  bool initialised = false;
  std::map<void*, std::shared_ptr<Stream>> streams;  // the default stream under null
  std::map<void*, std::shared_ptr<Event>> events;
  std::map<void*, int32_t> contexts;
  std::map<void*, std::shared_ptr<Model>> models;
  std::unordered_map<const void*, std::unique_ptr<Kernel>> kernels;
};

void TellUntold();

State& TheState() {
  static State* const state = [] {
    State* made = new State;  // outlives static destructors, which may still free
    made->streams[nullptr] = std::make_shared<Stream>();
    std::atexit(TellUntold);
    return made;
  }();
  return *state;
}

thread_local void* current_context = nullptr;

// Its own launch holds the stream, and observers: a kernel that waited for them would wait for
// ever.
void RefuseInKernel(const char* sentence) {
  const BasculeKernelApi& api = engine::KernelApi();
  BasculeCore* const core = api.current_core();
  if (core == nullptr) return;
  const BasculeSite nowhere = {};
  api.fail(core, BASCULE_KERNEL_ERROR, sentence, &nowhere);
}

std::shared_ptr<Stream> FindStream(void* handle, const char* call) {
  RefuseInKernel("a kernel uses a stream; launches, copies and waits are for the host");
  State& state = TheState();
  const std::lock_guard<std::mutex> lock(state.mutex);
  const auto found = state.streams.find(handle);
  if (found == state.streams.end()) {
    throw Refusal(
        BASCULE_ACL_RT_STREAM_CONTEXT,
        Join(call, ": the stream did not come from aclrtCreateStream, or was destroyed."));
  }
  return found->second;
}

std::shared_ptr<Event> FindEvent(void* handle, const char* call) {
  State& state = TheState();
  const std::lock_guard<std::mutex> lock(state.mutex);
  const auto found = state.events.find(handle);
  if (found == state.events.end()) {
    throw Refusal(BASCULE_ACL_RT_PARAM_INVALID,
                  Join(call, ": the event did not come from aclrtCreateEvent, or was destroyed."));
  }
  return found->second;
}

// The stream's error, told once. The caller holds `order`.
int32_t Report(Stream& stream) {
  if (stream.code == BASCULE_ACL_SUCCESS) return stream.code;
  RecentError() = stream.sentence;
  LastCode() = stream.code;
  if (!stream.told) Say(stream.sentence);
  stream.told = true;
  return stream.code;
}

// For what a captured stream cannot do: nothing of it has happened yet. The caller holds `order`.
void RefuseCaptured(const Stream& stream, const char* call) {
  if (stream.capture == nullptr) return;
  throw Refusal(BASCULE_ACL_RT_PARAM_INVALID,
                Join(call, ": the stream is captured; aclmdlRICaptureEnd ends that."));
}

std::vector<std::shared_ptr<Stream>> AllStreams() {
  State& state = TheState();
  const std::lock_guard<std::mutex> lock(state.mutex);
  std::vector<std::shared_ptr<Stream>> all;
  for (const auto& [handle, stream] : state.streams) all.push_back(stream);
  return all;
}

// A program that never synchronises still learns what went wrong, but for streams that are at work.
// Also called when the process ends, where this thread's own variables are gone.
void TellUntold() {
  for (const std::shared_ptr<Stream>& stream : AllStreams()) {
    const std::unique_lock<std::mutex> turn(stream->order, std::try_to_lock);
    if (!turn.owns_lock() || stream->code == BASCULE_ACL_SUCCESS || stream->told) continue;
    Say(stream->sentence);
    stream->told = true;
  }
}

// Runs `body` in its turn on the stream, or records it. An error is the stream's, and the caller's.
// A body that is recorded outlives the call, so it owns what it uses.
template <typename Body>
int32_t OnStream(void* handle, const char* call, Body body) {
  std::shared_ptr<Stream> stream;
  const int32_t found = Guard([&] { stream = FindStream(handle, call); });
  if (found != BASCULE_ACL_SUCCESS) return found;
  const std::lock_guard<std::mutex> turn(stream->order);
  if (stream->code != BASCULE_ACL_SUCCESS) return stream->code;
  if (stream->capture != nullptr) {
    stream->capture->Add(call, body);
    return BASCULE_ACL_SUCCESS;
  }
  const int32_t code = Guard(body);
  if (code != BASCULE_ACL_SUCCESS) {
    stream->code = code;
    stream->sentence = RecentError();
    stream->told = true;
  }
  return code;
}

// --- the device ---------------------------------------------------------------------------------

void CheckDevice(const char* call, int32_t device) {
  if (device == 0) return;
  throw Refusal(BASCULE_ACL_RT_INVALID_DEVICEID,
                Join(call, ": there is no device ", device, "; bascule is one device, number 0."));
}

int32_t Init(const char* /*config*/) {
  return Guard([] {
    State& state = TheState();
    const std::lock_guard<std::mutex> lock(state.mutex);
    if (state.initialised) {
      throw Refusal(BASCULE_ACL_REPEAT_INITIALIZE,
                    "aclInit: called before in this process; once is enough, until aclFinalize.");
    }
    state.initialised = true;
  });
}

int32_t Finalize() {
  TellUntold();
  State& state = TheState();
  const std::lock_guard<std::mutex> lock(state.mutex);
  state.initialised = false;
  return BASCULE_ACL_SUCCESS;
}

const char* RecentSentence() { return RecentError().c_str(); }

int32_t LastError(uint32_t forget) {
  const int32_t code = LastCode();
  if (forget != 0) LastCode() = BASCULE_ACL_SUCCESS;
  return code;
}

int32_t GetDeviceCount(uint32_t* count) {
  return Guard([&] {
    Require(count, "aclrtGetDeviceCount", "count");
    *count = 1;
  });
}

int32_t SetDevice(int32_t device) {
  return Guard([&] { CheckDevice("aclrtSetDevice", device); });
}

int32_t ResetDevice(int32_t device) {
  TellUntold();
  return Guard([&] {
    CheckDevice("aclrtResetDevice", device);
    State& state = TheState();
    const std::lock_guard<std::mutex> lock(state.mutex);
    state.streams[nullptr] = std::make_shared<Stream>();
  });
}

int32_t GetDevice(int32_t* device) {
  return Guard([&] {
    Require(device, "aclrtGetDevice", "deviceId");
    *device = 0;
  });
}

int32_t SynchronizeDevice() {
  int32_t first = BASCULE_ACL_SUCCESS;
  for (const std::shared_ptr<Stream>& stream : AllStreams()) {
    const std::lock_guard<std::mutex> turn(stream->order);
    const int32_t code = Report(*stream);
    if (first == BASCULE_ACL_SUCCESS) first = code;
  }
  return first;
}

int32_t GetMemory(uint64_t* free_bytes, uint64_t* total_bytes) {
  return Guard([&] {
    Require(free_bytes, "aclrtGetMemInfo", "free");
    Require(total_bytes, "aclrtGetMemInfo", "total");
    const uint64_t page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
    *total_bytes = static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)) * page;
    *free_bytes = static_cast<uint64_t>(sysconf(_SC_AVPHYS_PAGES)) * page;
  });
}

const BasculePlatform* Platform() { return &engine::Ascend910B(); }

int32_t CreateContext(void** context, int32_t device) {
  return Guard([&] {
    Require(context, "aclrtCreateContext", "context");
    CheckDevice("aclrtCreateContext", device);
    auto made = std::make_unique<char>();
    State& state = TheState();
    const std::lock_guard<std::mutex> lock(state.mutex);
    state.contexts[made.get()] = device;
    *context = current_context = made.release();
  });
}

void CheckContext(const State& state, void* context, const char* call) {
  if (state.contexts.count(context) != 0) return;
  throw Refusal(
      BASCULE_ACL_RT_CONTEXT_NULL,
      Join(call, ": the context did not come from aclrtCreateContext, or was destroyed."));
}

int32_t DestroyContext(void* context) {
  return Guard([&] {
    State& state = TheState();
    const std::lock_guard<std::mutex> lock(state.mutex);
    CheckContext(state, context, "aclrtDestroyContext");
    state.contexts.erase(context);
    delete static_cast<char*>(context);
    if (current_context == context) current_context = nullptr;
  });
}

int32_t SetContext(void* context) {
  return Guard([&] {
    State& state = TheState();
    const std::lock_guard<std::mutex> lock(state.mutex);
    CheckContext(state, context, "aclrtSetCurrentContext");
    current_context = context;
  });
}

int32_t GetContext(void** context) {
  return Guard([&] {
    Require(context, "aclrtGetCurrentContext", "context");
    *context = current_context;
  });
}

// --- streams and events -------------------------------------------------------------------------

int32_t CreateStream(void** handle) {
  return Guard([&] {
    Require(handle, "aclrtCreateStream", "stream");
    *handle = MakeStream();
  });
}

int32_t DestroyStream(void* handle) {
  return Guard([&] {
    Require(handle, "aclrtDestroyStream", "stream");
    DropStream(handle, "aclrtDestroyStream");
  });
}

int32_t SynchronizeStream(void* handle) {
  std::shared_ptr<Stream> stream;
  const int32_t found = Guard([&] { stream = FindStream(handle, "aclrtSynchronizeStream"); });
  if (found != BASCULE_ACL_SUCCESS) return found;
  const std::lock_guard<std::mutex> turn(stream->order);
  const int32_t captured = Guard([&] { RefuseCaptured(*stream, "aclrtSynchronizeStream"); });
  return captured != BASCULE_ACL_SUCCESS ? captured : Report(*stream);
}

int32_t CreateEvent(void** handle) {
  return Guard([&] {
    Require(handle, "aclrtCreateEvent", "event");
    auto event = std::make_shared<Event>();
    State& state = TheState();
    const std::lock_guard<std::mutex> lock(state.mutex);
    *handle = event.get();
    state.events[event.get()] = std::move(event);
  });
}

int32_t DestroyEvent(void* handle) {
  return Guard([&] {
    FindEvent(handle, "aclrtDestroyEvent");
    State& state = TheState();
    const std::lock_guard<std::mutex> lock(state.mutex);
    state.events.erase(handle);
  });
}

int32_t RecordEvent(void* handle, void* stream) {
  const int32_t found = Guard([&] {
    const std::shared_ptr<Event> event = FindEvent(handle, "aclrtRecordEvent");
    const std::shared_ptr<Stream> on = FindStream(stream, "aclrtRecordEvent");
    const std::lock_guard<std::mutex> turn(on->order);
    const std::lock_guard<std::mutex> lock(TheState().mutex);
    event->capture = on->capture;
  });
  if (found != BASCULE_ACL_SUCCESS) return found;
  return OnStream(stream, "aclrtRecordEvent", [handle] {
    const std::shared_ptr<Event> event = FindEvent(handle, "aclrtRecordEvent");
    const std::lock_guard<std::mutex> lock(TheState().mutex);
    event->recorded = true;
    event->when = Clock::now();
  });
}

int32_t ResetEvent(void* handle, void* stream) {
  return OnStream(stream, "aclrtResetEvent", [handle] {
    const std::shared_ptr<Event> event = FindEvent(handle, "aclrtResetEvent");
    const std::lock_guard<std::mutex> lock(TheState().mutex);
    event->recorded = false;
  });
}

// Whatever was recorded is done, and what was not would be waited for in vain; the documentation
// has both succeed.
int32_t SynchronizeEvent(void* handle) {
  return Guard([&] { FindEvent(handle, "aclrtSynchronizeEvent"); });
}

int32_t QueryEvent(void* handle, int32_t* recorded) {
  return Guard([&] {
    Require(recorded, "aclrtQueryEventStatus", "status");
    const std::shared_ptr<Event> event = FindEvent(handle, "aclrtQueryEventStatus");
    const std::lock_guard<std::mutex> lock(TheState().mutex);
    *recorded = event->recorded ? 1 : 0;
  });
}

int32_t WaitEvent(void* stream, void* handle) {
  const int32_t found = Guard([&] {
    const std::shared_ptr<Event> event = FindEvent(handle, "aclrtStreamWaitEvent");
    const std::shared_ptr<Stream> waiting = FindStream(stream, "aclrtStreamWaitEvent");
    const std::lock_guard<std::mutex> turn(waiting->order);
    std::shared_ptr<Model> capture;
    {
      const std::lock_guard<std::mutex> lock(TheState().mutex);
      capture = event->capture.lock();
    }
    if (waiting->capture != nullptr || capture == nullptr) return;
    const std::lock_guard<std::mutex> lock(capture->mutex);
    if (capture->streams.empty()) return;
    waiting->capture = capture;
    capture->streams.push_back(waiting);
  });
  if (found != BASCULE_ACL_SUCCESS) return found;
  return OnStream(stream, "aclrtStreamWaitEvent",
                  [handle] { FindEvent(handle, "aclrtStreamWaitEvent"); });
}

int32_t Elapsed(float* milliseconds, void* start, void* end) {
  return Guard([&] {
    Require(milliseconds, "aclrtEventElapsedTime", "ms");
    const std::shared_ptr<Event> from = FindEvent(start, "aclrtEventElapsedTime");
    const std::shared_ptr<Event> to = FindEvent(end, "aclrtEventElapsedTime");
    const std::lock_guard<std::mutex> lock(TheState().mutex);
    if (!from->recorded || !to->recorded) {
      throw Refusal(BASCULE_ACL_RT_EVENT_TIMESTAMP_INVALID,
                    Join("aclrtEventElapsedTime: the ", from->recorded ? "end" : "start",
                         " event was not recorded; call aclrtRecordEvent first."));
    }
    *milliseconds = std::chrono::duration<float, std::milli>(to->when - from->when).count();
  });
}

// --- memory -------------------------------------------------------------------------------------

constexpr char kMemoryInKernel[] =
    "a kernel allocates, frees or copies memory with acl; that is for the host";

uint64_t Number(const void* address) { return reinterpret_cast<uint64_t>(address); }

bool OnDevice(const void* address) {
  return TheState().memory.Find(address).kind == DeviceMemory::Kind::kDevice;
}

int32_t Allocate(DeviceMemory::Kind kind, const char* call, const char* argument, void** memory,
                 uint64_t bytes) {
  RefuseInKernel(kMemoryInKernel);
  return Guard([&] {
    Require(memory, call, argument);
    *memory = nullptr;
    const ObserverLease lease;
    *memory = TheState().memory.Allocate(kind, bytes, call);
    lease.Tell([&] {
      return HostEvent{.action = HostAction::kAllocate,
                       .call = call,
                       .address = Number(*memory),
                       .bytes = bytes,
                       .on_device = kind == DeviceMemory::Kind::kDevice};
    });
  });
}

int32_t Release(DeviceMemory::Kind kind, const char* call, void* memory) {
  RefuseInKernel(kMemoryInKernel);
  return Guard([&] {
    const ObserverLease lease;
    const uint64_t bytes = TheState().memory.Release(kind, memory, call);
    lease.Tell([&] {
      return HostEvent{.action = HostAction::kRelease,
                       .call = call,
                       .address = Number(memory),
                       .bytes = bytes,
                       .on_device = kind == DeviceMemory::Kind::kDevice};
    });
  });
}

int32_t AllocateDevice(const char* call, void** memory, uint64_t bytes) {
  return Allocate(DeviceMemory::Kind::kDevice, call, "devPtr", memory, bytes);
}

int32_t ReleaseDevice(const char* call, void* memory) {
  return Release(DeviceMemory::Kind::kDevice, call, memory);
}

int32_t AllocateHost(void** memory, uint64_t bytes) {
  return Allocate(DeviceMemory::Kind::kHost, "aclrtMallocHost", "hostPtr", memory, bytes);
}

int32_t ReleaseHost(void* memory) {
  return Release(DeviceMemory::Kind::kHost, "aclrtFreeHost", memory);
}

struct Direction {
  const char* name;
  int8_t dst_device;  // 1 device, 0 host, -1 either
  int8_t src_device;
};
constexpr Direction kDirections[] = {
    {"ACL_MEMCPY_HOST_TO_HOST", 0, 0},
    {"ACL_MEMCPY_HOST_TO_DEVICE", 1, 0},
    {"ACL_MEMCPY_DEVICE_TO_HOST", 0, 1},
    {"ACL_MEMCPY_DEVICE_TO_DEVICE", 1, 1},
    {"ACL_MEMCPY_DEFAULT", -1, -1},
    {"ACL_MEMCPY_HOST_TO_BUF_TO_DEVICE", 1, 0},
    {"ACL_MEMCPY_INNER_DEVICE_TO_DEVICE", 1, 1},
    {"ACL_MEMCPY_INTER_DEVICE_TO_DEVICE", 1, 1},
};

void DoCopy(const BasculeAclCopy& copy) {
  if (copy.kind >= std::size(kDirections)) {
    throw Refusal(
        BASCULE_ACL_RT_PARAM_INVALID,
        Join(copy.call, ": ", copy.kind, " is no direction of a copy (aclrtMemcpyKind)."));
  }
  const Direction& direction = kDirections[copy.kind];
  if (copy.width == 0 || copy.height == 0) return;
  if (copy.height > 1 && (copy.width > copy.dst_pitch || copy.width > copy.src_pitch)) {
    throw Refusal(
        BASCULE_ACL_RT_PARAM_INVALID,
        Join(copy.call, ": a row of ", copy.width, " bytes is wider than the pitch (destination ",
             copy.dst_pitch, ", source ", copy.src_pitch, " bytes). Nothing was copied."));
  }
  const uint64_t dst_bytes = (copy.height - 1) * copy.dst_pitch + copy.width;
  const uint64_t src_bytes = (copy.height - 1) * copy.src_pitch + copy.width;
  if (copy.height == 1 && copy.width > copy.dst_bytes) {
    throw Refusal(BASCULE_ACL_RT_PARAM_INVALID, Join(copy.call, ": count is ", copy.width,
                                                     " bytes, and destMax says there is room for ",
                                                     copy.dst_bytes, ". Nothing was copied."));
  }
  const DeviceMemory& memory = TheState().memory;
  memory.Check(copy.dst, dst_bytes, direction.dst_device, copy.call, "destination", direction.name);
  memory.Check(copy.src, src_bytes, direction.src_device, copy.call, "source", direction.name);
  const ObserverLease lease;
  char* dst = static_cast<char*>(copy.dst);
  const char* src = static_cast<const char*>(copy.src);
  for (uint64_t row = 0; row < copy.height; ++row) {
    std::memmove(dst + row * copy.dst_pitch, src + row * copy.src_pitch, copy.width);
  }
  lease.Tell([&] {
    return HostEvent{.action = HostAction::kCopy,
                     .call = copy.call,
                     .stream = copy.on_stream != 0 ? Number(copy.stream) : 0,
                     .address = Number(copy.dst),
                     .source = Number(copy.src),
                     .bytes = copy.width,
                     .rows = copy.height,
                     .pitch_bytes = copy.dst_pitch,
                     .source_pitch_bytes = copy.src_pitch,
                     .on_device = OnDevice(copy.dst),
                     .source_on_device = OnDevice(copy.src)};
  });
}

int32_t Copy(const BasculeAclCopy* copy) {
  RefuseInKernel(kMemoryInKernel);
  if (copy->on_stream != 0)
    return OnStream(copy->stream, copy->call, [work = *copy] { DoCopy(work); });
  return Guard([&] { DoCopy(*copy); });
}

void DoFill(const BasculeAclFill& fill) {
  if (fill.count == 0) return;
  if (fill.count > fill.dst_bytes) {
    throw Refusal(BASCULE_ACL_RT_PARAM_INVALID, Join(fill.call, ": count is ", fill.count,
                                                     " bytes, and maxCount says there is room for ",
                                                     fill.dst_bytes, ". Nothing was written."));
  }
  TheState().memory.Check(fill.dst, fill.count, -1, fill.call, "memory", "");
  const ObserverLease lease;
  std::memset(fill.dst, fill.value, fill.count);
  lease.Tell([&] {
    return HostEvent{.action = HostAction::kFill,
                     .call = fill.call,
                     .stream = fill.on_stream != 0 ? Number(fill.stream) : 0,
                     .address = Number(fill.dst),
                     .bytes = fill.count,
                     .on_device = OnDevice(fill.dst)};
  });
}

int32_t Fill(const BasculeAclFill* fill) {
  RefuseInKernel(kMemoryInKernel);
  if (fill->on_stream != 0)
    return OnStream(fill->stream, fill->call, [work = *fill] { DoFill(work); });
  return Guard([&] { DoFill(*fill); });
}

// --- launches -----------------------------------------------------------------------------------

Kernel& FindKernel(const BasculeLaunch& launch) {
  // They are never removed, and most launches of a thread are of one kernel.
  struct Last {
    const void* entry = nullptr;
    Kernel* kernel = nullptr;
  };
  thread_local Last last;
  if (last.kernel != nullptr && last.entry == launch.entry) return *last.kernel;
  State& state = TheState();
  const std::lock_guard<std::mutex> lock(state.mutex);
  std::unique_ptr<Kernel>& kernel = state.kernels[launch.entry];
  if (kernel == nullptr) {
    kernel = std::make_unique<Kernel>();
    kernel->name = launch.name != nullptr ? launch.name : KernelName(launch.entry);
  }
  last = {launch.entry, kernel.get()};
  return *kernel;
}

constexpr size_t kRememberedLaunches = 64;  // of one kernel, by block count and bytes

std::atomic<uint64_t>& KnownTime(Kernel& kernel, int64_t blocks, uint64_t bytes) {
  struct Last {
    const Kernel* kernel = nullptr;
    int64_t blocks = 0;
    uint64_t bytes = 0;
    std::atomic<uint64_t>* time = nullptr;
  };
  thread_local Last last;
  if (last.kernel == &kernel && last.blocks == blocks && last.bytes == bytes) return *last.time;
  const std::lock_guard<std::mutex> lock(kernel.mutex);
  // Entries are never removed: another launch may hold one. Beyond the limit all share one.
  const std::pair<int64_t, uint64_t> key = kernel.launch_ns.size() < kRememberedLaunches
                                               ? std::pair{blocks, bytes}
                                               : std::pair{int64_t{0}, uint64_t{0}};
  const auto found = kernel.launch_ns.find({blocks, bytes});
  last = {&kernel, blocks, bytes,
          found != kernel.launch_ns.end() ? &found->second : &kernel.launch_ns[key]};
  return *last.time;
}

// What may explain the error of a kernel that was given this pointer.
std::string Suspicion(const BasculeLaunch& launch) {
  std::string text;
  for (uint32_t i = 0; i < launch.pointer_count; ++i) {
    if (launch.pointers[i] == nullptr) continue;
    const DeviceMemory::Place place = TheState().memory.Find(launch.pointers[i]);
    if (place.kind == DeviceMemory::Kind::kDevice) continue;
    text += Join(" Argument ", launch.positions[i],
                 place.kind == DeviceMemory::Kind::kFreed
                     ? " of the launch is device memory that is not allocated any more."
                     : " of the launch is host memory; kernels reach what aclrtMalloc gave.");
  }
  return text;
}

std::string LaunchPlace(const BasculeSite& site) {
  return site.file != nullptr ? Join(" (launched at ", site.file, ":", site.line, ")") : "";
}

void DoLaunch(const BasculeLaunch& launch, Kernel& kernel) {
  if (launch.block_count < 1 || launch.block_count > kMaxBlocks) {
    throw Refusal(BASCULE_ACL_RT_PARAM_INVALID,
                  Join(kernel.name, ": launched with ", launch.block_count, " blocks; 1 to ",
                       kMaxBlocks, " are possible."));
  }
  // Kept from launch to launch: most have the same few allocations.
  thread_local std::vector<engine::GlobalInterval> globals;
  thread_local uint64_t generation = 0;
  thread_local std::vector<engine::GlobalInterval*> named;
  for (engine::GlobalInterval* interval : named) interval->name = DeviceMemory::kUnnamed;
  named.clear();
  generation = TheState().memory.Intervals(&globals, generation);
  uint64_t bytes = 0;
  for (uint32_t i = launch.pointer_count; i-- > 0;) {
    const uint64_t address = reinterpret_cast<uint64_t>(launch.pointers[i]);
    auto after =
        std::upper_bound(globals.begin(), globals.end(), address,
                         [](uint64_t at, const engine::GlobalInterval& g) { return at < g.begin; });
    if (after == globals.begin() || address >= std::prev(after)->end) continue;
    engine::GlobalInterval& interval = *std::prev(after);
    // An allocation that is passed twice is read once.
    if (std::find(named.begin(), named.end(), &interval) == named.end()) {
      bytes += interval.end - address;
      named.push_back(&interval);
    }
    interval.name = ArgumentName(launch.positions[i]);
  }

  engine::LaunchRequest request;
  request.kernel = kernel.name.c_str();
  request.invoke = launch.invoke;
  request.closure = launch.closure;
  request.block_count = static_cast<uint32_t>(launch.block_count);
  if (launch.kind != BASCULE_KERNEL_UNSAID) {
    request.kernel_type = KernelTypeOf(launch.entry, launch.kind);
  } else {
    request.kernel_type = kernel.type.load(std::memory_order_relaxed);
    if (request.kernel_type == Kernel::kNotAsked) {
      request.kernel_type = KernelTypeOf(launch.entry, launch.kind);
      kernel.type.store(request.kernel_type, std::memory_order_relaxed);
    }
  }
  request.tiling_key = launch.tiling_key;
  request.stream = Number(launch.stream);
  request.platform = &engine::Ascend910B();
  request.globals = globals;
  request.bytes = bytes;
  Launch(request, KnownTime(kernel, launch.block_count, bytes));
}

// --- models: captured work ----------------------------------------------------------------------

// A launch that outlives its call.
struct CapturedLaunch {
  explicit CapturedLaunch(const BasculeLaunch& from)
      : launch(from),
        pointers(from.pointers, from.pointers + from.pointer_count),
        positions(from.positions, from.positions + from.pointer_count) {
    launch.closure = from.copy_closure(from.closure);
    launch.pointers = pointers.data();
    launch.positions = positions.data();
  }
  ~CapturedLaunch() { launch.free_closure(const_cast<void*>(launch.closure)); }
  CapturedLaunch(const CapturedLaunch&) = delete;
  CapturedLaunch& operator=(const CapturedLaunch&) = delete;

  void Run() const {
    try {
      DoLaunch(launch, FindKernel(launch));
    } catch (const Refusal& refusal) {
      throw Refusal(refusal.code(), refusal.what() + LaunchPlace(launch.site));
    } catch (const Error& error) {
      throw Error(error.status(), error.what() + Suspicion(launch) + LaunchPlace(launch.site));
    }
  }

  BasculeLaunch launch;
  std::vector<const void*> pointers;
  std::vector<uint32_t> positions;
};

void Capture(const BasculeLaunch& launch, Model& model) {
  const std::string& name = FindKernel(launch).name;
  if (launch.copy_closure == nullptr || launch.free_closure == nullptr) {
    throw Error(BASCULE_UNSUPPORTED,
                Join(name,
                     ": this program was built with older headers, whose launches cannot be "
                     "captured; build it again."));
  }
  const auto captured = std::make_shared<const CapturedLaunch>(launch);
  model.Add(name, [captured] { captured->Run(); });
}

int32_t CaptureBegin(void* handle) {
  return Guard([&] {
    const std::shared_ptr<Stream> stream = FindStream(handle, "aclmdlRICaptureBegin");
    const std::lock_guard<std::mutex> turn(stream->order);
    RefuseCaptured(*stream, "aclmdlRICaptureBegin");
    stream->capture = std::make_shared<Model>();
    stream->capture->origin = stream.get();
    stream->capture->streams.push_back(stream);
  });
}

int32_t CaptureEnd(void* handle, void** model) {
  return Guard([&] {
    Require(model, "aclmdlRICaptureEnd", "modelRI");
    const std::shared_ptr<Stream> stream = FindStream(handle, "aclmdlRICaptureEnd");
    std::shared_ptr<Model> capture;
    {
      const std::lock_guard<std::mutex> turn(stream->order);
      capture = stream->capture;
    }
    if (capture == nullptr || capture->origin != stream.get()) {
      throw Refusal(BASCULE_ACL_RT_PARAM_INVALID,
                    "aclmdlRICaptureEnd: no capture began on this stream.");
    }
    std::vector<std::shared_ptr<Stream>> streams;
    {
      const std::lock_guard<std::mutex> lock(capture->mutex);
      streams.swap(capture->streams);
    }
    for (const std::shared_ptr<Stream>& captured : streams) {
      const std::lock_guard<std::mutex> turn(captured->order);
      captured->capture = nullptr;
    }
    State& state = TheState();
    const std::lock_guard<std::mutex> lock(state.mutex);
    *model = capture.get();
    state.models[capture.get()] = std::move(capture);
  });
}

int32_t CaptureStatus(void* handle, int32_t* captured) {
  return Guard([&] {
    Require(captured, "aclmdlRICaptureGetInfo", "status");
    const std::shared_ptr<Stream> stream = FindStream(handle, "aclmdlRICaptureGetInfo");
    const std::lock_guard<std::mutex> turn(stream->order);
    *captured = stream->capture != nullptr ? 1 : 0;
  });
}

std::shared_ptr<Model> FindModel(void* handle, const char* call) {
  State& state = TheState();
  const std::lock_guard<std::mutex> lock(state.mutex);
  const auto found = state.models.find(handle);
  if (found != state.models.end()) return found->second;
  throw Refusal(BASCULE_ACL_RT_PARAM_INVALID,
                Join(call, ": the model did not come from aclmdlRICaptureEnd, or was destroyed."));
}

int32_t ExecuteModel(const char* call, void* handle, void* stream) {
  std::shared_ptr<Model> model;
  const int32_t found = Guard([&] { model = FindModel(handle, call); });
  if (found != BASCULE_ACL_SUCCESS) return found;
  return OnStream(stream, call, [model] {
    for (const Model::Step& step : model->steps) step.run();
  });
}

int32_t WriteModel(void* handle, const char* path) {
  return Guard([&] {
    Require(path, "aclmdlRIDebugJsonPrint", "path");
    const std::shared_ptr<Model> model = FindModel(handle, "aclmdlRIDebugJsonPrint");
    nlohmann::json steps = nlohmann::json::array();
    for (const Model::Step& step : model->steps) steps.push_back({{"name", step.name}});
    std::ofstream file(path);
    file << nlohmann::json{{"steps", std::move(steps)}}.dump(2) << "\n";
    if (!file.flush()) {
      throw Error(BASCULE_INVALID_ARGUMENT,
                  Join("aclmdlRIDebugJsonPrint: ", path, " cannot be written."));
    }
  });
}

int32_t DestroyModel(void* handle) {
  return Guard([&] {
    FindModel(handle, "aclmdlRIDestroy");
    State& state = TheState();
    const std::lock_guard<std::mutex> lock(state.mutex);
    state.models.erase(handle);
  });
}

}  // namespace

void* MakeStream() {
  auto stream = std::make_shared<Stream>();
  State& state = TheState();
  const std::lock_guard<std::mutex> lock(state.mutex);
  void* const handle = stream.get();
  state.streams[handle] = std::move(stream);
  return handle;
}

void DropStream(void* handle, const char* call) {
  const std::shared_ptr<Stream> stream = FindStream(handle, call);
  {
    const std::lock_guard<std::mutex> turn(stream->order);
    RefuseCaptured(*stream, call);
    Report(*stream);
  }
  State& state = TheState();
  const std::lock_guard<std::mutex> lock(state.mutex);
  state.streams.erase(handle);
}

void Synchronize(void* handle, const char* call) {
  const std::shared_ptr<Stream> stream = FindStream(handle, call);
  const std::lock_guard<std::mutex> turn(stream->order);
  RefuseCaptured(*stream, call);
  if (stream->code == BASCULE_ACL_SUCCESS) return;
  stream->told = true;
  throw Error(StatusOf(stream->code), stream->sentence);
}

void RunOnStream(void* handle, const char* call, const std::function<void()>& now,
                 const std::function<std::function<void()>()>& later) {
  const std::shared_ptr<Stream> stream = FindStream(handle, call);
  const std::lock_guard<std::mutex> turn(stream->order);
  if (stream->code != BASCULE_ACL_SUCCESS) {
    stream->told = true;
    throw Error(
        StatusOf(stream->code),
        Join(call, " is left out: something before it on the stream failed: ", stream->sentence));
  }
  if (stream->capture != nullptr) {
    stream->capture->Add(call, later());
    return;
  }
  try {
    now();
  } catch (const Error& error) {
    if (error.status() != BASCULE_KERNEL_ERROR && error.status() != BASCULE_DEADLOCK) throw;
    stream->code = CodeOf(error.status());
    stream->sentence = error.what();
  }
}

const DeviceMemory& TheDeviceMemory() { return TheState().memory; }

void LaunchOnStream(const BasculeLaunch* request) {
  BasculeLaunch launch = {};  // a program built with older headers gives a shorter one
  std::memcpy(&launch, request, std::min<size_t>(request->struct_bytes, sizeof(launch)));
  std::shared_ptr<Stream> stream;
  const int32_t found = Guard([&] { stream = FindStream(launch.stream, "a kernel launch"); });
  if (found != BASCULE_ACL_SUCCESS) return;
  const std::lock_guard<std::mutex> turn(stream->order);
  if (stream->code != BASCULE_ACL_SUCCESS) return;
  try {
    if (stream->capture != nullptr) {
      Capture(launch, *stream->capture);
    } else {
      DoLaunch(launch, FindKernel(launch));
    }
  } catch (const Refusal& refusal) {
    stream->code = refusal.code();
    stream->sentence = refusal.what();
  } catch (const Error& error) {
    stream->code = CodeOf(error.status());
    stream->sentence = error.what() + Suspicion(launch);
  } catch (const std::exception& error) {
    stream->code = BASCULE_ACL_RT_INTERNAL_ERROR;
    stream->sentence = error.what();
  }
  if (stream->code != BASCULE_ACL_SUCCESS) stream->sentence += LaunchPlace(launch.site);
}

const BasculeAclApi& AclApi() {
  static const BasculeAclApi api = {
      .struct_bytes = sizeof(BasculeAclApi),
      .reserved = 0,
      .init = Init,
      .finalize = Finalize,
      .recent_error = RecentSentence,
      .get_device_count = GetDeviceCount,
      .set_device = SetDevice,
      .reset_device = ResetDevice,
      .get_device = GetDevice,
      .synchronize_device = SynchronizeDevice,
      .get_memory = GetMemory,
      .platform = Platform,
      .create_context = CreateContext,
      .destroy_context = DestroyContext,
      .set_context = SetContext,
      .get_context = GetContext,
      .create_stream = CreateStream,
      .destroy_stream = DestroyStream,
      .synchronize_stream = SynchronizeStream,
      .create_event = CreateEvent,
      .destroy_event = DestroyEvent,
      .record_event = RecordEvent,
      .reset_event = ResetEvent,
      .synchronize_event = SynchronizeEvent,
      .query_event = QueryEvent,
      .wait_event = WaitEvent,
      .elapsed = Elapsed,
      .allocate = AllocateDevice,
      .release = ReleaseDevice,
      .allocate_host = AllocateHost,
      .release_host = ReleaseHost,
      .copy = Copy,
      .fill = Fill,
      .program_create = CreateProgram,
      .program_destroy = DestroyProgram,
      .program_add_name = AddName,
      .program_compile = CompileProgram,
      .program_binary = ProgramBinary,
      .program_log = ProgramLog,
      .program_lowered_name = LoweredName,
      .binary_load = LoadBinary,
      .binary_unload = UnloadBinary,
      .binary_function = FindFunction,
      .function_launch = LaunchFunction,
      .capture_begin = CaptureBegin,
      .capture_end = CaptureEnd,
      .capture_status = CaptureStatus,
      .model_execute = ExecuteModel,
      .model_write = WriteModel,
      .model_destroy = DestroyModel,
      .aclnn = &AclnnApi(),
      .aclop = &AclopApi(),
      .last_error = LastError,
  };
  return api;
}

}  // namespace bascule::host
