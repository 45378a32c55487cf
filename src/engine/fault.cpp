// SPDX-License-Identifier: Apache-2.0
#include "engine/fault.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csetjmp>
#include <csignal>
#include <cstdlib>
#include <iterator>
#include <mutex>
#include <string>

#include "base/error.h"
#include "engine/core.h"
#include "engine/fibre.h"
#include "engine/interrupt.h"
#include "engine/launch_state.h"
#include "engine/not_passed.h"
#include "engine/time_limit.h"
#include "isa/row.h"

namespace bascule::engine {
namespace {

constexpr int kSignals[] = {
    SIGSEGV, SIGBUS, SIGFPE, SIGILL,
#if defined(__aarch64__)
    SIGTRAP,  // what __builtin_trap() raises there
#endif
};
constexpr size_t kSignalCount = std::size(kSignals);
// Generous: a handler that was there before may run on it.
constexpr size_t kSignalStackBytes = 128 * 1024;

// --- where a signal came from, and where it goes
// --------------------------------------------------------

#if defined(__x86_64__)
uint64_t StackPointer(const ucontext_t& context) {
  return static_cast<uint64_t>(context.uc_mcontext.gregs[REG_RSP]);
}
uint64_t ProgramCounter(const ucontext_t& context) {
  return static_cast<uint64_t>(context.uc_mcontext.gregs[REG_RIP]);
}
FaultAccess AccessOf(const ucontext_t& context) {
  constexpr greg_t kPageFault = 14;
  if (context.uc_mcontext.gregs[REG_TRAPNO] != kPageFault) return FaultAccess::kUnknown;
  const greg_t error = context.uc_mcontext.gregs[REG_ERR];
  if ((error & 16) != 0) return FaultAccess::kExecute;
  return (error & 2) != 0 ? FaultAccess::kWrite : FaultAccess::kRead;
}
void GoTo(ucontext_t& context, const Fibre::Diversion& to, Fibre* argument) {
  constexpr greg_t kDirectionFlag = 1 << 10;
  greg_t* registers = context.uc_mcontext.gregs;
  registers[REG_RIP] = static_cast<greg_t>(to.pc);
  // As behind a call from nowhere.
  *reinterpret_cast<uint64_t*>(to.stack - 8) = 0;
  registers[REG_RSP] = static_cast<greg_t>(to.stack - 8);
  registers[REG_RBP] = 0;
  registers[REG_RDI] = reinterpret_cast<greg_t>(argument);
  registers[REG_EFL] &= ~kDirectionFlag;
}
constexpr bool kSupported = true;
#elif defined(__aarch64__)
uint64_t StackPointer(const ucontext_t& context) { return context.uc_mcontext.sp; }
uint64_t ProgramCounter(const ucontext_t& context) { return context.uc_mcontext.pc; }
FaultAccess AccessOf(const ucontext_t&) { return FaultAccess::kUnknown; }
void GoTo(ucontext_t& context, const Fibre::Diversion& to, Fibre* argument) {
  context.uc_mcontext.pc = to.pc;
  context.uc_mcontext.sp = to.stack;
  context.uc_mcontext.regs[0] = reinterpret_cast<uint64_t>(argument);
  context.uc_mcontext.regs[29] = 0;
  context.uc_mcontext.regs[30] = 0;
}
constexpr bool kSupported = true;
#else
uint64_t StackPointer(const ucontext_t&) { return 0; }
uint64_t ProgramCounter(const ucontext_t&) { return 0; }
FaultAccess AccessOf(const ucontext_t&) { return FaultAccess::kUnknown; }
void GoTo(ucontext_t&, const Fibre::Diversion&, Fibre*) {}
constexpr bool kSupported = false;
#endif

// The handlers of a signal that were in office when ours came, the newest last. Ours may come more
// than once: it is put back on top of those that were installed over it.
struct Predecessors {
  static constexpr uint32_t kMost = 8;
  struct sigaction actions[kMost];
  std::atomic<uint32_t> count{0};
};
Predecessors predecessors[kSignalCount];

size_t IndexOf(int signal) {
  return static_cast<size_t>(std::find(kSignals, kSignals + kSignalCount, signal) - kSignals);
}

void Handle(int signal, siginfo_t* info, void* context);

struct sigaction OurAction() {
  struct sigaction action = {};
  action.sa_sigaction = Handle;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigemptyset(&action.sa_mask);
  return action;
}

bool SameHandler(const struct sigaction& a, const struct sigaction& b) {
  if (((a.sa_flags ^ b.sa_flags) & SA_SIGINFO) != 0) return false;
  return (a.sa_flags & SA_SIGINFO) != 0 ? a.sa_sigaction == b.sa_sigaction
                                        : a.sa_handler == b.sa_handler;
}

// What would have happened without us. A handler may end the process, mend the fault and return, or
// (as Python's does) put its own predecessor back and raise the signal again: that predecessor may
// be us, and must not find this handler a second time. So it takes its place while it runs, and
// gives it up unless it kept it.
void Forward(int signal, siginfo_t* info, void* context) {
  Predecessors& before = predecessors[IndexOf(signal)];
  const uint32_t count = before.count.load();
  struct sigaction action = {};
  action.sa_handler = SIG_DFL;
  if (count != 0) action = before.actions[count - 1];
  const bool raised = info->si_code <= 0;  // by kill(), not by an instruction that comes again
  const bool plain = (action.sa_flags & SA_SIGINFO) == 0;
  if (plain && action.sa_handler == SIG_IGN && raised) return;
  if (plain && (action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN)) {
    struct sigaction standard = {};
    standard.sa_handler = SIG_DFL;
    sigaction(signal, &standard, nullptr);
    if (raised) raise(signal);
    return;
  }
  const bool once = (action.sa_flags & static_cast<int>(SA_RESETHAND)) != 0;
  before.count.store(count - 1);
  if (once) {
    struct sigaction standard = {};
    standard.sa_handler = SIG_DFL;
    sigaction(signal, &standard, nullptr);
  } else {
    sigaction(signal, &action, nullptr);
  }
  if (plain) {
    action.sa_handler(signal);
  } else {
    action.sa_sigaction(signal, info, context);
  }
  struct sigaction now = {};
  sigaction(signal, nullptr, &now);
  if (once || !SameHandler(now, action)) return;
  before.count.store(count);
  const struct sigaction ours = OurAction();
  sigaction(signal, &ours, nullptr);
}

// Where a thread that runs host code goes on after a fault. In a table and not in a variable of the
// thread, because the first use of one in a thread allocates memory, which a handler must not.
struct Refuge {
  pthread_t thread;
  sigjmp_buf place;
  Fault fault;
};
constexpr size_t kMostRefuges = 64;
std::atomic<Refuge*> refuges[kMostRefuges];

// The innermost of this thread, whose frame is the deepest; null when there is none.
Refuge* FindRefuge() {
  Refuge* found = nullptr;
  for (const std::atomic<Refuge*>& slot : refuges) {
    Refuge* const refuge = slot.load();
    if (refuge == nullptr || pthread_equal(refuge->thread, pthread_self()) == 0) continue;
    if (found == nullptr || refuge < found) found = refuge;
  }
  return found;
}

class RefugeEntry {
 public:
  explicit RefugeEntry(Refuge* refuge) {
    for (std::atomic<Refuge*>& slot : refuges) {
      Refuge* free = nullptr;
      if (!slot.compare_exchange_strong(free, refuge)) continue;
      slot_ = &slot;
      return;
    }
  }
  ~RefugeEntry() {
    if (slot_ != nullptr) slot_->store(nullptr);
  }
  RefugeEntry(const RefugeEntry&) = delete;
  RefugeEntry& operator=(const RefugeEntry&) = delete;

