// How host code plans matrix products: which tiles fit the cube unit's memories.
// SPDX-License-Identifier: Apache-2.0
#ifndef CUBE_PRODUCT_PLAN_H
#define CUBE_PRODUCT_PLAN_H

#include <algorithm>
#include <cstdint>
#include <vector>

#include "cube_product_tiling.h"
#include "tiling/platform/platform_ascendc.h"

namespace cube_product {

constexpr uint64_t SIDE = 16;
constexpr uint64_t FRACTAL_BYTES = 512;
constexpr uint64_t MOST_BASE_M = 128;
constexpr uint64_t MOST_BASE_N = 256;
constexpr uint64_t MOST_MMAD_N = 256;  // in L0B at once
// Smaller tiles spend more time on copies than cores can win.
constexpr uint64_t LEAST_BASE = 64;
// Products that are worth a core of their own.
constexpr uint64_t LEAST_UNIT = 64 * 64 * 64;

inline uint64_t DivideUp(uint64_t value, uint64_t unit) { return (value + unit - 1) / unit; }
inline uint64_t Up(uint64_t value, uint64_t unit) { return DivideUp(value, unit) * unit; }

// Rows from strip to strip in L1 for strips of `rows`, which are whole fractals. Strips that begin
// a power of two apart meet in few lines of a cache, so there is an odd number of fractals.
inline uint64_t Pace(uint64_t rows) {
  return rows > SIDE && rows / SIDE % 2 == 0 ? rows + SIDE : rows;
}

struct Machine {
  uint64_t cores = 1;
  uint64_t l1 = 0;
  uint64_t l0a = 0;
  uint64_t l0b = 0;
  uint64_t l0c = 0;

