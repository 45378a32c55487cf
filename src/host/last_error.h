// The sentence behind bascule_last_error(), for the layers above that add functions to the C ABI.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_HOST_LAST_ERROR_H_
#define BASCULE_HOST_LAST_ERROR_H_

#include <string>

#include "bascule/abi/types.h"

namespace bascule::host {

// Runs `body(closure)` and turns what it throws into a status and this thread's sentence.
BasculeStatus Guarded(const char* function, void (*body)(const void* closure), const void* closure);

template <typename Body>
BasculeStatus Guarded(const char* function, const Body& body) {
  return Guarded(
      function, [](const void* closure) { (*static_cast<const Body*>(closure))(); }, &body);
}

// Memory for bascule_free().
char* CopyText(const std::string& text);

}  // namespace bascule::host

#endif  // BASCULE_HOST_LAST_ERROR_H_
