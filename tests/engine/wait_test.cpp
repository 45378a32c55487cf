// Waits that cannot end as the hardware would end them: every flag between pipes, and all that a
// core can wait for. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "engine/core.h"
#include "kernel_operator.h"
#include "tests/support/kernel_runner.h"

namespace bascule::engine {
namespace {

using bascule_ascendc::Site;
using test::KernelRunner;

// What a program does with one flag, in program order.
struct Flags {
  const char* name;
  std::string program;  // s: SetFlag, w: WaitFlag; the n-th call stands in line n
  const char* said;     // by the error; "" for none. @T, @F: names of the waiting and setting pipe
  const char* warned;
};

const Flags kFlags[] = {
    {"Pairs", "swswsw", "", ""},
    {"Nothing", "", "", ""},
    {"WaitThenSet", "ws",
     "SetFlag at k.cpp:2: event 5 from pipe @F to pipe @T is set only after the WaitFlag at "
     "k.cpp:1.",
     ""},
    {"WaitThenSetLater", "swws",
     "SetFlag at k.cpp:4: event 5 from pipe @F to pipe @T is set only after the WaitFlag at "
     "k.cpp:3.",
     ""},
    {"WaitOnly", "w",
     "WaitFlag at k.cpp:1: pipe @T waits for event 5 of pipe @F, which is never set.", ""},
    {"WaitTwice", "sww",
     "WaitFlag at k.cpp:3: pipe @T waits for event 5 of pipe @F, which is never set.", ""},
    {"SetTwice", "ssww",
     "SetFlag at k.cpp:2: event 5 from pipe @F to pipe @T is set already, at k.cpp:1", ""},
    {"SetOnly", "sws", "",
     "SetFlag at k.cpp:3: event 5 from pipe @F to pipe @T is still set when the kernel ends"},
};

std::string Replace(std::string text, const std::string& what, const std::string& by) {
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
    text.replace(at, what.size(), by);
  return text;
}

// A warning is told once a process, so each program has a file of its own.
template <int event>
void CheckEvent(const Flags& flags) {
  constexpr auto kEvent = static_cast<AscendC::HardEvent>(event);
  constexpr bascule_ascendc::PipePair kPipes = bascule_ascendc::kPipePairs[event];
  // In one pipe, and to the unit that issues, nothing can come after a wait.
  const bool at_once = kPipes.to == kPipes.from || kPipes.to == BASCULE_PIPE_S;
  const std::string file = std::string(flags.name) + std::to_string(event) + ".cpp";
  testing::internal::CaptureStderr();
  const std::string error = KernelRunner(2, "flags").Error([&] {
    uint32_t line = 0;
    for (const char call : flags.program) {
      const Site site(file.c_str(), ++line);
      if (call == 's') {
        AscendC::SetFlag<kEvent>(5, site);
      } else {
        AscendC::WaitFlag<kEvent>(5, site);
      }
    }
  });
  const std::string warned = testing::internal::GetCapturedStderr();
  auto full = [&](const char* pattern) {
    std::string text = Replace(pattern, "k.cpp", file);
    text = Replace(text, "@T", PipeName(kPipes.to));
    return Replace(text, "@F", PipeName(kPipes.from));
  };
  std::string wanted = full(flags.said);
  if (at_once && flags.program.find("ww") != std::string::npos && flags.program[1] != 's') {
    wanted = "WaitFlag at " + file + ":3: event 5 from pipe";
  }
  if (at_once && flags.program[0] == 'w') wanted = "WaitFlag at " + file + ":1: event 5 from pipe";
  if (wanted.empty()) {
    EXPECT_EQ(error, "") << flags.name << event;
  } else {
    EXPECT_NE(error.find("flags (block 0 of 2): " + wanted), std::string::npos) << wanted << "\n"
                                                                                << error;
  }
  if (flags.warned[0] == '\0') {
    EXPECT_EQ(warned, "") << flags.name << event;
  } else {
    const std::string sentence = full(flags.warned);
    const size_t at = warned.find("bascule: warning: flags: " + sentence);
    ASSERT_NE(at, std::string::npos) << sentence << "\n" << warned;
    EXPECT_EQ(warned.find(sentence, at + 50), std::string::npos) << warned;  // of two blocks
  }
}

template <int... events>
void CheckEvents(std::integer_sequence<int, events...>) {
  SetWorkerLimit(1);
  for (const Flags& flags : kFlags) (CheckEvent<events>(flags), ...);
  SetWorkerLimit(0);
}

TEST(Flags, OfEveryPairOfPipes) {
  CheckEvents(std::make_integer_sequence<int, static_cast<int>(AscendC::HardEvent::MAX)>());
}

TEST(Flags, AnErrorAfterAnEarlyWaitMentionsIt) {
  const std::string error = KernelRunner(1).Error([] {
    AscendC::WaitFlag<AscendC::HardEvent::MTE2_V>(2, Site("k.cpp", 7));
    AscendC::Trap();
  });
  EXPECT_NE(error.find(" Before that: WaitFlag at k.cpp:7: pipe V waits for event 2 of pipe MTE2, "
                       "which had not been set."),
            std::string::npos)
      << error;
  // The next block starts with clear flags.
  EXPECT_EQ(KernelRunner(1).Error([] {
    AscendC::SetFlag<AscendC::HardEvent::MTE2_V>(2);
    AscendC::WaitFlag<AscendC::HardEvent::MTE2_V>(2);
  }),
            "");
}

TEST(Flags, OtherIdsAndPairsAreOtherFlags) {
  EXPECT_EQ(KernelRunner(1).Error([] {
    AscendC::SetFlag<AscendC::HardEvent::MTE2_V>(0);
    AscendC::SetFlag<AscendC::HardEvent::MTE2_V>(1);
    AscendC::SetFlag<AscendC::HardEvent::V_MTE2>(0);
    AscendC::WaitFlag<AscendC::HardEvent::V_MTE2>(0);
    AscendC::WaitFlag<AscendC::HardEvent::MTE2_V>(1);
    AscendC::WaitFlag<AscendC::HardEvent::MTE2_V>(0);
  }),
            "");
}

// What a launch of three blocks says when nothing can go on.
struct Stuck {
  const char* name;
  void (*kernel)();
  const char* says;
};

AscendC::GlobalTensor<int32_t>& NoGlobal() {
  static AscendC::GlobalTensor<int32_t> none;
  return none;
}
AscendC::LocalTensor<int32_t>& NoLocal() {
  static AscendC::LocalTensor<int32_t> none;
  return none;
}

const Stuck kStuck[] = {
    {"SyncAllOfSome",
     [] {
       if (AscendC::GetBlockIdx() != 1) AscendC::SyncAll(Site("k.cpp", 1));
     },
     "nothing can go on: block 0 waits in SyncAll, where 2 of 3 blocks have arrived, at k.cpp:1; "
     "block 2 waits in SyncAll"},
    {"SyncAllOfUsedCores",
     [] {
       if (AscendC::GetBlockIdx() != 1)
         AscendC::SyncAll(NoGlobal(), NoLocal(), 3, Site("k.cpp", 2));
     },
     "block 0 waits in SyncAll, where 2 of 3 blocks have arrived, at k.cpp:2"},
    {"MoreSyncAllsInOne",
     [] {
       AscendC::SyncAll(Site("k.cpp", 3));
       if (AscendC::GetBlockIdx() == 2) AscendC::SyncAll(Site("k.cpp", 4));
     },
     "block 2 waits in SyncAll, where 1 of 3 blocks have arrived, at k.cpp:4. All other blocks "
     "have ended."},
    {"CrossCoreFlag",
     [] {
       if (AscendC::GetBlockIdx() != 1) AscendC::CrossCoreSetFlag<0, PIPE_MTE3>(9);
       AscendC::CrossCoreWaitFlag(9, Site("k.cpp", 5));
     },
     "block 0 waits in CrossCoreWaitFlag for flag 9, which 2 of 3 blocks have set, at k.cpp:5"},
    {"CrossCoreWaitBeforeSet",
     [] {
       AscendC::CrossCoreWaitFlag(3, Site("k.cpp", 6));
       AscendC::CrossCoreSetFlag<0, PIPE_MTE3>(3);
     },
     "block 0 waits in CrossCoreWaitFlag for flag 3, which 0 of 3 blocks have set, at k.cpp:6"},
    {"IBWait",
     [] {
       if (AscendC::GetBlockIdx() == 1)
         AscendC::IBWait(NoGlobal(), NoLocal(), 0, 4, Site("k.cpp", 7));
     },
     "block 1 waits in IBWait for event 4 of block 0, which is not set, at k.cpp:7"},
    {"IBSetTwice",
     [] {
       if (AscendC::GetBlockIdx() != 1) return;
       AscendC::IBSet(NoGlobal(), NoLocal(), 1, 2, Site("k.cpp", 8));
       AscendC::IBSet(NoGlobal(), NoLocal(), 1, 2, Site("k.cpp", 9));
     },
     "block 1 waits in IBSet for event 2 of block 1, which is still set, at k.cpp:9"},
    {"TwoThatWaitForEachOther",
     [] {
       const int me = static_cast<int>(AscendC::GetBlockIdx());
       if (me > 1) return;
       AscendC::IBWait(NoGlobal(), NoLocal(), 1 - me, 0, Site("k.cpp", 10 + me));
       AscendC::IBSet(NoGlobal(), NoLocal(), me, 0);
     },
     "block 0 waits in IBWait for event 0 of block 1, which is not set, at k.cpp:10; block 1 waits "
     "in IBWait for event 0 of block 0, which is not set, at k.cpp:11"},
    {"AfterAnEarlyWait",
     [] {
       if (AscendC::GetBlockIdx() == 1) return;
       AscendC::WaitFlag<AscendC::HardEvent::V_MTE3>(1, Site("k.cpp", 12));
       AscendC::SyncAll(Site("k.cpp", 13));
     },
     "at k.cpp:13 (and before that: WaitFlag at k.cpp:12: pipe MTE3 waits for event 1 of pipe V)"},
};

class StuckTest : public testing::TestWithParam<Stuck> {};

TEST_P(StuckTest, SaysWhoWaitsForWhatAndWhere) {
  for (uint32_t workers : {1u, 2u, 5u}) {
    SetWorkerLimit(workers);
    const std::string error = KernelRunner(3, "stuck").Long().Error(GetParam().kernel);
    EXPECT_NE(error.find(GetParam().says), std::string::npos) << error;
  }
  SetWorkerLimit(0);
}

INSTANTIATE_TEST_SUITE_P(All, StuckTest, testing::ValuesIn(kStuck),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(CrossCore, ASetWithoutAWaitIsAWarning) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(KernelRunner(3, "left").Error([] {
    AscendC::CrossCoreSetFlag<0, PIPE_MTE3>(6, Site("left.cpp", 1));
    AscendC::CrossCoreSetFlag<0, PIPE_MTE3>(7, Site("left.cpp", 2));
    AscendC::CrossCoreWaitFlag(6);
  }),
            "");
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(said,
            "bascule: warning: left: CrossCoreSetFlag at left.cpp:2: flag 7 is set more often than "
            "it is waited for, and the next kernel on the cores would start with it. A "
            "CrossCoreWaitFlag is missing.\n");
}

TEST(Poll, ForWhatNeverComesWhileOthersWait) {
  std::vector<int32_t> flag(16, 0);
  for (uint32_t workers : {1u, 2u}) {
    SetWorkerLimit(workers);
    const std::string error = KernelRunner(3, "poll").Long().Output("flag", flag).Error([&] {
      AscendC::GlobalTensor<int32_t> shared;
      shared.SetGlobalBuffer(flag.data(), 16);
      if (AscendC::GetBlockIdx() != 0) AscendC::SyncAll();
      while (shared.GetValue(0, Site("k.cpp", 1)) != 7) {
      }
    });
    EXPECT_NE(error.find("poll (block 0 of 3): the kernel polls at k.cpp:1 for something that "
                         "never comes"),
              std::string::npos)
        << error;
  }
  SetWorkerLimit(0);
}

}  // namespace
}  // namespace bascule::engine
