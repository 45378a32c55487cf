// SPDX-License-Identifier: Apache-2.0
#include "engine/kernel_type.h"

#include <link.h>

#include <algorithm>
#include <cstring>

namespace bascule::engine {
namespace {

struct TypeInfo {
  const char* name;
  BlockCores cores;
};
constexpr TypeInfo kTypes[BASCULE_KERNEL_TYPE_COUNT] = {
    {"a kernel type that nobody has said", {0, 1}},
    {"KERNEL_TYPE_AIC_ONLY", {1, 0}},
    {"KERNEL_TYPE_AIV_ONLY", {0, 1}},
    {"KERNEL_TYPE_MIX_AIV_1_0", {0, 1}},
    {"KERNEL_TYPE_MIX_AIC_1_0", {1, 0}},
    {"KERNEL_TYPE_MIX_AIC_1_1", {1, 1}},
    {"KERNEL_TYPE_MIX_AIC_1_2", {1, 2}},
};

#if defined(__x86_64__)
using Word = uint8_t;
constexpr Word kNop = 0x90;
#elif defined(__aarch64__)
using Word = uint32_t;
constexpr Word kNop = 0xd503201f;
#else
#error "how a function is marked is known for x86-64 and AArch64"
#endif

struct Code {
  uintptr_t entry;
  uintptr_t begin;  // of the loaded code around it; 0: not found
};

int FindCode(dl_phdr_info* object, size_t, void* argument) {
  Code& code = *static_cast<Code*>(argument);
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = object->dlpi_phdr[i];
    if (part.p_type != PT_LOAD || (part.p_flags & (PF_R | PF_X)) != (PF_R | PF_X)) continue;
    const uintptr_t begin = object->dlpi_addr + part.p_vaddr;
    if (code.entry < begin || code.entry - begin >= part.p_memsz) continue;
    code.begin = begin;
    return 1;
  }
  return 0;
}

}  // namespace

BlockCores CoresOf(uint32_t kernel_type) {
  return kTypes[kernel_type < BASCULE_KERNEL_TYPE_COUNT ? kernel_type : 0].cores;
}

const char* KernelTypeName(uint32_t kernel_type) {
  return kernel_type < BASCULE_KERNEL_TYPE_COUNT ? kTypes[kernel_type].name
                                                 : "an unknown kernel type";
}

uint32_t ResidentBlocks(const BasculePlatform& platform, BlockCores cores) {
  uint32_t blocks = UINT32_MAX;
  if (cores.aic != 0) blocks = platform.aic_cores / cores.aic;
  if (cores.aiv != 0) blocks = std::min(blocks, platform.aiv_cores / cores.aiv);
  return blocks;
}

uint32_t MarkedKernelType(const void* entry) {
  Code code = {reinterpret_cast<uintptr_t>(entry), 0};
  dl_iterate_phdr(FindCode, &code);
  if (code.begin == 0) return BASCULE_KERNEL_UNSAID;
  // A linker may have put a few more in front, to align the function.
  constexpr uint32_t kMost = BASCULE_KERNEL_MARK * BASCULE_KERNEL_TYPE_COUNT;
  const uint64_t room = (code.entry - code.begin) / sizeof(Word);
  const char* at = static_cast<const char*>(entry);
  uint32_t marks = 0;
  while (marks < kMost && marks < room) {
    at -= sizeof(Word);
    Word word;
    std::memcpy(&word, at, sizeof(word));
    if (word != kNop) break;
    ++marks;
  }
  const uint32_t type = marks / BASCULE_KERNEL_MARK;
  return type < BASCULE_KERNEL_TYPE_COUNT ? type : 0;
}

}  // namespace bascule::engine
