// What the shapes of matmul mean, as torch.matmul has it.
// SPDX-License-Identifier: Apache-2.0
#ifndef MATMUL_SHAPE_H
#define MATMUL_SHAPE_H

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "../../common/cube_product_plan.h"
#include "../../common/shape_text.h"
#include "exe_graph/runtime/shape.h"
#include "log/log.h"
#include "op_common/op_host/util/shape_util.h"
#include "register/op_def_registry.h"

namespace matmul {

constexpr int64_t UNKNOWN_DIM = -1;

// An operand: its matrices have `rows` rows and `columns` columns once they are transposed.
struct Operand {
  std::vector<int64_t> batch;
  int64_t rows = 1;
  int64_t columns = 1;
  bool isVector = false;
  bool turned = false;
};

// A vector is a row of a and a column of b, whatever is transposed.
inline Operand Read(const gert::Shape& shape, bool isLeft, bool transpose) {
  Operand operand;
  const size_t rank = shape.GetDimNum();
  operand.isVector = rank == 1;
  if (operand.isVector) {
    (isLeft ? operand.columns : operand.rows) = shape.GetDim(0);
    return operand;
  }
  operand.turned = transpose;
  operand.rows = shape.GetDim(rank - (transpose ? 1 : 2));
  operand.columns = shape.GetDim(rank - (transpose ? 2 : 1));
  for (size_t i = 0; i + 2 < rank; ++i) operand.batch.push_back(shape.GetDim(i));
  return operand;
}

inline int64_t FromBehind(const std::vector<int64_t>& batch, size_t i) {
  return i < batch.size() ? batch[batch.size() - 1 - i] : 1;
}

struct Product {
  Operand a;
  Operand b;
  std::vector<int64_t> batch;

  // What is wrong, naming the argument; empty where nothing is.
  std::string Set(const gert::Shape& aShape, const gert::Shape& bShape, const gert::Shape* bias,
                  bool transposeA, bool transposeB) {
    if (aShape.GetDimNum() == 0) return "a has no dimension; it needs at least one";
    if (bShape.GetDimNum() == 0) return "b has no dimension; it needs at least one";
    a = Read(aShape, true, transposeA);
    b = Read(bShape, false, transposeB);
    const std::string texts = "a is " + ShapeText(aShape) + (a.turned ? ", transposed," : "") +
                              " and b is " + ShapeText(bShape) + (b.turned ? ", transposed" : "");
    if (a.columns != b.rows && a.columns >= 0 && b.rows >= 0) {
      return "b has " + std::to_string(b.rows) + " rows and a " + std::to_string(a.columns) +
             " columns, which have to be as many: " + texts;
    }
    const size_t rank = std::max(a.batch.size(), b.batch.size());
    batch.assign(rank, 1);
    for (size_t i = 0; i < rank; ++i) {
      const int64_t x = FromBehind(a.batch, i);
      const int64_t y = FromBehind(b.batch, i);
      if (x != y && x > UNKNOWN_DIM && y > UNKNOWN_DIM && x != 1 && y != 1) {
        return "dimension " + std::to_string(rank - 1 - i) +
               " of a's and b's batches cannot be broadcast, " + std::to_string(x) + " to " +
               std::to_string(y) + ": " + texts;
      }
      batch[rank - 1 - i] = x == 1 || (x < 0 && y != 1) ? y : x;
    }
    if (bias != nullptr && !Ops::Base::IsUnknownRank(*bias)) {
      if (bias->GetDimNum() != 1 ||
          (bias->GetDim(0) >= 0 && b.columns >= 0 && bias->GetDim(0) != b.columns)) {
        return "bias is " + ShapeText(*bias) + "; expected (" + std::to_string(b.columns) +
               ",), an element for each column of b: " + texts;
      }
    }
    return "";
  }

  void Output(gert::Shape* out) const {
    out->SetDimNum(0);
    for (const int64_t dim : batch) out->AppendDim(dim);
    if (!a.isVector) out->AppendDim(a.rows);
    if (!b.isVector) out->AppendDim(b.columns);
  }
};

// Sizes and axes of a product, outermost first.
struct Sizes {
  uint64_t m, n, k;
  bool turnA, turnB;
  std::vector<cube_product::Axis> batch;  // of the output: strides of a and b
  std::vector<uint64_t> outs;             // strides of the output
};

inline Sizes SizesOf(const Product& product) {
  Sizes sizes;
  sizes.m = static_cast<uint64_t>(product.a.rows);
  sizes.n = static_cast<uint64_t>(product.b.columns);
  sizes.k = static_cast<uint64_t>(product.a.columns);
  sizes.turnA = product.a.turned;
  sizes.turnB = product.b.turned;
  uint64_t strideA = 1;
  uint64_t strideB = 1;
  uint64_t strideOut = 1;
  for (size_t i = 0; i < product.batch.size(); ++i) {
    const auto size = static_cast<uint64_t>(FromBehind(product.batch, i));
    const auto a = static_cast<uint64_t>(FromBehind(product.a.batch, i));
    const auto b = static_cast<uint64_t>(FromBehind(product.b.batch, i));
    sizes.batch.insert(sizes.batch.begin(), {size, a == 1 ? 0 : strideA, b == 1 ? 0 : strideB});
    sizes.outs.insert(sizes.outs.begin(), strideOut);
    strideA *= a;
    strideB *= b;
    strideOut *= size;
  }
  // Rows of one matrix are no different from those of the next where b is the same for all.
  const bool oneB =
      std::all_of(sizes.batch.begin(), sizes.batch.end(), [](const cube_product::Axis& axis) {
        return axis.size == 1 || (axis.strideB == 0 && axis.strideA != 0);
      });
  if (oneB && !sizes.turnA) {
    for (const cube_product::Axis& axis : sizes.batch) sizes.m *= axis.size;
    sizes.batch.clear();
    sizes.outs.clear();
  }
  // A single row or column is stored the same either way.
  if (sizes.m == 1) sizes.turnA = false;
  if (sizes.n == 1) sizes.turnB = true;
  return sizes;
}

// Of matmul, and of what ends otherwise but begins as it does.
inline ge::graphStatus InferShape(gert::InferShapeContext* context) {
  const gert::Shape* a = context->GetInputShape(0);
  const gert::Shape* b = context->GetInputShape(1);
  gert::Shape* out = context->GetOutputShape(0);
  const gert::RuntimeAttrs* attributes = context->GetAttrs();
  if (a == nullptr || b == nullptr || out == nullptr || attributes == nullptr)
    return ge::GRAPH_FAILED;
  const bool* transposeA = attributes->GetBool(0);
  const bool* transposeB = attributes->GetBool(1);
  if (transposeA == nullptr || transposeB == nullptr) return ge::GRAPH_FAILED;
  if (Ops::Base::IsUnknownRank(*a) || Ops::Base::IsUnknownRank(*b)) {
    Ops::Base::SetUnknownRank(*out);
    return ge::GRAPH_SUCCESS;
  }
  Product product;
  const std::string wrong =
      product.Set(*a, *b, context->GetOptionalInputShape(2), *transposeA, *transposeB);
  OP_CHECK_IF(!wrong.empty(), OP_LOGE(context, "%s", wrong.c_str()), return ge::GRAPH_FAILED);
  product.Output(out);
  return ge::GRAPH_SUCCESS;
}

}  // namespace matmul

#endif  // MATMUL_SHAPE_H