 private:
  std::atomic<Refuge*>* slot_ = nullptr;
};

// Runs in the middle of a kernel, which may hold any lock: it only looks and changes where the
// thread goes on. The sentence is made there.
void Handle(int signal, siginfo_t* info, void* context_pointer) {
  ucontext_t& context = *static_cast<ucontext_t*>(context_pointer);
  Fibre* const fibre = info->si_code > 0 ? Fibre::Holding(StackPointer(context)) : nullptr;
  Refuge* const refuge = fibre == nullptr && info->si_code > 0 ? FindRefuge() : nullptr;
  if (fibre == nullptr && refuge == nullptr) {
    Forward(signal, info, context_pointer);
    return;
  }
  Fault fault;
  fault.signal = signal;
  fault.code = info->si_code;
  fault.address = reinterpret_cast<uint64_t>(info->si_addr);
  fault.pc = ProgramCounter(context);
  fault.access = AccessOf(context);
  if (refuge != nullptr) {
    refuge->fault = fault;
    siglongjmp(refuge->place, 1);
  }
  GoTo(context, fibre->Divert(fault), fibre);
}

// --- stopping a kernel that takes too long
// --------------------------------------------------------------

// Code that may hold a lock when it is interrupted: that of these libraries.
struct Code {
  uint64_t begin;
  uint64_t end;
};
constexpr size_t kMostCode = 8;
Code locking_code[kMostCode];
size_t locking_code_count = 0;
struct sigaction before_stop;

void NoteCodeAround(const void* address) {
  struct Search {
    uint64_t address;
    Code found;
  } search = {reinterpret_cast<uint64_t>(address), {0, 0}};
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* argument) {
        Search& wanted = *static_cast<Search*>(argument);
        Code all = {~uint64_t{0}, 0};
        bool here = false;
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const auto& part = info->dlpi_phdr[i];
          if (part.p_type != PT_LOAD) continue;
          const uint64_t begin = info->dlpi_addr + part.p_vaddr;
          all.begin = std::min<uint64_t>(all.begin, begin);
          all.end = std::max<uint64_t>(all.end, begin + part.p_memsz);
          here |= wanted.address >= begin && wanted.address < begin + part.p_memsz;
        }
        if (here) wanted.found = all;
        return here ? 1 : 0;
      },
      &search);
  if (search.found.end != 0) locking_code[locking_code_count++] = search.found;
}

