// Matmul: what a kernel says to it, and how it gets to the cube core. On a cube core calls do what
// they say. On a vector core they become messages to the cube core of the block, which runs the
// same code on the same object while the vector core waits: REGIST_MATMUL_OBJ keeps it there until
// the vector cores have ended.
//
// Source: the pages under "Matmul kernel API" and "Batch Matmul" of the Ascend C documentation.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_MATMUL_H
#define BASCULE_ASCENDC_MATMUL_H

#include "bascule_ascendc/matmul_product.h"
#include "bascule_ascendc/queue.h"
#include "bascule_ascendc/workspace.h"

// NOLINTBEGIN(readability-identifier-naming): the interface's spelling
BASCULE_ASCENDC_BEGIN

// Functions of the kernel's own that write C, and read A and B; null: the usual way.
template <auto callback_copy_out = nullptr, auto callback_copy_a = nullptr,
          auto callback_copy_b = nullptr>
struct MatmulCallBackFunc {
  static constexpr bool kOut = !std::is_same_v<decltype(callback_copy_out), std::nullptr_t>;
  static constexpr bool kA = !std::is_same_v<decltype(callback_copy_a), std::nullptr_t>;
  static constexpr bool kB = !std::is_same_v<decltype(callback_copy_b), std::nullptr_t>;
  template <typename... Arguments>
  static void Out(Arguments... arguments) {
    if constexpr (kOut) callback_copy_out(arguments...);
  }
  template <typename... Arguments>
  static void CopyA(Arguments... arguments) {
    if constexpr (kA) callback_copy_a(arguments...);
  }
  template <typename... Arguments>
  static void CopyB(Arguments... arguments) {
    if constexpr (kB) callback_copy_b(arguments...);
  }
};

struct MatrixOffset {
  int32_t offset;
  int32_t row, col;
  int32_t height, width;
};

namespace Impl {
constexpr int32_t QUEUE_DEPTH = 1;
namespace Detail {
// Which blocks of C are computed. How they are scheduled is time, not values.
#define BASCULE_MATMUL_POLICY(name, kind)                                                \
  template <const auto& MM_CFG, typename IMPL, class A_TYPE, class B_TYPE, class C_TYPE, \
            class BIAS_TYPE>                                                             \
  struct name {                                                                          \
    static constexpr int kTriangle = kind;                                               \
  };
BASCULE_MATMUL_POLICY(MatmulPolicy, 0)
BASCULE_MATMUL_POLICY(NBuffer33MatmulPolicy, 0)
BASCULE_MATMUL_POLICY(TrianUpperMatmulPolicy, 1)
BASCULE_MATMUL_POLICY(TrianLowerMatmulPolicy, -1)
#undef BASCULE_MATMUL_POLICY
}  // namespace Detail
}  // namespace Impl

BASCULE_ASCENDC_END

BASCULE_PRIVATE_BEGIN
namespace bascule_ascendc {

// Of a vector core's mailbox, in BasculeBlock::words.
enum { kMailState = 0, kMailRun = 1, kMailBody = 2, kMailTurn = 3, kMailWords = 4 };
enum { kMailEmpty = 0, kMailSent = 1, kMailDone = 2 };
// Where the two vector cores of a block share A and B: the second one's call comes after the same
// call of the first, and may have been answered by that.
enum MailTurn : uint64_t { kAnyTurn = 0, kAfterFirst = 1, kWithFirst = 2 };

inline uint64_t* Mailbox(BasculeBlock* block, uint32_t sub_block) {
  return block->words + uint64_t{sub_block} * kMailWords;
}

using RunOnCube = void (*)(void* body, BasculeCore* cube);

// Has the cube core of the block run `body`, and waits.
inline void SendToCube(BasculeCore* core, RunOnCube run, void* body, MailTurn turn,
                       const char* call, const Site& site) {
  uint64_t* mail = Mailbox(core->block, core->sub_block_index);
  mail[kMailRun] = reinterpret_cast<uint64_t>(run);
  mail[kMailBody] = reinterpret_cast<uint64_t>(body);
  mail[kMailTurn] = turn;
  mail[kMailState] = kMailSent;
  core->api->block_notify(core, call, &site);
  for (;;) {
    const uint64_t news = core->block->news;
    if (mail[kMailState] == kMailDone) break;
    core->api->block_wait(core, news, call, &site);
  }
  mail[kMailState] = kMailEmpty;
}

// A cube core's part of a mixed kernel: what vector cores ask for, until they have ended.
inline void ServeVectorCores(BasculeCore* core, const Site& site) {
  constexpr const char* kCall =
      "REGIST_MATMUL_OBJ, for what vector cores of its block ask of the cube core";
  BasculeBlock* block = core->block;
  uint64_t served[2] = {0, 0};
  for (;;) {
    const uint64_t news = block->news;
    bool any = false;
    for (uint32_t i = 0; i < 2; ++i) {
      uint64_t* mail = Mailbox(block, i);
      if (mail[kMailState] != kMailSent) continue;
      const bool second = mail[kMailTurn] != kAnyTurn && i == 1;
      const bool first_was_here = served[0] > served[1];
      // The first cannot come any more when it has ended.
      if (second && !first_was_here && block->vector_cores > 1) continue;
      if (!(second && first_was_here && mail[kMailTurn] == kWithFirst))
        reinterpret_cast<RunOnCube>(mail[kMailRun])(reinterpret_cast<void*>(mail[kMailBody]), core);
      ++served[i];
      mail[kMailState] = kMailDone;
      core->api->block_notify(core, kCall, &site);
      any = true;
    }
    if (any) continue;
    if (block->vector_cores == 0) return;
    core->api->block_wait(core, news, kCall, &site);
  }
}

}  // namespace bascule_ascendc
BASCULE_PRIVATE_END

BASCULE_ASCENDC_BEGIN

template <class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE = C_TYPE,
          const auto& MM_CFG = CFG_NORM,
          class MM_CB = MatmulCallBackFunc<nullptr, nullptr, nullptr>,
          template <const auto&, typename, class, class, class, class> class MATMUL_POLICY =
              Impl::Detail::MatmulPolicy>
