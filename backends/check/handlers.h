// SPDX-License-Identifier: Apache-2.0
// Passes handlers of typed custom calls from a client to the real plugin.
//
// A plugin cannot see the handlers in a framework's library, so the framework registers them here
// by HloctsCheckRegisterHandler. XLA rejects a handler that was compiled for a newer minor version
// of the foreign function interface (XLA_FFI) than the plugin's, and PJRT's FFI extension drops
// that error. A handler is therefore called through a function of this library. The function
// reports the version of the plugin, and gives the handler a table that also has an entry for each
// function that the plugin lacks. Such an entry returns the error UNIMPLEMENTED.
#pragma once

#include <cstdint>

#include "spec/pjrt/pjrt_abi.h"

namespace hlocts::check {

// Registers a handler, if the plugin has a function for it. Returns null, or a sentence that
// explains why the plugin cannot use the handler. If no plugin can use the handler, e.g. because it
// has several stages, the caller passes null; calls of the handler then fail with UNIMPLEMENTED.
// `traits` are those of XLA_FFI. Thread-safe.
const char* RegisterHandler(const PJRT_Api& real, const char* name, const char* platform,
                            void* handler, uint32_t traits);

}  // namespace hlocts::check
