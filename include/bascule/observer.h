// The observer interface: what the engine tells to whoever watches a launch.
//
// Every Ascend C call is an event that carries everything an observer needs; nothing has to be
// looked up in the engine. An observer is a factory of recorders: one recorder per core, entered
// by one thread at a time, never by two, so recorders need no locks. Events are built only for
// kinds somebody subscribed to.
//
// C++20. Observers live in the process of the runtime and are compiled with it (tests, tools) or
// attached by name through the C interface. SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_OBSERVER_H_
#define BASCULE_OBSERVER_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "bascule/abi/kernel.h"

namespace bascule {

enum class EventKind : uint8_t {
  kInstruction,  // vector, cube and move instructions; `instruction` and `operands` are set
  kScalar,  // reads or writes of single elements by pipe S, consecutive ones of a call site merged
  kPipeBegin,    // a TPipe begins
  kInitBuffer,   // `queue`, `position`, `bytes` (of one buffer), `buffer` (its number)
  kAllocTensor,  // queue events: `queue`, `address`, `buffer`, `position`, `from_pipe` → `to_pipe`
  kEnQue,
  kDeQue,
  kFreeTensor,
  kSetFlag,  // `from_pipe`, `to_pipe`, `flag`
  kWaitFlag,
  kBarrier,  // `to_pipe`: the pipe, or BASCULE_PIPE_ALL
  kSyncAll,  // after the barrier has opened
  kCount
};
constexpr uint32_t Bit(EventKind kind) { return uint32_t{1} << static_cast<uint32_t>(kind); }
constexpr uint32_t kAllEvents = (uint32_t{1} << static_cast<uint32_t>(EventKind::kCount)) - 1;

// The bytes one operand touches: `repeats` times `runs` runs of `run_bytes` bytes. `mask` selects
// lanes within a repeat in the mask forms and is all ones otherwise.
struct Footprint {
  uint64_t address = 0;  // host address; on chip its low 32 bits are the hardware's
  uint64_t run_bytes = 0;
  uint64_t run_stride_bytes = 0;
  uint64_t repeat_stride_bytes = 0;
  uint64_t span_bytes = 0;  // first byte to one past the last
  uint32_t runs = 0;
  uint32_t repeats = 0;
  uint32_t buffer = 0;  // number of the InitBuffer the address lies in; 0: none, or global memory
  uint8_t memory = BASCULE_GM;
  BasculeDType dtype = 0;
  bool reads = false;
  bool writes = false;
  uint64_t mask[2] = {~uint64_t{0}, ~uint64_t{0}};
};

struct Event {
  EventKind kind = EventKind::kInstruction;
  uint8_t pipe = BASCULE_PIPE_S;  // where it executes
  uint8_t core_kind = BASCULE_CORE_AIV;
  uint16_t opcode = 0;
  uint16_t sub_block = 0;  // GetSubBlockIdx(): which of the block's cores of this kind
  uint32_t block = 0;      // of the launch; on a kernel's only core of a block GetBlockIdx()
  uint64_t launch = 0;     // number of the launch in this process
  uint64_t sequence = 0;   // number of the event on its core, subscribed or not
  const char* name = "";   // "Mul", "EnQue", …
  BasculeSite site = {nullptr, 0, 0};
  std::span<const Footprint> operands;
  const BasculeInstruction* instruction = nullptr;

  uint32_t queue = 0;  // the queue's handle in its block
  uint32_t position = 0;
  uint32_t buffer = 0;
  uint64_t address = 0;
  uint64_t bytes = 0;
  uint32_t from_pipe = 0;
  uint32_t to_pipe = 0;
  uint32_t flag = 0;
};

struct LaunchInfo {
  uint64_t launch = 0;
  const char* kernel = "";
  uint32_t block_count = 0;
  uint32_t kernel_type = BASCULE_KERNEL_UNSAID;  // BASCULE_KERNEL_…, as far as the launch knows
  uint32_t worker_count = 0;                     // upper bound
  uint64_t stream = 0;         // handle of the acl stream; 0: the default one, or no stream at all
  bool automatic_sync = true;  // built with the toolchain's automatic synchronisation
  struct Tensor {
    uint64_t address;
    uint64_t bytes;
    uint32_t rights;  // BASCULE_READ | BASCULE_WRITE
    const char* name;
  };
  std::span<const Tensor> tensors;
};

// What a program did to memory through acl, beside launches: told when it is done, so memory holds
// the results and what was released is gone. Work that a stream captured is told when it runs.
enum class HostAction : uint8_t { kAllocate, kRelease, kCopy, kFill };

struct HostEvent {
  HostAction action = HostAction::kAllocate;
  const char* call = "";     // "aclrtMalloc", …; valid during the call only
  uint64_t stream = 0;       // as in LaunchInfo; 0 where the host waits
  uint64_t address = 0;      // of the memory; of a copy, its destination
  uint64_t source = 0;       // of a copy
  uint64_t bytes = 0;        // of one row
  uint64_t rows = 1;         // of a copy
  uint64_t pitch_bytes = 0;  // from a row of the destination to the next; rows == 1: no matter
  uint64_t source_pitch_bytes = 0;
  bool on_device = false;  // whether kernels reach `address`
  bool source_on_device = false;
};

enum class Decision : uint8_t { kRun, kSkip };

// A core that runs a block, or, in a mixed kernel, its part of one.
struct CoreInfo {
  uint32_t block = 0;
  uint8_t kind = BASCULE_CORE_AIV;
  uint16_t sub_block = 0;
};

// Watches one core. Hooks default to nothing.
class Recorder {
 public:
  virtual ~Recorder() = default;
  // Before the event takes effect. kSkip: it does not (instructions only), so that a run with
  // findings can go on.
  virtual Decision Before(const Event&) { return Decision::kRun; }
  // After it took effect; memory holds the results.
  virtual void After(const Event&) {}
  // The core ended; `failed` when the launch ended with an error.
  virtual void BlockEnd(bool failed) { (void)failed; }
};

// Watches launches. Begin and End are called by the launching thread; MakeRecorder by workers, one
// call at a time. Recorders are handed back by ascending block and, within one, the cube core's
// before the vector cores', whoever ran them, so reports are the same every time. A block that
// begins again, because the kernel says only when it runs which cores it is for, has new recorders;
// the first is not handed back. Host is called by the thread that acts, between launches: of all
// these calls no two run at a time, and their order is the order in which things happened.
class Observer {
 public:
  virtual ~Observer() = default;
  // Bits of the event kinds wanted; read once per launch.
  virtual uint32_t Subscriptions() const { return kAllEvents; }
  virtual void LaunchBegin(const LaunchInfo&) {}
  virtual std::unique_ptr<Recorder> MakeRecorder(const CoreInfo& core) = 0;
  virtual void Merge(const CoreInfo& core, std::unique_ptr<Recorder> recorder) = 0;
  virtual void LaunchEnd(bool failed) { (void)failed; }
  virtual void Host(const HostEvent&) {}
  // What was seen, as JSON.
  virtual std::string Report() const = 0;
};

}  // namespace bascule

#endif  // BASCULE_OBSERVER_H_
