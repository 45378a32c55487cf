// `kernel<<<blocks, l2ctrl, stream>>>(arguments)` as C++ that any compiler takes.
//
// Works on the text that directives-only preprocessing leaves: macros are not expanded, `#define`
// lines and comments are still there, included files stand between line markers. So a launch may
// stand in a macro, a header, a template or a lambda. What the launch becomes, and the code it
// needs, are in bascule_ascendc/launch.h:
//
//     saxpy<float><<<n, nullptr, stream>>>(x, y);
//     (saxpy<float>%$(n, nullptr, stream)) (x, y);
//
// `__global__` beside `__cube__`, `__vector__` or `__mix__(…)` becomes `__kernel__`
// (bascule_ascendc/keywords.h), which is as long.
//
// `if constexpr (g_coreType == …)` loses its `constexpr`: one compile serves both kinds of core.
//
// Nothing moves to another column but what follows an opening parenthesis that found no blank to
// take the place of. SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_TOOLCHAIN_DRIVER_REWRITE_H_
#define BASCULE_TOOLCHAIN_DRIVER_REWRITE_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace bascule::toolchain {

// A place in the user's file, as its line markers say.
struct SourcePlace {
  std::string file;
  uint32_t line = 0;
  uint32_t column = 0;  // in bytes, from 1
};

struct LaunchProblem {
  SourcePlace place;
  std::string text;
};

struct RewrittenSource {
  std::string text;
  uint32_t launches = 0;
  std::vector<LaunchProblem> problems;  // launches that are left as they were
};

// `file` is the name of what comes before the first line marker.
RewrittenSource RewriteLaunches(std::string_view text, std::string_view file);

}  // namespace bascule::toolchain

#endif  // BASCULE_TOOLCHAIN_DRIVER_REWRITE_H_
