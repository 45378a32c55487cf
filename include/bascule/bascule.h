// C++ over bascule's C interface: libraries, operators, tensors, plans and streams as objects.
// Header-only, C++20, no dependency but the C interface and the standard library.
//
//     bascule::Library library("./libmy_mul.so");
//     bascule::Operator my_mul = library.Find("my_mul");
//     std::vector<float> x(15, 2), y(15, 3), out(15);
//     my_mul.Call({bascule::Tensor(x, {3, 5}), bascule::Tensor(y, {3, 5})},
//                 {bascule::Tensor(out, {3, 5})});
//
// Every failure is a bascule::Exception. Objects of one thread; libraries, operators and plans may
// be used by several at once. A Tensor borrows the memory of its elements and owns the rest.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_BASCULE_H_
#define BASCULE_BASCULE_H_

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "bascule/c_api.h"

namespace bascule {

// The one type that is thrown: a status for programs, a sentence for people.
class Exception : public std::runtime_error {
 public:
  Exception(BasculeStatus status, const std::string& text)
      : std::runtime_error(text), status_(status) {}
  BasculeStatus status() const { return status_; }

  // Throws when a call of the C interface failed.
  static void Check(BasculeStatus status) {
    if (status != BASCULE_OK) [[unlikely]]
      throw Exception(status, bascule_last_error());
  }

 private:
  BasculeStatus status_;
};

// An element type: as DLPack says it, and by its number in schemas.
struct DType {
  uint8_t code;
  uint8_t bits;
  int32_t number;
  friend bool operator==(const DType&, const DType&) = default;
};
inline constexpr DType kFloat32 = {2, 32, BASCULE_FLOAT};
inline constexpr DType kFloat64 = {2, 64, BASCULE_DOUBLE};
inline constexpr DType kFloat16 = {2, 16, BASCULE_FLOAT16};
inline constexpr DType kBFloat16 = {4, 16, BASCULE_BFLOAT16};
inline constexpr DType kInt4 = {0, 4, BASCULE_INT4};
inline constexpr DType kInt8 = {0, 8, BASCULE_INT8};
inline constexpr DType kInt16 = {0, 16, BASCULE_INT16};
inline constexpr DType kInt32 = {0, 32, BASCULE_INT32};
inline constexpr DType kInt64 = {0, 64, BASCULE_INT64};
inline constexpr DType kUInt8 = {1, 8, BASCULE_UINT8};
inline constexpr DType kUInt16 = {1, 16, BASCULE_UINT16};
inline constexpr DType kUInt32 = {1, 32, BASCULE_UINT32};
inline constexpr DType kUInt64 = {1, 64, BASCULE_UINT64};
inline constexpr DType kBool = {6, 8, BASCULE_BOOL};

// The element type of a C++ type. A half or bfloat16 of one's own is told by a Tensor's
// constructor that takes a DType, or by specialising this.
template <typename T>
struct DTypeOf;
template <>
struct DTypeOf<bool> {
  static constexpr DType value = kBool;
};
template <>
struct DTypeOf<float> {
  static constexpr DType value = kFloat32;
};
template <>
struct DTypeOf<double> {
  static constexpr DType value = kFloat64;
};
template <std::integral T>
struct DTypeOf<T> {
 private:
  static constexpr DType kSigned[] = {kInt8, kInt16, kInt32, kInt64};
  static constexpr DType kUnsigned[] = {kUInt8, kUInt16, kUInt32, kUInt64};
  static constexpr int kIndex = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;

