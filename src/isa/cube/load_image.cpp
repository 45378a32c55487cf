// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "bascule/abi/cube.h"
#include "base/error.h"
#include "isa/cube/cube.h"
#include "isa/cube/load.h"
#include "isa/footprint.h"

namespace bascule::isa {
namespace {

constexpr uint64_t kRows = BASCULE_FRACTAL_ROWS;
constexpr uint64_t kBlock = BASCULE_DATABLOCK_BYTES;
constexpr uint64_t kFractal = BASCULE_FRACTAL_BYTES;

uint8_t ToOperands(const BasculeInstruction&) { return BASCULE_PIPE_MTE1; }

uint64_t CeilDiv(uint64_t a, uint64_t b) { return (a + b - 1) / b; }

// The image, the window that moves over it, and the parts of the matrix whose rows are positions of
// the window and whose columns are its points, channel block by channel block. Columns are counted
// in bytes. Channels that do not fill a datablock are the last block, pixels of which are narrower.
struct Image {
  uint64_t height, width;
  uint64_t left, right, top, bottom;
  uint64_t stride_w, stride_h, filter_w, filter_h, dilation_w, dilation_h;
  uint64_t k, m, k_first, m_first;  // columns and rows of a part
  uint64_t channels;                // bytes of a pixel's
  uint64_t bits, wide;              // of an element, elements of a datablock
  uint64_t out_w, out_h;            // positions of the window
  uint64_t repeats, repeat_stride;  // parts
  bool repeat_columns;
  uint64_t boundary, first;  // bytes of the memory until it begins again; where the image begins
  bool turned;               // rows of the part become columns
  bool to_b;

  explicit Image(const BasculeInstruction& in) {
    const uint64_t* extra = in.params.vector.extra;
    const auto part = [](uint64_t word, uint32_t low, uint32_t count) {
      return word >> low & ((uint64_t{1} << count) - 1);
    };
    bits = ElementBits(in.operand[0].dtype);
    wide = bits == 0 ? 1 : 8 * kBlock / bits;
    const uint64_t image = extra[BASCULE_IMAGE_SIZE];
    height = part(image, 0, 16);
    width = part(image, 16, 16);
    channels = part(image, 32, 16) * bits / 8;
    repeat_stride = part(image, BASCULE_IMAGE_HIGH, 16);
    const uint64_t pad = extra[BASCULE_IMAGE_PAD_AND_STRIDE];
    left = part(pad, 0, 8);
    right = part(pad, 8, 8);
    top = part(pad, 16, 8);
    bottom = part(pad, 24, 8);
    stride_w = part(pad, 32, 8);
    stride_h = part(pad, 40, 8);
    repeats = part(pad, BASCULE_IMAGE_HIGH, 8) + 1;
    repeat_columns = part(pad, BASCULE_IMAGE_HIGH + 8, 8) != 0;
    const uint64_t filter = extra[BASCULE_IMAGE_FILTER];
    filter_w = part(filter, 0, 16);
    filter_h = part(filter, 16, 16);
    dilation_w = part(filter, 32, 8);
    dilation_h = part(filter, 40, 8);
    boundary = in.params.vector.mode;
    first = boundary == 0 ? 0 : part(filter, BASCULE_IMAGE_HIGH, 16) * kBlock;
    const uint64_t window = extra[BASCULE_IMAGE_PART];
    k = part(window, 0, 16) * bits / 8;
    m = part(window, 16, 16);
    k_first = part(window, 32, 16) * bits / 8;
    m_first = part(window, 48, 16);
    out_w = Positions(width + left + right, filter_w, dilation_w, stride_w);
    out_h = Positions(height + top + bottom, filter_h, dilation_h, stride_h);
    to_b = in.operand[0].memory == BASCULE_L0B;
    turned = to_b || (in.params.vector.flags & BASCULE_LOAD_TRANSPOSE) != 0;
  }

