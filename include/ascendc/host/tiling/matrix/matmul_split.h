// How a matrix product is cut: among cores, and within a core into blocks that fit its memories.
//
// A core computes singleCoreM x singleCoreN of C over singleCoreK, in blocks of baseM x baseN over
// baseK, each of which is one Mmad: its operands lie in L0A and L0B, its result in L0C. L1 holds
// stepM x stepKa blocks of A and stepN x stepKb of B, depthA1 and depthB1 counting both halves of a
// double buffer.
//
// The rules are those of the page "TCubeTiling" (tables 1 to 3). Among the cuts that keep them, the
// one is taken that should take the least time by the rates of the page "Cube instruction
// performance": multiply-adds per cycle, bytes per cycle from L1 to L0A and L0B. What global memory
// gives a core is nowhere stated and is a rule of thumb here. The toolkit may choose another cut; a
// kernel must work with any.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_TILING_MATRIX_MATMUL_SPLIT_H_
#define BASCULE_ASCENDC_TILING_MATRIX_MATMUL_SPLIT_H_

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "bascule/abi/tiling.h"
#include "bascule_host_base.h"
#include "tiling/matrix/matmul_types.h"

namespace bascule_host {

using matmul_tiling::CubeFormat;
using matmul_tiling::DataType;
using matmul_tiling::MatrixTraverse;
using matmul_tiling::ScheduleType;
using matmul_tiling::TPosition;

// Bytes of a core's memories, and how many cores there are: those of Atlas A2 where nobody says.
struct MatmulMachine {
  int64_t l1 = 512 * 1024 - 256;
  int64_t l0a = 64 * 1024;
  int64_t l0b = 64 * 1024;
  int64_t l0c = 128 * 1024;
  int64_t ub = 192 * 1024 - 256;
  int64_t bt = 1024;
  int64_t cores = 48;
};

struct MatmulOperand {
  TPosition position = TPosition::GM;
  CubeFormat format = CubeFormat::ND;
  DataType type = DataType::DT_FLOAT16;
  bool transposed = false;
};

// Sizes of a matrix product, or something said about each of them; -1: not said.
struct MatmulSizes {
  int64_t m = -1;
  int64_t n = -1;
  int64_t k = -1;
};

// The five axes of a matrix of a batch; 0: not said.
struct MatmulLayout {
  int32_t b = 0;
  int32_t s = 0;
  int32_t n = 0;
  int32_t g = 0;
  int32_t d = 0;
};

// Everything the Set functions of a tiling object are told.
struct MatmulAsk {
  MatmulMachine machine;
  MatmulSizes space;  // m: L1, n: L0C, k: UB
  int64_t bt_space = -1;
  MatmulOperand a, b, c, bias;
  bool has_bias = false;
  bool sparse = false;
  bool vector_dequant = false;
  bool mx = false;
  bool many_cores = false;  // whether the product may be cut among cores
  MatmulSizes shape;
  MatmulSizes original;  // k: of A
  int64_t original_kb = -1;
  MatmulSizes base;
  MatmulSizes single, least_single, most_single, align_single;
  int64_t dim = -1;
  bool split_k = false;
  bool mdl = true;
  ScheduleType schedule = ScheduleType::INNER_PRODUCT;
  MatrixTraverse traverse = MatrixTraverse::NOSET;
  MatmulLayout a_layout, b_layout, c_layout;
  int64_t batch = 0, batch_a = 0, batch_b = 0;
};

// How many cores there are in each direction.
struct MatmulCores {
  int64_t m = 1;
  int64_t n = 1;
  int64_t k = 1;
};

BASCULE_HIDDEN inline int64_t MatmulBits(DataType type) {
  switch (type) {
    case DataType::DT_INT4:
      return 4;
    case DataType::DT_INT8:
      return 8;
    case DataType::DT_FLOAT16:
    case DataType::DT_BF16:
      return 16;
    case DataType::DT_FLOAT:
    case DataType::DT_INT32:
      return 32;
    default:
      return 0;
  }
}

BASCULE_HIDDEN inline std::string MatmulTypeName(DataType type) {
  switch (type) {
    case DataType::DT_FLOAT:
      return "float";
    case DataType::DT_FLOAT16:
      return "half";
    case DataType::DT_BF16:
      return "bfloat16";
    case DataType::DT_INT8:
      return "int8";
    case DataType::DT_INT4:
      return "int4";
    case DataType::DT_INT32:
      return "int32";
    default:
      return "type " + std::to_string(static_cast<int32_t>(type));
  }
}

class MatmulSplit {
 public:
  BASCULE_HIDDEN explicit MatmulSplit(const MatmulAsk& ask) : ask_(ask) {}

  // False where there is no tiling; why() says why not.
  BASCULE_HIDDEN bool Plan(AscendC::tiling::TCubeTiling* out, MatmulCores* cores) {
    return Check() && CutAmongCores(out, cores);
  }
  BASCULE_HIDDEN const std::string& why() const { return why_; }

