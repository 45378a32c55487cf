// SPDX-License-Identifier: Apache-2.0
#include "toolchain/elf_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>

#include "base/error.h"

namespace bascule::toolchain {
namespace {

#if defined(__x86_64__)
constexpr uint16_t kMachine = EM_X86_64;
constexpr uint32_t kRelativeRelocation = R_X86_64_RELATIVE;
#elif defined(__aarch64__)
constexpr uint16_t kMachine = EM_AARCH64;
constexpr uint32_t kRelativeRelocation = R_AARCH64_RELATIVE;
#elif defined(__riscv)
constexpr uint16_t kMachine = EM_RISCV;
constexpr uint32_t kRelativeRelocation = R_RISCV_RELATIVE;
#else
#error "name this processor's ELF machine number here"
#endif

constexpr unsigned char kByteOrder =
    std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;
constexpr uint64_t kMaxNoteBytes = 64u << 20;
constexpr uint64_t kMaxTableBytes = 256u << 20;
constexpr uint64_t kMaxVersions = 10000;

std::string MachineName(uint16_t machine) {
  switch (machine) {
    case EM_386:
      return "32-bit x86";
    case EM_X86_64:
      return "x86-64";
    case EM_ARM:
      return "32-bit ARM";
    case EM_AARCH64:
      return "AArch64";
    case EM_RISCV:
      return "RISC-V";
    case EM_PPC64:
      return "PowerPC64";
    default:
      return Join("machine number ", machine);
  }
}

constexpr uint64_t RoundUp(uint64_t value, uint64_t unit) {
  return (value + unit - 1) / unit * unit;
}

}  // namespace

ElfFile::ElfFile(const std::filesystem::path& path) : path_(path) {
  fd_ = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd_ < 0) {
    throw Error(errno == ENOENT || errno == ENOTDIR ? BASCULE_NOT_FOUND : BASCULE_BAD_LIBRARY,
                Join(path.string(), " cannot be read: ", std::strerror(errno)));
  }
  try {
    struct stat info = {};
    if (fstat(fd_, &info) != 0 || !S_ISREG(info.st_mode)) {
      throw Error(BASCULE_BAD_LIBRARY, Join(path.string(), " is not a regular file"));
    }
    size_ = static_cast<uint64_t>(info.st_size);

    unsigned char ident[EI_NIDENT] = {};
    if (size_ < EI_NIDENT || pread(fd_, ident, EI_NIDENT, 0) != EI_NIDENT ||
        std::memcmp(ident, ELFMAG, SELFMAG) != 0) {
      throw Error(BASCULE_BAD_LIBRARY, Join(path.string(), " is not an ELF file"));
    }
    if (ident[EI_CLASS] != ELFCLASS64) {
      throw ForeignElf(Join(path.string(), " is not a 64-bit ELF file; this process is 64-bit"));
    }
    if (ident[EI_DATA] != kByteOrder) {
      throw ForeignElf(Join(path.string(), " is made for a processor of the other byte order"));
    }
    Read(0, sizeof(header_), &header_, "the ELF header");
    if (header_.e_machine != kMachine) {
      throw ForeignElf(Join(path.string(), " is made for ", MachineName(header_.e_machine),
                            "; this process runs on ", MachineName(kMachine)));
    }
    if (header_.e_phnum != 0 && header_.e_phentsize != sizeof(Elf64_Phdr)) {
      Damaged("its program headers have an unknown size");
    }
    segments_ = ReadTable<Elf64_Phdr>(header_.e_phoff, header_.e_phnum, sizeof(Elf64_Phdr),
                                      "the program headers");
    for (const Elf64_Phdr& segment : segments_) {
      if (segment.p_type != PT_LOAD) continue;
      if (segment.p_filesz > size_ || segment.p_offset > size_ - segment.p_filesz) {
        Damaged("a segment ends beyond the end of the file; the file is cut off");
      }
    }
  } catch (...) {
    close(fd_);
    throw;
  }
}

