// The log that host code writes to beneath its own macros: levels, and functions that take one.
// An error becomes the reason of a failed call, as OP_LOGE's does (op_common/log/log.h); the rest
// is not shown. Written from how public operator projects use these names. SPDX-License-Identifier:
// Apache-2.0
#ifndef BASCULE_ASCENDC_TOOLCHAIN_SLOG_H_
#define BASCULE_ASCENDC_TOOLCHAIN_SLOG_H_

#include <cinttypes>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <string>

#include "bascule_host_base.h"

namespace bascule_host {

// The first error is the cause; later ones come from callers that pass it on.
BASCULE_HIDDEN inline void LogErrorList(const char* format, std::va_list arguments) {
  char text[1024];
  std::vsnprintf(text, sizeof(text), format, arguments);
  if (LoggedError().empty()) LoggedError() = text;
}

}  // namespace bascule_host

// Who logs, and how much it matters.
enum { OP = 63 };
enum { DLOG_DEBUG = 0, DLOG_INFO = 1, DLOG_WARN = 2, DLOG_ERROR = 3 };
enum { DLOG_TYPE_DEBUG = 0, DLOG_TYPE_RUN = 1 };

// What host code asks before it logs something at length: whether a level is shown.
BASCULE_HIDDEN inline int32_t CheckLogLevel(int32_t /*module*/, int32_t level) {
  return level == DLOG_ERROR ? 1 : 0;
}
BASCULE_HIDDEN inline int32_t AlogCheckDebugLevel(uint32_t module, int32_t level) {
  return CheckLogLevel(static_cast<int32_t>(module), level);
}
BASCULE_HIDDEN inline void AlogRecord(uint32_t /*module*/, uint32_t /*type*/, int32_t level,
                                      const char* format, ...) {
  if (level != DLOG_ERROR) return;
  std::va_list arguments;
  va_start(arguments, format);
  bascule_host::LogErrorList(format, arguments);
  va_end(arguments);
}
BASCULE_HIDDEN inline void DlogSub(int32_t /*module*/, const char* /*part*/, int32_t level,
                                   const char* format, ...) {
  if (level != DLOG_ERROR) return;
  std::va_list arguments;
  va_start(arguments, format);
  bascule_host::LogErrorList(format, arguments);
  va_end(arguments);
}

#define dlog_error(module, ...) AlogRecord(module, DLOG_TYPE_DEBUG, DLOG_ERROR, __VA_ARGS__)
#define dlog_warn(module, ...) AlogRecord(module, DLOG_TYPE_DEBUG, DLOG_WARN, __VA_ARGS__)
#define dlog_info(module, ...) AlogRecord(module, DLOG_TYPE_DEBUG, DLOG_INFO, __VA_ARGS__)
#define dlog_debug(module, ...) AlogRecord(module, DLOG_TYPE_DEBUG, DLOG_DEBUG, __VA_ARGS__)

#endif  // BASCULE_ASCENDC_TOOLCHAIN_SLOG_H_
