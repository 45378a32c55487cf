// Warnings: what is legal, and surely not meant. Said on standard error, once for each line of
// source. SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_BASE_WARNING_H_
#define BASCULE_BASE_WARNING_H_

#include <cstdint>
#include <string>

namespace bascule {

// Prints "bascule: warning: <sentence>", unless the process has said something about this topic and
// place before. `file` may be null: the topic alone counts then. After many warnings it says that
// it falls silent, so that a long-lived process cannot flood its log. Thread-safe.
void WarnOnce(const char* topic, const char* file, uint32_t line, const std::string& sentence);

}  // namespace bascule

#endif  // BASCULE_BASE_WARNING_H_
