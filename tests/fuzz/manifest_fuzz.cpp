// The manifest reader: any text in the place of the note.
// SPDX-License-Identifier: Apache-2.0
#include <elf.h>
#include <sys/mman.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "tests/fuzz/fuzz.h"
#include "toolchain/doctor.h"
#include "toolchain/elf_file.h"
#include "toolchain/manifest.h"

namespace bascule::fuzz {

std::vector<std::string> Seeds() {
  return {R"({"manifest":1,"bascule":"0.1.0","library_abi":1,"kernel_abi":1,"source_hash":"0",)"
          R"("operators":[{"name":"my_mul","type":"MyMul","inputs":[{"name":"x","kind":"required",)"
          R"("dtypes":["float16","float32"],"formats":["ND","ND"]}],"outputs":[{"name":"out",)"
          R"("kind":"required","dtypes":["float16","float32"],"formats":["ND","ND"]}],)"
          R"("attributes":[{"name":"a","kind":"float","required":false,"default":"inf"}],)"
          R"("socs":["ascend910b"],"infer_shape":true,"infer_dtype":true,"columns":2,)"
          R"("kernels":[{"column":0,"core":"AIV"}],"gradient":{"kind":"python","file":"g.py",)"
          R"("function":"f","text":"x","hash":"y"},"reference":{"kind":"python","file":"r.py",)"
          R"("function":"f","text":"x","hash":"y"}}]})",
          R"({"manifest":1,"operators":[{"gradient":{"kind":"operator","operator":"b"}}]})",
          R"({"manifest":2,"bascule":"9.9.9","operators":[]})"};
}

// A file of a header, one segment with the note, and nothing else.
std::string LibraryWith(const std::string& manifest) {
  Elf64_Nhdr note = {8, static_cast<Elf64_Word>(manifest.size()), 1};
  std::string bytes(reinterpret_cast<const char*>(&note), sizeof(note));
  bytes += std::string("bascule\0", 8) + manifest;
  bytes.resize((bytes.size() + 3) / 4 * 4);
  Elf64_Ehdr header = {};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_type = ET_DYN;
#if defined(__x86_64__)
  header.e_machine = EM_X86_64;
#else
  header.e_machine = EM_AARCH64;
#endif
  header.e_phoff = sizeof(header);
  header.e_phentsize = sizeof(Elf64_Phdr);
  header.e_phnum = 1;
  Elf64_Phdr segment = {};
  segment.p_type = PT_NOTE;
  segment.p_offset = sizeof(header) + sizeof(segment);
  segment.p_filesz = bytes.size();
  segment.p_align = 4;
  return std::string(reinterpret_cast<const char*>(&header), sizeof(header)) +
         std::string(reinterpret_cast<const char*>(&segment), sizeof(segment)) + bytes;
}

}  // namespace bascule::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace bascule;
  using namespace bascule::fuzz;
  const std::string manifest(reinterpret_cast<const char*>(data), size);
  const std::string library = LibraryWith(manifest);
  static const int fd = memfd_create("fuzz", MFD_CLOEXEC);
  static const std::string path = "/proc/self/fd/" + std::to_string(fd);
  if (ftruncate(fd, 0) != 0 ||
      pwrite(fd, library.data(), library.size(), 0) != static_cast<ssize_t>(library.size())) {
    return 0;
  }
  try {
    const auto found = toolchain::ElfFile(path).FindNote("bascule", 1);
    if (found != manifest) Found("the note's text is not the one that was written");
    const nlohmann::json read = toolchain::ReadManifest(path);
    for (const std::string& problem : toolchain::ManifestProblems(read)) CheckSentence(problem);
    toolchain::CheckVersions(path, read);
    ++passed;
  } catch (const Error& error) {
    CheckSentence(error.what());
  }
  // Any JSON, also what ReadManifest would not give.
  toolchain::ManifestProblems(nlohmann::json::parse(manifest, nullptr, false));
  const auto report = toolchain::ExamineLibrary(path, "");
  for (const auto& check : report.at("checks")) CheckSentence(check.at("check").dump() + "      ");
  return 0;
}
