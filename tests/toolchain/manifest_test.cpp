// Reading manifests from files that cannot be trusted.
// SPDX-License-Identifier: Apache-2.0
#include "toolchain/manifest.h"

#include <elf.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <random>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/toolchain/support.h"
#include "toolchain/process.h"

namespace bascule::toolchain {
namespace {

namespace fs = std::filesystem;

constexpr const char* kManifest =
    R"({"manifest":1,"bascule":"0.1.0","operators":[{"name":"my_mul","gradient":"\u00e9"}]})";

class ManifestTest : public testing::Test {
 protected:
  // A shared library of nothing but the note.
  void MakeLibrary(const std::string& note_source) {
    Write(folder_ / "note.s", note_source);
    const ProcessResult result = RunProgram({"g++", "-shared", "-nostdlib", "-Wl,--build-id", "-o",
                                             library_.string(), (folder_ / "note.s").string()},
                                            folder_ / "log");
    ASSERT_TRUE(result.ok()) << result.output;
  }

  void SetUp() override { MakeLibrary(NoteSource(kManifest)); }

  void Patch(std::size_t offset, const std::string& bytes) {
    std::string text = Read(library_);
    text.replace(offset, bytes.size(), bytes);
    Write(library_, text);
  }

  std::string Refusal() {
    return ErrorOf([&] { ReadManifest(library_); });
  }

