// The tiling of matrix products against the rules of the documentation's tables, over many shapes,
// types and settings; and what is refused, with what sentence.
#include "lib/matmul/matmul_tiling.h"
#include "lib/matmul/bmm_tiling.h"
#include "tiling/tiling_api.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "bascule/c_api.h"

namespace {

using matmul_tiling::BatchMatmulTiling;
using matmul_tiling::CubeFormat;
using matmul_tiling::DataType;
using matmul_tiling::DequantType;
using matmul_tiling::MatmulApiTiling;
using matmul_tiling::MatmulConfigParams;
using matmul_tiling::MatrixMadType;
using matmul_tiling::MatrixTraverse;
using matmul_tiling::MultiCoreMatmulTiling;
using matmul_tiling::PlatformInfo;
using matmul_tiling::ScheduleType;
using matmul_tiling::TPosition;
using Tiling = AscendC::tiling::TCubeTiling;

int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }
int64_t AlignUp(int64_t a, int64_t b) { return CeilDiv(a, b) * b; }

// What a test asks for, beside what the object is told.
struct Case {
  int64_t m = 1, n = 1, k = 1;
  DataType type = DataType::DT_FLOAT16;
  bool a_transposed = false, b_transposed = false, bias = false, mdl = true, split_k = false;
  int64_t dim = 1;
  int64_t l1 = 512 * 1024 - 256, l0c = 128 * 1024;
};

std::string Describe(const Case& c, const Tiling& t) {
  std::ostringstream text;
  text << "m=" << c.m << " n=" << c.n << " k=" << c.k << " " << bascule_host::MatmulTypeName(c.type)
       << (c.a_transposed ? " A^T" : "") << (c.b_transposed ? " B^T" : "")
       << (c.bias ? " bias" : "") << (c.mdl ? " mdl" : " norm") << (c.split_k ? " split k" : "")
       << " dim=" << c.dim << "; fields:";
  const auto* words = reinterpret_cast<const int32_t*>(&t);
  for (size_t i = 0; i < sizeof(Tiling) / 4; ++i) text << " " << words[i];
  return text.str();
}