void HandleStop(int signal, siginfo_t* info, void* context_pointer) {
  ucontext_t& context = *static_cast<ucontext_t*>(context_pointer);
  if (RepeatInterrupt(*info)) return;
  if (info->si_code != SI_TKILL || info->si_pid != getpid()) {
    if ((before_stop.sa_flags & SA_SIGINFO) != 0) {
      before_stop.sa_sigaction(signal, info, context_pointer);
    } else if (before_stop.sa_handler != SIG_DFL && before_stop.sa_handler != SIG_IGN) {
      before_stop.sa_handler(signal);
    }
    return;
  }
  Fibre* const fibre = Fibre::Holding(StackPointer(context));
  const uint64_t pc = ProgramCounter(context);
  if (fibre == nullptr ||
      std::any_of(locking_code, locking_code + locking_code_count,
                  [&](const Code& code) { return pc >= code.begin && pc < code.end; })) {
    return;  // another try follows
  }
  // One that was meant for the launch before.
  const Core* const core = CurrentCore();
  if (core == nullptr ||
      (core->launch->time_limit == nullptr && !IsInterrupted(core->launch->number)))
    return;
  Fault fault;
  fault.signal = signal;
  fault.pc = pc;
  GoTo(context, fibre->Divert(fault), fibre);
}

void InstallStop() {
  NoteCodeAround(reinterpret_cast<const void*>(&HandleStop));
  for (const char* name : {"malloc", "_Znwm", "_ZNSt9exceptionD1Ev", "pthread_mutex_lock",
                           "_dl_find_object", "_Unwind_RaiseException"}) {
    if (const void* symbol = dlsym(RTLD_DEFAULT, name); symbol != nullptr) NoteCodeAround(symbol);
  }
  struct sigaction action = {};
  action.sa_sigaction = HandleStop;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  sigfillset(&action.sa_mask);
  sigaction(kStopSignal, &action, &before_stop);
}

// --- being in office
// ------------------------------------------------------------------------------------

bool Wanted() {
  if (!kSupported) return false;
  const char* value = std::getenv("BASCULE_CATCH_FAULTS");
  if (value != nullptr && value[0] == '0') return false;
  // Sanitizers have handlers of their own, which say more about a fault.
  for (const char* name : {"__asan_init", "__tsan_init", "__hwasan_init", "__msan_init"}) {
    if (dlsym(RTLD_DEFAULT, name) != nullptr) return false;
  }
  return true;
}

