// Tiling-key templates: a kernel that is a function template, the values its parameters take, and
// the number, the tiling key, by which the host chooses one of the instances.
//
// One header serves both sides: an operator's own header says the macros of
// ascendc/host_api/tiling/template_argument.h, which make the constants below; the host encodes
// values into a key, the generated entry of the kernel goes through all combinations. C++17.
//
// Source: the pages under "Tiling template programming" of the Ascend C documentation. They say
// that a value becomes as many bits as its declaration has and that these follow each other in the
// order of the declarations, and that a UINT is represented by its place among the declared values.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ABI_TEMPLATE_ARGUMENTS_H_
#define BASCULE_ABI_TEMPLATE_ARGUMENTS_H_

#include <stddef.h>
#include <stdint.h>

// Everything here has internal linkage: libraries built with different versions of this header must
// not share a function.
namespace bascule {
namespace {
namespace tpl {

enum Kind : uint32_t {
  // parameters of the kernel
  kDataType,  // a type, named by its number in ge::DataType
  kDtype,     // a number of the author's for a type
  kFormat,
  kUint,
  kBool,
  kSharedKernelType,
  // what a selection says besides
  kKernelType,
  kDeterministic,
  kTilingStruct
};

enum UintMode : uint64_t { kRange = 0, kList = 1, kMix = 2 };

// Among the values of a declaration: the parameter is the type or format of the kernel's input or
// output with this index.
constexpr uint64_t kFollows = uint64_t{1} << 62;
constexpr uint64_t kFollowsInput = kFollows;
constexpr uint64_t kFollowsOutput = kFollows | (uint64_t{1} << 61);
constexpr uint64_t kFollowedIndex = 0xffff;

constexpr size_t kMaxValues = 64;
constexpr size_t kMaxArguments = 24;

struct Values {
  template <typename... T>
  constexpr Values(T... values) : count(sizeof...(T)), at{static_cast<uint64_t>(values)...} {
    static_assert(sizeof...(T) <= kMaxValues,
                  "a template parameter lists more than 64 values; use ASCENDC_TPL_UI_RANGE");
  }
  size_t count;
  uint64_t at[kMaxValues];
};

struct Argument {
  const char* name = "";
  Kind kind = kUint;
  uint32_t bits = 0;
  Values values = {};
};

// The declarations of a kernel, or one selection.
struct Arguments {
  template <typename... T>
  constexpr Arguments(T... arguments) : count(sizeof...(T)), at{arguments...} {
    static_assert(sizeof...(T) <= kMaxArguments, "more than 24 template parameters");
  }
  size_t count;
  Argument at[kMaxArguments];
};

constexpr bool IsParameter(const Argument& argument) { return argument.kind < kKernelType; }

// How many values an argument lists, and the n-th of them.
constexpr size_t ValueCount(const Argument& argument) {
  const Values& values = argument.values;
  if (argument.kind != kUint) {
    size_t count = 0;
    for (size_t i = 0; i < values.count; ++i) count += (values.at[i] & kFollows) == 0 ? 1 : 0;
    return count;
  }
  if (values.count == 0) return 0;
  if (values.at[0] == kList) return values.count - 1;
  const size_t ranges = values.count > 1 ? static_cast<size_t>(values.at[1]) : 0;
  size_t count = 0;
  size_t next = 2;
  for (size_t i = 0; i < ranges && next + 1 < values.count; ++i, next += 2) {
    if (values.at[next + 1] >= values.at[next]) {
      count += static_cast<size_t>(values.at[next + 1] - values.at[next]) + 1;
    }
  }
  return values.at[0] == kMix && values.count > next ? count + values.count - next : count;
}

constexpr uint64_t ValueAt(const Argument& argument, size_t n) {
  const Values& values = argument.values;
  if (argument.kind != kUint) {
    for (size_t i = 0; i < values.count; ++i) {
      if ((values.at[i] & kFollows) != 0) continue;
      if (n-- == 0) return values.at[i];
    }
    return 0;
  }
  if (values.at[0] == kList) return values.at[n + 1];
  const size_t ranges = static_cast<size_t>(values.at[1]);
  size_t next = 2;
  for (size_t i = 0; i < ranges && next + 1 < values.count; ++i, next += 2) {
    if (values.at[next + 1] < values.at[next]) continue;
    const size_t length = static_cast<size_t>(values.at[next + 1] - values.at[next]) + 1;
    if (n < length) return values.at[next] + n;
    n -= length;
  }
  return values.at[next + n];
}

// The place of a value among those an argument lists; ValueCount() when it is not one of them.
constexpr size_t PlaceOf(const Argument& argument, uint64_t value) {
  const size_t count = ValueCount(argument);
  for (size_t i = 0; i < count; ++i) {
    if (ValueAt(argument, i) == value) return i;
  }
  return count;
}

constexpr size_t ParameterCount(const Arguments& arguments) {
  size_t count = 0;
  for (size_t i = 0; i < arguments.count; ++i) count += IsParameter(arguments.at[i]) ? 1 : 0;
  return count;
}
// The n-th parameter of a selection, or of the declarations.
constexpr const Argument& ParameterAt(const Arguments& arguments, size_t n) {
  size_t i = 0;
  for (; i < arguments.count; ++i) {
    if (IsParameter(arguments.at[i]) && n-- == 0) break;
  }
  return arguments.at[i];
}
// The value of what a selection says besides its parameters; -1: nothing.
constexpr int64_t Said(const Arguments& selection, Kind kind) {
  for (size_t i = 0; i < selection.count; ++i) {
    if (selection.at[i].kind == kind && selection.at[i].values.count != 0) {
      return static_cast<int64_t>(selection.at[i].values.at[0]);
    }
  }
  return -1;
}

// The parameters of one instance of the kernel.
struct Instance {
  uint64_t values[kMaxArguments] = {};
  uint64_t key = 0;
  int64_t kernel_type = -1;  // KERNEL_TYPE_…; -1: not said
};

constexpr uint64_t KeyOf(const Arguments& declared, const uint64_t* values) {
  uint64_t key = 0;
  uint32_t shift = 0;
  for (size_t i = 0; i < ParameterCount(declared); ++i) {
    const Argument& parameter = ParameterAt(declared, i);
    const uint64_t code =
        parameter.kind == kUint ? static_cast<uint64_t>(PlaceOf(parameter, values[i])) : values[i];
    if (shift < 64) key |= code << shift;
    shift += parameter.bits;
  }
  return key;
}

}  // namespace tpl
}  // namespace
}  // namespace bascule

