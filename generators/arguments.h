// SPDX-License-Identifier: Apache-2.0
// Arguments for a module out of a seed: the same seed gives the same bits on every machine.
#ifndef HLOCTS_GENERATORS_ARGUMENTS_H_
#define HLOCTS_GENERATORS_ARGUMENTS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "spec/ir/literal.h"
#include "spec/ir/shape.h"

namespace hlocts::generators {

enum class ArgumentStyle : uint8_t {
  kRandom,   // floats spread over a few binades around 1, integers over -9..9, both signs
  kExact,    // small integers as every type can hold: sums and products of a few hundred stay exact
  kSpecial,  // the special values of the type in turn (NaN, infinities, zeros, subnormals,
             // extremes,
             // ...), each operand at another pace, so that pairs of values meet
  kAllBits,  // every bit pattern in turn, for types of at most 16 bits; then as kSpecial
  kWide,     // floats over the whole exponent range, integers over all bits
  kDefined,  // inside the domain of every operation: floats in [1/2, 2), integers 1 to 3
};
// "random", "exact", "special" (or "edge"), "all_bits", "wide", "defined".
std::optional<ArgumentStyle> ArgumentStyleFromName(absl::string_view name);

// One literal per leaf shape; tokens stay tokens. Dynamic dimensions get random run-time sizes.
std::vector<Literal> GenerateArguments(absl::Span<const Shape> leaves, uint64_t seed,
                                       ArgumentStyle style = ArgumentStyle::kRandom);

// The low `bits` bits are ones.
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
  // Uniform in [0, bound); 0 when bound is 0. The modulo bias of a 64-bit draw is of no concern
  // here.
  uint64_t Below(uint64_t bound) { return bound == 0 ? 0 : Next() % bound; }

 private:
  uint64_t state_;
};

// The special values of an element type, as codes in the low BitWidth bits; for a complex type
// those of its components.
const std::vector<uint64_t>& SpecialBitsOf(PrimitiveType type);
// Stores a code as Literal keeps it: sub-byte integers extended to a byte.
void StoreElementBits(PrimitiveType type, uint64_t bits, uint8_t* to);

}  // namespace hlocts::generators

#endif  // HLOCTS_GENERATORS_ARGUMENTS_H_
