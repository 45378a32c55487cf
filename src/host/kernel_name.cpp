// SPDX-License-Identifier: Apache-2.0
#include "host/kernel_name.h"

#include <cxxabi.h>
#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <cstdint>
#include <cstdlib>

#include "base/error.h"
#include "toolchain/elf_file.h"

namespace bascule::host {
namespace {

// The loader knows what a library exports; a program exports nothing, so its file is asked.
std::string SymbolAt(const void* entry) {
  Dl_info info = {};
  void* extra = nullptr;
  if (dladdr1(entry, &info, &extra, RTLD_DL_LINKMAP) == 0) return "";
  if (info.dli_sname != nullptr && info.dli_saddr == entry) return info.dli_sname;
  const link_map* map = static_cast<const link_map*>(extra);
  const std::string file =
      map->l_name != nullptr && map->l_name[0] != '\0' ? map->l_name : "/proc/self/exe";
  const uint64_t wanted = reinterpret_cast<uint64_t>(entry) - map->l_addr;
  try {
    for (const toolchain::ElfSymbol& symbol : toolchain::ElfFile(file).Symbols(SHT_SYMTAB)) {
      if (symbol.defined && symbol.type == STT_FUNC && symbol.value == wanted) return symbol.name;
    }
  } catch (const Error&) {  // a file that cannot be read costs the name and nothing else
  }
  return "";
}

}  // namespace

std::string Demangled(const std::string& symbol) {
  int status = 0;
  char* demangled = abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status);
  if (demangled == nullptr) return "";
  std::string result = demangled;
  std::free(demangled);
  return result;
}

std::string WithoutSignature(const std::string& demangled) {
  size_t end = demangled.size();
  if (end != 0 && demangled[end - 1] == ')') {
    int depth = 0;
    while (end != 0) {
      --end;
      if (demangled[end] == ')') ++depth;
      if (demangled[end] == '(' && --depth == 0) break;
    }
  }
  // What is left begins with a result type if the function is a template: "void saxpy<float>".
  size_t begin = end;
  int depth = 0;
  while (begin != 0) {
    const char c = demangled[begin - 1];
    if (c == '>' || c == ')') ++depth;
    if (c == '<' || c == '(') --depth;
    if (c == ' ' && depth == 0) break;
    --begin;
  }
  return demangled.substr(begin, end - begin);
}

std::string KernelName(const void* entry) {
  const std::string symbol = SymbolAt(entry);
  if (symbol.empty()) return "kernel";
  const std::string name = WithoutSignature(Demangled(symbol));
  return name.empty() ? symbol : name;  // extern "C"
}

}  // namespace bascule::host
