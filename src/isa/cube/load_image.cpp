// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "bascule/abi/cube.h"
#include "base/error.h"
#include "isa/cube/cube.h"
#include "isa/footprint.h"

namespace bascule::isa {
namespace {

constexpr uint64_t kRows = BASCULE_FRACTAL_ROWS;
constexpr uint64_t kBlock = BASCULE_DATABLOCK_BYTES;

uint8_t ToOperands(const BasculeInstruction&) { return BASCULE_PIPE_MTE1; }

uint64_t CeilDiv(uint64_t a, uint64_t b) { return (a + b - 1) / b; }

// The image, the window that moves over it, and the part of the matrix whose rows are positions of
// the window and whose columns are its points, channel block by channel block.
struct Image {
  uint64_t height, width, channels;
  uint64_t left, right, top, bottom;
  uint64_t stride_w, stride_h, filter_w, filter_h, dilation_w, dilation_h;
  uint64_t k, m, k_first, m_first;  // columns and rows of the part
  uint64_t element_bytes, wide;     // elements of a datablock
  uint64_t out_w, out_h;            // positions of the window
  bool turned;                      // rows of the part become columns

  explicit Image(const BasculeInstruction& in) {
    const uint64_t* extra = in.params.vector.extra;
    const auto part = [](uint64_t word, uint32_t first, uint32_t bits) {
      return word >> first & ((uint64_t{1} << bits) - 1);
    };
    const uint64_t image = extra[BASCULE_IMAGE_SIZE];
    height = part(image, 0, 16);
    width = part(image, 16, 16);
    channels = part(image, 32, 16);
    const uint64_t pad = extra[BASCULE_IMAGE_PAD_AND_STRIDE];
    left = part(pad, 0, 8);
    right = part(pad, 8, 8);
    top = part(pad, 16, 8);
    bottom = part(pad, 24, 8);
    stride_w = part(pad, 32, 8);
    stride_h = part(pad, 40, 8);
    const uint64_t filter = extra[BASCULE_IMAGE_FILTER];
    filter_w = part(filter, 0, 16);
    filter_h = part(filter, 16, 16);
    dilation_w = part(filter, 32, 8);
    dilation_h = part(filter, 40, 8);
    const uint64_t window = extra[BASCULE_IMAGE_PART];
    k = part(window, 0, 16);
    m = part(window, 16, 16);
    k_first = part(window, 32, 16);
    m_first = part(window, 48, 16);
    element_bytes = ElementBytes(in.operand[0].dtype);
    wide = element_bytes == 0 ? 1 : kBlock / element_bytes;
    out_w = Positions(width + left + right, filter_w, dilation_w, stride_w);
    out_h = Positions(height + top + bottom, filter_h, dilation_h, stride_h);
    turned = in.operand[0].memory == BASCULE_L0B ||
             (in.params.vector.flags & BASCULE_LOAD_TRANSPOSE) != 0;
  }

  bool Nothing() const {
    return height == 0 || width == 0 || channels == 0 || k == 0 || m == 0 || filter_w == 0 ||
           filter_h == 0;
  }
  uint64_t FractalsOfK() const { return turned ? CeilDiv(k, kRows) : CeilDiv(k, wide); }
  // Of rows: turned ones come in squares of elements, which are two fractals of 32 bits.
  uint64_t FractalsOfM() const {
    return turned ? CeilDiv(m, kRows) * (kRows / std::min(kRows, wide)) : CeilDiv(m, kRows);
  }

