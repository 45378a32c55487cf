// What one instruction of 64 elements costs, queue steps included. Compiled twice: with the engine
// as it is, and with an engine in which nothing can be observed. SPDX-License-Identifier:
// Apache-2.0
#include <benchmark/benchmark.h>

#include "kernel_operator.h"
#include "tests/support/kernel_runner.h"

namespace {

constexpr int kRounds = 1000;

void Instructions(benchmark::State& state) {
  for (auto _ : state) {
    bascule::test::KernelRunner(1).Run([] {
      AscendC::TPipe pipe;
      AscendC::TQue<AscendC::TPosition::VECIN, 2> queue;
      pipe.InitBuffer(queue, 2, 256);
      for (int i = 0; i < kRounds; ++i) {
        auto tile = queue.AllocTensor<float>();
        queue.EnQue(tile);
        tile = queue.DeQue<float>();
        AscendC::Mul(tile, tile, tile, 64);
        queue.FreeTensor(tile);
      }
    });
  }
  state.SetItemsProcessed(state.iterations() * kRounds);
}

BENCHMARK(Instructions)->Name("instruction_64/" BASCULE_BENCH_VARIANT)->UseRealTime();

}  // namespace

BENCHMARK_MAIN();