// Tables 1, 2 and 3 of the page "TCubeTiling".
void ExpectValid(const Case& c, const Tiling& t) {
  SCOPED_TRACE(Describe(c, t));
  const int64_t bits = c.type == DataType::DT_INT4    ? 4
                       : c.type == DataType::DT_INT8  ? 8
                       : c.type == DataType::DT_FLOAT ? 32
                                                      : 16;
  const int64_t c0 = 256 / bits;
  // Each core has something to do, and together they do everything.
  const int64_t m_cores = CeilDiv(c.m, t.singleCoreM);
  const int64_t n_cores = CeilDiv(c.n, t.singleCoreN);
  const int64_t k_cores = CeilDiv(c.k, t.singleCoreK);
  EXPECT_EQ(t.usedCoreNum, m_cores * n_cores * k_cores);
  EXPECT_GE(t.usedCoreNum, 1);
  EXPECT_LE(t.usedCoreNum, c.dim);
  EXPECT_LE(t.singleCoreM, c.m);
  EXPECT_LE(t.singleCoreN, c.n);
  EXPECT_LE(t.singleCoreK, c.k);
  if (!c.split_k) {
    EXPECT_EQ(t.singleCoreK, c.k);
  }
  if (m_cores > 1) {
    EXPECT_EQ(t.singleCoreM % 16, 0);
  }
  if (n_cores > 1) {
    EXPECT_EQ(t.singleCoreN % 16, 0);
  }
  if (k_cores > 1) {
    EXPECT_EQ(t.singleCoreK % c0, 0);
  }
  // Blocks are whole fractals, and no larger than what a core computes.
  ASSERT_GE(t.baseM, 16);
  ASSERT_GE(t.baseN, 16);
  ASSERT_GE(t.baseK, 16);
  EXPECT_EQ(t.baseM % 16, 0);
  EXPECT_EQ(t.baseN % 16, 0);
  EXPECT_EQ(t.baseK % c0, 0);
  EXPECT_EQ(t.baseK % 16, 0);
  EXPECT_LE(t.baseM, AlignUp(t.singleCoreM, std::max<int64_t>(16, c0)));
  EXPECT_LE(t.baseN, AlignUp(t.singleCoreN, std::max<int64_t>(16, c0)));
  EXPECT_LE(t.baseK, AlignUp(t.singleCoreK, 128));
  // They fit their memories.
  for (int32_t db : {t.dbL0A, t.dbL0B, t.dbL0C}) EXPECT_TRUE(db == 1 || db == 2);
  EXPECT_LE(int64_t{t.baseM} * t.baseK * bits / 8 * t.dbL0A, 64 * 1024);
  EXPECT_LE(int64_t{t.baseN} * t.baseK * bits / 8 * t.dbL0B, 64 * 1024);
  EXPECT_LE(int64_t{t.baseM} * t.baseN * 4 * t.dbL0C, c.l0c);
  if (c.bias) {
    EXPECT_LE(int64_t{t.baseN} * 4, 1024);
  }
  ASSERT_GE(t.stepM, 1);
  ASSERT_GE(t.stepN, 1);
  ASSERT_GE(t.stepKa, 1);
  ASSERT_GE(t.stepKb, 1);
  EXPECT_TRUE(t.depthA1 == t.stepM * t.stepKa || t.depthA1 == 2 * t.stepM * t.stepKa);
  EXPECT_TRUE(t.depthB1 == t.stepN * t.stepKb || t.depthB1 == 2 * t.stepN * t.stepKb);
  const int64_t a_l1 = AlignUp(t.baseM, c0) * t.baseK * t.depthA1 * bits / 8;
  const int64_t b_l1 = AlignUp(t.baseN, c0) * t.baseK * t.depthB1 * bits / 8;
  EXPECT_LE(a_l1 + b_l1 + (c.bias ? t.baseN * 4 : 0), c.l1);
  // No more than there is.
  EXPECT_LE((t.stepM - 1) * int64_t{t.baseM}, t.singleCoreM - 1);
  EXPECT_LE((t.stepN - 1) * int64_t{t.baseN}, t.singleCoreN - 1);
  EXPECT_LE((t.stepKa - 1) * int64_t{t.baseK}, t.singleCoreK - 1);
  EXPECT_LE((t.stepKb - 1) * int64_t{t.baseK}, t.singleCoreK - 1);
  const int64_t a_loads = CeilDiv(t.singleCoreK, int64_t{t.baseK} * t.stepKa);
  const int64_t b_loads = CeilDiv(t.singleCoreK, int64_t{t.baseK} * t.stepKb);
  EXPECT_TRUE(a_loads % b_loads == 0 || b_loads % a_loads == 0);
  if (c.mdl && a_loads > 1) {
    EXPECT_EQ(t.stepM, 1);
  }
  if (c.mdl && b_loads > 1) {
    EXPECT_EQ(t.stepN, 1);
  }
  EXPECT_TRUE(t.iterateOrder == 0 || t.iterateOrder == 1);
  EXPECT_EQ(t.isBias, c.bias ? 1 : 0);
  EXPECT_EQ(t.transLength, 0);
  EXPECT_EQ(t.mxTypePara, 0);
}

DataType OutputOf(DataType type) {
  return type == DataType::DT_INT8 || type == DataType::DT_INT4 ? DataType::DT_INT32
                                                                : DataType::DT_FLOAT;
}

template <typename Object>
void Tell(Object* object, const Case& c) {
  object->SetAType(TPosition::GM, CubeFormat::ND, c.type, c.a_transposed);
  object->SetBType(TPosition::GM, CubeFormat::ND, c.type, c.b_transposed);
  object->SetCType(TPosition::GM, CubeFormat::ND, OutputOf(c.type));
  object->SetBiasType(TPosition::GM, CubeFormat::ND, OutputOf(c.type));
  const auto number = [](int64_t value) { return static_cast<int32_t>(value); };
  EXPECT_EQ(object->SetShape(number(c.m), number(c.n), number(c.k)), 0);
  EXPECT_EQ(object->SetOrgShape(number(c.m), number(c.n), number(c.k)), 0);
  object->EnableBias(c.bias);
  object->SetBufferSpace(-1, -1, -1);
  if (!c.mdl) object->SetMatmulConfigParams(0);
}

// What GetTiling writes to standard error when it answers -1.
template <typename Object>
std::string Refusal(Object& object) {
  Tiling tiling;
  testing::internal::CaptureStderr();
  const int64_t result = object.GetTiling(tiling);
  const std::string text = testing::internal::GetCapturedStderr();
  EXPECT_EQ(result, -1);
  return text;
}

