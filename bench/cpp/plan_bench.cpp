// What planning costs when it was done before, and what opening and building a library costs.
// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>
#include <stdlib.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <latch>
#include <string>
#include <thread>
#include <vector>

#include "bascule/c_api.h"

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr int64_t kShapes = 10000;
constexpr const char* kLibrary = BASCULE_BENCH_LIBRARIES "/libmy_mul.so";

void Check(BasculeStatus status) {
  if (status == BASCULE_OK) return;
  std::fprintf(stderr, "%s\n", bascule_last_error());
  std::exit(1);
}

const BasculeOperator* MyMul() {
  static const BasculeOperator* const op = [] {
    BasculeLibrary* library = nullptr;
    const BasculeOperator* found = nullptr;
    Check(bascule_library_open(kLibrary, &library));
    Check(bascule_library_find(library, "my_mul", &found));
    return found;
  }();
  return op;
}

BasculeOperatorStatistics Statistics() {
  BasculeOperatorStatistics statistics = {};
  statistics.struct_bytes = sizeof(statistics);
  Check(bascule_operator_statistics(MyMul(), &statistics));
  return statistics;
}

// Two inputs of the shape with this number.
struct Request {
  BasculeTensorInfo inputs[2] = {};
  Request() {
    for (BasculeTensorInfo& info : inputs) {
      info.present = 1;
      info.dtype = BASCULE_FLOAT;
      info.format = BASCULE_FORMAT_ND;
      info.shape.rank = 2;
    }
  }
  void Set(int64_t number) {
    for (BasculeTensorInfo& info : inputs) {
      info.shape.dims[0] = number / 100 + 1;
      info.shape.dims[1] = number % 100 + 1;
    }
  }
};

BasculePlan* Plan(const Request& request) {
  BasculePlan* plan = nullptr;
  Check(bascule_operator_plan(MyMul(), 2, request.inputs, 0, nullptr, &plan));
  return plan;
}

double Nanoseconds(Clock::time_point from, Clock::time_point to) {
  return std::chrono::duration<double, std::nano>(to - from).count();
}

double Quantile(std::vector<double>& samples, double which) {
  const auto at =
      samples.begin() + static_cast<ptrdiff_t>(which * static_cast<double>(samples.size() - 1));
  std::nth_element(samples.begin(), at, samples.end());
  return *at;
}

// Times single look-ups on two threads, each of its own random order of all shapes; what looking at
// the clock costs is taken off.
void PlanHit(benchmark::State& state) {
  constexpr int kThreads = 2;
  constexpr size_t kSamples = 100000;
  Request request;
  for (int64_t i = 0; i < kShapes; ++i) {
    request.Set(i);
    bascule_plan_release(Plan(request));
  }
  const BasculeOperatorStatistics before = Statistics();
  std::vector<double> samples;
  std::vector<double> clock;
  for (auto _ : state) {
    std::vector<double> taken[kThreads];
    std::vector<double> clocks[kThreads];
    std::latch start(kThreads);
    std::vector<std::thread> threads;
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&, t] {
        Request own;
        uint64_t random = static_cast<uint64_t>(t) + 1;
        taken[t].reserve(kSamples);
        clocks[t].reserve(kSamples);
        start.arrive_and_wait();
        for (size_t i = 0; i < kSamples; ++i) {
          random = random * 6364136223846793005u + 1442695040888963407u;
          own.Set(static_cast<int64_t>((random >> 33) % kShapes));
          // The samples written before are still on their way to memory; a look-up's first atomic
          // operation would wait for them.
          std::atomic_thread_fence(std::memory_order_seq_cst);
          const Clock::time_point first = Clock::now();
          const Clock::time_point second = Clock::now();
          BasculePlan* const plan = Plan(own);
          const Clock::time_point third = Clock::now();
          bascule_plan_release(plan);
          clocks[t].push_back(Nanoseconds(first, second));
          taken[t].push_back(Nanoseconds(second, third));
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (int t = 0; t < kThreads; ++t) {
      samples.insert(samples.end(), taken[t].begin(), taken[t].end());
      clock.insert(clock.end(), clocks[t].begin(), clocks[t].end());
    }
  }
  const BasculeOperatorStatistics after = Statistics();
  if (after.plan_misses != before.plan_misses || after.plans_dropped != 0) {
    state.SkipWithError("a plan was made again");
    return;
  }
  const double clock_ns = Quantile(clock, 0.5);
  state.counters["median_ns"] = Quantile(samples, 0.5) - clock_ns;
  state.counters["p99_ns"] = Quantile(samples, 0.99) - clock_ns;
  state.counters["entry_bytes"] =
      static_cast<double>(after.plan_bytes - after.tiling_bytes) / static_cast<double>(after.plans);
}

// Libraries that the process does not have: the same but for a byte behind the end.
void OpenLibrary(benchmark::State& state) {
  std::string folder = (fs::temp_directory_path() / "bascule-bench-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) {
    state.SkipWithError("no temporary folder");
    return;
  }
  static int number = 0;
  std::vector<std::string> paths;
  for (int64_t i = 0; i < state.max_iterations; ++i) {
    paths.push_back(folder + "/lib" + std::to_string(++number) + ".so");
    fs::copy_file(kLibrary, paths.back());
    std::ofstream(paths.back(), std::ios::app) << number;
  }
  size_t next = 0;
  for (auto _ : state) {
    BasculeLibrary* library = nullptr;
    Check(bascule_library_open(paths[next++].c_str(), &library));
  }
  fs::remove_all(folder);
}

void Build(const fs::path& folder, bool force) {
  const std::string options = "{\"prefix\": \"" BASCULE_BENCH_PREFIX "\", \"output\": \"" +
                              (folder / "libmy_mul.so").string() +
                              "\", \"force\": " + (force ? "true" : "false") + "}";
  char* report = nullptr;
  Check(bascule_build(BASCULE_BENCH_PROJECT, options.c_str(), &report));
  bascule_free(report);
}

void BuildLibrary(benchmark::State& state, bool cold) {
  std::string folder = (fs::temp_directory_path() / "bascule-bench-XXXXXX").string();
  if (mkdtemp(folder.data()) == nullptr) {
    state.SkipWithError("no temporary folder");
    return;
  }
  if (!cold) Build(folder, false);
  for (auto _ : state) Build(folder, cold);
  fs::remove_all(folder);
}
void BuildCold(benchmark::State& state) { BuildLibrary(state, true); }
void BuildCached(benchmark::State& state) { BuildLibrary(state, false); }

BENCHMARK(PlanHit)->Name("plan_hit")->Iterations(1);
BENCHMARK(OpenLibrary)->Name("open_library")->Iterations(20)->UseRealTime();
BENCHMARK(BuildCold)->Name("build_cold")->Iterations(1)->UseRealTime();
BENCHMARK(BuildCached)->Name("build_cached")->Iterations(10)->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
