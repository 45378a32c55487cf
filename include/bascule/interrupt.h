// Ends launches that the user does not want to wait for any more: what Ctrl-C is in Python.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_INTERRUPT_H_
#define BASCULE_INTERRUPT_H_

#include "bascule/c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

// From now on a launch that the calling thread begins can be interrupted. One thread of a process;
// it has to live as long as the process does.
BASCULE_EXPORT void bascule_interrupt_watch(void);

// Has the launch that the watched thread waits for at the moment end with a sentence, as soon as
// its kernels run code of their own; without one nothing happens. For signal handlers, which should
// block SIGURG.
BASCULE_EXPORT void bascule_interrupt(void);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // BASCULE_INTERRUPT_H_
