// SPDX-License-Identifier: Apache-2.0
#include "host/huge_pages.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cinttypes>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>

namespace bascule::host {
namespace {

constexpr uint64_t kHugePage = 2 * 1024 * 1024;

// Whether the system was asked for huge pages where `at` lies.
bool Preferred(const char* at) {
  const uint64_t address = reinterpret_cast<uint64_t>(at);
  std::ifstream maps("/proc/self/smaps");
  bool here = false;
  for (std::string line; std::getline(maps, line);) {
    uint64_t begin = 0;
    uint64_t end = 0;
    if (std::sscanf(line.c_str(), "%" SCNx64 "-%" SCNx64 " ", &begin, &end) == 2)
      here = address >= begin && address < end;
    if (here && line.compare(0, 8, "VmFlags:") == 0) return line.find(" hg") != std::string::npos;
  }
  return false;
}

TEST(HugePages, ArePreferredWithinLargeOutputsOnly) {
  if (!std::filesystem::exists("/sys/kernel/mm/transparent_hugepage"))
    GTEST_SKIP() << "the system has no huge pages on request";
  constexpr uint64_t kBytes = 8 * kHugePage;
  char* const memory = static_cast<char*>(
      mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(memory, MAP_FAILED);
  char* const aligned = reinterpret_cast<char*>(
      (reinterpret_cast<uint64_t>(memory) + kHugePage - 1) / kHugePage * kHugePage);
  PreferHugePages(aligned, kHugePage);
  EXPECT_FALSE(Preferred(aligned)) << "too small to be worth a call of the system";
  PreferHugePages(aligned + 64, 4 * kHugePage);
  EXPECT_FALSE(Preferred(aligned)) << "others' memory lies there as well";
  EXPECT_TRUE(Preferred(aligned + kHugePage));
  EXPECT_TRUE(Preferred(aligned + 4 * kHugePage - 1));
  EXPECT_FALSE(Preferred(aligned + 4 * kHugePage)) << "the output ends before";
  munmap(memory, kBytes);
}

}  // namespace
}  // namespace bascule::host
