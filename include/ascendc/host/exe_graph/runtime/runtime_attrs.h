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

#include "exe_graph/runtime/continuous_vector.h"

namespace gert {

class RuntimeAttrs {
 public:
  BASCULE_HIDDEN RuntimeAttrs(const BasculeAttribute* attributes, size_t count)
      : attributes_(attributes), count_(count), views_(new View[count]) {
    for (size_t i = 0; i < count; ++i) {
      const BasculeAttribute& attribute = attributes[i];
      View& view = views_[i];
      const size_t length = attribute.length;
      switch (attribute.kind) {
        case BASCULE_ATTR_BOOL:
          view.boolean = attribute.value.i != 0;
          break;
        case BASCULE_ATTR_INT_LIST:
          view.ints = TypedContinuousVector<int64_t>(attribute.value.ints, length);
          view.list = ContinuousVector(attribute.value.ints, length);
          break;
        case BASCULE_ATTR_FLOAT_LIST:
          view.floats = TypedContinuousVector<float>(attribute.value.floats, length);
          view.list = ContinuousVector(attribute.value.floats, length);
          break;
        case BASCULE_ATTR_BOOL_LIST:
          view.bools.reset(new bool[length]);
          for (size_t k = 0; k < length; ++k) view.bools[k] = attribute.value.ints[k] != 0;
          view.list = ContinuousVector(view.bools.get(), length);
          break;
        case BASCULE_ATTR_INT_LISTS:  // checked by the caller of host functions
          for (size_t at = 0; at < length;) {
            const int64_t* const numbers = attribute.value.ints + at;
            view.lists.lists_.emplace_back(numbers + 1, static_cast<size_t>(numbers[0]));
            at += 1 + static_cast<size_t>(numbers[0]);
          }
          break;
        default:
          break;
      }
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
    return Is(index, BASCULE_ATTR_BOOL) ? &views_[index].boolean : nullptr;
  }
  BASCULE_HIDDEN const char* GetStr(size_t index) const {
    return Is(index, BASCULE_ATTR_STRING) ? attributes_[index].value.s : nullptr;
  }
  BASCULE_HIDDEN const TypedContinuousVector<int64_t>* GetListInt(size_t index) const {
    return Is(index, BASCULE_ATTR_INT_LIST) ? &views_[index].ints : nullptr;
  }
  BASCULE_HIDDEN const TypedContinuousVector<float>* GetListFloat(size_t index) const {
    return Is(index, BASCULE_ATTR_FLOAT_LIST) ? &views_[index].floats : nullptr;
  }
  BASCULE_HIDDEN const ContinuousVectorVector* GetListListInt(size_t index) const {
    return Is(index, BASCULE_ATTR_INT_LISTS) ? &views_[index].lists : nullptr;
  }

  // T is int64_t, float, bool, char (a string), ContinuousVector (a list; of bools, as GetData()
  // gives them, too), TypedContinuousVector<int64_t> or <float>, or ContinuousVectorVector (a list
  // of lists).
  template <typename T>
  BASCULE_HIDDEN const T* GetAttrPointer(size_t index) const {
    if constexpr (std::is_const_v<T>) {
      return GetAttrPointer<std::remove_const_t<T>>(index);
    } else if constexpr (std::is_same_v<T, TypedContinuousVector<int64_t>>) {
      return GetListInt(index);
    } else if constexpr (std::is_same_v<T, TypedContinuousVector<float>>) {
      return GetListFloat(index);
    } else if constexpr (std::is_same_v<T, float>) {
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
      return &views_[index].list;
    } else if constexpr (std::is_same_v<T, ContinuousVectorVector>) {
      return GetListListInt(index);
    } else {
      static_assert(sizeof(T) <= sizeof(int64_t) && (std::is_integral_v<T> || std::is_enum_v<T>),
                    "GetAttrPointer reads int64_t, float, bool, char, ContinuousVector, "
                    "TypedContinuousVector<int64_t>, <float> or ContinuousVectorVector");
      // A narrower integer reads the low bytes, which lie first.
      return reinterpret_cast<const T*>(GetInt(index));
    }
  }

 private:
  // What host code is given a pointer to, by the attribute's kind.
  struct View {
    bool boolean = false;
    TypedContinuousVector<int64_t> ints{nullptr, 0};
    TypedContinuousVector<float> floats{nullptr, 0};
    std::unique_ptr<bool[]> bools;
    ContinuousVector list{nullptr, 0};  // of any kind of list
    ContinuousVectorVector lists;
  };

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
  std::unique_ptr<View[]> views_;
};

}  // namespace gert

#endif  // BASCULE_ASCENDC_EXE_GRAPH_RUNTIME_RUNTIME_ATTRS_H_
