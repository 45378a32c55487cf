// What kernel and host agree on, and what the two host files share.
#ifndef SAXPY_H
#define SAXPY_H

#include <cstdint>
#include <vector>

struct SaxpyPlan {
  uint32_t length;  // of x, y and z, in elements
  uint32_t share;   // of each block, in elements; a multiple of 32 bytes
  float alpha;
};

// Numbers whose products and sums are exact in float, so that results can be compared for equality.
std::vector<float> Numbers(uint32_t length, int step);

// How many elements of z are not alpha * x + y; says which the first one is.
uint32_t CountWrong(const std::vector<float>& x, const std::vector<float>& y,
                    const std::vector<float>& z, float alpha);

#endif  // SAXPY_H