const std::vector<int64_t> kSizes = {1,    2,    7,    15,   16,   17,    31,    33,
                                     48,   100,  127,  128,  255,  257,   500,   1000,
                                     1024, 1536, 2048, 4099, 8192, 10007, 40000, 65536};
const DataType kTypes[] = {DataType::DT_FLOAT16, DataType::DT_BF16, DataType::DT_FLOAT,
                           DataType::DT_INT8, DataType::DT_INT4};

TEST(MatmulTiling, KeepsTheRulesForEveryShape) {
  std::mt19937 random(20);
  const auto size = [&] { return kSizes[random() % kSizes.size()]; };
  for (int i = 0; i < 6000; ++i) {
    Case c;
    c.type = kTypes[random() % 5];
    c.m = size();
    c.n = size();
    c.k = size();
    if (c.type == DataType::DT_INT4) c.m += c.m % 2, c.n += c.n % 2, c.k += c.k % 2;
    c.a_transposed = random() % 2 != 0;
    c.b_transposed = random() % 2 != 0;
    c.bias = random() % 2 != 0;
    c.mdl = random() % 2 != 0;
    c.split_k = !c.bias && random() % 4 == 0;
    const int64_t dims[] = {1, 2, 3, 20, 24, 40, 48};
    c.dim = dims[random() % 7];
    MultiCoreMatmulTiling object;
    Tell(&object, c);
    object.SetDim(static_cast<int32_t>(c.dim));
    object.EnableMultiCoreSplitK(c.split_k);
    Tiling tiling;
    ASSERT_EQ(object.GetTiling(tiling), 0) << Describe(c, tiling);
    ExpectValid(c, tiling);
    EXPECT_EQ(tiling.M, c.m);
    EXPECT_EQ(tiling.N, c.n);
    EXPECT_EQ(tiling.Ka, c.k);
    EXPECT_EQ(tiling.Kb, c.k);
    EXPECT_EQ(object.GetBaseM(), tiling.baseM);
    EXPECT_EQ(object.GetBaseN(), tiling.baseN);
    EXPECT_EQ(object.GetBaseK(), tiling.baseK);
    if (testing::Test::HasFailure()) break;
  }
}

TEST(MatmulTiling, UsesTheCoresOfALargeProduct) {
  Case c;
  c.m = c.n = c.k = 4096;
  c.dim = 24;
  MultiCoreMatmulTiling object;
  Tell(&object, c);
  object.SetDim(24);
  Tiling tiling;
  ASSERT_EQ(object.GetTiling(tiling), 0);
  EXPECT_GE(tiling.usedCoreNum, 22);
  // As large as L0C allows, within an eighth: less would read A and B more often.
  EXPECT_GE(int64_t{tiling.baseM} * tiling.baseN * 4 * tiling.dbL0C, 112 * 1024);
  int32_t dim = 0, m_dim = 0, n_dim = 0, m = 0, n = 0, k = 0;
  EXPECT_EQ(object.GetCoreNum(dim, m_dim, n_dim), 0);
  EXPECT_EQ(dim, tiling.usedCoreNum);
  EXPECT_EQ(dim, m_dim * n_dim);
  EXPECT_EQ(m_dim, CeilDiv(4096, tiling.singleCoreM));
  EXPECT_EQ(object.GetSingleShape(m, n, k), 0);
  EXPECT_EQ(m, tiling.singleCoreM);
  EXPECT_EQ(n, tiling.singleCoreN);
  EXPECT_EQ(k, 4096);
}

TEST(MatmulTiling, MoreCoresThanThereAreAreNotUsed) {
  Case c;
  c.m = c.n = 65536;
  c.k = 64;
  c.dim = 48;
  MultiCoreMatmulTiling object;
  Tell(&object, c);
  object.SetDim(1000000);
  Tiling tiling;
  ASSERT_EQ(object.GetTiling(tiling), 0);
  ExpectValid(c, tiling);
}

