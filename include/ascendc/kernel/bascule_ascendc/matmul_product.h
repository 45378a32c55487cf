// What Matmul does on a cube core: blocks of baseM x baseN, each a sum of products of baseK, made
// of the instructions a kernel could have written itself. Nothing in here knows of vector cores.
//
// Source: the pages "Matmul kernel API", TCubeTiling, MatmulConfig and MatmulCallBackFunc of the
// Ascend C API, and the pages of the cube unit for the layouts of L1, L0A, L0B and L0C.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_MATMUL_PRODUCT_H
#define BASCULE_ASCENDC_MATMUL_PRODUCT_H

#include "bascule_ascendc/cube.h"
#include "bascule_ascendc/matmul_config.h"

// NOLINTBEGIN(readability-identifier-naming): the interface's spelling
BASCULE_ASCENDC_BEGIN

// What a kernel's own function that writes C learns.
struct DataCopyOutParams {
  uint16_t cBurstNum = 0;
  uint16_t burstLen = 0;
  uint16_t srcStride = 0;
  uint32_t dstStride = 0;
  uint16_t oriNSize = 0;
  bool enUnitFlag = false;
  uint64_t quantScalar = 0;
  uint64_t cbufWorkspaceAddr = 0;
};

BASCULE_ASCENDC_END
// NOLINTEND(readability-identifier-naming)

BASCULE_PRIVATE_BEGIN
namespace bascule_ascendc {

constexpr int64_t UpTo(int64_t value, int64_t unit) { return (value + unit - 1) / unit * unit; }
constexpr int64_t Pieces(int64_t value, int64_t unit) { return (value + unit - 1) / unit; }

// A matrix, or a vector, that a product reads.
struct MatmulSource {
  const void* address = nullptr;
  bool in_l1 = false;  // as strips of all its rows; else in global memory
  bool turned = false;
  int64_t pitch = 0;  // of ND, from row to row; of strips, rows of each. In elements
};

template <class B, typename = void>
constexpr bool kSparseMatrix = false;
template <class B>
constexpr bool kSparseMatrix<B, std::void_t<decltype(B::indexPosition)>> = true;

// All that a product depends on. Sizes are in elements; what a kernel sets changes this and nothing
// else, so it can be handed to another core.
struct MatmulProblem {
  AscendC::tiling::TCubeTiling tiling{};
  int64_t m = 0, n = 0, k = 0;                           // singleCoreM, N, K
  int64_t org_m = 0, org_n = 0, org_ka = 0, org_kb = 0;  // of whole matrices
  int64_t org_kc = 0;                                    // N of C; 0: that of B
  MatmulSource a, b, bias;
  bool with_bias = false;
  const uint64_t* scales = nullptr;  // one for each column
  uint64_t scale = 0;
  bool with_scale = false;
  const uint8_t* index = nullptr;  // of a sparse B
  uint32_t hf32 = 0;               // flags of Mmad
  uint64_t user_info = 0, user_data = 0;
};

// Where a block of C goes.
struct MatmulTarget {
  void* address = nullptr;
  int64_t pitch = 0;  // of rows, in elements; of strips, in rows of each
  bool strips = false;
  bool to_l1 = false;
  uint8_t atomic = 0;
};

// Which block: its first row and column, and which products along k it sums up.
struct MatmulBlock {
  int64_t m_block = 0, n_block = 0;
  int64_t k_begin = 0, k_end = 0;  // in steps of baseK
};

template <class A, class B, class C, class Bias, const auto& kGiven, class Callbacks>
class MatmulProduct {
 public:
  using TA = typename A::T;
  using TB = typename B::T;
  using TC = typename C::T;
  using TBias = typename Bias::T;
  using Sum = typename AscendC::GetMmDstType<TA>::Type;

  static constexpr bool kStatic =
      std::is_same_v<std::decay_t<decltype(kGiven)>, AscendC::MatmulApiStaticTiling>;
  static constexpr AscendC::MatmulConfig Config() {
    if constexpr (kStatic)
      return kGiven.cfg;
    else
      return kGiven;
  }

  // What was read before may have changed since.
  void Forget() {
    for (Slots* slots : {&a1_, &b1_}) slots->count = slots->filled = 0;
    bias_block_ = scale_block_ = -1;
    a2_ = b2_ = Loaded{};
  }

  // Number of blocks along each axis.
  static int64_t Rows(const MatmulProblem& p) { return Pieces(p.m, p.tiling.baseM); }
  static int64_t Columns(const MatmulProblem& p) { return Pieces(p.n, p.tiling.baseN); }
  static int64_t Steps(const MatmulProblem& p) { return Pieces(p.k, p.tiling.baseK); }
  static int64_t RowsOf(const MatmulProblem& p, int64_t block) {
    return Less(p.tiling.baseM, p.m - block * p.tiling.baseM);
  }
  static int64_t ColumnsOf(const MatmulProblem& p, int64_t block) {
    return Less(p.tiling.baseN, p.n - block * p.tiling.baseN);
  }

