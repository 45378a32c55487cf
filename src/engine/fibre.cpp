// SPDX-License-Identifier: Apache-2.0
#include "engine/fibre.h"

#include <sys/mman.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/error.h"
#include "base/sanitizer.h"

#if defined(BASCULE_ADDRESS_SANITIZER)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif
#if defined(BASCULE_THREAD_SANITIZER)
#include <sanitizer/tsan_interface.h>
#endif

namespace bascule::engine {

namespace context = boost::context::detail;

namespace {

constexpr size_t kMappingBytes = Fibre::kGuardBytes + Fibre::kStackBytes;

}  // namespace

std::atomic<Fibre::Stack*> Fibre::stacks{nullptr};

Fibre::Fibre() {
  void* memory =
      mmap(nullptr, kMappingBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED || mprotect(static_cast<char*>(memory) + kGuardBytes, kStackBytes,
                                       PROT_READ | PROT_WRITE) != 0) {
    const int why = errno;
    if (memory != MAP_FAILED) munmap(memory, kMappingBytes);
    throw Error(BASCULE_OUT_OF_MEMORY,
                Join("no memory for a kernel's stack: ", std::strerror(why), "."));
  }
  mapping_ = static_cast<char*>(memory);
  Register();
}

void Fibre::Register() {
  for (Stack* stack = stacks.load(); stack != nullptr; stack = stack->next) {
    Fibre* nobody = nullptr;
    if (stack->fibre.compare_exchange_strong(nobody, this)) {
      stack_ = stack;
      break;
    }
  }
  if (stack_ == nullptr) {
    stack_ = new Stack;
    stack_->fibre.store(this);
    stack_->next = stacks.load();
    while (!stacks.compare_exchange_weak(stack_->next, stack_)) {
    }
  }
  const uint64_t begin = reinterpret_cast<uint64_t>(mapping_);
  stack_->end.store(begin + kMappingBytes);
  stack_->begin.store(begin);
}

Fibre::~Fibre() {
#if defined(BASCULE_THREAD_SANITIZER)
  if (tsan_fibre_ != nullptr) __tsan_destroy_fiber(tsan_fibre_);
#endif
  stack_->end.store(0);
  stack_->fibre.store(nullptr);
  munmap(mapping_, kMappingBytes);
}

bool Fibre::InGuard(uint64_t address) const {
  const uint64_t begin = reinterpret_cast<uint64_t>(mapping_);
  return address >= begin && address < begin + kGuardBytes;
}

Fibre* Fibre::Holding(uint64_t address) {
  for (Stack* stack = stacks.load(); stack != nullptr; stack = stack->next) {
    if (address >= stack->begin.load() && address < stack->end.load()) return stack->fibre.load();
  }
  return nullptr;
}

Fibre::Diversion Fibre::Divert(const Fault& fault) {
  fault_ = fault;
  return {reinterpret_cast<uint64_t>(&Fibre::Land),
          reinterpret_cast<uint64_t>(mapping_ + kMappingBytes)};
}

void Fibre::Land(Fibre* self) {
  self->on_fault_(self->argument_, self->fault_);
  std::abort();
}

void Fibre::Prepare(void (*body)(void*), void (*fault)(void*, const Fault&), void* argument) {
  body_ = body;
  on_fault_ = fault;
  argument_ = argument;
  fake_stack_ = nullptr;
#if defined(BASCULE_ADDRESS_SANITIZER)
  // An abandoned stack leaves poisoned frames behind.
  __asan_unpoison_memory_region(mapping_ + kGuardBytes, kStackBytes);
#endif
#if defined(BASCULE_THREAD_SANITIZER)
  if (tsan_fibre_ != nullptr) __tsan_destroy_fiber(tsan_fibre_);
  tsan_fibre_ = __tsan_create_fiber(0);
#endif
  inside_ = context::make_fcontext(mapping_ + kMappingBytes, kStackBytes, &Fibre::Main);
}

Leave Fibre::Enter() {
#if defined(BASCULE_ADDRESS_SANITIZER)
  void* worker_fake_stack = nullptr;
  __sanitizer_start_switch_fiber(&worker_fake_stack, mapping_ + kGuardBytes, kStackBytes);
#endif
#if defined(BASCULE_THREAD_SANITIZER)
  tsan_worker_ = __tsan_get_current_fiber();
  __tsan_switch_to_fiber(tsan_fibre_, 0);
#endif
  const context::transfer_t back = context::jump_fcontext(inside_, this);
#if defined(BASCULE_ADDRESS_SANITIZER)
  __sanitizer_finish_switch_fiber(worker_fake_stack, nullptr, nullptr);
#endif
  inside_ = back.fctx;
  return static_cast<Leave>(reinterpret_cast<intptr_t>(back.data));
}

void Fibre::SwitchOut(Leave how) {
#if defined(BASCULE_ADDRESS_SANITIZER)
  __sanitizer_start_switch_fiber(how == Leave::kParked ? &fake_stack_ : nullptr, worker_stack_,
                                 worker_stack_bytes_);
#endif
#if defined(BASCULE_THREAD_SANITIZER)
  __tsan_switch_to_fiber(tsan_worker_, 0);
#endif
  const context::transfer_t again =
      context::jump_fcontext(outside_, reinterpret_cast<void*>(static_cast<intptr_t>(how)));
#if defined(BASCULE_ADDRESS_SANITIZER)
  __sanitizer_finish_switch_fiber(fake_stack_, &worker_stack_, &worker_stack_bytes_);
#endif
  outside_ = again.fctx;
}

void Fibre::Park() { SwitchOut(Leave::kParked); }

void Fibre::Abandon() {
  SwitchOut(Leave::kAbandoned);
  std::abort();  // nobody enters a fibre that was abandoned
}

void Fibre::Main(context::transfer_t transfer) {
  Fibre* self = static_cast<Fibre*>(transfer.data);
  self->outside_ = transfer.fctx;
#if defined(BASCULE_ADDRESS_SANITIZER)
  __sanitizer_finish_switch_fiber(nullptr, &self->worker_stack_, &self->worker_stack_bytes_);
#endif
  self->body_(self->argument_);
  self->SwitchOut(Leave::kFinished);
  std::abort();  // a finished fibre is prepared anew before it is entered
}

}  // namespace bascule::engine
