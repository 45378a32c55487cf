// A gradient tape small enough to read: shows that the event stream carries what `auto` gradients
// need.
//
// Going forward it records every instruction with its footprints and, for Mul, the operands'
// values. Going backward it walks the tape in reverse: a copy hands the gradient of its destination
// to its source, a product hands it on times the other factor. float only. SPDX-License-Identifier:
// Apache-2.0
#ifndef BASCULE_TESTS_OBSERVE_GRADIENT_TAPE_H_
#define BASCULE_TESTS_OBSERVE_GRADIENT_TAPE_H_

#include <cstdint>
#include <cstring>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "bascule/observer.h"
#include "base/error.h"

namespace bascule::test {

class GradientTape : public Observer {
 public:
  struct Step {
    uint16_t opcode;
    std::string name;
    uint32_t line;
    uint64_t dst;
    uint64_t src[2];
    std::vector<float> saved[2];
    uint64_t count;
  };

  class BlockRecorder : public Recorder {
   public:
    // Operands may be overwritten by their own result, so values are saved before.
    Decision Before(const Event& event) override {
      Step step = {};
      step.opcode = event.opcode;
      step.name = event.name;
      step.line = event.site.line;
      for (const Footprint& print : event.operands) {
        if (print.runs != 1 || print.repeats != 1 || print.dtype != BASCULE_FLOAT) {
          throw std::logic_error("the tape follows consecutive floats only");
        }
      }
      // The bytes that carry values; a padded copy writes filler behind them.
      step.count = event.operands.back().run_bytes / sizeof(float);
      step.dst = event.operands[0].address;
      for (size_t i = 1; i < event.operands.size(); ++i) {
        step.src[i - 1] = event.operands[i].address;
        if (event.opcode != BASCULE_OPCODE_kMul) continue;
        step.saved[i - 1].resize(step.count);
        std::memcpy(step.saved[i - 1].data(), reinterpret_cast<const void*>(step.src[i - 1]),
                    step.count * sizeof(float));
      }
      steps.push_back(std::move(step));
      return Decision::kRun;
    }
    std::vector<Step> steps;
  };

  uint32_t Subscriptions() const override { return Bit(EventKind::kInstruction); }
  std::unique_ptr<Recorder> MakeRecorder(const CoreInfo&) override {
    return std::make_unique<BlockRecorder>();
  }
  void Merge(const CoreInfo&, std::unique_ptr<Recorder> recorder) override {
    blocks_.push_back(std::move(static_cast<BlockRecorder&>(*recorder).steps));
  }
  std::string Report() const override { return Join("{\"blocks\": ", blocks_.size(), "}"); }

  // Gradients by address, seeded with the output's.
  std::map<uint64_t, float> Backward(const float* out, const std::vector<float>& dout) const {
    std::map<uint64_t, float> gradient;
    const uint64_t base = reinterpret_cast<uint64_t>(out);
    for (size_t i = 0; i < dout.size(); ++i) gradient[base + i * sizeof(float)] = dout[i];
    for (auto steps = blocks_.rbegin(); steps != blocks_.rend(); ++steps) {
      for (auto step = steps->rbegin(); step != steps->rend(); ++step) {
        for (uint64_t i = 0; i < step->count; ++i) {
          const uint64_t at = i * sizeof(float);
          const float incoming = gradient[step->dst + at];
          gradient[step->dst + at] = 0;  // what was there before was overwritten
          switch (step->opcode) {
            case BASCULE_OPCODE_kDataCopy:
            case BASCULE_OPCODE_kDataCopyPad:
              gradient[step->src[0] + at] += incoming;
              break;
            case BASCULE_OPCODE_kMul:
              gradient[step->src[0] + at] += incoming * step->saved[1][i];
              gradient[step->src[1] + at] += incoming * step->saved[0][i];
              break;
            default:
              throw std::logic_error(Join("no rule for ", step->name, " at line ", step->line));
          }
        }
      }
    }
    return gradient;
  }

 private:
  std::vector<std::vector<Step>> blocks_;
};

}  // namespace bascule::test

#endif  // BASCULE_TESTS_OBSERVE_GRADIENT_TAPE_H_
