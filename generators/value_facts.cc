// SPDX-License-Identifier: Apache-2.0
#include "generators/value_facts.h"

#include <array>
#include <cmath>

#include "spec/ir/float_format.h"

namespace hlocts::generators {
namespace {

struct TypeLimits {
  double low = 0, high = 0, magnitude = 0, exact = 0;
};

TypeLimits FloatLimits(PrimitiveType type) {
  const FloatFormat& format = FormatOf(type);
  double largest = format.max_finite();
  return {.low = format.has_sign ? -largest : format.min_normal(),
          .high = largest,
          .magnitude = std::min(std::sqrt(largest), 1e6),
          .exact = std::min(std::ldexp(1.0, format.precision()), largest)};
}

TypeLimits LimitsOf(PrimitiveType type) {
  if (type == PrimitiveType::kPred) return {0, 1, 1, 1};
  if (IsFloat(type)) return FloatLimits(type);
  if (IsComplex(type)) return FloatLimits(ComponentType(type));
  double top = std::ldexp(1.0, BitWidth(type) - (IsSigned(type) ? 1 : 0));
  return {IsSigned(type) ? -top : 0, top - 1, top - 1, top - 1};
}

const TypeLimits& Limits(PrimitiveType type) {
  static const auto* const kTable = [] {
    auto* table = new std::array<TypeLimits, 64>();
    for (PrimitiveType t : AllPrimitiveTypes()) {
      if (IsArrayType(t)) (*table)[static_cast<size_t>(t)] = LimitsOf(t);
    }
    return table;
  }();
  return (*kTable)[static_cast<size_t>(type)];
}

}  // namespace

ValueFacts Join(const ValueFacts& a, const ValueFacts& b) {
  return {.low = std::min(a.low, b.low),
          .high = std::max(a.high, b.high),
          .integral = a.integral && b.integral,
          .bits_known = a.bits_known && b.bits_known,
          .opaque = a.opaque || b.opaque};
}

ValueFacts WholeRange(PrimitiveType type) {
  const TypeLimits& limits = Limits(type);
  return RangeFacts(limits.low, limits.high, !IsFloat(type) && !IsComplex(type));
}

double NearestOf(PrimitiveType type, double value) {
  if (IsComplex(type)) type = ComponentType(type);
  if (std::isinf(value)) return value;
  if (!IsFloat(type)) return std::trunc(value);
  if (type == PrimitiveType::kF64) return value;
  const FloatFormat& format = FormatOf(type);
  return DecodeFloat(format, EncodeFloat(format, value, Overflow::kSaturate));
}

double AtLeast(PrimitiveType type, double value) {
  if (IsComplex(type)) type = ComponentType(type);
  if (std::isinf(value)) return value;
  if (!IsFloat(type)) return std::ceil(value);
  const FloatFormat& format = FormatOf(type);
  if (value > 0 && value < format.min_normal()) return format.min_normal();
  if (value < 0 && value > -format.min_normal()) return 0;
  const double nearest = NearestOf(type, value);
  if (nearest >= value) return nearest;
  return value > format.max_finite()
             ? std::numeric_limits<double>::infinity()
             : nearest + std::ldexp(1.0, std::ilogb(nearest) - format.mantissa_bits);
}

double AtMost(PrimitiveType type, double value) { return -AtLeast(type, -value); }

ValueFacts Rounded(PrimitiveType type, ValueFacts facts) {
  if (!IsFloat(type) && !IsComplex(type)) return facts;
  const double least = FormatOf(ComponentType(type)).min_normal();
  facts.low = facts.low > 0 && facts.low < least ? 0 : AtMost(type, facts.low);
  facts.high = facts.high < 0 && facts.high > -least ? 0 : AtLeast(type, facts.high);
  return facts;
}

double MagnitudeLimit(PrimitiveType type) { return Limits(type).magnitude; }
double ExactLimit(PrimitiveType type) { return Limits(type).exact; }

}  // namespace hlocts::generators
