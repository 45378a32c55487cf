// SPDX-License-Identifier: Apache-2.0
#include "toolchain/driver/rewrite.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/error.h"
#include "toolchain/driver/kernels.h"
#include "toolchain/driver/lexer.h"

namespace bascule::toolchain {
namespace {

constexpr std::string_view kKernel = "__global__";
constexpr std::string_view kCoreType = "g_coreType";

// Replaces `erased` characters at `at`.
struct Edit {
  size_t at;
  size_t erased;
  std::string text;
};

// What the line markers say of a position.
SourcePlace PlaceOf(std::string_view text, size_t position, std::string_view file) {
  SourcePlace place;
  place.file = file;
  place.line = 1;
  size_t line_begin = 0;
  while (true) {
    const size_t line_end = std::min(text.find('\n', line_begin), text.size());
    if (position <= line_end) break;
    const std::string_view line = text.substr(line_begin, line_end - line_begin);
    line_begin = line_end + 1;
    ++place.line;
    // # 12 "file" 3
    size_t at = 0;
    if (line.empty() || line[0] != '#') continue;
    at = line.find_first_not_of(' ', 1);
    if (at != std::string_view::npos && line.substr(at, 5) == "line ") at += 5;
    if (at == std::string_view::npos || line[at] < '0' || line[at] > '9') continue;
    uint32_t number = 0;
    while (at < line.size() && line[at] >= '0' && line[at] <= '9') {
      number = number * 10 + static_cast<uint32_t>(line[at++] - '0');
    }
    place.line = number;
    const size_t quote = line.find('"', at);
    if (quote == std::string_view::npos) continue;
    place.file.clear();
    for (size_t i = quote + 1; i < line.size() && line[i] != '"'; ++i) {
      if (line[i] == '\\' && i + 1 < line.size()) ++i;
      place.file += line[i];
    }
  }
  place.column = static_cast<uint32_t>(position - line_begin + 1);
  return place;
}

std::string Quoted(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

// How many template arguments of a kernel have no default, and the words that say which cores it is
// for: fewer arguments than that in a launch have to be deduced.
struct KernelTemplate {
  uint32_t required = 0;
  std::string_view cores;
};

std::map<std::string_view, KernelTemplate> KernelTemplates(std::string_view text,
                                                           const TokenRun& run) {
  std::map<std::string_view, KernelTemplate> templates;
  for (const DeclaredKernel& kernel : FindKernels(text, run)) {
    if (!kernel.is_template) continue;
    const auto [at, is_new] =
        templates.emplace(kernel.name, KernelTemplate{kernel.required, kernel.cores});
    if (is_new) continue;
    at->second.required = std::min(at->second.required, kernel.required);
    if (at->second.cores.empty()) at->second.cores = kernel.cores;
  }
  return templates;
}

// Which kernel type the words beside `__global__` mean, as C++.
std::string KernelType(std::string_view cores) {
  if (cores == "__cube__") return "BASCULE_KERNEL_AIC_ONLY";
  if (cores == "__vector__") return "BASCULE_KERNEL_AIV_ONLY";
  const size_t list = cores.find('(');
  if (list == std::string_view::npos) return "BASCULE_KERNEL_UNSAID";
  return Join("sizeof(::bascule_ascendc::MixedKernel<",
              cores.substr(list + 1, cores.size() - list - 2), ">)");
}

// One run's launches.
class Rewriter {
 public:
  Rewriter(std::string_view text, std::string_view file, const TokenRun& run,
           const std::map<std::string_view, KernelTemplate>& templates, std::vector<Edit>& edits,
           RewrittenSource& out)
      : text_(text),
        file_(file),
        run_(run),
        tokens_(run.tokens),
        templates_(templates),
        edits_(edits),
        out_(out) {}

  void Run() {
    for (uint32_t i = 0; i + 3 <= tokens_.size(); ++i) {
      if (AsksForCore(i)) edits_.push_back({tokens_[i].begin, 9, std::string(9, ' ')});
      const uint32_t length = RunLength(i, '<');
      if (length == 0) continue;
      const bool operator_name = i != 0 && Is(i - 1, "operator");
      if (length == 3 && !operator_name) Launch(i);
      i += length - 1;
    }
  }

 private:
  std::string_view Text(uint32_t i) const {
    return text_.substr(tokens_[i].begin, tokens_[i].length);
  }
  bool Is(uint32_t i, std::string_view what) const { return i < tokens_.size() && Text(i) == what; }
  bool IsName(uint32_t i) const {
    return i < tokens_.size() && tokens_[i].kind == TokenKind::kName;
  }
  size_t End(uint32_t i) const { return size_t{tokens_[i].begin} + tokens_[i].length; }

  // Whether token i is the `constexpr` of `if constexpr (g_coreType == …)`: known when it runs.
  bool AsksForCore(uint32_t i) const {
    if (!Is(i, "constexpr") || i == 0 || !Is(i - 1, "if") || !Is(i + 1, "(")) return false;
    const uint32_t end = run_.partner[i + 1];
    if (end == kNoToken) return false;
    for (uint32_t in = i + 2; in < end; ++in) {
      if (Is(in, kCoreType)) return true;
    }
    return false;
  }

  // How many adjacent `c` begin at token i.
  uint32_t RunLength(uint32_t i, char c) const {
    uint32_t n = 0;
    while (i + n < tokens_.size() && tokens_[i + n].length == 1 &&
           text_[tokens_[i + n].begin] == c &&
           (n == 0 || tokens_[i + n].begin == tokens_[i + n - 1].begin + 1)) {
      ++n;
    }
    return n;
  }

  void Problem(uint32_t token, std::string text) {
    out_.problems.push_back({PlaceOf(text_, tokens_[token].begin, file_), std::move(text)});
  }

  // The first `>` of the `>>>` that ends the launch whose numbers begin at token i. A `>>>` may
  // also close three template argument lists; that is what it does where three lists are open.
  std::optional<uint32_t> FindEnd(uint32_t i) const {
    uint32_t lists = 0;
    std::optional<uint32_t> candidate;
    for (; i < tokens_.size(); ++i) {
      if (run_.partner[i] != kNoToken && run_.partner[i] > i) {
        i = run_.partner[i];
        continue;
      }
      if (Is(i, ";") || Is(i, ")") || Is(i, "]") || Is(i, "}")) break;
      if (const uint32_t n = RunLength(i, '<'); n != 0) {
        if (n == 3) break;
        if (n == 1 && IsName(i - 1)) ++lists;
        i += n - 1;
        continue;
      }
      const uint32_t n = RunLength(i, '>');
      if (n == 0) continue;
      if (n >= 3) {
        const uint32_t closing = n - 3;
        candidate = i + closing;
        if (n > 3 || lists < 3) return candidate;
      }
      lists -= std::min(lists, n);
      i += n - 1;
    }
    return candidate;
  }

  // The `<` of the list that the `>` at token i closes. A `<` that no name stands before is a
  // comparison or half a shift.
  std::optional<uint32_t> ListBegin(uint32_t i) const {
    uint32_t depth = 1;
    while (i-- != 0) {
      if (run_.partner[i] != kNoToken && run_.partner[i] < i) {
        i = run_.partner[i];
      } else if (Is(i, ";") || Is(i, "{") || Is(i, "}")) {
        return std::nullopt;
      } else if (Is(i, ">")) {
        ++depth;
      } else if (Is(i, "<") && i != 0 && IsName(i - 1)) {
        if (--depth == 0) return i;
      }
    }
    return std::nullopt;
  }

  static bool Keyword(std::string_view name) {
    static constexpr std::string_view kWords[] = {
        "if",   "while",  "for",     "switch",    "return",    "else",     "do",
        "case", "sizeof", "throw",   "co_return", "co_await",  "co_yield", "goto",
        "new",  "delete", "alignof", "noexcept",  "constexpr", "catch",    "default"};
    return std::find(std::begin(kWords), std::end(kWords), name) != std::end(kWords);
  }

  // The first token of the expression that ends with token i: names with their scopes and template
  // arguments, members, subscripts, calls, parentheses.
  std::optional<uint32_t> ExpressionBegin(uint32_t i) const {
    for (;;) {
      if (Is(i, ">")) {
        const std::optional<uint32_t> list = ListBegin(i);
        if (!list) return std::nullopt;
        i = *list - 1;
      }
      if (IsName(i)) {
        if (Keyword(Text(i))) return std::nullopt;
        while (i >= 2 && Is(i - 1, "##")) i -= 2;
        if (i != 0 && Is(i - 1, "template")) --i;
        if (i == 0) return i;
        if (Is(i - 1, "::")) {
          if (i == 1) return 0;
          // Something in front of `::` belongs to it, unless it cannot: `return ::kernel`.
          if (Is(i - 2, ">") || (IsName(i - 2) && !Keyword(Text(i - 2)))) {
            i -= 2;
            continue;
          }
          if (Is(i - 2, ")") && run_.partner[i - 2] != kNoToken && run_.partner[i - 2] != 0 &&
              Is(run_.partner[i - 2] - 1, "decltype")) {
            return run_.partner[i - 2] - 1;
          }
          return i - 1;
        }
        if (!Is(i - 1, ".") && !Is(i - 1, "->")) return i;
        if (i == 1) return std::nullopt;
        i -= 2;
        continue;
      }
      if (Is(i, ")") || Is(i, "]")) {
        const uint32_t open = run_.partner[i];
        if (open == kNoToken) return std::nullopt;
        const bool goes_on =
            open != 0 && ((IsName(open - 1) && !Keyword(Text(open - 1))) || Is(open - 1, ")") ||
                          Is(open - 1, "]") || (Is(i, ")") && Is(open - 1, ">")));
        if (!goes_on) return Is(i, ")") ? std::optional<uint32_t>(open) : std::nullopt;
        if (Is(i, ")") && Is(open - 1, ")")) {
          // `if (x) (*p)<<<…`, `(void)(p)<<<…`: what is in front is not what is called.
          const uint32_t before = run_.partner[open - 1];
          const bool condition =
              before != kNoToken && before != 0 && IsName(before - 1) && Keyword(Text(before - 1));
          const bool cast = before != kNoToken && before + 2 == open - 1 && Is(before + 1, "void");
          if (condition || cast) return open;
        }
        i = open - 1;
        continue;
      }
      return std::nullopt;
    }
  }

  // Template arguments that the launch of a kernel template leaves to be deduced?
  bool Deduces(uint32_t last) const {
    uint32_t given = 0;
    uint32_t name = last;
    if (Is(last, ">")) {
      const uint32_t list = *ListBegin(last);
      name = list - 1;
      if (list + 1 != last) given = 1;
      uint32_t depth = 0;
      for (uint32_t i = list + 1; i < last; ++i) {
        if (run_.partner[i] != kNoToken && run_.partner[i] > i) i = run_.partner[i];
        if (Is(i, "<")) ++depth;
        if (Is(i, ">") && depth != 0) --depth;
        if (Is(i, ",") && depth == 0) ++given;
      }
    }
    if (!IsName(name)) return false;
    const auto found = templates_.find(Text(name));
    return found != templates_.end() && given < found->second.required;
  }

  // Whether a macro's arguments may be around token i.
  bool InParentheses(uint32_t i) const {
    while (i-- != 0) {
      if (run_.partner[i] == kNoToken) continue;
      if (run_.partner[i] < i) {
        i = run_.partner[i];
      } else if (Is(i, "(")) {
        return true;
      }
    }
    return false;
  }

  // Puts `what` in front of the character at `position` without moving that to another line or
  // column.
  void Insert(size_t position, std::string what, bool may_break) {
    if (may_break) {
      const SourcePlace place = PlaceOf(text_, position, file_);
      what += Join("\n# ", place.line, " ", Quoted(place.file), "\n",
                   std::string(place.column - 1, ' '));
    }
    edits_.push_back({position, 0, std::move(what)});
  }

  void Launch(uint32_t i) {
    const std::optional<uint32_t> end = FindEnd(i + 3);
    if (!end) {
      Problem(i, "this <<< has no >>>; a launch is kernel<<<blocks, l2ctrl, stream>>>(arguments)");
      return;
    }
    const std::optional<uint32_t> begin = i == 0 ? std::nullopt : ExpressionBegin(i - 1);
    if (!begin) {
      Problem(i, i == 0 && run_.in_macro
                     ? "the kernel has to stand in the same macro as the <<< that launches it"
                     : "what stands in front of <<< is not understood as a kernel; write its name, "
                       "a pointer "
                       "to it, or put it into parentheses");
      return;
    }
    const size_t from = tokens_[*begin].begin;
    if (Deduces(i - 1)) {
      const bool may_break = !run_.in_macro && !InParentheses(*begin);
      const uint32_t name = Is(i - 1, ">") ? *ListBegin(i - 1) - 1 : i - 1;
      Insert(from,
             Join("(::bascule_ascendc::Deduced(", Quoted(Text(name)), ", ",
                  KernelType(templates_.at(Text(name)).cores), ", [&](auto... bascule_a) { "),
             may_break);
      Insert(tokens_[i].begin, "(bascule_a...); })", may_break);
    } else if (!run_.in_macro && from != 0 && (text_[from - 1] == ' ' || text_[from - 1] == '\t')) {
      edits_.push_back({from - 1, 1, "("});
    } else {
      edits_.push_back({from, 0, "("});
    }
    edits_.push_back({tokens_[i].begin, 3, "%$("});
    edits_.push_back({tokens_[*end].begin, 3, ")) "});
    ++out_.launches;
  }

  std::string_view text_;
  std::string_view file_;
  const TokenRun& run_;
  const std::vector<Token>& tokens_;
  const std::map<std::string_view, KernelTemplate>& templates_;
  std::vector<Edit>& edits_;
  RewrittenSource& out_;
};

}  // namespace

RewrittenSource RewriteLaunches(std::string_view text, std::string_view file) {
  RewrittenSource out;
  if (text.find("<<<") == std::string_view::npos && text.find(kKernel) == std::string_view::npos &&
      text.find(kCoreType) == std::string_view::npos) {
    out.text = text;
    return out;
  }
  const std::vector<TokenRun> runs = Tokenize(text);
  const std::map<std::string_view, KernelTemplate> templates = KernelTemplates(text, runs.front());
  std::vector<Edit> edits;
  for (const TokenRun& run : runs) {
    Rewriter(text, file, run, templates, edits, out).Run();
    // A function has one mark: that of its cores, not that of any kernel.
    for (const uint32_t token : FindQualifiedKernels(text, run)) {
      edits.push_back({run.tokens[token].begin, kKernel.size(), "__kernel__"});
    }
  }
  std::stable_sort(edits.begin(), edits.end(),
                   [](const Edit& a, const Edit& b) { return a.at < b.at; });
  size_t done = 0;
  for (const Edit& edit : edits) {
    out.text.append(text, done, edit.at - done);
    out.text += edit.text;
    done = edit.at + edit.erased;
  }
  out.text.append(text, done);
  return out;
}

}  // namespace bascule::toolchain
