// What the processor refuses to do for a kernel (an address that is none, a stack that is full, a
// division by zero) becomes an error of the launch instead of the end of the process.
//
// Handlers for SIGSEGV, SIGBUS, SIGFPE and SIGILL (on AArch64 SIGTRAP, too) are installed with the
// first launch. A signal that was raised by the processor while a fibre ran diverts that fibre;
// everything else goes to the handler that was there before, as if this one did not exist. Where a
// sanitizer is in the process, or with BASCULE_CATCH_FAULTS=0, nothing is installed.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ENGINE_FAULT_H_
#define BASCULE_ENGINE_FAULT_H_

#include <pthread.h>

#include <csignal>
#include <cstdint>
#include <string>

namespace bascule::engine {

class Core;

enum class FaultAccess : uint8_t { kUnknown, kRead, kWrite, kExecute };

struct Fault {
  int signal = 0;
  int code = 0;          // si_code
  uint64_t address = 0;  // that was accessed
  uint64_t pc = 0;       // of the instruction
  FaultAccess access = FaultAccess::kUnknown;
};

// Makes sure that the handlers are in office and that the calling thread has a stack for them.
// Called whenever a thread begins to work on a launch; cheap.
void CatchFaults();

// Runs body(argument), host code of an operator, outside any launch. False: the processor refused
// something it did, which *fault tells. The body is then left where it stood, without destructors.
// Where no handlers are installed, and beyond some dozens at a time, nothing is caught.
bool RunCatchingFaults(void (*body)(void*), void* argument, Fault* fault);

// Ends the kernel that a thread runs, if it is in the kernel's own code right now: code of the
// engine and of the C and C++ libraries may hold locks. The thread has called CatchFaults() and has
// not ended.
void StopKernelOn(pthread_t thread);
// Makes sure that StopKernelOn() may be called in a signal handler; false: it does nothing here.
bool PrepareToStop();
// What it sends. Ignored unless somebody asks for it, so one that comes too late does no harm.
constexpr int kStopSignal = SIGURG;

// The sentence about a fault of the kernel that runs on `core`. Called on the diverted fibre.
std::string DescribeFault(const Core& core, const Fault& fault);

}  // namespace bascule::engine

#endif  // BASCULE_ENGINE_FAULT_H_
