// Reads ELF files without loading them. Every number in a file is doubted: what does not fit the
// file is an Error with a sentence, never a crash. SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_TOOLCHAIN_ELF_FILE_H_
#define BASCULE_TOOLCHAIN_ELF_FILE_H_

#include <elf.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"

namespace bascule::toolchain {

struct ElfSymbol {
  std::string name;
  uint8_t binding;  // STB_LOCAL, STB_GLOBAL, STB_WEAK, STB_GNU_UNIQUE
  uint8_t type;     // STT_FUNC, …
  bool defined;
  uint64_t value;  // in a linked file: the address, before the file is loaded anywhere
  uint64_t size;
};

// A version that a library wants of another one: GLIBCXX_3.4.30 of libstdc++.so.6.
struct ElfVersionNeed {
  std::string library;
  std::string version;
};

// What the dynamic section says.
struct ElfDynamic {
  std::string name;  // DT_SONAME
  std::vector<std::string> needed;
  std::string search_path;  // DT_RUNPATH, else DT_RPATH
};

// A good file, for another machine.
class ForeignElf : public Error {
 public:
  explicit ForeignElf(const std::string& text) : Error(BASCULE_BAD_LIBRARY, text) {}
};

class ElfFile {
 public:
  // NOT_FOUND when there is no such file, BAD_LIBRARY when it is no ELF file for this kind of
  // machine (64-bit, this byte order, this processor; a ForeignElf) or is cut off.
  explicit ElfFile(const std::filesystem::path& path);
  ~ElfFile();
  ElfFile(const ElfFile&) = delete;
  ElfFile& operator=(const ElfFile&) = delete;

  bool is_shared() const { return header_.e_type == ET_DYN; }

  // The descriptor of the first note with this owner and type.
  std::optional<std::string> FindNote(const std::string& owner, uint32_t type) const;

  // What the loader would read: empty where the file has no dynamic section.
  ElfDynamic Dynamic() const;
  std::vector<ElfVersionNeed> VersionNeeds() const;
  std::vector<std::string> VersionDefinitions() const;  // what others may want of this file

  // Whether there are section headers, without which no symbol is found.
  bool has_sections() const { return header_.e_shnum != 0; }

  // SHT_SYMTAB (objects) or SHT_DYNSYM (what a shared library exports and wants).
  std::vector<ElfSymbol> Symbols(uint32_t table) const;

  // `count` bytes of the loaded file at an address; fewer where the file ends or holds none.
  std::string Bytes(uint64_t address, uint64_t count) const;

  // The addresses that a section holds, as they will be relative to where the file is loaded; none
  // when there is no such section.
  std::vector<uint64_t> Addresses(const std::string& section) const;

 private:
  [[noreturn]] void Damaged(const std::string& what) const;
  std::vector<Elf64_Shdr> Sections() const;
  std::string Strings(const Elf64_Shdr& section) const;
  std::vector<Elf64_Dyn> DynamicEntries() const;
  std::string DynamicStrings(const std::vector<Elf64_Dyn>& entries) const;
  // A structure at an address of the loaded file.
  template <typename Entry>
  Entry At(uint64_t address, const char* what) const;
  void Read(uint64_t offset, uint64_t bytes, void* to, const char* what) const;
  template <typename Entry>
  std::vector<Entry> ReadTable(uint64_t offset, uint64_t count, uint64_t entry_bytes,
                               const char* what) const;

  std::filesystem::path path_;
  int fd_ = -1;
  uint64_t size_ = 0;
  Elf64_Ehdr header_ = {};
  std::vector<Elf64_Phdr> segments_;
};

}  // namespace bascule::toolchain

#endif  // BASCULE_TOOLCHAIN_ELF_FILE_H_
