// A stack that a block of a kernel runs on, and the switch to and from it.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ENGINE_FIBRE_H_
#define BASCULE_ENGINE_FIBRE_H_

#include <atomic>
#include <boost/context/detail/fcontext.hpp>
#include <cstddef>
#include <cstdint>

#include "engine/fault.h"

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
  // runs. After a fault `fault(argument, what)` runs on the emptied stack; it must not return.
  void Prepare(void (*body)(void*), void (*fault)(void*, const Fault&), void* argument);
  // Worker side: runs the fibre until it finishes, parks or is abandoned.
  Leave Enter();
  // Fibre side: back to the worker; returns when entered again.
  void Park();
  // Fibre side: back to the worker for good.
  [[noreturn]] void Abandon();

  // Usable bytes of the stack, and of the guard under it: as large as a frame may be that leaps
  // over the end of the stack.
  static constexpr size_t kStackBytes = 256 * 1024;
  static constexpr size_t kGuardBytes = 8 * 1024 * 1024;
  bool InGuard(uint64_t address) const;

  // For signal handlers. The fibre whose stack or guard an address lies in, or null.
  static Fibre* Holding(uint64_t address);
  // Where to go on after a fault, with `this` as the only argument and an empty stack.
  struct Diversion {
    uint64_t pc;
    uint64_t stack;  // a multiple of 16
  };
  Diversion Divert(const Fault& fault);

 private:
  // A stack that exists; never freed, so that a signal handler may walk the list at any time.
  struct Stack {
    std::atomic<uint64_t> begin{0};
    std::atomic<uint64_t> end{0};
    std::atomic<Fibre*> fibre{nullptr};
    Stack* next = nullptr;
  };
  static std::atomic<Stack*> stacks;

  void Register();
  static void Main(boost::context::detail::transfer_t transfer);
  [[noreturn]] static void Land(Fibre* self);
  void SwitchOut(Leave how);

  char* mapping_ = nullptr;
  Stack* stack_ = nullptr;
  boost::context::detail::fcontext_t inside_ = nullptr;
  boost::context::detail::fcontext_t outside_ = nullptr;
  void (*body_)(void*) = nullptr;
  void (*on_fault_)(void*, const Fault&) = nullptr;
  Fault fault_;
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
