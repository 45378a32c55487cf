// SPDX-License-Identifier: Apache-2.0
#include "toolchain/driver/lexer.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <string>
#include <utility>

namespace bascule::toolchain {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }
bool IsNameStart(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' ||
         static_cast<unsigned char>(c) >= 0x80;
}
bool IsName(char c) { return IsNameStart(c) || IsDigit(c); }

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text), runs_(1) {}

  std::vector<TokenRun> Run() {
    while (at_ < text_.size()) Step(runs_.front());
    for (TokenRun& run : runs_) FindPartners(run);
    return std::move(runs_);
  }

 private:
  char Peek(size_t ahead = 0) const {
    return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0';
  }
  // A backslash at the end of a line, which joins it with the next.
  size_t SpliceLength() const {
    if (Peek() != '\\') return 0;
    if (Peek(1) == '\n') return 2;
    return Peek(1) == '\r' && Peek(2) == '\n' ? 3 : 0;
  }
  void Emit(TokenRun& run, size_t begin, TokenKind kind) {
    run.tokens.push_back({static_cast<uint32_t>(begin), static_cast<uint32_t>(at_ - begin), kind});
  }

  // Takes one token, comment, blank or directive.
  void Step(TokenRun& run) {
    const char c = Peek();
    if (c == '\n') {
      ++at_;
      line_start_ = true;
    } else if (std::isspace(static_cast<unsigned char>(c)) != 0) {
      ++at_;
    } else if (const size_t splice = SpliceLength(); splice != 0) {
      at_ += splice;
    } else if (c == '/' && Peek(1) == '/') {
      SkipLineComment();
    } else if (c == '/' && Peek(1) == '*') {
      SkipBlockComment();
    } else if (line_start_ && (c == '#' || (c == '%' && Peek(1) == ':')) && !in_directive_) {
      if (!SkipSystemHeader()) Directive();
    } else {
      line_start_ = false;
      TakeToken(run);
    }
  }

  void SkipLineComment() {
    while (at_ < text_.size() && Peek() != '\n') {
      const size_t splice = SpliceLength();
      at_ += splice != 0 ? splice : 1;
    }
  }
  void SkipBlockComment() {
    const size_t end = text_.find("*/", at_ + 2);
    at_ = end == std::string_view::npos ? text_.size() : end + 2;
  }

  // `# 12 "file" 1 3`: the 3 says that what follows is a system header.
  static bool IsMarker(std::string_view line, bool* system) {
    if (line.size() < 3 || line[0] != '#' || line[1] != ' ' || !IsDigit(line[2])) return false;
    const size_t quote = line.rfind('"');
    *system = quote != std::string_view::npos && line.find(" 3", quote) != std::string_view::npos;
    return true;
  }
  std::string_view Line(size_t begin) const {
    return text_.substr(begin, std::min(text_.find('\n', begin), text_.size()) - begin);
  }

  // Most of a text is system headers, and most of those have nothing for us: from one marker to the
  // next, which nothing reaches across.
  bool SkipSystemHeader() {
    bool system = false;
    if (!IsMarker(Line(at_), &system) || !system) return false;
    size_t end = at_;
    do {
      end = text_.find("\n# ", end);
      end = end == std::string_view::npos ? text_.size() : end + 1;
    } while (end != text_.size() && !IsMarker(Line(end), &system));
    const std::string_view part = text_.substr(at_, end - at_);
    if (part.find("<<<") != std::string_view::npos ||
        part.find("__global__") != std::string_view::npos) {
      return false;
    }
    at_ = end;
    return true;
  }

  // Only the replacement list of a #define can hold a launch.
  void Directive() {
    in_directive_ = true;
    line_start_ = false;
    at_ += Peek() == '#' ? 1 : 2;
    TokenRun run;
    run.in_macro = true;
    while (at_ < text_.size() && Peek() != '\n') Step(run);
    in_directive_ = false;
    if (run.tokens.size() < 3 || Text(run.tokens[0]) != "define") return;
    size_t body = 2;
    const Token& name = run.tokens[1];
    const bool has_parameters =
        Text(run.tokens[2]) == "(" && run.tokens[2].begin == name.begin + name.length;
    if (has_parameters) {
      while (body < run.tokens.size() && Text(run.tokens[body]) != ")") ++body;
      ++body;
    }
    if (body >= run.tokens.size()) return;
    run.tokens.erase(run.tokens.begin(), run.tokens.begin() + static_cast<ptrdiff_t>(body));
    runs_.push_back(std::move(run));
  }

  std::string_view Text(const Token& token) const {
    return text_.substr(token.begin, token.length);
  }

  void TakeToken(TokenRun& run) {
    const size_t begin = at_;
    const char c = Peek();
    if (IsNameStart(c)) {
      while (IsName(Peek())) ++at_;
      const std::string_view name = text_.substr(begin, at_ - begin);
      if (Peek() == '"' &&
          (name == "R" || name == "u8R" || name == "uR" || name == "UR" || name == "LR")) {
        SkipRawString();
        Emit(run, begin, TokenKind::kLiteral);
      } else if ((Peek() == '"' || Peek() == '\'') &&
                 (name == "u8" || name == "u" || name == "U" || name == "L")) {
        SkipQuoted();
        Emit(run, begin, TokenKind::kLiteral);
      } else {
        Emit(run, begin, TokenKind::kName);
      }
    } else if (IsDigit(c) || (c == '.' && IsDigit(Peek(1)))) {
      SkipNumber();
      Emit(run, begin, TokenKind::kNumber);
    } else if (c == '"' || c == '\'') {
      SkipQuoted();
      Emit(run, begin, TokenKind::kLiteral);
    } else {
      const char next = Peek(1);
      const bool two =
          (c == '-' && next == '>') || (c == ':' && next == ':') || (c == '#' && next == '#') ||
          (next == '=' && std::string_view("<>=!+-*/%&|^").find(c) != std::string_view::npos);
      at_ += two ? 2 : 1;
      Emit(run, begin, TokenKind::kPunctuation);
    }
  }

  void SkipNumber() {
    while (at_ < text_.size()) {
      const char c = Peek();
      const bool exponent = c == 'e' || c == 'E' || c == 'p' || c == 'P';
      if (exponent && (Peek(1) == '+' || Peek(1) == '-')) {
        at_ += 2;
      } else if (c == '\'' && std::isalnum(static_cast<unsigned char>(Peek(1))) != 0) {
        at_ += 2;
      } else if (IsName(c) || c == '.') {
        ++at_;
      } else {
        return;
      }
    }
  }

  void SkipQuoted() {
    const char quote = Peek();
    ++at_;
    while (at_ < text_.size() && Peek() != '\n') {
      const char c = Peek();
      if (const size_t splice = SpliceLength(); splice != 0) {
        at_ += splice;
      } else if (c == '\\') {
        at_ += 2;
      } else {
        ++at_;
        if (c == quote) return;
      }
    }
  }

  void SkipRawString() {
    const size_t open = text_.find('(', at_);
    if (open == std::string_view::npos) {
      at_ = text_.size();
      return;
    }
    std::string end = ")";
    end.append(text_.substr(at_ + 1, open - at_ - 1));
    end += '"';
    const size_t close = text_.find(end, open);
    at_ = close == std::string_view::npos ? text_.size() : close + end.size();
  }

  void FindPartners(TokenRun& run) const {
    run.partner.assign(run.tokens.size(), kNoToken);
    std::vector<uint32_t> open;
    for (uint32_t i = 0; i < run.tokens.size(); ++i) {
      const Token& token = run.tokens[i];
      if (token.kind != TokenKind::kPunctuation || token.length != 1) continue;
      const char c = text_[token.begin];
      if (c == '(' || c == '[' || c == '{') {
        open.push_back(i);
      } else if (c == ')' || c == ']' || c == '}') {
        const char wanted = c == ')' ? '(' : c == ']' ? '[' : '{';
        // Brackets that conditional text left open are dropped at the next that fits.
        size_t depth = open.size();
        while (depth != 0 && text_[run.tokens[open[depth - 1]].begin] != wanted) --depth;
        if (depth == 0) continue;
        run.partner[i] = open[depth - 1];
        run.partner[open[depth - 1]] = i;
        open.resize(depth - 1);
      }
    }
  }

  std::string_view text_;
  std::vector<TokenRun> runs_;
  size_t at_ = 0;
  bool line_start_ = true;
  bool in_directive_ = false;
};

}  // namespace

std::vector<TokenRun> Tokenize(std::string_view text) { return Lexer(text).Run(); }

}  // namespace bascule::toolchain
