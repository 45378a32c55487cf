// Operators on whole tensors: `dst = src0 + src1`. An operator makes an expression, and assigning
// it to a tensor runs the instruction on as many elements as the destination has; of a comparison
// as many as src0 has, a bit each. Where the call stands is not known: operators take no hidden
// argument. SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_OPERATORS_H
#define BASCULE_ASCENDC_OPERATORS_H

#include "bascule_ascendc/compare.h"
#include "bascule_ascendc/vector.h"

BASCULE_PRIVATE_BEGIN
namespace bascule_ascendc {

template <typename T, typename Operation>
struct TensorExpression {
  using TensorExpressionTag = void;

  AscendC::LocalTensor<T> src0;
  AscendC::LocalTensor<T> src1;

  template <typename U>
  void Into(const AscendC::LocalTensor<U>& dst) const {
    Operation::Run(dst, src0, src1);
  }
};

constexpr Site kNoSite = Site(nullptr, 0);

#define BASCULE_OPERATION(name)                                                              \
  struct name##Operation {                                                                   \
    template <typename U, typename T>                                                        \
    static void Run(const AscendC::LocalTensor<U>& dst, const AscendC::LocalTensor<T>& src0, \
                    const AscendC::LocalTensor<T>& src1) {                                   \
      static_assert(std::is_same<U, T>::value,                                               \
                    #name ": source and destination have the same element type");            \
      AscendC::name(dst, src0, src1, static_cast<int32_t>(dst.GetSize()), kNoSite);          \
    }                                                                                        \
  };
BASCULE_OPERATION(Add)
BASCULE_OPERATION(Sub)
BASCULE_OPERATION(Mul)
BASCULE_OPERATION(Div)
BASCULE_OPERATION(And)
BASCULE_OPERATION(Or)
#undef BASCULE_OPERATION

template <AscendC::CMPMODE mode>
struct CompareOperation {
  template <typename U, typename T>
  static void Run(const AscendC::LocalTensor<U>& dst, const AscendC::LocalTensor<T>& src0,
                  const AscendC::LocalTensor<T>& src1) {
    AscendC::Compare(dst, src0, src1, mode, src0.GetSize(), kNoSite);
  }
};

}  // namespace bascule_ascendc
BASCULE_PRIVATE_END

BASCULE_ASCENDC_BEGIN

#define BASCULE_OPERATOR(op, Operation)                                                           \
  template <typename T>                                                                           \
  __aicore__ inline bascule_ascendc::TensorExpression<T, bascule_ascendc::Operation> operator op( \
      const LocalTensor<T>& src0, const LocalTensor<T>& src1) {                                   \
    return {src0, src1};                                                                          \
  }
BASCULE_OPERATOR(+, AddOperation)
BASCULE_OPERATOR(-, SubOperation)
BASCULE_OPERATOR(*, MulOperation)
BASCULE_OPERATOR(/, DivOperation)
BASCULE_OPERATOR(&, AndOperation)
BASCULE_OPERATOR(|, OrOperation)
BASCULE_OPERATOR(<, CompareOperation<CMPMODE::LT>)
BASCULE_OPERATOR(>, CompareOperation<CMPMODE::GT>)
BASCULE_OPERATOR(<=, CompareOperation<CMPMODE::LE>)
BASCULE_OPERATOR(>=, CompareOperation<CMPMODE::GE>)
BASCULE_OPERATOR(==, CompareOperation<CMPMODE::EQ>)
BASCULE_OPERATOR(!=, CompareOperation<CMPMODE::NE>)
#undef BASCULE_OPERATOR

BASCULE_ASCENDC_END

#endif  // BASCULE_ASCENDC_OPERATORS_H
