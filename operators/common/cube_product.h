// Matrix products on a cube core: C = A B, tile by tile, with every layout of A and B in global
// memory and any size.
//
// A tile's parts of A and B are brought to L1 as strips, from there as fractals to L0A and L0B, and
// their products are summed in L0C. What is stored along k ("straight") needs no turning: its
// strips are those of the cube unit. What is stored across k ("crossed") comes to L1 in squares and
// is turned on its way to L0A or L0B.
// SPDX-License-Identifier: Apache-2.0
#ifndef CUBE_PRODUCT_H
#define CUBE_PRODUCT_H

#include "cube_product_tiling.h"
#include "kernel_operator.h"

// In is what A and B hold, Sum what the cube unit sums in, Out what C becomes.
template <typename In, typename Sum, typename Out>
class CubeProduct {
 public:
  __aicore__ inline void Init(AscendC::TPipe* pipe, const CubeProductBuffers& buffers) {
    pipe->InitBuffer(queueA1, 2, buffers.a1Bytes);
    pipe->InitBuffer(queueB1, 2, buffers.b1Bytes);
    pipe->InitBuffer(queueBias, 1, buffers.biasBytes);
    pipe->InitBuffer(queueA2, 2, buffers.a2Bytes);
    pipe->InitBuffer(queueB2, 2, buffers.b2Bytes);
    pipe->InitBuffer(queueC, 1, buffers.cBytes);
  }

  __aicore__ inline void Operands(const CubeProductTiling& productTiling, GM_ADDR a, GM_ADDR b,
                                  GM_ADDR bias, GM_ADDR c) {
    tiling = &productTiling;
    gmA.SetGlobalBuffer((__gm__ In*)a);
    gmB.SetGlobalBuffer((__gm__ In*)b);
    gmBias.SetGlobalBuffer((__gm__ In*)bias);
    gmC.SetGlobalBuffer((__gm__ Out*)c);
    pitchA = tiling->turnA != 0 ? tiling->m : tiling->k;
    pitchB = tiling->turnB != 0 ? tiling->k : tiling->n;
  }

  // Computes one tile and writes it.
  __aicore__ inline void Unit(uint64_t unit) {
    const uint64_t product = BeginUnit(unit);
    Sums();
    AscendC::LocalTensor<Sum> c = queueC.template DeQue<Sum>();
    Write(gmC[product * tiling->m * tiling->n + row * tiling->n + column], c, tiling->n);
    queueC.FreeTensor(c);
  }

  __aicore__ inline static constexpr uint32_t Up(uint32_t value, uint32_t to) {
    return (value + to - 1) / to * to;
  }

 protected:
  static constexpr uint32_t SIDE = 16;
  static constexpr uint32_t FRACTAL = 512 / sizeof(In);  // elements
  static constexpr uint32_t WIDE = 32 / sizeof(In);      // elements of a datablock
  static constexpr uint32_t SQUARE = sizeof(In) == 1 ? 32 : 16;
  static constexpr uint32_t MOST_PITCH = 65535;

  // Where the elements of one product begin.
  __aicore__ inline static uint64_t Place(const CubeProductAxes& axes,
                                          const uint64_t (&stride)[CUBE_PRODUCT_AXES],
                                          uint64_t index) {
    uint64_t place = 0;
    for (uint64_t axis = axes.count; axis-- > 0;) {
      place += index % axes.size[axis] * stride[axis];
      index /= axes.size[axis];
    }
    return place;
  }

  // Which of the products the unit is a tile of.
  __aicore__ inline uint64_t BeginUnit(uint64_t unit) {
    const uint64_t tiles = tiling->mTiles * tiling->nTiles;
    const uint64_t product = unit / tiles;
    Begin(product, unit % tiles / tiling->nTiles * tiling->baseM,
          unit % tiles % tiling->nTiles * tiling->baseN);
    return product;
  }

  __aicore__ inline void Begin(uint64_t product, uint64_t firstRow, uint64_t firstColumn) {
    row = firstRow;
    column = firstColumn;
    placeA = Place(tiling->outer, tiling->outer.strideA, product);
    placeB = Place(tiling->outer, tiling->outer.strideB, product);
    m = Least(tiling->m - row, tiling->baseM);
    n = Least(tiling->n - column, tiling->baseN);
    // With one row the cube unit takes A as a row, which is how it is stored.
    oneRow = m == 1 && tiling->turnA == 0 && tiling->onesA == 0;
    upM = Up(m, SIDE);
    upN = Up(n, tiling->turnB != 0 ? SIDE : SQUARE);
    mmadM = m == 1 && !oneRow ? SIDE : m;
  }

