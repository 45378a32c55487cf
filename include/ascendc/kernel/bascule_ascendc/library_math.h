// Elementwise functions of the library beside those of math.h: remainders, limits, differing bits,
// the gamma function and Axpy. Their forms are F(dst, sources[, sharedTmpBuffer][, scalar],
// calCount), and without calCount, where that is documented, for the whole source.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_LIBRARY_MATH_H
#define BASCULE_ASCENDC_LIBRARY_MATH_H

#include "bascule_ascendc/library_call.h"

BASCULE_ASCENDC_BEGIN

constexpr uint32_t FMOD_ITERATION_NUM_MAX = 11;
enum class FmodAlgo { NORMAL = 0, ITERATION_COMPENSATION = 1 };
// Says nothing here: remainders are exact.
struct FmodConfig {
  FmodAlgo algo = FmodAlgo::NORMAL;
  uint32_t iterationNum = FMOD_ITERATION_NUM_MAX;
};

BASCULE_ASCENDC_END

BASCULE_PRIVATE_BEGIN
BASCULE_ASCENDC_BEGIN
inline constexpr FmodConfig DEFAULT_FMOD_CONFIG{};
BASCULE_ASCENDC_END

namespace bascule_ascendc {

template <typename T>
VectorCall<T> LibraryCall(uint16_t opcode, const AscendC::LocalTensor<T>& dst,
                          const AscendC::LocalTensor<T>& src, const Site& site) {
  VectorCall<T> call(opcode, dst, site);
  call.Source(src);
  return call;
}

}  // namespace bascule_ascendc
BASCULE_PRIVATE_END

BASCULE_ASCENDC_BEGIN

