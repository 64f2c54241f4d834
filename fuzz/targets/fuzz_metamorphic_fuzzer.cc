// SPDX-License-Identifier: Apache-2.0
// Decisions as a module and a metamorphic variant: the optimised CPU engine treats both alike, or
// within the acceptance rules.
#include "fuzz/targets/in_process.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static auto* fuzz = new hlocts::fuzz::InProcessFuzz("cpu?isolation=none");
  fuzz->Twins(absl::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}
