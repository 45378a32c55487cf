// SPDX-License-Identifier: Apache-2.0
#include "toolchain/python_source.h"

#include <algorithm>
#include <cctype>
#include <string_view>

namespace bascule::toolchain {
namespace {

// The text with comments and the insides of strings blanked out, line breaks kept, so that what is
// left can be searched for statements.
std::string Blank(const std::string& text) {
  std::string code = text;
  std::string quote;  // the quote a string ends with; empty outside strings
  for (std::size_t i = 0; i < code.size(); ++i) {
    char& c = code[i];
    if (!quote.empty()) {
      if (text.compare(i, quote.size(), quote) == 0) {
        i += quote.size() - 1;
        quote.clear();
      } else if (c == '\\' && i + 1 < code.size()) {
        c = ' ';
        if (code[i + 1] != '\n') code[i + 1] = ' ';
        ++i;
      } else if (c == '\n') {
        if (quote.size() == 1) quote.clear();
      } else {
        c = ' ';
      }
    } else if (c == '#') {
      while (i < code.size() && code[i] != '\n') code[i++] = ' ';
    } else if (c == '"' || c == '\'') {
      quote = text.compare(i, 3, std::string(3, c)) == 0 ? std::string(3, c) : std::string(1, c);
      i += quote.size() - 1;
    }
  }
  return code;
}

std::string Strip(std::string_view text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front())))
    text.remove_prefix(1);
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())))
    text.remove_suffix(1);
  return std::string(text);
}

bool IsNameCharacter(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

bool StartsWithWord(std::string_view text, std::string_view word) {
  return text.substr(0, word.size()) == word &&
         (text.size() == word.size() || !IsNameCharacter(text[word.size()]));
}

// The words of `text` at the top level of its brackets, split at commas.
std::vector<std::string> SplitArguments(std::string_view text) {
  std::vector<std::string> parts;
  int depth = 0;
  std::string part;
  for (char c : text) {
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (c == ',' && depth == 0) {
      parts.push_back(Strip(part));
      part.clear();
    } else {
      part += c;
    }
  }
  if (!Strip(part).empty()) parts.push_back(Strip(part));
  return parts;
}

// The modules an import statement names; empty when it is none.
std::vector<std::string> ImportedModules(const std::string& statement) {
  const auto first_word = [](const std::string& text) { return text.substr(0, text.find(' ')); };
  std::vector<std::string> modules;
  if (StartsWithWord(statement, "import")) {
    for (const std::string& part : SplitArguments(statement.substr(6)))
      modules.push_back(first_word(part));
  } else if (StartsWithWord(statement, "from")) {
    const std::string rest = Strip(statement.substr(4));
    const std::string module = first_word(rest);
    const std::size_t import = rest.find(" import ");
    if (module == "bascule" && import != std::string::npos) {
      std::string names = Strip(rest.substr(import + 8));
      std::erase(names, '(');
      std::erase(names, ')');
      for (const std::string& part : SplitArguments(names)) {
        modules.push_back("bascule." + first_word(part));
      }
    } else {
      modules.push_back(module);
    }
  }
  return modules;
}

// The value that begins at `begin`, up to the end of the line or of its brackets. `code` is `text`
// with comments and the insides of strings blanked out.
PythonSource::Assignment ReadValue(const std::string& text, const std::string& code,
                                   std::size_t begin) {
  PythonSource::Assignment read{};
  int depth = 0;
  for (std::size_t i = begin; i < code.size(); ++i) {
    const char c = code[i];
    if ((c == '\n' || c == ';') && depth <= 0) break;
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (c == '"' || c == '\'') {
      const std::size_t close = code.find(c, i + 1);
      if (close == std::string::npos) break;
      read.texts.push_back(text.substr(i + 1, close - i - 1));
      i = close;
    } else if (!std::isspace(static_cast<unsigned char>(c))) {
      read.rest += c;
    }
  }
  return read;
}

}  // namespace

PythonSource ScanPython(const std::string& text) {
  const std::string code = Blank(text);
  PythonSource source;
  std::size_t line = 1;
  std::size_t begin = 0;
  while (begin < code.size()) {
    std::size_t end = code.find_first_of("\n;", begin);
    if (end == std::string::npos) end = code.size();
    const std::string_view raw = std::string_view(code).substr(begin, end - begin);
    const std::string statement = Strip(raw);
    for (const std::string& module : ImportedModules(statement)) {
      source.imports.push_back({module, line});
    }
    if (StartsWithWord(raw, "def")) {
      const std::size_t open = code.find('(', begin);
      if (open != std::string::npos) {
        int depth = 0;
        std::size_t close = open;
        for (; close < code.size(); ++close) {
          if (code[close] == '(') ++depth;
          if (code[close] == ')' && --depth == 0) break;
        }
        std::size_t positional = 0;
        for (const std::string& part :
             SplitArguments(std::string_view(code).substr(open + 1, close - open - 1))) {
          if (part[0] == '*') break;
          if (part[0] != '/') ++positional;
        }
        source.functions.push_back(
            {Strip(code.substr(begin + 3, open - begin - 3)), line, positional});
      }
    }
    if (const std::size_t equals = raw.find('=');
        equals != std::string_view::npos && equals != 0 && IsNameCharacter(raw[0])) {
      // The quotes are in the blanked text, what is between them in the other.
      const std::string name = Strip(raw.substr(0, equals));
      const bool is_name = std::all_of(name.begin(), name.end(), IsNameCharacter);
      const std::size_t open = raw.find_first_not_of(" \t", equals + 1);
      const bool is_text =
          open != std::string_view::npos && (raw[open] == '"' || raw[open] == '\'');
      const std::size_t close = is_text ? raw.find(raw[open], open + 1) : std::string_view::npos;
      if (is_name && close != std::string_view::npos && Strip(raw.substr(close + 1)).empty()) {
        source.texts.push_back({name, line, text.substr(begin + open + 1, close - open - 1)});
      }
      if (is_name && open != std::string_view::npos && raw[equals + 1] != '=') {
        PythonSource::Assignment read = ReadValue(text, code, begin + open);
        read.name = name;
        read.line = line;
        source.assignments.push_back(std::move(read));
      }
    }
    if (end < code.size() && code[end] == '\n') ++line;
    begin = end + 1;
  }
  return source;
}

}  // namespace bascule::toolchain
