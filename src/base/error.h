// Errors inside the runtime: a status for programs and a sentence for people.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_BASE_ERROR_H_
#define BASCULE_BASE_ERROR_H_

#include <sstream>
#include <stdexcept>
#include <string>

#include "bascule/abi/types.h"

namespace bascule {

// Thrown between the layers of the runtime; never crosses the C border, where it becomes its status
// and its text. The text says what was called, what was expected, what came and what to do.
class Error : public std::runtime_error {
 public:
  Error(BasculeStatus status, const std::string& text)
      : std::runtime_error(text), status_(status) {}
  BasculeStatus status() const { return status_; }

 private:
  BasculeStatus status_;
};

// Joins its arguments as a stream would print them.
template <typename... Parts>
std::string Join(const Parts&... parts) {
  std::ostringstream out;
  (out << ... << parts);
  return out.str();
}

}  // namespace bascule

#endif  // BASCULE_BASE_ERROR_H_
