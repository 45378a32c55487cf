// Operators that no project has, for tests of what a call does with tensors: defined by hand, with
// kernels in the test program.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_TESTS_HOST_MADE_UP_H_
#define BASCULE_TESTS_HOST_MADE_UP_H_

#include <atomic>
#include <cstdint>
#include <vector>

#include "bascule/c_api.h"

namespace bascule::test {

// The operator of this name:
//   copy        x → out, of any element type
//   unsaid      x → out, without shape inference
//   sum, best   x (n, m) float → out (m): the sum, the maximum; of no rows only `sum` writes
//   best_with   x (n, m), bias, which may be left out → out (m): as `best`
//   product     as `best`, with 1 as the output's initial value
//   add         x, bias (may be left out) → out scratch     x (1) int32 → out (1): fills its
//   workspace, looks at it for a while, gives the number
//               of bytes that somebody else has changed
//   divide      x → out; its tiling divides by what the first dimension is beyond 1
//   astray      x → out; its inference follows a null pointer
//   settings    x → out; attributes of every kind
//   nz          x in FRACTAL_NZ → out
//   pair        x → first, second
//   nudge       x → x: adds 100 to element 0, and that to element 1; the output has an initial
//   value nudge_each  list of x → list of x: adds 101 to element 0 of each stray       x → out; its
//   kernel writes beyond the output join        list of x → out: all elements of the list, one
//   after the other overreach   list of x → out: reads one element behind each of the list split x
//   (n) → list of y: as many equal parts as there are lengths     list of a, scale, list of b → out
//   (3): how long the lists are, and scale valued      x (its tiling reads what it holds) → out
const BasculeOperator* MadeUp(const char* name);

// How often tiling ran, of all of them.
extern std::atomic<int> tilings;

// What `settings` saw last, as text.
extern thread_local char seen[256];

// A tensor with its shape and strides, and elements somewhere.
struct View {
  std::vector<int64_t> shape;
  std::vector<int64_t> strides;
  BasculeTensor tensor = {};

  View(void* data, std::vector<int64_t> dims, std::vector<int64_t> steps = {}, uint8_t code = 2,
       uint8_t bits = 32)
      : shape(std::move(dims)), strides(std::move(steps)) {
    tensor.data = data;
    tensor.device_type = 1;
    tensor.ndim = static_cast<int32_t>(shape.size());
    tensor.dtype_code = code;
    tensor.dtype_bits = bits;
    tensor.dtype_lanes = 1;
    tensor.shape = shape.data();
    tensor.strides = strides.empty() ? nullptr : strides.data();
  }
  View(const View&) = delete;
  View& operator=(const View&) = delete;
};

inline BasculeStatus CallOn(const char* name, const std::vector<const View*>& inputs,
                            const std::vector<View*>& outputs,
                            const std::vector<BasculeAttribute>& attributes = {},
                            BasculeStream* stream = nullptr) {
  std::vector<const BasculeTensor*> in;
  std::vector<BasculeTensor*> out;
  for (const View* view : inputs) in.push_back(view != nullptr ? &view->tensor : nullptr);
  for (View* view : outputs) out.push_back(view != nullptr ? &view->tensor : nullptr);
  const auto count = [](const auto& list) { return static_cast<uint32_t>(list.size()); };
  if (stream != nullptr) {
    return bascule_operator_call_on(MadeUp(name), count(in), in.data(), count(out), out.data(),
                                    count(attributes), attributes.data(), *stream);
  }
  return bascule_operator_call(MadeUp(name), count(in), in.data(), count(out), out.data(),
                               count(attributes), attributes.data());
}

// With lists of tensors; `inputs` and `outputs` are one list for each parameter.
inline BasculeStatus CallLists(const char* name, const std::vector<std::vector<View*>>& inputs,
                               const std::vector<std::vector<View*>>& outputs,
                               BasculeStream* stream = nullptr) {
  std::vector<const BasculeTensor*> in;
  std::vector<BasculeTensor*> out;
  std::vector<uint32_t> counts[2];
  for (const auto& list : inputs) {
    for (View* view : list) in.push_back(view != nullptr ? &view->tensor : nullptr);
    counts[0].push_back(static_cast<uint32_t>(list.size()));
  }
  for (const auto& list : outputs) {
    for (View* view : list) out.push_back(view != nullptr ? &view->tensor : nullptr);
    counts[1].push_back(static_cast<uint32_t>(list.size()));
  }
  const auto count = [](const auto& list) { return static_cast<uint32_t>(list.size()); };
  const BasculeLists lists = {sizeof(lists),    count(counts[0]), counts[0].data(),
                              counts[1].data(), count(counts[1]), 0};
  if (stream != nullptr) {
    return bascule_operator_call_lists_on(MadeUp(name), &lists, count(in), in.data(), count(out),
                                          out.data(), 0, nullptr, *stream);
  }
  return bascule_operator_call_lists(MadeUp(name), &lists, count(in), in.data(), count(out),
                                     out.data(), 0, nullptr);
}

inline BasculeOperatorStatistics StatisticsOf(const char* name) {
  BasculeOperatorStatistics statistics = {};
  statistics.struct_bytes = sizeof(statistics);
  bascule_operator_statistics(MadeUp(name), &statistics);
  return statistics;
}

}  // namespace bascule::test

#endif  // BASCULE_TESTS_HOST_MADE_UP_H_
