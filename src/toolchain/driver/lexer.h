// The tokens of a C++ text, as far as finding launches needs them: names, literals, punctuation,
// and which bracket belongs to which. SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_TOOLCHAIN_DRIVER_LEXER_H_
#define BASCULE_TOOLCHAIN_DRIVER_LEXER_H_

#include <cstdint>
#include <string_view>
#include <vector>

namespace bascule::toolchain {

enum class TokenKind : uint8_t { kName, kNumber, kLiteral, kPunctuation };

// Punctuation is one character, but for `->`, `::`, `##` and what ends in `=`.
struct Token {
  uint32_t begin;
  uint32_t length;
  TokenKind kind;
};

constexpr uint32_t kNoToken = UINT32_MAX;

// A run of tokens that belong together: the program's text without its directives, or the
// replacement list of one macro.
struct TokenRun {
  std::vector<Token> tokens;
  std::vector<uint32_t> partner;  // of each (, [, { and its end; kNoToken for all others
  bool in_macro = false;
};

// One run for the text, then one for every #define that has a replacement list. Text that is no
// C++ (an apostrophe in a skipped part) costs the rest of its line.
std::vector<TokenRun> Tokenize(std::string_view text);

}  // namespace bascule::toolchain

#endif  // BASCULE_TOOLCHAIN_DRIVER_LEXER_H_