  // The sum of a block, left in L0C at `c_offset` bytes of what no kernel has taken, or where the
  // kernel says.
  AscendC::LocalTensor<Sum> Multiply(BasculeCore* core, const MatmulProblem& p,
                                     const MatmulBlock& block, int64_t c_offset, bool accumulate,
                                     const AscendC::LocalTensor<Sum>* into, const char* call,
                                     const Site& site) {
    call_ = call;
    site_ = &site;
    Take(core, p);
    const int64_t rows = RowsOf(p, block.m_block);
    const int64_t columns = ColumnsOf(p, block.n_block);
    const int64_t wide = UpTo(columns, p.b.turned ? kSide : kTurnedColumns);
    AscendC::LocalTensor<Sum> c = into != nullptr ? *into : RoomForC(core, c_offset, rows, wide);
    uint32_t from = accumulate ? BASCULE_MMAD_FROM_C : BASCULE_MMAD_FROM_ZERO;
    AscendC::LocalTensor<Sum> bias;
    if (p.with_bias && block.k_begin == 0 && !accumulate) {
      bias = LoadBias(core, p, block.n_block, columns, wide);
      from = BASCULE_MMAD_FROM_BIAS;
    }
    for (int64_t step = block.k_begin; step < block.k_end; ++step) {
      const int64_t k = Less(p.tiling.baseK, p.k - step * p.tiling.baseK);
      const AscendC::LocalTensor<TA> a = LoadA(core, p, block.m_block, rows, step, k);
      const AscendC::LocalTensor<TB> b = LoadB(core, p, block.n_block, columns, step, k);
      core->api->pipe_barrier(core, BASCULE_PIPE_ALL, site_);
      BasculeInstruction in = CubeInstruction(BASCULE_OPCODE_kMmad, site, c, a, b, bias);
      uint64_t* extra = in.params.vector.extra;
      // One row would be another layout of A.
      extra[BASCULE_MMAD_M] = static_cast<uint64_t>(rows < 2 ? 2 : rows);
      extra[BASCULE_MMAD_N] = static_cast<uint64_t>(wide);
      extra[BASCULE_MMAD_K] = static_cast<uint64_t>(k);
      in.params.vector.mode = from;
      in.params.vector.flags = Flag(p.a.turned && kBits == 32, BASCULE_MMAD_ALIGN_K) |
                               (std::is_same_v<TA, float> ? p.hf32 : 0);
      if constexpr (kSparse) {
        in.params.vector.flags |= BASCULE_MMAD_SPARSE;
        extra[BASCULE_SPARSE_INDEX] = SparseIndex(call, b, site);
      }
      core->api->execute(core, &in);
      from = BASCULE_MMAD_FROM_C;
    }
    core->api->pipe_barrier(core, BASCULE_PIPE_ALL, site_);
    return c;
  }

  // A block of C on its way out.
  void Store(BasculeCore* core, const MatmulProblem& p, const MatmulBlock& block,
             const AscendC::LocalTensor<Sum>& c, const MatmulTarget& to, const char* call,
             const Site& site) {
    call_ = call;
    site_ = &site;
    const int64_t rows = RowsOf(p, block.m_block);
    int64_t columns = ColumnsOf(p, block.n_block);
    if constexpr (Callbacks::kOut) {
      AscendC::DataCopyOutParams params;
      params.cBurstNum = static_cast<uint16_t>(columns);
      params.burstLen = static_cast<uint16_t>(rows);
      params.srcStride = static_cast<uint16_t>(UpTo(rows, kSide));
      params.dstStride = static_cast<uint32_t>(to.pitch);
      params.oriNSize = static_cast<uint16_t>(columns);
      params.enUnitFlag = Config().enUnitFlag;
      params.quantScalar = p.scale;
      Callbacks::Out(to.address, c.template ReinterpretCast<int8_t>(),
                     static_cast<const void*>(&params), p.user_info, p.user_data);
      core->api->pipe_barrier(core, BASCULE_PIPE_ALL, site_);
      return;
    }
    AscendC::LocalTensor<uint64_t> words;
    const uint32_t mode = OutMode(core, p, block.n_block, columns, &words);
    BasculeInstruction in = CubeInstruction(BASCULE_OPCODE_kFixpipe, site, c, c, words);
    in.operand[0] =
        BasculeOperand{to.address, static_cast<uint8_t>(to.to_l1 ? BASCULE_L1 : BASCULE_GM),
                       TypeNumber<TC>::value, 1, 0};
    constexpr bool kSplit = Config().isEnableChannelSplit;
    if (to.strips) columns = UpTo(columns, kSplit ? 8 : kSide);
    uint64_t* extra = in.params.vector.extra;
    extra[BASCULE_FIXPIPE_N] = static_cast<uint64_t>(columns);
    extra[BASCULE_FIXPIPE_M] = static_cast<uint64_t>(rows);
    extra[BASCULE_FIXPIPE_FROM_STRIDE] = static_cast<uint64_t>(UpTo(rows, kSide));
    // A strip has 16 columns, 32 of 8 bits, 8 of float with isEnableChannelSplit.
    constexpr int64_t kStripBytes = kSplit            ? 32
                                    : sizeof(TC) == 1 ? 32
                                                      : kSide * static_cast<int64_t>(sizeof(TC));
    extra[BASCULE_FIXPIPE_TO_STRIDE] = static_cast<uint64_t>(
        to.strips ? to.pitch * kStripBytes / BASCULE_DATABLOCK_BYTES : to.pitch);
    in.params.vector.mode = mode;
    in.params.vector.flags = Flag(!to.strips, BASCULE_FIXPIPE_ROWS) |
                             Flag(Config().enableRelu, BASCULE_FIXPIPE_RELU) |
                             Flag(kSplit && to.strips, BASCULE_FIXPIPE_SPLIT);
    in.params.vector.scalar.bits = p.scale;
    const uint8_t op = core->atomic_op;
    const BasculeDType dtype = core->atomic_dtype;
    if (to.atomic != 0) {
      core->atomic_op = to.atomic;
      core->atomic_dtype = TypeNumber<TC>::value;
    }
    core->api->execute(core, &in);
    core->atomic_op = op;
    core->atomic_dtype = dtype;
    core->api->pipe_barrier(core, BASCULE_PIPE_ALL, site_);
  }

