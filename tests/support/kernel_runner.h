// Runs a kernel that is compiled into the test itself, against the engine.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_TESTS_SUPPORT_KERNEL_RUNNER_H_
#define BASCULE_TESTS_SUPPORT_KERNEL_RUNNER_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"
#include "engine/launch.h"
#include "engine/platform.h"

namespace bascule::test {

// Tensors and settings of one launch.
class KernelRunner {
 public:
  explicit KernelRunner(uint32_t blocks, const char* kernel = "kernel") {
    request_.kernel = kernel;
    request_.block_count = blocks;
    request_.platform = &engine::Ascend910B();
  }

  template <typename T>
  KernelRunner& Input(const char* name, const std::vector<T>& data) {
    return Interval(name, data.data(), data.size() * sizeof(T), BASCULE_READ);
  }
  template <typename T>
  KernelRunner& Output(const char* name, std::vector<T>& data) {
    return Interval(name, data.data(), data.size() * sizeof(T), BASCULE_READ | BASCULE_WRITE);
  }
  KernelRunner& Interval(const char* name, const void* begin, uint64_t bytes, uint32_t rights) {
    const uint64_t at = reinterpret_cast<uint64_t>(begin);
    intervals_.push_back({at, at + bytes, rights, name});
    request_.bytes += bytes;
    return *this;
  }
  // What GetTensorNum() and GetBlockSize() go by.
  KernelRunner& FirstTensor(uint64_t elements, uint32_t element_bytes) {
    request_.first_elements = elements;
    request_.first_element_bytes = element_bytes;
    return *this;
  }
  KernelRunner& Watch(Observer& observer) {
    observers_.push_back(&observer);
    return *this;
  }
  KernelRunner& TilingKey(uint64_t key) {
    request_.tiling_key = key;
    return *this;
  }
  KernelRunner& Type(uint32_t kernel_type) {
    request_.kernel_type = kernel_type;
    return *this;
  }
  // Pretends the launch is long, so that helpers are woken.
  KernelRunner& Long() {
    request_.expected_ns = 1000000000;
    return *this;
  }

  // Pretends it touches as much memory, so that stores stream past the caches.
  KernelRunner& Large() {
    request_.bytes += uint64_t{1} << 40;
    return *this;
  }

  // Throws Error as Launch does.
  template <typename Kernel>
  void Run(const Kernel& kernel) {
    std::sort(intervals_.begin(), intervals_.end(),
              [](const auto& a, const auto& b) { return a.begin < b.begin; });
    request_.globals = intervals_;
    request_.observers = observers_;
    request_.invoke = [](const void* closure) { (*static_cast<const Kernel*>(closure))(); };
    request_.closure = &kernel;
    engine::Launch(request_);
  }
  // The sentence of the error that the launch ends with; "" when it does not.
  template <typename Kernel>
  std::string Error(const Kernel& kernel) {
    try {
      Run(kernel);
    } catch (const bascule::Error& error) {
      return error.what();
    }
    return "";
  }

 private:
  engine::LaunchRequest request_;
  std::vector<engine::GlobalInterval> intervals_;
  std::vector<Observer*> observers_;
};

}  // namespace bascule::test

#endif  // BASCULE_TESTS_SUPPORT_KERNEL_RUNNER_H_
