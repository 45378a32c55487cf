// The build's describe step: a small program made of the project's host code and DescribeMain
// prints the operators as JSON into the file named by its argument. An error in a definition is
// {"error": sentence}. SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_HOST_DESCRIBE_H_
#define BASCULE_HOST_DESCRIBE_H_

#include <cstdio>
#include <string>
#include <vector>

#include "bascule_host_table.h"
#include "bascule_host_tiling.h"

namespace bascule_host {

BASCULE_HIDDEN inline std::string Quote(const std::string& text) {
  std::string quoted = "\"";
  for (char c : text) {
    const unsigned char byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if (byte < 0x20) {
      char escape[8];
      std::snprintf(escape, sizeof(escape), "\\u%04x", byte);
      quoted += escape;
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

template <typename Item, typename Print>
BASCULE_HIDDEN inline std::string List(const std::vector<Item>& items, Print print) {
  std::string text = "[";
  for (const Item& item : items) {
    if (text.size() > 1) text += ",";
    text += print(item);
  }
  return text + "]";
}

// Nine digits give the float back; JSON has no infinities, so those are strings.
BASCULE_HIDDEN inline std::string Number(float value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.9g", static_cast<double>(value));
  return value - value == 0 ? text : Quote(text);
}

BASCULE_HIDDEN inline std::string Describe(const Parameter& parameter) {
  const auto number = [](int32_t value) { return std::to_string(value); };
  return "{\"name\":" + Quote(parameter.name) + ",\"kind\":" + std::to_string(parameter.kind) +
         ",\"dtypes\":" + List(parameter.dtypes, number) +
         ",\"formats\":" + List(parameter.formats, number) +
         ",\"scalar\":" + std::to_string(parameter.scalar) +
         ",\"to_dtype\":" + std::to_string(parameter.to_dtype) +
         ",\"to_name\":" + Quote(parameter.to_name) +
         ",\"value_depend\":" + (parameter.value_depend ? "true" : "false") +
         ",\"version\":" + std::to_string(parameter.version) + "}";
}

BASCULE_HIDDEN inline std::string Describe(const Attribute& attribute) {
  std::string value = "null";
  if (!attribute.required) {
    switch (attribute.kind) {
      case BASCULE_ATTR_FLOAT:
        value = Number(attribute.f);
        break;
      case BASCULE_ATTR_BOOL:
        value = attribute.i != 0 ? "true" : "false";
        break;
      case BASCULE_ATTR_STRING:
        value = Quote(attribute.text);
        break;
      case BASCULE_ATTR_INT_LIST:
        value = List(attribute.ints, [](int64_t item) { return std::to_string(item); });
        break;
      case BASCULE_ATTR_FLOAT_LIST:
        value = List(attribute.floats, Number);
        break;
      case BASCULE_ATTR_BOOL_LIST:
        value = List(attribute.ints, [](int64_t item) { return item != 0 ? "true" : "false"; });
        break;
      case BASCULE_ATTR_INT_LISTS: {
        std::vector<std::vector<int64_t>> lists;
        for (size_t at = 0; at < attribute.ints.size();) {
          const auto begin = attribute.ints.begin() + static_cast<ptrdiff_t>(at) + 1;
          lists.emplace_back(begin, begin + attribute.ints[at]);
          at += 1 + lists.back().size();
        }
        value = List(lists, [](const std::vector<int64_t>& list) {
          return List(list, [](int64_t item) { return std::to_string(item); });
        });
        break;
      }
      default:
        value = std::to_string(attribute.i);
        break;
    }
  }
  return "{\"name\":" + Quote(attribute.name) + ",\"kind\":" + std::to_string(attribute.kind) +
         ",\"required\":" + (attribute.required ? "true" : "false") + ",\"default\":" + value +
         ",\"version\":" + std::to_string(attribute.version) + "}";
}

BASCULE_HIDDEN inline std::string Describe(const Operator& op) {
  return "{\"name\":" + Quote(op.name) + ",\"type\":" + Quote(op.type) +
         ",\"kernel_file\":" + Quote(op.kernel_file) +
         ",\"kernel_function\":" + Quote(op.kernel_function) +
         ",\"columns\":" + std::to_string(op.columns) +
         ",\"inputs\":" + List(op.inputs, [](const Parameter& p) { return Describe(p); }) +
         ",\"outputs\":" + List(op.outputs, [](const Parameter& p) { return Describe(p); }) +
         ",\"attributes\":" + List(op.attributes, [](const Attribute& a) { return Describe(a); }) +
         ",\"socs\":" + List(op.socs, Quote) +
         ",\"infer_shape\":" + (op.def.infer_shape != nullptr ? "true" : "false") +
         ",\"infer_dtype\":" + (op.def.infer_dtype != nullptr ? "true" : "false") + "}";
}

BASCULE_HIDDEN inline std::string Describe(const TilingClass& tiling) {
  TilingText text;
  tiling.describe(text);
  return "{\"operator\":" + Quote(tiling.type) + ",\"name\":" + Quote(tiling.name) +
         ",\"structures\":" + Quote(text.text()) + "}";
}

BASCULE_HIDDEN inline std::string DescribeAll() {
  try {
    std::string text = "{\"operators\":[";
    bool first = true;
    for (const auto& op : OperatorTable::Get().operators()) {
      if (!first) text += ",";
      first = false;
      text += Describe(*op);
    }
    text += "],\"tiling\":[";
    for (const TilingClass* tiling = TilingClass::First(); tiling != nullptr;
         tiling = tiling->next) {
      if (tiling != TilingClass::First()) text += ",";
      text += Describe(*tiling);
    }
    return text + "]}";
  } catch (const std::exception& error) {
    return "{\"error\":" + Quote(error.what()) + "}";
  } catch (...) {
    return "{\"error\":\"a definition threw something that is no std::exception\"}";
  }
}

BASCULE_HIDDEN inline int DescribeMain(int argc, char** argv) {
  if (argc != 2) return 2;
  std::FILE* file = std::fopen(argv[1], "w");
  if (file == nullptr) return 3;
  const std::string text = DescribeAll();
  try {
    for (const auto& op : OperatorTable::Get().operators()) std::fputs(op->notes.c_str(), stdout);
  } catch (...) {  // told in the file
  }
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  return std::fclose(file) == 0 && written ? 0 : 4;
}

}  // namespace bascule_host

#endif  // BASCULE_HOST_DESCRIBE_H_