  const TemporaryFolder folder_;
  const fs::path library_ = folder_ / "libx.so";
  const std::string name_ = library_.string();
};

TEST_F(ManifestTest, ReadsWhatTheBuildWrote) {
  const nlohmann::json manifest = ReadManifest(library_);
  EXPECT_EQ(manifest["operators"][0]["name"], "my_mul");
  EXPECT_EQ(manifest["operators"][0]["gradient"], "\u00e9");
}

TEST_F(ManifestTest, ReadsManifestsOfEveryLengthModuloTheAlignment) {
  for (int i = 0; i < 9; ++i) {
    MakeLibrary(NoteSource(R"({"manifest":1,"operators":[],"x":")" + std::string(i, 'y') + "\"}"));
    EXPECT_EQ(ReadManifest(library_)["x"], std::string(i, 'y'));
  }
}

TEST_F(ManifestTest, SaysWhatAFileIsThatIsNoLibrary) {
  const fs::path missing = folder_ / "missing.so";
  EXPECT_EQ(ErrorOf([&] { ReadManifest(missing); }),
            missing.string() + " cannot be read: No such file or directory");
  EXPECT_EQ(ErrorOf([&] { ReadManifest(folder_.path()); }),
            folder_.path().string() + " is not a regular file");
  Write(library_, "");
  EXPECT_EQ(Refusal(), name_ + " is not an ELF file");
  Write(library_, "a text that is longer than an ELF header's first sixteen bytes");
  EXPECT_EQ(Refusal(), name_ + " is not an ELF file");
}

TEST_F(ManifestTest, SaysWhichMachineAFileIsFor) {
  Patch(EI_CLASS, std::string(1, ELFCLASS32));
  EXPECT_EQ(Refusal(), name_ + " is not a 64-bit ELF file; this process is 64-bit");
  Patch(EI_CLASS, std::string(1, ELFCLASS64));
  Patch(EI_DATA, std::string(1, ELFDATA2MSB));
  EXPECT_EQ(Refusal(), name_ + " is made for a processor of the other byte order");
  Patch(EI_DATA, std::string(1, ELFDATA2LSB));
  Patch(offsetof(Elf64_Ehdr, e_machine), std::string("\xf7\x00", 2));  // EM_BPF
  EXPECT_TRUE(
      Refusal().starts_with(name_ + " is made for machine number 247; this process runs on"))
      << Refusal();
}

TEST_F(ManifestTest, SaysThatALibraryIsNoOperatorLibrary) {
  // As compilers and the C library leave notes, with an alignment of 8.
  const std::string properties =
      "  .section .note.gnu.property, \"a\", %note\n  .balign 8\n  .long 4, 16, 5\n"
      "  .asciz \"GNU\"\n  .long 0xc0000002, 4, 3, 0\n";
  for (const std::string& other : {std::string("  .text\n"), properties}) {
    MakeLibrary(other);
    EXPECT_EQ(Refusal(), name_ +
                             " holds no manifest, so it is not an operator library; make one with "
                             "`bascule build PROJECT`")
        << other;
  }
  MakeLibrary(properties + NoteSource(R"({"manifest":1,"bascule":"0.1.0","operators":[]})"));
  EXPECT_EQ(Refusal(), "");
}

TEST_F(ManifestTest, SaysThatALibraryIsNewer) {
  MakeLibrary(NoteSource(R"({"manifest":2,"bascule":"7.1.0","operators":[]})"));
  EXPECT_EQ(Refusal(),
            name_ +
                " was built by bascule 7.1.0, which is newer than this one; update bascule, or "
                "build the library again");
}

TEST_F(ManifestTest, SaysThatAManifestIsDamaged) {
  for (const char* text :
       {"", "{", "[]", "{}", R"({"manifest":"1"})", R"({"manifest":1})",
        R"({"manifest":1,"operators":{}})", "{\"manifest\":1,\"operators\":[],\"\xff\":1}"}) {
    MakeLibrary(NoteSource(text));
    EXPECT_EQ(Refusal(), name_ + " is damaged: its manifest cannot be read") << text;
  }
}

TEST_F(ManifestTest, TruncatedAnywhereIsASentence) {
  const auto full = fs::file_size(library_);
  const auto segments_end = [&] {
    const std::string text = Read(library_);
    Elf64_Ehdr header;
    std::memcpy(&header, text.data(), sizeof(header));
    uint64_t end = 0;
    for (int i = 0; i < header.e_phnum; ++i) {
      Elf64_Phdr segment;
      std::memcpy(&segment, text.data() + header.e_phoff + i * sizeof(segment), sizeof(segment));
      if (segment.p_type == PT_LOAD) end = std::max(end, segment.p_offset + segment.p_filesz);
    }
    return end;
  }();
  ASSERT_GT(segments_end, 100u);
  for (uint64_t length = full; length-- > 0;) {
    ASSERT_EQ(truncate(library_.c_str(), static_cast<off_t>(length)), 0);
    // Symbols and section headers at the end do not matter to whom loads the library.
    if (length >= segments_end) {
      ASSERT_EQ(Refusal(), "") << length;
    } else {
      ASSERT_TRUE(Refusal().starts_with(name_ + " is ")) << length << ": " << Refusal();
    }
  }
}

// Every bit of the headers and notes, and bytes anywhere, with a fixed seed.
TEST_F(ManifestTest, FlippedBitsNeverCrash) {
  const std::string good = Read(library_);
  const int fd = open(library_.c_str(), O_RDWR);
  ASSERT_GE(fd, 0);
  const auto put = [&](std::size_t at, char byte) {
    ASSERT_EQ(pwrite(fd, &byte, 1, static_cast<off_t>(at)), 1);
  };
  const auto check = [&](const std::string& what) {
    try {
      ReadManifest(library_);
    } catch (const Error& error) {
      ASSERT_TRUE(std::string(error.what()).starts_with(name_)) << what << ": " << error.what();
    }
  };
  const std::size_t headers = std::min<std::size_t>(good.size(), 1024);
  for (std::size_t i = 0; i < headers; ++i) {
    for (int bit = 0; bit < 8; ++bit) {
      put(i, static_cast<char>(good[i] ^ (1 << bit)));
      check(Join("byte ", i, " bit ", bit));
    }
    put(i, good[i]);
  }
  std::mt19937 random(1);
  for (int round = 0; round < 3000; ++round) {
    std::vector<std::size_t> places(1 + random() % 8);
    for (std::size_t& place : places) {
      place = random() % (random() % 2 == 0 ? headers : good.size());
      put(place, static_cast<char>(random() % 3 == 0 ? 0xff : random()));
    }
    check(Join("round ", round));
    for (std::size_t place : places) put(place, good[place]);
  }
  close(fd);
}

}  // namespace
}  // namespace bascule::toolchain