class Matmul {
  using Site = bascule_ascendc::Site;
  using Product = bascule_ascendc::MatmulProduct<A_TYPE, B_TYPE, C_TYPE, BIAS_TYPE, MM_CFG, MM_CB>;
  using TA = typename A_TYPE::T;
  using TB = typename B_TYPE::T;
  using TC = typename C_TYPE::T;
  using TBias = typename BIAS_TYPE::T;
  using Sum = typename Product::Sum;
  static constexpr int kTriangle =
      MATMUL_POLICY<MM_CFG, Product, A_TYPE, B_TYPE, C_TYPE, BIAS_TYPE>::kTriangle;
  static constexpr MatmulConfig kConfig = Product::Config();
  static constexpr bool kToUb = C_TYPE::pos == TPosition::VECIN ||
                                C_TYPE::pos == TPosition::VECOUT ||
                                C_TYPE::pos == TPosition::VECCALC;
  static constexpr bool kStrips = C_TYPE::format == CubeFormat::NZ;
  static constexpr bool kBoth = A_TYPE::ibShare && B_TYPE::ibShare;

 public:
  Matmul() = default;
  Matmul(const Matmul&) = delete;
  Matmul& operator=(const Matmul&) = delete;

  // The tiling; it may lie on the stack or in global memory.
  void Init(const tiling::TCubeTiling* cubeTiling, TPipe* /*tpipe*/ = nullptr, Site site = {}) {
    problem_ = {};
    if (cubeTiling != nullptr) problem_.tiling = *cubeTiling;
    TakeConstants(site);
    const tiling::TCubeTiling& t = problem_.tiling;
    problem_.m = t.singleCoreM;
    problem_.n = t.singleCoreN;
    problem_.k = t.singleCoreK;
    problem_.with_bias = t.isBias != 0;
    SetOrgShape(t.M, t.N, t.Ka, t.Kb);
    sub_block_ = static_cast<uint8_t>(bascule_ascendc::Core()->sub_block_index);
    Begin();
  }

  void SetOrgShape(int orgM, int orgN, int orgK) { SetOrgShape(orgM, orgN, orgK, orgK); }
  void SetOrgShape(int orgM, int orgN, int orgKa, int orgKb, int orgKc = 0) {
    problem_.org_m = orgM;
    problem_.org_n = orgN;
    problem_.org_ka = orgKa;
    problem_.org_kb = orgKb;
    problem_.org_kc = orgKc;
  }
  void SetSingleShape(int singleM, int singleN, int singleK) { SetTail(singleM, singleN, singleK); }
  void SetTail(int tailM = -1, int tailN = -1, int tailK = -1) {
    if (tailM != -1) problem_.m = tailM;
    if (tailN != -1) problem_.n = tailN;
    if (tailK != -1) problem_.k = tailK;
    Begin();
  }

  void SetTensorA(const GlobalTensor<TA>& gm, bool isTransposeA = false) {
    problem_.a.address = gm.GetPhyAddr();
    problem_.a.in_l1 = false;
    a_upload_ = nullptr;
    problem_.a.turned = isTransposeA;
    Begin();
  }
  void SetTensorB(const GlobalTensor<TB>& gm, bool isTransposeB = false) {
    problem_.b.address = gm.GetPhyAddr();
    problem_.b.in_l1 = false;
    b_upload_ = nullptr;
    problem_.b.turned = isTransposeB;
    Begin();
  }
  void SetTensorA(const LocalTensor<TA>& leftMatrix, bool isTransposeA = false, Site site = {}) {
    SetLocal("SetTensorA", problem_.a, a_upload_, leftMatrix, A_TYPE::format, isTransposeA, site);
  }
  void SetTensorB(const LocalTensor<TB>& rightMatrix, bool isTransposeB = false, Site site = {}) {
    SetLocal("SetTensorB", problem_.b, b_upload_, rightMatrix, B_TYPE::format, isTransposeB, site);
  }

  void SetBias(const GlobalTensor<TBias>& biasGlobal) {
    problem_.bias.address = biasGlobal.GetPhyAddr();
    problem_.with_bias = true;
    bias_upload_ = nullptr;
    Begin();
  }
  void SetBias(const LocalTensor<TBias>& inputBias, Site site = {}) {
    if (inputBias.Memory() != BASCULE_UB)
      bascule_ascendc::Fail("SetBias: the bias lies in global memory or in the unified buffer",
                            site);
    problem_.bias.address = bias_upload_ = inputBias.Data();
    problem_.with_bias = true;
    Begin();
  }
  void DisableBias() {
    problem_.with_bias = false;
    Begin();
  }
  void ClearBias() { DisableBias(); }

  // How sums become elements of C: one word of quantisation for all, or one for each column.
  void SetQuantScalar(uint64_t quantScalar) {
    problem_.scale = quantScalar;
    problem_.with_scale = true;
    problem_.scales = nullptr;
    Begin();
  }
  void SetQuantVector(const GlobalTensor<uint64_t>& quantTensor) {
    problem_.scales = quantTensor.GetPhyAddr();
    Begin();
  }

  // What the kernel's own functions are called with.
  void SetUserDefInfo(uint64_t tilingPtr) { problem_.user_info = tilingPtr; }
  template <typename T>
  void SetSelfDefineData(T dataPtr) {
    if constexpr (std::is_pointer_v<T>)
      problem_.user_data = reinterpret_cast<uint64_t>(dataPtr);
    else if constexpr (std::is_convertible_v<T, uint64_t>)
      problem_.user_data = static_cast<uint64_t>(dataPtr);
    else
      static_assert(bascule_ascendc::NeverFor<T>::value,
                    "SetSelfDefineData: pass a number or an address");
  }

  // Whether factors of float are rounded to HF32, and of two as near to the even one (0) or as
  // SetHF32TransMode does it (1).
  void SetHF32(bool enableHF32 = false, int32_t transMode = 0) {
    problem_.hf32 =
        !enableHF32 ? 0 : BASCULE_MMAD_HF32 | (transMode != 0 ? BASCULE_MMAD_HF32_ZERO : 0);
  }
  template <typename... Arguments>
  void SetAntiQuantScalar(const Arguments&...) {
    static_assert(
        bascule_ascendc::NeverFor<Arguments...>::value,
        "SetAntiQuantScalar is not there yet: A and B of a product have one element type");
  }
  template <typename... Arguments>
  void SetAntiQuantVector(const Arguments&...) {
    static_assert(
        bascule_ascendc::NeverFor<Arguments...>::value,
        "SetAntiQuantVector is not there yet: A and B of a product have one element type");
  }
  void SetSparseIndex(const GlobalTensor<uint8_t>& indexGlobal) {
    static_assert(bascule_ascendc::kSparseMatrix<B_TYPE>,
                  "SetSparseIndex: B has to be of SparseMatmulType");
    problem_.index = indexGlobal.GetPhyAddr();
    Begin();
  }