TEST(MatmulTiling, HostClassAndPlainStructureAreTheSameBytes) {
  Case c;
  c.m = 100;
  c.n = 200;
  c.k = 300;
  c.bias = true;
  MatmulApiTiling object;
  Tell(&object, c);
  optiling::TCubeTiling by_class;
  Tiling plain;
  ASSERT_EQ(object.GetTiling(by_class), 0);
  ASSERT_EQ(object.GetTiling(plain), 0);
  ExpectValid(c, plain);
  ASSERT_EQ(by_class.GetDataSize(), sizeof(Tiling));
  Tiling read;
  by_class.SaveToBuffer(&read, sizeof(read));
  EXPECT_EQ(std::memcmp(&read, &plain, sizeof(read)), 0);
  EXPECT_EQ(by_class.get_N(), 200);
  by_class.set_stepM(3);
  EXPECT_EQ(by_class.get_stepM(), 3);
}

TEST(MatmulTiling, APartOfLargerMatrices) {
  MatmulApiTiling object;
  Case c;
  c.m = 40;
  c.n = 60;
  c.k = 70;
  Tell(&object, c);
  object.SetOrgShape(100, 200, 300, 280);
  object.SetShape(-1, 60, 70);
  Tiling tiling;
  ASSERT_EQ(object.GetTiling(tiling), 0);
  EXPECT_EQ(tiling.M, 100);
  EXPECT_EQ(tiling.Ka, 300);
  EXPECT_EQ(tiling.Kb, 280);
  EXPECT_EQ(tiling.singleCoreM, 100);
  EXPECT_EQ(tiling.singleCoreN, 60);
  EXPECT_EQ(tiling.singleCoreK, 70);
}

TEST(MatmulTiling, KeepsToWhatIsFixed) {
  for (DataType type : kTypes) {
    Case c;
    c.type = type;
    c.m = 1024;
    c.n = 768;
    c.k = 640;
    c.bias = true;
    c.dim = 48;
    MultiCoreMatmulTiling object;
    Tell(&object, c);
    object.SetDim(48);
    object.SetFixSplit(128, 64, -1);
    Tiling tiling;
    ASSERT_EQ(object.GetTiling(tiling), 0);
    ExpectValid(c, tiling);
    EXPECT_EQ(tiling.baseM, 128);
    EXPECT_EQ(tiling.baseN, 64);
    object.SetFixSplit(128, -1, 128);
    ASSERT_EQ(object.GetTiling(tiling), 0);
    ExpectValid(c, tiling);
    EXPECT_EQ(tiling.baseM, 128);
    EXPECT_EQ(tiling.baseK, 128);
    object.SetFixSplit();
    for (MatrixTraverse traverse : {MatrixTraverse::FIRSTM, MatrixTraverse::FIRSTN}) {
      object.SetTraverse(traverse);
      ASSERT_EQ(object.GetTiling(tiling), 0);
      ExpectValid(c, tiling);
      EXPECT_EQ(tiling.iterateOrder, traverse == MatrixTraverse::FIRSTM ? 0 : 1);
    }
    object.SetSingleShape(512, 256, -1);
    ASSERT_EQ(object.GetTiling(tiling), 0);
    ExpectValid(c, tiling);
    EXPECT_EQ(tiling.singleCoreM, 512);
    EXPECT_EQ(tiling.singleCoreN, 256);
    EXPECT_EQ(tiling.usedCoreNum, 6);
    object.SetSingleShape();
    object.SetAlignSplit(-1, 64, 0);
    ASSERT_EQ(object.GetTiling(tiling), 0);
    ExpectValid(c, tiling);
    EXPECT_EQ(tiling.singleCoreN % 64, 0);
    object.SetAlignSplit(-1, -1, -1);
    object.SetSingleRange(256, 400, -1, 100, 300, -1);
    ASSERT_EQ(object.GetTiling(tiling), 0);
    ExpectValid(c, tiling);
    EXPECT_GE(tiling.singleCoreM, 100);
    EXPECT_LE(tiling.singleCoreM, 256);
    EXPECT_GE(tiling.singleCoreN, 300);
    EXPECT_LE(tiling.singleCoreN, 400);
  }
}

