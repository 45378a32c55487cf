// Loading code by what is in a file, not by its name. SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_HOST_LOAD_H_
#define BASCULE_HOST_LOAD_H_

#include <cstdint>
#include <string>
#include <utility>

namespace bascule::host {

// The bytes of a file. Throws Error.
std::string ReadFile(const std::string& path);

// Equal for equal bytes.
using ContentHash = std::pair<uint64_t, uint64_t>;
ContentHash HashOf(const std::string& content);

// The handle of the library at `path`, which holds `content`. The dynamic loader goes by name: a
// path it has loaded before would give the old code, so such a file is loaded from a copy. The
// caller sees to it that one content is loaded once. Throws Error with the loader's reason.
void* LoadContent(const std::string& path, const std::string& content);

}  // namespace bascule::host

#endif  // BASCULE_HOST_LOAD_H_