  // Refuses a tiling or a shape that cannot be computed.
  static void Check(const MatmulProblem& p, const char* call, const Site& site) {
    const struct {
      const char* name;
      int64_t value;
      int64_t least;
    } numbers[] = {{"singleCoreM", p.m, 0},
                   {"singleCoreN", p.n, 0},
                   {"singleCoreK", p.k, 1},
                   {"baseM of the tiling", p.tiling.baseM, 1},
                   {"baseN of the tiling", p.tiling.baseN, 1},
                   {"baseK of the tiling", p.tiling.baseK, 1}};
    for (const auto& number : numbers) {
      if (number.value >= number.least) continue;
      Refuse(site, "%s: %s is %lld%s", call, number.name, static_cast<long long>(number.value),
             number.least == 1 ? "; it has to be at least 1. Has the object been given its tiling, "
                                 "by REGIST_MATMUL_OBJ or Init?"
                               : "; it cannot be negative");
    }
    if (p.a.address == nullptr || p.b.address == nullptr) {
      Refuse(site, "%s: matrix %s has not been set; call SetTensor%s before", call,
             p.a.address == nullptr ? "A" : "B", p.a.address == nullptr ? "A" : "B");
    }
    if (p.with_bias && p.bias.address == nullptr)
      Refuse(site,
             "%s: the tiling has a bias (isBias), and none was set; call SetBias, or DisableBias",
             call);
    if constexpr (kSparse) {
      if (p.index == nullptr || !p.b.turned || p.tiling.baseK % (2 * kC0) != 0) {
        Refuse(site,
               "%s: a sparse B has an index (SetSparseIndex), is transposed, and baseK is a "
               "multiple of %lld; it is %d",
               call, static_cast<long long>(2 * kC0), p.tiling.baseK);
      }
    }
    const struct {
      const char* name;
      const char* single;
      int64_t value;
      int64_t most;
      bool matters;
    } sizes[] = {{"Ka", "singleCoreK", p.k, p.org_ka, !p.a.in_l1},
                 {"Kb", "singleCoreK", p.k, p.org_kb, !p.b.in_l1},
                 {"N", "singleCoreN", p.n, p.org_n, !p.b.in_l1}};
    for (const auto& size : sizes) {
      if (!size.matters || size.value <= size.most) continue;
      Refuse(site,
             "%s: %s is %lld, and the whole matrix has %s = %lld; SetOrgShape says how large "
             "matrices are, SetSingleShape and SetTail what is computed of them",
             call, size.single, static_cast<long long>(size.value), size.name,
             static_cast<long long>(size.most));
    }
  }

  template <typename... Values>
  [[noreturn]] static void Refuse(const Site& site, const char* format, Values... values) {
    char text[512];
    std::snprintf(text, sizeof(text), format, values...);
    Fail(text, site);
  }

 private:
  static constexpr int64_t kBits = static_cast<int64_t>(ElementBits<TA>);
  static_assert(ElementBits<TA> == ElementBits<TB> && std::is_same_v<TA, TB>,
                "Matmul: A and B have one element type");
  static_assert(kBits <= 32, "Matmul multiplies half, bfloat16_t, float, int8_t and int4b_t");
  static constexpr int64_t kSide = BASCULE_FRACTAL_ROWS;
  static constexpr int64_t kC0 = BASCULE_DATABLOCK_BYTES * 8 / kBits;  // elements of a datablock
  // A side of what LoadDataWithTranspose turns at a time.
  static constexpr int64_t kSquare = kBits >= 16 ? 16 : kC0;
  static constexpr int64_t kTurnedColumns = kBits >= 16 ? kSide : kSquare;

  // Of a sparse B every four elements along k are two.
  static constexpr bool kSparse = kSparseMatrix<B>;
  static constexpr int64_t kFold = kSparse ? 2 : 1;
  static_assert(!kSparse || std::is_same_v<TB, int8_t>, "Matmul: a sparse B is of int8_t");

  static constexpr int64_t Less(int64_t a, int64_t b) { return a < b ? a : b; }
  static constexpr int64_t More(int64_t a, int64_t b) { return a > b ? a : b; }
  static constexpr int64_t Bytes(int64_t elements) { return elements * kBits / 8; }

  // Panels in L1: rows or columns of one block, and some steps along k.
  struct Slots {
    static constexpr int kMost = 16;
    char* begin = nullptr;
    int64_t bytes = 0;  // of each
    int64_t steps = 1;  // of k in a panel
    int count = 0;
    int filled = 0;
    int next = 0;
    struct {
      int64_t block, group;
    } holds[kMost] = {};

    // The panel of a block, and whether it is there already.
    char* Find(int64_t block, int64_t group, bool* there) {
      for (int i = 0; i < filled; ++i) {
        if (holds[i].block == block && holds[i].group == group) {
          *there = true;
          return begin + i * bytes;
        }
      }
      const int slot = filled < count ? filled++ : next;
      next = (slot + 1) % count;
      holds[slot] = {block, group};
      *there = false;
      return begin + slot * bytes;
    }
  };
  // What lies in a half of L0A or L0B.
  struct Loaded {
    int64_t block[2] = {-1, -1};
    int64_t step[2] = {-1, -1};
    int next = 0;
  };

  [[noreturn]] void NoRoom(const char* memory, int64_t wanted, int64_t there) const {
    Refuse(*site_,
           "%s: the tiling needs %lld bytes of %s, and %lld are left; other sizes come from host "
           "code (GetTiling), and SetBufferSpace tells it what a kernel needs itself",
           call_, static_cast<long long>(wanted), memory, static_cast<long long>(there));
  }

  // Bytes of a panel of `rows` rows (of M or N) and `k` along K.
  static int64_t PanelBytes(int64_t rows, int64_t k, bool k_by_row) {
    if (k_by_row) return Bytes(UpTo(k, kSquare) * UpTo(rows, More(kC0, kSide)));
    return Bytes(UpTo(rows, kSide) * UpTo(k, kC0));
  }
  static bool KByRowA(const MatmulProblem& p) { return p.a.turned; }
  static bool KByRowB(const MatmulProblem& p) { return !p.b.turned; }

