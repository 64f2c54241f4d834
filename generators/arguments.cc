// SPDX-License-Identifier: Apache-2.0
#include "generators/arguments.h"

#include <cmath>
#include <cstring>
#include <iterator>
#include <utility>

namespace hlocts::generators {
namespace {

constexpr absl::string_view kStyleNames[] = {"random",   "exact", "special",
                                             "all_bits", "wide",  "defined"};

// Returns the bits of the nearest number of the type, in the low BitWidth bits.
uint64_t FloatBits(PrimitiveType type, double value) {
  if (type == PrimitiveType::kF64) {
    uint64_t bits;
    std::memcpy(&bits, &value, sizeof(bits));
    return bits;
  }
  return EncodeFloat(FormatOf(type), value);
}

uint64_t RandomFloatBits(PrimitiveType type, SplitMix64& random) {
  uint64_t draw = random.Next();
  double fraction = 1 + static_cast<double>(draw >> 12) * 0x1p-52;
  int exponent = static_cast<int>(draw & 7) - 5;  // from -5 to 2: keeps sums and products moderate
  double value = std::ldexp(fraction, exponent);
  bool negative = FormatOf(type).has_sign && (draw & 8);
  return FloatBits(type, negative ? -value : value);
}

uint64_t ExactBits(PrimitiveType type, SplitMix64& random) {
  int64_t value = static_cast<int64_t>(random.Below(5)) - 2;
  if (type == PrimitiveType::kPred) return static_cast<uint64_t>(value & 1);
  if (IsFloat(type)) {
    if (!FormatOf(type).has_sign) return FloatBits(type, std::ldexp(1.0, static_cast<int>(value)));
    return FloatBits(type, static_cast<double>(value));
  }
  if (IsUnsigned(type)) value = static_cast<int64_t>(random.Below(3));
  return static_cast<uint64_t>(value) & BitMask(BitWidth(type));
}

uint64_t RandomBits(PrimitiveType type, SplitMix64& random) {
  if (IsFloat(type)) return RandomFloatBits(type, random);
  if (type == PrimitiveType::kPred) return random.Next() & 1;
  int64_t value = static_cast<int64_t>(random.Below(19)) - 9;
  if (IsUnsigned(type)) value = static_cast<int64_t>(random.Below(10));
  return static_cast<uint64_t>(value) & BitMask(BitWidth(type));
}

// Returns a number that is valid as a divisor and under a square root, and far from overflow.
uint64_t DefinedBits(PrimitiveType type, SplitMix64& random) {
  if (type == PrimitiveType::kPred) return random.Next() & 1;
  if (!IsFloat(type)) {
    int64_t most = IsSigned(type) && BitWidth(type) == 2 ? 1 : 3;
    return 1 + random.Below(static_cast<uint64_t>(most));
  }
  uint64_t draw = random.Next();
  double fraction = 1 + static_cast<double>(draw >> 12) * 0x1p-52;
  uint64_t bits = FloatBits(type, draw & 1 ? fraction / 2 : fraction);
  // Rounding may give 2, which is outside of the range; the next number below 2 is inside.
  return bits == FloatBits(type, 2.0) && FormatOf(type).mantissa_bits > 0 ? bits - 1 : bits;
}

uint64_t WideBits(PrimitiveType type, SplitMix64& random) {
  uint64_t bits = random.Next() & BitMask(BitWidth(type));
  if (type == PrimitiveType::kPred) return bits & 1;
  if (!IsFloat(type)) return bits;
  const FloatFormat& format = FormatOf(type);
  // Replaces a NaN or an infinity by the largest finite number.
  return IsNanBits(format, bits) || IsInfinityBits(format, bits) ? format.max_finite_bits() : bits;
}

std::vector<uint64_t> SpecialFloats(PrimitiveType type) {
  const FloatFormat& f = FormatOf(type);
  std::vector<uint64_t> values = {0, 1, f.max_finite_bits(), f.max_finite_bits() - 1};
  if (f.has_zero && f.mantissa_bits > 0) {
    uint64_t min_normal = uint64_t{1} << f.mantissa_bits;
    values.insert(values.end(), {min_normal - 1, min_normal, min_normal + 1, min_normal / 2});
  }
  for (double v : {1.0,  0.5,   1.5,        2.0,  2.5,  3.0,  0.1,  0.75, 1.0 / 3, 3.14159265358979,
                   10.0, 100.0, 0.49999998, 1e-3, 1e-5, 20.0, 88.8, 1e10, 65504.0, 1e30}) {
    uint64_t bits = FloatBits(type, v);
    if (!IsInfinityBits(f, bits) && !IsNanBits(f, bits)) values.push_back(bits);
  }
  if (f.mantissa_bits > 1) {
    uint64_t one = FloatBits(type, 1.0);
    values.insert(values.end(), {one + 1, one - 1});
  }
  if (f.has_infinity()) values.push_back(f.infinity_bits());
  if (f.has_sign) {
    size_t positive = values.size();
    for (size_t i = 0; i < positive; ++i) {
      if (values[i] != 0 || f.has_negative_zero()) values.push_back(values[i] | f.sign_mask());
    }
  }
  if (f.has_nan()) values.push_back(f.nan_bits());
  return values;
}

std::vector<uint64_t> SpecialIntegers(PrimitiveType type) {
  int bits = BitWidth(type);
  std::vector<uint64_t> values;
  for (int64_t v : {0, 1, -1, 2, -2, 3, 5, -5, 7, 10, 31, 32, 33, 63, 64, 100, -100}) {
    values.push_back(static_cast<uint64_t>(v) & BitMask(bits));
  }
  uint64_t top = uint64_t{1} << (bits - 1);
  for (uint64_t v : {top, top - 1, top + 1, BitMask(bits), BitMask(bits) - 1, top >> 1, top | 1}) {
    values.push_back(v & BitMask(bits));
  }
  return values;
}

std::vector<uint64_t> SpecialBits(PrimitiveType type) {
  if (type == PrimitiveType::kPred) return {0, 1};
  return IsFloat(type) ? SpecialFloats(type) : SpecialIntegers(type);
}

// Generates the bits of the components of one operand, in order.
class BitsSource {
 public:
  BitsSource(PrimitiveType component, uint64_t seed, size_t operand, ArgumentStyle style)
      : type_(component),
        style_(style),
        operand_(operand),
        random_(seed * 0x2545f4914f6cdd1d + operand + 1) {
    if (style == ArgumentStyle::kAllBits && BitWidth(component) > 16)
      style_ = ArgumentStyle::kSpecial;
    if (style_ == ArgumentStyle::kSpecial) special_ = SpecialBitsOf(component);
    // The value of operand 0 changes with every element, and the value of operand 1 after each
    // cycle of operand 0. All pairs of their values therefore occur.
    for (size_t i = 0; i < operand && i < 2; ++i) pace_ *= special_.empty() ? 1 : special_.size();
  }
  // Continues after the `values` values that each smaller seed used, so consecutive seeds together
  // use all values of the type. Special values are in a random order.
  void ContinueFrom(uint64_t seed, uint64_t values) {
    if (style_ == ArgumentStyle::kAllBits && values <= BitMask(BitWidth(type_)))
      count_ = seed * values;
    if (style_ != ArgumentStyle::kSpecial || values >= special_.size()) return;
    count_ = seed * values;
    dealt_ = true;
    Shuffle(count_);
  }
  uint64_t Next() {
    uint64_t n = count_++;
    if (dealt_) {
      if (n % special_.size() == 0) Shuffle(n);
      return special_[n % special_.size()];
    }
    switch (style_) {
      case ArgumentStyle::kExact:
        return ExactBits(type_, random_);
      case ArgumentStyle::kWide:
        return WideBits(type_, random_);
      case ArgumentStyle::kDefined:
        return DefinedBits(type_, random_);
      case ArgumentStyle::kSpecial:
        return special_[n / pace_ % special_.size()];
      case ArgumentStyle::kAllBits:
        return type_ == PrimitiveType::kPred ? n & 1 : n & BitMask(BitWidth(type_));
      case ArgumentStyle::kRandom:
        break;
    }
    return RandomBits(type_, random_);
  }

