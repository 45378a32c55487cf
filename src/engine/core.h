// One core while it runs a block: its memories, queues, flags and what it waits for.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ENGINE_CORE_H_
#define BASCULE_ENGINE_CORE_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bascule/abi/kernel.h"
#include "bascule/observer.h"
#include "engine/fibre.h"
#include "engine/kernel_type.h"
#include "engine/launch.h"
#include "engine/memory.h"
#include "engine/pieces.h"
#include "engine/turns.h"
#include "isa/move/bytes.h"
#include "isa/row.h"

namespace bascule::engine {

class LaunchState;

constexpr uint32_t kMaxQueueBuffers = 8;  // a position has 8 event ids
constexpr uint32_t kMaxLiveTensors = 8;   // of all queues at a position, by the same ids
constexpr uint32_t kMaxBuffers = 64;      // buffers a TPipe can manage
constexpr uint32_t kFlagIds = 8;
constexpr uint32_t kCrossCoreFlags = 16;
constexpr uint32_t kMaxCrossCoreSets = 15;  // a counter of four bits

// Bytes at the end of a memory that a platform does not count, because the system needs them in
// mixed kernels. Source: "NPU architecture version 2201" of the Ascend C guide.
constexpr uint64_t SystemBytes(uint32_t memory) {
  return memory == BASCULE_UB || memory == BASCULE_L1 ? 256 : 0;
}

enum class BufferState : uint8_t { kIdle, kAllocated, kEnqueued, kDequeued };

// As large as a power of two, so that to count them takes no division.
struct alignas(256) Queue {
  uint8_t src_position = 0;
  uint8_t dst_position = 0;
  uint32_t depth = 0;
  uint32_t buffer_count = 0;
  uint32_t buffer_bytes = 0;
  uint32_t first_buffer = 0;  // number of the first InitBuffer buffer
  char* base = nullptr;
  // Where buffers lie that are not one behind the other, or not all as large; null: they are.
  char* placed[kMaxQueueBuffers] = {};
  uint32_t placed_bytes[kMaxQueueBuffers] = {};
  uint32_t placed_number[kMaxQueueBuffers] = {};
  uint8_t memory = BASCULE_UB;
  uint32_t next = 0;  // buffer AllocTensor looks at first
  BufferState state[kMaxQueueBuffers] = {};
  uint8_t order[kMaxQueueBuffers] = {};  // enqueued buffers, in a ring from `oldest` on
  uint32_t oldest = 0;
  uint32_t enqueued = 0;
  BasculeSite site = {};

  char* Address(uint32_t index) const {
    return base != nullptr ? base + uint64_t{index} * buffer_bytes : placed[index];
  }
  // Of the InitBuffer that made the buffer.
  uint32_t Number(uint32_t index) const {
    return base != nullptr ? first_buffer + index : placed_number[index];
  }
  uint32_t Bytes(uint32_t index) const {
    return base != nullptr ? buffer_bytes : placed_bytes[index];
  }
};

class Core;

// What a parked fibre waits for.
struct Wait {
  bool (*ready)(const Wait&) = nullptr;
  const void* object = nullptr;
  const Core* core = nullptr;  // who waits, where that is needed to say for what
  uint64_t target = 0;
  uint32_t block = 0;  // of the flag
  uint32_t flag = 0;
  const char* name = "";  // of the call
  std::string (*describe)(const Wait&) = nullptr;
  BasculeSite site = {};
};

// The pipe that fills buffers of a position, and the one that empties them.
uint32_t WriterOf(uint32_t position);
uint32_t ReaderOf(uint32_t position);
const char* PositionName(uint32_t position);
const char* PipeName(uint32_t pipe);

// "file:line", or "an unknown line".
std::string Where(const BasculeSite& site);

// What an instruction that ran before came down to: most kernels issue the same few again and
// again.
struct Known {
  uint16_t opcode = 0;  // 0: nothing known
  BasculeDType dst = 0;
  BasculeDType src = 0;
  uint8_t element_bytes[BASCULE_INLINE_OPERANDS] = {};
  uint8_t operand_count = 0;
  bool reads_destination = false;
  isa::FlatFunction flat = nullptr;
};
constexpr uint32_t kKnown = 64;
constexpr uint32_t kLately = 16;

// How a block's cores came to be known; what stands further down has more weight.
enum class TypeSource : uint8_t { kNobody, kLibrary, kDefault, kTilingKey, kLaunch };

// A block to run, or to run again: its cores, and who said so.
struct BlockPlan {
  uint32_t block = 0;
  uint32_t kernel_type = BASCULE_KERNEL_UNSAID;
  TypeSource source = TypeSource::kNobody;
};

// Pooled: everything that is expensive to make (stack, memory) survives from block to block.
class Core : public BasculeCore {
 public:
  Core(const BasculePlatform& platform, uint8_t core_kind);