  explicit Machine(const platform_ascendc::PlatformAscendC& platform) {
    using platform_ascendc::CoreMemType;
    cores = std::max<uint64_t>(1, platform.GetCoreNumAic());
    platform.GetCoreMemSize(CoreMemType::L1, l1);
    platform.GetCoreMemSize(CoreMemType::L0_A, l0a);
    platform.GetCoreMemSize(CoreMemType::L0_B, l0b);
    platform.GetCoreMemSize(CoreMemType::L0_C, l0c);
  }
};

// An axis of many products: how far its operands' matrices are apart, 0 where there is but one.
struct Axis {
  uint64_t size;
  uint64_t strideA;
  uint64_t strideB;
};

// Axes of one element go, and neighbours that lie alike are one. False: too many are left.
inline bool SetAxes(const std::vector<Axis>& axes, CubeProductAxes* out) {
  std::vector<Axis> merged;
  out->total = 1;
  for (const Axis& axis : axes) {
    out->total *= axis.size;
    if (axis.size == 1) continue;
    if (!merged.empty() && merged.back().strideA == axis.strideA * axis.size &&
        merged.back().strideB == axis.strideB * axis.size) {
      merged.back() = {merged.back().size * axis.size, axis.strideA, axis.strideB};
    } else {
      merged.push_back(axis);
    }
  }
  if (out->total == 0) merged.clear();
  if (merged.size() > CUBE_PRODUCT_AXES) return false;
  out->count = merged.size();
  for (size_t i = 0; i < merged.size(); ++i) {
    out->size[i] = merged[i].size;
    out->strideA[i] = merged[i].strideA;
    out->strideB[i] = merged[i].strideB;
  }
  return true;
}

// Cuts a product whose sizes, axes and layouts are there already, and makes room for it.
inline bool Cut(const Machine& machine, uint64_t elementBytes, CubeProductTiling* product,
                CubeProductBuffers* buffers) {
  const uint64_t square = elementBytes == 1 ? 32 : SIDE;
  const uint64_t wide = FRACTAL_BYTES / SIDE / elementBytes;
  // Both operands have two buffers in L1 and in L0.
  const uint64_t leastK = std::max(square, wide);
  uint64_t baseM = std::min(MOST_BASE_M, Up(std::max<uint64_t>(product->m, 1), square));
  uint64_t baseN = std::min(MOST_BASE_N, Up(std::max<uint64_t>(product->n, 1), square));
  // What one side does not need helps the other. A crossed B is turned on its way, which costs more
  // than what A needs, so the longer side is the one that saves bringing B.
  if (baseN <= MOST_BASE_N / 2 || (product->turnB == 0 && product->m > MOST_BASE_M)) {
    baseM = std::min(MOST_BASE_M * 2, Up(std::max<uint64_t>(product->m, 1), square));
    baseN = std::min(MOST_BASE_N / 2, baseN);
  } else if (baseM <= MOST_BASE_M / 2) {
    // Few rows leave room in L0C for longer ones: A comes less often, B in longer runs.
    baseN = std::min(MOST_BASE_N * 2, Up(std::max<uint64_t>(product->n, 1), square));
  }
  while (baseM * baseN * sizeof(float) > machine.l0c) (baseM > baseN ? baseM : baseN) /= 2;
  const auto tiles = [&] {
    return DivideUp(product->m, baseM) * DivideUp(product->n, baseN) * product->outer.total;
  };
  const uint64_t terms = product->k * product->inner.total;
  // What the core with the most tiles computes.
  const auto most = [&] { return DivideUp(tiles(), machine.cores) * baseM * baseN; };
  while (tiles() < machine.cores && baseM * baseN * terms > 2 * LEAST_UNIT &&
         std::max(baseM, baseN) > LEAST_BASE) {
    uint64_t& longer = baseM > baseN ? baseM : baseN;
    const uint64_t was = longer;
    const uint64_t before = most();
    longer = Up(longer / 2, square);
    if (most() >= before) {  // smaller tiles, of which some core has one more
      longer = was;
      break;
    }
  }
  // Tiles of one size, so that cores have as much to do.
  const auto even = [&](uint64_t size, uint64_t base) {
    return size == 0 ? base : Up(DivideUp(size, DivideUp(size, base)), square);
  };
  baseM = even(product->m, baseM);
  baseN = even(product->n, baseN);
  const uint64_t mmadN = even(baseN, MOST_MMAD_N);
  // A row is copied in whole fractals.
  const bool oneRow = product->m == 1 && product->turnA == 0 && product->onesA == 0;
  const uint64_t upK = Up(std::max<uint64_t>(product->k, 1), leastK);
  const uint64_t rowsOfA = oneRow ? 1 : baseM;
  uint64_t l0K = std::min(machine.l0a / 2 / (rowsOfA * elementBytes),
                          machine.l0b / 2 / (mmadN * elementBytes));
  l0K = std::min(l0K / leastK * leastK, upK);
  const uint64_t biasBytes = square * std::max(baseM, baseN) * elementBytes;
  const uint64_t mostBiasBytes = square * MOST_BASE_N * 2 * elementBytes;
  const uint64_t spare = FRACTAL_BYTES;
  if (l0K == 0 || machine.l1 < mostBiasBytes + 2 * spare) return false;
  // One half of L1 each, beside the longest bias, so that several products of a kernel can share
  // the buffers.
  const uint64_t buffer =
      (machine.l1 - mostBiasBytes - 2 * spare) / 4 / FRACTAL_BYTES * FRACTAL_BYTES;
  const uint64_t paceM = oneRow ? 1 : Pace(baseM);
  const uint64_t paceN = Pace(baseN);
  uint64_t l1K = buffer / (std::max(paceM, paceN) * elementBytes) / l0K * l0K;
  l1K = std::min(l1K, Up(upK, l0K));
  if (l1K == 0) return false;

  product->baseM = static_cast<uint32_t>(baseM);
  product->baseN = static_cast<uint32_t>(baseN);
  product->l0K = static_cast<uint32_t>(l0K);
  product->l1K = static_cast<uint32_t>(l1K);
  product->paceM = static_cast<uint32_t>(paceM);
  product->paceN = static_cast<uint32_t>(paceN);
  product->mmadN = static_cast<uint32_t>(mmadN);
  product->mTiles = DivideUp(product->m, baseM);
  product->nTiles = DivideUp(product->n, baseN);
  product->units = product->mTiles * product->nTiles * product->outer.total;
  const auto grow = [](uint32_t* bytes, uint64_t need) {
    *bytes = std::max(*bytes, static_cast<uint32_t>(need));
  };
  grow(&buffers->a1Bytes, paceM * l1K * elementBytes + spare);
  grow(&buffers->b1Bytes, paceN * l1K * elementBytes);
  grow(&buffers->biasBytes, biasBytes);
  // Bias and rows of ones have 16 rows at least.
  grow(&buffers->a2Bytes, std::max(Up(rowsOfA * l0K * elementBytes, FRACTAL_BYTES),
                                   2 * Up(baseM, SIDE) * wide * elementBytes));
  grow(&buffers->b2Bytes, mmadN * l0K * elementBytes);
  grow(&buffers->cBytes, Up(baseM, SIDE) * baseN * sizeof(float));
  return true;
}

}  // namespace cube_product

#endif  // CUBE_PRODUCT_PLAN_H