 public:
  static constexpr DType value = std::is_signed_v<T> ? kSigned[kIndex] : kUnsigned[kIndex];
};

// Elements somewhere in memory, with a shape and, if they are not dense, strides.
class Tensor {
 public:
  // An optional input that is left out.
  Tensor() = default;
  // Strides count elements; none: row-major and dense.
  Tensor(void* data, DType dtype, std::span<const int64_t> shape,
         std::span<const int64_t> strides = {})
      : data_(data), dtype_(dtype), rank_(static_cast<int32_t>(shape.size())) {
    if (!strides.empty() && strides.size() != shape.size()) {
      throw Exception(BASCULE_INVALID_ARGUMENT,
                      "bascule::Tensor: " + std::to_string(strides.size()) + " strides came for " +
                          std::to_string(shape.size()) + " dimensions.");
    }
    numbers_.assign(shape.begin(), shape.end());
    numbers_.insert(numbers_.end(), strides.begin(), strides.end());
  }
  Tensor(void* data, DType dtype, std::initializer_list<int64_t> shape)
      : Tensor(data, dtype, std::span<const int64_t>(shape.begin(), shape.size())) {}
  // The elements of a vector, array or span, all of them. Constant ones are for inputs only.
  template <std::ranges::contiguous_range Range>
  requires std::ranges::sized_range<Range> && std::is_lvalue_reference_v<Range&&> Tensor(
      Range&& elements, std::span<const int64_t> shape)
      : Tensor(const_cast<void*>(static_cast<const void*>(std::ranges::data(elements))),
               DTypeOf<std::ranges::range_value_t<Range>>::value, shape) {
    int64_t count = 1;
    bool fits = true;
    for (const int64_t size : shape) fits = fits && !__builtin_mul_overflow(count, size, &count);
    if (!fits || std::cmp_not_equal(count, std::ranges::size(elements))) {
      throw Exception(BASCULE_INVALID_ARGUMENT, "bascule::Tensor: the shape does not have the " +
                                                    std::to_string(std::ranges::size(elements)) +
                                                    " elements that were passed.");
    }
  }
  template <std::ranges::contiguous_range Range>
  requires std::ranges::sized_range<Range> && std::is_lvalue_reference_v<Range&&> Tensor(
      Range&& elements, std::initializer_list<int64_t> shape)
      : Tensor(std::forward<Range>(elements),
               std::span<const int64_t>(shape.begin(), shape.size())) {}

  explicit operator bool() const { return rank_ >= 0; }
  DType dtype() const { return dtype_; }
  std::span<const int64_t> shape() const {
    return std::span(numbers_).first(static_cast<size_t>(rank_ < 0 ? 0 : rank_));
  }
  // The C interface's view, as long as this lives unchanged.
  BasculeTensor View() const {
    BasculeTensor view = {};
    view.data = data_;
    view.device_type = 1;
    view.ndim = rank_;
    view.dtype_code = dtype_.code;
    view.dtype_bits = dtype_.bits;
    view.dtype_lanes = 1;
    view.shape = const_cast<int64_t*>(numbers_.data());
    const bool strided = numbers_.size() > static_cast<size_t>(rank_);
    view.strides = strided ? view.shape + rank_ : nullptr;
    return view;
  }

 private:
  void* data_ = nullptr;
  DType dtype_ = kFloat32;
  int32_t rank_ = -1;
  std::vector<int64_t> numbers_;  // shape, then strides
};

// What is known of a tensor that need not exist. A dimension of -1 is unknown, as is a shape that
// is not there.
struct TensorInfo {
  std::optional<std::vector<int64_t>> shape;
  int32_t dtype = -1;  // BASCULE_FLOAT, …; -1: unknown
  int32_t format = BASCULE_FORMAT_ND;
  bool present = true;  // false: an optional input that is left out

  static TensorInfo Absent() { return {std::nullopt, -1, BASCULE_FORMAT_ND, false}; }
  friend bool operator==(const TensorInfo&, const TensorInfo&) = default;
};

// Attributes of a call: names and values, which are copied.
class Attributes {
 public:
  Attributes() = default;
  Attributes(Attributes&&) = default;
  Attributes& operator=(Attributes&&) = default;