  __aicore__ inline static uint32_t Least(uint64_t rest, uint32_t most) {
    return rest < most ? static_cast<uint32_t>(rest) : most;
  }

  // Leaves the tile's sums in the queue of C.
  __aicore__ inline void Sums() {
    Sums([this](const AscendC::LocalTensor<In>& to, uint64_t matrix, uint64_t first,
                uint32_t length) {
      const uint64_t b = matrix * tiling->k * tiling->n;
      if (tiling->turnB != 0) {
        BringStraight(to, gmB[b + column * pitchB + first], pitchB, n, length, tiling->paceN);
      } else {
        BringCrossed(to, gmB[b + first * pitchB + column], pitchB, length, n);
      }
    });
  }

  // The same with rows of B that bringB(to, matrix, first, length) brings to L1.
  template <typename BringB>
  __aicore__ inline void Sums(const BringB& bringB) {
    AscendC::LocalTensor<Sum> c = queueC.template AllocTensor<Sum>();
    isFirst = true;
    if (tiling->hasBias != 0) AddBias(c);
    const bool nothing = tiling->k == 0 || tiling->inner.total == 0;
    if (nothing && isFirst) Zero(c);
    if (!nothing) {
      for (uint64_t i = 0; i < tiling->inner.total; ++i) {
        const uint64_t matrix = pitchA * (tiling->turnA != 0 ? tiling->k : tiling->m);
        const uint64_t a = (placeA + Place(tiling->inner, tiling->inner.strideA, i)) * matrix;
        const uint64_t b = placeB + Place(tiling->inner, tiling->inner.strideB, i);
        for (uint64_t first = 0; first < tiling->k; first += tiling->l1K) {
          Step(c, a, b, first, Least(tiling->k - first, tiling->l1K), bringB);
        }
      }
    }
    queueC.EnQue(c);
  }

  // What of k is in L1 at once.
  template <typename BringB>
  __aicore__ inline void Step(const AscendC::LocalTensor<Sum>& c, uint64_t a, uint64_t b,
                              uint64_t first, uint32_t length, const BringB& bringB) {
    if (tiling->onesA == 0) {
      AscendC::LocalTensor<In> a1 = queueA1.template AllocTensor<In>();
      if (tiling->turnA != 0) {
        BringCrossed(a1, gmA[a + first * pitchA + row], pitchA, length, m);
      } else {
        BringStraight(a1, gmA[a + row * pitchA + first], pitchA, m, length,
                      oneRow ? 1 : tiling->paceM);
      }
      queueA1.EnQue(a1);
    }
    AscendC::LocalTensor<In> b1 = queueB1.template AllocTensor<In>();
    bringB(b1, b, first, length);
    queueB1.EnQue(b1);
    AscendC::LocalTensor<In> a1;
    if (tiling->onesA == 0) a1 = queueA1.template DeQue<In>();
    b1 = queueB1.template DeQue<In>();
    for (uint32_t at = 0; at < length; at += tiling->l0K) {
      const uint32_t part = Least(length - at, tiling->l0K);
      AscendC::LocalTensor<In> a2 = queueA2.template AllocTensor<In>();
      if (tiling->onesA != 0) {
        Fill(a2, b1, In(1.0f), part, upM);
      } else {
        SplitA(a2, a1, at, part);
      }
      queueA2.EnQue(a2);
      Multiply(c, part, IsAligned(),
               [&](const AscendC::LocalTensor<In>& b2, uint32_t from, uint32_t columns) {
                 SplitB(b2, b1, at, part, from, columns);
               });
    }
    if (tiling->onesA == 0) queueA1.FreeTensor(a1);
    queueB1.FreeTensor(b1);
  }