TEST(MatmulTiling, KeepsToTheSpaceThatIsGiven) {
  std::mt19937 random(7);
  for (int i = 0; i < 500; ++i) {
    Case c;
    c.type = kTypes[random() % 4];
    c.m = kSizes[random() % kSizes.size()];
    c.n = kSizes[random() % kSizes.size()];
    c.k = kSizes[random() % kSizes.size()];
    c.bias = random() % 2 != 0;
    c.l1 = 16 * 1024 << random() % 5;
    c.l0c = 4 * 1024 << random() % 5;
    MatmulApiTiling object;
    Tell(&object, c);
    object.SetBufferSpace(static_cast<int32_t>(c.l1), static_cast<int32_t>(c.l0c), -1);
    Tiling tiling;
    ASSERT_EQ(object.GetTiling(tiling), 0) << Describe(c, tiling);
    ExpectValid(c, tiling);
    matmul_tiling::SysTilingTempBufSize sizes;
    EXPECT_EQ(MatmulGetTmpBufSizeV2(tiling, sizes), 0);
    EXPECT_LE(sizes.l1Size, c.l1);
    EXPECT_LE(sizes.l0cSize, c.l0c);
    EXPECT_EQ(sizes.l0cSize, tiling.baseM * tiling.baseN * 4 * tiling.dbL0C);
    EXPECT_EQ(sizes.ubSize, 0);
  }
}

TEST(MatmulTiling, WhereTheKernelHoldsAMatrix) {
  Case c;
  c.m = 128;
  c.n = 512;
  c.k = 256;
  MatmulApiTiling object;
  Tell(&object, c);
  // A stands in L1 already: all of it counts, and none is loaded.
  object.SetAType(TPosition::TSCM, CubeFormat::NZ, DataType::DT_FLOAT16);
  Tiling tiling;
  ASSERT_EQ(object.GetTiling(tiling), 0);
  EXPECT_EQ(int64_t{tiling.stepM} * tiling.baseM, AlignUp(128, tiling.baseM));
  EXPECT_GE(tiling.stepKa * tiling.baseK, 256);
  EXPECT_LE(int64_t{128} * 256 * 2 + int64_t{tiling.baseN} * tiling.baseK * 2 * tiling.depthB1,
            512 * 1024 - 256);
  // A result in UB is there block by block.
  object.SetAType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT16);
  object.SetCType(TPosition::VECIN, CubeFormat::ND, DataType::DT_FLOAT);
  object.SetBufferSpace(-1, -1, 16 * 1024);
  ASSERT_EQ(object.GetTiling(tiling), 0);
  ExpectValid(c, tiling);
  EXPECT_LE(int64_t{tiling.baseM} * tiling.baseN * 4, 16 * 1024);
}

TEST(MatmulTiling, OuterProduct) {
  for (MatrixTraverse traverse : {MatrixTraverse::FIRSTM, MatrixTraverse::FIRSTN}) {
    Case c;
    c.m = 2048;
    c.n = 2048;
    c.k = 64;
    MultiCoreMatmulTiling object;
    Tell(&object, c);
    object.SetDim(1);
    object.SetMatmulConfigParams(
        MatmulConfigParams(1, false, ScheduleType::OUTER_PRODUCT, traverse, false));
    Tiling tiling;
    ASSERT_EQ(object.GetTiling(tiling), 0);
    ExpectValid(c, tiling);
    EXPECT_GE(tiling.baseK, 64);
    EXPECT_EQ(tiling.dbL0C, 2);
    EXPECT_GT(traverse == MatrixTraverse::FIRSTM ? tiling.stepN : tiling.stepM, 1);
  }
}

TEST(MatmulTiling, NBuffer33) {
  Case c;
  c.m = 256;
  c.n = 6000;
  c.k = 512;
  c.dim = 24;
  MultiCoreMatmulTiling object;
  Tell(&object, c);
  object.SetDim(24);
  object.SetMatmulConfigParams(1, false, ScheduleType::N_BUFFER_33);
  Tiling tiling;
  ASSERT_EQ(object.GetTiling(tiling), 0);
  ExpectValid(c, tiling);
  EXPECT_LE(tiling.stepM, 3);
  EXPECT_LE(tiling.stepKa, 3);
  EXPECT_EQ(tiling.stepKa, CeilDiv(tiling.singleCoreK, tiling.baseK));
  EXPECT_EQ(tiling.stepKb, tiling.stepKa);
  EXPECT_EQ(tiling.stepM, CeilDiv(tiling.singleCoreM, tiling.baseM));
}

