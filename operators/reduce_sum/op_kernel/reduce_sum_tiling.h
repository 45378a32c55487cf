// How the work is cut: written by the host's tiling function, read by every block of the kernel.
// SPDX-License-Identifier: Apache-2.0
#ifndef REDUCE_SUM_TILING_H
#define REDUCE_SUM_TILING_H

#include <cstdint>

constexpr uint32_t REDUCE_SUM_AXES = 8;

// What is left to do with a tile of running sums.
enum ReduceSumFinish : uint32_t {
  REDUCE_SUM_NOTHING,  // each is a result
  REDUCE_SUM_ROWS,     // the sum of each row is a result
  REDUCE_SUM_FOLD,     // results are `results` of a tile, apart `foldPitch`: that many are added
  REDUCE_SUM_SPREAD,   // the same, once they have been brought into that order
};

// Index combinations of some axes, numbered with the last axis running fastest.
struct ReduceSumAxes {
  uint32_t count;
  uint64_t size[REDUCE_SUM_AXES];
  uint64_t stride[REDUCE_SUM_AXES];  // elements from one index to the next
};

// A unit is a tile of results that lie side by side. Its sums are made in steps: each adds a tile
// of x, `tileRows` rows of `rowLength` elements, to a tile of running sums. The steps of a unit may
// be shared out to several parts, whose sums are then added.
//
// A unit is (index of the kept axes outside, tile along one kept axis), a step is (index of the
// reduced axes outside, tile along one reduced axis).
struct ReduceSumTilingData {
  uint64_t results;
  uint64_t units;
  uint64_t steps;
  uint64_t parts;
  uint64_t blockUnits;  // pairs of a unit and a part for each block

  ReduceSumAxes kept;     // outside of a unit, in x
  ReduceSumAxes reduced;  // outside of a step, in x

  uint64_t unitTiles;        // units for each index of `kept`
  uint64_t unitTileStride;   // elements of x from one to the next
  uint64_t unitTileResults;  // results of a unit; the last one may have fewer
  uint64_t keptResults;      // results of all units of one index of `kept`
  uint64_t stepTiles;        // steps for each index of `reduced`
  uint64_t stepTileStride;

  // A tile of x. What it is cut from ends somewhere, so the last unit or step may have fewer rows,
  // or fewer elements in its only row.
  uint32_t tileRows;
  uint32_t rowLength;
  uint32_t pitch;          // elements of a tile from one row to the next
  uint64_t rowsOfUnits;    // rows along all units of an index; 0: units do not cut rows
  uint64_t rowsOfSteps;    // and along all steps; 0: steps do not cut rows
  uint64_t lengthOfUnits;  // elements along all units; 0: units do not cut a row
  uint64_t lengthOfSteps;  // and along all steps; 0: steps do not cut a row

  ReduceSumFinish finish;
  uint32_t foldRows;        // how many running sums make a result
  uint32_t foldPitch;       // a multiple of a datablock
  ReduceSumAxes inKept;     // the axes of a tile, in its elements: those of its results,
  ReduceSumAxes inReduced;  // and those of the terms of a result
  uint32_t tileLength;      // elements of a tile, as its buffers have to hold them
  uint32_t temporaryBytes;
};

#endif  // REDUCE_SUM_TILING_H
