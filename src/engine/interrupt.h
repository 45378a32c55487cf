// Ends the launch that the user waits for when the user does not want to: Ctrl-C. The signal
// handler only notes the number of the launch and sends the first signals; a timer repeats them
// until every thread has been found in the kernel's own code. SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ENGINE_INTERRUPT_H_
#define BASCULE_ENGINE_INTERRUPT_H_

#include <csignal>
#include <cstdint>

namespace bascule::engine {

struct Working;

// Launches that the calling thread begins can be interrupted from now on. The first thread that
// says so stays the only one. Where kernels cannot be stopped (fault.h), nothing happens.
void WatchInterrupts();

// Interrupts what that thread has launched and waits for. Async-signal-safe.
void Interrupt();

// Whether the launch of that number is being interrupted. Async-signal-safe.
bool IsInterrupted(uint64_t launch);

// Of the timer: whether a signal that came is its, which is then dealt with. Async-signal-safe.
bool RepeatInterrupt(const siginfo_t& info);

// Of threads that live as long as the process: they may be sent signals at any time.
void JoinWorking();

// While it exists, the calling thread works on a launch or waits for it.
class WorkingOn {
 public:
  explicit WorkingOn(uint64_t launch);
  ~WorkingOn();
  WorkingOn(const WorkingOn&) = delete;
  WorkingOn& operator=(const WorkingOn&) = delete;

 private:
  Working* working_;
  uint64_t before_ = 0;
};

}  // namespace bascule::engine

#endif  // BASCULE_ENGINE_INTERRUPT_H_
