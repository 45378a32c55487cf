// What every host-side header here needs: a way to hide functions, and the exception that carries a
// sentence out of user code to the nearest C border.
//
// Hidden functions and variables: libraries built against different versions of these headers must
// not share one of them, whatever flags they were compiled with. Types stay visible, because a
// user's class that holds a hidden type makes the compiler warn. SPDX-License-Identifier:
// Apache-2.0
#ifndef BASCULE_HOST_BASE_H_
#define BASCULE_HOST_BASE_H_

#include <stdexcept>
#include <string>

#include "bascule/abi/library.h"

#if defined(__GNUC__)
#define BASCULE_HIDDEN __attribute__((visibility("hidden")))
#else
#define BASCULE_HIDDEN
#endif

namespace bascule_host {

// Thrown by these headers where the official ones would hand out a pointer into nothing. Caught
// where the library's C border begins, never across it.
class HostError : public std::runtime_error {
 public:
  BASCULE_HIDDEN explicit HostError(const std::string& text) : std::runtime_error(text) {}
};

// The last error logged by this thread (op_common/log/log.h) since it was taken.
BASCULE_HIDDEN inline std::string& LoggedError() {
  static thread_local std::string text;
  return text;
}
BASCULE_HIDDEN inline std::string TakeLoggedError() {
  std::string text;
  text.swap(LoggedError());
  return text;
}

}  // namespace bascule_host

#endif  // BASCULE_HOST_BASE_H_
