// SPDX-License-Identifier: Apache-2.0
#include "registry/plan_cache.h"
#include "registry/holders.h"

#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <stdexcept>
#include <thread>
#include <vector>

#include "base/error.h"
#include "registry/plan_key.h"

namespace bascule::registry {
namespace {

using Key = std::vector<int64_t>;

Plan PlanOf(uint32_t blocks, size_t tiling_words = 0) {
  Plan plan;
  plan.block_count = blocks;
  plan.tiling_data.assign(tiling_words, blocks);
  plan.tiling_bytes = tiling_words * 8;
  return plan;
}

TEST(PlanCache, FindsWhatWasInserted) {
  PlanCache cache;
  EXPECT_FALSE(cache.Find(Key{1, 2}));
  cache.Insert(Key{1, 2}, PlanOf(5));
  ASSERT_TRUE(cache.Find(Key{1, 2}));
  EXPECT_EQ(cache.Find(Key{1, 2})->block_count(), 5u);
  EXPECT_FALSE(cache.Find(Key{1})) << "a prefix is another key";
  EXPECT_FALSE(cache.Find(Key{1, 2, 0}));
  EXPECT_FALSE(cache.Find(Key{}));
  const PlanCache::Statistics statistics = cache.GetStatistics();
  EXPECT_EQ(statistics.hits, 2u);
  EXPECT_EQ(statistics.misses, 4u);
  EXPECT_EQ(statistics.entries, 1u);
}

TEST(PlanCache, KeepsEverythingAPlanSays) {
  const BasculeKernelVariant variant = {1, 0, nullptr};
  Plan plan = PlanOf(7, 3);
  plan.variant = &variant;
  plan.kernel_type = BASCULE_KERNEL_AIC_ONLY;
  plan.tiling_key = uint64_t{1} << 63;
  plan.workspace_bytes = uint64_t{1} << 40;
  plan.tiling_bytes = 21;
  BasculeTensorInfo output = {};
  output.present = 1;
  output.dtype = BASCULE_BFLOAT16;
  output.format = BASCULE_FORMAT_ND;
  output.shape.rank = BASCULE_MAX_RANK;
  for (int64_t d = 0; d < BASCULE_MAX_RANK; ++d) output.shape.dims[d] = d << 40;
  plan.outputs = {output, output};
  plan.outputs[1].shape.rank = 0;
  plan.outputs[1].dtype = BASCULE_BOOL;
  plan.outputs[1].format = BASCULE_FORMAT_FRACTAL_NZ;
  PlanCache cache;
  const PlanRef kept = cache.Insert(Key{1}, plan);
  EXPECT_EQ(kept->variant(), &variant);
  EXPECT_EQ(kept->kernel_type(), uint32_t{BASCULE_KERNEL_AIC_ONLY});
  EXPECT_EQ(kept->tiling_key(), uint64_t{1} << 63);
  EXPECT_EQ(kept->workspace_bytes(), uint64_t{1} << 40);
  EXPECT_EQ(kept->tiling_bytes(), 21u);
  EXPECT_EQ(reinterpret_cast<uint64_t>(kept->tiling_data()) % 32, 0u);
  EXPECT_EQ(static_cast<const uint64_t*>(kept->tiling_data())[2], 7u);
  ASSERT_EQ(kept->output_count(), 2u);
  EXPECT_EQ(kept->Output(0).dtype, BASCULE_BFLOAT16);
  ASSERT_EQ(kept->Output(0).rank, BASCULE_MAX_RANK);
  EXPECT_EQ(kept->Output(0).dims[24], int64_t{24} << 40);
  EXPECT_EQ(kept->Output(1).dtype, BASCULE_BOOL);
  EXPECT_EQ(kept->Output(1).format, BASCULE_FORMAT_FRACTAL_NZ);
  EXPECT_EQ(kept->Output(1).rank, 0);
}

TEST(PlanCache, TheFirstOfTwoMakersWins) {
  PlanCache cache;
  const PlanRef first = cache.Insert(Key{1}, PlanOf(1));
  EXPECT_EQ(cache.Insert(Key{1}, PlanOf(2)).get(), first.get());
  EXPECT_EQ(cache.Find(Key{1})->block_count(), 1u);
}

TEST(PlanCache, MakesAPlanOnceHoweverManyWantIt) {
  PlanCache cache;
  std::atomic<int> made{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t) {
    threads.emplace_back([&] {
      for (int64_t i = 0; i < 100; ++i) {
        const PlanRef plan = cache.FindOrMake(Key{i}, [&] {
          made.fetch_add(1);
          return PlanOf(static_cast<uint32_t>(i));
        });
        ASSERT_EQ(plan->block_count(), static_cast<uint32_t>(i));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(made.load(), 100);
  EXPECT_EQ(cache.GetStatistics().misses, 100u);
  EXPECT_EQ(cache.GetStatistics().hits, 700u);
}

TEST(PlanCache, AFailureIsNotRemembered) {
  PlanCache cache;
  EXPECT_THROW(cache.FindOrMake(Key{1}, []() -> Plan { throw std::runtime_error("no"); }),
               std::runtime_error);
  EXPECT_EQ(cache.FindOrMake(Key{1}, [] { return PlanOf(3); })->block_count(), 3u);
}

TEST(PlanCache, IsBoundedAndPlansInUseStay) {
  PlanCache cache(3);
  const PlanRef held = cache.Insert(Key{0}, PlanOf(100, 4));
  for (int64_t i = 1; i < 50; ++i) cache.Insert(Key{i}, PlanOf(1));
  EXPECT_EQ(cache.GetStatistics().entries, 3u);
  EXPECT_EQ(cache.GetStatistics().dropped, 47u);
  EXPECT_EQ(held->block_count(), 100u);
  EXPECT_EQ(static_cast<const uint64_t*>(held->tiling_data())[3], 100u);
}

// A small table, so that plans meet on slots and leave gaps between each other.
TEST(PlanCache, WhatStaysIsFoundWhateverGoes) {
  for (const size_t capacity : {1, 2, 3, 4, 7, 8, 16}) {
    PlanCache cache(capacity);
    uint64_t random = capacity;
    for (int round = 0; round < 3000; ++round) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      const auto name = static_cast<int64_t>(random >> 33) % 40;
      cache.Insert(Key{name}, PlanOf(static_cast<uint32_t>(name)));
      const std::vector<PlanRef> all = cache.All();
      ASSERT_LE(all.size(), capacity);
      std::set<int64_t> there;
      for (const PlanRef& plan : all) {
        ASSERT_TRUE(there.insert(plan->key()[0]).second) << "kept twice";
        ASSERT_EQ(cache.Find(plan->key()).get(), plan.get()) << capacity << ", " << round;
      }
      for (int64_t other = 0; other < 40; ++other) {
        ASSERT_EQ(static_cast<bool>(cache.Find(Key{other})), there.count(other) == 1) << other;
      }
    }
  }
}

// However many shapes have come and gone: what is not there is looked for in a few slots only.
TEST(PlanCache, LookUpsStayShortWhereShapesComeAndGo) {
  PlanCache cache(256);
  for (int64_t name = 0; name < 100000; ++name) cache.Insert(Key{name}, PlanOf(1));
  EXPECT_EQ(cache.GetStatistics().entries, 256u);
  EXPECT_LT(cache.GetStatistics().longest_run, 64u);
}

// Those that stay move while others go, and are found by threads that take no lock.
TEST(PlanCache, WhatMovesIsFound) {
  constexpr int64_t kStay = 12;
  PlanCache cache(16);
  std::vector<PlanRef> held;
  for (int64_t name = 0; name < kStay; ++name) held.push_back(cache.Insert(Key{name}, PlanOf(1)));
  std::atomic<bool> done{false};
  std::atomic<uint64_t> wrong{0};
  std::vector<std::thread> finders;
  for (int i = 0; i < 3; ++i) {
    finders.emplace_back([&] {
      while (!done) {
        for (int64_t name = 0; name < kStay; ++name) {
          // Looked up often, it is not what goes; where it is gone all the same, it is made again.
          const PlanRef found = cache.FindOrMake(Key{name}, [] { return PlanOf(1); });
          if (!found || found->key()[0] != name) ++wrong;
        }
      }
    });
  }
  for (int64_t name = kStay; name < 20000; ++name) cache.Insert(Key{name}, PlanOf(1));
  done = true;
  for (std::thread& finder : finders) finder.join();
  EXPECT_EQ(wrong, 0u);
  std::set<int64_t> there;
  for (const PlanRef& plan : cache.All()) {
    EXPECT_TRUE(there.insert(plan->key()[0]).second) << "kept twice";
    EXPECT_EQ(cache.Find(plan->key()).get(), plan.get());
  }
}

TEST(PlanCache, IsBoundedInBytes) {
  PlanCache cache;
  constexpr size_t kWords = 8192;
  const int64_t count = static_cast<int64_t>(PlanCache::kMaxBytes / (kWords * 8)) + 100;
  for (int64_t i = 0; i < count; ++i) cache.Insert(Key{i}, PlanOf(1, kWords));
  EXPECT_GT(cache.GetStatistics().dropped, 99u);
  EXPECT_LE(cache.GetStatistics().tiling_bytes, PlanCache::kMaxBytes);
}

TEST(PlanCache, TenThousandShapesStay) {
  PlanCache cache;
  for (int64_t i = 0; i < 10000; ++i) cache.Insert(Key{i, i * i}, PlanOf(1));
  for (int64_t i = 0; i < 10000; ++i) ASSERT_TRUE(cache.Find(Key{i, i * i}));
  EXPECT_EQ(cache.GetStatistics().dropped, 0u);
}

// A loop over a few more shapes than fit finds most of them, where dropping the oldest would find
// none; and shapes in constant use outlive any number of others.
TEST(PlanCache, ALoopOverTooManyShapesStillHits) {
  PlanCache cache(1000);
  for (int round = 0; round < 10; ++round) {
    for (int64_t i = 0; i < 1200; ++i) cache.FindOrMake(Key{i}, [] { return PlanOf(1); });
  }
  const PlanCache::Statistics statistics = cache.GetStatistics();
  EXPECT_GT(statistics.hits, 12000u / 2) << statistics.misses;
  EXPECT_EQ(statistics.entries, 1000u);
}

TEST(PlanCache, WhatIsUsedStays) {
  PlanCache cache(1000);
  int lost = 0;
  for (int64_t i = 0; i < 20000; ++i) {
    cache.Insert(Key{i}, PlanOf(1));
    bool made = false;
    cache.FindOrMake(Key{-1 - i % 10}, [&] {
      made = i >= 10;
      return PlanOf(1);
    });
    lost += made;
  }
  EXPECT_LT(lost, 20);
}

TEST(PlanCache, AnEntryIsSmall) {
  PlanCache cache;
  BasculeTensorInfo info = {};
  info.present = 1;
  info.shape = {4, {1, 2, 3, 4}};
  for (int64_t i = 0; i < 10000; ++i) {
    PlanKey key;
    info.shape.dims[0] = i;
    key.Add(info);
    key.Add(info);
    Plan plan = PlanOf(1, 4);
    plan.outputs = {info};
    cache.Insert(key.Words(), plan);
  }
  const PlanCache::Statistics statistics = cache.GetStatistics();
  EXPECT_LE((statistics.bytes - statistics.tiling_bytes) / 10000, 256u + 64u) << "with rank 4";
}

// Finds, additions and removals at once; every plan that is found is whole.
TEST(PlanCache, ThreadsShareIt) {
  PlanCache cache(64);
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&cache, t] {
      PlanRef held;
      for (int64_t i = 0; i < 20000; ++i) {
        const int64_t name = (i * (t + 1)) % 150;
        PlanRef plan = cache.FindOrMake(Key{name, -name},
                                        [&] { return PlanOf(static_cast<uint32_t>(name), 5); });
        ASSERT_EQ(plan->block_count(), static_cast<uint32_t>(name));
        ASSERT_EQ(static_cast<const uint64_t*>(plan->tiling_data())[4],
                  static_cast<uint64_t>(name));
        plan->launch_ns().fetch_add(1, std::memory_order_relaxed);
        if (i % 100 == 0) held = plan;
        ASSERT_EQ(held->key()[1], -held->key()[0]);
        if (i % 5000 == 0) {
          ASSERT_LE(cache.All().size(), 64u);
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(cache.GetStatistics().entries, 64u);
  EXPECT_EQ(cache.GetStatistics().hits + cache.GetStatistics().misses, 80000u);
}

// The others' memory goes, and the numbers they were counted under are used again. If they stayed,
// every new plan would look at all of them.
TEST(PlanCache, HoldingOneKeepsNoOther) {
  PlanCache cache(64);
  const PlanRef held = cache.Insert(Key{-1}, PlanOf(1));
  const uint32_t before = Holders::NewNumber();
  for (int64_t i = 0; i < 100000; ++i) cache.Insert(Key{i}, PlanOf(2));
  EXPECT_LT(Holders::NewNumber(), before + 200);
  EXPECT_EQ(held->block_count(), 1u);
}

TEST(PlanCache, RefusesAKeyBeyondBounds) {
  PlanCache cache;
  EXPECT_THROW(cache.Insert(Key(size_t{1} << 16, 0), PlanOf(1)), Error);
}

// What is said in other parts never gives the same words.
TEST(PlanKey, TellsRequestsApart) {
  std::set<std::vector<int64_t>> seen;
  int64_t ints[] = {1, 2, 3};
  for (uint32_t length : {0u, 1u, 2u, 3u}) {
    for (uint32_t second : {0u, 1u, 2u}) {
      PlanKey key;
      BasculeAttribute attribute = {};
      attribute.kind = BASCULE_ATTR_INT_LIST;
      attribute.value.ints = ints;
      attribute.length = length;
      key.Add(attribute);
      attribute.length = second;
      key.Add(attribute);
      EXPECT_TRUE(seen.insert({key.Words().begin(), key.Words().end()}).second);
    }
  }
  PlanKey a;
  PlanKey b;
  const int64_t dims[] = {BASCULE_FLOAT16, 2};
  a.AddTensor(BASCULE_FLOAT, BASCULE_FORMAT_ND, 2, dims);
  b.AddTensor(BASCULE_FLOAT16, BASCULE_FORMAT_ND, 2, dims);
  EXPECT_FALSE(std::equal(a.Words().begin(), a.Words().end(), b.Words().begin(), b.Words().end()));
}

}  // namespace
}  // namespace bascule::registry
