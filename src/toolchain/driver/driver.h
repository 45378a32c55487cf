// bascule-ascc: compiles Ascend C sources, kernels and host code in one file, with the host's C++
// compiler. Each source is preprocessed as far as its directives go, its launches are rewritten,
// and the result is compiled under the names, lines and columns of the user's files.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_TOOLCHAIN_DRIVER_DRIVER_H_
#define BASCULE_TOOLCHAIN_DRIVER_DRIVER_H_

#include <string>
#include <vector>

namespace bascule::toolchain {

// The exit code of the whole: the first failed step's, or 0. Says what it has to say on standard
// error. Throws nothing.
int Drive(const std::vector<std::string>& arguments);

}  // namespace bascule::toolchain

#endif  // BASCULE_TOOLCHAIN_DRIVER_DRIVER_H_
