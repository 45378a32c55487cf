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

void RunImage(const Row&, const BasculeInstruction& in, const RunOptions&) {
  const Image image(in);
  if (image.Nothing()) return;
  char* const to = static_cast<char*>(in.operand[0].address);
  const char* const from = static_cast<const char*>(in.operand[1].address);
  const uint64_t size = image.element_bytes;
  const uint64_t fractals_k = image.FractalsOfK();
  const uint64_t fractals_m = image.FractalsOfM();
  std::memset(to, 0, fractals_k * fractals_m * BASCULE_FRACTAL_BYTES);
  char padding[kBlock];
  for (uint64_t i = 0; i < kBlock; i += size)
    std::memcpy(padding + i, &in.params.vector.scalar, size);
  const uint64_t rows = image.out_w * image.out_h;
  const uint64_t points = image.filter_w * image.filter_h;
  for (uint64_t block = 0; block < CeilDiv(image.k, image.wide); ++block) {
    // A datablock of channels at one point of the window.
    const uint64_t column = (image.k_first + block * image.wide) / image.wide;
    const uint64_t point = column % points;
    const uint64_t plane = column / points * image.height * image.width;
    const int64_t dx = static_cast<int64_t>(point % image.filter_w * image.dilation_w) -
                       static_cast<int64_t>(image.left);
    const int64_t dy = static_cast<int64_t>(point / image.filter_w * image.dilation_h) -
                       static_cast<int64_t>(image.top);
    const uint64_t columns = std::min(image.wide, image.k - block * image.wide);
    for (uint64_t row = 0; row < image.m && image.m_first + row < rows; ++row) {
      const uint64_t position = image.m_first + row;
      const int64_t x = static_cast<int64_t>(position % image.out_w * image.stride_w) + dx;
      const int64_t y = static_cast<int64_t>(position / image.out_w * image.stride_h) + dy;
      const bool inside = x >= 0 && y >= 0 && x < static_cast<int64_t>(image.width) &&
                          y < static_cast<int64_t>(image.height);
      const char* data =
          inside
              ? from + (plane + static_cast<uint64_t>(y) * image.width + static_cast<uint64_t>(x)) *
                           kBlock
              : padding;
      if (!image.turned) {
        std::memcpy(to + ((row / kRows * fractals_k + block) * kRows + row % kRows) * kBlock, data,
                    columns * size);
        continue;
      }
      for (uint64_t i = 0; i < columns; ++i) {
        const uint64_t line = block * image.wide + i;
        // A: rows of fractals by what were columns; B: by what were rows.
        const uint64_t fractal = in.operand[0].memory == BASCULE_L0B
                                     ? row / image.wide * fractals_k + line / kRows
                                     : line / kRows * fractals_m + row / image.wide;
        std::memcpy(to + (fractal * kRows + line % kRows) * kBlock + row % image.wide * size,
                    data + i * size, size);
      }
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
