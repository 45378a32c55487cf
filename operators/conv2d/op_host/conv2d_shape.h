// What the shapes and attributes of conv2d mean, as torch.nn.functional.conv2d has them.
// SPDX-License-Identifier: Apache-2.0
#ifndef CONV2D_SHAPE_H
#define CONV2D_SHAPE_H

#include <cstdint>
#include <string>

#include "../../common/shape_text.h"
#include "exe_graph/runtime/runtime_attrs.h"
#include "exe_graph/runtime/shape.h"
#include "op_common/op_host/util/shape_util.h"

namespace conv2d {

struct Pair {
  int64_t h;
  int64_t w;
};

// Sizes of a convolution; -1 is what is not known yet.
struct Sizes {
  int64_t n, c, h, w;   // x
  int64_t o, channels;  // filters, and channels of one
  int64_t filterH, filterW;
  int64_t outH, outW;
  Pair stride, padding, dilation;
  int64_t groups;

  // What is wrong, naming the argument; empty where nothing is.
  std::string Set(const gert::Shape& x, const gert::Shape& weight, const gert::Shape* bias,
                  const gert::RuntimeAttrs& attributes) {
    std::string wrong = ReadPair(attributes, 0, "stride", 1, 63, &stride);
    if (wrong.empty()) wrong = ReadPair(attributes, 1, "padding", 0, 255, &padding);
    if (wrong.empty()) wrong = ReadPair(attributes, 2, "dilation", 1, 255, &dilation);
    if (!wrong.empty()) return wrong;
    const int64_t* count = attributes.GetInt(3);
    groups = count == nullptr ? 1 : *count;
    if (groups < 1) return "groups is " + std::to_string(groups) + "; it is at least 1";
    if (x.GetDimNum() != 4) return "x is " + ShapeText(x) + "; it has four dimensions, NCHW";
    if (weight.GetDimNum() != 4) {
      return "weight is " + ShapeText(weight) +
             "; it has four dimensions: filters, channels of a group, height, width";
    }
    n = x.GetDim(0), c = x.GetDim(1), h = x.GetDim(2), w = x.GetDim(3);
    o = weight.GetDim(0), channels = weight.GetDim(1);
    filterH = weight.GetDim(2), filterW = weight.GetDim(3);
    const std::string texts = ": x is " + ShapeText(x) + ", weight is " + ShapeText(weight) +
                              ", groups is " + std::to_string(groups);
    if (c >= 0 && channels >= 0 && c != channels * groups) {
      return "x has " + std::to_string(c) + " channels and weight takes " +
             std::to_string(channels) + " for each of " + std::to_string(groups) + " groups" +
             texts;
    }
    if (o == 0) return "weight has no filter" + texts;
    if (h == 0 || w == 0) return "x has no height or no width" + texts;
    if (o >= 0 && o % groups != 0) {
      return "weight has " + std::to_string(o) + " filters, which groups does not divide" + texts;
    }
    if (bias != nullptr && !Ops::Base::IsUnknownRank(*bias) &&
        (bias->GetDimNum() != 1 || (o >= 0 && bias->GetDim(0) >= 0 && bias->GetDim(0) != o))) {
      return "bias is " + ShapeText(*bias) + "; expected (" + std::to_string(o) +
             ",), an element for each filter";
    }
    wrong = Positions("height", h, filterH, stride.h, padding.h, dilation.h, &outH);
    if (wrong.empty())
      wrong = Positions("width", w, filterW, stride.w, padding.w, dilation.w, &outW);
    return wrong.empty() ? "" : wrong + texts;
  }

  void Output(gert::Shape* out) const {
    out->SetDimNum(0);
    for (const int64_t dim : {n, o, outH, outW}) out->AppendDim(dim);
  }

 private:
  static std::string ReadPair(const gert::RuntimeAttrs& attributes, size_t index, const char* name,
                              int64_t least, int64_t most, Pair* pair) {
    const auto* list = attributes.GetListInt(index);
    if (list == nullptr || list->GetSize() < 1 || list->GetSize() > 2) {
      return std::string(name) + " has " + std::to_string(list == nullptr ? 0 : list->GetSize()) +
             " numbers; it has one for both directions, or two, down and across";
    }
    *pair = {list->GetData()[0], list->GetData()[list->GetSize() - 1]};
    for (const int64_t value : {pair->h, pair->w}) {
      if (value < least || value > most) {
        return std::string(name) + " is " + std::to_string(value) + "; it is " +
               std::to_string(least) + " to " + std::to_string(most);
      }
    }
    return "";
  }

  static std::string Positions(const char* name, int64_t size, int64_t filter, int64_t step,
                               int64_t pad, int64_t apart, int64_t* out) {
    *out = -1;
    if (size < 0 || filter < 0) return "";
    const int64_t reach = (filter - 1) * apart + 1;
    if (filter < 1 || reach > 255) {
      return std::string("weight has filters of ") + name + " " + std::to_string(filter) +
             ", with dilation " + std::to_string(reach) + "; 1 to 255 is possible";
    }
    if (size + 2 * pad < reach) {
      return std::string("weight's ") + name + " is " + std::to_string(reach) +
             " with dilation, which is more than x's, " + std::to_string(size + 2 * pad) +
             " with padding";
    }
    *out = (size + 2 * pad - reach) / step + 1;
    return "";
  }
};

}  // namespace conv2d

#endif  // CONV2D_SHAPE_H