  bool Nothing() const {
    return height == 0 || width == 0 || channels == 0 || k == 0 || m == 0 || filter_w == 0 ||
           filter_h == 0;
  }
  // Of all parts together, in blocks of 16 rows and in datablocks.
  uint64_t BlocksOfM() const { return CeilDiv(m, kRows) * (repeat_columns ? 1 : repeats); }
  uint64_t BlocksOfK() const { return CeilDiv(k, kBlock) * (repeat_columns ? repeats : 1); }
  // Fractals in each direction. Turned ones come in squares of 16 elements.
  uint64_t FractalsOfK() const { return turned ? CeilDiv(BlocksOfK() * wide, kRows) : BlocksOfK(); }
  uint64_t FractalsOfM() const {
    return BlocksOfM() * (turned ? kRows / std::min(kRows, wide) : 1);
  }
  uint64_t Points() const { return filter_w * filter_h; }
  // Of the channels that fill datablocks, the columns.
  uint64_t WholeColumns() const { return channels / kBlock * kBlock * Points(); }
  uint64_t Tail() const { return channels % kBlock; }
  uint64_t ImageBytes() const { return channels * height * width; }

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
  out.run_bytes = out.span_bytes = operand == 0
                                       ? image.FractalsOfK() * image.FractalsOfM() * kFractal
                                   : image.boundary != 0 ? image.boundary
                                                         : image.ImageBytes();
  return out;
}

std::string ImageMisuse(const BasculeInstruction& in) {
  const Image image(in);
  const uint64_t bits = image.bits;
  if (in.operand[1].memory != BASCULE_L1) return "the source lies in L1.";
  if (!image.to_b && in.operand[0].memory != BASCULE_L0A)
    return "the destination lies in L0A or L0B.";
  if (bits != 4 && bits != 8 && bits != 16 && bits != 32)
    return "elements have 4, 8, 16 or 32 bits.";
  if (bits < 16 && image.turned)
    return image.to_b ? Join("elements of ", bits,
                             " bits do not go to L0B; LoadDataWithTranspose takes them there.")
                      : "enTranspose takes elements of 16 and 32 bits.";
  if (image.Nothing()) return "";
  const uint64_t wide = image.wide;
  const uint64_t channels = in.params.vector.extra[BASCULE_IMAGE_SIZE] >> 32 & 0xffff;
  const uint64_t tail = channels % wide;
  // What is left over has 4, 8 or 16 bytes, and at least 4 elements.
  if (tail != 0 && (tail * bits % 32 != 0 || (tail & (tail - 1)) != 0 || tail < 4))
    return Join("channelSize is ", channels, "; it is a multiple of ", wide,
                ", the elements of a datablock, or more than one by ",
                bits == 4    ? "8, 16 or 32."
                : bits == 8  ? "4, 8 or 16."
                : bits == 16 ? "4 or 8."
                             : "4.");
  if (image.stride_w == 0 || image.stride_h == 0) return "strideW and strideH are at least 1.";
  if (image.out_w == 0 || image.out_h == 0)
    return Join("a window of ", image.filter_h, " x ", image.filter_w, " does not fit an image of ",
                image.height, " x ", image.width, " with its padding.");
  const uint64_t part = in.params.vector.extra[BASCULE_IMAGE_PART];
  const uint64_t k = part & 0xffff;
  const uint64_t k_first = part >> 32 & 0xffff;
  if (k_first % wide != 0)
    return Join("kStartPt is ", k_first, "; it is a multiple of ", wide, ".");
  if (bits == 4 && k % 2 != 0) return Join("kExtension is ", k, "; of int4b_t it is even.");
  if (image.repeats > 1) {
    if (image.repeat_columns ? image.k % kBlock != 0 : image.m % kRows != 0)
      return Join("parts that follow one another have whole fractals; ",
                  image.repeat_columns ? "kExtension" : "mExtension", " is ",
                  image.repeat_columns ? k : image.m, " and not a multiple of ",
                  image.repeat_columns ? wide : kRows, ".");
  }
  const uint64_t further = image.repeats - 1;
  const uint64_t columns = channels * image.Points();
  const uint64_t end =
      k_first + k + (image.repeat_columns ? further * image.repeat_stride * wide : 0);
  if (end > columns)
    return Join("kStartPt and kExtension",
                further > 0 && image.repeat_columns ? " and repeats" : "", " lead to column ", end,
                " of ", columns, ".");
  const uint64_t rows = image.out_w * image.out_h;
  const uint64_t last =
      image.m_first + (image.repeat_columns ? 0 : further * image.repeat_stride * kRows);
  if (last >= rows)
    return Join(last == image.m_first ? "mStartPt is " : "the last part begins with row ", last,
                ", and there are ", rows, " rows.");
  return "";
}

// 16 positions of the window.
struct Positions {
  int64_t x[kRows];
  int64_t y[kRows];
  uint64_t count;  // so many of them are rows of the matrix; the rest is 0

