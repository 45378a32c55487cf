// Libraries built against different versions of the kernel headers work side by side, in the way
// that lets the loader confuse them most: nothing inlined, every name global.
// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "bascule/numeric/half.h"
#include "tests/support/kernel_runner.h"

namespace bascule {
namespace {

using Kernel = void (*)(void*, void*, void*, uint32_t);

struct Library {
  const char* file;
  std::string suffix;
  void* handle = nullptr;

  void Load() {
    handle = dlopen(file, RTLD_NOW | RTLD_GLOBAL);
    if (handle == nullptr) ADD_FAILURE() << dlerror();
  }
  template <typename T>
  T Find(const char* name) const {
    void* symbol = dlsym(handle, (name + suffix).c_str());
    if (symbol == nullptr) ADD_FAILURE() << name + suffix << " is not in " << file;
    return reinterpret_cast<T>(symbol);
  }
  std::string Run() const {
    const Kernel kernel = Find<Kernel>("multiply_");
    std::string error;
    for (const uint32_t count : {16u, 128u, 400u, 4096u}) {
      std::vector<half_t> x(count);
      std::vector<half_t> y(count);
      std::vector<half_t> out(count, half_t(99.0f));
      for (uint32_t i = 0; i < count; ++i) {
        x[i] = half_t(static_cast<float>(i % 13) - 6);
        y[i] = half_t(static_cast<float>(i % 7));
      }
      test::KernelRunner runner(3, "multiply");
      runner.Input("x", x).Input("y", y).Output("out", out);
      error = runner.Error([&] { kernel(x.data(), y.data(), out.data(), count); });
      if (!error.empty()) break;
      for (uint32_t i = 0; i < count; ++i) {
        const float wanted = float(x[i]) * float(y[i]) + 2;
        if (float(out[i]) != wanted) return "wrong value in element " + std::to_string(i);
      }
    }
    return error;
  }
};

Library Current() { return {VERSIONS_CURRENT, "current"}; }
Library Old() { return {VERSIONS_OLD, "old"}; }
Library Newer() { return {VERSIONS_NEWER, "newer"}; }

// What is loaded first wins wherever names are confused, so each order has a process of its own.
template <typename Body>
void InAChild(Body body) {
  const pid_t child = fork();
  if (child == 0) {
    body();
    fflush(nullptr);
    _exit(testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(Versions, OldAndCurrentLibrariesShareAProcess) {
  for (const bool old_first : {false, true}) {
    InAChild([&] {
      Library old = Old();
      Library current = Current();
      (old_first ? old : current).Load();
      (old_first ? current : old).Load();
      // The versions differ, or there would be nothing to see.
      EXPECT_NE(old.Find<unsigned (*)()>("tensor_bytes_")(),
                current.Find<unsigned (*)()>("tensor_bytes_")());
      EXPECT_NE(old.Find<const void* (*)()>("private_variable_")(),
                current.Find<const void* (*)()>("private_variable_")());
      for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(old.Run(), "");
        EXPECT_EQ(current.Run(), "");
      }
    });
  }
}

TEST(Versions, ALibraryWithNewerHeadersIsRefused) {
  InAChild([] {
    Library newer = Newer();
    Library current = Current();
    newer.Load();
    current.Load();
    EXPECT_EQ(newer.Run(),
              "multiply (block 0 of 3): the kernel threw an exception: this library was built with "
              "newer headers than the bascule runtime test in this process; install the bascule it "
              "was built with, or build it again");
    EXPECT_EQ(current.Run(), "");
  });
}

}  // namespace
}  // namespace bascule
