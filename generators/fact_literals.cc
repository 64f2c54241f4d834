// SPDX-License-Identifier: Apache-2.0
#include "generators/fact_literals.h"

#include <cmath>
#include <cstring>
#include <numeric>

#include "spec/ir/element_width.h"
#include "spec/ir/float_format.h"

namespace hlocts::generators {
namespace {

// Encodes numbers of one type. Properties of the type are computed only once.
class NumberEncoder {
 public:
  explicit NumberEncoder(PrimitiveType type)
      : type_(type),
        is_float_(IsFloat(type)),
        format_(is_float_ ? &FormatOf(type) : nullptr),
        whole_(WholeRange(type)),
        beyond_(~uint64_t{0} >> (IsSigned(type) ? 1 : 0)) {}

  uint64_t operator()(double value) const {
    if (type_ == PrimitiveType::kF64) return BitsAs<uint64_t>(value);
    if (type_ == PrimitiveType::kF32 &&
        std::fabs(value) < 0x1p127)  // the usual case, without the cost of EncodeFloat
      return BitsAs<uint32_t>(static_cast<float>(value));
    if (type_ == PrimitiveType::kS32 && value >= -0x1p31 && value < 0x1p31)
      return static_cast<uint64_t>(static_cast<int64_t>(value));
    if (is_float_) return EncodeFloat(*format_, value, Overflow::kSaturate);
    if (value >= 0x1p63) return value >= whole_.high ? beyond_ : static_cast<uint64_t>(value);
    return static_cast<uint64_t>(static_cast<int64_t>(std::max(value, whole_.low)));
  }

 private:
  template <typename Bits, typename Float>
  static uint64_t BitsAs(Float value) {
    Bits bits;
    std::memcpy(&bits, &value, sizeof(bits));
    return bits;
  }

  PrimitiveType type_;
  bool is_float_;
  const FloatFormat* format_;
  ValueFacts whole_;
  uint64_t beyond_;  // the result for numbers above 2^63 that the type cannot represent
};

// Computes SplitMix64::Below(bound) without dividing for each number.
class Below {
 public:
  explicit Below(uint64_t bound)
      : bound_(bound), reciprocal_(bound == 0 ? 0 : ~uint64_t{0} / bound) {}
  uint64_t operator()(SplitMix64& random) const {
    if (bound_ == 0) return 0;
    const uint64_t draw = random.Next();
    const auto product = static_cast<unsigned __int128>(draw) * reciprocal_;
    uint64_t rest = draw - static_cast<uint64_t>(product >> 64) * bound_;  // below 3 * bound_
    while (rest >= bound_) rest -= bound_;
    return rest;
  }

 private:
  uint64_t bound_, reciprocal_;
};

// Generates numbers of a type that satisfy the facts.
class NumberSource {
 public:
  NumberSource(PrimitiveType type, const ValueFacts& facts)
      : whole_numbers_(facts.integral || !IsFloat(type)),
        low_(whole_numbers_ ? std::ceil(facts.low) : facts.low),
        width_((whole_numbers_ ? std::floor(facts.high) : facts.high) - low_),
        below_(whole_numbers_ && width_ < 0x1p63 ? static_cast<uint64_t>(width_) + 1 : 0) {}

  double Next(SplitMix64& random) const {
    if (!whole_numbers_)
      return low_ + width_ * (static_cast<double>(random.Next() >> 11) * 0x1p-53);
    if (width_ >= 0x1p63) return low_ + std::ldexp(static_cast<double>(random.Next()), -1);
    return low_ + static_cast<double>(below_(random));
  }

 private:
  bool whole_numbers_;
  double low_, width_;
  Below below_;
};

// Restricts the facts to the range of the type. If `special`, returns a small range instead.
ValueFacts NarrowedFacts(PrimitiveType type, ValueFacts facts, bool special) {
  const ValueFacts whole = WholeRange(type);
  if (special && IsFloat(type)) return RangeFacts(std::max(whole.low, -4.0), 4);
  if (special) return RangeFacts(std::max(whole.low, -9.0), std::min(whole.high, 9.0), true);
  facts.low = std::max(facts.low, whole.low);
  facts.high = std::min(facts.high, whole.high);
  return facts;
}

// Generates the bits of consecutive components that satisfy the facts.
class ElementSource {
 public:
  ElementSource(PrimitiveType type, const ValueFacts& facts, bool special, SplitMix64& random)
      : type_(type),
        numbers_(type, NarrowedFacts(type, facts, special)),
        encode_(type),
        random_(random) {
    const ValueFacts whole = WholeRange(type);
    // True if the facts allow every integer of the type. AnyBits() then draws the integers, because
    // numbers drawn as doubles would not reach all 64-bit integers.
    all_bits_ = !special && IsInteger(type) && facts.low <= whole.low && facts.high >= whole.high;
    if (special) specials_ = &SpecialBitsOf(type);
  }
  uint64_t Next() {
    if (specials_ && random_.Below(24) == 0) return AnyBits();
    if (specials_ && random_.Below(3) != 0) return (*specials_)[random_.Below(specials_->size())];
    if (all_bits_) return AnyBits();
    return encode_(numbers_.Next(random_));
  }

 private:
  // Returns any value of an integer type, or of a float type without infinity. For other types,
  // returns a quiet NaN of either sign with any payload.
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
  NumberSource numbers_;
  NumberEncoder encode_;
  SplitMix64& random_;
  const std::vector<uint64_t>* specials_ = nullptr;
  bool all_bits_ = false;
};

template <typename Source>
void FillElements(PrimitiveType component, int64_t count, Source next, uint8_t* to) {
  auto fill = [&](auto code) {
    for (int64_t i = 0; i < count; ++i, to += sizeof(code)) {
      code = static_cast<decltype(code)>(next());
      std::memcpy(to, &code, sizeof(code));
    }
  };
  if (IsSubByte(component)) {
    for (int64_t i = 0; i < count; ++i) StoreElementBits(component, next(), to++);
    return;
  }
  VisitUnsigned(StorageBytes(component), fill);
}

void DrawRuntimeSizes(const Shape& shape, SplitMix64& random, Literal& literal) {
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (!shape.is_dynamic_dimension(d)) continue;
    literal.SetRuntimeSize(
        d, static_cast<int64_t>(random.Below(static_cast<uint64_t>(shape.dimension(d)) + 1)));
  }
}

// Writes facts.low, facts.low + 1, ... in random order.
void FillUnique(PrimitiveType type, const ValueFacts& facts, SplitMix64& random, Literal& literal) {
  std::vector<int64_t> order(static_cast<size_t>(literal.element_count()));
  std::iota(order.begin(), order.end(), int64_t{0});
  for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.Below(i)]);
  double low = std::isfinite(facts.low) ? facts.low : 0;
  const NumberEncoder encode(type);
  auto next = [&, at = order.begin()]() mutable {
    return encode(low + static_cast<double>(*at++));
  };
  FillElements(type, literal.element_count(), next, literal.mutable_raw_data());
}

}  // namespace

Literal ScalarLiteral(PrimitiveType type, double value) {
  Literal literal(Shape::Scalar(type));
  PrimitiveType component = ComponentType(type);
  uint64_t bits =
      std::isinf(value) && FormatOf(component).has_infinity()
          ? FormatOf(component).infinity_bits() | (value < 0 ? FormatOf(component).sign_mask() : 0)
          : NumberEncoder(component)(value);
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
  FillElements(
      component, count, [&] { return source.Next(); }, literal.mutable_raw_data());
  return literal;
}

}  // namespace hlocts::generators