  Positions(const Image& image, uint64_t block) {
    const uint64_t of_part = CeilDiv(image.m, kRows);
    const uint64_t part = block / of_part;
    const uint64_t within = block % of_part * kRows;
    const uint64_t first = image.m_first + part * image.repeat_stride * kRows + within;
    const uint64_t rows = image.out_w * image.out_h;
    count = std::min({kRows, image.m - within, first < rows ? rows - first : 0});
    uint64_t column = first % image.out_w;
    uint64_t line = first / image.out_w;
    for (uint64_t i = 0; i < count; ++i) {
      x[i] = static_cast<int64_t>(column * image.stride_w);
      y[i] = static_cast<int64_t>(line * image.stride_h);
      if (++column == image.out_w) {
        column = 0;
        ++line;
      }
    }
  }
};

class Loader {
 public:
  Loader(const Image& image, const BasculeInstruction& in)
      : image_(image), from_(static_cast<const char*>(in.operand[1].address)) {
    // Elements of 4 bits fill bytes already.
    const uint64_t size = std::max<uint64_t>(1, image.bits / 8);
    for (uint64_t i = 0; i < kBlock; i += size)
      std::memcpy(padding_ + i, &in.params.vector.scalar, size);
  }

  // A fractal: 16 rows of datablock `block` of the columns.
  void Fractal(const Positions& positions, uint64_t block, char* to) const {
    const uint64_t of_part = CeilDiv(image_.k, kBlock);
    const uint64_t within = block % of_part * kBlock;
    const uint64_t column =
        image_.k_first + block / of_part * image_.repeat_stride * kBlock + within;
    const uint64_t bytes = block < image_.BlocksOfK() ? std::min(kBlock, image_.k - within) : 0;
    if (positions.count < kRows || bytes < kBlock) std::memset(to, 0, kFractal);
    const uint64_t whole = image_.WholeColumns();
    if (column < whole) {
      const uint64_t points = image_.Points();
      Point<kBlock>(positions, column / kBlock % points, column / kBlock / points, kBlock, bytes,
                    to);
      return;
    }
    const uint64_t tail = image_.Tail();
    for (uint64_t at = 0; at < bytes; at += tail) {
      Point<0>(positions, (column - whole + at) / tail, image_.channels / kBlock, tail,
               std::min(tail, bytes - at), to + at);
    }
  }

