// What host code of public operator projects logs and checks with.
//
// A message logged as an error becomes the reason of the call that fails: "its tiling refuses …:
// <message>". Warnings and the rest are not shown.
//
// Written from how public operator projects use these names.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_OP_COMMON_LOG_LOG_H_
#define BASCULE_ASCENDC_OP_COMMON_LOG_LOG_H_

#include <cmath>
#include <cstdarg>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "bascule_host_base.h"
#include "exe_graph/runtime/shape.h"
#include "exe_graph/runtime/storage_shape.h"
#include "graph/ge_error_codes.h"
#include "graph/types.h"
#include "graph/utils/type_utils.h"
#include "register/op_impl_registry.h"
#include "securec.h"
#include "toolchain/slog.h"

namespace bascule_host {

// Operators are named in the sentence already, so who logs is not repeated.
template <typename Who>
BASCULE_HIDDEN inline int LogError(const Who&, const char* format, ...) {
  std::va_list arguments;
  va_start(arguments, format);
  LogErrorList(format, arguments);
  va_end(arguments);
  return 0;
}
template <typename... Anything>
BASCULE_HIDDEN inline int IgnoreLog(const Anything&...) {
  return 0;
}

BASCULE_HIDDEN inline const char* TextOf(const char* text) { return text == nullptr ? "?" : text; }
BASCULE_HIDDEN inline const char* TextOf(const std::string& text) { return text.c_str(); }
template <typename Number, typename = std::enable_if_t<std::is_arithmetic_v<Number>>>
BASCULE_HIDDEN inline std::string TextOf(Number number) {
  return std::to_string(number);
}
BASCULE_HIDDEN inline const char* Characters(const char* text) { return text; }
BASCULE_HIDDEN inline const char* Characters(const std::string& text) { return text.c_str(); }

// "x has shape size 3: it must be 4".
template <typename Name, typename Value, typename Reason>
BASCULE_HIDDEN inline int LogInvalid(const char* what, const Name& name, const Value& value,
                                     const char* between, const Reason& reason) {
  return LogError("", "%s has the %s %s%s%s", Characters(TextOf(name)), what,
                  Characters(TextOf(value)), between, Characters(TextOf(reason)));
}

}  // namespace bascule_host

// Which way a condition mostly goes.
BASCULE_HIDDEN constexpr bool likely(bool condition) { return __builtin_expect(condition, true); }
BASCULE_HIDDEN constexpr bool unlikely(bool condition) {
  return __builtin_expect(condition, false);
}

namespace Ops {
namespace Base {

BASCULE_HIDDEN inline std::string ToString(ge::DataType type) {
  return ge::TypeUtils::DataTypeToSerialString(type);
}
BASCULE_HIDDEN inline std::string ToString(ge::Format format) {
  return ge::TypeUtils::FormatToSerialString(format);
}
BASCULE_HIDDEN inline std::string ToString(const gert::Shape& shape) {
  std::string text = "[";
  for (size_t i = 0; i < shape.GetDimNum(); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(shape.GetDim(i));
  }
  return text + "]";
}
BASCULE_HIDDEN inline std::string ToString(const gert::StorageShape& shape) {
  return ToString(shape.GetStorageShape());
}
template <typename T>
BASCULE_HIDDEN inline std::string ToString(const std::vector<T>& values) {
  std::string text = "[";
  for (size_t i = 0; i < values.size(); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(values[i]);
  }
  return text + "]";
}

// Who logs, where only its name is wanted: a text, or a context with the operator's name.
BASCULE_HIDDEN inline const char* GetSafeStr(const char* text) {
  return text == nullptr ? "" : text;
}
BASCULE_HIDDEN inline const char* GetSafeStr(const std::string& text) { return text.c_str(); }
BASCULE_HIDDEN inline std::string GetOpInfo(const char* name) { return GetSafeStr(name); }
BASCULE_HIDDEN inline std::string GetOpInfo(const std::string& name) { return name; }
template <typename Context>
BASCULE_HIDDEN inline std::string GetOpInfo(const Context* context) {
  return context == nullptr ? std::string() : GetSafeStr(context->GetNodeName());
}

}  // namespace Base
}  // namespace Ops

#define OP_LOGE(who, ...) ::bascule_host::LogError(who, __VA_ARGS__)
#define OP_LOGE_WITHOUT_REPORT(who, ...) ::bascule_host::LogError(who, __VA_ARGS__)
#define OP_LOGW(...) ::bascule_host::IgnoreLog(__VA_ARGS__)
#define OP_LOGI(...) ::bascule_host::IgnoreLog(__VA_ARGS__)
#define OP_LOGD(...) ::bascule_host::IgnoreLog(__VA_ARGS__)
#define D_OP_LOGE(who, ...) ::bascule_host::LogError(who, __VA_ARGS__)
#define D_OP_LOGW(...) ::bascule_host::IgnoreLog(__VA_ARGS__)
#define D_OP_LOGI(...) ::bascule_host::IgnoreLog(__VA_ARGS__)
#define D_OP_LOGD(...) ::bascule_host::IgnoreLog(__VA_ARGS__)
#define OP_EVENT(...) ::bascule_host::IgnoreLog(__VA_ARGS__)
#define VECTOR_INNER_ERR_REPORT_TILIING(who, ...) ::bascule_host::LogError(who, __VA_ARGS__)
#define VECTOR_INFER_SHAPE_INNER_ERR_REPORT(who, ...) ::bascule_host::LogError(who, __VA_ARGS__)
#define CUBE_INNER_ERR_REPORT(who, ...) ::bascule_host::LogError(who, __VA_ARGS__)
#define REPORT_INNER_ERR_MSG(code, ...) ::bascule_host::LogError(code, __VA_ARGS__)

