// Functions on the rows of a matrix against formulas in double: what the tests of their families
// share. SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_TESTS_ISA_ROW_FUNCTIONS_H_
#define BASCULE_TESTS_ISA_ROW_FUNCTIONS_H_

#include <bit>
#include <cmath>
#include <deque>

#include "bascule/abi/vector.h"
#include "base/dtype.h"
#include "tests/isa/cases.h"

namespace bascule::isa::test {

struct Tensor {
  BasculeDType dtype;
  std::vector<double> values;
  bool absent = false;
};

inline std::vector<char> Encode(const Tensor& tensor) {
  const size_t element = ElementBytes(tensor.dtype);
  std::vector<char> bytes(tensor.values.size() * element);
  for (size_t i = 0; i < tensor.values.size(); ++i) {
    if (tensor.dtype == BASCULE_FLOAT) {
      const float value = static_cast<float>(tensor.values[i]);
      std::memcpy(&bytes[i * element], &value, element);
    } else if (tensor.dtype == BASCULE_FLOAT16) {
      const uint16_t bits = half_t(tensor.values[i]).Bits();
      std::memcpy(&bytes[i * element], &bits, element);
    } else {
      const int32_t value = static_cast<int32_t>(tensor.values[i]);
      std::memcpy(&bytes[i * element], &value, element);
    }
  }
  return bytes;
}

inline std::vector<double> Decode(BasculeDType dtype, const char* bytes, size_t count) {
  std::vector<double> values(count);
  for (size_t i = 0; i < count; ++i) {
    if (dtype == BASCULE_FLOAT) {
      float value;
      std::memcpy(&value, bytes + i * 4, 4);
      values[i] = double(value);
    } else if (dtype == BASCULE_FLOAT16) {
      uint16_t bits;
      std::memcpy(&bits, bytes + i * 2, 2);
      values[i] = double(float(half_t::FromBits(bits)));
    } else {
      int32_t value;
      std::memcpy(&value, bytes + i * 4, 4);
      values[i] = value;
    }
  }
  return values;
}

// Values as they come out of memory, so that a formula starts from what the row sees.
inline Tensor Rounded(Tensor tensor) {
  const std::vector<char> bytes = Encode(tensor);
  tensor.values = Decode(tensor.dtype, bytes.data(), tensor.values.size());
  return tensor;
}

inline Tensor Random(BasculeDType dtype, size_t count, double low, double high, uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(low, high);
  Tensor tensor{dtype, std::vector<double>(count)};
  for (double& value : tensor.values) value = uniform(random);
  return Rounded(tensor);
}

inline BasculeInstruction RowsInstruction(uint16_t opcode, uint32_t rows, uint32_t columns,
                                          uint32_t data, uint32_t mode) {
  BasculeInstruction in = {};
  in.opcode = opcode;
  in.form = BASCULE_FORM_COUNT;
  in.count = 1;
  in.operand_count = FindRow(opcode)->operand_count;
  in.params.vector.mode = mode;
  in.params.vector.extra[0] = uint64_t{columns} << 32 | rows;
  in.params.vector.extra[1] = data;
  return in;
}
inline void SetFloats(BasculeInstruction& in, float first, float second = 0) {
  in.params.vector.extra[2] =
      uint64_t{std::bit_cast<uint32_t>(second)} << 32 | std::bit_cast<uint32_t>(first);
}

// What an operand should hold afterwards; NaN where anything goes. Empty: the operand is not
// looked at.
using Expected = std::vector<std::vector<double>>;

class RowBench {
 public:
  explicit RowBench(uint16_t opcode) : row_(*FindRow(opcode)) {}

  // Runs `in` on the tensors by the reference and on every target. Operands `same[0]` and `same[1]`
  // share their memory, where there are any. A result may be `relative` (of its size) or `absolute`
  // away from what is expected, and rounded to its type; targets and reference differ by no more
  // than the row's bound.
  void Check(BasculeInstruction in, const std::vector<Tensor>& tensors, const Expected& expected,
             double relative, double absolute, const std::string& what,
             std::vector<std::pair<uint32_t, uint32_t>> same = {}) {
    ASSERT_EQ(tensors.size(), row_.operand_count);
    std::vector<std::vector<char>> reference;
    ASSERT_NO_FATAL_FAILURE(Run(in, tensors, row_.run_reference, same, &reference, what));
    ASSERT_NO_FATAL_FAILURE(
        Compare(tensors, reference, expected, relative, absolute, Join(what, ", reference")));
    for (int64_t target : simd::UsableTargets()) {
      simd::UseTarget(target);
      std::vector<std::vector<char>> got;
      const std::string where = Join(what, ", ", simd::TargetName(target));
      ASSERT_NO_FATAL_FAILURE(Run(in, tensors, row_.run, same, &got, where));
      ASSERT_NO_FATAL_FAILURE(Compare(tensors, got, expected, relative, absolute, where));
      if (row_.ulp == 0) {
        ASSERT_EQ(got, reference) << where << " differs from the reference";
      }
    }
    simd::UseTarget(0);
  }