 private:
  // Rows and columns of a fractal, bytes a cycle, cycles of an Mmad beside its work.
  static constexpr int64_t kSide = 16;
  static constexpr int64_t kL0aBytes = 256;
  static constexpr int64_t kL0bBytes = 128;
  static constexpr int64_t kGlobalBytes = 32;
  static constexpr int64_t kMmadCycles = 8;

  struct Base {
    int64_t m = 0, n = 0, k = 0;
    int64_t db_a = 2, db_b = 2, db_c = 1;
    int64_t order = 0;
    double cycles = 0;
  };
  struct Steps {
    int64_t m = 1, n = 1, ka = 1, kb = 1;
    int64_t db_a = 2, db_b = 2;
    int64_t l1_bytes = 0;
  };
  // What a core computes.
  struct Single {
    int64_t m = 0, n = 0, k = 0;
    MatmulCores cores;
    double cycles = 0;
    double bytes = 0;
  };

  BASCULE_HIDDEN static int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }
  BASCULE_HIDDEN static int64_t AlignUp(int64_t a, int64_t b) { return CeilDiv(a, b) * b; }
  BASCULE_HIDDEN static std::string Text(int64_t number) { return std::to_string(number); }

  BASCULE_HIDDEN bool Fail(const std::string& text) {
    why_ = text;
    return false;
  }

  BASCULE_HIDDEN static bool OnL1(TPosition position) {
    return position == TPosition::TSCM || position == TPosition::A1 || position == TPosition::B1 ||
           position == TPosition::C1;
  }
  BASCULE_HIDDEN static bool OnUb(TPosition position) {
    return position == TPosition::VECIN || position == TPosition::VECOUT ||
           position == TPosition::VECCALC;
  }

  // What is asked for has to be something there is.
  BASCULE_HIDDEN bool Check() {
    if (ask_.mx) {
      return Fail(
          "SetMadType: MatrixMadType::MXMODE (MxMatmul) is not there on Atlas A2; use NORMAL");
    }
    return CheckTypes() && CheckPlaces() && CheckSizes() && CheckSpace() && CheckLayout() &&
           CheckBase();
  }

  BASCULE_HIDDEN bool CheckTypes() {
    const DataType a = ask_.a.type;
    const DataType b = ask_.b.type;
    const DataType c = ask_.c.type;
    const bool whole = a == DataType::DT_INT8 || a == DataType::DT_INT4;
    if (a != b) {
      return Fail("A is " + MatmulTypeName(a) + " and B is " + MatmulTypeName(b) +
                  "; Atlas A2 multiplies matrices of one type");
    }
    if (MatmulBits(a) == 0 || a == DataType::DT_INT32) {
      return Fail("SetAType: " + MatmulTypeName(a) +
                  " is no input of a matrix product on Atlas A2; these are: float, half, bfloat16, "
                  "int8, int4");
    }
    const bool c_fits = whole ? c == DataType::DT_INT32 || c == DataType::DT_FLOAT16 ||
                                    (c == DataType::DT_INT8 && a == DataType::DT_INT8)
                              : c == DataType::DT_FLOAT || c == DataType::DT_FLOAT16 ||
                                    c == DataType::DT_BF16 ||
                                    (c == DataType::DT_INT8 && a != DataType::DT_FLOAT);
    if (!c_fits) {
      return Fail("SetCType: the product of " + MatmulTypeName(a) + " matrices is not written as " +
                  MatmulTypeName(c) + "; it can be " +
                  (whole ? a == DataType::DT_INT8 ? "int32, half, int8" : "int32, half"
                   : a == DataType::DT_FLOAT ? "float, half, bfloat16"
                                             : "float, half, bfloat16, int8"));
    }
    const DataType bias = ask_.bias.type;
    if (ask_.has_bias && (whole ? bias != DataType::DT_INT32
                                : bias != DataType::DT_FLOAT && bias != DataType::DT_FLOAT16)) {
      return Fail("SetBiasType: the bias of a product of " + MatmulTypeName(a) + " matrices is " +
                  (whole ? "int32" : "float or half") + ", not " + MatmulTypeName(bias));
    }
    if (ask_.sparse && a != DataType::DT_INT8) {
      return Fail("SetSparse: a sparse product takes int8, not " + MatmulTypeName(a));
    }
    bits_ = MatmulBits(a);
    c0_ = 256 / bits_;
    align_m_ = ask_.a.transposed ? std::max(kSide, c0_) : kSide;
    align_n_ = ask_.b.transposed ? kSide : std::max(kSide, c0_);
    // Four elements of a sparse matrix take the place of two.
    align_k_ = std::max(kSide, c0_) * (ask_.sparse ? 2 : 1);
    return true;
  }