 private:
  static uint64_t Positions(uint64_t size, uint64_t filter, uint64_t dilation, uint64_t stride) {
    if (filter == 0 || stride == 0) return 0;
    const uint64_t reach = (filter - 1) * dilation + 1;
    return size < reach ? 0 : (size - reach) / stride + 1;
  }
};

Extent ImageExtent(const BasculeInstruction& in, uint32_t operand) {
  const Image image(in);
  Extent out;
  if (image.Nothing()) return out;
  out.runs = out.repeats = 1;
  out.run_bytes = out.span_bytes =
      operand == 0 ? image.FractalsOfK() * image.FractalsOfM() * BASCULE_FRACTAL_BYTES
                   : CeilDiv(image.channels, image.wide) * image.height * image.width * kBlock;
  return out;
}

std::string ImageMisuse(const BasculeInstruction& in) {
  const Image image(in);
  const uint32_t bits = ElementBits(in.operand[0].dtype);
  const bool to_b = in.operand[0].memory == BASCULE_L0B;
  if (in.operand[1].memory != BASCULE_L1) return "the source lies in L1.";
  if (!to_b && in.operand[0].memory != BASCULE_L0A) return "the destination lies in L0A or L0B.";
  if (bits != 8 && bits != 16 && bits != 32) return "elements have 8, 16 or 32 bits.";
  if (bits == 8 && image.turned)
    return to_b ? "elements of 8 bits do not go to L0B; LoadDataWithTranspose takes them there."
                : "enTranspose takes elements of 16 and 32 bits.";
  if (image.Nothing()) return "";
  const uint64_t wide = image.wide;
  if (image.channels % wide != 0)
    return Join("channelSize is ", image.channels, "; it is a multiple of ", wide,
                ", the elements of a datablock.");
  if (image.stride_w == 0 || image.stride_h == 0) return "strideW and strideH are at least 1.";
  if (image.out_w == 0 || image.out_h == 0)
    return Join("a window of ", image.filter_h, " x ", image.filter_w, " does not fit an image of ",
                image.height, " x ", image.width, " with its padding.");
  if (image.k_first % wide != 0)
    return Join("kStartPt is ", image.k_first, "; it is a multiple of ", wide, ".");
  const uint64_t columns = image.channels * image.filter_w * image.filter_h;
  if (image.k_first + image.k > columns)
    return Join("kStartPt and kExtension lead to column ", image.k_first + image.k, " of ", columns,
                ".");
  const uint64_t rows = image.out_w * image.out_h;
  if (image.m_first >= rows)
    return Join("mStartPt is ", image.m_first, ", and there are ", rows, " rows.");
  return "";
}

// Positions of the window one after the other, from any one on.
class Walk {
 public:
  Walk(const Image& image, uint64_t position)
      : image_(image), column_(position % image.out_w), row_(position / image.out_w) {}
  uint64_t Column() const { return column_; }
  uint64_t Row() const { return row_; }
  // How many positions are left in this row.
  uint64_t Rest() const { return image_.out_w - column_; }
  // Not beyond the row.
  void Skip(uint64_t count) {
    column_ += count;
    if (column_ == image_.out_w) {
      column_ = 0;
      ++row_;
    }
  }

 private:
  const Image& image_;
  uint64_t column_;
  uint64_t row_;
};

// One point of the window and one block of channels: where its datablock is at a position.
struct Point {
  const Image& image;
  const char* plane;
  const char* padding;
  int64_t dx, dy;