  // `rows` rows of `length` elements, `pitch` apart, as strips of `pace` rows.
  __aicore__ inline static void BringStraight(const AscendC::LocalTensor<In>& to,
                                              const AscendC::GlobalTensor<In>& from, uint64_t pitch,
                                              uint32_t rows, uint32_t length, uint32_t pace) {
    AscendC::Nd2NzParams copy;
    copy.ndNum = 1;
    copy.nValue = static_cast<uint16_t>(rows);
    copy.dValue = static_cast<uint16_t>(length);
    copy.srcDValue = static_cast<uint16_t>(pitch);
    copy.dstNzC0Stride = static_cast<uint16_t>(pace);
    copy.dstNzNStride = 1;
    if (pitch <= MOST_PITCH) {
      AscendC::DataCopy(to, from, copy);
      return;
    }
    // One after the other where rows are farther apart than the copy can say.
    copy.nValue = 1;
    copy.srcDValue = copy.dValue;
    for (uint32_t i = 0; i < rows; ++i) AscendC::DataCopy(to[i * WIDE], from[i * pitch], copy);
  }

  // `length` rows along k of `columns` elements, as squares, row of squares by row of squares.
  __aicore__ inline static void BringCrossed(const AscendC::LocalTensor<In>& to,
                                             const AscendC::GlobalTensor<In>& from, uint64_t pitch,
                                             uint32_t length, uint32_t columns) {
    const uint32_t squares = Up(columns, SQUARE) * SQUARE;
    for (uint32_t first = 0; first < length; first += SQUARE) {
      BringStraight(to[first / SQUARE * squares], from[first * pitch], pitch,
                    Least(length - first, SQUARE), columns, SQUARE);
    }
  }

  // Fractals of A along k: those of float that are turned come in pairs.
  __aicore__ inline uint32_t FractalsOfA(uint32_t length) const {
    return Up(length, IsAligned() ? 2 * WIDE : WIDE) / WIDE;
  }
  __aicore__ inline bool IsAligned() const { return sizeof(In) == 4 && tiling->turnA != 0; }

  __aicore__ inline void SplitA(const AscendC::LocalTensor<In>& to,
                                const AscendC::LocalTensor<In>& from, uint32_t at,
                                uint32_t length) {
    const uint32_t fractals = FractalsOfA(length);
    if (tiling->turnA != 0) {
      TurnA(to, from[at * Up(m, SQUARE)], length, fractals);
      return;
    }
    AscendC::LoadData2DParams load;
    if (oneRow) {
      load.repeatTimes = static_cast<uint8_t>(Up(length, FRACTAL) / FRACTAL);
      load.srcStride = 1;
      AscendC::LoadData(to, from[at], load);
      return;
    }
    const uint32_t rows = upM / SIDE;  // of fractals
    if (rows > fractals) {             // along the longer side, so that there are fewer copies
      load.repeatTimes = static_cast<uint8_t>(rows);
      load.srcStride = 1;
      load.dstGap = static_cast<uint16_t>(fractals - 1);
      for (uint32_t i = 0; i < fractals; ++i) {
        AscendC::LoadData(to[i * FRACTAL], from[(at + i * WIDE) * tiling->paceM], load);
      }
      return;
    }
    load.repeatTimes = static_cast<uint8_t>(fractals);
    load.srcStride = static_cast<uint16_t>(tiling->paceM / SIDE);
    for (uint32_t i = 0; i < rows; ++i) {
      AscendC::LoadData(to[i * fractals * FRACTAL], from[at * tiling->paceM + i * FRACTAL], load);
    }
  }

  __aicore__ inline void TurnA(const AscendC::LocalTensor<In>& to,
                               const AscendC::LocalTensor<In>& from, uint32_t length,
                               uint32_t fractals) {
    const uint32_t upSquare = Up(m, SQUARE);
    AscendC::LoadData2dTransposeParams load;
    load.repeatTimes = static_cast<uint8_t>(upSquare / SQUARE);
    load.srcStride = 1;
    load.dstGap = static_cast<uint16_t>((sizeof(In) == 1 ? 2 : 1) * fractals - 1);
    load.dstFracGap = static_cast<uint16_t>(sizeof(In) == 1 ? fractals - 1 : 0);
    for (uint32_t first = 0; first < length; first += SQUARE) {
      AscendC::LoadDataWithTranspose(to[first / WIDE * FRACTAL], from[first * upSquare], load);
    }
  }

