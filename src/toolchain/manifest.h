// The manifest: what a library says about itself, in an ELF note (docs/manifest.md).
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_TOOLCHAIN_MANIFEST_H_
#define BASCULE_TOOLCHAIN_MANIFEST_H_

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "bascule/abi/library.h"

namespace bascule::toolchain {

constexpr int kManifestVersion = 1;

// The manifest of the library at `path`, read without loading it. Throws an Error with a sentence
// that names the file: NOT_FOUND, BAD_LIBRARY (no ELF file, another machine, no manifest, damaged)
// or VERSION_MISMATCH (a manifest of a later version).
nlohmann::json ReadManifest(const std::filesystem::path& path);

// Throws VERSION_MISMATCH when the library with this manifest was built for a later runtime.
void CheckVersions(const std::string& path, const nlohmann::json& manifest);

// What does not fit docs/manifest.md, a sentence each, whatever `manifest` is; empty: all of it
// does. Texts of Python files are held against their hashes.
std::vector<std::string> ManifestProblems(const nlohmann::json& manifest);

// The type of the note that holds plans that were made when the library was built (docs/build.md).
constexpr uint32_t kPlansNote = 3;

// Assembler source of the note of this type that holds `content`.
std::string NoteSource(const std::string& content, uint32_t type = BASCULE_NOTE_MANIFEST);

}  // namespace bascule::toolchain

#endif  // BASCULE_TOOLCHAIN_MANIFEST_H_
