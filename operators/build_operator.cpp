// build_operator PROJECT OUTPUT PREFIX: builds an operator project, as `bascule build` does.
// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <string>

#include "bascule/c_api.h"

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: build_operator PROJECT OUTPUT PREFIX\n");
    return 2;
  }
  const std::string options =
      std::string("{\"output\": \"") + argv[2] + "\", \"prefix\": \"" + argv[3] + "\"}";
  char* report = nullptr;
  const BasculeStatus status = bascule_build(argv[1], options.c_str(), &report);
  if (status != BASCULE_OK) {
    std::fprintf(stderr, "%s\n%s\n", bascule_last_error(), report != nullptr ? report : "");
  }
  bascule_free(report);
  return status == BASCULE_OK ? 0 : 1;
}
