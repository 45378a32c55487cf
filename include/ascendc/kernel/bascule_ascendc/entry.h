// The entry that `bascule build` puts in front of a kernel that is compiled in more than one form:
// a function template with an instance for each tiling key (ASCENDC_TPL_SEL), or a kernel with
// different code for the two kinds of core. The generated file includes the kernel's source, then
// this.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_ENTRY_H
#define BASCULE_ASCENDC_ENTRY_H

#include <cstdio>
#include <utility>

#include "bascule/abi/template_arguments.h"
#include "bascule_ascendc/builtin.h"
#include "bascule_ascendc/core.h"
#include "kernel_operator.h"

BASCULE_PRIVATE_BEGIN
namespace bascule_ascendc {

// The element type with a number of ge::DataType; what is not listed has none here.
template <uint64_t number>
struct TypeOf {
  static_assert(number != number, "a selection names a data type that kernels here do not know");
};
#define BASCULE_TYPE_OF(number, type_name) \
  template <>                              \
  struct TypeOf<number> {                  \
    using type = type_name;                \
  };
BASCULE_TYPE_OF(BASCULE_FLOAT, float)
BASCULE_TYPE_OF(BASCULE_FLOAT16, half)
BASCULE_TYPE_OF(BASCULE_INT8, int8_t)
BASCULE_TYPE_OF(BASCULE_INT32, int32_t)
BASCULE_TYPE_OF(BASCULE_UINT8, uint8_t)
BASCULE_TYPE_OF(BASCULE_INT16, int16_t)
BASCULE_TYPE_OF(BASCULE_UINT16, uint16_t)
BASCULE_TYPE_OF(BASCULE_UINT32, uint32_t)
BASCULE_TYPE_OF(BASCULE_INT64, int64_t)
BASCULE_TYPE_OF(BASCULE_UINT64, uint64_t)
BASCULE_TYPE_OF(BASCULE_DOUBLE, double)
BASCULE_TYPE_OF(BASCULE_BOOL, bool)
BASCULE_TYPE_OF(BASCULE_BFLOAT16, bfloat16_t)
BASCULE_TYPE_OF(BASCULE_INT4, AscendC::int4b_t)
#undef BASCULE_TYPE_OF

// A number as the argument of a template, whatever the parameter's type is.
template <uint64_t value>
struct Number {
  template <typename T>
  constexpr operator T() const {
    return static_cast<T>(value);
  }
};

template <typename... P, size_t... i>
void CallKernel(void (*kernel)(P...), void* const* arguments, std::index_sequence<i...>) {
  kernel((P)(arguments[i])...);
}
// Calls a kernel with the tensors, the workspace and the tiling data of a launch.
template <size_t count, typename... P>
void CallKernel(void (*kernel)(P...), void* const* arguments) {
  static_assert(sizeof...(P) == count,
                "the kernel has to take the operator's inputs and outputs, the workspace and the "
                "tiling data, each as one argument");
  static_assert((std::is_pointer<P>::value && ...),
                "the arguments of an operator's kernel are addresses in global memory");
  CallKernel(kernel, arguments, std::index_sequence_for<P...>());
}

// What `Kernel`, a generated class, says of the kernel and of this compile:
//   Declared(), Selection(i), kSelections   the macros of the operator's header
//   kInputTypes[], kOutputTypes[], kInputFormats[], kOutputFormats[]   numbers of ge::DataType and
//                                                                      ge::Format
//   Run<n>(arguments)                       calls instance n
template <typename Kernel>
constexpr bool Follows(const bascule::tpl::Argument& declared, uint64_t value) {
  namespace tpl = bascule::tpl;
  for (size_t i = 0; i < declared.values.count; ++i) {
    const uint64_t mark = declared.values.at[i];
    if ((mark & tpl::kFollows) == 0) continue;
    const size_t index = static_cast<size_t>(mark & tpl::kFollowedIndex);
    const bool output = (mark & tpl::kFollowsOutput) == tpl::kFollowsOutput;
    const bool format = declared.kind == tpl::kFormat;
    if (output) {
      return value == static_cast<uint64_t>(format ? Kernel::kOutputFormats[index]
                                                   : Kernel::kOutputTypes[index]);
    }
    return value == static_cast<uint64_t>(format ? Kernel::kInputFormats[index]
                                                 : Kernel::kInputTypes[index]);
  }
  return true;
}

// Visits the instances of this compile in the order of the selections: those whose types are the
// tensors' where a declaration says so, and which are not for deterministic runs only (there is no
// such switch here; runs with BASCULE_DETERMINISTIC are of the same code).
template <typename Kernel, typename Visitor>
constexpr void VisitInstances(Visitor& visitor) {
  namespace tpl = bascule::tpl;
  constexpr const tpl::Arguments& declared = Kernel::Declared();
  const size_t count = tpl::ParameterCount(declared);
  for (size_t s = 0; s < Kernel::kSelections; ++s) {
    const tpl::Arguments& selection = Kernel::Selection(s);
    if (tpl::ParameterCount(selection) != count) continue;  // refused by the host
    if (tpl::Said(selection, tpl::kDeterministic) == 1) continue;
    size_t place[tpl::kMaxArguments] = {};
    for (bool more = true; more;) {
      tpl::Instance instance;
      instance.kernel_type = tpl::Said(selection, tpl::kKernelType);
      bool wanted = true;
      for (size_t i = 0; i < count; ++i) {
        const tpl::Argument& parameter = tpl::ParameterAt(selection, i);
        if (tpl::ValueCount(parameter) == 0) {
          wanted = false;
          break;
        }
        instance.values[i] = tpl::ValueAt(parameter, place[i]);
        if (parameter.kind == tpl::kSharedKernelType) {
          instance.kernel_type = static_cast<int64_t>(instance.values[i]);
        }
        wanted = wanted && Follows<Kernel>(tpl::ParameterAt(declared, i), instance.values[i]);
      }
      if (wanted) {
        instance.key = tpl::KeyOf(declared, instance.values);
        visitor.Visit(instance);
      }
      more = false;
      for (size_t i = 0; i < count && !more; ++i) {
        more = ++place[i] < tpl::ValueCount(tpl::ParameterAt(selection, i));
        if (!more) place[i] = 0;
      }
    }
  }
}

struct InstanceCounter {
  size_t count = 0;
  constexpr void Visit(const bascule::tpl::Instance&) { ++count; }
};
template <size_t n>
struct InstanceList {
  size_t count = 0;
  bascule::tpl::Instance at[n == 0 ? 1 : n] = {};
  constexpr void Visit(const bascule::tpl::Instance& instance) { at[count++] = instance; }
};

template <typename Kernel>
constexpr size_t CountInstances() {
  InstanceCounter counter;
  VisitInstances<Kernel>(counter);
  return counter.count;
}
template <typename Kernel>
constexpr auto ListInstances() {
  InstanceList<CountInstances<Kernel>()> list;
  VisitInstances<Kernel>(list);
  return list;
}
template <typename Kernel>
struct Instances {
  static constexpr auto list = ListInstances<Kernel>();
};

template <typename Kernel, size_t n>
bool RunIfChosen(uint64_t key, void* const* arguments) {
  constexpr const bascule::tpl::Instance& instance = Instances<Kernel>::list.at[n];
  if (key != instance.key) return false;
  if constexpr (instance.kernel_type >= 0) {
    SetKernelType<static_cast<int>(instance.kernel_type), true>(Site());
  }
  Kernel::template Run<n>(arguments);
  return true;
}
template <typename Kernel, size_t... n>
bool RunChosen(uint64_t key, void* const* arguments, std::index_sequence<n...>) {
  return (RunIfChosen<Kernel, n>(key, arguments) || ...);
}

// Runs the instance that the tiling key of the launch names.
template <typename Kernel>
void RunInstance(void* const* arguments) {
  const uint64_t key = Core()->tiling_key;
  if (RunChosen<Kernel>(key, arguments,
                        std::make_index_sequence<Instances<Kernel>::list.count>())) {
    return;
  }
  char text[256];
  std::snprintf(text, sizeof(text),
                "the tiling key %llu names no instance of the kernel; there are %zu for these data "
                "types (ASCENDC_TPL_SEL). The host gets the key of one from GET_TPL_TILING_KEY",
                static_cast<unsigned long long>(key), Instances<Kernel>::list.count);
  Fail(text, Site());
}

}  // namespace bascule_ascendc
BASCULE_PRIVATE_END

#endif  // BASCULE_ASCENDC_ENTRY_H