// The widths that declarations name.
#define ASCENDC_TPL_1_BW 1
#define ASCENDC_TPL_2_BW 2
#define ASCENDC_TPL_3_BW 3
#define ASCENDC_TPL_4_BW 4
#define ASCENDC_TPL_5_BW 5
#define ASCENDC_TPL_6_BW 6
#define ASCENDC_TPL_7_BW 7
#define ASCENDC_TPL_8_BW 8

#define ASCENDC_TPL_UI_RANGE ::bascule::tpl::kRange
#define ASCENDC_TPL_UI_LIST ::bascule::tpl::kList
#define ASCENDC_TPL_UI_MIX ::bascule::tpl::kMix

#define ASCENDC_TPL_INPUT(index) (::bascule::tpl::kFollowsInput | (index))
#define ASCENDC_TPL_OUTPUT(index) (::bascule::tpl::kFollowsOutput | (index))

// In the order of KernelMetaType.
#define ASCENDC_TPL_AIV_ONLY 0
#define ASCENDC_TPL_AIC_ONLY 1
#define ASCENDC_TPL_MIX_AIV_1_0 2
#define ASCENDC_TPL_MIX_AIC_1_0 3
#define ASCENDC_TPL_MIX_AIC_1_1 4
#define ASCENDC_TPL_MIX_AIC_1_2 5
#define ASCENDC_TPL_AICORE 6
#define ASCENDC_TPL_VECTORCORE 7
#define ASCENDC_TPL_MIX_AICORE 8
#define ASCENDC_TPL_MIX_VECTOR_CORE 9

#define BASCULE_TPL_ARGUMENT(name, kind, bits, ...)                           \
  ::bascule::tpl::Argument {                                                  \
#name, ::bascule::tpl::kind, bits, ::bascule::tpl::Values { __VA_ARGS__ } \
  }