  void SetSubBlockIdx(uint8_t subBlockIdx) { sub_block_ = subBlockIdx; }
  uint8_t GetSubBlockIdx() const { return sub_block_; }
  // Where Iterate<false> and IterateNBatch leave C.
  template <typename T>
  void SetWorkspace(GlobalTensor<T>& addr) {
    workspace_ = const_cast<TC*>(reinterpret_cast<const TC*>(addr.GetPhyAddr()));
  }
  template <typename T>
  void SetWorkspace(const T* addr, int /*size*/) {
    workspace_ = const_cast<TC*>(reinterpret_cast<const TC*>(addr));
  }
  // Needed where vector cores rearrange matrices, which Atlas A2 does not.
  template <typename T>
  void SetLocalWorkspace(const LocalTensor<T>& /*tmpBuffer*/) {}
  void SetBatchNum(int32_t batchA, int32_t batchB) {
    batch_a_ = static_cast<uint32_t>(batchA);
    batch_b_ = static_cast<uint32_t>(batchB);
  }

  // The next block of C; false when there is none. With sync false, results wait in a workspace
  // until GetTensorC<false> fetches one after the other; here they are computed when asked for.
  template <bool sync = true>
  bool Iterate(bool enPartialSum = false, Site site = {}) {
    if (kConfig.scheduleType == ScheduleType::OUTER_PRODUCT) {
      bascule_ascendc::Fail(
          "Iterate: with ScheduleType::OUTER_PRODUCT a step is two blocks, which is not there yet; "
          "IterateAll is",
          site);
    }
    if constexpr (!sync) {
      Start("Iterate", site);
      return true;
    }
    if (!Advance("Iterate", site)) return false;
    Compute("Iterate", enPartialSum, nullptr, site);
    return true;
  }
  // The same into a tensor of the kernel's own in L0C.
  template <bool sync = true, typename T>
  bool Iterate(bool enPartialSum, const LocalTensor<T>& localCmatrix, Site site = {}) {
    static_assert(
        C_TYPE::pos == TPosition::CO1 && std::is_same_v<T, Sum>,
        "Iterate with a tensor: C is of position CO1, format NZ and type float or int32_t");
    if (!Advance("Iterate", site)) return false;
    Compute("Iterate", enPartialSum, &localCmatrix, site);
    return true;
  }

  // The block that Iterate has computed, to its place in C or, with enSequentialWrite, as a matrix
  // of its own.
  template <bool sync = true>
  void GetTensorC(const GlobalTensor<TC>& gm, uint8_t enAtomic = 0, bool enSequentialWrite = false,
                  Site site = {}) {
    Fetch<sync>("GetTensorC", site);
    StoreCurrent("GetTensorC", gm.GetPhyAddr(), enAtomic, enSequentialWrite, site);
  }
  template <bool sync = true>
  void GetTensorC(const LocalTensor<TC>& co2Local, uint8_t enAtomic = 0,
                  bool /*enSequentialWrite*/ = false, uint32_t /*height*/ = 0,
                  uint32_t /*width*/ = 0, uint32_t /*srcGap*/ = 0, uint32_t /*dstGap*/ = 0,
                  Site site = {}) {
    Fetch<sync>("GetTensorC", site);
    NoAtomic("GetTensorC", enAtomic, site);
    ToUnifiedBuffer("GetTensorC", co2Local, site);
  }
  template <bool sync = true>
  void GetTensorC(const GlobalTensor<TC>& gm, const LocalTensor<TC>& co2Local, uint8_t enAtomic = 0,
                  bool enSequentialWrite = false, Site site = {}) {
    Fetch<sync>("GetTensorC", site);
    StoreCurrent("GetTensorC", gm.GetPhyAddr(), enAtomic, enSequentialWrite, site);
    ToUnifiedBuffer("GetTensorC", co2Local, site);
  }
  // The place in the workspace where the next block lies.
  template <bool sync = true>
  GlobalTensor<TC> GetTensorC(uint8_t enAtomic = 0, bool /*enSequentialWrite*/ = false,
                              Site site = {}) {
    static_assert(!sync, "GetTensorC without a destination is for Iterate<false>");
    NoAtomic("GetTensorC", enAtomic, site);
    Fetch<sync>("GetTensorC", site);
    if (workspace_ == nullptr)
      bascule_ascendc::Fail(
          "GetTensorC: there is no workspace; call SetWorkspace before Iterate<false>", site);
    TC* place = workspace_ + step_ * problem_.tiling.baseM * problem_.tiling.baseN;
    StoreCurrent("GetTensorC", place, 0, true, site);
    GlobalTensor<TC> tensor;
    tensor.SetGlobalBuffer(place, static_cast<uint64_t>(problem_.tiling.baseM) *
                                      static_cast<uint64_t>(problem_.tiling.baseN));
    return tensor;
  }
  template <typename... Arguments>
  void AsyncGetTensorC(const LocalTensor<TC>& c, Arguments...) {
    GetTensorC<false>(c);
  }
  void WaitGetTensorC() {}

  // All blocks of C.
  template <bool sync = true>
  void IterateAll(const GlobalTensor<TC>& gm, uint8_t enAtomic = 0, bool enSequentialWrite = false,
                  bool /*waitIterateAll*/ = false, bool fakeMsg = false, Site site = {}) {
    if (fakeMsg) return;
    bascule_ascendc::MatmulTarget to;
    to.address = gm.GetPhyAddr();
    to.atomic = enAtomic;
    All("IterateAll", to, enSequentialWrite, site);
  }
  template <bool sync = true>
  void IterateAll(const LocalTensor<TC>& ubCmatrix, uint8_t enAtomic = 0, Site site = {}) {
    NoAtomic("IterateAll", enAtomic, site);
    NoPartialOutput("IterateAll", site);
    if (ubCmatrix.Memory() == BASCULE_L1) {
      bascule_ascendc::MatmulTarget to;
      to.address = ubCmatrix.Data();
      to.to_l1 = true;
      All("IterateAll", to, false, site);
      return;
    }
    Start("IterateAll", site);
    while (Advance("IterateAll", site)) {
      Compute("IterateAll", false, nullptr, site);
      ToUnifiedBuffer("IterateAll", ubCmatrix, site, true);
    }
  }
  void WaitIterateAll() {}

