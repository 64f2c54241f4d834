// SPDX-License-Identifier: Apache-2.0
// Generates a module and a metamorphic variant from the input. For both, this project's CPU engine
// must return equal values, or values within the acceptance sets.
#include "fuzz/targets/in_process.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static auto* fuzz = new hlocts::fuzz::InProcessFuzz("cpu?isolation=none");
  fuzz->Variants(absl::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
