// SPDX-License-Identifier: Apache-2.0
// Mutates the decisions that generate a module (ByteSource) at instruction boundaries. The result
// also yields a valid module. libFuzzer calls the C++ functions; other fuzzers use a C ABI.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "generators/module_generator.h"

namespace hlocts::generators {

// Generates a module. The first byte selects the stream, the other bytes are the decisions.
Generated GenerateFromBytes(absl::string_view bytes, GeneratorOptions options);

// Returns, in order, the offset of the decisions of each (also nested) instruction, and last the
// offset of the end of all decisions. The decisions of the plan precede the first offset.
std::vector<size_t> InstructionBoundaries(absl::string_view bytes);

// Returns the input with one change and at most `size_max` bytes. A change removes, repeats,
// inserts or swaps instructions, truncates the input, appends random decisions, or changes one byte
// of the plan or of an instruction.
std::string MutateDecisions(absl::string_view bytes, size_t size_max, uint64_t seed);
// Returns `first` with its end replaced by the end of `second`, or with instructions of `second`
// inserted.
std::string CrossOverDecisions(absl::string_view first, absl::string_view second, size_t size_max,
                               uint64_t seed);

}  // namespace hlocts::generators

extern "C" {
#endif

// The C functions modify or write a buffer of `size_max` bytes and return the new size.
size_t hlocts_mutate_decisions(uint8_t* data, size_t size, size_t size_max, uint64_t seed);
size_t hlocts_cross_over_decisions(const uint8_t* first, size_t first_size, const uint8_t* second,
                                   size_t second_size, uint8_t* out, size_t size_max,
                                   uint64_t seed);

#ifdef __cplusplus
}
#endif