  template <typename T>
  requires std::is_arithmetic_v<T> Attributes& Set(std::string_view name, T value) {
    BasculeAttribute& attribute = Add(name, BASCULE_ATTR_INT);
    if constexpr (std::is_same_v<T, bool>) {
      attribute.kind = BASCULE_ATTR_BOOL;
      attribute.value.i = value ? 1 : 0;
    } else if constexpr (std::is_floating_point_v<T>) {
      attribute.kind = BASCULE_ATTR_FLOAT;
      attribute.value.f = static_cast<float>(value);
    } else {
      attribute.value.i = static_cast<int64_t>(value);
    }
    return *this;
  }
  Attributes& Set(std::string_view name, std::string_view value) {
    BasculeAttribute& attribute = Add(name, BASCULE_ATTR_STRING);
    attribute.value.s = texts_.emplace_back(value).c_str();
    attribute.length = static_cast<uint32_t>(value.size());
    return *this;
  }
  // Without this a literal would be taken for a truth value.
  Attributes& Set(std::string_view name, const char* value) {
    return Set(name, std::string_view(value));
  }
  Attributes& Set(std::string_view name, std::span<const int64_t> values) {
    BasculeAttribute& attribute = Add(name, BASCULE_ATTR_INT_LIST);
    attribute.value.ints = ints_.emplace_back(values.begin(), values.end()).data();
    attribute.length = static_cast<uint32_t>(values.size());
    return *this;
  }
  Attributes& Set(std::string_view name, std::initializer_list<int64_t> values) {
    return Set(name, std::span<const int64_t>(values.begin(), values.size()));
  }
  Attributes& Set(std::string_view name, std::span<const float> values) {
    BasculeAttribute& attribute = Add(name, BASCULE_ATTR_FLOAT_LIST);
    attribute.value.floats = floats_.emplace_back(values.begin(), values.end()).data();
    attribute.length = static_cast<uint32_t>(values.size());
    return *this;
  }

  // A list of truth values.
  Attributes& Set(std::string_view name, const std::vector<bool>& values) {
    BasculeAttribute& attribute = Add(name, BASCULE_ATTR_BOOL_LIST);
    attribute.value.ints = ints_.emplace_back(values.begin(), values.end()).data();
    attribute.length = static_cast<uint32_t>(values.size());
    return *this;
  }
  // A list of lists.
  Attributes& Set(std::string_view name, std::span<const std::vector<int64_t>> lists) {
    BasculeAttribute& attribute = Add(name, BASCULE_ATTR_INT_LISTS);
    std::vector<int64_t>& ints = ints_.emplace_back();
    for (const std::vector<int64_t>& list : lists) {
      ints.push_back(static_cast<int64_t>(list.size()));
      ints.insert(ints.end(), list.begin(), list.end());
    }
    attribute.value.ints = ints.data();
    attribute.length = static_cast<uint32_t>(ints.size());
    return *this;
  }

  std::span<const BasculeAttribute> View() const { return attributes_; }

 private:
  BasculeAttribute& Add(std::string_view name, uint32_t kind) {
    BasculeAttribute& attribute = attributes_.emplace_back();
    attribute.name = texts_.emplace_back(name).c_str();
    attribute.kind = kind;
    return attribute;
  }

  std::vector<BasculeAttribute> attributes_;
  // What they point to; deques do not move their elements.
  std::deque<std::string> texts_;
  std::deque<std::vector<int64_t>> ints_;
  std::deque<std::vector<float>> floats_;
};

// An ordered queue of one's own.
class Stream {
 public:
  Stream() { Exception::Check(bascule_stream_create(&handle_)); }
  ~Stream() { bascule_stream_destroy(handle_); }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  // Throws the first failure of a kernel on it.
  void Synchronize() { Exception::Check(bascule_stream_synchronize(handle_)); }
  BasculeStream handle() const { return handle_; }

 private:
  BasculeStream handle_ = nullptr;
};

namespace detail {

inline BasculeTensorInfo ToC(const TensorInfo& from) {
  BasculeTensorInfo info = {};
  info.present = from.present ? 1 : 0;
  info.dtype = from.dtype;
  info.format = from.format;
  info.shape.rank = -1;
  if (!from.shape) return info;
  if (from.shape->size() > BASCULE_MAX_RANK) {
    throw Exception(BASCULE_INVALID_ARGUMENT,
                    "bascule::TensorInfo: " + std::to_string(from.shape->size()) +
                        " dimensions; at most " + std::to_string(BASCULE_MAX_RANK) +
                        " are possible.");
  }
  info.shape.rank = static_cast<int64_t>(from.shape->size());
  std::copy(from.shape->begin(), from.shape->end(), info.shape.dims);
  return info;
}

inline TensorInfo FromC(const BasculeTensorInfo& from) {
  TensorInfo info;
  info.dtype = from.dtype;
  info.format = from.format;
  info.present = from.present != 0;
  if (from.shape.rank >= 0) info.shape.emplace(from.shape.dims, from.shape.dims + from.shape.rank);
  return info;
}

inline std::vector<BasculeTensorInfo> ToC(std::span<const TensorInfo> from) {
  std::vector<BasculeTensorInfo> infos;
  infos.reserve(from.size());
  for (const TensorInfo& info : from) infos.push_back(ToC(info));
  return infos;
}

}  // namespace detail

// The tensors of each input, or of each output, of an operator in one row: a list has any number of
// them, everything else one. `Lists<Tensor>{{x}, {a, b, c}}`.
template <typename T>
class Lists {
 public:
  Lists(std::initializer_list<std::initializer_list<T>> lists) {
    for (const std::initializer_list<T>& list : lists) {
      Add(std::span(list.begin(), list.size()));
    }
  }
  explicit Lists(std::span<const std::vector<T>> lists) {
    for (const std::vector<T>& list : lists) Add(list);
  }
  std::span<const T> row() const { return row_; }
  std::span<const uint32_t> counts() const { return counts_; }

