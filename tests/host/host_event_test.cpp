// What observers are told of the host: allocations, copies and launches, in order.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "bascule/observer.h"
#include "host/acl.h"
#include "host/observers.h"

namespace bascule::host {
namespace {

// Remembers everything, launches among the rest.
class Diary : public Observer {
 public:
  struct Entry {
    std::string what;
    HostEvent event;
  };
  void LaunchBegin(const LaunchInfo& info) override {
    HostEvent event;
    event.stream = info.stream;
    entries.push_back({info.kernel, event});
  }
  std::unique_ptr<Recorder> MakeRecorder(const CoreInfo&) override {
    return std::make_unique<Recorder>();
  }
  void Merge(const CoreInfo&, std::unique_ptr<Recorder>) override {}
  void Host(const HostEvent& event) override { entries.push_back({event.call, event}); }
  std::string Report() const override { return ""; }

  std::vector<Entry> entries;
};

uint64_t Number(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }

TEST(HostEvents, TellWhatHappensBetweenLaunches) {
  const auto diary = std::make_shared<Diary>();
  AttachObserver("diary", diary);
  const BasculeAclApi& acl = AclApi();
  void* stream = nullptr;
  ASSERT_EQ(acl.create_stream(&stream), BASCULE_ACL_SUCCESS);
  void* memory = nullptr;
  ASSERT_EQ(acl.allocate("aclrtMalloc", &memory, 128), BASCULE_ACL_SUCCESS);
  const char data[96] = {};
  BasculeAclCopy copy = {};
  copy.struct_bytes = sizeof(copy);
  copy.kind = BASCULE_COPY_HOST_TO_DEVICE;
  copy.call = "aclrtMemcpy2dAsync";
  copy.dst = memory;
  copy.src = data;
  copy.dst_bytes = 128;
  copy.dst_pitch = 64;
  copy.src_pitch = 48;
  copy.width = 32;
  copy.height = 2;
  copy.stream = stream;
  copy.on_stream = 1;
  EXPECT_EQ(acl.copy(&copy), BASCULE_ACL_SUCCESS);
  BasculeLaunch launch = {};
  launch.struct_bytes = sizeof(launch);
  launch.kind = BASCULE_KERNEL_AIV_ONLY;
  launch.name = "nothing";
  launch.entry = data;
  launch.invoke = [](const void*) {};
  launch.block_count = 1;
  launch.stream = stream;
  LaunchOnStream(&launch);
  BasculeAclFill fill = {};
  fill.struct_bytes = sizeof(fill);
  fill.call = "aclrtMemset";
  fill.dst = memory;
  fill.dst_bytes = fill.count = 128;
  fill.stream = stream;  // without meaning: the host waits
  EXPECT_EQ(acl.fill(&fill), BASCULE_ACL_SUCCESS);
  copy.width = 65;  // wider than the pitch: refused
  copy.on_stream = 0;
  EXPECT_NE(acl.copy(&copy), BASCULE_ACL_SUCCESS);
  EXPECT_EQ(acl.release("aclrtFree", memory), BASCULE_ACL_SUCCESS);
  DetachObserver("diary");
  void* unseen = nullptr;
  ASSERT_EQ(acl.allocate("aclrtMalloc", &unseen, 128), BASCULE_ACL_SUCCESS);
  EXPECT_EQ(acl.release("aclrtFree", unseen), BASCULE_ACL_SUCCESS);
  EXPECT_EQ(acl.destroy_stream(stream), BASCULE_ACL_SUCCESS);

  std::vector<std::string> order;
  for (const Diary::Entry& entry : diary->entries) order.push_back(entry.what);
  ASSERT_EQ(order, (std::vector<std::string>{"aclrtMalloc", "aclrtMemcpy2dAsync", "nothing",
                                             "aclrtMemset", "aclrtFree"}));
  const HostEvent& allocated = diary->entries[0].event;
  EXPECT_EQ(allocated.action, HostAction::kAllocate);
  EXPECT_EQ(allocated.address, Number(memory));
  EXPECT_EQ(allocated.bytes, 128u);
  EXPECT_TRUE(allocated.on_device);
  const HostEvent& copied = diary->entries[1].event;
  EXPECT_EQ(copied.action, HostAction::kCopy);
  EXPECT_EQ(copied.stream, Number(stream));
  EXPECT_EQ(copied.address, Number(memory));
  EXPECT_EQ(copied.source, Number(data));
  EXPECT_EQ(copied.bytes, 32u);
  EXPECT_EQ(copied.rows, 2u);
  EXPECT_EQ(copied.pitch_bytes, 64u);
  EXPECT_EQ(copied.source_pitch_bytes, 48u);
  EXPECT_TRUE(copied.on_device);
  EXPECT_FALSE(copied.source_on_device);
  EXPECT_EQ(diary->entries[2].event.stream, Number(stream));
  const HostEvent& filled = diary->entries[3].event;
  EXPECT_EQ(filled.action, HostAction::kFill);
  EXPECT_EQ(filled.stream, 0u);
  EXPECT_EQ(filled.bytes, 128u);
  const HostEvent& released = diary->entries[4].event;
  EXPECT_EQ(released.action, HostAction::kRelease);
  EXPECT_EQ(released.address, Number(memory));
  EXPECT_EQ(released.bytes, 128u);
}

}  // namespace
}  // namespace bascule::host
