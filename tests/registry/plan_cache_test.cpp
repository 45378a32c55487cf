// SPDX-License-Identifier: Apache-2.0
#include "registry/plan_cache.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace bascule::registry {
namespace {

using Key = std::vector<int64_t>;

Plan PlanOf(uint32_t blocks) {
  Plan plan;
  plan.block_count = blocks;
  return plan;
}

TEST(PlanCache, FindsWhatWasInserted) {
  PlanCache cache;
  EXPECT_EQ(cache.Find(Key{1, 2}), nullptr);
  cache.Insert(Key{1, 2}, PlanOf(5));
  ASSERT_NE(cache.Find(Key{1, 2}), nullptr);
  EXPECT_EQ(cache.Find(Key{1, 2})->plan.block_count, 5u);
  EXPECT_EQ(cache.Find(Key{1}), nullptr) << "a prefix is another key";
  EXPECT_EQ(cache.Find(Key{1, 2, 0}), nullptr);
  EXPECT_EQ(cache.Find(Key{}), nullptr);
  const PlanCache::Statistics statistics = cache.GetStatistics();
  EXPECT_EQ(statistics.hits, 2u);
  EXPECT_EQ(statistics.misses, 4u);
  EXPECT_EQ(statistics.entries, 1u);
}

TEST(PlanCache, TheFirstOfTwoMakersWins) {
  PlanCache cache;
  const auto first = cache.Insert(Key{1}, PlanOf(1));
  EXPECT_EQ(cache.Insert(Key{1}, PlanOf(2)), first);
  EXPECT_EQ(cache.Find(Key{1})->plan.block_count, 1u);
}

TEST(PlanCache, IsBoundedAndPlansInUseStay) {
  PlanCache cache(3);
  const auto held = cache.Insert(Key{0}, PlanOf(100));
  for (int64_t i = 1; i < 50; ++i) cache.Insert(Key{i}, PlanOf(1));
  EXPECT_EQ(cache.GetStatistics().entries, 3u);
  EXPECT_EQ(cache.GetStatistics().dropped, 47u);
  EXPECT_EQ(held->plan.block_count, 100u);
}

TEST(PlanCache, ThreadsShareIt) {
  PlanCache cache(64);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&cache, t] {
      for (int64_t i = 0; i < 5000; ++i) {
        const int64_t name = (i * (t + 1)) % 100;
        auto plan = cache.Find(Key{name});
        if (plan == nullptr) plan = cache.Insert(Key{name}, PlanOf(static_cast<uint32_t>(name)));
        ASSERT_EQ(plan->plan.block_count, static_cast<uint32_t>(name));
        plan->launch_ns.fetch_add(1, std::memory_order_relaxed);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_LE(cache.GetStatistics().entries, 64u);
}

}  // namespace
}  // namespace bascule::registry
