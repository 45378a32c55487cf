// Memory of large outputs.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_HOST_HUGE_PAGES_H_
#define BASCULE_HOST_HUGE_PAGES_H_

#include <cstdint>

namespace bascule::host {

// Asks the system for huge pages where an output is about to be written. Mostly a framework has
// just allocated it; then each page is made when the kernel first writes there, and thousands of
// small ones take longer than the kernel itself. Memory that has its pages, or cannot have others,
// stays as it is.
void PreferHugePages(void* begin, uint64_t bytes);

}  // namespace bascule::host

#endif  // BASCULE_HOST_HUGE_PAGES_H_