ElfFile::~ElfFile() { close(fd_); }

void ElfFile::Damaged(const std::string& what) const {
  throw Error(BASCULE_BAD_LIBRARY, Join(path_.string(), " is damaged: ", what));
}

void ElfFile::Read(uint64_t offset, uint64_t bytes, void* to, const char* what) const {
  if (bytes > size_ || offset > size_ - bytes) {
    Damaged(Join(what, " would lie beyond the end of the file"));
  }
  uint64_t done = 0;
  while (done < bytes) {
    const ssize_t got =
        pread(fd_, static_cast<char*>(to) + done, bytes - done, static_cast<off_t>(offset + done));
    if (got <= 0) Damaged(Join(what, " cannot be read"));
    done += static_cast<uint64_t>(got);
  }
}

template <typename Entry>
std::vector<Entry> ElfFile::ReadTable(uint64_t offset, uint64_t count, uint64_t entry_bytes,
                                      const char* what) const {
  if (entry_bytes != sizeof(Entry) || count > kMaxTableBytes / sizeof(Entry)) {
    Damaged(Join(what, " have an unknown size"));
  }
  if (count != 0 && (count * sizeof(Entry) > size_)) {
    Damaged(Join(what, " would lie beyond the end of the file"));
  }
  std::vector<Entry> table(count);
  if (count != 0) Read(offset, count * sizeof(Entry), table.data(), what);
  return table;
}

std::optional<std::string> ElfFile::FindNote(const std::string& owner, uint32_t type) const {
  for (const Elf64_Phdr& segment : segments_) {
    if (segment.p_type != PT_NOTE) continue;
    if (segment.p_filesz > kMaxNoteBytes) Damaged("its notes are larger than 64 MB");
    if (segment.p_filesz > size_ || segment.p_offset > size_ - segment.p_filesz) {
      Damaged("its notes would lie beyond the end of the file");
    }
    std::string notes(segment.p_filesz, '\0');
    Read(segment.p_offset, notes.size(), notes.data(), "a note");
    // Notes of 8-byte alignment (GNU properties) are padded to 8, all others to 4.
    const uint64_t unit = segment.p_align == 8 ? 8 : 4;
    uint64_t at = 0;
    while (notes.size() - at >= sizeof(Elf64_Nhdr)) {
      Elf64_Nhdr note;
      std::memcpy(&note, notes.data() + at, sizeof(note));
      const uint64_t name = at + sizeof(note);
      const uint64_t descriptor = RoundUp(name + note.n_namesz, unit);
      if (descriptor > notes.size() || note.n_descsz > notes.size() - descriptor) {
        Damaged("a note is longer than its segment");
      }
      if (note.n_type == type && note.n_namesz == owner.size() + 1 &&
          std::memcmp(notes.data() + name, owner.c_str(), owner.size() + 1) == 0) {
        return notes.substr(descriptor, note.n_descsz);
      }
      at = RoundUp(descriptor + note.n_descsz, unit);
      if (at > notes.size()) break;
    }
  }
  return std::nullopt;
}

template <typename Entry>
Entry ElfFile::At(uint64_t address, const char* what) const {
  const std::string bytes = Bytes(address, sizeof(Entry));
  if (bytes.size() != sizeof(Entry)) Damaged(Join(what, " lies outside the file"));
  Entry entry;
  std::memcpy(&entry, bytes.data(), sizeof(entry));
  return entry;
}

std::vector<Elf64_Dyn> ElfFile::DynamicEntries() const {
  for (const Elf64_Phdr& segment : segments_) {
    if (segment.p_type != PT_DYNAMIC) continue;
    auto entries = ReadTable<Elf64_Dyn>(segment.p_offset, segment.p_filesz / sizeof(Elf64_Dyn),
                                        sizeof(Elf64_Dyn), "the entries of the dynamic section");
    const auto end = std::find_if(entries.begin(), entries.end(),
                                  [](const Elf64_Dyn& entry) { return entry.d_tag == DT_NULL; });
    entries.erase(end, entries.end());
    return entries;
  }
  return {};
}

