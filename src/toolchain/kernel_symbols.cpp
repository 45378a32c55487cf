// SPDX-License-Identifier: Apache-2.0
#include "toolchain/kernel_symbols.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "bascule/abi/kernel.h"
#include "base/error.h"

namespace bascule::toolchain {
namespace {

// How far behind a function's symbol the compiler's mark may lie: an instruction that says where
// indirect calls may arrive comes first.
constexpr uint64_t kMarkDistance = 16;

#if defined(__aarch64__)
const std::string kNop = "\x1f\x20\x03\xd5";
#elif defined(__riscv)
const std::string kNop = "\x13" + std::string(3, '\0');
#else
const std::string kNop = "\x90";
#endif

// Whether one of the marks is this function's: at its beginning, or, in front of a kernel that says
// its type (BASCULE_KERNEL_MARK), where the instructions without effect begin that count it.
bool IsMarked(const ElfFile& file, const std::set<uint64_t>& marks, const ElfSymbol& symbol) {
  const auto mark = marks.lower_bound(symbol.value);
  if (mark != marks.end() && *mark - symbol.value < std::min(symbol.size, kMarkDistance)) {
    return true;
  }
  for (uint64_t type = 1; type < BASCULE_KERNEL_TYPE_COUNT; ++type) {
    const uint64_t bytes = type * BASCULE_KERNEL_MARK * kNop.size();
    if (symbol.value < bytes || marks.count(symbol.value - bytes) == 0) continue;
    const std::string front = file.Bytes(symbol.value - bytes, bytes);
    std::string wanted;
    while (wanted.size() < bytes) wanted += kNop;
    return front == wanted;
  }
  return false;
}

}  // namespace

KernelSymbols ReadKernelSymbols(const ElfFile& file) {
  KernelSymbols result;
  if (const auto note = file.FindNote(BASCULE_NOTE_OWNER, BASCULE_NOTE_HEADERS);
      note && note->size() == sizeof(result.headers)) {
    std::memcpy(&result.headers, note->data(), sizeof(result.headers));
  }
  // What `__global__` leaves behind (keywords.h of the kernel headers).
  const std::vector<uint64_t> addresses = file.Addresses("__patchable_function_entries");
  const std::set<uint64_t> marks(addresses.begin(), addresses.end());

  std::vector<ElfSymbol> symbols = file.Symbols(SHT_DYNSYM);
  std::stable_sort(symbols.begin(), symbols.end(),
                   [](const ElfSymbol& a, const ElfSymbol& b) { return a.value < b.value; });
  for (const ElfSymbol& symbol : symbols) {
    if (!symbol.defined || symbol.type != STT_FUNC || symbol.binding == STB_LOCAL ||
        symbol.name == "_init" || symbol.name == "_fini") {
      continue;
    }
    const bool kernel = result.headers != 0 && IsMarked(file, marks, symbol);
    (kernel ? result.kernels : result.functions).push_back(symbol.name);
  }
  return result;
}

std::string NearName(const std::vector<std::string>& names, const std::string& wanted) {
  const auto near = std::find_if(names.begin(), names.end(), [&](const std::string& name) {
    return name.starts_with(wanted) || wanted.starts_with(name);
  });
  return near == names.end() ? "" : *near;
}

std::string Listed(const std::vector<std::string>& names, size_t shown) {
  std::string text;
  for (size_t i = 0; i < names.size() && i < shown; ++i) text += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > shown) text += Join(" and ", names.size() - shown, " more");
  return text.empty() ? "none" : text;
}

}  // namespace bascule::toolchain