  Point(const Image& of, const char* from, const char* pad, uint64_t column)
      : image(of), padding(pad) {
    const uint64_t points = of.filter_w * of.filter_h;
    const uint64_t point = column % points;
    plane = from + column / points * of.height * of.width * kBlock;
    dx = static_cast<int64_t>(point % of.filter_w * of.dilation_w) - static_cast<int64_t>(of.left);
    dy = static_cast<int64_t>(point / of.filter_w * of.dilation_h) - static_cast<int64_t>(of.top);
  }
  int64_t X(uint64_t column) const { return static_cast<int64_t>(column * image.stride_w) + dx; }
  // The line of the image at a row of positions; null where it is padding.
  const char* Line(uint64_t row) const {
    const int64_t y = static_cast<int64_t>(row * image.stride_h) + dy;
    return y >= 0 && y < static_cast<int64_t>(image.height)
               ? plane + static_cast<uint64_t>(y) * image.width * kBlock
               : nullptr;
  }
  const char* At(const char* line, uint64_t column) const {
    const int64_t x = X(column);
    return line != nullptr && x >= 0 && x < static_cast<int64_t>(image.width)
               ? line + static_cast<uint64_t>(x) * kBlock
               : padding;
  }
};

// `count` positions of a row, whose datablocks follow one another in the destination.
void Straight(const Point& point, const char* line, uint64_t column, uint64_t count, char* to) {
  const int64_t first = point.X(column);
  const int64_t last = point.X(column + count - 1);
  if (line != nullptr && first >= 0 && last < static_cast<int64_t>(point.image.width)) {
    const char* from = line + static_cast<uint64_t>(first) * kBlock;
    if (point.image.stride_w == 1) {
      std::memcpy(to, from, count * kBlock);
      return;
    }
    for (uint64_t i = 0; i < count; ++i)
      std::memcpy(to + i * kBlock, from + i * point.image.stride_w * kBlock, kBlock);
    return;
  }
  for (uint64_t i = 0; i < count; ++i)
    std::memcpy(to + i * kBlock, point.At(line, column + i), kBlock);
}

// A square of elements: a datablock of each of `count` positions becomes a column.
template <typename T>
void Turn(const char* const* from, uint64_t count, char* to) {
  constexpr uint64_t kWide = kBlock / sizeof(T);
  T square[kWide][kWide];
  T turned[kWide][kWide];
  for (uint64_t i = 0; i < kWide; ++i) {
    if (i < count) {
      std::memcpy(square[i], from[i], kBlock);
    } else {
      std::memset(square[i], 0, kBlock);
    }
  }
  for (uint64_t row = 0; row < kWide; ++row) {
    for (uint64_t column = 0; column < kWide; ++column) turned[row][column] = square[column][row];
  }
  std::memcpy(to, turned, sizeof(turned));
}

void RunImage(const Row&, const BasculeInstruction& in, const RunOptions&) {
  const Image image(in);
  if (image.Nothing()) return;
  char* const to = static_cast<char*>(in.operand[0].address);
  const char* const from = static_cast<const char*>(in.operand[1].address);
  const uint64_t size = image.element_bytes;
  const uint64_t fractals_k = image.FractalsOfK();
  const uint64_t fractals_m = image.FractalsOfM();
  char padding[kBlock];
  for (uint64_t i = 0; i < kBlock; i += size)
    std::memcpy(padding + i, &in.params.vector.scalar, size);
  const uint64_t rows = std::min(image.m, image.out_w * image.out_h - image.m_first);
  // What no position and no channel belongs to is 0.
  if (rows % kRows != 0 || rows != image.m || image.k % kRows != 0)
    std::memset(to, 0, fractals_k * fractals_m * BASCULE_FRACTAL_BYTES);
  for (uint64_t block = 0; block < CeilDiv(image.k, image.wide); ++block) {
    const Point point(image, from, padding, image.k_first / image.wide + block);
    const uint64_t columns = std::min(image.wide, image.k - block * image.wide);
    Walk walk(image, image.m_first);
    if (!image.turned) {
      for (uint64_t row = 0; row < rows;) {
        const uint64_t count = std::min({kRows - row % kRows, rows - row, walk.Rest()});
        char* target = to + ((row / kRows * fractals_k + block) * kRows + row % kRows) * kBlock;
        Straight(point, point.Line(walk.Row()), walk.Column(), count, target);
        for (uint64_t i = 0; columns < image.wide && i < count; ++i)
          std::memset(target + i * kBlock + columns * size, 0, kBlock - columns * size);
        walk.Skip(count);
        row += count;
      }
      continue;
    }
    // A square of elements at a time: its datablocks are lines of a fractal.
    for (uint64_t row = 0; row < rows; row += image.wide) {
      const uint64_t count = std::min(image.wide, rows - row);
      const char* lines[kBlock];
      for (uint64_t i = 0; i < count; ++i) {
        lines[i] = point.At(point.Line(walk.Row()), walk.Column());
        walk.Skip(1);
      }
      char square[kBlock * kBlock];
      if (size == 2) {
        Turn<uint16_t>(lines, count, square);
      } else {
        Turn<uint32_t>(lines, count, square);
      }
      const uint64_t line = block * image.wide;
      // A: rows of fractals by what were columns; B: by what were rows.
      const uint64_t fractal = in.operand[0].memory == BASCULE_L0B
                                   ? row / image.wide * fractals_k + line / kRows
                                   : line / kRows * fractals_m + row / image.wide;
      std::memcpy(to + (fractal * kRows + line % kRows) * kBlock, square, columns * kBlock);
    }
  }
}

}  // namespace

constexpr Row kLoadDataImageRow = {
    .opcode = BASCULE_OPCODE_kLoadDataImage,
    .name = "LoadData of an image",
    .pipe = ToOperands,
    .operand_count = 2,
    .roles = {Role::kWrite, Role::kRead, Role::kNone, Role::kNone},
    .bodies = nullptr,
    .body_count = 0,
    .forms = 1 << BASCULE_FORM_COUNT,
    .fused = false,
    .ulp = 0,
    .document = "SIMD-API/基础API/矩阵计算（ISASI）/矩阵计算的搬入/LoadData_3D.md",
    .run = RunImage,
    .run_reference = RunImage,
    .extent = ImageExtent,
    .misuse = ImageMisuse,
    .align_bytes = {BASCULE_FRACTAL_BYTES},
};

}  // namespace bascule::isa