  static Core& From(BasculeCore* core) { return *static_cast<Core*>(core); }

  // Worker side: makes the core ready for its part of a block of `launch`.
  // `cores` is what the cores of the block share, null where there is one.
  void Begin(LaunchState& launch, const BlockPlan& plan, uint16_t sub_block,
             std::shared_ptr<BasculeBlock> cores);
  // Worker side: hands recorders back.
  void End(bool failed);
  // Worker side: forgets the block, which begins again.
  void Forget();

  // The place of this core among all of the launch.
  uint32_t Index() const {
    return plan.block * kBlockSlots + (kind == BASCULE_CORE_AIC ? 0 : 1 + sub_block_index);
  }
  BlockCores Cores() const { return CoresOf(plan.kernel_type); }

  // Fibre side: ends the launch with an error and leaves the block. `text()` gives the sentence
  // without the kernel's name and block, which are put in front. It is a callable so that every
  // temporary it makes is gone before the stack is abandoned.
  template <typename Text>
  [[noreturn, gnu::cold, gnu::noinline]] void Fail(BasculeStatus status, Text text) {
    RecordError(status, text());
    fibre.Abandon();
  }
  // Fibre side: parks until the wait is ready.
  void WaitUntil(const Wait& wait);
  // Fibre side: parks once, so that others run. Says whether anything has happened in the launch
  // since the last time; a kernel that polls for what never comes is ended with a sentence.
  void Yield(const BasculeSite& site);

#if defined(BASCULE_ENGINE_BLIND)  // a benchmark's rival: the engine as if nobody could ever watch
  static constexpr bool Wants(EventKind) { return false; }
#else
  bool Wants(EventKind kind) const { return (wanted & Bit(kind)) != 0; }
#endif
  // An event with the core's part filled in.
  Event NewEvent(EventKind kind, const char* name, uint8_t pipe, const BasculeSite* site) const;
  Decision Before(const Event& event);
  void After(const Event& event);
  // Before and After of an event that has no effect on memory.
  void Tell(const Event& event);

  // Instructions that wait run now. To be called before anything that may see or change what they
  // read and write.
  void RunWaiting() {
    if (!pieces.empty()) [[unlikely]]
      RunPieces();
    if (!turns.empty()) [[unlikely]]
      RunTurns();
  }
  void RunPieces();
  void RunTurns();
  // Whether scalar accesses are asked about: somebody watches, or they may be to what waits.
  void WatchScalars();

  // Scalar accesses are merged until something else happens.
  void FlushScalars();

  // Says what the block waits for that has not been set, as "WaitFlag at …", or "".
  std::string AwaitedFlags() const;

  // The number of the InitBuffer an on-chip address lies in; 0: none.
  uint32_t BufferAt(uint8_t memory, uint64_t address) const;
  const GlobalInterval* FindGlobal(uint64_t address, uint64_t bytes) const;
  // The interval whose padding the bytes reach into, which is noted; asked after FindGlobal.
  const GlobalInterval* FindPadded(uint64_t address, uint64_t bytes) const;
  // Which bit stands for an interval in `global_written`; launches that ask and do not say it have
  // fewer than 64.
  uint32_t BitOf(const GlobalInterval& interval) const {
    const uint64_t offset =
        reinterpret_cast<uint64_t>(&interval) - reinterpret_cast<uint64_t>(globals);
    if (offset >= global_bytes) return 63;  // the system's workspace, for which nobody asks
    return interval.bit >= 0 ? static_cast<uint32_t>(interval.bit) % 64
                             : offset / sizeof(GlobalInterval) % 64;
  }
  void NoteWrite(const GlobalInterval& interval) {
    global_written |= uint64_t{1} << BitOf(interval);
  }

