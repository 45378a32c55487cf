// The manifest: what a library says about itself, in an ELF note (docs/manifest.md).
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_TOOLCHAIN_MANIFEST_H_
#define BASCULE_TOOLCHAIN_MANIFEST_H_

#include <filesystem>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

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

// Assembler source of the note that holds `manifest`.
std::string NoteSource(const std::string& manifest);

}  // namespace bascule::toolchain

#endif  // BASCULE_TOOLCHAIN_MANIFEST_H_
