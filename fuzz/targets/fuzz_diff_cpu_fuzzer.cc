// SPDX-License-Identifier: Apache-2.0
// Generates a module from the input, runs it on this project's CPU engine, judges the result.
#include "fuzz/targets/in_process.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static auto* fuzz = new hlocts::fuzz::InProcessFuzz("cpu?isolation=none");
  fuzz->Diff(absl::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
