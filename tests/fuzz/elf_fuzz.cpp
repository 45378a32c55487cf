// The ELF reader, and all that reads libraries through it: kernel symbols, dependencies, the
// doctor. SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "tests/fuzz/fuzz.h"
#include "toolchain/dependencies.h"
#include "toolchain/doctor.h"
#include "toolchain/elf_file.h"
#include "toolchain/kernel_symbols.h"
#include "toolchain/manifest.h"

namespace bascule::fuzz {

namespace fs = std::filesystem;
using namespace toolchain;

std::vector<std::string> Seeds() {
  std::vector<std::string> seeds;
  for (const char* const path : {BASCULE_FUZZ_LIBRARY, BASCULE_FUZZ_STRANGER}) {
    std::ifstream file(path, std::ios::binary);
    seeds.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    if (seeds.back().empty()) Found(std::string(path) + " cannot be read");
    // Headers and tables matter most: a copy of them alone is hit more often.
    seeds.push_back(seeds.back().substr(0, 4096));
  }
  return seeds;
}

template <typename Body>
void Tolerate(Body body) {
  try {
    body();
  } catch (const Error& error) {
    CheckSentence(error.what());
  }
}

}  // namespace bascule::fuzz

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace bascule::fuzz;
  static const int fd = memfd_create("fuzz", MFD_CLOEXEC);
  static const fs::path path = "/proc/self/fd/" + std::to_string(fd);
  static unsigned calls = 0;
  if (ftruncate(fd, 0) != 0 || pwrite(fd, data, size, 0) != static_cast<ssize_t>(size)) return 0;

  Tolerate([&] {
    const ElfFile file(path);
    Tolerate([&] { file.FindNote("bascule", 1); });
    Tolerate([&] { file.Dynamic(); });
    Tolerate([&] { file.VersionNeeds(); });
    Tolerate([&] { file.VersionDefinitions(); });
    Tolerate([&] { file.Symbols(SHT_DYNSYM); });
    Tolerate([&] { file.Symbols(SHT_SYMTAB); });
    Tolerate([&] {
      ReadKernelSymbols(file);
      ++passed;
    });
  });
  Tolerate([&] { ManifestProblems(ReadManifest(path)); });
  // The loader's cache as a file of anything.
  CachedPaths("libc.so.6", path);
  constexpr unsigned kOften = 50;  // looking for dependencies takes milliseconds
  if (calls++ % kOften == 0) {
    const auto report = ExamineLibrary(path.string(), "my_mul");
    for (const auto& check : report.at("checks")) {
      if (check.at("status") != "ok") CheckSentence(check.at("text").get<std::string>());
    }
  }
  return 0;
}
