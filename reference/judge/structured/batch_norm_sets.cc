// SPDX-License-Identifier: Apache-2.0
// Sets of batch-norm-training and -inference (RULES 26): centres in f64,
// first-order bounds that hold for the two-pass, the E[x^2] - m^2 and the Welford form.
#include <algorithm>
#include <cmath>

#include "reference/judge/structured/batch_norm_values.h"
#include "spec/judge/bounds.h"

namespace hlocts::reference {
namespace {

// 1/sqrt(v + epsilon); NaN where the bound reaches -epsilon.
Approximate ReciprocalDeviation(const BatchNorm& norm, const Approximate& variance) {
  double lo = variance.value - variance.error + norm.epsilon,
         hi = variance.value + variance.error + norm.epsilon;
  if (!(lo > 0)) return {std::nan(""), 0};
  double least = 1 / std::sqrt(hi), most = 1 / std::sqrt(lo);
  double middle = 1 / std::sqrt(variance.value + norm.epsilon);
  double spread = std::max(most - middle, middle - least);
  return {middle, spread + norm.deviation * norm.u * most};
}

// (x - mean) / deviation * scale + offset, in this order or with scale and deviation folded.
Approximate Normalize(const BatchNorm& norm, double x, const Approximate& mean,
                      const Approximate& deviation, double scale, double offset) {
  double difference = x - mean.value;
  double value = difference * deviation.value * scale + offset;
  double factor = std::fabs(scale) * (std::fabs(deviation.value) + deviation.error);
  double error = factor * mean.error + std::fabs(difference * scale) * deviation.error +
                 bounds::NormalizeRoundings() * norm.u *
                     (factor * (std::fabs(x) + std::fabs(mean.value)) + std::fabs(offset)) +
                 0x1p-50 * std::fabs(value) +
                 // Of the three factors any two may be multiplied first, and their product flushed.
                 norm.flush * (bounds::NormalizeFlushes() + factor + std::fabs(scale) +
                               std::fabs(difference) + deviation.value) +
                 norm.Lost(scale) * std::fabs(difference) * deviation.value +
                 (norm.Lost(x) + norm.Lost(mean.value)) * factor + norm.Lost(offset);
  // x * factor, and offset - mean * factor: where the mean is folded into the offset.
  if (norm.Overflows({deviation.value, std::fabs(difference),
                      std::fabs(difference * deviation.value), std::fabs(difference * scale),
                      factor, std::fabs(value), std::fabs(x) * factor,
                      std::fabs(mean.value) * factor + std::fabs(offset)})) {
    error = HUGE_VAL;
  }
  return {value, error};
}

}  // namespace

absl::StatusOr<SetValue> BatchNormInferenceSets(SetInterpreter& interpreter,
                                                const Instruction& instruction, const Shape& shape,
                                                absl::Span<const SetValue> operands) {
  if (!AllOperandsExact(operands)) {
    return UnspecifiedResult(interpreter, instruction, shape, WideningCause::kUnknown);
  }
  BatchNorm norm = MakeBatchNorm(interpreter, instruction, operands[0].array);
  std::vector<AcceptanceSet> sets(shape.ElementCount());
  for (int64_t f = 0; f < norm.layout.features; ++f) {
    Approximate mean = {norm.Real(operands[3], f), 0}, variance = {norm.Real(operands[4], f), 0};
    variance.error = norm.Lost(variance.value);
    Approximate deviation = ReciprocalDeviation(norm, variance);
    for (int64_t k = 0; k < norm.layout.per_feature(); ++k) {
      int64_t i = norm.layout.At(f, k);
      sets[i] = RoundedWithin(Normalize(norm, norm.Real(operands[0], i), mean, deviation,
                                        norm.Real(operands[1], f), norm.Real(operands[2], f)),
                              norm.context);
    }
  }
  return SetValue(SetArray(shape, std::move(sets)));
}

namespace {

// Mean and variance of a feature as an engine may compute them, by one pass or by two.
struct Moments {
  Approximate mean, variance;
};
Moments MomentsOf(const BatchNorm& norm, const SetValue& operand, int64_t f) {
  const double n = static_cast<double>(norm.layout.per_feature());
  Moments moments;
  long double sum = 0, magnitude = 0, squares = 0, deviations = 0;
  for (int64_t k = 0; k < norm.layout.per_feature(); ++k) {
    long double x = norm.Real(operand, norm.layout.At(f, k));
    sum += x;
    magnitude += std::fabs(x);
    squares += x * x;
  }
  long double m = sum / n;
  for (int64_t k = 0; k < norm.layout.per_feature(); ++k) {
    long double d = norm.Real(operand, norm.layout.At(f, k)) - m;
    deviations += d * d;
  }
  const double sum_error = (n - 1) * norm.u;
  const double quotient = std::max(bounds::MeanRoundings() + 1, norm.quotient) * norm.u;
  moments.mean = {static_cast<double>(m),
                  static_cast<double>((sum_error + quotient * (1 + sum_error)) * magnitude / n) +
                      norm.flush * n};
  if (norm.Overflows({magnitude})) moments.mean.error = HUGE_VAL;
  double v = static_cast<double>(deviations / n);
  const double roundings =
      std::max(bounds::VarianceSecondOrder() * (n + bounds::VarianceRoundings()),
               n + 3 + norm.quotient) *
      norm.u;
  double two_pass =
      roundings * v + bounds::MeanErrorSquares() * moments.mean.error * moments.mean.error +
      bounds::DeviationTimesMean() * norm.u * std::sqrt(v) * std::fabs(moments.mean.value);
  double one_pass = roundings * static_cast<double>(squares / n + m * m) +
                    bounds::MeanErrorTwice() * moments.mean.error * std::fabs(moments.mean.value);
  bool both = norm.context.rule.Allows(kBothVariances);
  moments.variance = {v, (both ? std::max(two_pass, one_pass) : two_pass) + norm.flush * n};
  if (norm.Overflows({magnitude, deviations, both ? squares : 0}))
    moments.variance.error = HUGE_VAL;
  return moments;
}

}  // namespace

absl::StatusOr<SetValue> BatchNormTrainingSets(SetInterpreter& interpreter,
                                               const Instruction& instruction, const Shape& shape,
                                               absl::Span<const SetValue> operands) {
  if (!AllOperandsExact(operands)) {
    return UnspecifiedResult(interpreter, instruction, shape, WideningCause::kUnknown);
  }
  BatchNorm norm = MakeBatchNorm(interpreter, instruction, operands[0].array);
  std::vector<AcceptanceSet> sets(shape.tuple_shapes()[0].ElementCount());
  std::vector<AcceptanceSet> means, variances;
  for (int64_t f = 0; f < norm.layout.features; ++f) {
    const Moments moments = MomentsOf(norm, operands[0], f);
    const Approximate &mean = moments.mean, &variance = moments.variance;
    Approximate deviation = ReciprocalDeviation(norm, variance);
    means.push_back(RoundedWithin(mean, norm.context));
    variances.push_back(RoundedWithin(variance, norm.context));
    for (int64_t k = 0; k < norm.layout.per_feature(); ++k) {
      int64_t i = norm.layout.At(f, k);
      sets[i] = RoundedWithin(Normalize(norm, norm.Real(operands[0], i), mean, deviation,
                                        norm.Real(operands[1], f), norm.Real(operands[2], f)),
                              norm.context);
    }
  }
  return BatchNormResults(shape, std::move(sets), std::move(means), std::move(variances));
}

}  // namespace hlocts::reference