  // Products of a batch; sizes of batches are in the tiling, or as SetBatchNum says.
  template <bool sync = true, bool waitIterateBatch = false, typename Count,
            typename = std::enable_if_t<!std::is_same_v<Count, bool>>>
  void IterateBatch(const GlobalTensor<TC>& gm, Count batchA, uint32_t batchB,
                    bool enSequentialWrite, const uint32_t matrixStrideA = 0,
                    const uint32_t matrixStrideB = 0, const uint32_t matrixStrideC = 0,
                    const bool enPartialSum = false, const uint8_t enAtomic = 0, Site site = {}) {
    NoPartialSum(enPartialSum, site);
    Batch("IterateBatch", gm.GetPhyAddr(), static_cast<uint32_t>(batchA), batchB, enSequentialWrite,
          {matrixStrideA, matrixStrideB, matrixStrideC}, enAtomic, site);
  }
  // The form for cube cores. A number in place of the first bool is the other form's batchA.
  template <typename Flag, typename = std::enable_if_t<std::is_same_v<Flag, bool>>>
  void IterateBatch(const GlobalTensor<TC>& gm, Flag enPartialSum, uint8_t enAtomic,
                    bool enSequentialWrite, const uint32_t matrixStrideA = 0,
                    const uint32_t matrixStrideB = 0, const uint32_t matrixStrideC = 0,
                    Site site = {}) {
    NoPartialSum(enPartialSum, site);
    Batch("IterateBatch", gm.GetPhyAddr(), batch_a_, batch_b_, enSequentialWrite,
          {matrixStrideA, matrixStrideB, matrixStrideC}, enAtomic, site);
  }
  void WaitIterateBatch() {}
  // `batchLoop` of them, to the workspace.
  template <bool sync = true, bool waitIterateBatch = false>
  void IterateNBatch(const uint32_t batchLoop, uint32_t batchA, uint32_t batchB,
                     bool enSequentialWrite, const uint32_t matrixStrideA = 0,
                     const uint32_t matrixStrideB = 0, const uint32_t matrixStrideC = 0,
                     Site site = {}) {
    if (workspace_ == nullptr)
      bascule_ascendc::Fail("IterateNBatch: there is no workspace; call SetWorkspace before", site);
    batch_ = 0;
    for (uint32_t i = 0; i < batchLoop; ++i) {
      Batch("IterateNBatch", workspace_, batchA, batchB, enSequentialWrite,
            {matrixStrideA, matrixStrideB, matrixStrideC}, 0, site, i);
    }
  }
  template <bool sync = true>
  GlobalTensor<TC> GetBatchTensorC(uint32_t batchA, uint32_t batchB,
                                   bool /*enSequentialWrite*/ = false, Site site = {}) {
    if (workspace_ == nullptr)
      bascule_ascendc::Fail("GetBatchTensorC: there is no workspace; call SetWorkspace before",
                            site);
    const int64_t batches = batchA > batchB ? batchA : batchB;
    GlobalTensor<TC> tensor;
    tensor.SetGlobalBuffer(workspace_ + BatchPlace(C_TYPE::layout, LayoutC(), batch_ * batches, 0));
    ++batch_;
    return tensor;
  }
  template <bool sync = true>
  GlobalTensor<TC> GetBatchC(uint32_t batchA, uint32_t batchB, bool enSequentialWrite = false,
                             Site site = {}) {
    return GetBatchTensorC<sync>(batchA, batchB, enSequentialWrite, site);
  }

  // Another object, or other code, may use the cube core from now on.
  void End() {
    product_.Forget();
    Begin();
  }

  // For REGIST_MATMUL_OBJ.
  void Register(GM_ADDR workspace, bool only_cube) {
    system_ = workspace;
    only_cube_ = only_cube;
  }

 private:
  struct Layout {
    int64_t b = 0, s = 0, n = 0, g = 0, d = 0;
  };

  // Constants of a static tiling and of a configuration with shapes in it.
  void TakeConstants(const Site& site) {
    (void)site;
    tiling::TCubeTiling& t = problem_.tiling;
    if constexpr (Product::kStatic) {
#define BASCULE_TAKE_CONSTANT(type, name) \
  if constexpr (MM_CFG.name != 0) t.name = MM_CFG.name;
      BASCULE_CUBE_TILING(BASCULE_TAKE_CONSTANT)
#undef BASCULE_TAKE_CONSTANT
    }
    if constexpr (kConfig.doBasicBlock && kConfig.basicM != 0) {
      t.baseM = static_cast<int32_t>(kConfig.basicM);
      t.baseN = static_cast<int32_t>(kConfig.basicN);
      t.baseK = static_cast<int32_t>(kConfig.basicK);
    }
  }

  // A matrix in L1 stays there; one in the unified buffer goes through the system's workspace when
  // it is needed.
  template <typename T>
  void SetLocal(const char* call, bascule_ascendc::MatmulSource& source, const void*& upload,
                const LocalTensor<T>& tensor, CubeFormat format, bool turned, const Site& site) {
    const bool in_l1 = tensor.Memory() == BASCULE_L1;
    if (!in_l1 && tensor.Memory() != BASCULE_UB)
      Product::Refuse(site, "%s: the matrix lies in L1 (TSCM) or in the unified buffer (VECOUT)",
                      call);
    if (in_l1 && format != CubeFormat::NZ)
      Product::Refuse(site, "%s: a matrix in L1 has to be of format NZ", call);
    source.address = tensor.Data();
    source.in_l1 = in_l1;
    source.turned = turned;
    upload = in_l1 ? nullptr : tensor.Data();
    Begin();
  }

  // This core's part of the system's workspace: room for a block of C, then for what it uploads.
  static constexpr int64_t kBlockRoom = 128 * 1024;
  char* SystemPart(const char* call, int64_t begin, int64_t bytes, const Site& site) const {
    const BasculeCore* core = bascule_ascendc::Core();
    const int64_t cores = int64_t{core->block_count} * core->sub_block_count;
    const int64_t part = BASCULE_SYSTEM_WORKSPACE_BYTES / cores / 512 * 512;
    if (system_ == nullptr) {
      Product::Refuse(
          site,
          "%s: the unified buffer and the cube core meet in the system's workspace, and "
          "REGIST_MATMUL_OBJ was given none; pass GetSysWorkSpacePtr()",
          call);
    }
    if (begin + bytes > part) {
      Product::Refuse(site,
                      "%s: %lld bytes are needed of the system's workspace, and each of the %lld "
                      "vector cores has %lld",
                      call, static_cast<long long>(begin + bytes), static_cast<long long>(cores),
                      static_cast<long long>(part));
    }
    return reinterpret_cast<char*>(system_) + part * core->block_index + begin;
  }
  template <typename T>
  void Upload(const char* call, const void* from, int64_t elements, int64_t* used,
              const void** address, const Site& site) {
    if (from == nullptr) return;
    const int64_t bytes =
        bascule_ascendc::UpTo(elements * static_cast<int64_t>(bascule_ascendc::ElementBits<T>) / 8,
                              BASCULE_DATABLOCK_BYTES);
    *address = SystemPart(call, kBlockRoom + *used, bytes, site);
    *used += bytes;
    BasculeInstruction in = {};
    in.opcode = BASCULE_OPCODE_kDataCopy;
    in.form = BASCULE_FORM_COPY;
    in.operand_count = 2;
    in.count = 1;
    in.operand[0] = BasculeOperand{const_cast<void*>(*address), BASCULE_GM,
                                   bascule_ascendc::TypeNumber<T>::value, 0, 0};
    in.operand[1] = BasculeOperand{const_cast<void*>(from), BASCULE_UB,
                                   bascule_ascendc::TypeNumber<T>::value, 1, 0};
    in.params.copy.block_count = 1;
    in.params.copy.block_bytes = static_cast<uint32_t>(bytes);
    in.params.copy.element_bytes = sizeof(T);
    in.site = site;
    BasculeCore* core = bascule_ascendc::Core();
    core->api->pipe_barrier(core, BASCULE_PIPE_ALL, &site);
    core->api->execute(core, &in);
    core->api->pipe_barrier(core, BASCULE_PIPE_ALL, &site);
  }

