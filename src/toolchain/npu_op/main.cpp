// SPDX-License-Identifier: Apache-2.0
#include "toolchain/npu_op/npu_op.h"

int main(int argc, char** argv) {
  return bascule::toolchain::NpuOp(std::vector<std::string>(argv + 1, argv + argc));
}
