// A race detector small enough to read: shows that the event stream carries what a sanitizer needs.
//
// Pipes run beside each other; what pipe A wrote is there for pipe B only after a hand-over from A
// to B: an EnQue and the DeQue of the same buffer, a SetFlag and its WaitFlag, or a barrier. The
// detector numbers the instructions of each pipe, remembers who wrote each stretch of on-chip
// memory, and how far every pipe knows every other to be done. A read of something newer than that
// is a race.
//
// That alone would miss one forgotten DeQue of two: MTE2 works in order, so whoever waited for the
// copy that was given last has waited for both, and only luck in the order of two lines makes it
// right. A read of a buffer that is still in its queue is therefore a finding of its own.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_TESTS_OBSERVE_RACE_DETECTOR_H_
#define BASCULE_TESTS_OBSERVE_RACE_DETECTOR_H_

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bascule/observer.h"
#include "base/error.h"

namespace bascule::test {

enum class RaceKind { kUnordered, kStillQueued };

struct Race {
  RaceKind kind;
  uint32_t block;
  std::string writer;  // "DataCopyPad"
  uint32_t writer_line;
  uint8_t writer_pipe;
  std::string reader;
  uint32_t reader_line;
  uint8_t reader_pipe;
  uint32_t buffer_line;  // the InitBuffer of the memory they meet in
};

class RaceDetector : public Observer {
 public:
  class BlockRecorder : public Recorder {
   public:
    explicit BlockRecorder(uint32_t block) : block_(block) {}

    Decision Before(const Event& event) override {
      switch (event.kind) {
        case EventKind::kInitBuffer:
          buffer_lines_[event.buffer] = event.site.line;
          break;
        case EventKind::kEnQue:
          in_queue_[event.address] = done_[event.from_pipe];
          queued_[event.buffer] = true;
          break;
        case EventKind::kDeQue:
          queued_[event.buffer] = false;
          Learn(event.to_pipe, event.from_pipe, in_queue_[event.address]);
          break;
        case EventKind::kSetFlag:
          flags_[{event.from_pipe, event.to_pipe, event.flag}].push_back(done_[event.from_pipe]);
          break;
        case EventKind::kWaitFlag: {
          std::vector<uint64_t>& set = flags_[{event.from_pipe, event.to_pipe, event.flag}];
          Learn(event.to_pipe, event.from_pipe, set.front());
          set.erase(set.begin());
          break;
        }
        case EventKind::kBarrier:
          if (event.to_pipe != BASCULE_PIPE_ALL) break;
          for (uint32_t to = 0; to < BASCULE_PIPE_COUNT; ++to) {
            for (uint32_t from = 0; from < BASCULE_PIPE_COUNT; ++from) Learn(to, from, done_[from]);
          }
          break;
        case EventKind::kInstruction:
          Instruction(event);
          break;
        default:
          break;
      }
      return Decision::kRun;
    }

    std::vector<Race> races;

   private:
    struct Write {
      uint64_t begin;
      uint64_t end;
      uint8_t pipe;
      uint64_t number;
      const char* name;
      uint32_t line;
    };

    void Learn(uint32_t to, uint32_t from, uint64_t number) {
      known_[to][from] = std::max(known_[to][from], number);
    }

    // What is overwritten is nobody's any more; what sticks out on either side stays.
    void Forget(uint64_t begin, uint64_t end) {
      std::vector<Write> left;
      for (const Write& write : writes_) {
        if (write.begin < begin) {
          left.push_back(write);
          left.back().end = std::min(write.end, begin);
        }
        if (write.end > end) {
          left.push_back(write);
          left.back().begin = std::max(write.begin, end);
        }
      }
      writes_ = std::move(left);
    }

    void Instruction(const Event& event) {
      const uint64_t number = ++done_[event.pipe];
      for (const Footprint& print : event.operands) {
        if (print.memory == BASCULE_GM || print.span_bytes == 0) continue;
        const uint64_t begin = print.address;
        const uint64_t end = begin + print.span_bytes;
        if (print.reads) {
          for (const Write& write : writes_) {
            const bool meet = write.begin < end && begin < write.end;
            if (!meet || write.pipe == event.pipe) continue;
            const bool ordered = write.number <= known_[event.pipe][write.pipe];
            if (ordered && !queued_[print.buffer]) continue;
            races.push_back({ordered ? RaceKind::kStillQueued : RaceKind::kUnordered, block_,
                             write.name, write.line, write.pipe, event.name, event.site.line,
                             event.pipe, buffer_lines_[print.buffer]});
          }
        }
      }
      // Only then what it writes, which may be what it read.
      for (const Footprint& print : event.operands) {
        const uint64_t begin = print.address;
        const uint64_t end = begin + print.span_bytes;
        if (print.writes && print.memory != BASCULE_GM && begin != end) {
          Forget(begin, end);
          writes_.push_back({begin, end, event.pipe, number, event.name, event.site.line});
        }
      }
    }

    uint32_t block_;
    uint64_t done_[BASCULE_PIPE_COUNT] = {};                       // instructions given to a pipe
    uint64_t known_[BASCULE_PIPE_COUNT][BASCULE_PIPE_COUNT] = {};  // [who][of whom]
    std::vector<Write> writes_;
    std::map<uint64_t, uint64_t> in_queue_;  // buffer → the writer's number at EnQue
    std::map<uint32_t, bool> queued_;        // by buffer
    std::map<std::vector<uint32_t>, std::vector<uint64_t>> flags_;
    std::map<uint32_t, uint32_t> buffer_lines_;
  };

  std::unique_ptr<Recorder> MakeRecorder(const CoreInfo& core) override {
    return std::make_unique<BlockRecorder>(core.block);
  }
  void Merge(const CoreInfo&, std::unique_ptr<Recorder> recorder) override {
    std::vector<Race>& found = static_cast<BlockRecorder&>(*recorder).races;
    races_.insert(races_.end(), found.begin(), found.end());
  }
  std::string Report() const override { return Join("{\"races\": ", races_.size(), "}"); }

  const std::vector<Race>& races() const { return races_; }

 private:
  std::vector<Race> races_;
};

}  // namespace bascule::test

#endif  // BASCULE_TESTS_OBSERVE_RACE_DETECTOR_H_