TEST(MatmulTiling, Batches) {
  BatchMatmulTiling object;
  Case c;
  c.m = 32;
  c.n = 256;
  c.k = 64;
  c.bias = true;
  Tell(&object, c);
  object.SetALayout(2, 32, 1, 3, 64);
  object.SetBLayout(2, 256, 1, 3, 64);
  object.SetCLayout(2, 32, 1, 3, 256);
  object.SetBatchNum(3);
  optiling::TCubeTiling tiling;
  ASSERT_EQ(object.GetTiling(tiling), 0);
  EXPECT_EQ(tiling.get_ALayoutInfoB(), 2);
  EXPECT_EQ(tiling.get_ALayoutInfoG(), 3);
  EXPECT_EQ(tiling.get_BLayoutInfoS(), 256);
  EXPECT_EQ(tiling.get_CLayoutInfoS1(), 32);
  EXPECT_EQ(tiling.get_CLayoutInfoS2(), 256);
  EXPECT_EQ(tiling.get_BatchNum(), 3);
  int32_t dim = 0, m_dim = 0, n_dim = 0, batch_m = 0, batch_n = 0;
  EXPECT_EQ(object.GetCoreNum(dim, m_dim, n_dim, batch_m, batch_n), 0);
  EXPECT_EQ(dim * m_dim * n_dim * batch_m * batch_n, 1);
  // In layout NORMAL the sizes may come from there.
  BatchMatmulTiling normal;
  EXPECT_EQ(normal.SetBatchInfoForNormal(4, 2, 64, 48, 32), 0);
  normal.SetBatchNum(4);
  ASSERT_EQ(normal.GetTiling(tiling), 0);
  EXPECT_EQ(tiling.get_singleCoreN(), 48);
  EXPECT_EQ(tiling.get_batchM(), 4);
  EXPECT_EQ(tiling.get_batchN(), 2);
  matmul_tiling::SysTilingTempBufSize sizes;
  EXPECT_EQ(BatchMatmulGetTmpBufSize(tiling, sizes), 0);
  EXPECT_GT(sizes.l1Size, 0);
}

TEST(MatmulTiling, AnotherMachine) {
  PlatformInfo platform{platform_ascendc::SocVersion::ASCEND910B,
                        64 * 1024,
                        16 * 1024,
                        32 * 1024,
                        8 * 1024,
                        8 * 1024};
  MatmulApiTiling object(platform);
  Case c;
  c.m = c.n = c.k = 1000;
  c.l1 = 64 * 1024;
  c.l0c = 16 * 1024;
  Tell(&object, c);
  Tiling tiling;
  ASSERT_EQ(object.GetTiling(tiling), 0);
  ExpectValid(c, tiling);
  EXPECT_LE(tiling.baseM * tiling.baseK * 2 * tiling.dbL0A, 8 * 1024);
}

TEST(MatmulTiling, ThePlatformOfThisMachine) {
  ASSERT_NE(bascule_last_error(), nullptr);  // the runtime is in the process
  const auto* platform = platform_ascendc::PlatformAscendCManager::GetInstance();
  ASSERT_NE(platform, nullptr);
  MultiCoreMatmulTiling told(*platform);
  MultiCoreMatmulTiling untold;
  Case c;
  c.m = 1000;
  c.n = 700;
  c.k = 500;
  c.dim = 24;
  Tiling first, second;
  Tell(&told, c);
  Tell(&untold, c);
  told.SetDim(24);
  untold.SetDim(24);
  ASSERT_EQ(told.GetTiling(first), 0);
  ASSERT_EQ(untold.GetTiling(second), 0);
  ExpectValid(c, first);
  EXPECT_EQ(std::memcmp(&first, &second, sizeof(first)), 0);
}