namespace {

uint64_t ValueOf(const std::vector<Elf64_Dyn>& entries, int64_t tag) {
  for (const Elf64_Dyn& entry : entries) {
    if (entry.d_tag == tag) return entry.d_un.d_val;
  }
  return 0;
}

std::string StringAt(const std::string& strings, uint64_t offset) {
  if (offset >= strings.size()) return "";
  return {strings.data() + offset, strnlen(strings.data() + offset, strings.size() - offset)};
}

}  // namespace

std::string ElfFile::DynamicStrings(const std::vector<Elf64_Dyn>& entries) const {
  const uint64_t bytes = ValueOf(entries, DT_STRSZ);
  if (bytes > kMaxTableBytes) Damaged("its dynamic strings are larger than 256 MB");
  return Bytes(ValueOf(entries, DT_STRTAB), bytes);
}

ElfDynamic ElfFile::Dynamic() const {
  const std::vector<Elf64_Dyn> entries = DynamicEntries();
  const std::string strings = DynamicStrings(entries);
  ElfDynamic dynamic;
  for (const Elf64_Dyn& entry : entries) {
    if (entry.d_tag != DT_NEEDED && entry.d_tag != DT_SONAME && entry.d_tag != DT_RUNPATH &&
        entry.d_tag != DT_RPATH) {
      continue;
    }
    const std::string text = StringAt(strings, entry.d_un.d_val);
    if (text.empty()) Damaged("an entry of its dynamic section has no text");
    if (entry.d_tag == DT_NEEDED) {
      dynamic.needed.push_back(text);
    } else if (entry.d_tag == DT_SONAME) {
      dynamic.name = text;
    } else if (entry.d_tag == DT_RUNPATH || dynamic.search_path.empty()) {
      dynamic.search_path = text;
    }
  }
  return dynamic;
}

std::vector<ElfVersionNeed> ElfFile::VersionNeeds() const {
  const std::vector<Elf64_Dyn> entries = DynamicEntries();
  const std::string strings = DynamicStrings(entries);
  std::vector<ElfVersionNeed> needs;
  uint64_t at = ValueOf(entries, DT_VERNEED);
  const uint64_t files = ValueOf(entries, DT_VERNEEDNUM);
  if (files > kMaxVersions) Damaged("it wants versions of too many libraries");
  uint64_t seen = 0;
  for (uint64_t i = 0; i < files; ++i) {
    const auto need = At<Elf64_Verneed>(at, "a version that it wants");
    uint64_t version_at = at + need.vn_aux;
    for (uint64_t j = 0; j < need.vn_cnt; ++j) {
      const auto version = At<Elf64_Vernaux>(version_at, "a version that it wants");
      if ((version.vna_flags & VER_FLG_WEAK) == 0) {
        needs.push_back({StringAt(strings, need.vn_file), StringAt(strings, version.vna_name)});
      }
      if (++seen > kMaxVersions) Damaged("it wants too many versions");
      if (version.vna_next == 0) break;
      version_at += version.vna_next;
    }
    if (need.vn_next == 0) break;
    at += need.vn_next;
  }
  return needs;
}

std::vector<std::string> ElfFile::VersionDefinitions() const {
  const std::vector<Elf64_Dyn> entries = DynamicEntries();
  const std::string strings = DynamicStrings(entries);
  std::vector<std::string> versions;
  uint64_t at = ValueOf(entries, DT_VERDEF);
  const uint64_t count = ValueOf(entries, DT_VERDEFNUM);
  if (count > kMaxVersions) Damaged("it defines too many versions");
  for (uint64_t i = 0; i < count; ++i) {
    const auto definition = At<Elf64_Verdef>(at, "a version that it defines");
    const auto name = At<Elf64_Verdaux>(at + definition.vd_aux, "a version that it defines");
    versions.push_back(StringAt(strings, name.vda_name));
    if (definition.vd_next == 0) break;
    at += definition.vd_next;
  }
  return versions;
}