  // Lays out L1 when a product begins, and again when somebody else has used it in between.
  void Take(BasculeCore* core, const MatmulProblem& p) {
    BasculeBuffer rest;
    core->api->memory_rest(core, BASCULE_POS_A1, &rest, site_);
    if (core->cube_user == this && a1_.count != 0 && rest.address == l1_) return;
    Forget();
    core->cube_user = this;
    l1_ = static_cast<char*>(rest.address);
    Lay(core, p, rest, 0);
  }
  // With so many panels less than the tiling says.
  void Lay(BasculeCore* core, const MatmulProblem& p, const BasculeBuffer& rest, int depth_cut) {
    const auto lay = [&](Slots& slots, const MatmulSource& source, bool k_by_row, int64_t rows,
                         int64_t depth, int64_t steps, bool callback, int64_t offset) {
      slots.count = 1;
      slots.bytes = 0;
      slots.begin = l1_ + offset;
      if (source.in_l1) return offset;
      // A panel that begins within what is turned at a time cannot be cut into steps.
      const bool whole = p.tiling.baseK % (k_by_row ? kSquare : kC0) == 0;
      slots.steps = callback || !whole ? 1 : More(1, steps);
      slots.count = static_cast<int>(Less(Slots::kMost, More(1, depth / slots.steps - depth_cut)));
      slots.bytes =
          UpTo(PanelBytes(rows, Less(slots.steps * p.tiling.baseK, UpTo(p.k, kSquare)), k_by_row),
               BASCULE_FRACTAL_BYTES);
      return offset + slots.count * slots.bytes;
    };
    int64_t used = lay(a1_, p.a, KByRowA(p), Less(p.tiling.baseM, p.m), p.tiling.depthA1,
                       p.tiling.stepKa, Callbacks::kA, 0);
    used = lay(b1_, p.b, KByRowB(p), Less(p.tiling.baseN, p.n), p.tiling.depthB1, p.tiling.stepKb,
               Callbacks::kB, used);
    bias_l1_ = l1_ + used;
    if (p.with_bias) used += UpTo(p.tiling.baseN, kC0) * 4 + 64;
    used = UpTo(used, 64);
    scales_l1_ = l1_ + used;
    if (p.scales != nullptr) used += p.tiling.baseN * 8 + 64;
    used = UpTo(used, 64);
    index_l1_ = l1_ + used;
    if (kSparse) used += UpTo(p.tiling.baseN, kSide) * UpTo(p.tiling.baseK, 2 * kC0) / kFold / 4;
    const int64_t room = static_cast<int64_t>(rest.bytes);
    // Fewer panels at a time where the kernel has taken something itself; a mixed kernel's L1 lacks
    // 256 bytes that tilings count on.
    if (used > room && depth_cut < Slots::kMost * 2) return Lay(core, p, rest, depth_cut + 1);
    if (used > room) NoRoom("L1", used, room);
  }

  template <typename T>
  static AscendC::LocalTensor<T> At(BasculeCore* core, void* address, uint8_t memory,
                                    int64_t elements, AscendC::TPosition position) {
    BasculeBuffer buffer = {address, core->memory_end[memory], 0, 0};
    return AscendC::LocalTensor<T>::FromBuffer(
        core, buffer, memory,
        static_cast<uint32_t>(elements * static_cast<int64_t>(ElementBits<T>) / 8), position);
  }

  AscendC::LocalTensor<Sum> RoomForC(BasculeCore* core, int64_t offset, int64_t rows,
                                     int64_t columns) const {
    BasculeBuffer rest;
    core->api->memory_rest(core, BASCULE_POS_CO1, &rest, site_);
    const int64_t bytes = UpTo(rows, kSide) * columns * 4;
    if (offset + bytes > static_cast<int64_t>(rest.bytes))
      NoRoom("L0C", offset + bytes, rest.bytes);
    return At<Sum>(core, static_cast<char*>(rest.address) + offset, BASCULE_L0C, bytes / 4,
                   AscendC::TPosition::CO1);
  }

  // From global memory to a panel in L1: `rows` rows and `columns` columns of a matrix from
  // (row, column) on, as strips of a datablock's width and `padded` rows; with kGroups, which 32
  // bits need to be turned, strips of 16 rows, one group of 16 rows after the other.
  template <typename T>
  void LoadPanel(BasculeCore* core, char* to, const MatmulSource& from, AscendC::CubeFormat format,
                 int64_t row, int64_t column, int64_t rows, int64_t columns, int64_t padded,
                 bool groups) const {
    const char* base = static_cast<const char*>(from.address);
    const int64_t height = groups ? kSide : rows;
    for (int64_t first = 0; first < rows; first += height) {
      const int64_t here = Less(height, rows - first);
      char* place = to + (groups ? first * UpTo(columns, kSide) * kBits / 8 : 0);
      BasculeInstruction in = {};
      in.operand_count = 2;
      in.count = 1;
      in.site = *site_;
      if (format == AscendC::CubeFormat::NZ) {
        const int64_t strips = Pieces(columns, kC0);
        // Strips are whole in memory, so what pads them is there.
        const int64_t tall = Less(UpTo(here, kSide), from.pitch - row - first);
        in.opcode = BASCULE_OPCODE_kDataCopy;
        in.form = BASCULE_FORM_COPY;
        in.params.copy.block_count = static_cast<uint32_t>(strips);
        in.params.copy.block_bytes = static_cast<uint32_t>(tall * BASCULE_DATABLOCK_BYTES);
        in.params.copy.src_gap_bytes =
            static_cast<uint32_t>((from.pitch - tall) * BASCULE_DATABLOCK_BYTES);
        in.params.copy.dst_gap_bytes =
            static_cast<uint32_t>(((groups ? kSide : padded) - tall) * BASCULE_DATABLOCK_BYTES);
        in.params.copy.element_bytes = kBits < 8 ? 1 : kBits / 8;
        base = static_cast<const char*>(from.address) +
               (column / kC0 * from.pitch + row + first) * BASCULE_DATABLOCK_BYTES;
      } else {
        constexpr int64_t kPack = kBits < 8 ? 8 / kBits : 1;  // pairs of 4 bits are what counts
        in.opcode = BASCULE_OPCODE_kNd2Nz;
        in.form = BASCULE_FORM_COUNT;
        in.params.vector.scalar.bits = static_cast<uint64_t>(from.pitch / kPack);
        uint64_t* extra = in.params.vector.extra;
        extra[BASCULE_ND2NZ_ROWS] = static_cast<uint64_t>(here);
        extra[BASCULE_ND2NZ_COLUMNS] = static_cast<uint64_t>(Pieces(columns, kPack));
        extra[BASCULE_ND2NZ_STRIP_STRIDE] = static_cast<uint64_t>(groups ? kSide : padded);
        extra[BASCULE_ND2NZ_ROW_STRIDE] = 1;
        base = static_cast<const char*>(from.address) +
               ((row + first) * from.pitch + column) * kBits / 8;
      }
      constexpr uint8_t kType = kBits < 8 ? uint8_t{BASCULE_INT8} : TypeNumber<T>::value;
      in.operand[0] = BasculeOperand{place, BASCULE_L1, kType, 1, 0};
      in.operand[1] = BasculeOperand{const_cast<char*>(base), BASCULE_GM, kType, 0, 0};
      core->api->execute(core, &in);
    }
  }

