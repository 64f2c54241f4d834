// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "reference/judge/centred/prepare.h"

namespace hlocts::reference {
namespace {

// Returns the error in ulps of a rounding that may first round to a wider format (lemma 8).
double UnitsOfRounding(const SetContext& context) {
  const int width = BitWidth(context.result->type);
  if (width <= 8) return 1;
  return width <= 16 ? 0.5 * (1 + 0x1p-12) : 0.5;
}

// Returns the margin that store_image.cc permits at this magnitude.
double Reach(const SetContext& context, double magnitude, double argument) {
  const Rule& rule = context.rule;
  double units = std::max(static_cast<double>(rule.ulps), UnitsOfRounding(context));
  const bool big =
      rule.big_exponent != INT16_MAX && magnitude >= std::ldexp(1.0, rule.big_exponent);
  if (big) units = std::max(units, static_cast<double>(rule.big_ulps));
  units += rule.ulps_per_argument * argument;
  const double ulp = context.result->Ulp(magnitude);
  return std::max(units * ulp, static_cast<double>(rule.absolute)) + rule.relative * magnitude +
         rule.added;
}

}  // namespace

double StoreNoise(const SetContext& context, const Box& box, double argument) {
  const FloatFacts& facts = *context.result;
  const Rule& rule = context.rule;
  const double magnitude = std::max(std::fabs(box.lo), std::fabs(box.hi));
  if (!facts.has_zero || !std::isfinite(magnitude)) return HUGE_VAL;
  // A result below the least normal number may be flushed to zero or rounded up to that number.
  const bool below = box.lo <= facts.min_normal && box.hi >= -facts.min_normal;
  const double flush = below && rule.Allows(kFlushResult) ? facts.min_normal : 0;
  switch (rule.rule_class) {
    case RuleClass::kExact:
      return flush;
    case RuleClass::kCorrectlyRounded:
    case RuleClass::kSum:
      return UnitsOfRounding(context) * facts.Ulp(magnitude) + flush;
    case RuleClass::kUlp: {
      if (rule.backward != 0) return HUGE_VAL;
      // `magnitude` belongs to the stored value: the exact result may be in the next binade.
      const double first = Reach(context, magnitude, argument);
      return Reach(context, magnitude + 2 * first, argument) + flush;
    }
    case RuleClass::kNone:
    case RuleClass::kProduct:
    case RuleClass::kByComputation:
    case RuleClass::kNormwise:
    case RuleClass::kResidual:
    case RuleClass::kPermutation:
    case RuleClass::kDistribution:
    case RuleClass::kInherited:
    case RuleClass::kNeighbours:
    case RuleClass::kUnknown:
      return HUGE_VAL;
  }
  return HUGE_VAL;
}

}  // namespace hlocts::reference