// Puts our handlers on top of whatever is there.
void TakeOffice() {
  static std::mutex* const mutex = new std::mutex;
  const std::lock_guard<std::mutex> lock(*mutex);
  const struct sigaction ours = OurAction();
  for (size_t i = 0; i < kSignalCount; ++i) {
    struct sigaction now = {};
    if (sigaction(kSignals[i], nullptr, &now) != 0 || SameHandler(now, ours)) continue;
    Predecessors& before = predecessors[i];
    uint32_t count = before.count.load();
    // One that comes again moves to the top.
    for (uint32_t j = 0; j < count; ++j) {
      if (!SameHandler(before.actions[j], now)) continue;
      std::copy(before.actions + j + 1, before.actions + count, before.actions + j);
      --count;
      break;
    }
    if (count == Predecessors::kMost) {
      std::copy(before.actions + 1, before.actions + count, before.actions);
      --count;
    }
    before.actions[count] = now;
    before.count.store(count + 1);
    sigaction(kSignals[i], &ours, nullptr);
  }
}

// Others may install handlers at any time. Asking costs a system call, so it is done once a tick of
// the coarse clock, some milliseconds.
void KeepOffice() {
  static std::atomic<int64_t> asked{-1};
  timespec now = {};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  const int64_t tick = int64_t{now.tv_sec} * 1000000000 + now.tv_nsec;
  if (asked.load(std::memory_order_relaxed) == tick) return;
  asked.store(tick, std::memory_order_relaxed);
  TakeOffice();
}

// --- a stack for the handler
// ----------------------------------------------------------------------------

// A kernel that has used up its stack has none left for a handler.
struct SignalStack {
  void* memory;
  stack_t before;
};

void ReturnStack(void* argument) {
  SignalStack* const mine = static_cast<SignalStack*>(argument);
  stack_t now = {};
  if (sigaltstack(nullptr, &now) == 0 && now.ss_sp == mine->memory) {
    sigaltstack(&mine->before, nullptr);
  }
  munmap(mine->memory, kSignalStackBytes);
  delete mine;
}

void GiveStack() {
  static pthread_key_t key;
  static const bool ready = pthread_key_create(&key, ReturnStack) == 0;
  stack_t before = {};
  if (!ready || sigaltstack(nullptr, &before) != 0) return;
  const size_t least = getauxval(AT_MINSIGSTKSZ) + 4096;
  if ((before.ss_flags & SS_DISABLE) == 0 && before.ss_size >= least) return;
  void* const memory = mmap(nullptr, kSignalStackBytes, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return;
  stack_t stack = {};
  stack.ss_sp = memory;
  stack.ss_size = kSignalStackBytes;
  if (sigaltstack(&stack, nullptr) != 0) {
    munmap(memory, kSignalStackBytes);
    return;
  }
  pthread_setspecific(key, new SignalStack{memory, before});
}

// --- the sentence
// ---------------------------------------------------------------------------------------

std::string Hex(uint64_t number) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  do {
    text.insert(text.begin(), kDigits[number % 16]);
    number /= 16;
  } while (number != 0);
  return "0x" + text;
}

// Which of what a kernel may touch lies nearest to an address.
std::string NearestOf(const Core& core, uint64_t address) {
  constexpr uint64_t kNull = 64 * 1024;
  if (address < kNull) return "that is null (an argument that was not passed?)";
  if (const uint32_t position = NotPassedPosition(address); position != 0) {
    return "that is " + DescribeNotPassed(position, core.launch->request.arguments);
  }
  for (const OnChipMemory& memory : core.memory) {
    const uint64_t begin = reinterpret_cast<uint64_t>(memory.begin());
    if (begin == 0 || address >> 32 != begin >> 32) continue;
    return Join("at address ", address - begin, " of an on-chip memory that has ", memory.bytes(),
                " bytes");
  }
  const GlobalInterval* nearest = nullptr;
  uint64_t distance = ~uint64_t{0};
  for (const GlobalInterval& interval : core.launch->request.globals) {
    const uint64_t apart = address < interval.begin  ? interval.begin - address
                           : address >= interval.end ? address - interval.end + 1
                                                     : 0;
    if (apart >= distance) continue;
    nearest = &interval;
    distance = apart;
  }
  if (nearest == nullptr)
    return Join("at address ", Hex(address), ", and the launch has no tensor");
  const uint64_t bytes = nearest->end - nearest->begin;
  if (distance == 0) {
    return Join("at byte ", address - nearest->begin, " of '", nearest->name,
                "', whose memory is gone or cannot be accessed like that");
  }
  const bool behind = address >= nearest->end;
  return Join("at address ", Hex(address), "; the nearest tensor, '", nearest->name, "' of ", bytes,
              " bytes, ", behind ? "ends " : "begins ", behind ? distance - 1 : distance,
              behind ? " bytes before" : " bytes behind it");
}