  static void NoPartialSum(bool wanted, const Site& site) {
    if (wanted)
      bascule_ascendc::Fail("IterateBatch: enPartialSum is not there yet for batches", site);
  }
  static void NoAtomic(const char* call, uint8_t atomic, const Site& site) {
    if (atomic != 0)
      Product::Refuse(site, "%s: only what goes to global memory accumulates; enAtomic is %u", call,
                      unsigned{atomic});
  }

  // Each product of a block would go where the one before went.
  static void NoPartialOutput(const char* call, const Site& site) {
    if constexpr (kConfig.isPartialOutput) {
      Product::Refuse(site,
                      "%s: the configuration has isPartialOutput, so a block of C is several "
                      "products that the kernel adds up itself; fetch each with Iterate and "
                      "GetTensorC with enSequentialWrite",
                      call);
    }
  }

  // What comes next is the first block again.
  void Begin() { step_ = -1; }

  // Sizes that follow from others, before anything is computed.
  void Start(const char* call, const Site& site) {
    bascule_ascendc::MatmulProblem& p = problem_;
    Product::Check(p, call, site);
    Pitch(p.a, A_TYPE::format, p.a.turned ? p.org_ka : p.org_m, p.a.turned ? p.org_m : p.org_ka);
    Pitch(p.b, B_TYPE::format, p.b.turned ? p.org_n : p.org_kb, p.b.turned ? p.org_kb : p.org_n);
    if (bascule_ascendc::kSparseMatrix<B_TYPE> && B_TYPE::format != CubeFormat::NZ) p.b.pitch /= 2;
    // What lies in the unified buffer is as large as what is computed of it.
    if (a_upload_ != nullptr)
      Pitch(p.a, A_TYPE::format, p.a.turned ? p.k : p.m, p.a.turned ? p.m : p.k);
    if (b_upload_ != nullptr)
      Pitch(p.b, B_TYPE::format, p.b.turned ? p.n : p.k, p.b.turned ? p.k : p.n);
    int64_t used = 0;
    Upload<TA>(call, a_upload_, Held(A_TYPE::format, p.a, p.m, p.k), &used, &p.a.address, site);
    Upload<TB>(call, b_upload_, Held(B_TYPE::format, p.b, p.k, p.n), &used, &p.b.address, site);
    if (p.with_bias) Upload<TBias>(call, bias_upload_, p.n, &used, &p.bias.address, site);
    product_.Forget();
    step_ = -1;
  }
  // Elements of a matrix of `rows` x `columns`, turned or not, as it lies in memory.
  static int64_t Held(CubeFormat format, const bascule_ascendc::MatmulSource& source, int64_t rows,
                      int64_t columns) {
    const int64_t high = source.turned ? columns : rows;
    const int64_t wide = source.turned ? rows : columns;
    return format == CubeFormat::NZ ? source.pitch * bascule_ascendc::UpTo(wide, kAlign<TA>)
                                    : source.pitch * high;
  }
  static void Pitch(bascule_ascendc::MatmulSource& source, CubeFormat format, int64_t rows,
                    int64_t columns) {
    const bool strips = format == CubeFormat::NZ || source.in_l1;
    source.pitch = strips ? bascule_ascendc::UpTo(rows, BASCULE_FRACTAL_ROWS) : columns;
    if (format == CubeFormat::ND_ALIGN) source.pitch = bascule_ascendc::UpTo(columns, kAlign<TA>);
  }
  template <typename T>
  static constexpr int64_t kAlign = BASCULE_DATABLOCK_BYTES * 8 /
                                    static_cast<int64_t>(bascule_ascendc::ElementBits<T>);

  // A step is a block of C or, with isPartialOutput, one of its products.
  int64_t StepsOfBlock() const { return kConfig.isPartialOutput ? Product::Steps(problem_) : 1; }
  bool Advance(const char* call, const Site& site) {
    if (step_ < 0) Start(call, site);
    const int64_t all = Product::Rows(problem_) * Product::Columns(problem_) * StepsOfBlock();
    do {
      ++step_;
      if (step_ >= all) {
        step_ = -1;
        return false;
      }
      block_ = BlockAt(step_);
    } while (Skipped(block_));
    return true;
  }
  // M first unless the tiling or the configuration says otherwise.
  bascule_ascendc::MatmulBlock BlockAt(int64_t step) const {
    const int64_t parts = StepsOfBlock();
    const int64_t number = step / parts;
    const bool n_first = kConfig.iterateOrder == IterateOrder::UNDEF
                             ? problem_.tiling.iterateOrder == 1
                             : kConfig.iterateOrder == IterateOrder::ORDER_N;
    const int64_t rows = Product::Rows(problem_);
    const int64_t columns = Product::Columns(problem_);
    bascule_ascendc::MatmulBlock block;
    block.m_block = n_first ? number / columns : number % rows;
    block.n_block = n_first ? number % columns : number / rows;
    block.k_begin = parts > 1 ? step % parts : 0;
    block.k_end = parts > 1 ? block.k_begin + 1 : Product::Steps(problem_);
    return block;
  }
  bool Skipped(const bascule_ascendc::MatmulBlock& block) const {
    return kTriangle > 0   ? block.m_block > block.n_block
           : kTriangle < 0 ? block.m_block < block.n_block
                           : false;
  }

