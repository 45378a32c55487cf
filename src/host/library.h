// Operator libraries in this process.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_HOST_LIBRARY_H_
#define BASCULE_HOST_LIBRARY_H_

#include <memory>
#include <string>
#include <vector>

#include "bascule/abi/library.h"
#include "registry/plan_cache.h"

namespace bascule::host {

// What the process keeps of one operator. Lives as long as the process.
struct Operator {
  const BasculeOperatorEntry* entry = nullptr;
  std::string schema;  // its entry of the manifest, as JSON
  registry::PlanCache plans;
};

class Library {
 public:
  // Opens the file, or returns the library that was opened from the same content. Throws Error.
  static Library& Open(const std::string& path);
  // The library behind a table that arrived without Open: one that a framework loaded by itself.
  static Library& FromTable(const BasculeLibraryTable& table);

  const std::string& path() const { return path_; }
  const std::string& manifest() const { return manifest_; }
  const std::vector<std::unique_ptr<Operator>>& operators() const { return operators_; }
  // Throws Error, which lists what is there.
  Operator& Find(const std::string& name) const;

 private:
  Library() = default;
  void Adopt(const BasculeLibraryTable& table);

  std::string path_;
  std::string manifest_;
  const BasculeLibraryTable* table_ = nullptr;
  std::vector<std::unique_ptr<Operator>> operators_;
};

}  // namespace bascule::host

#endif  // BASCULE_HOST_LIBRARY_H_
