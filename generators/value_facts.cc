#include "generators/value_facts.h"

#include <array>
#include <cmath>

#include "spec/ir/float_format.h"

namespace hlocts {
namespace {

struct TypeLimits {
  double low = 0, high = 0, magnitude = 0, exact = 0;
};

TypeLimits FloatLimits(PrimitiveType type) {
  const FloatFormat& format = FormatOf(type);
  double largest = format.max_finite();
  TypeLimits limits;
  limits.low = format.has_sign ? -largest : format.min_normal();
  limits.high = largest;
  limits.magnitude = std::min(std::sqrt(largest), 1e6);
  limits.exact = std::min(std::ldexp(1.0, format.precision()), largest);
  return limits;
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
  ValueFacts facts;
  facts.low = std::min(a.low, b.low);
  facts.high = std::max(a.high, b.high);
  facts.integral = a.integral && b.integral;
  facts.bits_known = a.bits_known && b.bits_known;
  facts.opaque = a.opaque || b.opaque;
  return facts;
}

ValueFacts WholeRange(PrimitiveType type) {
  const TypeLimits& limits = Limits(type);
  return RangeFacts(limits.low, limits.high, !IsFloat(type) && !IsComplex(type));
}
double MagnitudeLimit(PrimitiveType type) { return Limits(type).magnitude; }
double ExactLimit(PrimitiveType type) { return Limits(type).exact; }

}  // namespace hlocts