 private:
  // `bytes` bytes of pixels of `pixel` bytes in channel block `channels`, at one point of the
  // window.
  template <uint64_t fixed>
  void Point(const Positions& positions, uint64_t point, uint64_t channels, uint64_t pixel,
             uint64_t bytes, char* to) const {
    const int64_t dx = static_cast<int64_t>(point % image_.filter_w * image_.dilation_w) -
                       static_cast<int64_t>(image_.left);
    const int64_t dy = static_cast<int64_t>(point / image_.filter_w * image_.dilation_h) -
                       static_cast<int64_t>(image_.top);
    const auto width = static_cast<int64_t>(image_.width);
    const auto height = static_cast<int64_t>(image_.height);
    const uint64_t plane = channels * image_.height * image_.width * kBlock;
    // All of a fractal in one line of the image.
    constexpr uint64_t kLast = kRows - 1;
    if (fixed != 0 && bytes == fixed && image_.boundary == 0 && positions.count == kRows &&
        positions.y[0] == positions.y[kLast] && positions.y[0] + dy >= 0 &&
        positions.y[0] + dy < height && positions.x[0] + dx >= 0 &&
        positions.x[kLast] + dx < width) {
      const char* line =
          from_ + plane +
          static_cast<uint64_t>((positions.y[0] + dy) * width + positions.x[0] + dx) * fixed;
      if (image_.stride_w == 1) {
        std::memcpy(to, line, kFractal);
        return;
      }
      for (uint64_t i = 0; i < kRows; ++i)
        std::memcpy(to + i * kBlock, line + i * image_.stride_w * fixed, fixed);
      return;
    }
    for (uint64_t i = 0; i < positions.count; ++i, to += kBlock) {
      const int64_t x = positions.x[i] + dx;
      const int64_t y = positions.y[i] + dy;
      const bool inside = x >= 0 && y >= 0 && x < width && y < height;
      if (!inside) {
        std::memcpy(to, padding_, bytes);
        continue;
      }
      const uint64_t at = plane + static_cast<uint64_t>(y * width + x) * pixel;
      if (image_.boundary != 0) {
        for (uint64_t j = 0; j < bytes; ++j)
          to[j] = from_[(image_.first + at + j) % image_.boundary];
      } else if (fixed != 0 && bytes == fixed) {
        std::memcpy(to, from_ + at, fixed);
      } else {
        std::memcpy(to, from_ + at, bytes);
      }
    }
  }

  const Image& image_;
  const char* from_;
  char padding_[kBlock] = {};
};

void Turn16(char* to, uint64_t /*fractal_stride*/, const char* from) {
  for (uint64_t row = 0; row < kRows; ++row) {
    for (uint64_t column = 0; column < kRows; ++column)
      std::memcpy(to + row * kBlock + column * 2, from + column * kBlock + row * 2, 2);
  }
}
void Turn32(char* to, uint64_t fractal_stride, const char* from) {
  for (uint64_t row = 0; row < kRows; ++row) {
    for (uint64_t column = 0; column < kRows; ++column)
      std::memcpy(to + column / 8 * fractal_stride + row * kBlock + column % 8 * 4,
                  from + row / 8 * kFractal + column * kBlock + row % 8 * 4, 4);
  }
}

void Load(const BasculeInstruction& in, TurnFunction turn16, TurnFunction turn32) {
  const Image image(in);
  if (image.Nothing()) return;
  char* const to = static_cast<char*>(in.operand[0].address);
  const Loader loader(image, in);
  const uint64_t fractals_k = image.FractalsOfK();
  const uint64_t fractals_m = image.FractalsOfM();
  for (uint64_t row = 0; row < image.BlocksOfM(); ++row) {
    const Positions positions(image, row);
    if (!image.turned) {
      for (uint64_t block = 0; block < fractals_k; ++block)
        loader.Fractal(positions, block, to + (row * fractals_k + block) * kFractal);
      continue;
    }
    // Squares of 16 elements: a fractal of 16 bits, two of 32 bits, which give two.
    const uint64_t halves = kRows / image.wide;
    for (uint64_t square = 0; square < fractals_k; ++square) {
      alignas(64) char rows[2 * kFractal];
      for (uint64_t half = 0; half < halves; ++half)
        loader.Fractal(positions, square * halves + half, rows + half * kFractal);
      // A: rows of fractals by what were columns; B: by what were rows.
      const uint64_t place =
          image.to_b ? row * halves * fractals_k + square : square * fractals_m + row * halves;
      (halves == 1 ? turn16 : turn32)(to + place * kFractal,
                                      (image.to_b ? fractals_k : 1) * kFractal, rows);
    }
  }
}

void RunImage(const Row&, const BasculeInstruction& in, const RunOptions&) {
  Load(in, SimdTurn16(), SimdTurn32());
}
void PlainImage(const Row&, const BasculeInstruction& in, const RunOptions&) {
  Load(in, Turn16, Turn32);
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
    .run_reference = PlainImage,
    .extent = ImageExtent,
    .misuse = ImageMisuse,
    .align_bytes = {kFractal},
};

}  // namespace bascule::isa
