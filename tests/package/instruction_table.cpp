// Prints the instruction table as JSON, one row a line, for tools/coverage.py.
// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <cstdio>
#include <string>

#include "base/dtype.h"
#include "isa/row.h"

int main() {
  using namespace bascule;
  uint32_t count = 0;
  const isa::Row* const* rows = isa::AllRows(&count);
  std::printf("[");
  for (uint32_t i = 0; i < count; ++i) {
    const isa::Row& row = *rows[i];
    std::string types;
    for (uint32_t body = 0; body < row.body_count; ++body) {
      if (body != 0) types += ",";
      types += std::string("[\"") + DTypeName(row.bodies[body].dst) + "\",\"" +
               DTypeName(row.bodies[body].src) + "\"]";
    }
    std::printf(
        "%s{\"name\":\"%s\",\"types\":[%s],\"forms\":%u,\"fused\":%s,\"ulp\":%g,\"document\":\"%"
        "s\"}",
        i == 0 ? "\n" : ",\n", row.name, types.c_str(), row.forms, row.fused ? "true" : "false",
        static_cast<double>(row.ulp), row.document);
  }
  std::printf("\n]\n");
}
