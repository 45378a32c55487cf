// SPDX-License-Identifier: Apache-2.0
#include "toolchain/temporary_folder.h"

#include <stdlib.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>

#include "base/error.h"

namespace bascule::toolchain {

TemporaryFolder::TemporaryFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "bascule-XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) {
    throw Error(BASCULE_BUILD_ERROR,
                Join("no temporary folder could be made as ", name, ": ", std::strerror(errno)));
  }
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

}  // namespace bascule::toolchain
