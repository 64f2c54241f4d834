// SPDX-License-Identifier: Apache-2.0
// Computes the sets of batch-norm-grad (lemma 26): rounded values with first-order error bounds.
#include <algorithm>
#include <cmath>

#include "reference/judge/structured/batch_norm_values.h"

namespace hlocts::reference {
namespace {

// A real number with a bound of its error. Its range is wider than f64's, so that products of tiny
// and huge factors stay finite.
struct GradNumber {
  long double value = 0, error = 0;

  GradNumber() = default;
  GradNumber(long double v, long double e) : value(v), error(e) {}
  GradNumber(const Approximate& x) : value(x.value), error(x.error) {}  // NOLINT
  long double most() const { return std::fabs(value) + error; }
};

// The values that batch-norm-grad needs for one feature.
struct GradSums {
  GradNumber scale, mean;
  GradNumber inverse, quotient;  // 1 / sqrt(variance + epsilon) and 1 / (variance + epsilon)
  GradNumber sum, cross;         // their errors come from the operands alone
  long double sum_magnitude = 0, cross_magnitude = 0;
  long double flushed = 0;  // error of cross due to flushed operands, differences and products
  long double reach = 0;    // the largest |x - mean|, which must not overflow
};

// Sets 1 / sqrt(v + epsilon) and 1 / (v + epsilon) for a variance v.
void Invert(const BatchNorm& norm, const Approximate& variance, GradSums& sums) {
  const long double spread = variance.value + norm.epsilon, least = spread - variance.error;
  // If the variance may be read as zero, it must be negligible compared to epsilon.
  const bool known = least > 0 && norm.Lost(variance) <= norm.u * least;
  const long double lost = known ? 0 : std::nan("");
  const long double inverse = 1 / std::sqrt(spread), quotient = 1 / spread;
  sums.inverse = {inverse + lost, 1 / std::sqrt(least) - inverse};
  sums.quotient = {quotient + lost, 1 / least - quotient};
}

GradSums SumsOfFeature(const BatchNorm& norm, absl::Span<const SetValue> operands, int64_t f) {
  GradSums sums;
  sums.scale = norm.NumberAt(operands[1], f);
  sums.mean = norm.NumberAt(operands[2], f);
  Invert(norm, norm.NumberAt(operands[3], f), sums);
  for (int64_t k = 0; k < norm.layout.per_feature(); ++k) {
    const int64_t i = norm.layout.At(f, k);
    const GradNumber x = norm.NumberAt(operands[0], i), dy = norm.NumberAt(operands[4], i);
    const long double reach = x.most() + sums.mean.most();
    const long double difference = x.value - sums.mean.value;
    sums.reach = std::max(sums.reach, reach);
    sums.sum.value += dy.value;
    sums.sum.error += dy.error;
    sums.sum_magnitude += dy.most();
    sums.cross.value += dy.value * difference;
    sums.cross.error += dy.most() * (x.error + sums.mean.error) + dy.error * std::fabs(difference);
    sums.cross_magnitude += dy.most() * reach;
    sums.flushed += norm.flush * (3 + 2 * (dy.most() + reach));
  }
  return sums;
}

Approximate GradScale(const BatchNorm& norm, const GradSums& sums) {
  const long double inverse = sums.inverse.most();
  long double error = norm.slack() * sums.cross_magnitude * inverse +
                      (sums.flushed + norm.flush) * (1 + inverse) + sums.cross.error * inverse +
                      std::fabs(sums.cross.value) * sums.inverse.error;
  if (norm.Overflows({inverse, sums.reach, sums.reach * inverse, sums.cross_magnitude,
                      sums.cross_magnitude * inverse})) {
    error = HUGE_VAL;
  }
  return {static_cast<double>(sums.cross.value * sums.inverse.value), static_cast<double>(error)};
}

// Returns n dy - sum - (x - mean) / (variance + epsilon) * cross, with the error of the operands.
GradNumber InnerSum(const BatchNorm& norm, const GradSums& sums, const GradNumber& x,
                    const GradNumber& dy) {
  const long double n = norm.count(), difference = x.value - sums.mean.value;
  const GradNumber& q = sums.quotient;
  const long double spread = (x.error + sums.mean.error) * q.most() * sums.cross.most() +
                             std::fabs(difference) * q.error * sums.cross.most() +
                             std::fabs(difference) * q.value * sums.cross.error;
  return {n * dy.value - sums.sum.value - difference * q.value * sums.cross.value,
          n * dy.error + sums.sum.error + spread};
}

Approximate GradOperand(const BatchNorm& norm, const GradSums& sums, const GradNumber& x,
                        const GradNumber& dy) {
  const long double n = norm.count(), reach = x.most() + sums.mean.most();
  const long double inverse = sums.inverse.most(), quotient = sums.quotient.most();
  const long double scale = sums.scale.most();
  const GradNumber factor = {
      sums.scale.value * sums.inverse.value / n,
      (sums.scale.error * inverse + std::fabs(sums.scale.value) * sums.inverse.error) / n};
  const GradNumber inner = InnerSum(norm, sums, x, dy);
  const long double magnitude =
      n * dy.most() + sums.sum_magnitude + reach * quotient * sums.cross_magnitude;
  // The effect of flushing on the inner sum, and on the product of the inner sum and the factor.
  const long double flushed =
      norm.flush * (4 * n + 8) +
      (sums.flushed + norm.context.bounds->GradOperands() * norm.flush * sums.cross_magnitude) *
          (1 + quotient) * (1 + reach);
  // An engine may multiply x - mean by the sum before it divides by the variance. It may also
  // multiply any two of scale, deviation and sum first, and flush their product.
  long double error = factor.most() * (norm.slack() * magnitude + flushed + inner.error) +
                      factor.error * std::fabs(inner.value) +
                      norm.flush * (1 + inverse) * (1 + scale) * (1 + magnitude + flushed);
  if (norm.Overflows({inverse, quotient, sums.reach, sums.reach * inverse, reach * quotient,
                      magnitude, sums.cross_magnitude, sums.cross_magnitude * inverse,
                      reach * sums.cross_magnitude, scale * inverse, scale * magnitude,
                      magnitude * inverse, magnitude * scale * inverse})) {
    error = HUGE_VAL;
  }
  return {static_cast<double>(factor.value * inner.value), static_cast<double>(error)};
}

}  // namespace

// The operands are operand, scale, mean, variance, grad_output; the results are grad_operand,
// grad_scale, grad_offset.
absl::StatusOr<SetValue> BatchNormGradSets(SetInterpreter& interpreter,
                                           const Instruction& instruction, const Shape& shape,
                                           absl::Span<const SetValue> operands) {
  if (AnyRuntimeSizes(operands)) {
    return UnspecifiedResult(interpreter, instruction, shape, WideningCause::kUnknown);
  }
  BatchNorm norm = MakeBatchNorm(interpreter, instruction, operands[0].array);
  std::vector<AcceptanceSet> sets(shape.tuple_shapes()[0].ElementCount());
  std::vector<AcceptanceSet> scales, offsets;
  for (int64_t f = 0; f < norm.layout.features; ++f) {
    const GradSums sums = SumsOfFeature(norm, operands, f);
    scales.push_back(RoundedWithin(GradScale(norm, sums), norm.context));
    double error = static_cast<double>(norm.slack() * sums.sum_magnitude + sums.sum.error) +
                   norm.flush * 2 * norm.count();
    if (norm.Overflows({sums.sum_magnitude})) error = HUGE_VAL;
    offsets.push_back(RoundedWithin({static_cast<double>(sums.sum.value), error}, norm.context));
    for (int64_t k = 0; k < norm.layout.per_feature(); ++k) {
      const int64_t i = norm.layout.At(f, k);
      const GradNumber x = norm.NumberAt(operands[0], i), dy = norm.NumberAt(operands[4], i);
      sets[i] = RoundedWithin(GradOperand(norm, sums, x, dy), norm.context);
    }
  }
  return BatchNormResults(shape, std::move(sets), std::move(scales), std::move(offsets));
}

}  // namespace hlocts::reference