TEST(MatmulTiling, SaysWhyNot) {
  Case c;
  c.m = 64;
  c.n = 64;
  c.k = 64;
  const std::string head = "MatmulApi Tiling: GetTiling: ";
  {
    MatmulApiTiling object;
    EXPECT_EQ(Refusal(object), head +
                                   "SetShape: m is -1; it is at least 1, or -1 where "
                                   "SetOrgShape says it\n");
    int32_t size = 0;
    Tiling tiling;
    matmul_tiling::SysTilingTempBufSize sizes;
    EXPECT_EQ(MatmulGetTmpBufSizeV2(tiling, sizes), -1);
    MultiCoreMatmulTiling unplanned;
    EXPECT_EQ(unplanned.GetSingleShape(size, size, size), -1);
    EXPECT_EQ(unplanned.GetCoreNum(size, size, size), -1);
  }
  const auto refused = [&](auto&& change) {
    MultiCoreMatmulTiling object;
    Tell(&object, c);
    change(object);
    return Refusal(object);
  };
  EXPECT_EQ(refused([](auto& o) { EXPECT_EQ(o.SetShape(0, 64, 64), -1); }),
            head + "SetShape: m is 0; it is at least 1, or -1 where SetOrgShape says it\n");
  EXPECT_EQ(refused([](auto& o) { o.SetOrgShape(64, 64, 64, 32); }),
            head +
                "SetOrgShape: k is 32 there and 64 in SetShape; a part is not larger than the "
                "whole\n");
  EXPECT_EQ(refused([](auto& o) { o.SetBType(TPosition::GM, CubeFormat::ND, DataType::DT_INT8); }),
            head + "A is half and B is int8; Atlas A2 multiplies matrices of one type\n");
  EXPECT_EQ(refused([](auto& o) {
              o.SetAType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT8_E5M2);
              o.SetBType(TPosition::GM, CubeFormat::ND, DataType::DT_FLOAT8_E5M2);
            }),
            head +
                "SetAType: type 35 is no input of a matrix product on Atlas A2; these are: "
                "float, half, bfloat16, int8, int4\n");
  EXPECT_EQ(refused([](auto& o) { o.SetCType(TPosition::GM, CubeFormat::ND, DataType::DT_INT32); }),
            head +
                "SetCType: the product of half matrices is not written as int32; it can be "
                "float, half, bfloat16, int8\n");
  EXPECT_EQ(refused([](auto& o) {
              o.EnableBias(true);
              o.SetBiasType(TPosition::GM, CubeFormat::ND, DataType::DT_INT32);
            }),
            head +
                "SetBiasType: the bias of a product of half matrices is float or half, not "
                "int32\n");
  EXPECT_EQ(refused([](auto& o) { EXPECT_EQ(o.SetMadType(MatrixMadType::MXMODE), -1); }),
            head +
                "SetMadType: MatrixMadType::MXMODE (MxMatmul) is not there on Atlas A2; use "
                "NORMAL\n");
  EXPECT_EQ(refused([](auto& o) { o.SetFixSplit(24, 64, -1); }),
            head + "SetFixSplit: baseM is 24; it is a multiple of 16, or -1\n");
  EXPECT_EQ(refused([](auto& o) { o.SetFixSplit(128, -1, -1); }),
            head + "SetFixSplit: baseM is 128, the product has 64 rows\n");
  EXPECT_EQ(refused([](auto& o) {
              o.SetOrgShape(4096, 4096, 64);
              o.SetShape(4096, 4096, 64);
              o.SetFixSplit(512, 256, -1);
            }),
            head +
                "SetFixSplit: a block of 512 x 256 elements of 4 bytes is more than L0C has, "
                "131072 bytes\n");
  EXPECT_EQ(refused([](auto& o) { EXPECT_EQ(o.SetDim(0), -1); }),
            head + "SetDim: 0 cores; there is at least 1\n");
  EXPECT_EQ(refused([](auto& o) {
              o.SetDim(2);
              o.SetSingleShape(16, 16, -1);
            }),
            head +
                "no cut of m=64, n=64, k=64 for at most 2 cores is what SetSingleShape, "
                "SetSingleRange and SetAlignSplit ask for\n");
  EXPECT_EQ(refused([](auto& o) {
              o.EnableMultiCoreSplitK(true);
              o.EnableBias(true);
            }),
            head + "EnableMultiCoreSplitK: with K cut among cores there can be no bias\n");
  EXPECT_EQ(refused([](auto& o) {
              o.SetAType(TPosition::VECOUT, CubeFormat::ND, DataType::DT_FLOAT16);
              o.SetOrgShape(4096, 64, 64);
              o.SetShape(4096, 64, 64);
            }),
            head +
                "a core's part of A, 4096 x 64, has 524288 bytes and lies in UB, which has "
                "196352\n");
  EXPECT_EQ(refused([](auto& o) { EXPECT_EQ(o.SetBufferSpace(-2, -1, -1), -1); }),
            head +
                "SetBufferSpace: l1Size is -2; it is a number of bytes, or -1 for all there "
                "are\n");
  EXPECT_EQ(refused([](auto& o) { o.SetBufferSpace(512, -1, -1); }),
            head +
                "no block of a core's 64 x 64 over 64 fits its memories (512 bytes of L1, "
                "131072 of L0C, 1024 of BT, 196352 of UB)\n");
  EXPECT_EQ(refused([](auto& o) {
              o.SetALayout(1, 4096, 1, 8, 64);
              o.SetBLayout(1, 64, 1, 8, 64);
              o.SetOrgShape(4096, 64, 64);
              o.SetShape(4096, 64, 64);
              o.SetBatchNum(8);
            }),
            head +
                "SetBatchNum: the matrices of 8 batches lie in L1 together, which has 524032 "
                "bytes, and do not fit; multiply fewer at a time\n");
}

