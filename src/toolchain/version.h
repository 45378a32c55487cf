// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_TOOLCHAIN_VERSION_H_
#define BASCULE_TOOLCHAIN_VERSION_H_

namespace bascule::toolchain {

constexpr const char* kVersion = BASCULE_VERSION;  // from the build system

}  // namespace bascule::toolchain

#endif  // BASCULE_TOOLCHAIN_VERSION_H_