#define OP_LOGE_IF(condition, result, who, ...)   \
  do {                                            \
    if (condition) {                              \
      ::bascule_host::LogError(who, __VA_ARGS__); \
      return result;                              \
    }                                             \
  } while (0)
#define OP_CHECK_IF(condition, log, leave) \
  do {                                     \
    if (condition) {                       \
      log;                                 \
      leave;                               \
    }                                      \
  } while (0)
#define OP_CHECK(condition, log, leave) OP_CHECK_IF(condition, log, leave)
#define OP_TILING_CHECK(condition, log, leave) OP_CHECK_IF(condition, log, leave)
#define OP_CHECK_NULL_WITH_CONTEXT_RET(context, pointer, result)                                   \
  do {                                                                                             \
    if ((pointer) == nullptr) {                                                                    \
      ::bascule_host::LogError(context, "%s is null: there is no such tensor, attribute or value", \
                               #pointer);                                                          \
      return result;                                                                               \
    }                                                                                              \
  } while (0)
#define OP_CHECK_NULL_WITH_CONTEXT(context, pointer) \
  OP_CHECK_NULL_WITH_CONTEXT_RET(context, pointer, ge::GRAPH_FAILED)

// (who, name of the tensor or attribute, what came, what is expected or why it is wrong)
#define OP_LOGE_FOR_INVALID_DTYPE(who, name, came, expected) \
  ::bascule_host::LogInvalid("data type", name, came, "; expected is ", expected)
#define OP_LOGE_WITH_INVALID_INPUT_DTYPE(who, name, came, expected) \
  OP_LOGE_FOR_INVALID_DTYPE(who, name, came, expected)
#define OP_LOGE_FOR_INVALID_FORMAT(who, name, came, expected) \
  ::bascule_host::LogInvalid("format", name, came, "; expected is ", expected)
#define OP_LOGE_FOR_INVALID_VALUE(who, name, came, expected) \
  ::bascule_host::LogInvalid("value", name, came, "; expected is ", expected)
#define OP_LOGE_WITH_INVALID_ATTR(who, name, came, expected) \
  OP_LOGE_FOR_INVALID_VALUE(who, name, came, expected)
#define OP_LOGE_FOR_INVALID_SHAPE(who, name, came, expected) \
  ::bascule_host::LogInvalid("shape", name, came, "; expected is ", expected)
#define OP_LOGE_FOR_INVALID_SHAPEDIM(who, name, came, expected) \
  ::bascule_host::LogInvalid("number of dimensions", name, came, "; expected is ", expected)
#define OP_LOGE_FOR_INVALID_SHAPESIZE(who, name, came, expected) \
  ::bascule_host::LogInvalid("number of elements", name, came, "; expected is ", expected)
#define OP_LOGE_FOR_INVALID_TENSORNUM(who, name, came, expected) \
  ::bascule_host::LogInvalid("number of tensors", name, came, "; expected is ", expected)
#define OP_LOGE_FOR_INVALID_LISTSIZE(who, name, came, expected) \
  ::bascule_host::LogInvalid("list size", name, came, "; expected is ", expected)
#define OP_LOGE_FOR_INVALID_DTYPE_WITH_REASON(who, name, came, reason) \
  ::bascule_host::LogInvalid("data type", name, came, ": ", reason)
#define OP_LOGE_FOR_INVALID_DTYPES_WITH_REASON(who, name, came, reason) \
  ::bascule_host::LogInvalid("data types", name, came, ": ", reason)
#define OP_LOGE_FOR_INVALID_FORMAT_WITH_REASON(who, name, came, reason) \
  ::bascule_host::LogInvalid("format", name, came, ": ", reason)
#define OP_LOGE_FOR_INVALID_VALUE_WITH_REASON(who, name, came, reason) \
  ::bascule_host::LogInvalid("value", name, came, ": ", reason)
#define OP_LOGE_FOR_INVALID_SHAPE_WITH_REASON(who, name, came, reason) \
  ::bascule_host::LogInvalid("shape", name, came, ": ", reason)
#define OP_LOGE_FOR_INVALID_SHAPES_WITH_REASON(who, name, came, reason) \
  ::bascule_host::LogInvalid("shapes", name, came, ": ", reason)
#define OP_LOGE_FOR_INVALID_SHAPEDIM_WITH_REASON(who, name, came, reason) \
  ::bascule_host::LogInvalid("number of dimensions", name, came, ": ", reason)
#define OP_LOGE_FOR_INVALID_SHAPEDIMS_WITH_REASON(who, name, came, reason) \
  ::bascule_host::LogInvalid("numbers of dimensions", name, came, ": ", reason)
#define OP_LOGE_FOR_INVALID_SHAPESIZE_WITH_REASON(who, name, came, reason) \
  ::bascule_host::LogInvalid("number of elements", name, came, ": ", reason)
#define OP_LOGE_FOR_INVALID_SHAPESIZES_WITH_REASON(who, name, came, reason) \
  ::bascule_host::LogInvalid("numbers of elements", name, came, ": ", reason)
#define OP_LOGE_FOR_INVALID_TENSORNUMS_WITH_REASON(who, name, came, reason) \
  ::bascule_host::LogInvalid("numbers of tensors", name, came, ": ", reason)

#endif  // BASCULE_ASCENDC_OP_COMMON_LOG_LOG_H_
