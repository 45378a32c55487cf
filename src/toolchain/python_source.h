// The Python files beside an operator (gradient.py, reference.py): read, never run.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_TOOLCHAIN_PYTHON_SOURCE_H_
#define BASCULE_TOOLCHAIN_PYTHON_SOURCE_H_

#include <string>
#include <vector>

namespace bascule::toolchain {

// What a file imports and defines at its top level, with lines counted from 1.
struct PythonSource {
  struct Import {
    std::string module;  // "bascule.xp" for `from bascule import xp`, too
    std::size_t line;
  };
  struct Function {
    std::string name;
    std::size_t line;
    std::size_t arguments;  // positional ones
  };
  // name = "text"
  struct Text {
    std::string name;
    std::size_t line;
    std::string value;  // as it stands between the quotes
  };
  // name = ("text", "text"), or any other value
  struct Assignment {
    std::string name;
    std::size_t line;
    std::vector<std::string> texts;  // of the quoted texts in the value, what is in the quotes
    std::string rest;                // the value without them, without spaces: "(,)", "True"
  };
  std::vector<Import> imports;
  std::vector<Function> functions;
  std::vector<Text> texts;
  std::vector<Assignment> assignments;
};

PythonSource ScanPython(const std::string& text);

}  // namespace bascule::toolchain

#endif  // BASCULE_TOOLCHAIN_PYTHON_SOURCE_H_