 private:
  // Draws an order of the special values for the round that contains the value with number `n`.
  void Shuffle(uint64_t n) {
    special_ = SpecialBitsOf(type_);
    SplitMix64 random(n / special_.size() * 0x2545f4914f6cdd1d + operand_ + 1);
    for (size_t i = special_.size(); i > 1; --i)
      std::swap(special_[i - 1], special_[random.Below(i)]);
  }

  PrimitiveType type_;
  ArgumentStyle style_;
  size_t operand_;
  bool dealt_ = false;
  SplitMix64 random_;
  std::vector<uint64_t> special_;
  uint64_t count_ = 0;
  uint64_t pace_ = 1;
};

Literal GenerateLeaf(const Shape& shape, uint64_t seed, size_t operand, ArgumentStyle style,
                     bool continued) {
  Literal literal(shape);
  if (!shape.IsArray()) return literal;
  PrimitiveType component = ComponentType(shape.element_type());
  BitsSource source(component, seed, operand, style);
  int64_t count = literal.element_count() * (IsComplex(shape.element_type()) ? 2 : 1);
  if (continued) source.ContinueFrom(seed, static_cast<uint64_t>(count));
  uint8_t* to = literal.mutable_raw_data();
  for (int64_t i = 0; i < count; ++i)
    StoreElementBits(component, source.Next(), to + i * StorageBytes(component));
  SplitMix64 sizes(seed ^ operand);
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (!shape.is_dynamic_dimension(d)) continue;
    literal.SetRuntimeSize(d, static_cast<int64_t>(sizes.Below(shape.dimension(d) + 1)));
  }
  return literal;
}

std::vector<Literal> GenerateLeaves(absl::Span<const Shape> leaves, uint64_t seed,
                                    ArgumentStyle style, bool continued) {
  std::vector<Literal> arguments;
  for (size_t i = 0; i < leaves.size(); ++i)
    arguments.push_back(GenerateLeaf(leaves[i], seed, i, style, continued));
  return arguments;
}

}  // namespace

