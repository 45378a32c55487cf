// Tiling data as a class: one macro a field, with set_ and get_ for each.
//
//     namespace optiling {
//     BEGIN_TILING_DATA_DEF(AddTilingData)
//     TILING_DATA_FIELD_DEF(uint32_t, totalLength);
//     TILING_DATA_FIELD_DEF_ARR(uint16_t, 3, sizes);
//     TILING_DATA_FIELD_DEF_STRUCT(SoftMaxTiling, softmax);
//     END_TILING_DATA_DEF;
//     REGISTER_TILING_DATA_CLASS(Add, AddTilingData)
//     }
//
// An object has exactly the layout of the plain structure with these fields, which is what the
// kernel reads: fields in the order of their definition, each aligned to its size, padding zero.
// Source: "TilingData" pages of the Ascend C documentation. SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_REGISTER_TILINGDATA_BASE_H_
#define BASCULE_ASCENDC_REGISTER_TILINGDATA_BASE_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "bascule/abi/tiling.h"
#include "bascule_host_base.h"
#include "bascule_host_tiling.h"
#include "graph/types.h"  // host code has tilings in headers with ge::DataType, and includes this one

namespace bascule_host {

// What a class of tiling data can do as a whole. One base per class: with a common one, a
// structure that begins with another would get an offset.
template <typename Data>
class TilingDef {
 public:
  // The bytes the kernel reads.
  BASCULE_HIDDEN size_t GetDataSize() const { return sizeof(Data); }

  // Throws when there is less room than GetDataSize().
  BASCULE_HIDDEN void SaveToBuffer(void* data, size_t capacity) const {
    if (data == nullptr || capacity < sizeof(Data)) {
      throw HostError(std::string(Data::BasculeName()) + "::SaveToBuffer: the tiling data has " +
                      std::to_string(sizeof(Data)) + " bytes, the buffer " +
                      (data == nullptr ? std::string("is null")
                                       : "has " + std::to_string(capacity) + " bytes"));
    }
    std::memcpy(data, static_cast<const Data*>(this), sizeof(Data));
  }
};

}  // namespace bascule_host

#define BEGIN_TILING_DATA_DEF(class_name)                                       \
  class class_name : public ::bascule_host::TilingDef<class_name> {             \
   public:                                                                      \
    BASCULE_HIDDEN class_name() {                                               \
      static_assert(::std::is_trivially_copyable<class_name>::value,            \
                    "tiling data consists of numbers, arrays and tiling data"); \
      ::std::memset(static_cast<void*>(this), 0, sizeof(class_name));           \
    }                                                                           \
    BASCULE_HIDDEN static const char* BasculeName() { return #class_name; }     \
    enum : int { kBasculeFirst = __COUNTER__ + 1 };

// Fields are numbered in their order, so that they can be listed.
#define BASCULE_TILING_FIELD_TEXT                                 \
  BASCULE_HIDDEN static void BasculeField(                        \
      ::std::integral_constant<int, __COUNTER__ - kBasculeFirst>, \
      ::bascule_host::TilingText& text)

// A field may be written with a semicolon behind it or without.
#define TILING_DATA_FIELD_DEF(data_type, field_name)                                         \
 public:                                                                                     \
  BASCULE_HIDDEN void set_##field_name(data_type value) { bascule_##field_name##_ = value; } \
  BASCULE_HIDDEN data_type get_##field_name() const { return bascule_##field_name##_; }      \
  BASCULE_TILING_FIELD_TEXT { text.AddField(#data_type, #field_name); }                      \
                                                                                             \
 private:                                                                                    \
  data_type bascule_##field_name##_;                                                         \
                                                                                             \
 public:

// set_ copies arr_size elements.
#define TILING_DATA_FIELD_DEF_ARR(arr_type, arr_size, field_name)                             \
 public:                                                                                      \
  BASCULE_HIDDEN void set_##field_name(const arr_type* values) {                              \
    ::std::memcpy(bascule_##field_name##_, values, sizeof(bascule_##field_name##_));          \
  }                                                                                           \
  BASCULE_HIDDEN arr_type* get_##field_name() { return bascule_##field_name##_; }             \
  BASCULE_HIDDEN const arr_type* get_##field_name() const { return bascule_##field_name##_; } \
  BASCULE_TILING_FIELD_TEXT { text.AddArray(#arr_type, #field_name, arr_size); }              \
                                                                                              \
 private:                                                                                     \
  arr_type bascule_##field_name##_[arr_size];                                                 \
                                                                                              \
 public:

#define TILING_DATA_FIELD_DEF_STRUCT(struct_type, field_name)             \
 public:                                                                  \
  BASCULE_TILING_FIELD_TEXT { text.AddStruct<struct_type>(#field_name); } \
  struct_type field_name;

// A semicolon may follow.
#define END_TILING_DATA_DEF                                                                   \
  BASCULE_HIDDEN static constexpr int BasculeFields() { return __COUNTER__ - kBasculeFirst; } \
  }                                                                                           \
  ;

// Which operator the class belongs to: `bascule build` gives its kernel the structure, and
// GET_TILING_DATA reads it. `Add_1` is for tiling key 1 of Add; the kernel then names the structure
// itself (GET_TILING_DATA_WITH_STRUCT).
#define REGISTER_TILING_DATA_CLASS(op_type, class_name)                       \
  static ::bascule_host::TilingClass bascule_tiling_##op_type##_##class_name( \
      #op_type, #class_name, &::bascule_host::DescribeTiling<class_name>);

// The tiling structures of the advanced library as classes, for use as fields.
namespace optiling {
#define BASCULE_TILING_FIELD(type, name) TILING_DATA_FIELD_DEF(type, name);
#define BASCULE_TILING_STRUCT(name, fields)         \
  BEGIN_TILING_DATA_DEF(name)                       \
  fields(BASCULE_TILING_FIELD) END_TILING_DATA_DEF; \
  static_assert(sizeof(name) == sizeof(::AscendC::tiling::name), "one layout on both sides");
BASCULE_TILING_STRUCTS(BASCULE_TILING_STRUCT)
#undef BASCULE_TILING_STRUCT
#undef BASCULE_TILING_FIELD
}  // namespace optiling
namespace bascule_host {
#define BASCULE_TILING_STRUCT(name, fields) \
  template <>                               \
  struct IsLibraryTiling<optiling::name> : std::true_type {};
BASCULE_TILING_STRUCTS(BASCULE_TILING_STRUCT)
#undef BASCULE_TILING_STRUCT
}  // namespace bascule_host

#endif  // BASCULE_ASCENDC_REGISTER_TILINGDATA_BASE_H_
