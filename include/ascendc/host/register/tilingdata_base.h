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

#include "bascule/abi/tiling.h"
#include "bascule_host_base.h"

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
    BASCULE_HIDDEN static const char* BasculeName() { return #class_name; }

#define TILING_DATA_FIELD_DEF(data_type, field_name)                                         \
 public:                                                                                     \
  BASCULE_HIDDEN void set_##field_name(data_type value) { bascule_##field_name##_ = value; } \
  BASCULE_HIDDEN data_type get_##field_name() const { return bascule_##field_name##_; }      \
                                                                                             \
 private:                                                                                    \
  data_type bascule_##field_name##_;                                                         \
                                                                                             \
 public:                                                                                     \
  static_assert(true, "")

// set_ copies arr_size elements.
#define TILING_DATA_FIELD_DEF_ARR(arr_type, arr_size, field_name)                             \
 public:                                                                                      \
  BASCULE_HIDDEN void set_##field_name(const arr_type* values) {                              \
    ::std::memcpy(bascule_##field_name##_, values, sizeof(bascule_##field_name##_));          \
  }                                                                                           \
  BASCULE_HIDDEN arr_type* get_##field_name() { return bascule_##field_name##_; }             \
  BASCULE_HIDDEN const arr_type* get_##field_name() const { return bascule_##field_name##_; } \
                                                                                              \
 private:                                                                                     \
  arr_type bascule_##field_name##_[arr_size];                                                 \
                                                                                              \
 public:                                                                                      \
  static_assert(true, "")

#define TILING_DATA_FIELD_DEF_STRUCT(struct_type, field_name) \
 public:                                                      \
  struct_type field_name

#define END_TILING_DATA_DEF }

// Which operator the class belongs to. The kernel names its structure itself, so this only checks
// that the class exists.
#define REGISTER_TILING_DATA_CLASS(op_type, class_name) \
  static_assert(sizeof(class_name) > 0, "tiling data of " #op_type);

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

#endif  // BASCULE_ASCENDC_REGISTER_TILINGDATA_BASE_H_