  struct Move {
    char* to;
    const char* from;
    int64_t pieces, from_stride, to_stride, fractal_stride;
  };
  // From L1 to L0A or L0B; offsets and strides in fractals (of squares, in squares).
  template <typename T>
  void Split(BasculeCore* core, uint8_t memory, uint16_t opcode, uint32_t flags,
             const Move& move) const {
    BasculeInstruction in = {};
    in.opcode = opcode;
    in.form = BASCULE_FORM_COUNT;
    in.operand_count = 2;
    in.count = 1;
    in.operand[0] = BasculeOperand{move.to, memory, TypeNumber<T>::value, 1, 0};
    in.operand[1] =
        BasculeOperand{const_cast<char*>(move.from), BASCULE_L1, TypeNumber<T>::value, 1, 0};
    uint64_t* extra = in.params.vector.extra;
    extra[BASCULE_LOAD_PIECES] = static_cast<uint64_t>(move.pieces);
    extra[BASCULE_LOAD_FROM_STRIDE] = static_cast<uint64_t>(move.from_stride);
    extra[BASCULE_LOAD_TO_STRIDE] = static_cast<uint64_t>(move.to_stride);
    extra[BASCULE_LOAD_TO_FRACTAL_STRIDE] = static_cast<uint64_t>(move.fractal_stride);
    in.params.vector.flags = flags;
    in.site = *site_;
    core->api->execute(core, &in);
  }

  // One half of L0A or L0B after the other, where both fit.
  char* Half(BasculeCore* core, uint8_t memory, Loaded& loaded, int64_t bytes, int64_t block,
             int64_t step, bool* there) const {
    const int64_t all = static_cast<char*>(core->memory_end[memory]) -
                        static_cast<char*>(core->memory_begin[memory]);
    if (bytes > all) NoRoom(memory == BASCULE_L0A ? "L0A" : "L0B", bytes, all);
    *there = false;
    const int64_t half = bytes * 2 <= all ? all / 2 : 0;
    for (int i = 0; i < (half != 0 ? 2 : 1); ++i) {
      if (loaded.block[i] != block || loaded.step[i] != step) continue;
      *there = true;
      return static_cast<char*>(core->memory_begin[memory]) + i * half;
    }
    const int at = half != 0 ? loaded.next : 0;
    loaded.next = 1 - at;
    if (half == 0) loaded.block[1] = -1;
    loaded.block[at] = block;
    loaded.step[at] = step;
    return static_cast<char*>(core->memory_begin[memory]) + at * half;
  }

  // Where a panel's strips are: of the panel, or of the whole matrix when it lies in L1.
  struct Panel {
    const char* begin;
    int64_t k;     // of the block's first element, within the panel
    int64_t row;   // likewise
    int64_t tall;  // rows of a strip
  };

