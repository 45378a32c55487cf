// How calls of the acl headers fail: a number for programs, a sentence for people.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_HOST_ACL_ERROR_H_
#define BASCULE_HOST_ACL_ERROR_H_

#include <cstdint>
#include <new>
#include <string>

#include "bascule/abi/acl.h"
#include "base/error.h"

namespace bascule::host {

// What a call is refused with: a number for programs beside the sentence.
class Refusal : public Error {
 public:
  Refusal(int32_t code, const std::string& text)
      : Error(BASCULE_INVALID_ARGUMENT, text), code_(code) {}
  int32_t code() const { return code_; }

 private:
  int32_t code_;
};

// The number for an error that did not come with one.
int32_t CodeOf(BasculeStatus status);

// And back, as far as the number tells.
BasculeStatus StatusOf(int32_t code);

// The sentence of the last failure on this thread.
std::string& RecentError();

// The code of the last failure on this thread, until somebody asks.
int32_t& LastCode();

// Writes a sentence to standard error.
void Say(const std::string& sentence);

// Throws when the argument of that name is null.
void Require(const void* pointer, const char* call, const char* argument);

// Runs `body`; what it throws becomes the code, and its sentence is told.
template <typename Body>
int32_t Guard(Body body) {
  int32_t code = BASCULE_ACL_RT_INTERNAL_ERROR;
  try {
    body();
    return BASCULE_ACL_SUCCESS;
  } catch (const Refusal& refusal) {
    code = refusal.code();
    RecentError() = refusal.what();
  } catch (const Error& error) {
    code = CodeOf(error.status());
    RecentError() = error.what();
  } catch (const std::bad_alloc&) {
    code = BASCULE_ACL_RT_MEMORY_ALLOCATION;
    RecentError() = "out of memory.";
  } catch (const std::exception& error) {
    RecentError() = error.what();
  }
  LastCode() = code;
  Say(RecentError());
  return code;
}

}  // namespace bascule::host

#endif  // BASCULE_HOST_ACL_ERROR_H_
