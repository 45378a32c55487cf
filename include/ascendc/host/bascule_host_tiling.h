// Classes of tiling data as the kernel's structures: BEGIN_TILING_DATA_DEF describes each field,
// and the build hands the structures to the kernel in a header. SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_HOST_TILING_H_
#define BASCULE_HOST_TILING_H_

#include <string>
#include <type_traits>
#include <utility>

#include "bascule_host_base.h"

namespace bascule_host {

// A structure that kernels know from kernel_tiling/kernel_tiling.h.
template <typename Data>
struct IsLibraryTiling : std::false_type {};

// The C++ text of a class as a plain structure, behind those it consists of.
class TilingText {
 public:
  template <typename Data>
  BASCULE_HIDDEN void AddClass() {
    if (IsLibraryTiling<Data>::value) return;
    const std::string head = std::string("struct ") + Data::BasculeName() + " {";
    if (text_.find(head) != std::string::npos) return;
    const std::string outer = std::move(fields_);
    fields_.clear();
    AddFields<Data>(std::make_integer_sequence<int, Data::BasculeFields()>());
    text_ += head + fields_ + " };\n";
    fields_ = outer;
  }
  BASCULE_HIDDEN void AddField(const char* type, const char* name) {
    fields_ += std::string(" ") + type + " " + name + ";";
  }
  BASCULE_HIDDEN void AddArray(const char* type, const char* name, size_t length) {
    fields_ += std::string(" ") + type + " " + name + "[" + std::to_string(length) + "];";
  }
  // The type is named as it names itself: the host may have it in a namespace.
  template <typename Data>
  BASCULE_HIDDEN void AddStruct(const char* name) {
    AddClass<Data>();
    AddField(Data::BasculeName(), name);
  }
  BASCULE_HIDDEN const std::string& text() const { return text_; }

 private:
  template <typename Data, int... field>
  BASCULE_HIDDEN void AddFields(std::integer_sequence<int, field...>) {
    (Data::BasculeField(std::integral_constant<int, field>(), *this), ...);
  }

  std::string text_;
  std::string fields_;  // of the structure at hand
};

// One REGISTER_TILING_DATA_CLASS. Noted while the library loads, asked by the build.
struct TilingClass {
  using Describe = void (*)(TilingText& text);

  BASCULE_HIDDEN TilingClass(const char* op_type, const char* class_name, Describe describe_class)
      : type(op_type), name(class_name), describe(describe_class) {
    TilingClass** place = &First();
    while (*place != nullptr) place = &(*place)->next;
    *place = this;
  }
  // The list of this library, in the order of loading.
  BASCULE_HIDDEN static TilingClass*& First() {
    static TilingClass* first = nullptr;
    return first;
  }

  const char* type;
  const char* name;
  Describe describe;
  TilingClass* next = nullptr;
};

template <typename Data>
BASCULE_HIDDEN inline void DescribeTiling(TilingText& text) {
  text.AddClass<Data>();
}

}  // namespace bascule_host

#endif  // BASCULE_HOST_TILING_H_