std::vector<Elf64_Shdr> ElfFile::Sections() const {
  return ReadTable<Elf64_Shdr>(header_.e_shoff, header_.e_shnum, header_.e_shentsize,
                               "the section headers");
}

std::string ElfFile::Strings(const Elf64_Shdr& section) const {
  if (section.sh_size > kMaxTableBytes || section.sh_size > size_) {
    Damaged("a string table would lie beyond the end of the file");
  }
  std::string names(section.sh_size, '\0');
  Read(section.sh_offset, names.size(), names.data(), "a string table");
  return names;
}

std::string ElfFile::Bytes(uint64_t address, uint64_t count) const {
  for (const Elf64_Phdr& segment : segments_) {
    if (segment.p_type != PT_LOAD || address < segment.p_vaddr ||
        address - segment.p_vaddr >= segment.p_filesz) {
      continue;
    }
    const uint64_t offset = address - segment.p_vaddr;
    std::string bytes(std::min(count, segment.p_filesz - offset), '\0');
    Read(segment.p_offset + offset, bytes.size(), bytes.data(), "a segment");
    return bytes;
  }
  return "";
}

std::vector<uint64_t> ElfFile::Addresses(const std::string& wanted) const {
  const auto sections = Sections();
  if (header_.e_shstrndx >= sections.size()) return {};
  const std::string names = Strings(sections[header_.e_shstrndx]);
  const auto found = std::find_if(sections.begin(), sections.end(), [&](const Elf64_Shdr& section) {
    return section.sh_name < names.size() && names.compare(section.sh_name, wanted.size() + 1,
                                                           wanted.c_str(), wanted.size() + 1) == 0;
  });
  if (found == sections.end() || found->sh_type == SHT_NOBITS) return {};
  auto addresses = ReadTable<uint64_t>(found->sh_offset, found->sh_size / sizeof(uint64_t),
                                       sizeof(uint64_t), "a table of addresses");
  // Where the loader is told an address by a relocation, the section may hold nothing yet.
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_type != SHT_RELA || (section.sh_flags & SHF_ALLOC) == 0) continue;
    for (const Elf64_Rela& entry :
         ReadTable<Elf64_Rela>(section.sh_offset, section.sh_size / sizeof(Elf64_Rela),
                               section.sh_entsize, "the relocations")) {
      const uint64_t at = entry.r_offset - found->sh_addr;
      if (entry.r_offset < found->sh_addr || at % sizeof(uint64_t) != 0 ||
          at / sizeof(uint64_t) >= addresses.size() ||
          ELF64_R_TYPE(entry.r_info) != kRelativeRelocation) {
        continue;
      }
      addresses[at / sizeof(uint64_t)] = static_cast<uint64_t>(entry.r_addend);
    }
  }
  return addresses;
}

std::vector<ElfSymbol> ElfFile::Symbols(uint32_t table) const {
  const auto sections = Sections();
  std::vector<ElfSymbol> symbols;
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_type != table) continue;
    if (section.sh_link >= sections.size()) Damaged("a symbol table names no string table");
    const std::string names = Strings(sections[section.sh_link]);
    const auto entries = ReadTable<Elf64_Sym>(
        section.sh_offset, section.sh_size / sizeof(Elf64_Sym), section.sh_entsize, "the symbols");
    for (const Elf64_Sym& entry : entries) {
      if (entry.st_name >= names.size()) Damaged("a symbol has no name");
      const char* name = names.data() + entry.st_name;
      const std::size_t length = strnlen(name, names.size() - entry.st_name);
      symbols.push_back({std::string(name, length),
                         static_cast<uint8_t>(ELF64_ST_BIND(entry.st_info)),
                         static_cast<uint8_t>(ELF64_ST_TYPE(entry.st_info)),
                         entry.st_shndx != SHN_UNDEF, entry.st_value, entry.st_size});
    }
  }
  return symbols;
}

}  // namespace bascule::toolchain
