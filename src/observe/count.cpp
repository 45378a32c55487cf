// SPDX-License-Identifier: Apache-2.0
#include "observe/count.h"

#include <sstream>
#include <utility>
#include <vector>

namespace bascule::observe {
namespace {

constexpr const char* kPipeNames[BASCULE_PIPE_COUNT] = {"S",    "V",    "M",  "MTE1",
                                                        "MTE2", "MTE3", "FIX"};

class CountRecorder : public Recorder {
 public:
  void After(const Event& event) override {
    Slot& slot = Find(event);
    ++slot.counts.instructions;
    uint64_t repeats = 0;
    for (const Footprint& print : event.operands) {
      const uint64_t bytes = print.run_bytes * print.runs * print.repeats;
      if (print.reads) slot.counts.bytes_read += bytes;
      if (print.writes) {
        slot.counts.bytes_written += bytes;
        const bool vector = event.pipe == BASCULE_PIPE_V && event.kind == EventKind::kInstruction;
        repeats = vector ? (bytes + BASCULE_REPEAT_BYTES - 1) / BASCULE_REPEAT_BYTES
                         : uint64_t{print.runs} * print.repeats;
      }
    }
    slot.counts.repeats += repeats;
  }

  void AddTo(uint8_t kind, CountObserver::Table& table) const {
    for (const Slot& slot : slots_) table[{kind, slot.pipe, slot.name}].Add(slot.counts);
  }

 private:
  // Names are literals of the runtime, so their addresses tell them apart.
  struct Slot {
    uint8_t pipe;
    const char* name;
    CountObserver::Counts counts;
  };
  Slot& Find(const Event& event) {
    for (Slot& slot : slots_) {
      if (slot.name == event.name && slot.pipe == event.pipe) return slot;
    }
    slots_.push_back({event.pipe, event.name, {}});
    return slots_.back();
  }

  std::vector<Slot> slots_;
};

}  // namespace

void CountObserver::Counts::Add(const Counts& other) {
  instructions += other.instructions;
  repeats += other.repeats;
  bytes_read += other.bytes_read;
  bytes_written += other.bytes_written;
}

uint32_t CountObserver::Subscriptions() const {
  return Bit(EventKind::kInstruction) | Bit(EventKind::kScalar) | Bit(EventKind::kSetFlag) |
         Bit(EventKind::kWaitFlag) | Bit(EventKind::kBarrier) | Bit(EventKind::kSyncAll);
}

void CountObserver::LaunchBegin(const LaunchInfo& info) {
  ++launches_;
  last_block_ = info.block_count;  // none of this launch
}

std::unique_ptr<Recorder> CountObserver::MakeRecorder(const CoreInfo&) {
  return std::make_unique<CountRecorder>();
}

void CountObserver::Merge(const CoreInfo& core, std::unique_ptr<Recorder> recorder) {
  ++cores_;
  if (core.block != last_block_) ++blocks_;
  last_block_ = core.block;
  static_cast<const CountRecorder&>(*recorder).AddTo(core.kind, table_);
}

void CountObserver::Host(const HostEvent& event) {
  HostCounts& counts = host_[event.call];
  ++counts.calls;
  counts.bytes += event.bytes * event.rows;
}

std::string CountObserver::Report() const {
  // Names are identifiers, so nothing needs escaping.
  std::ostringstream out;
  out << "{\"launches\": " << launches_ << ", \"blocks\": " << blocks_ << ", \"cores\": " << cores_
      << ", \"instructions\": [";
  const char* separator = "";
  for (const auto& [key, counts] : table_) {
    const auto& [kind, pipe, name] = key;
    out << separator << "{\"core\": \"" << (kind == BASCULE_CORE_AIC ? "AIC" : "AIV")
        << "\", \"pipe\": \"" << kPipeNames[pipe] << "\", \"name\": \"" << name
        << "\", \"instructions\": " << counts.instructions << ", \"repeats\": " << counts.repeats
        << ", \"bytes_read\": " << counts.bytes_read
        << ", \"bytes_written\": " << counts.bytes_written << "}";
    separator = ", ";
  }
  out << "], \"host\": [";
  separator = "";
  for (const auto& [call, counts] : host_) {
    out << separator << "{\"call\": \"" << call << "\", \"calls\": " << counts.calls
        << ", \"bytes\": " << counts.bytes << "}";
    separator = ", ";
  }
  out << "]}";
  return out.str();
}

}  // namespace bascule::observe
