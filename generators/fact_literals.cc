#include "generators/fact_literals.h"

#include <cmath>
#include <cstring>
#include <numeric>

#include "spec/ir/float_format.h"

namespace hlocts {
namespace {

uint64_t NumberBits(PrimitiveType type, double value) {
  if (type == PrimitiveType::kF64) {
    uint64_t bits;
    std::memcpy(&bits, &value, sizeof(bits));
    return bits;
  }
  if (type == PrimitiveType::kF32 &&
      std::fabs(value) < 0x1p127) {  // most of all data; the same rounding
    float narrow = static_cast<float>(value);
    uint32_t bits;
    std::memcpy(&bits, &narrow, sizeof(bits));
    return bits;
  }
  if (type == PrimitiveType::kS32 && value >= -0x1p31 && value < 0x1p31) {
    return static_cast<uint64_t>(static_cast<int64_t>(value));
  }
  if (IsFloat(type)) return EncodeFloat(FormatOf(type), value, Overflow::kSaturate);
  ValueFacts whole = WholeRange(type);
  if (value >= 0x1p63)
    return value >= whole.high ? ~uint64_t{0} >> (IsSigned(type) ? 1 : 0)
                               : static_cast<uint64_t>(value);
  return static_cast<uint64_t>(static_cast<int64_t>(std::max(value, whole.low)));
}

double DrawNumber(PrimitiveType type, const ValueFacts& facts, SplitMix64& random) {
  bool whole_numbers = facts.integral || !IsFloat(type);
  double low = facts.low, high = facts.high;
  if (!whole_numbers)
    return low + (high - low) * (static_cast<double>(random.Next() >> 11) * 0x1p-53);
  low = std::ceil(low);
  high = std::floor(high);
  if (high - low >= 0x1p63) return low + std::ldexp(static_cast<double>(random.Next()), -1);
  return low + static_cast<double>(random.Below(static_cast<uint64_t>(high - low) + 1));
}

// Bits of one component after the other.
class ElementSource {
 public:
  ElementSource(PrimitiveType type, const ValueFacts& facts, bool special, SplitMix64& random)
      : type_(type), facts_(facts), random_(random) {
    ValueFacts whole = WholeRange(type);
    facts_.low = std::max(facts_.low, whole.low);
    facts_.high = std::min(facts_.high, whole.high);
    // Of 64 bits a double holds only the upper ones.
    all_bits_ = !special && IsInteger(type) && facts_.low == whole.low && facts_.high == whole.high;
    if (special) specials_ = &SpecialBitsOf(type);
    if (special && IsFloat(type)) facts_ = RangeFacts(std::max(whole.low, -4.0), 4);
    if (special && !IsFloat(type))
      facts_ = RangeFacts(std::max(whole.low, -9.0), std::min(whole.high, 9.0), true);
  }
  uint64_t Next() {
    if (specials_ && random_.Below(24) == 0) return AnyBits();
    if (specials_ && random_.Below(3) != 0) return (*specials_)[random_.Below(specials_->size())];
    if (all_bits_) return AnyBits();
    return NumberBits(type_, DrawNumber(type_, facts_, random_));
  }

 private:
  // Of an integer type any value; of a float type a quiet NaN of either sign with any payload,
  // where the format has such.
  uint64_t AnyBits() {
    uint64_t bits = random_.Next() >> (64 - BitWidth(type_));
    if (type_ == PrimitiveType::kPred) return bits & 1;
    if (!IsFloat(type_)) return bits;
    const FloatFormat& format = FormatOf(type_);
    if (!format.has_infinity() || format.mantissa_bits < 2) return bits;
    return (bits & (format.sign_mask() | ((uint64_t{1} << format.mantissa_bits) - 1))) |
           format.nan_bits();
  }

  PrimitiveType type_;
  ValueFacts facts_;
  SplitMix64& random_;
  const std::vector<uint64_t>* specials_ = nullptr;
  bool all_bits_ = false;
};

void DrawRuntimeSizes(const Shape& shape, SplitMix64& random, Literal& literal) {
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (!shape.is_dynamic_dimension(d)) continue;
    literal.SetRuntimeSize(
        d, static_cast<int64_t>(random.Below(static_cast<uint64_t>(shape.dimension(d)) + 1)));
  }
}

// 0, 1, 2, ... from facts.low on, in any order.
void FillUnique(PrimitiveType type, const ValueFacts& facts, SplitMix64& random, Literal& literal) {
  std::vector<int64_t> order(static_cast<size_t>(literal.element_count()));
  std::iota(order.begin(), order.end(), int64_t{0});
  for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.Below(i)]);
  double low = std::isfinite(facts.low) ? facts.low : 0;
  uint8_t* to = literal.mutable_raw_data();
  for (int64_t value : order) {
    StoreElementBits(type, NumberBits(type, low + static_cast<double>(value)), to);
    to += StorageBytes(type);
  }
}

}  // namespace

Literal ScalarLiteral(PrimitiveType type, double value) {
  Literal literal(Shape::Scalar(type));
  PrimitiveType component = ComponentType(type);
  uint64_t bits =
      std::isinf(value) && FormatOf(component).has_infinity()
          ? FormatOf(component).infinity_bits() | (value < 0 ? FormatOf(component).sign_mask() : 0)
          : NumberBits(component, value);
  StoreElementBits(component, bits, literal.mutable_raw_data());
  return literal;
}

Literal LiteralWithFacts(const Shape& shape, const ValueFacts& facts, bool special,
                         SplitMix64& random) {
  Literal literal(shape);
  if (!shape.IsArray()) return literal;
  DrawRuntimeSizes(shape, random, literal);
  if (literal.element_count() == 0) return literal;
  PrimitiveType component = ComponentType(shape.element_type());
  if (facts.unique) {
    FillUnique(component, facts, random, literal);
    return literal;
  }
  ElementSource source(component, facts, special, random);
  int64_t count = literal.element_count() * (IsComplex(shape.element_type()) ? 2 : 1);
  uint8_t* to = literal.mutable_raw_data();
  for (int64_t i = 0; i < count; ++i, to += StorageBytes(component)) {
    StoreElementBits(component, source.Next(), to);
  }
  return literal;
}

}  // namespace hlocts
