// The counting observer: instructions, repeats and bytes for each instruction and pipe.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_OBSERVE_COUNT_H_
#define BASCULE_OBSERVE_COUNT_H_

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "bascule/observer.h"

namespace bascule::observe {

// Sums over all launches it is attached to. Not thread-safe between launches: one launch at a time,
// or one observer each.
class CountObserver : public Observer {
 public:
  struct Counts {
    uint64_t instructions = 0;
    uint64_t repeats = 0;  // of 256 bytes for vector instructions, blocks for copies
    uint64_t bytes_read = 0;
    uint64_t bytes_written = 0;
    void Add(const Counts& other);
  };
  // (pipe, name) → counts
  using Table = std::map<std::pair<uint8_t, std::string>, Counts>;

  uint32_t Subscriptions() const override;
  void LaunchBegin(const LaunchInfo& info) override;
  std::unique_ptr<Recorder> MakeRecorder(uint32_t block) override;
  void Merge(uint32_t block, std::unique_ptr<Recorder> recorder) override;
  // {"launches": 1, "blocks": 8, "instructions": [{"pipe": "V", "name": "Mul", "instructions": …,
  //  "repeats": …, "bytes_read": …, "bytes_written": …}, …]}
  std::string Report() const override;

  const Table& table() const { return table_; }

 private:
  uint64_t launches_ = 0;
  uint64_t blocks_ = 0;
  Table table_;
};

}  // namespace bascule::observe

#endif  // BASCULE_OBSERVE_COUNT_H_