  AscendC::LocalTensor<TA> LoadA(BasculeCore* core, const MatmulProblem& p, int64_t block,
                                 int64_t rows, int64_t step, int64_t k) {
    const bool turned = KByRowA(p);
    if (turned && kBits == 4) Refuse(*site_, "%s: matrix A of int4b_t cannot be transposed", call_);
    const int64_t k_fractals = turned ? Pieces(k, kSquare) * kSquare / kC0 : Pieces(k, kC0);
    const int64_t m_fractals = UpTo(rows, turned ? kTurnedColumns : kSide) / kSide;
    bool there = false;
    char* const to = Half(core, BASCULE_L0A, a2_, m_fractals * k_fractals * BASCULE_FRACTAL_BYTES,
                          block, step, &there);
    const AscendC::LocalTensor<TA> a = At<TA>(
        core, to, BASCULE_L0A, m_fractals * k_fractals * kSide * kC0, AscendC::TPosition::A2);
    if (there) return a;
    const Panel panel = PanelA(core, p, block, rows, step);
    if (!turned) {
      // Row of fractals by row of fractals; the fewer instructions.
      const int64_t tall = panel.tall / kSide;
      const char* from =
          panel.begin + (panel.k / kC0 * tall + panel.row / kSide) * BASCULE_FRACTAL_BYTES;
      if (m_fractals <= k_fractals) {
        for (int64_t i = 0; i < m_fractals; ++i) {
          Split<TA>(core, BASCULE_L0A, BASCULE_OPCODE_kLoadData, 0,
                    {to + i * k_fractals * BASCULE_FRACTAL_BYTES, from + i * BASCULE_FRACTAL_BYTES,
                     k_fractals, tall, 1, 1});
        }
      } else {
        for (int64_t j = 0; j < k_fractals; ++j) {
          Split<TA>(core, BASCULE_L0A, BASCULE_OPCODE_kLoadData, 0,
                    {to + j * BASCULE_FRACTAL_BYTES, from + j * tall * BASCULE_FRACTAL_BYTES,
                     m_fractals, 1, k_fractals, 1});
        }
      }
    } else if (kBits == 16) {
      const int64_t tall = panel.tall / kSide;
      const char* from =
          panel.begin + (panel.row / kSide * tall + panel.k / kSide) * BASCULE_FRACTAL_BYTES;
      if (m_fractals <= k_fractals) {
        for (int64_t i = 0; i < m_fractals; ++i) {
          Split<TA>(core, BASCULE_L0A, BASCULE_OPCODE_kLoadData, BASCULE_LOAD_TRANSPOSE,
                    {to + i * k_fractals * BASCULE_FRACTAL_BYTES,
                     from + i * tall * BASCULE_FRACTAL_BYTES, k_fractals, 1, 1, 1});
        }
      } else {
        for (int64_t j = 0; j < k_fractals; ++j) {
          Split<TA>(core, BASCULE_L0A, BASCULE_OPCODE_kLoadData, BASCULE_LOAD_TRANSPOSE,
                    {to + j * BASCULE_FRACTAL_BYTES, from + j * BASCULE_FRACTAL_BYTES, m_fractals,
                     tall, k_fractals, 1});
        }
      }
    } else if (kBits == 32) {
      const int64_t m_squares = m_fractals;
      for (int64_t i = 0; i < Pieces(k, kSquare); ++i) {
        Split<TA>(core, BASCULE_L0A, BASCULE_OPCODE_kLoadDataWithTranspose, 0,
                  {to + 2 * i * BASCULE_FRACTAL_BYTES,
                   panel.begin + ((panel.k / kSquare + i) * m_squares) * 2 * BASCULE_FRACTAL_BYTES,
                   m_squares, 1, k_fractals, 1});
      }
    } else {
      const int64_t tall = panel.tall / kSquare;
      for (int64_t j = 0; j < Pieces(rows, kSquare); ++j) {
        Split<TA>(core, BASCULE_L0A, BASCULE_OPCODE_kLoadDataWithTranspose, 0,
                  {to + 2 * j * k_fractals * BASCULE_FRACTAL_BYTES,
                   panel.begin + (j * tall + panel.k / kSquare) * kSquare * BASCULE_DATABLOCK_BYTES,
                   Pieces(k, kSquare), 1, 1, k_fractals});
      }
    }
    return a;
  }

  AscendC::LocalTensor<TB> LoadB(BasculeCore* core, const MatmulProblem& p, int64_t block,
                                 int64_t columns, int64_t step, int64_t whole_k) {
    const int64_t k = Pieces(whole_k, kFold);
    const bool turned = KByRowB(p);
    const int64_t k_fractals = turned ? Pieces(k, kSquare) * kSquare / kC0 : Pieces(k, kC0);
    const int64_t n_fractals = UpTo(columns, turned ? kTurnedColumns : kSide) / kSide;
    bool there = false;
    char* const to = Half(core, BASCULE_L0B, b2_, k_fractals * n_fractals * BASCULE_FRACTAL_BYTES,
                          block, step, &there);
    const AscendC::LocalTensor<TB> b = At<TB>(
        core, to, BASCULE_L0B, n_fractals * k_fractals * kSide * kC0, AscendC::TPosition::B2);
    if (there) return b;
    const Panel panel = PanelB(core, p, block, columns, step);
    if (!turned) {
      const int64_t tall = panel.tall / kSide;
      const char* from =
          panel.begin + (panel.k / kC0 * tall + panel.row / kSide) * BASCULE_FRACTAL_BYTES;
      if constexpr (kSparse) {
        SplitSparse(core, p, b, from, block, step, k_fractals, n_fractals);
        return b;
      }
      if (tall == n_fractals) {
        Split<TB>(core, BASCULE_L0B, BASCULE_OPCODE_kLoadData, 0,
                  {to, from, k_fractals * n_fractals, 1, 1, 1});
        return b;
      }
      for (int64_t j = 0; j < k_fractals; ++j) {
        Split<TB>(core, BASCULE_L0B, BASCULE_OPCODE_kLoadData, 0,
                  {to + j * n_fractals * BASCULE_FRACTAL_BYTES,
                   from + j * tall * BASCULE_FRACTAL_BYTES, n_fractals, 1, 1, 1});
      }
    } else if (kBits == 16) {
      const int64_t tall = panel.tall / kSide;
      const char* from =
          panel.begin + (panel.row / kSide * tall + panel.k / kSide) * BASCULE_FRACTAL_BYTES;
      if (k_fractals <= n_fractals) {
        for (int64_t i = 0; i < k_fractals; ++i) {
          Split<TB>(core, BASCULE_L0B, BASCULE_OPCODE_kLoadData, BASCULE_LOAD_TRANSPOSE,
                    {to + i * n_fractals * BASCULE_FRACTAL_BYTES, from + i * BASCULE_FRACTAL_BYTES,
                     n_fractals, tall, 1, 1});
        }
      } else {
        for (int64_t j = 0; j < n_fractals; ++j) {
          Split<TB>(core, BASCULE_L0B, BASCULE_OPCODE_kLoadData, BASCULE_LOAD_TRANSPOSE,
                    {to + j * BASCULE_FRACTAL_BYTES, from + j * tall * BASCULE_FRACTAL_BYTES,
                     k_fractals, 1, n_fractals, 1});
        }
      }
    } else if (kBits == 32) {
      for (int64_t i = 0; i < Pieces(k, kSquare); ++i) {
        Split<TB>(core, BASCULE_L0B, BASCULE_OPCODE_kLoadDataWithTranspose, 0,
                  {to + 2 * i * n_fractals * BASCULE_FRACTAL_BYTES,
                   panel.begin + (panel.k / kSquare + i) * n_fractals * 2 * BASCULE_FRACTAL_BYTES,
                   n_fractals, 1, 1, n_fractals});
      }
    } else {
      constexpr int64_t kHigh = kSquare / kSide;  // fractals of a square
      const int64_t tall = panel.tall / kSquare;
      for (int64_t i = 0; i < k_fractals; ++i) {
        Split<TB>(core, BASCULE_L0B, BASCULE_OPCODE_kLoadDataWithTranspose, 0,
                  {to + i * n_fractals * BASCULE_FRACTAL_BYTES,
                   panel.begin + (panel.k / kSquare + i) * kSquare * BASCULE_DATABLOCK_BYTES,
                   Pieces(columns, kSquare), tall, kHigh, 1});
      }
    }
    return b;
  }

