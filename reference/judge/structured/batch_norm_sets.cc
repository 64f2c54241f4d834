// SPDX-License-Identifier: Apache-2.0
// Computes the sets of batch-norm-training and -inference (lemma 26). Centres are computed in f64.
// First-order bounds cover the two-pass form, the E[x^2] - m^2 form and the Welford form.
#include <algorithm>
#include <cmath>

#include "reference/judge/structured/batch_norm_values.h"
#include "spec/judge/bounds.h"

namespace hlocts::reference {
namespace {

// Returns 1/sqrt(v + epsilon), or NaN if the variance may be as low as -epsilon.
Approximate ReciprocalDeviation(const BatchNorm& norm, const Approximate& variance) {
  double lo = variance.value - variance.error + norm.epsilon,
         hi = variance.value + variance.error + norm.epsilon;
  if (!(lo > 0)) return {std::nan(""), 0};
  double least = 1 / std::sqrt(hi), most = 1 / std::sqrt(lo);
  double middle = 1 / std::sqrt(variance.value + norm.epsilon);
  double spread = std::max(most - middle, middle - least);
  return {middle, spread + norm.deviation * norm.u * most};
}

// The mean, reciprocal deviation, scale and offset of a feature, and a bound of |mean|.
struct Feature {
  Approximate mean, deviation, scale, offset;
  double mean_most = 0;
};

// Returns (x - mean) * deviation * scale + offset, with a bound for any order of the products.
Approximate Normalize(const BatchNorm& norm, const Approximate& x, const Feature& feature) {
  const Approximate &mean = feature.mean, &deviation = feature.deviation, &scale = feature.scale,
                    &offset = feature.offset;
  const double difference = x.value - mean.value;
  const double value = difference * deviation.value * scale.value + offset.value;
  const double factor = scale.most() * deviation.most();
  // Bounds the difference without the roundings of the mean.
  const double reach =
      std::fabs(difference) + x.error + (feature.mean_most - std::fabs(mean.value));
  double error = factor * (mean.error + x.error) +
                 std::fabs(difference) * scale.most() * deviation.error +
                 std::fabs(difference) * deviation.value * scale.error + offset.error +
                 norm.context.bounds->NormalizeRoundings() * norm.u *
                     (factor * (x.most() + feature.mean_most) + offset.most()) +
                 0x1p-50 * std::fabs(value) +
                 // Any two of the three factors may be multiplied first, and their product flushed.
                 norm.flush * (norm.context.bounds->NormalizeFlushes() + factor + scale.most() +
                               reach + deviation.most()) +
                 norm.Lost(scale) * reach * deviation.most() +
                 (norm.Lost(x) + norm.Lost(mean)) * factor + norm.Lost(offset);
  // If the mean is folded into the offset, x * factor and offset - mean * factor may overflow too.
  if (norm.Overflows({deviation.most(), reach, reach * deviation.most(), reach * scale.most(),
                      factor, std::fabs(value), x.most() * factor,
                      feature.mean_most * factor + offset.most()})) {
    error = HUGE_VAL;
  }
  return {value, error};
}

}  // namespace

absl::StatusOr<SetValue> BatchNormInferenceSets(SetInterpreter& interpreter,
                                                const Instruction& instruction, const Shape& shape,
                                                absl::Span<const SetValue> operands) {
  if (AnyRuntimeSizes(operands)) {
    return UnspecifiedResult(interpreter, instruction, shape, WideningCause::kUnknown);
  }
  BatchNorm norm = MakeBatchNorm(interpreter, instruction, operands[0].array);
  std::vector<AcceptanceSet> sets(shape.ElementCount());
  for (int64_t f = 0; f < norm.layout.features; ++f) {
    const Approximate mean = norm.NumberAt(operands[3], f);
    Approximate variance = norm.NumberAt(operands[4], f);
    variance.error += norm.Lost(variance);
    const Feature feature = {mean, ReciprocalDeviation(norm, variance),
                             norm.NumberAt(operands[1], f), norm.NumberAt(operands[2], f),
                             mean.most()};
    for (int64_t k = 0; k < norm.layout.per_feature(); ++k) {
      const int64_t i = norm.layout.At(f, k);
      sets[i] =
          RoundedWithin(Normalize(norm, norm.NumberAt(operands[0], i), feature), norm.context);
    }
  }
  return SetValue(SetArray(shape, std::move(sets)));
}

namespace {

// Sums over a feature's elements: of midpoints, and of the largest magnitudes that readers may see.
struct FeatureSums {
  long double mean = 0, magnitude = 0, squares = 0, deviations = 0;
  long double radii = 0, radii_squared = 0;
};
FeatureSums SumsOf(const BatchNorm& norm, const SetValue& operand, int64_t f) {
  FeatureSums sums;
  std::vector<double> middles;
  for (int64_t k = 0; k < norm.layout.per_feature(); ++k) {
    const Approximate x = norm.NumberAt(operand, norm.layout.At(f, k));
    const long double most = x.most(), radius = x.error;
    middles.push_back(x.value);
    sums.mean += x.value;
    sums.magnitude += most;
    sums.squares += most * most;
    sums.radii += radius;
    sums.radii_squared += radius * radius;
  }
  sums.mean /= norm.count();
  for (const double x : middles) sums.deviations += (x - sums.mean) * (x - sums.mean);
  return sums;
}

// Returns the variance of numbers that are within radii of the midpoints. The standard deviation is
// a norm, so it changes by at most the norm of the radii.
Approximate VarianceOf(const FeatureSums& sums, double n) {
  const long double v = sums.deviations / n;
  if (sums.radii == 0) return {static_cast<double>(v), 0};
  const long double deviation = std::sqrt(v), radius = std::sqrt(sums.radii_squared / n);
  const long double least = std::max(deviation - radius, 0.0L), most = deviation + radius;
  return {static_cast<double>((most * most + least * least) / 2),
          static_cast<double>((most * most - least * least) / 2 * (1 + 0x1p-40L))};
}

// The mean and the variance of a feature as an engine may compute them, in one pass or in two.
struct Moments {
  Approximate mean, variance;
  double mean_most = 0;  // bound of |mean| without the roundings of the mean
};
Moments MomentsOf(const BatchNorm& norm, const SetValue& operand, int64_t f) {
  const double n = norm.count();
  const FeatureSums sums = SumsOf(norm, operand, f);
  const double spread = static_cast<double>(sums.radii / n) * (1 + 0x1p-50);
  Moments moments;
  const double sum_error = (n - 1) * norm.u;
  const double quotient =
      std::max(norm.context.bounds->MeanRoundings() + 1, norm.quotient) * norm.u;
  double rounding =
      static_cast<double>((sum_error + quotient * (1 + sum_error)) * sums.magnitude / n) +
      norm.flush * n;
  if (norm.Overflows({sums.magnitude})) rounding = HUGE_VAL;
  moments.mean = {static_cast<double>(sums.mean), rounding + spread};
  moments.mean_most = std::fabs(moments.mean.value) + spread;
  moments.variance = VarianceOf(sums, n);
  const double v = moments.variance.most(), m = moments.mean_most;
  const double roundings = std::max(norm.context.bounds->VarianceSecondOrder() *
                                        (n + norm.context.bounds->VarianceRoundings()),
                                    n + 3 + norm.quotient) *
                           norm.u;
  const double two_pass = roundings * v +
                          norm.context.bounds->MeanErrorSquares() * rounding * rounding +
                          norm.context.bounds->DeviationTimesMean() * norm.u * std::sqrt(v) * m;
  const double one_pass =
      roundings * static_cast<double>(sums.squares / n + static_cast<long double>(m) * m) +
      norm.context.bounds->MeanErrorTwice() * rounding * m;
  const bool both = norm.context.rule.Allows(kBothVariances);
  moments.variance.error += (both ? std::max(two_pass, one_pass) : two_pass) + norm.flush * n;
  const long double deviations = static_cast<long double>(v) * n;
  if (norm.Overflows({sums.magnitude, deviations, both ? sums.squares : 0}))
    moments.variance.error = HUGE_VAL;
  return moments;
}

}  // namespace

absl::StatusOr<SetValue> BatchNormTrainingSets(SetInterpreter& interpreter,
                                               const Instruction& instruction, const Shape& shape,
                                               absl::Span<const SetValue> operands) {
  if (AnyRuntimeSizes(operands)) {
    return UnspecifiedResult(interpreter, instruction, shape, WideningCause::kUnknown);
  }
  BatchNorm norm = MakeBatchNorm(interpreter, instruction, operands[0].array);
  std::vector<AcceptanceSet> sets(shape.tuple_shapes()[0].ElementCount());
  std::vector<AcceptanceSet> means, variances;
  for (int64_t f = 0; f < norm.layout.features; ++f) {
    const Moments moments = MomentsOf(norm, operands[0], f);
    means.push_back(RoundedWithin(moments.mean, norm.context));
    variances.push_back(RoundedWithin(moments.variance, norm.context));
    const Feature feature = {moments.mean, ReciprocalDeviation(norm, moments.variance),
                             norm.NumberAt(operands[1], f), norm.NumberAt(operands[2], f),
                             moments.mean_most};
    for (int64_t k = 0; k < norm.layout.per_feature(); ++k) {
      const int64_t i = norm.layout.At(f, k);
      sets[i] =
          RoundedWithin(Normalize(norm, norm.NumberAt(operands[0], i), feature), norm.context);
    }
  }
  return BatchNormResults(shape, std::move(sets), std::move(means), std::move(variances));
}

namespace {

// Computes the sets of batch-norm-grad (lemma 26): rounded values with first-order error bounds.

// A real number with a bound of its error. Its type has a wider range than f64, so products of tiny
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
  GradNumber sum, cross;         // their errors are due to the operands only
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
  GradSums sums{.scale = norm.NumberAt(operands[1], f), .mean = norm.NumberAt(operands[2], f)};
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

// Returns n dy - sum - (x - mean) / (variance + epsilon) * cross, with the error due to operands.
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

// The operands are `operand`, `scale`, `mean`, `variance` and `grad_output`; the results are
// `grad_operand`, `grad_scale` and `grad_offset`.
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
