// SPDX-License-Identifier: Apache-2.0
// Generates arguments from a seed. The same seed yields the same bits on every machine.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "spec/ir/literal.h"
#include "spec/ir/shape.h"

namespace hlocts::generators {

enum class ArgumentStyle : uint8_t {
  kRandom,  // floats within a few binades around 1, integers from -9 to 9, both signs
  kExact,   // integers from -2 to 2, for which sums and products remain exact
  // The special values of the type in turn: NaN, infinities, zeros, subnormals, extremes, ... The
  // first two operands change at different rates, so that all pairs of their values occur.
  kSpecial,
  kAllBits,  // every bit pattern in turn for types of at most 16 bits, else like kSpecial
  kWide,     // floats over the whole exponent range, integers of any bits
  kDefined,  // in the domain of every operation: floats in [1/2, 2), integers 1 to 3
};
// Parses "random", "exact", "special" (or "edge"), "all_bits", "wide" or "defined".
std::optional<ArgumentStyle> ArgumentStyleFromName(absl::string_view name);

// Returns one literal per leaf shape; a token has no data. Dynamic dimensions get random sizes.
std::vector<Literal> GenerateArguments(absl::Span<const Shape> leaves, uint64_t seed,
                                       ArgumentStyle style = ArgumentStyle::kRandom);

// Like GenerateArguments, for a search over seeds: an array with fewer elements than the type has
// special values (kAllBits: bit patterns) continues after those of the previous seed. The cases of
// suites use GenerateArguments, because the digests in the cases depend on its values.
std::vector<Literal> GenerateArgumentsInTurn(absl::Span<const Shape> leaves, uint64_t seed,
                                             ArgumentStyle style);

constexpr uint64_t BitMask(int bits) {
  return bits >= 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
}

// splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014).
class SplitMix64 {
 public:
  explicit SplitMix64(uint64_t seed) : state_(seed) {}
  uint64_t Next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  // Returns a number in [0, bound), or 0 if bound is 0. The bias of the remainder is negligible.
  uint64_t Below(uint64_t bound) { return bound == 0 ? 0 : Next() % bound; }

 private:
  uint64_t state_;
};

// Returns the special values of an element type, or of the components of a complex type, each in
// the low BitWidth bits.
const std::vector<uint64_t>& SpecialBitsOf(PrimitiveType type);
// Stores an element in the form that a Literal has: sub-byte integers are extended to a byte.
void StoreElementBits(PrimitiveType type, uint64_t bits, uint8_t* to);

}  // namespace hlocts::generators
