// Observers that watch every launch of the process, by name.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_HOST_OBSERVERS_H_
#define BASCULE_HOST_OBSERVERS_H_

#include <memory>
#include <string>
#include <vector>

#include "bascule/observer.h"

namespace bascule::host {

// Names known: "count". BASCULE_OBSERVE=name[,name] attaches at the first launch and prints the
// reports when the process ends. All throw Error for unknown names. Thread-safe.
void AttachObserver(const std::string& name);
std::string ObserverReport(const std::string& name);
void DetachObserver(const std::string& name);

// Attaches an observer of the caller's own until it is detached; for tests and tools.
void AttachObserver(const std::string& name, std::shared_ptr<Observer> observer);

// Runs `launch(observers)` with those attached now. While there are any, launches run one at a
// time, because an observer sees one launch at a time.
class ObserverLease {
 public:
  ObserverLease();
  ~ObserverLease();
  const std::vector<Observer*>& observers() const { return raw_; }
  // For what is no launch and takes its turn with them: tells what happened, if anybody listens.
  template <typename MakeEvent>
  void Tell(MakeEvent make_event) const {
    if (raw_.empty()) return;
    const HostEvent event = make_event();
    for (Observer* observer : raw_) observer->Host(event);
  }

 private:
  std::vector<std::shared_ptr<Observer>> kept_;
  std::vector<Observer*> raw_;
  bool locked_ = false;
};

}  // namespace bascule::host

#endif  // BASCULE_HOST_OBSERVERS_H_
