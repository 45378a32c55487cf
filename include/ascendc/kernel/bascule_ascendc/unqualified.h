// Calls as `ReduceSum<float>(dst, …)` in code that does not open the namespace. C++17 takes the `<`
// for "less than" unless some template of that name is visible, though the function itself is found
// by its arguments; so here is one of each name, which fits no call. clang needs none of it.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_UNQUALIFIED_H
#define BASCULE_ASCENDC_UNQUALIFIED_H

namespace bascule_ascendc {
class Nobody;
}  // namespace bascule_ascendc

#define BASCULE_VISIBLE(name) \
  template <typename...>      \
  void name(bascule_ascendc::Nobody&);
// Names that kernels give to classes of their own, as Sort or Gather, stay free.
BASCULE_VISIBLE(Adds)
BASCULE_VISIBLE(Axpy)
BASCULE_VISIBLE(BlockReduceMax)
BASCULE_VISIBLE(BlockReduceMin)
BASCULE_VISIBLE(BlockReduceSum)
BASCULE_VISIBLE(Cast)
BASCULE_VISIBLE(CompareScalar)
BASCULE_VISIBLE(DataCopy)
BASCULE_VISIBLE(DataCopyPad)
BASCULE_VISIBLE(Duplicate)
BASCULE_VISIBLE(GatherMask)
BASCULE_VISIBLE(LeakyRelu)
BASCULE_VISIBLE(Maxs)
BASCULE_VISIBLE(Mins)
BASCULE_VISIBLE(MrgSort)
BASCULE_VISIBLE(Muls)
BASCULE_VISIBLE(PairReduceSum)
BASCULE_VISIBLE(ReduceMax)
BASCULE_VISIBLE(ReduceMin)
BASCULE_VISIBLE(ReduceSum)
BASCULE_VISIBLE(RepeatReduceSum)
BASCULE_VISIBLE(ShiftLeft)
BASCULE_VISIBLE(ShiftRight)
BASCULE_VISIBLE(WholeReduceMax)
BASCULE_VISIBLE(WholeReduceMin)
BASCULE_VISIBLE(WholeReduceSum)
#undef BASCULE_VISIBLE

#endif  // BASCULE_ASCENDC_UNQUALIFIED_H
