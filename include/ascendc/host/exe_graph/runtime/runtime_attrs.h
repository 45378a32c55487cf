// The attributes of a call, by their position in the OpDef. Defaults are filled in.
//
// An index that does not exist gives null, as the interface says. Reading an attribute as another
// type than the OpDef gave it throws, because the bytes would be taken for something they are not.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_EXE_GRAPH_RUNTIME_RUNTIME_ATTRS_H_
#define BASCULE_ASCENDC_EXE_GRAPH_RUNTIME_RUNTIME_ATTRS_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "exe_graph/runtime/continuous_vector.h"

namespace gert {

class RuntimeAttrs {
 public:
  BASCULE_HIDDEN RuntimeAttrs(const BasculeAttribute* attributes, size_t count)
      : attributes_(attributes),
        count_(count),
        bools_(new bool[count]),
        bool_lists_(count),
        int_lists_(count) {
    for (size_t i = 0; i < count; ++i) {
      const BasculeAttribute& attribute = attributes[i];
      const bool is_ints = attribute.kind == BASCULE_ATTR_INT_LIST;
      const bool is_floats = attribute.kind == BASCULE_ATTR_FLOAT_LIST;
      bools_[i] = attribute.kind == BASCULE_ATTR_BOOL && attribute.value.i != 0;
      ints_.emplace_back(is_ints ? attribute.value.ints : nullptr, is_ints ? attribute.length : 0);
      floats_.emplace_back(is_floats ? attribute.value.floats : nullptr,
                           is_floats ? attribute.length : 0);
      const void* list = is_ints     ? static_cast<const void*>(attribute.value.ints)
                         : is_floats ? static_cast<const void*>(attribute.value.floats)
                                     : nullptr;
      size_t length = list != nullptr ? attribute.length : 0;
      if (attribute.kind == BASCULE_ATTR_BOOL_LIST) {
        length = attribute.length;
        bool_lists_[i].reset(new bool[length]);
        for (size_t k = 0; k < length; ++k) bool_lists_[i][k] = attribute.value.ints[k] != 0;
        list = bool_lists_[i].get();
      }
      if (attribute.kind == BASCULE_ATTR_INT_LISTS) {  // checked by the caller of host functions
        for (uint32_t at = 0; at < attribute.length;) {
          const int64_t* const numbers = attribute.value.ints + at;
          int_lists_[i].lists_.emplace_back(numbers + 1, static_cast<size_t>(numbers[0]));
          at += 1 + static_cast<uint32_t>(numbers[0]);
        }
      }
      lists_.emplace_back(list, length);
    }
  }

  BASCULE_HIDDEN size_t GetAttrNum() const { return count_; }

  BASCULE_HIDDEN const int64_t* GetInt(size_t index) const {
    return Is(index, BASCULE_ATTR_INT) ? &attributes_[index].value.i : nullptr;
  }
  BASCULE_HIDDEN const float* GetFloat(size_t index) const {
    return Is(index, BASCULE_ATTR_FLOAT) ? &attributes_[index].value.f : nullptr;
  }
  BASCULE_HIDDEN const bool* GetBool(size_t index) const {
    return Is(index, BASCULE_ATTR_BOOL) ? &bools_[index] : nullptr;
  }
  BASCULE_HIDDEN const char* GetStr(size_t index) const {
    return Is(index, BASCULE_ATTR_STRING) ? attributes_[index].value.s : nullptr;
  }
  BASCULE_HIDDEN const TypedContinuousVector<int64_t>* GetListInt(size_t index) const {
    return Is(index, BASCULE_ATTR_INT_LIST) ? &ints_[index] : nullptr;
  }
  BASCULE_HIDDEN const TypedContinuousVector<float>* GetListFloat(size_t index) const {
    return Is(index, BASCULE_ATTR_FLOAT_LIST) ? &floats_[index] : nullptr;
  }
  BASCULE_HIDDEN const ContinuousVectorVector* GetListListInt(size_t index) const {
    return Is(index, BASCULE_ATTR_INT_LISTS) ? &int_lists_[index] : nullptr;
  }

  // T is int64_t, float, bool, char (a string), ContinuousVector (a list; of bools, as GetData()
  // gives them, too) or ContinuousVectorVector (a list of lists).
  template <typename T>
  BASCULE_HIDDEN const T* GetAttrPointer(size_t index) const {
    if constexpr (std::is_same_v<T, float>) {
      return GetFloat(index);
    } else if constexpr (std::is_same_v<T, bool>) {
      return GetBool(index);
    } else if constexpr (std::is_same_v<T, char>) {
      return GetStr(index);
    } else if constexpr (std::is_same_v<T, ContinuousVector>) {
      if (index >= count_) return nullptr;
      if (attributes_[index].kind != BASCULE_ATTR_INT_LIST &&
          attributes_[index].kind != BASCULE_ATTR_FLOAT_LIST &&
          attributes_[index].kind != BASCULE_ATTR_BOOL_LIST) {
        Mismatch(index, "a list");
      }
      return &lists_[index];
    } else if constexpr (std::is_same_v<T, ContinuousVectorVector>) {
      return GetListListInt(index);
    } else {
      static_assert(sizeof(T) <= sizeof(int64_t) && (std::is_integral_v<T> || std::is_enum_v<T>),
                    "GetAttrPointer reads int64_t, float, bool, char or ContinuousVector");
      // A narrower integer reads the low bytes, which lie first.
      return reinterpret_cast<const T*>(GetInt(index));
    }
  }

 private:
  BASCULE_HIDDEN static const char* KindName(uint32_t kind) {
    switch (kind) {
      case BASCULE_ATTR_INT:
        return "an integer";
      case BASCULE_ATTR_FLOAT:
        return "a float";
      case BASCULE_ATTR_BOOL:
        return "a bool";
      case BASCULE_ATTR_STRING:
        return "a string";
      case BASCULE_ATTR_INT_LIST:
        return "a list of integers";
      case BASCULE_ATTR_BOOL_LIST:
        return "a list of bools";
      case BASCULE_ATTR_INT_LISTS:
        return "a list of lists of integers";
      default:
        return "a list of floats";
    }
  }
  [[noreturn]] BASCULE_HIDDEN void Mismatch(size_t index, const char* wanted) const {
    throw bascule_host::HostError("attribute " + std::to_string(index) + " (" +
                                  attributes_[index].name + ") is " +
                                  KindName(attributes_[index].kind) + " and was read as " + wanted);
  }
  BASCULE_HIDDEN bool Is(size_t index, uint32_t kind) const {
    if (index >= count_) return false;
    if (attributes_[index].kind != kind) Mismatch(index, KindName(kind));
    return true;
  }

  const BasculeAttribute* attributes_;
  size_t count_;
  std::unique_ptr<bool[]> bools_;
  std::vector<std::unique_ptr<bool[]>> bool_lists_;
  std::vector<ContinuousVectorVector> int_lists_;
  std::vector<TypedContinuousVector<int64_t>> ints_;
  std::vector<TypedContinuousVector<float>> floats_;
  std::vector<ContinuousVector> lists_;
};

}  // namespace gert

#endif  // BASCULE_ASCENDC_EXE_GRAPH_RUNTIME_RUNTIME_ATTRS_H_
