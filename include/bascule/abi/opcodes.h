// Every instruction a kernel can issue, one line each: identifier, number, the name users know.
//
// Append-only, in ascending order: kernels carry these numbers. What an instruction computes, on
// which pipe and for which element types is a row in src/isa; a test compares the two lists.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ABI_OPCODES_H_
#define BASCULE_ABI_OPCODES_H_

// clang-format off
#define BASCULE_OPCODES(X)            \
  X(kDataCopy, 1, "DataCopy")         \
  X(kDataCopyPad, 2, "DataCopyPad")   \
  X(kMul, 3, "Mul")                   \
  X(kAdd, 4, "Add")                   \
  X(kSub, 5, "Sub")                   \
  X(kDiv, 6, "Div")                   \
  X(kMax, 7, "Max")                   \
  X(kMin, 8, "Min")                   \
  X(kAnd, 9, "And")                   \
  X(kOr, 10, "Or")                    \
  X(kAddRelu, 11, "AddRelu")          \
  X(kSubRelu, 12, "SubRelu")          \
  X(kMulAddDst, 13, "MulAddDst")      \
  X(kFusedMulAdd, 14, "FusedMulAdd")  \
  X(kMulAddRelu, 15, "MulAddRelu")    \
  X(kAdds, 16, "Adds")                \
  X(kMuls, 17, "Muls")                \
  X(kMaxs, 18, "Maxs")                \
  X(kMins, 19, "Mins")                \
  X(kLeakyRelu, 20, "LeakyRelu")      \
  X(kAxpy, 21, "Axpy")                \
  X(kShiftLeft, 22, "ShiftLeft")      \
  X(kShiftRight, 23, "ShiftRight")    \
  X(kAbs, 24, "Abs")                  \
  X(kRelu, 25, "Relu")                \
  X(kSqrt, 26, "Sqrt")                \
  X(kRsqrt, 27, "Rsqrt")              \
  X(kReciprocal, 28, "Reciprocal")    \
  X(kNot, 29, "Not")                  \
  X(kCast, 40, "Cast")                \
  X(kExp, 41, "Exp")                  \
  X(kLn, 42, "Ln")                    \
  X(kLog, 43, "Log")                  \
  X(kLog2, 44, "Log2")                \
  X(kLog10, 45, "Log10")              \
  X(kSin, 46, "Sin")                  \
  X(kCos, 47, "Cos")                  \
  X(kTan, 48, "Tan")                  \
  X(kAsin, 49, "Asin")                \
  X(kAcos, 50, "Acos")                \
  X(kAtan, 51, "Atan")                \
  X(kSinh, 52, "Sinh")                \
  X(kCosh, 53, "Cosh")                \
  X(kTanh, 54, "Tanh")                \
  X(kAsinh, 55, "Asinh")              \
  X(kAcosh, 56, "Acosh")              \
  X(kAtanh, 57, "Atanh")              \
  X(kErf, 58, "Erf")                  \
  X(kErfc, 59, "Erfc")                \
  X(kPower, 60, "Power")              \
  X(kPowerOfTensor, 61, "PowerOfTensor")\
  X(kPowerOfScalar, 62, "PowerOfScalar")\
  X(kFloor, 63, "Floor")              \
  X(kCeil, 64, "Ceil")                \
  X(kTrunc, 65, "Trunc")              \
  X(kRound, 66, "Round")              \
  X(kFrac, 67, "Frac")                \
  X(kSign, 68, "Sign")                \
  X(kSigmoid, 69, "Sigmoid")          \
  X(kSilu, 70, "Silu")                \
  X(kSwish, 71, "Swish")              \
  X(kGelu, 72, "Gelu")                \
  X(kFasterGelu, 73, "FasterGelu")    \
  X(kFasterGeluV2, 94, "FasterGeluV2") \
  X(kGeGLU, 95, "GeGLU")              \
  X(kSwiGLU, 96, "SwiGLU")            \
  X(kReGlu, 97, "ReGlu")              \
  X(kDuplicate, 100, "Duplicate")     \
  X(kCreateVecIndex, 101, "CreateVecIndex") \
  X(kArange, 102, "Arange")           \
  X(kBrcb, 103, "Brcb")               \
  X(kCopy, 104, "Copy")               \
  X(kCompare, 110, "Compare")         \
  X(kCompares, 111, "Compares")       \
  X(kGetCmpMask, 112, "GetCmpMask")   \
  X(kSetCmpMask, 113, "SetCmpMask")   \
  X(kSelect, 114, "Select")           \
  X(kGatherMask, 115, "GatherMask")   \
  X(kReduceRepeat, 120, "ReduceRepeat") \
  X(kReduceDataBlock, 121, "ReduceDataBlock") \
  X(kReducePairElem, 122, "ReducePairElem") \
  X(kReduceSum, 123, "ReduceSum")     \
  X(kReduceMax, 124, "ReduceMax")     \
  X(kReduceMin, 125, "ReduceMin")     \
  X(kGather, 130, "Gather")           \
  X(kGatherb, 131, "Gatherb")         \
  X(kSort32, 132, "Sort32")           \
  X(kMrgSort, 133, "MrgSort")         \
  X(kSort, 134, "Sort")               \
  X(kExtract, 135, "Extract")         \
  X(kTranspose, 136, "Transpose")     \
  X(kTransDataTo5HD, 137, "TransDataTo5HD") \
  X(kNd2Nz, 138, "DataCopy (ND to NZ)") \
  X(kNz2Nd, 139, "DataCopy (NZ to ND)") \
  X(kAddReluCast, 140, "AddReluCast") \
  X(kSubReluCast, 141, "SubReluCast") \
  X(kMulCast, 142, "MulCast")         \
  X(kShiftRightRounded, 143, "ShiftRight (rounded)") \
  X(kAddDeqRelu, 144, "AddDeqRelu")   \
  X(kCastDequant, 145, "CastDequant") \
  X(kFill, 146, "Fill") \
  X(kXor, 160, "Xor")                 \
  X(kFmod, 161, "Fmod")               \
  X(kClampMax, 162, "ClampMax")       \
  X(kClampMin, 163, "ClampMin")       \
  X(kLgamma, 164, "Lgamma")           \
  X(kDigamma, 165, "Digamma")         \
  X(kAxpyOfLibrary, 166, "Axpy with sharedTmpBuffer") \
  X(kCumSum, 167, "CumSum")           \
  X(kSum, 170, "Sum")                 \
  X(kMean, 171, "Mean")               \
  X(kReduceSumOfAxis, 172, "ReduceSum of an axis") \
  X(kReduceMaxOfAxis, 173, "ReduceMax of an axis") \
  X(kReduceMinOfAxis, 174, "ReduceMin of an axis") \
  X(kReduceMean, 175, "ReduceMean")   \
  X(kReduceProd, 176, "ReduceProd")   \
  X(kReduceAny, 177, "ReduceAny")     \
  X(kReduceAll, 178, "ReduceAll")     \
  X(kReduceXorSum, 179, "ReduceXorSum") \
  X(kBroadcast, 180, "Broadcast")     \
  X(kConfusionTranspose, 181, "Transpose with tiling") \
  X(kTransData, 182, "TransData")     \
  X(kPad, 183, "Pad")                 \
  X(kUnPad, 184, "UnPad")             \
  X(kSelectWithBytesMask, 185, "Select with a mask of bytes") \
  X(kDropOut, 186, "DropOut")         \
  X(kTopK, 187, "TopK")               \
  X(kTopKFinish, 188, "TopK of finished rows") \
  X(kAscendQuant, 190, "AscendQuant") \
  X(kAscendDequant, 191, "AscendDequant") \
  X(kAscendAntiQuant, 192, "AscendAntiQuant") \
  X(kSoftMax, 200, "SoftMax")         \
  X(kLogSoftMax, 201, "LogSoftMax")   \
  X(kSimpleSoftMax, 202, "SimpleSoftMax") \
  X(kSoftmaxFlash, 203, "SoftmaxFlash") \
  X(kSoftmaxFlashV2, 204, "SoftmaxFlashV2") \
  X(kSoftmaxFlashV3, 205, "SoftmaxFlashV3") \
  X(kSoftmaxGrad, 206, "SoftmaxGrad") \
  X(kSoftmaxGradFront, 207, "SoftmaxGradFront") \
  X(kAdjustSoftMaxRes, 208, "AdjustSoftMaxRes") \
  X(kLayerNorm, 210, "LayerNorm")     \
  X(kDeepNorm, 211, "DeepNorm")       \
  X(kRmsNorm, 212, "RmsNorm")         \
  X(kNormalize, 213, "Normalize")     \
  X(kLayerNormGrad, 214, "LayerNormGrad") \
  X(kLayerNormGradBeta, 215, "LayerNormGradBeta") \
  X(kBatchNorm, 216, "BatchNorm")     \
  X(kGroupNorm, 217, "GroupNorm")     \
  X(kWelfordUpdate, 218, "WelfordUpdate") \
  X(kWelfordFinalize, 219, "WelfordFinalize") \
  X(kLoadData, 230, "LoadData")       \
  X(kLoadDataWithTranspose, 231, "LoadDataWithTranspose") \
  X(kMmad, 232, "Mmad")               \
  X(kFixpipe, 233, "Fixpipe") \
  X(kLoadDataImage, 234, "LoadData of an image") \
  X(kInitConst, 235, "Fill of L1, L0A or L0B") \
  X(kLoadDataSparse, 236, "LoadDataWithSparse") \
  X(kCopyBias, 237, "DataCopy to the bias table, converting")
// clang-format on

#define BASCULE_OPCODE_ENUMERATOR(id, number, text) BASCULE_OPCODE_##id = number,
enum { BASCULE_OPCODE_none = 0, BASCULE_OPCODES(BASCULE_OPCODE_ENUMERATOR) BASCULE_OPCODE_limit };
#undef BASCULE_OPCODE_ENUMERATOR

#endif  // BASCULE_ABI_OPCODES_H_
