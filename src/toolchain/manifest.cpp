// SPDX-License-Identifier: Apache-2.0
#include "toolchain/manifest.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "bascule/abi/kernel.h"
#include "bascule/abi/library.h"
#include "base/error.h"
#include "toolchain/cache.h"
#include "toolchain/elf_file.h"
#include "toolchain/version.h"

namespace bascule::toolchain {

using nlohmann::json;

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

void CheckVersions(const std::string& path, const nlohmann::json& manifest) {
  const auto number = [&](const char* name) {
    const auto found = manifest.find(name);
    return found != manifest.end() && found->is_number_integer() ? found->get<int64_t>() : 0;
  };
  if (number("library_abi") <= BASCULE_LIBRARY_ABI_VERSION &&
      number("kernel_abi") <= BASCULE_KERNEL_ABI_VERSION) {
    return;
  }
  const auto maker = manifest.find("bascule");
  throw Error(BASCULE_VERSION_MISMATCH,
              Join("'", path, "' was built with bascule ",
                   maker != manifest.end() && maker->is_string() ? maker->get<std::string>() : "?",
                   ", which is newer than this runtime (", kVersion,
                   "). Install that version, or build the library again."));
}

namespace {

// Collects what does not fit, with the place as a path: operators[0].inputs[1].name.
class Validator {
 public:
  std::vector<std::string> problems;

  // The member, or null after a problem was noted.
  const json* Member(const json& object, const std::string& at, const char* name,
                     json::value_t type) {
    const auto found = object.find(name);
    const std::string where = at.empty() ? name : Join(at, ".", name);
    if (found == object.end()) {
      problems.push_back(Join(where, " is missing"));
      return nullptr;
    }
    const bool fits =
        type == json::value_t::number_integer ? found->is_number_integer() : found->type() == type;
    if (!fits) {
      problems.push_back(
          Join(where, " is ", found->type_name(), ", and has to be ", json(type).type_name()));
      return nullptr;
    }
    return &*found;
  }

  const json* Object(const json& array, std::size_t i, const std::string& at) {
    if (array[i].is_object()) return &array[i];
    problems.push_back(Join(at, "[", i, "] is no object"));
    return nullptr;
  }

  void Texts(const json& object, const std::string& at, const char* name, int64_t columns) {
    const json* list = Member(object, at, name, json::value_t::array);
    if (list == nullptr) return;
    const bool texts =
        std::all_of(list->begin(), list->end(), [](const json& item) { return item.is_string(); });
    if (!texts || (columns >= 0 && list->size() != static_cast<std::size_t>(columns))) {
      problems.push_back(Join(at, ".", name, " has to be a list of ", columns, " texts"));
    }
  }

  void Parameters(const json& op, const std::string& at, const char* name, int64_t columns) {
    const json* list = Member(op, at, name, json::value_t::array);
    for (std::size_t i = 0; list != nullptr && i < list->size(); ++i) {
      const std::string here = Join(at, ".", name);
      const json* parameter = Object(*list, i, here);
      if (parameter == nullptr) continue;
      const std::string inside = Join(here, "[", i, "]");
      Member(*parameter, inside, "name", json::value_t::string);
      Member(*parameter, inside, "kind", json::value_t::string);
      Texts(*parameter, inside, "dtypes", columns);
      Texts(*parameter, inside, "formats", columns);
    }
  }

  // A Python file that came with the operator.
  void File(const json& file, const std::string& at, bool function = true) {
    const json* text = Member(file, at, "text", json::value_t::string);
    const json* hash = Member(file, at, "hash", json::value_t::string);
    if (function) Member(file, at, "function", json::value_t::string);
    if (text == nullptr || hash == nullptr) return;
    if (HashText(text->get_ref<const std::string&>()) != hash->get_ref<const std::string&>()) {
      problems.push_back(Join(at, ".text does not have the hash that ", at, ".hash says"));
    }
  }