void StoreElementBits(PrimitiveType type, uint64_t bits, uint8_t* to) {
  int width = BitWidth(type);
  if (IsSigned(type) && width < 8 && ((bits >> (width - 1)) & 1)) bits |= ~BitMask(width);
  std::memcpy(to, &bits, static_cast<size_t>(StorageBytes(type)));
}

const std::vector<uint64_t>& SpecialBitsOf(PrimitiveType type) {
  static const auto* const kTable = [] {
    auto* table = new std::vector<std::vector<uint64_t>>(64);
    for (PrimitiveType t : AllPrimitiveTypes()) {
      if (IsArrayType(t)) (*table)[static_cast<size_t>(t)] = SpecialBits(ComponentType(t));
    }
    return table;
  }();
  return (*kTable)[static_cast<size_t>(type)];
}

std::optional<ArgumentStyle> ArgumentStyleFromName(absl::string_view name) {
  for (size_t i = 0; i < std::size(kStyleNames); ++i) {
    if (kStyleNames[i] == name) return static_cast<ArgumentStyle>(i);
  }
  if (name == "edge") return ArgumentStyle::kSpecial;
  return std::nullopt;
}

std::vector<Literal> GenerateArguments(absl::Span<const Shape> leaves, uint64_t seed,
                                       ArgumentStyle style) {
  return GenerateLeaves(leaves, seed, style, /*continued=*/false);
}

std::vector<Literal> GenerateArgumentsInTurn(absl::Span<const Shape> leaves, uint64_t seed,
                                             ArgumentStyle style) {
  return GenerateLeaves(leaves, seed, style, /*continued=*/true);
}

}  // namespace hlocts::generators
