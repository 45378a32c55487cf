// SPDX-License-Identifier: Apache-2.0
#include "host/constants.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <string>

#include "bascule/abi/kernel.h"
#include "base/error.h"
#include "toolchain/elf_file.h"

namespace bascule::host {
namespace {

using engine::GlobalInterval;

// Memory of a file that is mapped and cannot be written.
struct ReadOnly {
  uint64_t begin = 0;
  uint64_t end = 0;
  uint64_t base = 0;  // where address 0 of the file lies
  std::string path;   // "": the program's own
};

// The memory that holds an address; empty where none does.
ReadOnly MemoryWith(uint64_t address) {
  struct Search {
    uint64_t address;
    ReadOnly found;
  } search = {address, {}};
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* argument) {
        Search& wanted = *static_cast<Search*>(argument);
        for (const ElfW(Phdr) & part : std::span(info->dlpi_phdr, info->dlpi_phnum)) {
          const uint64_t begin = info->dlpi_addr + part.p_vaddr;
          if (part.p_type != PT_LOAD || (part.p_flags & PF_W) != 0 || wanted.address < begin ||
              wanted.address - begin >= part.p_memsz) {
            continue;
          }
          wanted.found = {begin, begin + part.p_memsz, info->dlpi_addr,
                          info->dlpi_name != nullptr ? info->dlpi_name : ""};
          return 1;
        }
        return 0;
      },
      &search);
  return search.found;
}

// "table" of "_ZL5table".
std::string NameOf(const std::string& symbol) {
  const std::unique_ptr<char, decltype(&std::free)> name(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, nullptr), &std::free);
  return name != nullptr ? name.get() : symbol;
}

class Constants {
 public:
  const GlobalInterval* Find(uint64_t address) {
    {
      const std::shared_lock<std::shared_mutex> lock(mutex_);
      if (const Known* known = MemoryOf(address)) return LastBefore(*known, address);
    }
    const ReadOnly memory = MemoryWith(address);
    if (memory.end == 0) return nullptr;
    // What is remembered has to stay where it is.
    if (!memory.path.empty() &&
        dlopen(memory.path.c_str(), RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE) == nullptr) {
      return nullptr;
    }
    const std::lock_guard<std::shared_mutex> lock(mutex_);
    if (MemoryOf(address) == nullptr) Learn(memory);
    return LastBefore(*MemoryOf(address), address);
  }

 private:
  struct Known {
    uint64_t end;
    std::map<uint64_t, GlobalInterval> constants;  // by their begin
  };

  const Known* MemoryOf(uint64_t address) const {
    auto after = known_.upper_bound(address);
    if (after == known_.begin() || address >= std::prev(after)->second.end) return nullptr;
    return &std::prev(after)->second;
  }
  static const GlobalInterval* LastBefore(const Known& known, uint64_t address) {
    auto after = known.constants.upper_bound(address);
    return after != known.constants.begin() ? &std::prev(after)->second : nullptr;
  }

  void Learn(const ReadOnly& memory) {
    Known& known = known_[memory.begin];
    known.end = memory.end;
    const auto add = [&](uint64_t begin, uint64_t end, std::string name) {
      GlobalInterval& constant = known.constants[begin];
      if (end <= constant.end) return;  // two names for one place
      constant.begin = begin;
      constant.end = end;
      constant.rights = BASCULE_READ;
      constant.name = names_.emplace_back(std::move(name)).c_str();
    };
    try {
      const toolchain::ElfFile file(memory.path.empty() ? "/proc/self/exe" : memory.path);
      // The file may be another one by now.
      const uint64_t looked_at = std::min<uint64_t>(memory.end - memory.begin, 4096);
      const std::string there = file.Bytes(memory.begin - memory.base, looked_at);
      const bool same =
          there.size() == looked_at &&
          std::memcmp(there.data(), reinterpret_cast<const void*>(memory.begin), looked_at) == 0;
      for (const toolchain::ElfSymbol& symbol :
           same ? file.Symbols(SHT_SYMTAB) : std::vector<toolchain::ElfSymbol>()) {
        const uint64_t begin = memory.base + symbol.value;
        if (symbol.type != STT_OBJECT || !symbol.defined || symbol.size == 0 ||
            begin < memory.begin || begin > memory.end || symbol.size > memory.end - begin) {
          continue;
        }
        add(begin, begin + symbol.size, NameOf(symbol.name));
      }
    } catch (const Error&) {  // a file that is gone, or without symbols
    }
    if (known.constants.empty()) add(memory.begin, memory.end, "the library's constants");
  }

  std::shared_mutex mutex_;
  std::map<uint64_t, Known> known_;  // by the memory's begin
  std::deque<std::string> names_;
};

}  // namespace

const GlobalInterval* FindConstant(uint64_t address) {
  static auto* const constants = new Constants;  // outlives static destructors
  return constants->Find(address);
}

}  // namespace bascule::host