  // Outputs that are hidden from callers: the last ones of the operator, and not all.
  void Saved(const json& op, const json& gradient, const std::string& at) {
    if (gradient.contains("recompute")) Member(gradient, at, "recompute", json::value_t::boolean);
    if (!gradient.contains("saved")) return;
    const json* saved = Member(gradient, at, "saved", json::value_t::array);
    const auto outputs = op.find("outputs");
    if (saved == nullptr || outputs == op.end() || !outputs->is_array()) return;
    bool fits = saved->size() < outputs->size();
    for (std::size_t i = 0; fits && i < saved->size(); ++i) {
      const json& output = (*outputs)[outputs->size() - saved->size() + i];
      fits = output.is_object() && output.contains("name") && output["name"] == (*saved)[i];
    }
    if (!fits) problems.push_back(at + ".saved does not name the operator's last outputs");
  }

  void Operator(const json& op, const std::string& at) {
    Member(op, at, "name", json::value_t::string);
    Member(op, at, "type", json::value_t::string);
    const json* columns = Member(op, at, "columns", json::value_t::number_integer);
    const int64_t count = columns != nullptr ? columns->get<int64_t>() : -1;
    Parameters(op, at, "inputs", count);
    Parameters(op, at, "outputs", count);
    const json* attributes = Member(op, at, "attributes", json::value_t::array);
    for (std::size_t i = 0; attributes != nullptr && i < attributes->size(); ++i) {
      const json* attribute = Object(*attributes, i, at + ".attributes");
      if (attribute == nullptr) continue;
      const std::string inside = Join(at, ".attributes[", i, "]");
      Member(*attribute, inside, "name", json::value_t::string);
      Member(*attribute, inside, "kind", json::value_t::string);
      Member(*attribute, inside, "required", json::value_t::boolean);
    }
    Member(op, at, "kernels", json::value_t::array);
    const auto gradient = op.find("gradient");
    if (gradient != op.end() && gradient->is_object()) {
      const json* kind = Member(*gradient, at + ".gradient", "kind", json::value_t::string);
      const bool file = kind != nullptr && (*kind == "python" || gradient->contains("text"));
      if (file) File(*gradient, at + ".gradient", *kind == "python");
      for (const auto& [name, member] : {std::pair("operator", "operator"), {"none", "reason"}}) {
        if (kind == nullptr || *kind != name) continue;
        Member(*gradient, at + ".gradient", member, json::value_t::string);
      }
      Saved(op, *gradient, at + ".gradient");
    } else if (gradient == op.end() || !gradient->is_null()) {
      problems.push_back(at + ".gradient has to be an object or null");
    }
    const auto reference = op.find("reference");
    if (reference == op.end()) return;
    if (reference->is_object()) {
      File(*reference, at + ".reference");
    } else {
      problems.push_back(at + ".reference is no object");
    }
  }
};

}  // namespace

std::vector<std::string> ManifestProblems(const json& manifest) {
  if (!manifest.is_object()) return {"it is no object"};
  Validator validator;
  for (const char* const name : {"manifest", "library_abi", "kernel_abi"}) {
    validator.Member(manifest, "", name, json::value_t::number_integer);
  }
  for (const char* const name : {"bascule", "source_hash"}) {
    validator.Member(manifest, "", name, json::value_t::string);
  }
  const json* operators = validator.Member(manifest, "", "operators", json::value_t::array);
  for (std::size_t i = 0; operators != nullptr && i < operators->size(); ++i) {
    const json* op = validator.Object(*operators, i, "operators");
    if (op != nullptr) validator.Operator(*op, Join("operators[", i, "]"));
  }
  return std::move(validator.problems);
}

std::string NoteSource(const std::string& content, uint32_t type) {
  // %note: `@` begins a comment in the assembler of some processors.
  std::string text = "  .section " BASCULE_NOTE_SECTION
                     ", \"a\", %note\n"
                     "  .balign 4\n"
                     "  .long 2f - 1f\n"
                     "  .long 4f - 3f\n"
                     "  .long ";
  text += std::to_string(type);
  text +=
      "\n"
      "1: .asciz \"" BASCULE_NOTE_OWNER
      "\"\n"
      "2: .balign 4\n"
      "3:\n";
  constexpr std::size_t kBytesPerLine = 32;
  for (std::size_t i = 0; i < content.size(); ++i) {
    text += i % kBytesPerLine == 0 ? (i == 0 ? "  .byte " : "\n  .byte ") : ",";
    text += std::to_string(static_cast<unsigned char>(content[i]));
  }
  return text + "\n4: .balign 4\n  .section .note.GNU-stack, \"\", %progbits\n";
}

}  // namespace bascule::toolchain
