// Where operator packages are installed, as the toolkit's documentation says ("run-time loading").
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_TOOLCHAIN_INSTALLED_PACKAGES_H_
#define BASCULE_TOOLCHAIN_INSTALLED_PACKAGES_H_

#include <filesystem>
#include <string>
#include <vector>

namespace bascule::toolchain {

// The libraries of packages that may be installed, the first to look at first: those of the
// absolute entries of ASCEND_CUSTOM_OPP_PATH, then those of ASCEND_OPP_PATH/vendors in the order of
// its config.ini. Not every one is there.
std::vector<std::filesystem::path> InstalledLibraries();

// Why a library that is there must not be loaded, which runs it; "": it may. Everybody could have
// put it there.
std::string WhyNotTrusted(const std::filesystem::path& library);

}  // namespace bascule::toolchain

#endif  // BASCULE_TOOLCHAIN_INSTALLED_PACKAGES_H_
