// From an operator project to an operator library.
//
// What happens, in order:
//   1. The host sources are compiled, linked to a small program and run; it describes the
//   operators.
//   2. For each operator and each column of its dtype lists the kernel is compiled with its own
//   macros, then
//      relinked so that nothing of it but its entry can be seen: the same class names have
//      different bodies in different columns.
//   3. Host part, generated part, manifest and kernels are linked to a shared library that exports
//   C symbols
//      only, and moved to its place.
// Each step is done again only when its inputs changed (cache.h). docs/build.md is the user's page.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_TOOLCHAIN_BUILD_H_
#define BASCULE_TOOLCHAIN_BUILD_H_

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "bascule/abi/types.h"
#include "toolchain/schema.h"

namespace bascule::toolchain {

struct BuildResult {
  BasculeStatus status = BASCULE_OK;
  std::string error;      // a sentence, with the compiler's output where it has one; "" on success
  nlohmann::json report;  // docs/build.md; also filled on failure
};

// `options` is a JSON object (docs/build.md) or null. Does not throw. Thread-safe; builds of the
// same output wait for each other, also across processes.
BuildResult Build(const std::string& project_path, const nlohmann::json& options);

// The operators that the project's host code defines, in the order of OP_ADD; nothing else is
// built, and a Build with the same options finds it done. Throws Error.
std::vector<Schema> DescribeProject(const std::string& project_path, const nlohmann::json& options);

}  // namespace bascule::toolchain

#endif  // BASCULE_TOOLCHAIN_BUILD_H_