  BASCULE_HIDDEN bool CheckPlaces() {
    if (ask_.a.position != TPosition::GM && !OnUb(ask_.a.position) && !OnL1(ask_.a.position))
      return Fail("SetAType: A lies in GM, VECOUT or TSCM");
    if (ask_.b.position != TPosition::GM && !OnUb(ask_.b.position) && !OnL1(ask_.b.position))
      return Fail("SetBType: B lies in GM, VECOUT or TSCM");
    if (ask_.c.position != TPosition::GM && !OnUb(ask_.c.position) &&
        ask_.c.position != TPosition::CO1)
      return Fail("SetCType: C is written to GM, VECIN or CO1");
    if (ask_.a.format != CubeFormat::ND && ask_.a.format != CubeFormat::NZ &&
        ask_.a.format != CubeFormat::VECTOR)
      return Fail("SetAType: the format of A is ND, NZ or VECTOR");
    if (ask_.b.format != CubeFormat::ND && ask_.b.format != CubeFormat::NZ)
      return Fail("SetBType: the format of B is ND or NZ");
    if (ask_.c.format != CubeFormat::ND && ask_.c.format != CubeFormat::NZ &&
        ask_.c.format != CubeFormat::ND_ALIGN)
      return Fail("SetCType: the format of C is ND, NZ or ND_ALIGN");
    if (ask_.split_k && ask_.has_bias)
      return Fail("EnableMultiCoreSplitK: with K cut among cores there can be no bias");
    if (ask_.split_k && ask_.c.position != TPosition::GM)
      return Fail("EnableMultiCoreSplitK: with K cut among cores, C is written to GM only");
    return true;
  }

  BASCULE_HIDDEN bool CheckSizes() {
    size_ = ask_.shape;
    original_ = ask_.original;
    original_kb_ = ask_.original_kb;
    if (size_.m == -1) size_.m = original_.m;
    if (size_.n == -1) size_.n = original_.n;
    if (size_.k == -1) size_.k = std::min(original_.k, original_kb_);
    if (original_.m == -1) original_.m = size_.m;
    if (original_.n == -1) original_.n = size_.n;
    if (original_.k == -1) original_.k = size_.k;
    if (original_kb_ == -1) original_kb_ = size_.k;
    const struct {
      const char* name;
      int64_t part, whole;
    } sizes[] = {{"m", size_.m, original_.m},
                 {"n", size_.n, original_.n},
                 {"k", size_.k, std::min(original_.k, original_kb_)}};
    for (const auto& size : sizes) {
      if (size.part < 1) {
        return Fail(std::string("SetShape: ") + size.name + " is " + Text(size.part) +
                    "; it is at least 1, or -1 where SetOrgShape says it");
      }
      if (size.whole < size.part) {
        return Fail(std::string("SetOrgShape: ") + size.name + " is " + Text(size.whole) +
                    " there and " + Text(size.part) +
                    " in SetShape; a part is not larger than the whole");
      }
    }
    if (bits_ == 4 && ((ask_.a.transposed ? size_.m : size_.k) % 2 != 0 ||
                       (ask_.b.transposed ? size_.k : size_.n) % 2 != 0)) {
      return Fail("rows of an int4 matrix have an even number of elements");
    }
    if (ask_.a.format == CubeFormat::VECTOR && size_.m != 1) {
      return Fail("SetAType: with CubeFormat::VECTOR, A is one row; m is " + Text(size_.m));
    }
    if (ask_.many_cores && ask_.dim != -1 && ask_.dim < 1)
      return Fail("SetDim: " + Text(ask_.dim) + " cores; there is at least 1");
    return true;
  }

  BASCULE_HIDDEN bool CheckSpace() {
    machine_ = ask_.machine;
    const struct {
      const char* name;
      int64_t asked;
      int64_t* bytes;
    } spaces[] = {{"l1Size", ask_.space.m, &machine_.l1},
                  {"l0CSize", ask_.space.n, &machine_.l0c},
                  {"ubSize", ask_.space.k, &machine_.ub},
                  {"btSize", ask_.bt_space, &machine_.bt}};
    for (const auto& space : spaces) {
      if (space.asked < -1) {
        return Fail(std::string("SetBufferSpace: ") + space.name + " is " + Text(space.asked) +
                    "; it is a number of bytes, or -1 for all there are");
      }
      if (space.asked != -1) *space.bytes = std::min(*space.bytes, space.asked);
    }
    return true;
  }

  // The batches that one call multiplies lie in L1 together, except in layout NORMAL.
  BASCULE_HIDDEN bool CheckLayout() {
    const MatmulLayout& a = ask_.a_layout;
    const MatmulLayout& b = ask_.b_layout;
    if (ask_.batch < 0 || ask_.batch_a < 0 || ask_.batch_b < 0)
      return Fail("SetBatchNum: a number of batches is at least 1");
    if (a.g == 0 || b.g == 0 || ask_.batch == 0) return true;
    if (a.g % b.g != 0 && b.g % a.g != 0) {
      return Fail("SetALayout, SetBLayout: one of the two axes G (" + Text(a.g) + " and " +
                  Text(b.g) + ") is a multiple of the other");
    }
    const int64_t most = std::max(a.g, b.g);
    const int64_t left = CeilDiv(ask_.batch * a.g, most);
    const int64_t right = CeilDiv(ask_.batch * b.g, most);
    const int64_t room = machine_.l1 * 8 / bits_ / AlignUp(size_.k, align_k_);
    if (left > room || right > room ||
        left * AlignUp(size_.m, align_m_) + right * AlignUp(size_.n, align_n_) > room) {
      return Fail("SetBatchNum: the matrices of " + Text(ask_.batch) +
                  " batches lie in L1 together, which has " + Text(machine_.l1) +
                  " bytes, and do not fit; multiply fewer at a time");
    }
    return true;
  }

