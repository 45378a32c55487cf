// A stack that a block of a kernel runs on, and the switch to and from it.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ENGINE_FIBRE_H_
#define BASCULE_ENGINE_FIBRE_H_

#include <boost/context/detail/fcontext.hpp>
#include <cstddef>
#include <cstdint>

namespace bascule::engine {

// How a fibre came back to its worker.
enum class Leave : intptr_t { kFinished = 1, kParked = 2, kAbandoned = 3 };

// Not thread-safe: entered by one worker at a time, and left only to the worker that entered it.
// The body must not throw.
class Fibre {
 public:
  Fibre();  // throws Error when there is no memory for the stack
  ~Fibre();
  Fibre(const Fibre&) = delete;
  Fibre& operator=(const Fibre&) = delete;

  // Prepares the stack for `body(argument)`. What was on it before is forgotten; no destructor
  // runs.
  void Prepare(void (*body)(void*), void* argument);
  // Worker side: runs the fibre until it finishes, parks or is abandoned.
  Leave Enter();
  // Fibre side: back to the worker; returns when entered again.
  void Park();
  // Fibre side: back to the worker for good.
  [[noreturn]] void Abandon();

  // Usable bytes of the stack, and whether an address lies in the guard page under it.
  static constexpr size_t kStackBytes = 256 * 1024;
  bool InGuard(const void* address) const;

 private:
  static void Main(boost::context::detail::transfer_t transfer);
  void SwitchOut(Leave how);

  char* mapping_ = nullptr;
  size_t mapping_bytes_ = 0;
  size_t guard_bytes_ = 0;
  boost::context::detail::fcontext_t inside_ = nullptr;
  boost::context::detail::fcontext_t outside_ = nullptr;
  void (*body_)(void*) = nullptr;
  void* argument_ = nullptr;
  // For the sanitizers, which have to be told about every switch of stacks.
  void* fake_stack_ = nullptr;
  const void* worker_stack_ = nullptr;
  size_t worker_stack_bytes_ = 0;
  void* tsan_fibre_ = nullptr;
  void* tsan_worker_ = nullptr;
};

}  // namespace bascule::engine

#endif  // BASCULE_ENGINE_FIBRE_H_
