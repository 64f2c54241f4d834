// Decisions as a module and a twin of it: the optimised CPU engine treats both alike, or within the law.
#include "fuzz/in_process.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static auto* fuzz = new hlocts::InProcessFuzz("cpu?isolation=none");
  fuzz->Twins(absl::string_view(reinterpret_cast<const char*>(data), size));
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t size_max, unsigned seed) {
  return hlocts_mutate_decisions(data, size, size_max, seed);
}

extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t* first, size_t first_size, const uint8_t* second,
                                            size_t second_size, uint8_t* out, size_t size_max, unsigned seed) {
  return hlocts_cross_over_decisions(first, first_size, second, second_size, out, size_max, seed);
}
