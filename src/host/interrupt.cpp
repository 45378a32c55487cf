// SPDX-License-Identifier: Apache-2.0
#include "bascule/interrupt.h"

#include "engine/interrupt.h"

void bascule_interrupt_watch() { bascule::engine::WatchInterrupts(); }

void bascule_interrupt() { bascule::engine::Interrupt(); }
