// One device, which is host memory: what the acl headers and `<<<>>>` call.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_HOST_ACL_H_
#define BASCULE_HOST_ACL_H_

#include <functional>

#include "bascule/abi/acl.h"
#include "host/device_memory.h"

namespace bascule::host {

const BasculeAclApi& AclApi();

// Runs the kernel before it returns. Throws nothing; an error becomes the stream's.
void LaunchOnStream(const BasculeLaunch* launch);

// Streams for callers that want errors as exceptions: Error, in the words of `call`.
void* MakeStream();
void DropStream(void* handle, const char* call);
// Throws the stream's error, when it has one.
void Synchronize(void* handle, const char* call);

// Runs `now()` in its turn on a stream, or records what `later()` gives, which has to own what it
// uses, when the stream is captured. A failure of a kernel becomes the stream's; everything else is
// thrown, and so is the error that a stream has already.
void RunOnStream(void* handle, const char* call, const std::function<void()>& now,
                 const std::function<std::function<void()>()>& later);

// What aclrtMalloc gave.
const DeviceMemory& TheDeviceMemory();

}  // namespace bascule::host

#endif  // BASCULE_HOST_ACL_H_
