// A program as a framework is one: it loads operator libraries that it knows nothing of and calls
// `my_mul` in MindSpore's convention, each library in a thread of its own where THREADS is set. It
// prints the results, and how many runtimes the process has in the end.
// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>
#include <link.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace {

using Aot = int (*)(int, void**, int*, int64_t**, const char**, void*, void*);

std::string Call(const char* path) {
  void* const handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return dlerror();
  Aot function;
  void* const symbol = dlsym(handle, "my_mul");
  std::memcpy(&function, &symbol, sizeof(function));
  float x[] = {1, 2, 3};
  float y[] = {4, 5, 6};
  float out[3] = {};
  void* parameters[] = {x, y, out};
  int ranks[] = {1, 1, 1};
  int64_t shape[] = {3};
  int64_t* shapes[] = {shape, shape, shape};
  const char* dtypes[] = {"float32", "float32", "float32"};
  try {
    function(3, parameters, ranks, shapes, dtypes, nullptr, nullptr);
  } catch (const std::exception& error) {
    return error.what();
  }
  char text[64];
  std::snprintf(text, sizeof(text), "%g %g %g", static_cast<double>(out[0]),
                static_cast<double>(out[1]), static_cast<double>(out[2]));
  return text;
}

std::size_t Runtimes() {
  std::set<void*> found;
  link_map* map = nullptr;
  dlinfo(dlopen(nullptr, RTLD_LAZY), RTLD_DI_LINKMAP, &map);
  for (; map != nullptr; map = map->l_next) {
    void* const handle = dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD);
    void* const symbol = handle != nullptr ? dlsym(handle, "bascule_runtime_v1") : nullptr;
    if (symbol != nullptr) found.insert(symbol);
  }
  return found.size();
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> results(static_cast<std::size_t>(argc));
  std::vector<std::thread> threads;
  for (int i = 1; i < argc; ++i) {
    const auto call = [&results, i, path = argv[i]] {
      results[static_cast<std::size_t>(i)] = Call(path);
    };
    if (std::getenv("THREADS") != nullptr) {
      threads.emplace_back(call);
    } else {
      call();
    }
  }
  for (std::thread& thread : threads) thread.join();
  for (int i = 1; i < argc; ++i) std::printf("%s\n", results[static_cast<std::size_t>(i)].c_str());
  std::printf("%zu\n", Runtimes());
  return 0;
}