  BASCULE_HIDDEN bool CheckBase() {
    const MatmulSizes& base = ask_.base;
    const struct {
      const char* name;
      int64_t size, align;
    } sizes[] = {{"baseM", base.m, kSide}, {"baseN", base.n, kSide}, {"baseK", base.k, align_k_}};
    for (const auto& size : sizes) {
      if (size.size != -1 && (size.size < 1 || size.size % size.align != 0)) {
        return Fail(std::string("SetFixSplit: ") + size.name + " is " + Text(size.size) +
                    "; it is a multiple of " + Text(size.align) + ", or -1");
      }
    }
    if (base.m != -1 && base.n != -1 && base.m * base.n > machine_.l0c / 4) {
      return Fail("SetFixSplit: a block of " + Text(base.m) + " x " + Text(base.n) +
                  " elements of 4 bytes is more than L0C has, " + Text(machine_.l0c) + " bytes");
    }
    if (base.m > AlignUp(size_.m, align_m_)) {
      return Fail("SetFixSplit: baseM is " + Text(base.m) + ", the product has " + Text(size_.m) +
                  " rows");
    }
    if (base.n > AlignUp(size_.n, align_n_)) {
      return Fail("SetFixSplit: baseN is " + Text(base.n) + ", the product has " + Text(size_.n) +
                  " columns");
    }
    return true;
  }

  // ---- Among cores -----------------------------------------------------------------------------

  // Work and traffic of a core, in cycles.
  BASCULE_HIDDEN void Estimate(Single* single) const {
    const double m = static_cast<double>(AlignUp(single->m, kSide));
    const double n = static_cast<double>(AlignUp(single->n, kSide));
    const double k = static_cast<double>(AlignUp(single->k, c0_));
    single->bytes = (m + n) * k * static_cast<double>(bits_) / 8 + m * n * 4;
    single->cycles = std::max(m * n * k / MultiplyAdds(), single->bytes / kGlobalBytes);
  }
  BASCULE_HIDDEN double MultiplyAdds() const {
    const int64_t lanes = bits_ == 32 ? 4 : 256 / bits_;
    return static_cast<double>(kSide * kSide * lanes);
  }

  // The size of a part where `count` cores share `size`.
  BASCULE_HIDDEN static int64_t Share(int64_t size, int64_t count, int64_t align) {
    if (count <= 1) return size;
    return std::min(size, AlignUp(CeilDiv(size, count), align));
  }
  BASCULE_HIDDEN static bool InRange(int64_t part, int64_t whole, int64_t least, int64_t most) {
    if (most > 0 && part > most) return false;
    return least <= 0 || part >= least || part == whole;
  }

  // The parts there can be in one direction: from one core on, each size once.
  BASCULE_HIDDEN std::vector<int64_t> Parts(int64_t size, int64_t fixed, int64_t least,
                                            int64_t most, int64_t align, int64_t cores) const {
    std::vector<int64_t> parts;
    if (fixed > 0) {
      parts.push_back(std::min(fixed, size));
      return parts;
    }
    for (int64_t count = 1; count <= cores; ++count) {
      const int64_t part = Share(size, count, align);
      if (!parts.empty() && parts.back() == part) continue;
      if (InRange(part, size, least, most)) parts.push_back(part);
    }
    return parts;
  }

