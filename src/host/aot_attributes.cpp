// mindspore::AotExtra is an abstract class of MindSpore's (custom_aot_extra.h in its wheel): nine
// functions that take a std::string and return plain values, strings and vectors. Vectors have one
// layout everywhere, strings have two, and which of them MindSpore was built with is not ours to
// choose. So its functions are called here by their place in the table of virtual functions, which
// the C++ ABI of Linux fixes, with an argument that is a string under both layouts.
// SPDX-License-Identifier: Apache-2.0
#include "host/aot_attributes.h"

#include <atomic>
#include <cstddef>
#include <cstring>
#include <exception>
#include <new>

#include "base/error.h"
#include "registry/inference.h"

namespace bascule::host {
namespace {

// Places in the table; the destructor has two.
enum Slot {
  kHasAttr = 2,
  kBool,
  kInt,
  kFloat,
  kString,
  kInts,
  kFloats,
};

// What libstdc++'s old std::string keeps in front of its characters.
struct OldHeader {
  size_t length;
  size_t capacity;
  std::atomic<int32_t> holders;  // beyond the first; -1: never to be shared
};
static_assert(sizeof(OldHeader) == 24);

// A string argument. Both layouts begin with a pointer to the characters; the new one has its
// length next, the old one in front of them. A callee copies it or reads it, and does not own it.
class Argument {
 public:
  explicit Argument(const std::string& text) : Argument(text, text.size()) {}
  // A string of which the two layouts see different lengths.
  Argument(const std::string& text, size_t new_length)
      : storage_(sizeof(OldHeader) + text.size() + 1), new_length_(new_length) {
    new (storage_.data()) OldHeader{text.size(), text.size(), {-1}};
    text_ = storage_.data() + sizeof(OldHeader);
    std::memcpy(text_, text.c_str(), text.size() + 1);
    capacity_ = new_length;
  }
  Argument(const Argument&) = delete;
  Argument& operator=(const Argument&) = delete;
  const void* get() const { return &text_; }

 private:
  std::vector<char> storage_;
  // From here on a new std::string.
  char* text_;
  size_t new_length_;
  size_t capacity_;
  size_t unused_ = 0;
};

// A string result: its memory, of which the old layout fills one word.
struct Result {
  Result() {}   // NOLINT: the callee fills it
  ~Result() {}  // NOLINT: not trivial, so that it is returned in memory, as a string is
  char* words[4];
};

template <typename Value>
Value Call(const void* extra, Slot slot, const Argument& name) {
  const void* const* const table = *static_cast<const void* const* const*>(extra);
  Value (*function)(const void*, const void*) = nullptr;
  std::memcpy(&function, &table[slot], sizeof(function));
  return function(extra, name.get());
}

// Every Custom has the attribute "func_name", and none has "func_name?".
bool HasOldStrings(const void* extra) {
  return Call<bool>(extra, kHasAttr, Argument("func_name", 4));
}

std::string CallForString(const void* extra, const Argument& name) {
  const Result result = Call<Result>(extra, kString, name);
  if (!HasOldStrings(extra)) {
    auto* const text = reinterpret_cast<std::string*>(const_cast<char**>(result.words));
    std::string copy = *text;
    text->~basic_string();
    return copy;
  }
  auto* const header = reinterpret_cast<OldHeader*>(result.words[0] - sizeof(OldHeader));
  std::string copy(result.words[0], header->length);
  // The empty string is one of libstdc++'s own.
  if (header->capacity != 0 && header->holders.fetch_sub(1) <= 0) operator delete(header);
  return copy;
}

const char* KindName(uint32_t kind) {
  switch (kind) {
    case BASCULE_ATTR_INT:
      return "int";
    case BASCULE_ATTR_FLOAT:
      return "float";
    case BASCULE_ATTR_BOOL:
      return "bool";
    case BASCULE_ATTR_STRING:
      return "str";
    case BASCULE_ATTR_INT_LIST:
      return "listInt";
    case BASCULE_ATTR_FLOAT_LIST:
      return "listFloat";
    default:
      return "unknown";
  }
}

}  // namespace

AotAttributes::AotAttributes(const BasculeOperatorEntry& op, const void* extra) {
  if (extra == nullptr) return;
  for (uint32_t i = 0; i < op.def->attribute_count; ++i) {
    const BasculeAttributeDef& wanted = op.def->attributes[i];
    const Argument name(wanted.name);
    BasculeAttribute value = {};
    value.name = wanted.name;
    value.kind = wanted.kind;
    try {
      if (!Call<bool>(extra, kHasAttr, name)) continue;
      switch (wanted.kind) {
        case BASCULE_ATTR_INT:
          value.value.i = Call<int64_t>(extra, kInt, name);
          break;
        case BASCULE_ATTR_FLOAT:
          value.value.f = Call<float>(extra, kFloat, name);
          break;
        case BASCULE_ATTR_BOOL:
          value.value.i = Call<bool>(extra, kBool, name) ? 1 : 0;
          break;
        case BASCULE_ATTR_STRING: {
          const std::string& text = texts_.emplace_back(CallForString(extra, name));
          value.value.s = text.c_str();
          value.length = static_cast<uint32_t>(text.size());
          break;
        }
        case BASCULE_ATTR_INT_LIST: {
          const auto& list = ints_.emplace_back(Call<std::vector<int64_t>>(extra, kInts, name));
          value.value.ints = list.data();
          value.length = static_cast<uint32_t>(list.size());
          break;
        }
        case BASCULE_ATTR_FLOAT_LIST: {
          const auto& list = floats_.emplace_back(Call<std::vector<float>>(extra, kFloats, name));
          value.value.floats = list.data();
          value.length = static_cast<uint32_t>(list.size());
          break;
        }
        default:
          throw Error(BASCULE_UNSUPPORTED,
                      Join(op.name, ": the attribute '", wanted.name,
                           "' is of a type that MindSpore's aot interface does not carry; leave it "
                           "out of reg_info, or call the operator with bascule."));
      }
    } catch (const Error&) {
      throw;
    } catch (const std::exception& error) {
      const std::string why = error.what();
      throw Error(BASCULE_INVALID_ARGUMENT,
                  Join(op.name, ": the attribute '", wanted.name, "' has to be of type ",
                       KindName(wanted.kind), "; MindSpore says: ", why.substr(0, why.find('\n')),
                       ". Give reg_info a value of that type: .attr(\"", wanted.name,
                       "\", \"required\", \"", KindName(wanted.kind), "\", value=…)."));
    }
    given_.push_back(value);
  }
}

std::vector<uint32_t> AotCounts(const BasculeOperatorEntry& op, const void* extra) {
  if (extra == nullptr) return {};
  const Argument name("bascule_counts");
  if (!Call<bool>(extra, kHasAttr, name)) return {};
  const auto given = Call<std::vector<int64_t>>(extra, kInts, name);
  if (given.size() != op.def->input_count) {
    throw Error(BASCULE_INVALID_ARGUMENT, Join(op.name, ": bascule_counts has ", given.size(),
                                               " numbers for ", op.def->input_count, " inputs."));
  }
  return {given.begin(), given.end()};
}

}  // namespace bascule::host
