// An ordinary C++ file of the project.
#include <cstdio>

#include "saxpy.h"

std::vector<float> Numbers(uint32_t length, int step) {
  std::vector<float> numbers(length);
  int value = 0;
  for (float& number : numbers) {
    number = static_cast<float>(value - 40) / 4;
    value = (value + step) % 83;
  }
  return numbers;
}

uint32_t CountWrong(const std::vector<float>& x, const std::vector<float>& y,
                    const std::vector<float>& z, float alpha) {
  uint32_t wrong = 0;
  for (size_t i = 0; i < z.size(); ++i) {
    const float expected = alpha * x[i] + y[i];
    if (z[i] == expected) continue;
    if (wrong++ == 0) std::printf("z[%zu] is %g, expected %g\n", i, z[i], expected);
  }
  return wrong;
}