  BASCULE_HIDDEN bool CutAmongCores(AscendC::tiling::TCubeTiling* out, MatmulCores* cores) {
    const bool fixed = ask_.single.m > 0 || ask_.single.n > 0 || ask_.single.k > 0;
    int64_t most = 1;
    if (ask_.many_cores) {
      most = ask_.dim != -1 ? ask_.dim : fixed ? machine_.cores : 1;
      most = std::min(most, machine_.cores);
    }
    const auto align = [](int64_t asked, int64_t own) { return asked > 0 ? asked : own; };
    const std::vector<int64_t> ms =
        Parts(size_.m, ask_.single.m, ask_.least_single.m, ask_.most_single.m,
              align(ask_.align_single.m, align_m_), most);
    const std::vector<int64_t> ns =
        Parts(size_.n, ask_.single.n, ask_.least_single.n, ask_.most_single.n,
              align(ask_.align_single.n, align_n_), most);
    const std::vector<int64_t> ks =
        Parts(size_.k, ask_.single.k, ask_.least_single.k, ask_.most_single.k,
              align(ask_.align_single.k, align_k_), ask_.split_k ? most : 1);

    std::vector<Single> singles;
    for (int64_t m : ms) {
      for (int64_t n : ns) {
        for (int64_t k : ks) {
          Single single;
          single.m = m;
          single.n = n;
          single.k = k;
          single.cores.m = CeilDiv(size_.m, m);
          single.cores.n = CeilDiv(size_.n, n);
          // A kernel that was given a shorter K goes along it by itself.
          single.cores.k = ask_.split_k ? CeilDiv(size_.k, k) : 1;
          if (single.cores.m > most || single.cores.n > most || single.cores.k > most) continue;
          if (single.cores.m * single.cores.n * single.cores.k > most) continue;
          Estimate(&single);
          singles.push_back(single);
        }
      }
    }
    if (singles.empty()) {
      return Fail("no cut of m=" + Text(size_.m) + ", n=" + Text(size_.n) + ", k=" + Text(size_.k) +
                  " for at most " + Text(most) + (most == 1 ? " core" : " cores") +
                  " is what SetSingleShape, SetSingleRange and SetAlignSplit ask for" +
                  (ask_.dim == -1 && most == 1 ? "; SetDim says how many cores there are" : ""));
    }
    const bool given = ask_.base.m != -1 && ask_.base.n != -1;
    const auto blocks = [&](const Single& single) {
      return CeilDiv(single.m, ask_.base.m) * CeilDiv(single.n, ask_.base.n);
    };
    // Kernels that cut K leave its last part as long as the others: an even cut comes first, unless
    // it takes twice as long.
    if (ask_.split_k) {
      for (Single& single : singles) {
        if (size_.k % single.k != 0) single.cycles *= 2;
      }
    }
    std::stable_sort(singles.begin(), singles.end(), [&](const Single& x, const Single& y) {
      // Where the blocks are given, cores get columns of them, as kernels that fix blocks count on.
      if (given && x.cores.k == y.cores.k) {
        if (blocks(x) != blocks(y)) return blocks(x) < blocks(y);
        if (x.cores.n != y.cores.n) return x.cores.n > y.cores.n;
      }
      if (x.cycles != y.cycles) return x.cycles < y.cycles;
      const int64_t x_cores = x.cores.m * x.cores.n * x.cores.k;
      const int64_t y_cores = y.cores.m * y.cores.n * y.cores.k;
      if (x_cores != y_cores) return x_cores < y_cores;
      if (x.bytes != y.bytes) return x.bytes < y.bytes;
      return x.cores.m > y.cores.m;
    });
    std::string first;
    for (const Single& single : singles) {
      if (CutWithinCore(single, out)) {
        *cores = single.cores;
        return true;
      }
      if (first.empty()) first = why_;
    }
    return Fail(first);
  }

  // ---- Within a core ---------------------------------------------------------------------------

  // More than any memory has stays more than any memory has.
  BASCULE_HIDDEN int64_t Bytes(int64_t elements) const {
    constexpr int64_t kHuge = int64_t{1} << 57;
    return elements > kHuge ? kHuge : elements * bits_ / 8;
  }

  // L1 that is left for blocks, and which matrices the kernel puts there itself, as a whole.
  BASCULE_HIDDEN int64_t L1ForBlocks(const Single& single, int64_t base_n) const {
    int64_t left = machine_.l1;
    if (ask_.has_bias) left -= AlignUp(base_n * 4, 32);
    if (ask_.vector_dequant) left -= base_n * 8;
    if (OnL1(ask_.a.position))
      left -= Bytes(AlignUp(single.m, align_m_) * AlignUp(single.k, align_k_));
    if (OnL1(ask_.b.position))
      left -= Bytes(AlignUp(single.n, align_n_) * AlignUp(single.k, align_k_));
    return left;
  }
  // A block in L1, in whole fractals however it is turned.
  BASCULE_HIDDEN int64_t BlockBytes(int64_t rows, int64_t columns) const {
    return Bytes(AlignUp(rows, std::max(kSide, c0_)) * columns);
  }

  // The elements of K that fit `bytes` beside `rows`, in whole fractals.
  BASCULE_HIDDEN int64_t FittingK(int64_t bytes, int64_t rows, int64_t buffers) const {
    if (bytes <= 0) return 0;
    return bytes * 8 / (bits_ * rows * buffers) / align_k_ * align_k_;
  }

  BASCULE_HIDDEN bool OuterProduct() const { return ask_.schedule == ScheduleType::OUTER_PRODUCT; }
  BASCULE_HIDDEN bool NBuffer33() const { return ask_.schedule == ScheduleType::N_BUFFER_33; }

