// Kernels launched with <<<>>> against hand-written loops on the same memory, with the same
// threads. SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>
#include <thread>

#include "kernels.h"
#include "loops.h"

namespace bascule::bench {
namespace {

constexpr uint32_t kSide = 8192;
constexpr uint32_t kHuge = kSide * kSide;
constexpr uint32_t kQuarter = kHuge / 4;
constexpr uint32_t kMedium = 1 << 22;
constexpr uint32_t kSmall = 4096;
constexpr uint32_t kVectorCores = 48;  // of the platform
constexpr float kScalar = 0.75f;

template <typename T>
constexpr BenchType kType = sizeof(T) == 2 ? BENCH_HALF : BENCH_FLOAT;

// Ordinary numbers: between -4 and 4, and as halves from 0.125 to about 10.
template <typename T>
T NumberAt(uint32_t i);
template <>
float NumberAt<float>(uint32_t i) {
  return static_cast<float>(i % 509) / 64 - 4;
}
template <>
Half NumberAt<Half>(uint32_t i) {
  return {static_cast<uint16_t>(0x3000 + i % 0x1400)};
}

// In device memory, touched before anything is timed. The rivals work on the same.
template <typename T>
struct Arrays {
  explicit Arrays(uint32_t count) {
    for (T** array : {&x, &y, &z}) {
      *array = static_cast<T*>(bench_malloc(uint64_t{count} * sizeof(T)));
      for (uint32_t i = 0; i < count; ++i) (*array)[i] = NumberAt<T>(i);
    }
  }
  ~Arrays() {
    for (T* array : {x, y, z}) bench_free(array);
  }
  Arrays(const Arrays&) = delete;
  Arrays& operator=(const Arrays&) = delete;

  T* x = nullptr;
  T* y = nullptr;
  T* z = nullptr;
};

template <typename T>
void Ours(benchmark::State& state, BenchKernel kernel, uint32_t count, uint32_t blocks) {
  const Arrays<T> arrays(count);
  for (auto _ : state) {
    bench_launch(kernel, kType<T>, blocks, arrays.x, arrays.y, arrays.z, count, kScalar);
    benchmark::ClobberMemory();
  }
}

template <typename T>
using Loop = void(const T* x, const T* y, T* z, int64_t begin, int64_t end, float scalar);

template <typename T>
void OnTwoThreads(benchmark::State& state, Loop<T>* loop, uint32_t count) {
  const Arrays<T> arrays(count);
  for (auto _ : state) {
    std::thread other([&] { loop(arrays.x, arrays.y, arrays.z, 0, count / 2, kScalar); });
    loop(arrays.x, arrays.y, arrays.z, count / 2, count, kScalar);
    other.join();
    benchmark::ClobberMemory();
  }
}
template <typename T>
void OnOneThread(benchmark::State& state, Loop<T>* loop, uint32_t count) {
  const Arrays<T> arrays(count);
  for (auto _ : state) {
    loop(arrays.x, arrays.y, arrays.z, 0, count, kScalar);
    benchmark::ClobberMemory();
  }
}

template <typename Function>
void Add(const std::string& name, Function function) {
  benchmark::RegisterBenchmark(name.c_str(), function)->UseRealTime();
}

template <typename T>
void AddPair(const std::string& name, BenchKernel kernel, Loop<T>* loop, uint32_t count) {
  Add(name + "/ours", [=](auto& state) { Ours<T>(state, kernel, count, kVectorCores); });
  Add(name + "/loop", [=](auto& state) { OnTwoThreads<T>(state, loop, count); });
}

void Instructions(benchmark::State& state) {
  for (auto _ : state) bench_launch_adds(static_cast<uint32_t>(state.range(0)));
}

// The arithmetic of one instruction, as often.
void Arithmetic(benchmark::State& state) {
  alignas(64) float x[64];
  alignas(64) float y[64];
  alignas(64) float z[64];
  for (uint32_t i = 0; i < 64; ++i) x[i] = y[i] = NumberAt<float>(i);
  for (auto _ : state) {
    for (int64_t i = 0; i < state.range(0); ++i) {
      AddLoop(x, y, z, 0, 64, 0);
      benchmark::ClobberMemory();
    }
  }
}

void Barriers(benchmark::State& state) {
  for (auto _ : state) bench_launch_barriers(kVectorCores, static_cast<uint32_t>(state.range(0)));
}

void AddAll() {
  AddPair<float>("add_8192x8192_float", BENCH_ADD, AddLoop, kHuge);
  AddPair<Half>("add_8192x8192_half", BENCH_ADD, AddLoop, kHuge);
  AddPair<float>("mul_scale_8192x8192_float", BENCH_MUL_SCALE, MulScaleLoop, kHuge);
  AddPair<Half>("mul_scale_8192x8192_half", BENCH_MUL_SCALE, MulScaleLoop, kHuge);
  AddPair<float>("axpy_8192x8192_float", BENCH_AXPY, AxpyLoop, kHuge);
  AddPair<Half>("axpy_8192x8192_half", BENCH_AXPY, AxpyLoop, kHuge);

  AddPair<float>("exp_float", BENCH_EXP, ExpLoop, kMedium);
  AddPair<float>("tanh_float", BENCH_TANH, TanhLoop, kMedium);
  AddPair<float>("gelu_float", BENCH_GELU, GeluLoop, kMedium);

  Add("mul_scale_quarter_float/ours",
      [](auto& state) { Ours<float>(state, BENCH_MUL_SCALE, kQuarter, kVectorCores); });
  Add("add_16k_8192x8192_float/ours",
      [](auto& state) { Ours<float>(state, BENCH_ADD_16K, kHuge, kVectorCores); });
  // One block is one worker.
  Add("tanh_float/one_block", [](auto& state) { Ours<float>(state, BENCH_TANH, kMedium, 1); });

  Add("launch_4096/ours", [](auto& state) { Ours<float>(state, BENCH_ADD, kSmall, 1); });
  Add("launch_4096/loop", [](auto& state) { OnOneThread<float>(state, AddLoop, kSmall); });

  Add("scalar_float/ours", [](auto& state) { Ours<float>(state, BENCH_SCALAR_MUL, kMedium, 1); });
  Add("scalar_half/ours", [](auto& state) { Ours<Half>(state, BENCH_SCALAR_MUL, kMedium, 1); });

  benchmark::RegisterBenchmark("add_64/ours", Instructions)->Arg(100000)->UseRealTime();
  benchmark::RegisterBenchmark("add_64/loop", Arithmetic)->Arg(100000)->UseRealTime();
  benchmark::RegisterBenchmark("sync_all/ours", Barriers)->Arg(100)->UseRealTime();
}

}  // namespace
}  // namespace bascule::bench

int main(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  bascule::bench::AddAll();
  benchmark::RunSpecifiedBenchmarks();
}
