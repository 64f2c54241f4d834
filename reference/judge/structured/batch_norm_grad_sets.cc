// SPDX-License-Identifier: Apache-2.0
// Sets of batch-norm-grad (RULES 26): first-order bounds round exact values.
#include <algorithm>
#include <cmath>

#include "reference/judge/structured/batch_norm_values.h"

namespace hlocts::reference {
namespace {

// What batch-norm-grad needs of a feature. The range is wider than f64's, in which the factors of
// tiny and huge products meet.
struct GradSums {
  long double scale = 0, mean = 0, spread = 0, inverse = 0;  // spread: variance + epsilon
  long double sum = 0, sum_magnitude = 0, cross = 0, cross_magnitude = 0;
  long double flushed = 0;  // of cross, by flushed operands, differences and products
  long double reach = 0;    // the largest difference from the mean may be an infinity times 0
};

GradSums SumsOfFeature(const BatchNorm& norm, absl::Span<const SetValue> operands, int64_t f) {
  GradSums sums;
  sums.scale = norm.Real(operands[1], f);
  sums.mean = norm.Real(operands[2], f);
  sums.spread = norm.Real(operands[3], f) + norm.epsilon;
  // A variance that may be read as zero has to be nothing beside epsilon.
  const double lost = norm.Lost(norm.Real(operands[3], f));
  const bool known = sums.spread > 0 && lost <= norm.u * sums.spread;
  sums.inverse = known ? 1 / std::sqrt(sums.spread) : std::nan("");
  for (int64_t k = 0; k < norm.layout.per_feature(); ++k) {
    int64_t i = norm.layout.At(f, k);
    long double x = norm.Real(operands[0], i), dy = norm.Real(operands[4], i);
    long double reach = std::fabs(x) + std::fabs(sums.mean);
    sums.reach = std::max(sums.reach, reach);
    sums.sum += dy;
    sums.sum_magnitude += std::fabs(dy);
    sums.cross += dy * (x - sums.mean);
    sums.cross_magnitude += std::fabs(dy) * reach;
    sums.flushed += norm.flush * (3 + 2 * (std::fabs(dy) + reach));
  }
  return sums;
}

Approximate GradScale(const BatchNorm& norm, const GradSums& sums) {
  long double error = norm.slack() * sums.cross_magnitude * sums.inverse +
                      (sums.flushed + norm.flush) * (1 + sums.inverse);
  if (norm.Overflows({sums.inverse, sums.reach, sums.reach * sums.inverse, sums.cross_magnitude,
                      sums.cross_magnitude * sums.inverse})) {
    error = HUGE_VAL;
  }
  return {static_cast<double>(sums.cross * sums.inverse), static_cast<double>(error)};
}

Approximate GradOperand(const BatchNorm& norm, const GradSums& sums, long double x,
                        long double dy) {
  const long double n = norm.count(), reach = std::fabs(x) + std::fabs(sums.mean);
  const long double factor = sums.scale * sums.inverse / n;
  long double inner = n * dy - sums.sum - (x - sums.mean) / sums.spread * sums.cross;
  long double magnitude =
      std::fabs(n * dy) + sums.sum_magnitude + reach / sums.spread * sums.cross_magnitude;
  // What flushing does to the inner sum, then to its product with the factor.
  long double flushed =
      norm.flush * (4 * n + 8) +
      (sums.flushed + bounds::GradOperands() * norm.flush * sums.cross_magnitude) *
          (1 + 1 / sums.spread) * (1 + reach);
  // The product of x - mean and the sum may come before the division by the variance; of scale,
  // deviation and sum any two may be multiplied first, and their product flushed.
  const long double scale = std::fabs(sums.scale);
  long double error = std::fabs(factor) * (norm.slack() * magnitude + flushed) +
                      norm.flush * (1 + sums.inverse) * (1 + scale) * (1 + magnitude + flushed);
  if (norm.Overflows({sums.inverse, 1 / sums.spread, sums.reach, sums.reach * sums.inverse,
                      reach / sums.spread, magnitude, sums.cross_magnitude,
                      sums.cross_magnitude * sums.inverse, reach * sums.cross_magnitude,
                      scale * sums.inverse, scale * magnitude, magnitude * sums.inverse,
                      magnitude * scale * sums.inverse})) {
    error = HUGE_VAL;
  }
  return {static_cast<double>(factor * inner), static_cast<double>(error)};
}

}  // namespace

// Operands: operand, scale, mean, variance, grad_output. Results: grad_operand, grad_scale,
// grad_offset.
absl::StatusOr<SetValue> BatchNormGradSets(SetInterpreter& interpreter,
                                           const Instruction& instruction, const Shape& shape,
                                           absl::Span<const SetValue> operands) {
  if (!AllOperandsExact(operands)) {
    return UnspecifiedResult(interpreter, instruction, shape, WideningCause::kUnknown);
  }
  BatchNorm norm = MakeBatchNorm(interpreter, instruction, operands[0].array);
  std::vector<AcceptanceSet> sets(shape.tuple_shapes()[0].ElementCount());
  std::vector<AcceptanceSet> scales, offsets;
  for (int64_t f = 0; f < norm.layout.features; ++f) {
    const GradSums sums = SumsOfFeature(norm, operands, f);
    scales.push_back(RoundedWithin(GradScale(norm, sums), norm.context));
    double error =
        static_cast<double>(norm.slack() * sums.sum_magnitude) + norm.flush * 2 * norm.count();
    if (norm.Overflows({sums.sum_magnitude})) error = HUGE_VAL;
    offsets.push_back(RoundedWithin({static_cast<double>(sums.sum), error}, norm.context));
    for (int64_t k = 0; k < norm.layout.per_feature(); ++k) {
      int64_t i = norm.layout.At(f, k);
      double x = norm.Real(operands[0], i), dy = norm.Real(operands[4], i);
      sets[i] = RoundedWithin(GradOperand(norm, sums, x, dy), norm.context);
    }
  }
  return BatchNormResults(shape, std::move(sets), std::move(scales), std::move(offsets));
}

}  // namespace hlocts::reference