  // The block of base.m x base.n: how long it is, how often it is buffered, what it costs.
  BASCULE_HIDDEN bool Weigh(const Single& single, Base* base) const {
    const int64_t rows = CeilDiv(single.m, base->m);
    const int64_t columns = CeilDiv(single.n, base->n);
    const int64_t c_bytes = base->m * base->n * 4;
    if (c_bytes > machine_.l0c) return false;
    if (ask_.has_bias && base->n * 4 > machine_.bt) return false;
    if (OnUb(ask_.c.position) && base->m * base->n * MatmulBits(ask_.c.type) / 8 > machine_.ub)
      return false;
    base->db_c = rows * columns > 1 && c_bytes * 2 <= machine_.l0c ? 2 : 1;
    if (OuterProduct() && rows * columns > 1 && base->db_c == 1) return false;
    if (NBuffer33() && rows > 3) return false;

    const int64_t whole_k = AlignUp(single.k, align_k_);
    int64_t in_a = FittingK(machine_.l0a, base->m, 2);
    base->db_a = in_a > 0 ? 2 : 1;
    if (in_a == 0) in_a = FittingK(machine_.l0a, base->m, 1);
    int64_t in_b = FittingK(machine_.l0b, base->n, 2);
    base->db_b = in_b > 0 ? 2 : 1;
    if (in_b == 0) in_b = FittingK(machine_.l0b, base->n, 1);
    const int64_t l1 = L1ForBlocks(single, base->n);
    const int64_t l1_rows = (OnL1(ask_.a.position) ? 0 : AlignUp(base->m, std::max(kSide, c0_))) +
                            (OnL1(ask_.b.position) ? 0 : AlignUp(base->n, std::max(kSide, c0_)));
    if (l1 < 0) return false;
    const int64_t in_l1 = l1_rows == 0 ? whole_k : FittingK(l1, l1_rows, 1);
    base->k = std::min({in_a, in_b, in_l1, whole_k});
    if (ask_.base.k != -1) {
      // Where there is no room for two of the blocks that are asked for, there may be for one.
      base->k = ask_.base.k;
      if (base->k > whole_k || base->k > in_l1) return false;
      if (base->k > in_a) {
        base->db_a = 1;
        if (base->k > FittingK(machine_.l0a, base->m, 1)) return false;
      }
      if (base->k > in_b) {
        base->db_b = 1;
        if (base->k > FittingK(machine_.l0b, base->n, 1)) return false;
      }
    }
    if (base->k < align_k_) return false;
    const int64_t steps = CeilDiv(single.k, base->k);
    if (OuterProduct() && (ask_.mdl || ask_.batch > 0) && steps > 1) return false;
    const int64_t a_block = OnL1(ask_.a.position) ? 0 : BlockBytes(base->m, base->k);
    const int64_t b_block = OnL1(ask_.b.position) ? 0 : BlockBytes(base->n, base->k);
    if (NBuffer33() && (steps > 3 || rows * steps * a_block + 2 * steps * b_block > l1))
      return false;

    const double m = static_cast<double>(AlignUp(single.m, kSide));
    const double n = static_cast<double>(AlignUp(single.n, kSide));
    const double k = static_cast<double>(AlignUp(single.k, c0_));
    const double bytes = static_cast<double>(bits_) / 8;
    const double of_rows = static_cast<double>(rows);
    const double of_columns = static_cast<double>(columns);
    const double multiply =
        m * n * k / MultiplyAdds() + static_cast<double>(kMmadCycles * rows * columns * steps);
    const double to_l0 =
        of_columns * m * k * bytes / kL0aBytes + of_rows * n * k * bytes / kL0bBytes;
    // Going along a row of C, the rows of A can stay in L1; going down, the columns of B.
    const bool a_stays = steps * a_block + 2 * b_block <= l1;
    const bool b_stays = steps * b_block + 2 * a_block <= l1;
    const double along = m * (a_stays ? 1 : of_columns) + n * of_rows;
    const double down = m * of_columns + n * (b_stays ? 1 : of_rows);
    base->order = ask_.traverse == MatrixTraverse::FIRSTM   ? 0
                  : ask_.traverse == MatrixTraverse::FIRSTN ? 1
                  : OuterProduct()                          ? 0
                  : along < down                            ? 1
                                                            : 0;
    const double load = (base->order == 1 ? along : down) * k * bytes / kGlobalBytes;
    base->cycles = std::max({multiply, to_l0, load});
    // Without a second buffer in L0C the next block waits until this one is written.
    if (base->db_c == 1 && rows * columns > 1) base->cycles += m * n * 4 / kL0bBytes / 8;
    return true;
  }

  BASCULE_HIDDEN bool CutIntoBlocks(const Single& single, Base* best) {
    const int64_t most_m = AlignUp(single.m, align_m_);
    const int64_t most_n = AlignUp(single.n, align_n_);
    const bool fixed_m = ask_.base.m != -1;
    const bool fixed_n = ask_.base.n != -1;
    const int64_t l0c_rows = machine_.l0c / 4;
    bool found = false;
    for (int64_t m = fixed_m ? ask_.base.m : align_m_;
         m <= most_m && m * kSide <= l0c_rows && !(fixed_m && m > ask_.base.m); m += align_m_) {
      for (int64_t n = fixed_n ? ask_.base.n : align_n_;
           n <= most_n && m * n <= l0c_rows && !(fixed_n && n > ask_.base.n); n += align_n_) {
        Base base;
        base.m = m;
        base.n = n;
        if (!Weigh(single, &base)) continue;
        const double difference = base.cycles - best->cycles;
        const int64_t volume = m * n * base.k - best->m * best->n * best->k;
        // Equally fast: fewer instructions, then longer rows to write.
        if (!found || difference < 0 ||
            (difference == 0 && (volume > 0 || (volume == 0 && n > best->n)))) {
          *best = base;
          found = true;
        }
      }
    }
    return found;
  }

