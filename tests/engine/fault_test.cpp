// Kernels that do what the processor refuses: the launch ends with a sentence and the process lives
// on; faults of others go where they went before. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "base/sanitizer.h"
#include "engine/fibre.h"
#include "kernel_operator.h"
#include "tests/support/kernel_runner.h"

// Sanitizers have handlers of their own, and the engine leaves them alone.
#if !defined(BASCULE_ADDRESS_SANITIZER) && !defined(BASCULE_THREAD_SANITIZER)

namespace bascule::engine {
namespace {

using test::KernelRunner;

// What compilers cannot see through.
template <typename T>
T Hidden(T value) {
  volatile T hidden = value;
  return hidden;
}

// Two pages, of which the second cannot be touched.
class Pages {
 public:
  Pages() {
    memory_ = static_cast<char*>(
        mmap(nullptr, 2 * kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    mprotect(memory_ + kBytes, kBytes, PROT_NONE);
  }
  ~Pages() { munmap(memory_, 2 * kBytes); }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  char* begin() const { return memory_; }

  static constexpr size_t kBytes = 65536;  // a page everywhere

 private:
  char* memory_;
};

int Recurse(int depth) {
  volatile char frame[200];
  frame[depth % 200] = 1;
  return depth == Hidden(-1) ? 0 : Recurse(depth + 1) + frame[depth % 200];
}

// A frame that begins far behind the end of the stack.
void TakeMuch() {
  volatile char array[6 * 1024 * 1024];
  array[Hidden(0)] = 1;
  (void)array[0];
}

struct FaultyKernel {
  const char* name;
  void (*kernel)();
  const char* says;
};

const FaultyKernel kFaults[] = {
    {"ReadsNull", [] { (void)*Hidden(static_cast<volatile float*>(nullptr)); },
     "through a raw pointer that is null (an argument that was not passed?)"},
    {"WritesNull", [] { *Hidden(static_cast<volatile float*>(nullptr)) = 1; },
     "through a raw pointer that is null"},
    {"ReadsAMember", [] { (void)Hidden(static_cast<volatile float*>(nullptr))[100]; },
     "through a raw pointer that is null"},
    {"ReadsFarAway",
     [] { (void)*reinterpret_cast<volatile float*>(Hidden(uint64_t{0x123450000})); },
     "through a raw pointer at address 0x123450000, and the launch has no tensor"},
    {"LeavesTheUnifiedBuffer",
     [] {
       AscendC::LocalTensor<float> tile(AscendC::TPosition::VECCALC, 0, 64);
       *reinterpret_cast<volatile float*>(tile.GetPhyAddr() + 300000) = 1;
     },
     "through a raw pointer at address 300000 of an on-chip memory that has 196608 bytes"},
    {"RecursesForEver", [] { Recurse(0); },
     "the kernel's stack of 256 KiB is full: a recursion does not end"},
    {"TakesMuch", TakeMuch, "or local arrays are too large"},
    {"Traps", [] { __builtin_trap(); }, "illegal instruction"},
#if defined(__x86_64__)
    {"DividesByZero", [] { (void)Hidden(7 / Hidden(0)); }, "the kernel divides an integer by zero"},
    {"DividesTheSmallest", [] { (void)Hidden(Hidden(INT32_MIN) % Hidden(-1)); },
     "the kernel divides an integer by zero, or the smallest one by -1"},
    {"CallsNothing", [] { Hidden(reinterpret_cast<void (*)()>(uint64_t{0x10}))(); },
     "the kernel calls a function at 0x10, where there is none"},
    {"UsesWhatIsNoAddress",
     [] { (void)*reinterpret_cast<volatile float*>(Hidden(uint64_t{0xdeadbeefdeadbeef})); },
     "uses a pointer whose value can be no address"},
#endif
};

class FaultTest : public testing::TestWithParam<FaultyKernel> {};

TEST_P(FaultTest, EndsTheLaunchWithASentence) {
  const FaultyKernel& faulty = GetParam();
  for (uint32_t workers : {1u, 3u}) {
    SetWorkerLimit(workers);
    for (int i = 0; i < 3; ++i) {  // the core is used again
      const std::string error = KernelRunner(5, "faulty").Long().Error([&] { faulty.kernel(); });
      EXPECT_EQ(error.rfind("faulty (block ", 0), 0u) << error;
      EXPECT_NE(error.find(faulty.says), std::string::npos) << error;
      EXPECT_EQ(KernelRunner(5).Long().Error([] {
        AscendC::LocalTensor<float> tile(AscendC::TPosition::VECCALC, 0, 64);
        AscendC::Duplicate(tile, 2.0f, 64);
        if (tile.GetValue(63) != 2.0f) AscendC::Trap();
      }),
                "");
    }
  }
  SetWorkerLimit(0);
}

INSTANTIATE_TEST_SUITE_P(All, FaultTest, testing::ValuesIn(kFaults),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(Fault, NamesTheNearestTensorAndTheLastCall) {
  const Pages pages;
  const uint64_t bytes = 1000;
  char* const begin = pages.begin() + Pages::kBytes - bytes;
  KernelRunner runner(1, "past");
  runner.Interval("x", begin, bytes, BASCULE_READ | BASCULE_WRITE);
  const std::string error = runner.Error([&] {
    AscendC::LocalTensor<float> tile(AscendC::TPosition::VECCALC, 0, 64);
    AscendC::Duplicate(tile, 2.0f, 64);
    auto* x = reinterpret_cast<volatile __gm__ float*>(begin);
    for (uint32_t i = 0; i < 1000; ++i) x[i] = 1;
  });
#if defined(__x86_64__)
  EXPECT_NE(
      error.find("past (block 0 of 1): the kernel writes through a raw pointer at address 0x"),
      std::string::npos)
      << error;
#endif
  EXPECT_NE(error.find("; the nearest tensor, 'x' of 1000 bytes, ends 0 bytes before ("),
            std::string::npos)
      << error;
  EXPECT_NE(error.find("The last Ascend C call before was Duplicate at "), std::string::npos)
      << error;
  EXPECT_NE(error.find("fault_test.cpp:"), std::string::npos) << error;
}

TEST(Fault, OfATensorThatIsGone) {
  const Pages pages;
  KernelRunner runner(1, "gone");
  runner.Interval("x", pages.begin() + Pages::kBytes, 4096, BASCULE_READ);
  const std::string error = runner.Error([&] {
    AscendC::LocalTensor<float> tile(AscendC::TPosition::VECCALC, 0, 64);
    AscendC::GlobalTensor<float> x;
    x.SetGlobalBuffer(reinterpret_cast<__gm__ float*>(pages.begin() + Pages::kBytes), 64);
    AscendC::DataCopy(tile, x, 64);
  });
  EXPECT_NE(error.find("of 'x', whose memory is gone or cannot be accessed like that"),
            std::string::npos)
      << error;
  EXPECT_NE(error.find("was DataCopy at "), std::string::npos) << error;
}

TEST(Fault, InAThreadThatEnds) {
  for (int i = 0; i < 20; ++i) {
    std::thread([] {
      EXPECT_NE(KernelRunner(1).Error([] { Recurse(0); }).find("stack of 256 KiB is full"),
                std::string::npos);
    }).join();
  }
}

TEST(Fault, WhileOthersWaitInSyncAll) {
  for (int i = 0; i < 20; ++i) {
    const std::string error = KernelRunner(16, "parked").Long().Error([] {
      if (AscendC::GetBlockIdx() == 15) (void)*Hidden(static_cast<volatile float*>(nullptr));
      AscendC::SyncAll();
    });
    EXPECT_NE(error.find("parked (block 15 of 16): the kernel "), std::string::npos) << error;
  }
}

// --- faults of others

void Launch() {
  KernelRunner(1).Run([] {});
}

// How a child process that runs `body` ends: its code, or minus the signal.
template <typename Body>
int EndOf(Body body) {
  const pid_t child = fork();
  if (child == 0) {
    body();
    _exit(0);
  }
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

void ReadNull() { (void)*Hidden(static_cast<volatile int*>(nullptr)); }

TEST(FaultOutside, EndsTheProcessAsEver) {
  for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) {
    EXPECT_EQ(EndOf([&] {
                std::signal(signal, SIG_DFL);
                Launch();
                raise(signal);
              }),
              -signal);
  }
  EXPECT_EQ(EndOf([] {
              Launch();
              ReadNull();
            }),
            -SIGSEGV);
}

TEST(FaultOutside, IgnoredSignalsStayIgnored) {
  EXPECT_EQ(EndOf([] {
              std::signal(SIGFPE, SIG_IGN);
              Launch();
              raise(SIGFPE);
              _exit(3);
            }),
            3);
}

char* mended = nullptr;
int mends = 0;

void Mend(int, siginfo_t* info, void*) {
  if (info->si_addr != mended) _exit(99);
  ++mends;
  mprotect(mended, Pages::kBytes, PROT_READ | PROT_WRITE);
}

void Install(int signal, void (*handler)(int, siginfo_t*, void*), int flags) {
  struct sigaction action = {};
  action.sa_sigaction = handler;
  action.sa_flags = SA_SIGINFO | flags;
  sigaction(signal, &action, nullptr);
}

// Waits until the engine looks again who is in office.
void NextTick() { usleep(20000); }

TEST(FaultOutside, AHandlerThatMendsStaysInOffice) {
  for (const bool first : {true, false}) {
    EXPECT_EQ(EndOf([&] {
                const Pages pages;
                if (!first) Launch();
                Install(SIGSEGV, Mend, 0);
                NextTick();
                Launch();
                mended = pages.begin() + Pages::kBytes;
                for (int i = 0; i < 3; ++i) {
                  mprotect(mended, Pages::kBytes, PROT_NONE);
                  *Hidden(mended) = 1;
                }
                // And kernels are still caught.
                const std::string error = KernelRunner(1).Error(
                    [] { (void)*Hidden(static_cast<volatile int*>(nullptr)); });
                _exit(mends == 3 && error.find("that is null") != std::string::npos ? 42 : 1);
              }),
              42)
        << first;
  }
}

// In the manner of Python's faulthandler: reports, puts its predecessor back, raises again.
struct sigaction predecessor;
int reports = 0;
void Report(int signal, siginfo_t*, void*) {
  if (++reports > 1) _exit(98);
  sigaction(signal, &predecessor, nullptr);
  const char said[] = "reported";
  (void)!write(2, said, sizeof(said) - 1);
  raise(signal);
}

TEST(FaultOutside, AHandlerThatReportsIsCalledOnce) {
  for (const int flags : {0, SA_NODEFER, SA_NODEFER | SA_ONSTACK}) {
    for (const bool first : {true, false}) {
      int pipe_ends[2];
      ASSERT_EQ(pipe(pipe_ends), 0);
      EXPECT_EQ(EndOf([&] {
                  dup2(pipe_ends[1], 2);
                  if (!first) Launch();
                  sigaction(SIGSEGV, nullptr, &predecessor);
                  Install(SIGSEGV, Report, flags);
                  NextTick();
                  Launch();
                  const std::string error = KernelRunner(1).Error(
                      [] { (void)*Hidden(static_cast<volatile int*>(nullptr)); });
                  if (error.find("that is null") == std::string::npos) _exit(97);
                  ReadNull();
                }),
                -SIGSEGV)
          << flags << first;
      char said[64];
      std::string text(said, static_cast<size_t>(read(pipe_ends[0], said, sizeof(said))));
      text.resize(std::min(text.size(), text.find("qemu: ")));  // which says of what it died
      EXPECT_EQ(text, "reported");
      close(pipe_ends[0]);
      close(pipe_ends[1]);
    }
  }
}

TEST(FaultOutside, CanBeLeftToOthersAltogether) {
  // The engine asks once a process, so this one has to be new.
  testing::FLAGS_gtest_death_test_style = "threadsafe";
  EXPECT_EXIT(
      {
        setenv("BASCULE_CATCH_FAULTS", "0", 1);
        KernelRunner(1).Run([] { (void)*Hidden(static_cast<volatile int*>(nullptr)); });
      },
      testing::KilledBySignal(SIGSEGV), "");
}

}  // namespace
}  // namespace bascule::engine

#endif
