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

// JSON, written piece by piece. What a list or an object begins with decides about commas.
class Json {
 public:
  BASCULE_HIDDEN Json& Key(const char* name) {
    Quoted(name);
    text_ += ':';
    return *this;
  }
  BASCULE_HIDDEN void Open(char bracket) {
    Separate();
    text_ += bracket;
  }
  BASCULE_HIDDEN void Close(char bracket) { text_ += bracket; }

  BASCULE_HIDDEN void Plain(const char* text) {
    Separate();
    text_ += text;
  }
  BASCULE_HIDDEN void Bool(bool value) { Plain(value ? "true" : "false"); }
  BASCULE_HIDDEN void Integer(int64_t value) { Plain(std::to_string(value).c_str()); }
  // Nine digits give the float back; JSON has no infinities, so those are strings.
  BASCULE_HIDDEN void Float(float value) {
    char text[32];
    std::snprintf(text, sizeof(text), "%.9g", static_cast<double>(value));
    if (value - value == 0) {
      Plain(text);
    } else {
      Quoted(text);
    }
  }
  BASCULE_HIDDEN void Quoted(const std::string& text) {
    Separate();
    text_ += '"';
    for (char c : text) {
      const unsigned char byte = static_cast<unsigned char>(c);
      if (c == '"' || c == '\\') {
        text_ += '\\';
        text_ += c;
      } else if (byte < 0x20) {
        char escape[8];
        std::snprintf(escape, sizeof(escape), "\\u%04x", byte);
        text_ += escape;
      } else {
        text_ += c;
      }
    }
    text_ += '"';
  }
  template <typename Item>
  BASCULE_HIDDEN void Integers(const Item* items, size_t count) {
    Open('[');
    for (size_t i = 0; i < count; ++i) Integer(items[i]);
    Close(']');
  }

  BASCULE_HIDDEN const std::string& text() const { return text_; }

 private:
  BASCULE_HIDDEN void Separate() {
    if (text_.empty()) return;
    const char last = text_.back();
    if (last != '{' && last != '[' && last != ':') text_ += ',';
  }

  std::string text_;
};

BASCULE_HIDDEN inline void Describe(const Parameter& parameter, Json* json) {
  json->Open('{');
  json->Key("name").Quoted(parameter.name);
  json->Key("kind").Integer(parameter.kind);
  json->Key("dtypes").Integers(parameter.dtypes.data(), parameter.dtypes.size());
  json->Key("formats").Integers(parameter.formats.data(), parameter.formats.size());
  json->Key("scalar").Integer(parameter.scalar);
  json->Key("to_dtype").Integer(parameter.to_dtype);
  json->Key("to_name").Quoted(parameter.to_name);
  json->Key("value_depend").Bool(parameter.value_depend);
  json->Key("version").Integer(parameter.version);
  json->Close('}');
}

BASCULE_HIDDEN inline void DescribeDefault(const Attribute& attribute, Json* json) {
  switch (attribute.kind) {
    case BASCULE_ATTR_FLOAT:
      json->Float(attribute.f);
      break;
    case BASCULE_ATTR_BOOL:
      json->Bool(attribute.i != 0);
      break;
    case BASCULE_ATTR_STRING:
      json->Quoted(attribute.text);
      break;
    case BASCULE_ATTR_INT_LIST:
      json->Integers(attribute.ints.data(), attribute.ints.size());
      break;
    case BASCULE_ATTR_FLOAT_LIST:
      json->Open('[');
      for (const float item : attribute.floats) json->Float(item);
      json->Close(']');
      break;
    case BASCULE_ATTR_BOOL_LIST:
      json->Open('[');
      for (const int64_t item : attribute.ints) json->Bool(item != 0);
      json->Close(']');
      break;
    case BASCULE_ATTR_INT_LISTS:
      json->Open('[');
      for (size_t at = 0; at < attribute.ints.size();) {
        const size_t length = static_cast<size_t>(attribute.ints[at]);
        json->Integers(attribute.ints.data() + at + 1, length);
        at += 1 + length;
      }
      json->Close(']');
      break;
    default:
      json->Integer(attribute.i);
      break;
  }
}

BASCULE_HIDDEN inline void Describe(const Attribute& attribute, Json* json) {
  json->Open('{');
  json->Key("name").Quoted(attribute.name);
  json->Key("kind").Integer(attribute.kind);
  json->Key("required").Bool(attribute.required);
  json->Key("default");
  if (attribute.required) {
    json->Plain("null");
  } else {
    DescribeDefault(attribute, json);
  }
  json->Key("version").Integer(attribute.version);
  json->Close('}');
}

BASCULE_HIDDEN inline void Describe(const Operator& op, Json* json) {
  json->Open('{');
  json->Key("name").Quoted(op.name);
  json->Key("type").Quoted(op.type);
  json->Key("kernel_file").Quoted(op.kernel_file);
  json->Key("kernel_function").Quoted(op.kernel_function);
  json->Key("columns").Integer(static_cast<int64_t>(op.columns));
  json->Key("inputs").Open('[');
  for (const Parameter& parameter : op.inputs) Describe(parameter, json);
  json->Close(']');
  json->Key("outputs").Open('[');
  for (const Parameter& parameter : op.outputs) Describe(parameter, json);
  json->Close(']');
  json->Key("attributes").Open('[');
  for (const Attribute& attribute : op.attributes) Describe(attribute, json);
  json->Close(']');
  json->Key("in_place").Bool(op.in_place);
  json->Key("socs").Open('[');
  for (const std::string& soc : op.socs) json->Quoted(soc);
  json->Close(']');
  json->Key("infer_shape").Bool(op.def.infer_shape != nullptr);
  json->Key("infer_dtype").Bool(op.def.infer_dtype != nullptr);
  json->Close('}');
}

BASCULE_HIDDEN inline void Describe(const TilingClass& tiling, Json* json) {
  TilingText text;
  tiling.describe(text);
  json->Open('{');
  json->Key("operator").Quoted(tiling.type);
  json->Key("name").Quoted(tiling.name);
  json->Key("structures").Quoted(text.text());
  json->Close('}');
}

BASCULE_HIDDEN inline std::string DescribeError(const char* text) {
  Json json;
  json.Open('{');
  json.Key("error").Quoted(text);
  json.Close('}');
  return json.text();
}

BASCULE_HIDDEN inline std::string DescribeAll() {
  try {
    Json json;
    json.Open('{');
    json.Key("operators").Open('[');
    for (const auto& op : OperatorTable::Get().operators()) Describe(*op, &json);
    json.Close(']');
    json.Key("tiling").Open('[');
    for (const TilingClass* tiling = TilingClass::First(); tiling != nullptr;
         tiling = tiling->next) {
      Describe(*tiling, &json);
    }
    json.Close(']');
    json.Close('}');
    return json.text();
  } catch (const std::exception& error) {
    return DescribeError(error.what());
  } catch (...) {
    return DescribeError("a definition threw something that is no std::exception");
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
