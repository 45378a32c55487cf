// A folder that goes with the object that made it.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_TOOLCHAIN_TEMPORARY_FOLDER_H_
#define BASCULE_TOOLCHAIN_TEMPORARY_FOLDER_H_

#include <filesystem>

namespace bascule::toolchain {

class TemporaryFolder {
 public:
  TemporaryFolder();  // throws an Error when no folder can be made
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace bascule::toolchain

#endif  // BASCULE_TOOLCHAIN_TEMPORARY_FOLDER_H_