 private:
  void Run(BasculeInstruction& in, const std::vector<Tensor>& tensors, RunFunction function,
           const std::vector<std::pair<uint32_t, uint32_t>>& same,
           std::vector<std::vector<char>>* out, const std::string& what) {
    BasculeOperand operands[BASCULE_MAX_OPERANDS] = {};
    for (uint32_t i = 0; i < tensors.size(); ++i) {
      char* address = nullptr;
      if (!tensors[i].absent) {
        address = Memory(i).Put(Encode(tensors[i]));
        for (const auto& [to, from] : same) {
          if (to == i) address = static_cast<char*>(operands[from].address);
        }
      }
      operands[i] = {address, BASCULE_UB, tensors[i].dtype, 1, 8};
    }
    // The later of two that share memory says what it holds.
    for (const auto& [to, from] : same) {
      const std::vector<char> bytes = Encode(tensors[to]);
      const size_t room = Encode(tensors[from]).size();
      operands[to].address = operands[from].address =
          Memory(from).Put(bytes.size() >= room ? bytes : std::vector<char>(room));
      std::copy(bytes.begin(), bytes.end(), static_cast<char*>(operands[to].address));
    }
    std::copy_n(operands, BASCULE_INLINE_OPERANDS, in.operand);
    in.more = operands + BASCULE_INLINE_OPERANDS;
    for (uint32_t i = 0; i < tensors.size(); ++i) {
      const uint64_t bytes = tensors[i].absent ? 0 : Encode(tensors[i]).size();
      ASSERT_EQ(ExtentOf(row_, in, i).span_bytes, bytes) << what << ": extent of operand " << i;
    }
    ASSERT_EQ(row_.misuse(in), "") << what;
    function(row_, in, RunOptions{});
    out->clear();
    for (uint32_t i = 0; i < tensors.size(); ++i) {
      const uint64_t bytes = tensors[i].absent ? 0 : Encode(tensors[i]).size();
      const char* from = static_cast<const char*>(operands[i].address);
      out->emplace_back(from, from + bytes);
      if (Writes(row_.roles[i]) || tensors[i].absent) continue;
      bool shared = false;
      for (const auto& [to, other] : same) shared = shared || to == i || other == i;
      ASSERT_TRUE(shared || out->back() == Encode(tensors[i]))
          << what << ": operand " << i << " is only read, but has changed";
    }
  }

  void Compare(const std::vector<Tensor>& tensors, const std::vector<std::vector<char>>& got,
               const Expected& expected, double relative, double absolute,
               const std::string& what) {
    for (uint32_t i = 0; i < expected.size(); ++i) {
      if (expected[i].empty()) continue;
      ASSERT_EQ(expected[i].size(), tensors[i].values.size()) << what;
      const std::vector<double> values =
          Decode(tensors[i].dtype, got[i].data(), tensors[i].values.size());
      const double unit = tensors[i].dtype == BASCULE_FLOAT16 ? 0x1p-10 : 0x1p-23;
      const double least = tensors[i].dtype == BASCULE_FLOAT16 ? 0x1p-24 : 0x1p-149;
      for (size_t at = 0; at < values.size(); ++at) {
        const double wanted = expected[i][at];
        if (std::isnan(wanted)) continue;
        const double room = std::fabs(wanted) * (relative + unit) + absolute + least;
        ASSERT_LE(std::fabs(values[at] - wanted), room)
            << what << ": operand " << i << ", element " << at << " is " << values[at] << ", not "
            << wanted;
      }
    }
  }

  GuardedMemory& Memory(uint32_t operand) {
    while (memory_.size() <= operand) memory_.emplace_back();
    return memory_[operand];
  }

  const Row& row_;
  std::deque<GuardedMemory> memory_;
};

// Rows, columns and data of matrices around the edges of datablocks and repeats.
struct MatrixSize {
  uint32_t rows;
  uint32_t columns;
  uint32_t data;
};
inline std::vector<MatrixSize> MatrixSizes(BasculeDType dtype) {
  const uint32_t block = BASCULE_DATABLOCK_BYTES / ElementBytes(dtype);
  std::vector<MatrixSize> sizes = {{0, block, block}, {1, 1, 1}, {1, 37, 37}};
  for (uint32_t rows : {1u, 7u, 8u, 9u}) {
    for (uint32_t blocks : {1u, 2u, 7u, 8u, 9u, 33u}) {
      const uint32_t columns = blocks * block;
      sizes.push_back({rows, columns, columns});
      sizes.push_back({rows, columns, columns - 1});
      sizes.push_back({rows, columns, columns - block + 1});
    }
  }
  sizes.push_back({3, 128 * block, 128 * block - 5});
  return sizes;
}

}  // namespace bascule::isa::test

#endif  // BASCULE_TESTS_ISA_ROW_FUNCTIONS_H_
