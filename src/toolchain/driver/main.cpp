// SPDX-License-Identifier: Apache-2.0
#include "toolchain/driver/driver.h"

int main(int argc, char** argv) {
  return bascule::toolchain::Drive(std::vector<std::string>(argv + 1, argv + argc));
}