  // Runs `body` on the cube core of this block.
  template <typename Body>
  void OnCube(const char* call, const Site& site, Body body,
              bascule_ascendc::MailTurn turn = bascule_ascendc::kAfterFirst) {
    BasculeCore* core = bascule_ascendc::Core();
    if (core->kind == BASCULE_CORE_AIC) return body(core);
    if (core->block == nullptr || only_cube_) {
      Product::Refuse(
          site,
          "%s: this is a vector core, and %s; REGIST_MATMUL_OBJ has to have run on both "
          "kinds of core of a mixed kernel, or the kernel is for cube cores",
          call,
          only_cube_ ? "ASCENDC_CUBE_ONLY says that products are made on cube cores only"
                     : "the block has no cube core");
    }
    bascule_ascendc::SendToCube(
        core, [](void* at, BasculeCore* cube) { (*static_cast<Body*>(at))(cube); }, &body,
        kBoth ? turn : bascule_ascendc::kAnyTurn, call, site);
  }

  void Compute(const char* call, bool accumulate, const LocalTensor<Sum>* into, const Site& site) {
    const bool whole = Product::Rows(problem_) == 1 && Product::Columns(problem_) == 1;
    if (accumulate && !whole && into == nullptr) {
      Product::Refuse(site,
                      "%s: enPartialSum adds to what is in L0C, so C has to be one block: "
                      "singleCoreM is baseM and singleCoreN is baseN",
                      call);
    }
    sums_up_ = accumulate || into != nullptr;
    computed_ = false;
    // A vector core asks once for a block and its way out: the other one may use L0C in between.
    if (!sums_up_ && !whole && bascule_ascendc::Core()->kind == BASCULE_CORE_AIV) return;
    OnCube(call, site, [&](BasculeCore* cube) {
      if (accumulate && into == nullptr && cube->cube_user != &product_) {
        Product::Refuse(
            site,
            "%s: enPartialSum adds to what is in L0C, and what this object had there is "
            "gone: nothing was computed before, or another object was used since",
            call);
      }
      c_ = product_.Multiply(cube, problem_, block_, 0, accumulate, into, call, site);
      computed_ = true;
    });
  }

  template <bool sync>
  void Fetch(const char* call, const Site& site) {
    if constexpr (!sync) {
      if (!Advance(call, site))
        Product::Refuse(site, "%s: Iterate<false> has no more blocks of C", call);
      Compute(call, false, nullptr, site);
    } else {
      if (step_ < 0)
        Product::Refuse(site, "%s: there is no block of C; call it after Iterate has returned true",
                        call);
    }
  }

  int64_t PitchOfC() const {
    const int64_t n = problem_.org_kc != 0 ? problem_.org_kc : problem_.org_n;
    return C_TYPE::format == CubeFormat::ND_ALIGN ? bascule_ascendc::UpTo(n, kAlign<TC>) : n;
  }
  // Columns of a strip of C in NZ.
  static constexpr int64_t kStripColumns = kConfig.isEnableChannelSplit ? 8
                                           : sizeof(TC) == 1            ? 32
                                                                        : 16;

  // The target of a block of a whole C that begins at to.address.
  bascule_ascendc::MatmulTarget Place(const bascule_ascendc::MatmulBlock& block,
                                      bascule_ascendc::MatmulTarget to, bool sequential,
                                      int64_t step) const {
    const bascule_ascendc::MatmulProblem& p = problem_;
    const int64_t row = block.m_block * p.tiling.baseM;
    const int64_t column = block.n_block * p.tiling.baseN;
    const int64_t rows = Product::RowsOf(p, block.m_block);
    const int64_t columns = Product::ColumnsOf(p, block.n_block);
    to.strips = kStrips || to.to_l1;
    int64_t offset = 0;
    if (to.strips) {
      const int64_t all = to.to_l1 ? p.m : p.org_m;
      to.pitch = bascule_ascendc::UpTo(sequential ? rows : all, BASCULE_FRACTAL_ROWS);
      if (!sequential) offset = (column / kStripColumns * to.pitch + row) * kStripColumns;
    } else {
      to.pitch = !sequential ? PitchOfC()
                 : C_TYPE::format == CubeFormat::ND_ALIGN
                     ? bascule_ascendc::UpTo(columns, kAlign<TC>)
                     : columns;
      if (!sequential) offset = row * to.pitch + column;
    }
    if (sequential) offset = step * p.tiling.baseM * p.tiling.baseN;
    to.address = static_cast<TC*>(to.address) + offset;
    return to;
  }

  void StoreCurrent(const char* call, TC* address, uint8_t atomic, bool sequential,
                    const Site& site) {
    bascule_ascendc::MatmulTarget to;
    to.address = address;
    to.atomic = atomic;
    // The kernel itself says where a block of its own goes.
    to = Place(block_, to, sequential, 0);
    StoreBlock(call, to, site);
  }
  void StoreBlock(const char* call, const bascule_ascendc::MatmulTarget& to, const Site& site) {
    OnCube(call, site, [&](BasculeCore* cube) {
      if (!computed_ || cube->cube_user != &product_) {
        if (sums_up_) {
          Product::Refuse(site,
                          "%s: another Matmul object has used the cube core since Iterate; fetch a "
                          "block before the next object computes one, and call End between them",
                          call);
        }
        c_ = product_.Multiply(cube, problem_, block_, 0, false, nullptr, call, site);
        computed_ = true;
      }
      product_.Store(cube, problem_, block_, c_, to, call, site);
    });
  }