 private:
  void Add(std::span<const T> list) {
    row_.insert(row_.end(), list.begin(), list.end());
    counts_.push_back(static_cast<uint32_t>(list.size()));
  }
  std::vector<T> row_;
  std::vector<uint32_t> counts_;
};

namespace detail {

inline BasculeLists ToC(std::span<const uint32_t> inputs, std::span<const uint32_t> outputs) {
  return {sizeof(BasculeLists), static_cast<uint32_t>(inputs.size()),  inputs.data(),
          outputs.data(),       static_cast<uint32_t>(outputs.size()), 0};
}

}  // namespace detail

// What tiling decided; shared by everybody who asked for the same.
class Plan {
 public:
  explicit Plan(BasculePlan* held) : plan_(held) {}

  BasculePlanInfo Info() const {
    BasculePlanInfo info = {};
    info.struct_bytes = sizeof(info);
    Exception::Check(bascule_plan_info(plan_.get(), &info));
    return info;
  }
  TensorInfo Output(uint32_t index) const {
    BasculeTensorInfo info = {};
    Exception::Check(bascule_plan_output(plan_.get(), index, &info));
    return detail::FromC(info);
  }
  std::span<const std::byte> TilingData() const {
    const BasculePlanInfo info = Info();
    return {static_cast<const std::byte*>(info.tiling_data), info.tiling_bytes};
  }

 private:
  struct Release {
    void operator()(BasculePlan* plan) const { bascule_plan_release(plan); }
  };
  std::unique_ptr<BasculePlan, Release> plan_;
};

// One operator of a library. A handle: copied freely, alive as long as the process.
class Operator {
 public:
  explicit Operator(const BasculeOperator* handle) : handle_(handle) {}

  const BasculeOperator* handle() const { return handle_; }
  std::string_view name() const { return bascule_operator_name(handle_); }
  std::string_view schema() const { return bascule_operator_schema(handle_); }  // JSON
  // BASCULE_ANY_COUNT for a lone kernel.
  uint32_t input_count() const { return bascule_operator_input_count(handle_); }
  uint32_t output_count() const { return bascule_operator_output_count(handle_); }

  // Shapes and dtypes of the outputs.
  std::vector<TensorInfo> Infer(std::span<const TensorInfo> inputs,
                                const Attributes& attributes = {}) const {
    const std::vector<BasculeTensorInfo> in = detail::ToC(inputs);
    const uint32_t count = output_count();
    std::vector<BasculeTensorInfo> out(count != BASCULE_ANY_COUNT ? count : 0);
    Exception::Check(bascule_operator_infer(handle_, static_cast<uint32_t>(in.size()), in.data(),
                                            Count(attributes), attributes.View().data(),
                                            static_cast<uint32_t>(out.size()), out.data()));
    std::vector<TensorInfo> infos;
    infos.reserve(out.size());
    for (const BasculeTensorInfo& info : out) infos.push_back(detail::FromC(info));
    return infos;
  }
  std::vector<TensorInfo> Infer(std::initializer_list<TensorInfo> inputs,
                                const Attributes& attributes = {}) const {
    return Infer(std::span(inputs.begin(), inputs.size()), attributes);
  }

