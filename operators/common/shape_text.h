// A shape as sentences write it.
// SPDX-License-Identifier: Apache-2.0
#ifndef SHAPE_TEXT_H
#define SHAPE_TEXT_H

#include <string>

#include "exe_graph/runtime/shape.h"

inline std::string ShapeText(const gert::Shape& shape) {
  std::string text = "(";
  for (size_t i = 0; i < shape.GetDimNum(); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(shape.GetDim(i));
  }
  return text + (shape.GetDimNum() == 1 ? ",)" : ")");
}

#endif  // SHAPE_TEXT_H
