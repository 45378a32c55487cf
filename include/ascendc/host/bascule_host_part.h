// The part of a library that is the same in all of them: its operators as a table, for the
// generated part, and for the build's describe step. A source of its own: nobody else includes it.
//
// It takes longer to compile than an operator's host code, so the prefix has it compiled
// (lib/bascule/host_part.o), for builds with the compiler that made it.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_HOST_PART_H_
#define BASCULE_HOST_PART_H_

#include "bascule_host_describe.h"

extern "C" const BasculeOperatorDef* bascule_host_find(const char* type);
extern "C" int bascule_host_describe(int argc, char** argv);

const BasculeOperatorDef* bascule_host_find(const char* type) {
  return bascule_host::FindOperatorDef(type);
}

int bascule_host_describe(int argc, char** argv) { return bascule_host::DescribeMain(argc, argv); }

#endif  // BASCULE_HOST_PART_H_