  // With lists, for operators that have dynamic inputs or outputs. `output_counts` says how many
  // tensors each output is; none: one each.
  std::vector<TensorInfo> InferLists(const Lists<TensorInfo>& inputs,
                                     const Attributes& attributes = {},
                                     std::span<const uint32_t> output_counts = {}) const {
    const std::vector<BasculeTensorInfo> in = detail::ToC(inputs.row());
    const BasculeLists lists = detail::ToC(inputs.counts(), output_counts);
    uint32_t count = output_counts.empty() ? output_count() : 0;
    for (const uint32_t more : output_counts) count += more;
    std::vector<BasculeTensorInfo> out(count != BASCULE_ANY_COUNT ? count : 0);
    Exception::Check(bascule_operator_infer_lists(
        handle_, &lists, static_cast<uint32_t>(in.size()), in.data(), Count(attributes),
        attributes.View().data(), static_cast<uint32_t>(out.size()), out.data()));
    std::vector<TensorInfo> infos;
    infos.reserve(out.size());
    for (const BasculeTensorInfo& info : out) infos.push_back(detail::FromC(info));
    return infos;
  }
  bascule::Plan PlanLists(const Lists<TensorInfo>& inputs, const Attributes& attributes = {},
                          std::span<const uint32_t> output_counts = {}) const {
    const std::vector<BasculeTensorInfo> in = detail::ToC(inputs.row());
    const BasculeLists lists = detail::ToC(inputs.counts(), output_counts);
    BasculePlan* plan = nullptr;
    Exception::Check(bascule_operator_plan_lists(handle_, &lists, static_cast<uint32_t>(in.size()),
                                                 in.data(), Count(attributes),
                                                 attributes.View().data(), &plan));
    return bascule::Plan(plan);
  }
  void CallLists(const Lists<Tensor>& inputs, const Lists<Tensor>& outputs,
                 const Attributes& attributes = {}) const {
    const Views in(inputs.row());
    const Views out(outputs.row());
    const BasculeLists lists = detail::ToC(inputs.counts(), outputs.counts());
    Exception::Check(bascule_operator_call_lists(handle_, &lists, in.count(), in.pointers(),
                                                 out.count(), out.pointers(), Count(attributes),
                                                 attributes.View().data()));
  }
  void CallLists(const Stream& stream, const Lists<Tensor>& inputs, const Lists<Tensor>& outputs,
                 const Attributes& attributes = {}) const {
    const Views in(inputs.row());
    const Views out(outputs.row());
    const BasculeLists lists = detail::ToC(inputs.counts(), outputs.counts());
    Exception::Check(bascule_operator_call_lists_on(handle_, &lists, in.count(), in.pointers(),
                                                    out.count(), out.pointers(), Count(attributes),
                                                    attributes.View().data(), stream.handle()));
  }

  bascule::Plan Plan(std::span<const TensorInfo> inputs, const Attributes& attributes = {}) const {
    const std::vector<BasculeTensorInfo> in = detail::ToC(inputs);
    BasculePlan* plan = nullptr;
    Exception::Check(bascule_operator_plan(handle_, static_cast<uint32_t>(in.size()), in.data(),
                                           Count(attributes), attributes.View().data(), &plan));
    return bascule::Plan(plan);
  }
  bascule::Plan Plan(std::initializer_list<TensorInfo> inputs,
                     const Attributes& attributes = {}) const {
    return Plan(std::span(inputs.begin(), inputs.size()), attributes);
  }

  // Returns when the outputs are there.
  void Call(std::span<const Tensor> inputs, std::span<const Tensor> outputs,
            const Attributes& attributes = {}) const {
    const Views in(inputs);
    const Views out(outputs);
    Exception::Check(bascule_operator_call(handle_, in.count(), in.pointers(), out.count(),
                                           out.pointers(), Count(attributes),
                                           attributes.View().data()));
  }
  void Call(std::initializer_list<Tensor> inputs, std::initializer_list<Tensor> outputs,
            const Attributes& attributes = {}) const {
    Call(std::span(inputs.begin(), inputs.size()), std::span(outputs.begin(), outputs.size()),
         attributes);
  }
  // In its turn on the stream, which keeps a failure of the kernel until it is synchronised.
  void Call(const Stream& stream, std::span<const Tensor> inputs, std::span<const Tensor> outputs,
            const Attributes& attributes = {}) const {
    const Views in(inputs);
    const Views out(outputs);
    Exception::Check(bascule_operator_call_on(handle_, in.count(), in.pointers(), out.count(),
                                              out.pointers(), Count(attributes),
                                              attributes.View().data(), stream.handle()));
  }
  void Call(const Stream& stream, std::initializer_list<Tensor> inputs,
            std::initializer_list<Tensor> outputs, const Attributes& attributes = {}) const {
    Call(stream, std::span(inputs.begin(), inputs.size()),
         std::span(outputs.begin(), outputs.size()), attributes);
  }

