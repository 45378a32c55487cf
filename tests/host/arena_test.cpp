// SPDX-License-Identifier: Apache-2.0
#include "host/arena.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <random>

namespace bascule::host {
namespace {

TEST(Arena, GivesAlignedMemory) {
  Arena arena;
  const uint64_t small = arena.Allocate(1);
  EXPECT_EQ(small % 512, 0u);
  const uint64_t large = arena.Allocate(3 << 20);
  EXPECT_EQ(large % (2 << 20), 0u);
  std::memset(reinterpret_cast<void*>(large), 1, 3 << 20);
  const uint64_t huge = arena.Allocate(uint64_t{200} << 20);
  EXPECT_EQ(huge % (2 << 20), 0u);
  EXPECT_TRUE(arena.Holds(small) && arena.Holds(large) &&
              arena.Holds(huge + (uint64_t{200} << 20) - 1));
  int local = 0;
  EXPECT_FALSE(arena.Holds(reinterpret_cast<uint64_t>(&local)));
  EXPECT_EQ(arena.Allocate(UINT64_MAX - 8), 0u);
  EXPECT_EQ(arena.Allocate(uint64_t{1} << 50), 0u);
}

// Addresses come back to this arena and to nobody else, and pieces grow together again.
TEST(Arena, ReusesWhatWasFreed) {
  Arena arena;
  const uint64_t first = arena.Allocate(1000);
  const uint64_t second = arena.Allocate(1000);
  const uint64_t third = arena.Allocate(1000);
  arena.Free(first, 1000);
  arena.Free(third, 1000);
  arena.Free(second, 1000);
  EXPECT_EQ(arena.Allocate(3000), first);
  EXPECT_TRUE(arena.Holds(third));
}

// What is given back to the system ends at page borders, whatever the size of a page.
TEST(Arena, FreeingKeepsTheNeighbours) {
  Arena arena;
  constexpr uint64_t kBytes = (300 << 10) + 512;
  char* pieces[5];
  for (char*& piece : pieces) {
    piece = reinterpret_cast<char*>(arena.Allocate(kBytes));
    std::memset(piece, 7, kBytes);
  }
  for (int i : {1, 3}) arena.Free(reinterpret_cast<uint64_t>(pieces[i]), kBytes);
  for (int i : {0, 2, 4}) {
    EXPECT_EQ(std::count(pieces[i], pieces[i] + kBytes, 7), static_cast<ptrdiff_t>(kBytes)) << i;
  }
}

TEST(Arena, NeverGivesAByteTwice) {
  Arena arena;
  std::mt19937 random(1);
  std::map<uint64_t, uint64_t> live;
  for (int i = 0; i < 3000; ++i) {
    if (live.size() < 100 || random() % 2 == 0) {
      const uint64_t bytes = 1 + random() % (i % 50 == 0 ? 5000000 : 5000);
      const uint64_t at = arena.Allocate(bytes);
      ASSERT_NE(at, 0u);
      const auto after = live.lower_bound(at);
      ASSERT_TRUE(after == live.end() || at + bytes <= after->first);
      ASSERT_TRUE(after == live.begin() ||
                  std::prev(after)->first + std::prev(after)->second <= at);
      live[at] = bytes;
    } else {
      const auto one = std::next(live.begin(), static_cast<ptrdiff_t>(random() % live.size()));
      arena.Free(one->first, one->second);
      live.erase(one);
    }
  }
}

}  // namespace
}  // namespace bascule::host
