// Which sanitizer this is compiled for; g++ and clang say it in different ways.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_BASE_SANITIZER_H_
#define BASCULE_BASE_SANITIZER_H_

#if defined(__SANITIZE_ADDRESS__)
#define BASCULE_ADDRESS_SANITIZER 1
#endif
#if defined(__SANITIZE_THREAD__)
#define BASCULE_THREAD_SANITIZER 1
#endif
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define BASCULE_ADDRESS_SANITIZER 1
#endif
#if __has_feature(thread_sanitizer)
#define BASCULE_THREAD_SANITIZER 1
#endif
#endif

#endif  // BASCULE_BASE_SANITIZER_H_