  // A sparse B and its index, which comes from global memory for each block.
  void SplitSparse(BasculeCore* core, const MatmulProblem& p, const AscendC::LocalTensor<TB>& b,
                   const char* from, int64_t block, int64_t step, int64_t k_fractals,
                   int64_t n_fractals) const {
    const int64_t all = Pieces(p.org_n, kSide);
    const int64_t first =
        step * p.tiling.baseK / kFold / kC0 * all + block * p.tiling.baseN / kSide;
    const AscendC::LocalTensor<uint8_t> index =
        At<uint8_t>(core, index_l1_, BASCULE_L1,
                    k_fractals * n_fractals * BASCULE_SPARSE_INDEX_BYTES, AscendC::TPosition::B1);
    BasculeInstruction copy = {};
    copy.opcode = BASCULE_OPCODE_kDataCopy;
    copy.form = BASCULE_FORM_COPY;
    copy.operand_count = 2;
    copy.count = 1;
    copy.operand[0] = Operand(index);
    copy.operand[1] =
        BasculeOperand{const_cast<uint8_t*>(p.index + first * BASCULE_SPARSE_INDEX_BYTES),
                       BASCULE_GM, BASCULE_UINT8, 0, 0};
    copy.params.copy.block_count = static_cast<uint32_t>(k_fractals);
    copy.params.copy.block_bytes = static_cast<uint32_t>(n_fractals * BASCULE_SPARSE_INDEX_BYTES);
    copy.params.copy.src_gap_bytes =
        static_cast<uint32_t>((all - n_fractals) * BASCULE_SPARSE_INDEX_BYTES);
    copy.params.copy.element_bytes = 1;
    copy.site = *site_;
    core->api->execute(core, &copy);
    core->api->pipe_barrier(core, BASCULE_PIPE_ALL, site_);
    const AscendC::LocalTensor<TB> panel =
        At<TB>(core, const_cast<char*>(from), BASCULE_L1, k_fractals * n_fractals * kSide * kC0,
               AscendC::TPosition::B1);
    BasculeInstruction in =
        CubeInstruction(BASCULE_OPCODE_kLoadDataSparse, *site_, b, panel, index);
    in.params.vector.extra[BASCULE_SPARSE_PIECES] = static_cast<uint64_t>(k_fractals * n_fractals);
    in.params.vector.extra[BASCULE_SPARSE_INDEX] = SparseIndex(call_, b, *site_);
    core->api->execute(core, &in);
  }

  Panel PanelA(BasculeCore* core, const MatmulProblem& p, int64_t block, int64_t rows,
               int64_t step) {
    const int64_t row = block * p.tiling.baseM;
    const bool turned = KByRowA(p);
    if (p.a.in_l1) return Resident(p.a, turned, row, step * p.tiling.baseK);
    const int64_t group = step / a1_.steps;
    const int64_t first = group * a1_.steps * p.tiling.baseK;
    const int64_t k = Less(a1_.steps * p.tiling.baseK, p.k - first);
    const int64_t tall = turned ? UpTo(k, kSquare) : UpTo(rows, kSide);
    bool there = false;
    char* const to = a1_.Find(block, group, &there);
    if (!there) {
      if constexpr (Callbacks::kA) {
        Callbacks::CopyA(At<TA>(core, to, BASCULE_L1, a1_.bytes * 8 / kBits, AscendC::TPosition::A1)
                             .template ReinterpretCast<int8_t>(),
                         p.a.address, static_cast<int>(block), static_cast<int>(group),
                         static_cast<int>(rows), static_cast<int>(k), p.user_info, p.user_data);
      } else if (turned) {
        LoadPanel<TA>(core, to, p.a, A::format, first, row, k, rows, tall, kBits == 32);
      } else {
        LoadPanel<TA>(core, to, p.a, A::format, row, first, rows, k, tall, false);
      }
      core->api->pipe_barrier(core, BASCULE_PIPE_ALL, site_);
    }
    return {to, step * p.tiling.baseK - first, 0, tall};
  }

  Panel PanelB(BasculeCore* core, const MatmulProblem& p, int64_t block, int64_t columns,
               int64_t step) {
    const int64_t column = block * p.tiling.baseN;
    const bool turned = KByRowB(p);
    if (p.b.in_l1) return Resident(p.b, turned, column, step * p.tiling.baseK / kFold);
    const int64_t group = step / b1_.steps;
    const int64_t first = group * b1_.steps * p.tiling.baseK / kFold;
    const int64_t k = Less(b1_.steps * p.tiling.baseK / kFold, Pieces(p.k, kFold) - first);
    const int64_t tall = turned ? UpTo(k, kSquare) : UpTo(columns, kSide);
    bool there = false;
    char* const to = b1_.Find(block, group, &there);
    if (!there) {
      if constexpr (Callbacks::kB) {
        Callbacks::CopyB(At<TB>(core, to, BASCULE_L1, b1_.bytes * 8 / kBits, AscendC::TPosition::B1)
                             .template ReinterpretCast<int8_t>(),
                         p.b.address, static_cast<int>(group), static_cast<int>(block),
                         static_cast<int>(k), static_cast<int>(columns), p.user_info, p.user_data);
      } else if (turned) {
        LoadPanel<TB>(core, to, p.b, B::format, first, column, k, columns, tall, kBits == 32);
      } else {
        LoadPanel<TB>(core, to, p.b, B::format, column, first, columns, k, tall, false);
      }
      core->api->pipe_barrier(core, BASCULE_PIPE_ALL, site_);
    }
    return {to, step * p.tiling.baseK / kFold - first, 0, tall};
  }

