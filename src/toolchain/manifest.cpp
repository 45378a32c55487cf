// SPDX-License-Identifier: Apache-2.0
#include "toolchain/manifest.h"

#include <nlohmann/json.hpp>

#include "bascule/abi/library.h"
#include "base/error.h"
#include "toolchain/elf_file.h"

namespace bascule::toolchain {

nlohmann::json ReadManifest(const std::filesystem::path& path) {
  const ElfFile file(path);
  const auto note = file.FindNote(BASCULE_NOTE_OWNER, BASCULE_NOTE_MANIFEST);
  if (!note) {
    throw Error(BASCULE_BAD_LIBRARY,
                Join(path.string(),
                     " holds no manifest, so it is not an operator library; make one with "
                     "`bascule build PROJECT`"));
  }
  const auto damaged = [&] {
    return Error(BASCULE_BAD_LIBRARY,
                 Join(path.string(), " is damaged: its manifest cannot be read"));
  };
  nlohmann::json manifest = nlohmann::json::parse(*note, nullptr, /*allow_exceptions=*/false);
  if (manifest.is_discarded() || !manifest.is_object()) throw damaged();
  const auto version = manifest.find("manifest");
  if (version == manifest.end() || !version->is_number_integer()) throw damaged();
  if (version->get<int64_t>() > kManifestVersion) {
    const auto maker = manifest.find("bascule");
    throw Error(
        BASCULE_VERSION_MISMATCH,
        Join(path.string(), " was built by bascule ",
             maker != manifest.end() && maker->is_string() ? maker->get<std::string>() : "?",
             ", which is newer than this one; update bascule, or build the library again"));
  }
  const auto operators = manifest.find("operators");
  if (operators == manifest.end() || !operators->is_array()) throw damaged();
  return manifest;
}

std::string NoteSource(const std::string& manifest) {
  // %note: `@` begins a comment in the assembler of some processors.
  std::string text = "  .section " BASCULE_NOTE_SECTION
                     ", \"a\", %note\n"
                     "  .balign 4\n"
                     "  .long 2f - 1f\n"
                     "  .long 4f - 3f\n"
                     "  .long 1\n"
                     "1: .asciz \"" BASCULE_NOTE_OWNER
                     "\"\n"
                     "2: .balign 4\n"
                     "3:\n";
  static_assert(BASCULE_NOTE_MANIFEST == 1, "the type above");
  constexpr std::size_t kBytesPerLine = 32;
  for (std::size_t i = 0; i < manifest.size(); ++i) {
    text += i % kBytesPerLine == 0 ? (i == 0 ? "  .byte " : "\n  .byte ") : ",";
    text += std::to_string(static_cast<unsigned char>(manifest[i]));
  }
  return text + "\n4: .balign 4\n  .section .note.GNU-stack, \"\", %progbits\n";
}

}  // namespace bascule::toolchain
