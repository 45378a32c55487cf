// The counting observer: instructions, repeats and bytes for each instruction and pipe.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_OBSERVE_COUNT_H_
#define BASCULE_OBSERVE_COUNT_H_

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>

#include "bascule/observer.h"

namespace bascule::observe {

// Sums over all launches it is attached to, cube cores and vector cores apart, and over what the
// host did to memory meanwhile. Not thread-safe
// between launches: one launch at a time, or one observer each.
class CountObserver : public Observer {
 public:
  struct Counts {
    uint64_t instructions = 0;
    uint64_t repeats = 0;  // of 256 bytes for vector instructions, blocks for copies
    uint64_t bytes_read = 0;
    uint64_t bytes_written = 0;
    void Add(const Counts& other);
  };
  struct HostCounts {
    uint64_t calls = 0;
    uint64_t bytes = 0;
  };
  // (kind of core, pipe, name) → counts
  using Table = std::map<std::tuple<uint8_t, uint8_t, std::string>, Counts>;

  uint32_t Subscriptions() const override;
  void LaunchBegin(const LaunchInfo& info) override;
  std::unique_ptr<Recorder> MakeRecorder(const CoreInfo& core) override;
  void Merge(const CoreInfo& core, std::unique_ptr<Recorder> recorder) override;
  void Host(const HostEvent& event) override;
  // {"launches": 1, "blocks": 8, "cores": 8, "instructions": [{"core": "AIV", "pipe": "V", "name":
  //  "Mul", "instructions": …, "repeats": …, "bytes_read": …, "bytes_written": …}, …],
  //  "host": [{"call": "aclrtMalloc", "calls": …, "bytes": …}, …]}
  std::string Report() const override;

  const Table& table() const { return table_; }

 private:
  uint64_t launches_ = 0;
  uint64_t blocks_ = 0;
  uint64_t cores_ = 0;
  uint32_t last_block_ = 0;  // whose core was merged last
  Table table_;
  std::map<std::string, HostCounts> host_;
};

}  // namespace bascule::observe

#endif  // BASCULE_OBSERVE_COUNT_H_