  // `columns` columns of the tile from `first` on.
  __aicore__ inline void SplitB(const AscendC::LocalTensor<In>& to,
                                const AscendC::LocalTensor<In>& from, uint32_t at, uint32_t length,
                                uint32_t first, uint32_t columns) {
    if (tiling->turnB != 0) {
      AscendC::LoadData2DParams load;
      load.repeatTimes = static_cast<uint8_t>(columns / SIDE);
      load.srcStride = 1;
      for (uint32_t k = 0; k < length; k += WIDE) {
        AscendC::LoadData(to[k * columns], from[(at + k) * tiling->paceN + first * WIDE], load);
      }
      return;
    }
    TurnB(to, from[at * upN + first * SQUARE], length, columns);
  }

  __aicore__ inline void TurnB(const AscendC::LocalTensor<In>& to,
                               const AscendC::LocalTensor<In>& from, uint32_t length,
                               uint32_t columns) {
    AscendC::LoadData2dTransposeParams load;
    load.repeatTimes = static_cast<uint8_t>(columns / SQUARE);
    load.srcStride = 1;
    load.dstGap = sizeof(In) == 1 ? 1 : 0;
    load.dstFracGap = static_cast<uint16_t>(sizeof(In) == 4 ? columns / SIDE - 1 : 0);
    for (uint32_t k = 0; k < length; k += SQUARE) {
      AscendC::LoadDataWithTranspose(to[k * columns], from[k * upN], load);
    }
  }

  // `rows` rows of `length` elements of one value: what lies beside an image of one pixel.
  __aicore__ inline static void Fill(const AscendC::LocalTensor<In>& to,
                                     const AscendC::LocalTensor<In>& image, In value,
                                     uint32_t length, uint32_t rows) {
    AscendC::LoadData3DParamsV2<In> load;
    load.padList[1] = SIDE - 1;
    load.padList[2] = static_cast<uint8_t>(rows / SIDE);
    load.l1H = load.l1W = 1;
    load.channelSize = static_cast<uint16_t>(Up(length, WIDE));
    load.kExtension = load.channelSize;
    load.mExtension = static_cast<uint16_t>(rows);
    load.padValue = value;
    AscendC::LoadData(to, image, load);
  }

  // What is in A2 times the tile's columns, of which split(b2, first, columns) brings some to B2.
  template <typename Split>
  __aicore__ inline void Multiply(const AscendC::LocalTensor<Sum>& c, uint32_t length, bool aligned,
                                  const Split& split) {
    AscendC::LocalTensor<In> a2 = queueA2.template DeQue<In>();
    for (uint32_t first = 0; first < n; first += tiling->mmadN) {
      const uint32_t columns = Least(n - first, tiling->mmadN);
      const uint32_t upColumns = Least(upN - first, tiling->mmadN);
      AscendC::LocalTensor<In> b2 = queueB2.template AllocTensor<In>();
      split(b2, first, upColumns);
      queueB2.EnQue(b2);
      b2 = queueB2.template DeQue<In>();
      AscendC::MmadParams product;
      product.m = static_cast<uint16_t>(mmadM);
      product.n = static_cast<uint16_t>(sizeof(In) == 1 ? upColumns : columns);
      product.k = static_cast<uint16_t>(length);
      product.cmatrixInitVal = isFirst;
      product.kDirectionAlign = aligned;
      AscendC::Mmad(c[first * upM], a2, b2, product);
      AscendC::PipeBarrier<PIPE_M>();
      queueB2.FreeTensor(b2);
    }
    isFirst = false;
    queueA2.FreeTensor(a2);
  }

  // The bias is the product of a column of ones and itself, which is exact in every element type.
  __aicore__ inline void AddBias(const AscendC::LocalTensor<Sum>& c) {
    if (tiling->hasBias == CUBE_PRODUCT_BIAS_OF_ROWS) {
      AddBiasOfRows(c);
      return;
    }
    AscendC::LocalTensor<In> bias = queueBias.template AllocTensor<In>();
    BringCrossed(bias, gmBias[column], n, 1, n);
    queueBias.EnQue(bias);
    bias = queueBias.template DeQue<In>();
    One(c, bias, 1.0f);
    queueBias.FreeTensor(bias);
  }

