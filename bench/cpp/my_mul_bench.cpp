// my_mul through the C interface against a hand-written loop.
// SPDX-License-Identifier: Apache-2.0
#include <benchmark/benchmark.h>
#include <stdlib.h>

#include <cstdio>
#include <thread>

#include "bascule/c_api.h"

namespace {

constexpr int64_t kHuge = int64_t{8192} * 8192;
constexpr int64_t kSmall = 4096;

const BasculeOperator* MyMul() {
  static const BasculeOperator* const op = [] {
    BasculeLibrary* library = nullptr;
    const BasculeOperator* found = nullptr;
    if (bascule_library_open(BASCULE_BENCH_LIBRARIES "/libmy_mul.so", &library) != BASCULE_OK ||
        bascule_library_find(library, "my_mul", &found) != BASCULE_OK) {
      std::fprintf(stderr, "%s\n", bascule_last_error());
      std::exit(1);
    }
    return found;
  }();
  return op;
}

// Three arrays that are touched before anything is timed, so that page faults are not what is
// compared.
struct Arrays {
  explicit Arrays(int64_t n) : count(n) {
    for (float** array : {&x, &y, &out}) {
      *array = static_cast<float*>(aligned_alloc(64, static_cast<size_t>(n) * sizeof(float)));
      for (int64_t i = 0; i < n; ++i) (*array)[i] = static_cast<float>(i % 7);
    }
  }
  ~Arrays() {
    free(x);
    free(y);
    free(out);
  }
  Arrays(const Arrays&) = delete;
  Arrays& operator=(const Arrays&) = delete;

  int64_t count;
  float* x = nullptr;
  float* y = nullptr;
  float* out = nullptr;
};

// Compiled with -O3 -march=native, whatever the rest is compiled with.
void Loop(const float* x, const float* y, float* out, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i) out[i] = x[i] * y[i];
}

void Call(benchmark::State& state, int64_t count) {
  Arrays arrays(count);
  int64_t shape[] = {count};
  BasculeTensor tensors[3] = {};
  float* data[] = {arrays.x, arrays.y, arrays.out};
  for (int i = 0; i < 3; ++i) tensors[i] = {data[i], 1, 0, 1, 2, 32, 1, shape, nullptr, 0};
  const BasculeTensor* inputs[] = {&tensors[0], &tensors[1]};
  BasculeTensor* outputs[] = {&tensors[2]};
  const BasculeOperator* op = MyMul();
  for (auto _ : state) {
    if (bascule_operator_call(op, 2, inputs, 1, outputs, 0, nullptr) != BASCULE_OK) {
      state.SkipWithError(bascule_last_error());
      return;
    }
    benchmark::ClobberMemory();
  }
}

void HugeOurs(benchmark::State& state) { Call(state, kHuge); }
void HugeLoop(benchmark::State& state) {
  Arrays arrays(kHuge);
  for (auto _ : state) {
    std::thread other([&] { Loop(arrays.x, arrays.y, arrays.out, 0, kHuge / 2); });
    Loop(arrays.x, arrays.y, arrays.out, kHuge / 2, kHuge);
    other.join();
    benchmark::ClobberMemory();
  }
}

void SmallOurs(benchmark::State& state) { Call(state, kSmall); }
void SmallLoop(benchmark::State& state) {
  Arrays arrays(kSmall);
  for (auto _ : state) {
    Loop(arrays.x, arrays.y, arrays.out, 0, kSmall);
    benchmark::ClobberMemory();
  }
}

BENCHMARK(HugeOurs)->Name("my_mul_8192x8192_float/ours")->UseRealTime();
BENCHMARK(HugeLoop)->Name("my_mul_8192x8192_float/loop")->UseRealTime();
BENCHMARK(SmallOurs)->Name("my_mul_call_4096/ours")->UseRealTime();
BENCHMARK(SmallLoop)->Name("my_mul_call_4096/loop")->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
