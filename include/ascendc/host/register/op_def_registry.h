// OP_ADD(MyMul): makes the operator defined by class MyMul part of the library.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_REGISTER_OP_DEF_REGISTRY_H_
#define BASCULE_ASCENDC_REGISTER_OP_DEF_REGISTRY_H_

#include <iostream>  // host code prints and leaves the header to this one

#include "register/op_def.h"

namespace bascule_host {

// One OP_ADD. Only noted while the library loads; the definition runs later, where what it throws
// can be caught and told.
struct AddedOperator {
  using Visitor = void (*)(ops::OpDef& definition, void* context);
  using Definer = void (*)(const char* type, Visitor visit, void* context);

  BASCULE_HIDDEN AddedOperator(const char* op_type, const char* op_file, int op_line,
                               Definer op_define)
      : type(op_type), file(op_file), line(op_line), define(op_define) {
    AddedOperator** place = &First();
    while (*place != nullptr) place = &(*place)->next;
    *place = this;
  }
  // The list of this library, in the order of loading.
  BASCULE_HIDDEN static AddedOperator*& First() {
    static AddedOperator* first = nullptr;
    return first;
  }

  const char* type;
  const char* file;
  int line;
  Definer define;
  AddedOperator* next = nullptr;
};

template <typename Definition>
BASCULE_HIDDEN inline void Define(const char* type, AddedOperator::Visitor visit, void* context) {
  Definition definition(type);
  visit(definition, context);
}

}  // namespace bascule_host

#define OP_ADD(op_type)                                                                   \
  [[maybe_unused]] static ::bascule_host::AddedOperator bascule_added_operator_##op_type( \
      #op_type, __FILE__, __LINE__, &::bascule_host::Define<op_type>)

#endif  // BASCULE_ASCENDC_REGISTER_OP_DEF_REGISTRY_H_
