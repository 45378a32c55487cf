// SPDX-License-Identifier: Apache-2.0
#include "host/kernel_name.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace bascule::host {

// In the program, which exports nothing.
template <typename T>
int InTheProgram(T value) {
  return static_cast<int>(value) + 1;
}
static int OfThisFileOnly(int value) { return value + rand(); }

namespace {

TEST(KernelName, IsFoundInTheProgramsFile) {
  EXPECT_EQ(KernelName(reinterpret_cast<const void*>(&InTheProgram<float>)),
            "bascule::host::InTheProgram<float>");
  EXPECT_EQ(KernelName(reinterpret_cast<const void*>(&OfThisFileOnly)),
            "bascule::host::OfThisFileOnly");
}

TEST(KernelName, IsFoundInALibrary) {
  EXPECT_EQ(KernelName(reinterpret_cast<const void*>(&::strtol)), "strtol");
}

TEST(KernelName, IsAWordWhereThereIsNone) {
  int local = 0;
  EXPECT_EQ(KernelName(&local), "kernel");
  EXPECT_EQ(KernelName(nullptr), "kernel");
}

TEST(KernelName, LeavesOutResultAndParameters) {
  EXPECT_EQ(WithoutSignature("void saxpy<float>(unsigned char*, Args)"), "saxpy<float>");
  EXPECT_EQ(WithoutSignature("my_mul(unsigned char*, void (*)(int))"), "my_mul");
  EXPECT_EQ(WithoutSignature("void (anonymous namespace)::k<(E)1, A<int, B<2> > >(int)"),
            "(anonymous namespace)::k<(E)1, A<int, B<2> > >");
  EXPECT_EQ(WithoutSignature("no_parameters"), "no_parameters");
  EXPECT_EQ(WithoutSignature(""), "");
}

}  // namespace
}  // namespace bascule::host