  // An element for each row: itself times a row of ones.
  __aicore__ inline void AddBiasOfRows(const AscendC::LocalTensor<Sum>& c) {
    AscendC::LocalTensor<In> bias = queueBias.template AllocTensor<In>();
    BringCrossed(bias, gmBias[placeA * tiling->m + row], m, 1, m);
    queueBias.EnQue(bias);
    bias = queueBias.template DeQue<In>();
    const uint32_t wasM = mmadM;
    if (mmadM == 1) mmadM = SIDE;
    AscendC::LocalTensor<In> a2 = queueA2.template AllocTensor<In>();
    TurnA(a2, bias, 1, Up(1, sizeof(In) == 4 ? 2 * WIDE : WIDE) / WIDE);
    queueA2.EnQue(a2);
    Multiply(c, 1, sizeof(In) == 4,
             [&](const AscendC::LocalTensor<In>& b2, uint32_t, uint32_t columns) {
               Fill(b2, bias, In(1.0f), columns, SIDE);
             });
    mmadM = wasM;
    queueBias.FreeTensor(bias);
  }

  // A product without terms.
  __aicore__ inline void Zero(const AscendC::LocalTensor<Sum>& c) {
    AscendC::LocalTensor<In> image = queueBias.template AllocTensor<In>();
    queueBias.EnQue(image);
    image = queueBias.template DeQue<In>();
    One(c, image, 0.0f);
    queueBias.FreeTensor(image);
  }

  // C = a column of `value` times a row; where that is 0, the row is, too: it may hold NaN.
  __aicore__ inline void One(const AscendC::LocalTensor<Sum>& c,
                             const AscendC::LocalTensor<In>& rowOfB, float value) {
    const uint32_t wasM = mmadM;
    if (mmadM == 1) mmadM = SIDE;
    AscendC::LocalTensor<In> a2 = queueA2.template AllocTensor<In>();
    Fill(a2, rowOfB, In(value), 1, upM);
    queueA2.EnQue(a2);
    Multiply(c, 1, false,
             [&](const AscendC::LocalTensor<In>& b2, uint32_t first, uint32_t columns) {
               if (sizeof(In) > 1 && value == 0.0f) {
                 Fill(b2, rowOfB, In(value), columns, SIDE);
               } else {
                 TurnB(b2, rowOfB[first * SQUARE], 1, columns);
               }
             });
    mmadM = wasM;
  }

  template <typename To>
  __aicore__ inline void Write(const AscendC::GlobalTensor<To>& to,
                               const AscendC::LocalTensor<Sum>& c, uint64_t pitch) {
    Write(to, c, pitch, n);
  }
  template <typename To>
  __aicore__ inline void Write(const AscendC::GlobalTensor<To>& to,
                               const AscendC::LocalTensor<Sum>& c, uint64_t pitch,
                               uint32_t columns) {
    AscendC::FixpipeParamsV220 out;
    out.nSize = static_cast<uint16_t>(columns);
    out.mSize = static_cast<uint16_t>(m);
    out.srcStride = static_cast<uint16_t>(upM);
    out.dstStride = static_cast<uint32_t>(pitch);
    if constexpr (AscendC::IsSameType<To, half>::value) out.quantPre = QuantMode_t::F322F16;
    if constexpr (AscendC::IsSameType<To, bfloat16_t>::value) out.quantPre = QuantMode_t::F322BF16;
    AscendC::Fixpipe(to, c, out);
  }

  const CubeProductTiling* tiling = nullptr;
  AscendC::GlobalTensor<In> gmA;
  AscendC::GlobalTensor<In> gmB;
  AscendC::GlobalTensor<In> gmBias;
  AscendC::GlobalTensor<Out> gmC;
  AscendC::TQue<AscendC::TPosition::A1, 2> queueA1;
  AscendC::TQue<AscendC::TPosition::B1, 2> queueB1;
  AscendC::TQue<AscendC::TPosition::C1, 1> queueBias;
  AscendC::TQue<AscendC::TPosition::A2, 2> queueA2;
  AscendC::TQue<AscendC::TPosition::B2, 2> queueB2;
  AscendC::TQue<AscendC::TPosition::CO1, 1> queueC;
  uint64_t pitchA = 0;
  uint64_t pitchB = 0;
  uint64_t placeA = 0;
  uint64_t placeB = 0;
  uint64_t row = 0;
  uint64_t column = 0;
  uint32_t m = 0;
  uint32_t n = 0;
  uint32_t upM = 0;
  uint32_t upN = 0;
  uint32_t mmadM = 0;
  bool oneRow = false;
  bool isFirst = true;
};

#endif  // CUBE_PRODUCT_H