  BasculeOperatorStatistics Statistics() const {
    BasculeOperatorStatistics statistics = {};
    statistics.struct_bytes = sizeof(statistics);
    Exception::Check(bascule_operator_statistics(handle_, &statistics));
    return statistics;
  }
  void SavePlans(const std::string& path) const {
    Exception::Check(bascule_operator_plans_save(handle_, path.c_str()));
  }
  // How many it loaded.
  uint64_t LoadPlans(const std::string& path) const {
    uint64_t count = 0;
    Exception::Check(bascule_operator_plans_load(handle_, path.c_str(), &count));
    return count;
  }

 private:
  // Tensors as the C interface takes them; null for those that are left out. Few need no heap.
  class Views {
   public:
    explicit Views(std::span<const Tensor> tensors)
        : count_(static_cast<uint32_t>(tensors.size())) {
      if (count_ > kFew) {
        more_.resize(count_);
        more_pointers_.resize(count_);
      }
      BasculeTensor* const views = count_ > kFew ? more_.data() : few_;
      BasculeTensor** const pointers = count_ > kFew ? more_pointers_.data() : few_pointers_;
      for (uint32_t i = 0; i < count_; ++i) {
        pointers[i] = nullptr;
        if (!tensors[i]) continue;
        views[i] = tensors[i].View();
        pointers[i] = &views[i];
      }
    }
    Views(const Views&) = delete;
    Views& operator=(const Views&) = delete;
    uint32_t count() const { return count_; }
    BasculeTensor* const* pointers() const {
      return count_ > kFew ? more_pointers_.data() : few_pointers_;
    }

   private:
    static constexpr uint32_t kFew = 4;
    uint32_t count_;
    BasculeTensor few_[kFew];
    BasculeTensor* few_pointers_[kFew];
    std::vector<BasculeTensor> more_;
    std::vector<BasculeTensor*> more_pointers_;
  };

  static uint32_t Count(const Attributes& attributes) {
    return static_cast<uint32_t>(attributes.View().size());
  }

  const BasculeOperator* handle_;
};

// An operator library. A handle: copied freely, alive as long as the process.
class Library {
 public:
  explicit Library(const std::string& path) {
    Exception::Check(bascule_library_open(path.c_str(), &handle_));
  }

  const BasculeLibrary* handle() const { return handle_; }
  std::string_view path() const { return bascule_library_path(handle_); }
  std::string_view manifest() const { return bascule_library_manifest(handle_); }  // JSON

  uint32_t size() const { return bascule_library_operator_count(handle_); }
  std::vector<Operator> Operators() const {
    std::vector<Operator> operators;
    for (uint32_t i = 0; i < size(); ++i) {
      operators.emplace_back(bascule_library_operator(handle_, i));
    }
    return operators;
  }
  Operator Find(const std::string& name) const {
    const BasculeOperator* found = nullptr;
    Exception::Check(bascule_library_find(handle_, name.c_str(), &found));
    return Operator(found);
  }

  // Plans a JSON list of shapes ahead (docs/c_api.md); how many they are.
  uint64_t Plan(const std::string& json) const {
    uint64_t count = 0;
    Exception::Check(bascule_library_plan(handle_, json.c_str(), &count));
    return count;
  }
  void SavePlans(const std::string& path) const {
    Exception::Check(bascule_library_plans_save(handle_, path.c_str()));
  }
  uint64_t LoadPlans(const std::string& path) const {
    uint64_t count = 0;
    Exception::Check(bascule_library_plans_load(handle_, path.c_str(), &count));
    return count;
  }

 private:
  BasculeLibrary* handle_ = nullptr;
};

}  // namespace bascule

#endif  // BASCULE_BASCULE_H_