  // A matrix that the kernel keeps in L1 whole, as strips.
  Panel Resident(const MatmulSource& source, bool k_by_row, int64_t row, int64_t k) const {
    if (k_by_row && kBits == 32)
      Refuse(*site_, "%s: a matrix of float in L1 cannot be turned on its way to the cube unit",
             call_);
    return {static_cast<const char*>(source.address), k, row, source.pitch};
  }

  AscendC::LocalTensor<Sum> LoadBias(BasculeCore* core, const MatmulProblem& p, int64_t block,
                                     int64_t columns, int64_t wide) {
    // Kernels name a type for the bias also where they set none, so this is no matter of compiling.
    if constexpr (!std::is_same_v<TBias, Sum> &&
                  !(std::is_same_v<TBias, half> && std::is_same_v<Sum, float>)) {
      Refuse(*site_, "%s: the bias is of the type of the sums, or of half for sums of float",
             call_);
    }
    const int64_t table = static_cast<char*>(core->memory_end[BASCULE_BT]) -
                          static_cast<char*>(core->memory_begin[BASCULE_BT]);
    if (wide * 4 > table) NoRoom("the bias table", wide * 4, table);
    const AscendC::LocalTensor<Sum> bias =
        At<Sum>(core, core->memory_begin[BASCULE_BT], BASCULE_BT, wide, AscendC::TPosition::C2);
    if (bias_block_ == block) return bias;
    bias_block_ = block;
    const AscendC::LocalTensor<TBias> l1 =
        At<TBias>(core, bias_l1_, BASCULE_L1, UpTo(wide, 2 * kSide), AscendC::TPosition::C1);
    CopyRow(core, l1, static_cast<const TBias*>(p.bias.address) + block * p.tiling.baseN, columns);
    core->api->pipe_barrier(core, BASCULE_PIPE_ALL, site_);
    if constexpr (std::is_same_v<TBias, Sum>) {
      DataMove copy(BASCULE_OPCODE_kDataCopy, bias, l1, *site_);
      copy.Blocks(1, static_cast<uint32_t>(UpTo(columns * 4, 64)), 0, 0);
      copy.Elements(4);
      copy.Run();
    } else if constexpr (std::is_same_v<TBias, half>) {
      AscendC::DataCopy(
          bias, l1,
          AscendC::DataCopyParams(1, static_cast<uint16_t>(Pieces(columns * 2, 64)), 0, 0), *site_);
    }
    return bias;
  }

  // `count` elements in a row, from global memory to L1.
  template <typename T>
  void CopyRow(BasculeCore* core, const AscendC::LocalTensor<T>& to, const T* from,
               int64_t count) const {
    BasculeInstruction in = {};
    in.opcode = BASCULE_OPCODE_kNd2Nz;
    in.form = BASCULE_FORM_COUNT;
    in.operand_count = 2;
    in.count = 1;
    in.operand[0] = Operand(to);
    in.operand[1] = BasculeOperand{const_cast<T*>(from), BASCULE_GM, TypeNumber<T>::value, 0, 0};
    uint64_t* extra = in.params.vector.extra;
    in.params.vector.scalar.bits = static_cast<uint64_t>(count);
    extra[BASCULE_ND2NZ_ROWS] = 1;
    extra[BASCULE_ND2NZ_COLUMNS] = static_cast<uint64_t>(count);
    extra[BASCULE_ND2NZ_STRIP_STRIDE] = 1;
    extra[BASCULE_ND2NZ_ROW_STRIDE] = 1;
    in.site = *site_;
    core->api->execute(core, &in);
  }

  uint32_t OutMode(BasculeCore* core, const MatmulProblem& p, int64_t block, int64_t columns,
                   AscendC::LocalTensor<uint64_t>* words) {
    if constexpr (std::is_same_v<TC, Sum>) return BASCULE_FIXPIPE_AS_IS;
    if constexpr (std::is_same_v<Sum, float> &&
                  (std::is_same_v<TC, half> || std::is_same_v<TC, bfloat16_t>)) {
      return BASCULE_FIXPIPE_CAST;
    }
    if (p.scales == nullptr) {
      if (!p.with_scale) {
        Refuse(*site_,
               "%s: C has another element type than the sums of these products, and nothing says "
               "how they are scaled; call SetQuantScalar or SetQuantVector",
               call_);
      }
      return BASCULE_FIXPIPE_SCALE;
    }
    *words =
        At<uint64_t>(core, scales_l1_, BASCULE_L1, UpTo(columns, kSide), AscendC::TPosition::C1);
    if (scale_block_ != block) {
      scale_block_ = block;
      CopyRow(core, words->template ReinterpretCast<uint32_t>(),
              reinterpret_cast<const uint32_t*>(p.scales + block * p.tiling.baseN), columns * 2);
      core->api->pipe_barrier(core, BASCULE_PIPE_ALL, site_);
    }
    return BASCULE_FIXPIPE_SCALE_BY_COLUMN;
  }

  Slots a1_, b1_;
  Loaded a2_, b2_;
  char* l1_ = nullptr;
  char* bias_l1_ = nullptr;
  char* scales_l1_ = nullptr;
  char* index_l1_ = nullptr;
  int64_t bias_block_ = -1;
  int64_t scale_block_ = -1;
  const char* call_ = "Matmul";
  const Site* site_ = nullptr;
};

}  // namespace bascule_ascendc
BASCULE_PRIVATE_END

#endif  // BASCULE_ASCENDC_MATMUL_PRODUCT_H