// Whatever numbers come: an answer in time, and a good one or none.
TEST(MatmulTiling, AnyNumbers) {
  std::mt19937 random(99);
  const auto number = [&]() -> int32_t {
    switch (random() % 24) {
      case 0:
        return static_cast<int32_t>(random());
      case 1:
        return -1;
      case 2:
        return static_cast<int32_t>(random() % 4) - 2;
      case 3:
        return 2147483647 - static_cast<int32_t>(random() % 3);
      default:
        return static_cast<int32_t>(random() % 5000) + 1;
    }
  };
  int good = 0;
  testing::internal::CaptureStderr();
  for (int i = 0; i < 20000; ++i) {
    MultiCoreMatmulTiling object;
    Case c;
    c.type = kTypes[random() % 5];
    object.SetAType(static_cast<TPosition>(random() % 8 == 0 ? random() % 20 : 0),
                    random() % 8 == 0 ? CubeFormat::NZ : CubeFormat::ND, c.type, random() % 2);
    object.SetBType(static_cast<TPosition>(random() % 8 == 0 ? random() % 20 : 0), CubeFormat::ND,
                    c.type, random() % 2);
    object.SetCType(static_cast<TPosition>(random() % 8 == 0 ? random() % 20 : 0), CubeFormat::ND,
                    OutputOf(c.type));
    object.SetBiasType(TPosition::GM, CubeFormat::ND, OutputOf(c.type));
    const int32_t m = number(), n = number(), k = number();
    object.SetShape(m, n, k);
    if (random() % 2) object.SetOrgShape(number(), number(), number(), number());
    if (random() % 2) object.SetDim(number());
    if (random() % 4 == 0) object.SetSingleShape(number(), number(), number());
    if (random() % 4 == 0)
      object.SetSingleRange(number(), number(), number(), number(), number(), number());
    if (random() % 4 == 0) object.SetAlignSplit(number(), number(), number());
    if (random() % 4 == 0)
      object.SetFixSplit(static_cast<int32_t>(random() % 40) * 16, number(), number());
    if (random() % 4 == 0) object.SetBufferSpace(number(), number(), number(), number());
    if (random() % 4 == 0) object.SetBatchNum(number());
    if (random() % 4 == 0) object.SetALayout(number(), number(), number(), number(), number());
    if (random() % 4 == 0) object.SetBLayout(number(), number(), number(), number(), number());
    object.EnableBias(random() % 2);
    object.EnableMultiCoreSplitK(random() % 3 == 0);
    object.SetSparse(random() % 8 == 0);
    object.SetDequantType(random() % 2 ? DequantType::TENSOR : DequantType::SCALAR);
    object.SetMatmulConfigParams(static_cast<int32_t>(random() % 2), false,
                                 static_cast<ScheduleType>(random() % 3),
                                 static_cast<MatrixTraverse>(random() % 3));
    Tiling t;
    if (object.GetTiling(t) == -1) continue;
    ++good;
    EXPECT_GE(t.usedCoreNum, 1);
    EXPECT_LE(t.usedCoreNum, 48);
    EXPECT_GE(std::min({t.baseM, t.baseN, t.baseK, t.depthA1, t.depthB1, t.singleCoreM,
                        t.singleCoreN, t.singleCoreK}),
              1);
    EXPECT_LE(int64_t{t.baseM} * t.baseN * 4 * t.dbL0C, 128 * 1024);
    EXPECT_LE(t.shareL1Size, 512 * 1024);
  }
  testing::internal::GetCapturedStderr();
  EXPECT_GT(good, 1000);
}

}  // namespace
