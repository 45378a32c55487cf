// From a status of the C ABI, or a sentence of this module, to the exceptions of bascule.errors.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_NATIVE_ERRORS_H_
#define BASCULE_NATIVE_ERRORS_H_

#include <string>

#include "bascule/c_api.h"

namespace bascule::native {

// Raises the class that bascule.errors.BY_STATUS names for `status`. A Python exception that is
// already set becomes its cause.
[[noreturn]] void Raise(BasculeStatus status, const std::string& sentence);

// Raises with bascule_last_error() unless `status` is BASCULE_OK.
inline void Check(BasculeStatus status) {
  if (status != BASCULE_OK) [[unlikely]]
    Raise(status, bascule_last_error());
}

// The first line of the message of the Python exception that is set; leaves it set. Frameworks
// append native stack traces to theirs.
std::string PendingMessage();

}  // namespace bascule::native

#endif  // BASCULE_NATIVE_ERRORS_H_
