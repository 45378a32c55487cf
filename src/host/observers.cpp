// SPDX-License-Identifier: Apache-2.0
#include "host/observers.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <utility>

#include "base/error.h"
#include "observe/count.h"

namespace bascule::host {
namespace {

// The list of observers that ship; one line each.
struct Shipped {
  const char* name;
  std::shared_ptr<Observer> (*make)();
};
constexpr Shipped kShipped[] = {
    {"count",
     [] { return std::static_pointer_cast<Observer>(std::make_shared<observe::CountObserver>()); }},
};

struct State {
  std::mutex mutex;
  std::map<std::string, std::shared_ptr<Observer>> attached;
  std::atomic<bool> any{false};
  std::recursive_mutex one_launch;  // recursive: a kernel may launch
};

State& TheState() {
  static State* const state = new State;  // outlives static destructors
  return *state;
}

void PrintReports() {
  State& state = TheState();
  const std::lock_guard<std::mutex> lock(state.mutex);
  for (const auto& [name, observer] : state.attached) {
    std::fprintf(stderr, "bascule: %s: %s\n", name.c_str(), observer->Report().c_str());
  }
}

void AttachFromEnvironment() {
  static const bool done = [] {
    const char* value = std::getenv("BASCULE_OBSERVE");
    if (value == nullptr || value[0] == '\0') return true;
    std::string names = value;
    for (size_t begin = 0; begin <= names.size();) {
      const size_t end = std::min(names.find(',', begin), names.size());
      if (end > begin) AttachObserver(names.substr(begin, end - begin));
      begin = end + 1;
    }
    std::atexit(PrintReports);
    return true;
  }();
  (void)done;
}

}  // namespace

void AttachObserver(const std::string& name) {
  std::string known;
  for (const Shipped& shipped : kShipped) {
    if (name == shipped.name) {
      AttachObserver(name, shipped.make());
      return;
    }
    known += (known.empty() ? "" : ", ") + std::string(shipped.name);
  }
  throw Error(BASCULE_NOT_FOUND, Join("there is no observer '", name, "'; there is: ", known, "."));
}

void AttachObserver(const std::string& name, std::shared_ptr<Observer> observer) {
  State& state = TheState();
  const std::lock_guard<std::mutex> lock(state.mutex);
  state.attached[name] = std::move(observer);
  state.any.store(true, std::memory_order_release);
}

std::string ObserverReport(const std::string& name) {
  State& state = TheState();
  std::shared_ptr<Observer> observer;
  {
    const std::lock_guard<std::mutex> lock(state.mutex);
    const auto found = state.attached.find(name);
    if (found != state.attached.end()) observer = found->second;
  }
  if (observer == nullptr) {
    throw Error(BASCULE_NOT_FOUND, Join("the observer '", name, "' is not attached."));
  }
  const std::lock_guard<std::recursive_mutex> still(state.one_launch);
  return observer->Report();
}

void DetachObserver(const std::string& name) {
  State& state = TheState();
  const std::lock_guard<std::mutex> lock(state.mutex);
  if (state.attached.erase(name) == 0) {
    throw Error(BASCULE_NOT_FOUND, Join("the observer '", name, "' is not attached."));
  }
  state.any.store(!state.attached.empty(), std::memory_order_release);
}

ObserverLease::ObserverLease() {
  AttachFromEnvironment();
  State& state = TheState();
  if (!state.any.load(std::memory_order_acquire)) return;
  state.one_launch.lock();
  locked_ = true;
  const std::lock_guard<std::mutex> lock(state.mutex);
  for (const auto& [name, observer] : state.attached) {
    kept_.push_back(observer);
    raw_.push_back(observer.get());
  }
}

ObserverLease::~ObserverLease() {
  if (locked_) TheState().one_launch.unlock();
}

}  // namespace bascule::host