  // Through the system's workspace, as Atlas A2 has no other way.
  void ToUnifiedBuffer(const char* call, const LocalTensor<TC>& to, const Site& site,
                       bool in_place = false) {
    if (to.Memory() != BASCULE_UB)
      Product::Refuse(site, "%s: the tensor has to lie in the unified buffer (VECIN)", call);
    const int64_t rows = Product::RowsOf(problem_, block_.m_block);
    const int64_t columns = Product::ColumnsOf(problem_, block_.n_block);
    constexpr int64_t kSize = sizeof(TC);
    const int64_t wide = kStrips ? bascule_ascendc::UpTo(columns, kStripColumns)
                                 : bascule_ascendc::UpTo(columns, kAlign<TC>);
    const int64_t tall = kStrips ? bascule_ascendc::UpTo(rows, BASCULE_FRACTAL_ROWS) : rows;
    bascule_ascendc::MatmulTarget through;
    through.address = SystemPart(call, 0, wide * tall * kSize, site);
    through.strips = kStrips;
    through.pitch = kStrips ? tall : wide;
    StoreBlock(call, through, site);
    GlobalTensor<TC> from;
    from.SetGlobalBuffer(static_cast<TC*>(through.address), static_cast<uint64_t>(wide * tall));
    BasculeCopy copy = {};
    copy.block_count = 1;
    copy.block_bytes = static_cast<uint32_t>(wide * tall * kSize);
    int64_t offset = 0;
    if (in_place && !kStrips) {
      const int64_t all = bascule_ascendc::UpTo(problem_.n, kAlign<TC>);
      offset =
          block_.m_block * problem_.tiling.baseM * all + block_.n_block * problem_.tiling.baseN;
      copy.block_count = static_cast<uint32_t>(rows);
      copy.block_bytes = static_cast<uint32_t>(wide * kSize);
      copy.dst_gap_bytes = static_cast<uint32_t>((all - wide) * kSize);
    } else if (in_place) {
      const int64_t all = bascule_ascendc::UpTo(problem_.m, BASCULE_FRACTAL_ROWS);
      offset = (block_.n_block * problem_.tiling.baseN / kStripColumns * all +
                block_.m_block * problem_.tiling.baseM) *
               kStripColumns;
      copy.block_count = static_cast<uint32_t>(wide / kStripColumns);
      copy.block_bytes = static_cast<uint32_t>(tall * kStripColumns * kSize);
      copy.dst_gap_bytes = static_cast<uint32_t>((all - tall) * kStripColumns * kSize);
    }
    bascule_ascendc::DataMove move(BASCULE_OPCODE_kDataCopy, to[static_cast<uint32_t>(offset)],
                                   from, site);
    move.Blocks(copy.block_count, copy.block_bytes, copy.src_gap_bytes, copy.dst_gap_bytes);
    move.Elements(kSize);
    move.Run();
  }

  void All(const char* call, bascule_ascendc::MatmulTarget to, bool sequential, const Site& site) {
    NoPartialOutput(call, site);
    Start(call, site);
    // With A and B of both vector cores shared, one product is made for the two.
    OnCube(
        call, site, [&](BasculeCore* cube) { AllOn(cube, call, to, sequential, site); },
        bascule_ascendc::kWithFirst);
    Begin();
  }
  void AllOn(BasculeCore* cube, const char* call, const bascule_ascendc::MatmulTarget& to,
             bool sequential, const Site& site) {
    const int64_t all = Product::Rows(problem_) * Product::Columns(problem_) * StepsOfBlock();
    for (int64_t step = 0; step < all; ++step) {
      const bascule_ascendc::MatmulBlock block = BlockAt(step);
      if (Skipped(block)) continue;
      const LocalTensor<Sum> c =
          product_.Multiply(cube, problem_, block, 0, false, nullptr, call, site);
      product_.Store(cube, problem_, block, c, Place(block, to, sequential, step), call, site);
    }
  }

  Layout LayoutA() const {
    const tiling::TCubeTiling& t = problem_.tiling;
    return {t.ALayoutInfoB, t.ALayoutInfoS, t.ALayoutInfoN, t.ALayoutInfoG, t.ALayoutInfoD};
  }
  Layout LayoutB() const {
    const tiling::TCubeTiling& t = problem_.tiling;
    return {t.BLayoutInfoB, t.BLayoutInfoS, t.BLayoutInfoN, t.BLayoutInfoG, t.BLayoutInfoD};
  }
  Layout LayoutC() const {
    const tiling::TCubeTiling& t = problem_.tiling;
    return {t.CLayoutInfoB, t.CLayoutInfoS1, t.CLayoutInfoN, t.CLayoutInfoG, t.CLayoutInfoS2};
  }
  // Elements from the batch's begin to its product number `index`; `matrix` is the size of one.
  static int64_t BatchPlace(LayoutMode mode, const Layout& l, int64_t index, int64_t matrix) {
    switch (mode) {
      case LayoutMode::BSNGD: {
        const int64_t heads = l.n * l.g;
        return index / heads * l.s * heads * l.d + index % heads * l.d;
      }
      case LayoutMode::SBNGD:
        return index * l.d;
      case LayoutMode::BNGS1S2:
        return index * l.s * l.d;
      default:
        return index * matrix;
    }
  }
  static int64_t BatchPitch(LayoutMode mode, const Layout& l, int64_t otherwise) {
    if (mode == LayoutMode::BSNGD) return l.n * l.g * l.d;
    if (mode == LayoutMode::SBNGD) return l.b * l.n * l.g * l.d;
    if (mode == LayoutMode::BNGS1S2) return l.d;
    return otherwise;
  }