  // How many blocks L1 holds at a time. Loading K as a whole comes first, as the page advises.
  BASCULE_HIDDEN bool CutL1(const Single& single, const Base& base, Steps* best) {
    const int64_t l1 = L1ForBlocks(single, base.n);
    const int64_t rows = CeilDiv(single.m, base.m);
    const int64_t columns = CeilDiv(single.n, base.n);
    const int64_t all_k = CeilDiv(single.k, base.k);
    const bool a_there = OnL1(ask_.a.position);
    const bool b_there = OnL1(ask_.b.position);
    const int64_t a_block = a_there ? 0 : BlockBytes(base.m, base.k);
    const int64_t b_block = b_there ? 0 : BlockBytes(base.n, base.k);
    // In an outer product one block of A meets two of B, or the other way round.
    const int64_t wide_m = NBuffer33()                         ? rows
                           : OuterProduct() && base.order == 1 ? std::min<int64_t>(2, rows)
                                                               : 1;
    const int64_t wide_n = OuterProduct() && base.order == 0 ? std::min<int64_t>(2, columns) : 1;
    bool found = false;
    double best_load = 0;
    const auto consider = [&](const Steps& steps) {
      const int64_t bytes =
          steps.m * steps.ka * steps.db_a * a_block + steps.n * steps.kb * steps.db_b * b_block;
      if (bytes > l1) return;
      const int64_t a_loads = CeilDiv(all_k, steps.ka);
      const int64_t b_loads = CeilDiv(all_k, steps.kb);
      if (a_loads % b_loads != 0 && b_loads % a_loads != 0) return;
      if (ask_.mdl && ((steps.m > 1 && a_loads > 1) || (steps.n > 1 && b_loads > 1))) return;
      const bool a_once = a_loads == 1 && (base.order == 1 || steps.m == rows);
      const bool b_once = b_loads == 1 && (base.order == 0 || steps.n == columns);
      const double load =
          static_cast<double>(single.m) * static_cast<double>(a_once ? 1 : columns) +
          static_cast<double>(single.n) * static_cast<double>(b_once ? 1 : rows);
      const int64_t buffers = steps.db_a + steps.db_b;
      const int64_t best_buffers = best->db_a + best->db_b;
      const int64_t loads = a_loads + b_loads;
      const int64_t best_loads = CeilDiv(all_k, best->ka) + CeilDiv(all_k, best->kb);
      const bool better =
          !found || load < best_load ||
          (load == best_load &&
           (buffers > best_buffers ||
            (buffers == best_buffers &&
             (loads < best_loads || (loads == best_loads && bytes < best->l1_bytes)))));
      if (!better) return;
      found = true;
      best_load = load;
      *best = steps;
      best->l1_bytes = bytes;
    };
    const auto most_steps = [&](int64_t block, int64_t buffers) {
      if (block == 0) return all_k;
      return std::min(all_k, l1 / (block * buffers));
    };
    for (int64_t db_a = a_there || NBuffer33() ? 1 : 2; db_a >= 1; --db_a) {
      for (int64_t db_b = b_there ? 1 : 2; db_b >= 1; --db_b) {
        const int64_t first_ka = a_there || NBuffer33() ? all_k : 1;
        const int64_t first_kb = b_there || NBuffer33() ? all_k : 1;
        for (int64_t ka = first_ka; ka <= most_steps(a_block, db_a); ++ka) {
          for (int64_t kb = first_kb; kb <= most_steps(b_block, db_b); ++kb) {
            Steps steps;
            steps.ka = ka;
            steps.kb = kb;
            steps.db_a = db_a;
            steps.db_b = db_b;
            steps.m = a_there ? rows : wide_m;
            steps.n = b_there ? columns : wide_n;
            consider(steps);
            // All of a matrix in L1, loaded once; the second buffer has nothing to load then.
            if (ka == all_k && !a_there && !OuterProduct() && !NBuffer33()) {
              Steps whole = steps;
              whole.m = rows;
              whole.db_a = 1;
              if (base.order == 0 || rows == 1) consider(whole);
            }
            if (kb == all_k && !b_there && !OuterProduct() && !NBuffer33()) {
              Steps whole = steps;
              whole.n = columns;
              whole.db_b = 1;
              if (base.order == 1 || columns == 1) consider(whole);
            }
          }
        }
      }
    }
    return found;
  }

