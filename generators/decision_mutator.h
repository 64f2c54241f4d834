// SPDX-License-Identifier: Apache-2.0
// Mutation of the decisions that make a module (ByteSource), along the borders of its instructions:
// every result is decisions of a valid module again. For libFuzzer, and behind a C ABI for other
// fuzzers.
#ifndef HLOCTS_GENERATORS_DECISION_MUTATOR_H_
#define HLOCTS_GENERATORS_DECISION_MUTATOR_H_

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "generators/module_generator.h"

namespace hlocts::generators {

// The first byte of an input draws the stream, the rest are the decisions of Generate.
Generated GenerateFromBytes(absl::string_view bytes, GeneratorOptions options);

// The offsets at which the decisions of each instruction begin, in order, nested ones included;
// then their end. The decisions of the plan precede the first.
std::vector<size_t> InstructionBorders(absl::string_view bytes);

// Makes one change: an instruction left out, repeated, moved or swapped with another; the rest cut
// off; random decisions appended; one decision changed, of the plan or of an instruction. At most
// `size_max` bytes.
std::string MutateDecisions(absl::string_view bytes, size_t size_max, uint64_t seed);
// The beginning of one and the end of the other, or some instructions of the other in between.
std::string CrossOverDecisions(absl::string_view first, absl::string_view second, size_t size_max,
                               uint64_t seed);

}  // namespace hlocts::generators

extern "C" {
#endif

// The same functions on a buffer of `size_max` bytes; they return the new size.
size_t hlocts_mutate_decisions(uint8_t* data, size_t size, size_t size_max, uint64_t seed);
size_t hlocts_cross_over_decisions(const uint8_t* first, size_t first_size, const uint8_t* second,
                                   size_t second_size, uint8_t* out, size_t size_max,
                                   uint64_t seed);

#ifdef __cplusplus
}
#endif

#endif  // HLOCTS_GENERATORS_DECISION_MUTATOR_H_
