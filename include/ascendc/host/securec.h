// The bounds-checked memory functions host code of the toolkit uses: nothing is written when what
// is asked for does not fit. C and C++.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_SECUREC_H_
#define BASCULE_ASCENDC_SECUREC_H_

#include <errno.h>
#include <stddef.h>
#include <string.h>

#if !defined(__STDC_LIB_EXT1__)
typedef int errno_t;
#endif

#ifndef EOK
#define EOK 0
#endif

// EOK, or the reason: EINVAL for a null pointer, ERANGE where `count` is more than `dest_max`.
static inline errno_t memcpy_s(void* dest, size_t dest_max, const void* src, size_t count) {
  if (dest == NULL || src == NULL) return count == 0 ? EOK : EINVAL;
  if (count > dest_max) return ERANGE;
  memcpy(dest, src, count);
  return EOK;
}

static inline errno_t memmove_s(void* dest, size_t dest_max, const void* src, size_t count) {
  if (dest == NULL || src == NULL) return count == 0 ? EOK : EINVAL;
  if (count > dest_max) return ERANGE;
  memmove(dest, src, count);
  return EOK;
}

static inline errno_t memset_s(void* dest, size_t dest_max, int value, size_t count) {
  if (dest == NULL) return count == 0 ? EOK : EINVAL;
  if (count > dest_max) return ERANGE;
  memset(dest, value, count);
  return EOK;
}

#endif  // BASCULE_ASCENDC_SECUREC_H_
