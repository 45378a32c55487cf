// SPDX-License-Identifier: Apache-2.0
#include "check/numbers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>

#include "bascule/numeric/bfloat16.h"
#include "bascule/numeric/half.h"
#include "base/dtype.h"
#include "base/error.h"

namespace bascule::check {
namespace {

constexpr std::array<Format, 13> kFormats = {{
    {BASCULE_FLOAT, true, 24, -126, 3.4028234663852886e38},
    {BASCULE_FLOAT16, true, 11, -14, 65504.0},
    {BASCULE_BFLOAT16, true, 8, -126, 3.3895313892515355e38},
    {BASCULE_DOUBLE, true, 53, -1022, std::numeric_limits<double>::max()},
    {BASCULE_INT8, false, 0, 0, 127.0},
    {BASCULE_UINT8, false, 0, 0, 255.0},
    {BASCULE_INT16, false, 0, 0, 32767.0},
    {BASCULE_UINT16, false, 0, 0, 65535.0},
    {BASCULE_INT32, false, 0, 0, 2147483647.0},
    {BASCULE_UINT32, false, 0, 0, 4294967295.0},
    {BASCULE_INT64, false, 0, 0, 9223372036854775807.0},
    {BASCULE_UINT64, false, 0, 0, 18446744073709551615.0},
    {BASCULE_BOOL, false, 0, 0, 1.0},
}};

template <typename T>
T Load(const char* element) {
  T value;
  std::memcpy(&value, element, sizeof(value));
  return value;
}

template <typename T>
void Store(char* element, T value) {
  std::memcpy(element, &value, sizeof(value));
}

template <typename T>
void StoreInteger(char* element, double value) {
  const double low = static_cast<double>(std::numeric_limits<T>::lowest());
  const double high = static_cast<double>(std::numeric_limits<T>::max());
  if (std::isnan(value)) value = 0;
  // The largest 64-bit integers have no double of their own.
  if (value >= high) return Store(element, std::numeric_limits<T>::max());
  Store(element, static_cast<T>(std::max(value, low)));
}

}  // namespace

const Format& FormatOf(int32_t dtype) {
  for (const Format& format : kFormats) {
    if (format.dtype == dtype) return format;
  }
  throw Error(BASCULE_UNSUPPORTED, Join("elements of type ", DTypeName(dtype),
                                        " cannot be compared by this version of bascule."));
}

double UlpOf(double value, const Format& format) {
  if (!format.is_float) return 1.0;
  int exponent = format.lowest_exponent;
  if (std::isfinite(value) && value != 0.0) {
    exponent = std::max(exponent, std::ilogb(std::min(std::fabs(value), format.largest)));
  }
  return std::ldexp(1.0, exponent - format.digits + 1);
}

double Round(double value, const Format& format) {
  switch (format.dtype) {
    case BASCULE_FLOAT:
      return static_cast<double>(static_cast<float>(value));
    case BASCULE_FLOAT16:
      return static_cast<double>(
          numeric::HalfFormat::ToFloat(numeric::HalfFormat::FromDouble(value)));
    case BASCULE_BFLOAT16:
      return static_cast<double>(
          numeric::BfloatFormat::ToFloat(numeric::BfloatFormat::FromDouble(value)));
    default:
      return value;
  }
}

double ReadNumber(const char* element, int32_t dtype) {
  switch (dtype) {
    case BASCULE_FLOAT:
      return static_cast<double>(Load<float>(element));
    case BASCULE_FLOAT16:
      return static_cast<double>(numeric::HalfFormat::ToFloat(Load<uint16_t>(element)));
    case BASCULE_BFLOAT16:
      return static_cast<double>(numeric::BfloatFormat::ToFloat(Load<uint16_t>(element)));
    case BASCULE_DOUBLE:
      return Load<double>(element);
    case BASCULE_UINT64:
      return static_cast<double>(Load<uint64_t>(element));
    default:
      return static_cast<double>(ReadInteger(element, dtype));
  }
}

int64_t ReadInteger(const char* element, int32_t dtype) {
  switch (dtype) {
    case BASCULE_INT8:
      return Load<int8_t>(element);
    case BASCULE_UINT8:
    case BASCULE_BOOL:
      return Load<uint8_t>(element);
    case BASCULE_INT16:
      return Load<int16_t>(element);
    case BASCULE_UINT16:
      return Load<uint16_t>(element);
    case BASCULE_INT32:
      return Load<int32_t>(element);
    case BASCULE_UINT32:
      return Load<uint32_t>(element);
    case BASCULE_INT64:
    case BASCULE_UINT64:
      return Load<int64_t>(element);
    default:
      throw Error(BASCULE_INTERNAL, Join("ReadInteger of ", DTypeName(dtype)));
  }
}

void WriteNumber(char* element, int32_t dtype, double value) {
  switch (dtype) {
    case BASCULE_FLOAT:
      return Store(element, static_cast<float>(value));
    case BASCULE_FLOAT16:
      return Store(element, numeric::HalfFormat::FromDouble(value));
    case BASCULE_BFLOAT16:
      return Store(element, numeric::BfloatFormat::FromDouble(value));
    case BASCULE_DOUBLE:
      return Store(element, value);
    case BASCULE_INT8:
      return StoreInteger<int8_t>(element, value);
    case BASCULE_UINT8:
      return StoreInteger<uint8_t>(element, value);
    case BASCULE_BOOL:
      return Store(element, static_cast<uint8_t>(value != 0.0 ? 1 : 0));
    case BASCULE_INT16:
      return StoreInteger<int16_t>(element, value);
    case BASCULE_UINT16:
      return StoreInteger<uint16_t>(element, value);
    case BASCULE_INT32:
      return StoreInteger<int32_t>(element, value);
    case BASCULE_UINT32:
      return StoreInteger<uint32_t>(element, value);
    case BASCULE_INT64:
      return StoreInteger<int64_t>(element, value);
    case BASCULE_UINT64:
      return StoreInteger<uint64_t>(element, value);
    default:
      FormatOf(dtype);  // has the sentence
  }
}

std::string NumberText(double value) {
  char text[40];
  std::snprintf(text, sizeof(text), "%.9g", value);
  return text;
}

int32_t DTypeOf(const BasculeTensor& tensor) {
  const DTypeInfo* info = FindDTypeByDlpack(tensor.dtype_code, tensor.dtype_bits);
  if (info == nullptr) {
    throw Error(BASCULE_INVALID_ARGUMENT,
                Join("a tensor of DLPack type ", int{tensor.dtype_code}, " with ",
                     int{tensor.dtype_bits}, " bits came, which no operator has."));
  }
  return FormatOf(info->dtype).dtype;
}

std::vector<int64_t> ShapeOf(const BasculeTensor& tensor) {
  return std::vector<int64_t>(tensor.shape, tensor.shape + tensor.ndim);
}

int64_t CountOf(const std::vector<int64_t>& shape) {
  int64_t count = 1;
  for (const int64_t n : shape) {
    if (n < 0 || __builtin_mul_overflow(count, n, &count)) {
      throw Error(BASCULE_INVALID_ARGUMENT,
                  Join("a tensor of shape ", TupleText(shape), " cannot exist."));
    }
  }
  return count;
}

int64_t CountOf(const BasculeTensor& tensor) { return CountOf(ShapeOf(tensor)); }

std::vector<double> Numbers(const BasculeTensor& tensor) {
  const int32_t dtype = DTypeOf(tensor);
  std::vector<double> numbers(static_cast<size_t>(CountOf(tensor)));
  ForEach(tensor, [&](int64_t i, const char* at) {
    numbers[static_cast<size_t>(i)] = ReadNumber(at, dtype);
  });
  return numbers;
}

std::vector<int64_t> Integers(const BasculeTensor& tensor) {
  const int32_t dtype = DTypeOf(tensor);
  std::vector<int64_t> numbers(static_cast<size_t>(CountOf(tensor)));
  ForEach(tensor, [&](int64_t i, const char* at) {
    numbers[static_cast<size_t>(i)] = ReadInteger(at, dtype);
  });
  return numbers;
}

std::vector<int64_t> IndexOf(int64_t number, const std::vector<int64_t>& shape) {
  std::vector<int64_t> index(shape.size());
  for (size_t d = shape.size(); d-- > 0;) {
    index[d] = number % shape[d];
    number /= shape[d];
  }
  return index;
}

std::string TupleText(const std::vector<int64_t>& values) {
  std::string text = "(";
  for (size_t i = 0; i < values.size(); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(values[i]);
  }
  return text + (values.size() == 1 ? ",)" : ")");
}

// splitmix64, by its published constants.
uint64_t Mix(uint64_t seed, uint64_t position) {
  uint64_t z = seed * 0x9e3779b97f4a7c15ULL + (position + 1) * 0xd1342543de82ef95ULL;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31);
}

double Unit(uint64_t seed, uint64_t position) {
  return static_cast<double>(Mix(seed, position) >> 11) * 0x1p-53;
}

}  // namespace bascule::check