  LaunchState* launch = nullptr;
  const GlobalInterval* globals = nullptr;  // those of the launch
  uint64_t global_bytes = 0;                // that they take themselves
  BlockPlan plan;
  // Fibre side: set before the fibre is abandoned to have the block run as `plan` says by then.
  bool begins_again = false;
  // Whether no other core of the block has started.
  bool alone = false;
  // Whether this core has waited for others, or they for it.
  bool seen = false;
  std::shared_ptr<BasculeBlock> shared;
  Fibre fibre;
  OnChipMemory memory[BASCULE_MEMORY_COUNT];
  std::unique_ptr<char[]> sparse;  // what sparse_index points to
  isa::RunOptions options;
  isa::CopyFunction copy_bytes = nullptr;
  isa::StreamFunction stream_bytes = nullptr;
  Known known[kKnown];  // by opcode, what blocks have learned
  Pieces pieces;
  Turns turns;
  bool pipe_open = false;
  BasculeSite pipe_site = {};
  uint64_t used_bytes[BASCULE_MEMORY_COUNT] = {};
  std::vector<Queue> queues;
  uint8_t live_tensors[BASCULE_POS_COUNT] = {};  // allocated and not freed, by position
  struct Buffer {
    uint64_t begin;
    uint64_t end;
    uint8_t memory;
    BasculeSite site;
  };
  std::vector<Buffer> buffers;               // number n is buffers[n - 1]
  size_t buffers_before = 0;                 // so many are of TPipes that have ended
  std::map<uint64_t, uint64_t> count_waits;  // waits of this core so far, by key
  // The flags between two pipes are bits: clear, set, or waited for too early.
  enum class FlagState : uint8_t { kClear, kSet, kAwaited };
  struct Flag {
    FlagState state = FlagState::kClear;
    BasculeSite site = {};  // of the set, or of the wait
  };
  Flag flags[BASCULE_PIPE_COUNT][BASCULE_PIPE_COUNT][kFlagIds] = {};
  uint32_t flags_set = 0;      // so many are set …
  uint32_t flags_awaited = 0;  // … and so many waited for
  uint64_t sequence = 0;
  Wait wait;
  uint64_t polled_activity = 0;  // the launch's activity at the last yield
  uint64_t idle_polls = 0;       // yields since it changed
  mutable uint32_t last_global = 0;
  // What copies found last, those from global memory and those to it, by where on chip the other
  // end was: a buffer mostly serves one tensor.
  const GlobalInterval* lately[2][kLately] = {};

  uint32_t wanted = 0;  // union of the recorders' subscriptions
  struct Watcher {
    Observer* observer;
    std::unique_ptr<Recorder> recorder;
    uint32_t subscriptions;
  };
  std::vector<Watcher> watchers;
  Footprint scalar;  // the merged run of scalar accesses; repeats == 0: none
  BasculeSite scalar_site = {};
  BasculeSite last_site = {};  // of the last instruction
  uint16_t last_opcode = 0;    // 0: none yet
  // Lines that copied less than they asked for, so that a loop asks once whether to warn.
  BasculeSite rounded[4] = {};

 private:
  static void Main(void* self);
  static void Faulted(void* self, const Fault& fault);
  void CheckFlagsAtEnd();
  void RecordError(BasculeStatus status, std::string text);
};

// The core the calling thread is running, null outside a launch.
Core* CurrentCore();

// Worker side: runs the core until its block finishes, parks or is abandoned.
Leave EnterCore(Core& core);

}  // namespace bascule::engine

#endif  // BASCULE_ENGINE_CORE_H_