#define BASCULE_UNPACK(...) __VA_ARGS__
#define BASCULE_OF_TWO(name, parameters, ...)                                                      \
  template <BASCULE_UNPACK parameters>                                                             \
  __aicore__ inline void name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor,   \
                              const LocalTensor<T>& src1Tensor,                                    \
                              const LocalTensor<uint8_t>& sharedTmpBuffer,                         \
                              const uint32_t calCount, bascule_ascendc::Site site = {}) {          \
    BASCULE_SUPPORTED(name, __VA_ARGS__);                                                          \
    bascule_ascendc::Temporary(#name, sharedTmpBuffer, site);                                      \
    bascule_ascendc::LibraryCall(BASCULE_OPCODE_k##name, dstTensor, src0Tensor, site)              \
        .Source(src1Tensor)                                                                        \
        .Count(static_cast<int32_t>(calCount));                                                    \
  }                                                                                                \
  template <BASCULE_UNPACK parameters>                                                             \
  __aicore__ inline void name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor,   \
                              const LocalTensor<T>& src1Tensor,                                    \
                              const LocalTensor<uint8_t>& sharedTmpBuffer,                         \
                              bascule_ascendc::Site site = {}) {                                   \
    BASCULE_SUPPORTED(name, __VA_ARGS__);                                                          \
    bascule_ascendc::Temporary(#name, sharedTmpBuffer, site);                                      \
    bascule_ascendc::LibraryCall(BASCULE_OPCODE_k##name, dstTensor, src0Tensor, site)              \
        .Source(src1Tensor)                                                                        \
        .Count(static_cast<int32_t>(src0Tensor.GetSize()));                                        \
  }                                                                                                \
  template <BASCULE_UNPACK parameters>                                                             \
  __aicore__ inline void name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor,   \
                              const LocalTensor<T>& src1Tensor, const uint32_t calCount,           \
                              bascule_ascendc::Site site = {}) {                                   \
    BASCULE_SUPPORTED(name, __VA_ARGS__);                                                          \
    bascule_ascendc::LibraryCall(BASCULE_OPCODE_k##name, dstTensor, src0Tensor, site)              \
        .Source(src1Tensor)                                                                        \
        .Count(static_cast<int32_t>(calCount));                                                    \
  }                                                                                                \
  template <BASCULE_UNPACK parameters>                                                             \
  __aicore__ inline void name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& src0Tensor,   \
                              const LocalTensor<T>& src1Tensor, bascule_ascendc::Site site = {}) { \
    BASCULE_SUPPORTED(name, __VA_ARGS__);                                                          \
    bascule_ascendc::LibraryCall(BASCULE_OPCODE_k##name, dstTensor, src0Tensor, site)              \
        .Source(src1Tensor)                                                                        \
        .Count(static_cast<int32_t>(src0Tensor.GetSize()));                                        \
  }
// The remainder of src0 / src1 with the sign of src0; the bits in which the sources differ.
BASCULE_OF_TWO(Fmod,
               (typename T, bool isReuseSource = false,
                const FmodConfig& config = DEFAULT_FMOD_CONFIG),
               half, float)
BASCULE_OF_TWO(Xor, (typename T, bool isReuseSource = false), int16_t, uint16_t)
#undef BASCULE_OF_TWO

// What is larger than the scalar becomes the scalar, or what is smaller; NaN stays.
#define BASCULE_CLAMP(name)                                                                     \
  template <typename T, bool isReuseSource = false>                                             \
  __aicore__ inline void name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, \
                              const LocalTensor<uint8_t>& sharedTmpBuffer,                      \
                              const bascule_ascendc::NotDeduced<T> scalar,                      \
                              const uint32_t calCount, bascule_ascendc::Site site = {}) {       \
    BASCULE_SUPPORTED(name, half, float);                                                       \
    bascule_ascendc::Temporary(#name, sharedTmpBuffer, site);                                   \
    bascule_ascendc::LibraryCall(BASCULE_OPCODE_k##name, dstTensor, srcTensor, site)            \
        .Scalar(scalar)                                                                         \
        .Count(static_cast<int32_t>(calCount));                                                 \
  }                                                                                             \
  template <typename T, bool isReuseSource = false>                                             \
  __aicore__ inline void name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, \
                              const bascule_ascendc::NotDeduced<T> scalar,                      \
                              const uint32_t calCount, bascule_ascendc::Site site = {}) {       \
    BASCULE_SUPPORTED(name, half, float);                                                       \
    bascule_ascendc::LibraryCall(BASCULE_OPCODE_k##name, dstTensor, srcTensor, site)            \
        .Scalar(scalar)                                                                         \
        .Count(static_cast<int32_t>(calCount));                                                 \
  }
BASCULE_CLAMP(ClampMax)
BASCULE_CLAMP(ClampMin)
#undef BASCULE_CLAMP

// The logarithm of the gamma function's magnitude, and the derivative of its logarithm.
#define BASCULE_GAMMA(name)                                                                     \
  template <typename T, bool isReuseSource = false>                                             \
  __aicore__ inline void name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, \
                              const LocalTensor<uint8_t>& sharedTmpBuffer,                      \
                              const uint32_t calCount, bascule_ascendc::Site site = {}) {       \
    BASCULE_SUPPORTED(name, half, float);                                                       \
    bascule_ascendc::Temporary(#name, sharedTmpBuffer, site);                                   \
    bascule_ascendc::LibraryCall(BASCULE_OPCODE_k##name, dstTensor, srcTensor, site)            \
        .Count(static_cast<int32_t>(calCount));                                                 \
  }                                                                                             \
  template <typename T, bool isReuseSource = false>                                             \
  __aicore__ inline void name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, \
                              const uint32_t calCount, bascule_ascendc::Site site = {}) {       \
    BASCULE_SUPPORTED(name, half, float);                                                       \
    bascule_ascendc::LibraryCall(BASCULE_OPCODE_k##name, dstTensor, srcTensor, site)            \
        .Count(static_cast<int32_t>(calCount));                                                 \
  }
BASCULE_GAMMA(Lgamma)
BASCULE_GAMMA(Digamma)
#undef BASCULE_GAMMA
#undef BASCULE_UNPACK

// dst plus the product of src and scalar, which is rounded first. Halves may be added to floats;
// they are widened before they are multiplied.
template <typename T, typename U, bool isReuseSource = false>
__aicore__ inline void Axpy(const LocalTensor<T>& dstTensor, const LocalTensor<U>& srcTensor,
                            const bascule_ascendc::NotDeduced<U> scalarValue,
                            const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t calCount,
                            bascule_ascendc::Site site = {}) {
  BASCULE_SUPPORTED(Axpy, half, float);
  static_assert(std::is_same_v<T, U> || (std::is_same_v<T, float> && std::is_same_v<U, half>),
                "Axpy: the source is of the destination's type, or half for a float destination");
  bascule_ascendc::Temporary("Axpy", sharedTmpBuffer, site);
  bascule_ascendc::VectorCall<T>(BASCULE_OPCODE_kAxpyOfLibrary, dstTensor, site)
      .Source(srcTensor)
      .Scalar(scalarValue)
      .Count(static_cast<int32_t>(calCount));
}

BASCULE_ASCENDC_END

#endif  // BASCULE_ASCENDC_LIBRARY_MATH_H