  struct BatchStrides {
    uint32_t a, b, c;
  };
  void Batch(const char* call, TC* c, uint32_t batch_a, uint32_t batch_b, bool sequential,
             BatchStrides strides, uint8_t atomic, const Site& site, uint32_t round = 0) {
    const uint32_t batches = batch_a > batch_b ? batch_a : batch_b;
    const uint32_t fewer = batch_a > batch_b ? batch_b : batch_a;
    if (fewer == 0 || batches % fewer != 0) {
      Product::Refuse(site,
                      "%s: batchA is %u and batchB is %u; one has to be a multiple of the other",
                      call, batch_a, batch_b);
    }
    NoPartialOutput(call, site);
    Start(call, site);
    OnCube(call, site, [&](BasculeCore* cube) {
      BatchOn(cube, call, c, batch_a, batch_b, sequential, strides, atomic, site, round);
    });
    Begin();
  }
  void BatchOn(BasculeCore* cube, const char* call, TC* c, uint32_t batch_a, uint32_t batch_b,
               bool sequential, BatchStrides strides, uint8_t atomic, const Site& site,
               uint32_t round) {
    const int64_t batches = batch_a > batch_b ? batch_a : batch_b;
    const bascule_ascendc::MatmulProblem whole = problem_;
    bascule_ascendc::MatmulProblem& p = problem_;
    const Layout la = LayoutA();
    const Layout lb = LayoutB();
    const Layout lc = LayoutC();
    p.a.pitch = BatchPitch(A_TYPE::layout, la, whole.a.pitch);
    p.b.pitch = BatchPitch(B_TYPE::layout, lb, whole.b.pitch);
    // Where C has one matrix for a group of A and B, the group is summed up.
    const int64_t group = la.g > lb.g ? la.g : lb.g;
    const bool sums = C_TYPE::layout != LayoutMode::NORMAL && C_TYPE::layout != LayoutMode::NONE &&
                      lc.g == 1 && group > 1;
    const int64_t size_a = Matrix(A_TYPE::format, p.org_m, p.org_ka, p.a.turned);
    const int64_t size_b = Matrix(B_TYPE::format, p.org_kb, p.org_n, p.b.turned);
    const int64_t size_c = Matrix(C_TYPE::format, p.org_m, p.org_n, false);
    for (int64_t i = 0; i < batches; ++i) {
      const int64_t index = round * batches + i;
      const int64_t ia = index / (batches / batch_a);
      const int64_t ib = index / (batches / batch_b);
      const int64_t ic = sums ? index / group : index;
      p.a.address =
          Shifted<TA>(whole.a.address,
                      strides.a != 0 ? ia * strides.a : BatchPlace(A_TYPE::layout, la, ia, size_a));
      p.b.address =
          Shifted<TB>(whole.b.address,
                      strides.b != 0 ? ib * strides.b : BatchPlace(B_TYPE::layout, lb, ib, size_b));
      if (p.with_bias && kConfig.isBiasBatch) {
        p.bias.address =
            static_cast<const TBias*>(whole.bias.address) + ic * (lc.d != 0 ? lc.d : p.n);
      }
      bascule_ascendc::MatmulTarget to;
      to.address =
          c + (strides.c != 0 ? ic * strides.c : BatchPlace(C_TYPE::layout, lc, ic, size_c));
      to.atomic = sums && index % group != 0 ? uint8_t{BASCULE_ATOMIC_ADD} : atomic;
      p.org_kc = BatchPitch(C_TYPE::layout, lc, whole.org_kc);
      p.with_bias = whole.with_bias && (!sums || index % group == 0);
      product_.Forget();
      AllOn(cube, call, to, sequential, site);
    }
    problem_ = whole;
  }
  // Elements of a matrix, with what pads it.
  static int64_t Matrix(CubeFormat format, int64_t rows, int64_t columns, bool turned) {
    if (turned) return Matrix(format, columns, rows, false);
    if (format == CubeFormat::NZ) {
      return bascule_ascendc::UpTo(rows, BASCULE_FRACTAL_ROWS) *
             bascule_ascendc::UpTo(columns, kAlign<TA>);
    }
    return rows *
           (format == CubeFormat::ND_ALIGN ? bascule_ascendc::UpTo(columns, kAlign<TC>) : columns);
  }
  template <typename T>
  static const void* Shifted(const void* from, int64_t elements) {
    return static_cast<const char*>(from) +
           elements * static_cast<int64_t>(bascule_ascendc::ElementBits<T>) / 8;
  }

  bascule_ascendc::MatmulProblem problem_;
  Product product_;
  LocalTensor<Sum> c_;
  bascule_ascendc::MatmulBlock block_;
  int64_t step_ = -1;
  int64_t batch_ = 0;
  uint32_t batch_a_ = 1;
  uint32_t batch_b_ = 1;
  const void* a_upload_ = nullptr;  // where it lies in the unified buffer
  const void* b_upload_ = nullptr;
  const void* bias_upload_ = nullptr;
  TC* workspace_ = nullptr;
  GM_ADDR system_ = nullptr;
  uint8_t sub_block_ = 0;
  bool only_cube_ = false;
  bool computed_ = false;  // the block is in L0C, unless another object was there since
  bool sums_up_ = false;   // and cannot be computed again
};

BASCULE_ASCENDC_END
// NOLINTEND(readability-identifier-naming)

BASCULE_PRIVATE_BEGIN
namespace bascule_ascendc {

inline void RegisterObjects(AscendC::TPipe*, GM_ADDR, bool, const Site&) {}
template <typename Object>
void RegisterObjects(AscendC::TPipe* pipe, GM_ADDR workspace, bool only_cube, const Site& site,
                     Object& object) {
  object.Register(workspace, only_cube);
  object.Init(nullptr, pipe, site);
}
template <typename Object, typename Tiling, typename... Rest>
void RegisterObjects(AscendC::TPipe* pipe, GM_ADDR workspace, bool only_cube, const Site& site,
                     Object& object, Tiling&& tiling, Rest&&... rest) {
  object.Register(workspace, only_cube);
  // A pointer, `__restrict` or not, or null.
  if constexpr (std::is_convertible_v<Tiling, const AscendC::tiling::TCubeTiling*>)
    object.Init(tiling, pipe, site);
  else
    object.Init(&tiling, pipe, site);
  RegisterObjects(pipe, workspace, only_cube, site, rest...);
}

// True: this core's part of the kernel is over.
template <bool only_cube, typename Workspace, typename... Arguments>
bool RegisterMatmul(const Site& site, AscendC::TPipe* pipe, Workspace* workspace,
                    Arguments&&... arguments) {
  BasculeCore* core = Core();
  const bool mixed = core->block != nullptr;
  if (core->kind == BASCULE_CORE_AIV && !mixed) {
    // Where nobody has said for which cores the kernel is, this does.
    core->api->kernel_type(core, only_cube ? BASCULE_KERNEL_AIC_ONLY : BASCULE_KERNEL_MIX_AIC_1_2,
                           2, &site);
    Fail(
        "REGIST_MATMUL_OBJ: the kernel is for vector cores only, and products are made on cube "
        "cores; declare it __mix__(1, 2), or __cube__ with ASCENDC_CUBE_ONLY defined",
        site);
  }
  if (!only_cube && mixed && core->kind == BASCULE_CORE_AIC) {
    ServeVectorCores(core, site);
    return true;
  }
  RegisterObjects(pipe, reinterpret_cast<GM_ADDR>(workspace), only_cube, site, arguments...);
  return false;
}

}  // namespace bascule_ascendc
BASCULE_PRIVATE_END

// Prepares objects; each is followed by its tiling, but one alone may do without. In a mixed kernel
// a cube core stays here and then leaves the function.
#ifdef ASCENDC_CUBE_ONLY
#define REGIST_MATMUL_OBJ(tpipe, workspace, ...)                                         \
  (void)bascule_ascendc::RegisterMatmul<true>(bascule_ascendc::Site(), tpipe, workspace, \
                                              __VA_ARGS__)
#else
#define REGIST_MATMUL_OBJ(tpipe, workspace, ...)                                        \
  if (bascule_ascendc::RegisterMatmul<false>(bascule_ascendc::Site(), tpipe, workspace, \
                                             __VA_ARGS__))                              \
  return
#endif

// Kernels use the name without a namespace.
using AscendC::Matmul;
using AscendC::MatmulCallBackFunc;
using AscendC::MatmulType;

#endif  // BASCULE_ASCENDC_MATMUL_H