// "my_kernel in libmy.so+0x1234", for addr2line.
std::string PlaceOf(uint64_t pc) {
  Dl_info info = {};
  if (dladdr(reinterpret_cast<void*>(pc), &info) == 0 || info.dli_fname == nullptr) {
    return Hex(pc);
  }
  const uint64_t offset = pc - reinterpret_cast<uint64_t>(info.dli_fbase);
  return Join(info.dli_fname, "+", Hex(offset));
}

std::string WhatHappened(const Core& core, const Fault& fault) {
  if (fault.signal == kStopSignal && IsInterrupted(core.launch->number)) {
    return "the launch was interrupted (Ctrl-C); this block was still running";
  }
  if (fault.signal == kStopSignal) {
    return Join("the launch has not ended within the ",
                std::chrono::duration<double>(TimeLimit::Wanted()).count(),
                " s of BASCULE_TIMEOUT; this block is still running");
  }
  if (fault.signal == SIGFPE) {
    return fault.code == FPE_INTDIV
               ? "the kernel divides an integer by zero, or the smallest one by -1"
               : "the kernel computes what the processor traps";
  }
  if (fault.signal == SIGILL || fault.signal == SIGTRAP) {
    return "the kernel runs into an illegal instruction (where the compiler saw undefined "
           "behaviour: "
           "a null pointer, the end of a function that has to return something)";
  }
  if (core.fibre.InGuard(fault.address)) {
    return Join("the kernel's stack of ", Fibre::kStackBytes / 1024,
                " KiB is full: a recursion does not end, or local arrays are too large");
  }
#if defined(__x86_64__)
  // An address outside both halves of the address space is not reported by the processor.
  if (fault.signal == SIGSEGV && fault.code == SI_KERNEL) {
    return "the kernel uses a pointer whose value can be no address (was it ever set?)";
  }
#endif
  if (fault.access == FaultAccess::kExecute) {
    return Join("the kernel calls a function at ", Hex(fault.address), ", where there is none");
  }
  const char* verb = fault.access == FaultAccess::kRead    ? "reads"
                     : fault.access == FaultAccess::kWrite ? "writes"
                                                           : "accesses";
  return Join("the kernel ", verb, " through a raw pointer ", NearestOf(core, fault.address));
}

bool InOffice() {
  static const bool wanted = Wanted();
  return wanted;
}

}  // namespace

void StopKernelOn(pthread_t thread) {
  if (PrepareToStop()) pthread_kill(thread, kStopSignal);
}

bool PrepareToStop() {
  static const bool ready = InOffice() && (InstallStop(), true);
  return ready;
}

bool RunCatchingFaults(void (*body)(void*), void* argument, Fault* fault) {
  CatchFaults();
  Refuge refuge;
  refuge.thread = pthread_self();
  const RefugeEntry entry(&refuge);
  if (sigsetjmp(refuge.place, 1) != 0) {
    *fault = refuge.fault;
    return false;
  }
  body(argument);
  return true;
}

void CatchFaults() {
  if (!InOffice()) return;
  thread_local bool has_stack = false;
  if (!has_stack) {
    has_stack = true;
    GiveStack();
  }
  KeepOffice();
}

std::string DescribeFault(const Core& core, const Fault& fault) {
  std::string text = WhatHappened(core, fault);
  text += Join(" (", PlaceOf(fault.pc), ").");
  const isa::Row* row = core.last_opcode != 0 ? isa::FindRow(core.last_opcode) : nullptr;
  if (row != nullptr) {
    text +=
        Join(" The last Ascend C call before was ", row->name, " at ", Where(core.last_site), ".");
  }
  return text;
}

}  // namespace bascule::engine