  BASCULE_HIDDEN bool CutWithinCore(const Single& single, AscendC::tiling::TCubeTiling* out) {
    const int64_t whole_a = Bytes(single.m * single.k);
    const int64_t whole_b = Bytes(single.n * single.k);
    if (OnUb(ask_.a.position) && whole_a > machine_.ub)
      return Fail(Whole("A", single.m, single.k, whole_a, "UB", machine_.ub));
    if (OnUb(ask_.b.position) && whole_b > machine_.ub)
      return Fail(Whole("B", single.k, single.n, whole_b, "UB", machine_.ub));
    if (OnL1(ask_.a.position) && whole_a > machine_.l1)
      return Fail(Whole("A", single.m, single.k, whole_a, "L1", machine_.l1));
    if (OnL1(ask_.b.position) && whole_b > machine_.l1)
      return Fail(Whole("B", single.k, single.n, whole_b, "L1", machine_.l1));
    Base base;
    Steps steps;
    if (!CutIntoBlocks(single, &base) || !CutL1(single, base, &steps)) {
      return Fail(
          "no block of a core's " + Text(single.m) + " x " + Text(single.n) + " over " +
          Text(single.k) +
          (ask_.base.m != -1 || ask_.base.n != -1 || ask_.base.k != -1 ? " that SetFixSplit allows"
                                                                       : "") +
          (NBuffer33()      ? " cuts A into 3 x 3 blocks that fit L1"
           : OuterProduct() ? " holds all of K and two results in L0C, as an outer product does"
                            : " fits its memories") +
          " (" + Text(machine_.l1) + " bytes of L1, " + Text(machine_.l0c) + " of L0C, " +
          Text(machine_.bt) + " of BT, " + Text(machine_.ub) + " of UB)");
    }
    Write(single, base, steps, out);
    return true;
  }
  BASCULE_HIDDEN static std::string Whole(const char* name, int64_t rows, int64_t columns,
                                          int64_t bytes, const char* memory, int64_t there) {
    return std::string("a core's part of ") + name + ", " + Text(rows) + " x " + Text(columns) +
           ", has " + Text(bytes) + " bytes and lies in " + memory + ", which has " + Text(there);
  }

  BASCULE_HIDDEN void Write(const Single& single, const Base& base, const Steps& steps,
                            AscendC::tiling::TCubeTiling* out) const {
    const auto number = [](int64_t value) { return static_cast<int32_t>(value); };
    AscendC::tiling::TCubeTiling tiling;
    tiling.usedCoreNum = number(single.cores.m * single.cores.n * single.cores.k);
    tiling.M = number(original_.m);
    tiling.N = number(original_.n);
    tiling.Ka = number(original_.k);
    tiling.Kb = number(original_kb_);
    tiling.singleCoreM = number(single.m);
    tiling.singleCoreN = number(single.n);
    tiling.singleCoreK = number(single.k);
    tiling.baseM = number(base.m);
    tiling.baseN = number(base.n);
    tiling.baseK = number(base.k);
    tiling.stepM = number(steps.m);
    tiling.stepN = number(steps.n);
    tiling.stepKa = number(steps.ka);
    tiling.stepKb = number(steps.kb);
    tiling.depthA1 = number(steps.m * steps.ka * steps.db_a);
    tiling.depthB1 = number(steps.n * steps.kb * steps.db_b);
    tiling.isBias = ask_.has_bias ? 1 : 0;
    // Atlas A2 rearranges matrices on their way to L1; no part of UB is needed for it.
    tiling.transLength = 0;
    tiling.iterateOrder = number(base.order);
    tiling.dbL0A = number(base.db_a);
    tiling.dbL0B = number(base.db_b);
    tiling.dbL0C = number(base.db_c);
    tiling.shareMode = 0;
    tiling.shareL1Size = number(machine_.l1 - L1ForBlocks(single, base.n) + steps.l1_bytes);
    tiling.shareL0CSize = number(base.m * base.n * 4 * base.db_c);
    tiling.shareUbSize = 0;
    const int64_t batch_a = ask_.batch_a > 0 ? ask_.batch_a : std::max<int64_t>(ask_.batch, 1);
    const int64_t batch_b = ask_.batch_b > 0 ? ask_.batch_b : std::max<int64_t>(ask_.batch, 1);
    tiling.batchM = tiling.singleBatchM = number(batch_a);
    tiling.batchN = tiling.singleBatchN = number(batch_b);
    tiling.ALayoutInfoB = ask_.a_layout.b;
    tiling.ALayoutInfoS = ask_.a_layout.s;
    tiling.ALayoutInfoN = ask_.a_layout.n;
    tiling.ALayoutInfoG = ask_.a_layout.g;
    tiling.ALayoutInfoD = ask_.a_layout.d;
    tiling.BLayoutInfoB = ask_.b_layout.b;
    tiling.BLayoutInfoS = ask_.b_layout.s;
    tiling.BLayoutInfoN = ask_.b_layout.n;
    tiling.BLayoutInfoG = ask_.b_layout.g;
    tiling.BLayoutInfoD = ask_.b_layout.d;
    tiling.CLayoutInfoB = ask_.c_layout.b;
    tiling.CLayoutInfoS1 = ask_.c_layout.s;
    tiling.CLayoutInfoN = ask_.c_layout.n;
    tiling.CLayoutInfoG = ask_.c_layout.g;
    tiling.CLayoutInfoS2 = ask_.c_layout.d;
    tiling.BatchNum = number(ask_.batch);
    *out = tiling;
  }

  MatmulAsk ask_;
  MatmulMachine machine_;  // as far as it may be used
  MatmulSizes size_;       // of the product
  MatmulSizes original_;
  int64_t original_kb_ = 0;
  int64_t bits_ = 0;     // of an element of A and B
  int64_t c0_ = 0;       // elements of a datablock
  int64_t align_m_ = 0;  // what blocks are whole multiples of
  int64_t align_n_ = 0;
  int64_t align_k_ = 0;
  std::string why_;
};

}  // namespace bascule_host

#endif  // BASCULE_ASCENDC_TILING_MATRIX_MATMUL_SPLIT_H_