#define ASCENDC_TPL_DTYPE_SEL(x, ...) BASCULE_TPL_ARGUMENT(x, kDtype, 8, __VA_ARGS__)
#define ASCENDC_TPL_DATATYPE_SEL(x, ...) BASCULE_TPL_ARGUMENT(x, kDataType, 8, __VA_ARGS__)
#define ASCENDC_TPL_FORMAT_SEL(x, ...) BASCULE_TPL_ARGUMENT(x, kFormat, 8, __VA_ARGS__)
#define ASCENDC_TPL_UINT_SEL(x, ...) BASCULE_TPL_ARGUMENT(x, kUint, 0, __VA_ARGS__)
#define ASCENDC_TPL_BOOL_SEL(x, ...) BASCULE_TPL_ARGUMENT(x, kBool, 1, __VA_ARGS__)
#define ASCENDC_TPL_SHARED_KERNEL_TYPE_SEL(x, ...) \
  BASCULE_TPL_ARGUMENT(x, kSharedKernelType, 8, __VA_ARGS__)
#define ASCENDC_TPL_KERNEL_TYPE_SEL(...) \
  BASCULE_TPL_ARGUMENT(kernel_type, kKernelType, 0, __VA_ARGS__)
#define ASCENDC_TPL_DETERMINISTIC_SEL(...) \
  BASCULE_TPL_ARGUMENT(deterministic, kDeterministic, 0, __VA_ARGS__)
#define ASCENDC_TPL_TILING_STRUCT_SEL(...) BASCULE_TPL_ARGUMENT(tiling_struct, kTilingStruct, 0, )

#if defined(BASCULE_TPL_LIST)
// The build reads which parameters there are off the preprocessor's output: types, and numbers.
#define ASCENDC_TPL_DTYPE_DECL(x, ...) bascule_tpl_number(x)
#define ASCENDC_TPL_DATATYPE_DECL(x, ...) bascule_tpl_type(x)
#define ASCENDC_TPL_FORMAT_DECL(x, ...) bascule_tpl_number(x)
#define ASCENDC_TPL_UINT_DECL(x, bits, ...) bascule_tpl_number(x)
#define ASCENDC_TPL_BOOL_DECL(x, ...) bascule_tpl_number(x)
#define ASCENDC_TPL_KERNEL_TYPE_DECL(x, ...) bascule_tpl_number(x)
#define ASCENDC_TPL_ARGS_DECL(op_type, ...) bascule_tpl_declare(op_type, __VA_ARGS__)
#else
#define ASCENDC_TPL_DTYPE_DECL(x, ...) BASCULE_TPL_ARGUMENT(x, kDtype, 8, __VA_ARGS__)
#define ASCENDC_TPL_DATATYPE_DECL(x, ...) BASCULE_TPL_ARGUMENT(x, kDataType, 8, __VA_ARGS__)
#define ASCENDC_TPL_FORMAT_DECL(x, ...) BASCULE_TPL_ARGUMENT(x, kFormat, 8, __VA_ARGS__)
#define ASCENDC_TPL_UINT_DECL(x, bits, ...) BASCULE_TPL_ARGUMENT(x, kUint, bits, __VA_ARGS__)
#define ASCENDC_TPL_BOOL_DECL(x, ...) BASCULE_TPL_ARGUMENT(x, kBool, 1, __VA_ARGS__)
#define ASCENDC_TPL_KERNEL_TYPE_DECL(x, ...) \
  BASCULE_TPL_ARGUMENT(x, kSharedKernelType, 8, __VA_ARGS__)
#define ASCENDC_TPL_ARGS_DECL(op_type, ...) \
  [[maybe_unused]] static constexpr ::bascule::tpl::Arguments g_tilingDeclareParams { __VA_ARGS__ }
#endif

#define ASCENDC_TPL_ARGS_SEL(...) \
  ::bascule::tpl::Arguments { __VA_ARGS__ }
#define ASCENDC_TPL_SEL(...) \
  [[maybe_unused]] static constexpr ::bascule::tpl::Arguments g_tilingSelectParams[] = {__VA_ARGS__}

#endif  // BASCULE_ABI_TEMPLATE_ARGUMENTS_H_
