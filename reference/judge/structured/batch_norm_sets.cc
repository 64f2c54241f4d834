// SPDX-License-Identifier: Apache-2.0
// Sets of batch-norm-training, -inference and -grad (RULES 26): centres in f64,
// first-order bounds that hold for the two-pass, the E[x^2] - m^2 and the Welford form.
#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "reference/judge/interpreter/handlers.h"
#include "spec/ir/index_util.h"
#include "spec/judge/joint.h"

namespace hlocts::reference {
namespace {

// A real with a bound of its error.
struct Approximate {
  double value = 0, error = 0;
};

struct Layout3 {  // the operand as [outer, feature, inner]
  int64_t outer = 1, features = 1, inner = 1;
  int64_t per_feature() const { return outer * inner; }
  int64_t At(int64_t f, int64_t k) const { return (k / inner * features + f) * inner + k % inner; }
};
Layout3 LayoutOf(const Shape& shape, int64_t feature) {
  Layout3 layout;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    (d < feature    ? layout.outer
     : d == feature ? layout.features
                    : layout.inner) *= shape.dimension(d);
  }
  return layout;
}

AcceptanceSet Rounded(const Approximate& x, const SetContext& context) {
  if (!std::isfinite(x.value) || !std::isfinite(x.error)) {
    return AcceptanceSet::Unspecified(WideningCause::kFreedom, context.origin);
  }
  Image image;
  image.finite = true;
  image.lo = {NextDown(x.value - x.error), 0};
  image.hi = {NextUp(x.value + x.error), 0};
  if (image.lo.value <= 0 && image.hi.value >= 0) image.pos_zero = image.neg_zero = true;
  SetContext rounding = context;
  rounding.rule.rule_class = RuleClass::kCorrectlyRounded;
  AcceptanceSet s = StoreImage(image, rounding);
  s.cause = WideningCause::kSum;
  s.origin = context.origin;
  return s;
}

// 1/sqrt(v + epsilon) with three ulps of its own; NaN where the bound reaches -epsilon.
Approximate ReciprocalDeviation(const Approximate& variance, double epsilon, double u) {
  double lo = variance.value - variance.error + epsilon,
         hi = variance.value + variance.error + epsilon;
  if (!(lo > 0)) return {std::nan(""), 0};
  double least = 1 / std::sqrt(hi), most = 1 / std::sqrt(lo);
  double middle = 1 / std::sqrt(variance.value + epsilon);
  double spread = std::max(most - middle, middle - least);
  return {middle, spread + 8 * u * most};
}

struct BatchNorm {
  SetInterpreter& interpreter;
  const Instruction& instruction;
  SetContext context;
  Layout3 layout;
  double epsilon = 0;
  double u = 0;
  double flush = 0;
  double read = 0;  // operands below it may be read as zeros

  double Real(const SetValue& value, int64_t i) const { return RealAt(value.array.literal(), i); }
  double count() const { return static_cast<double>(layout.per_feature()); }
  double Lost(double operand) const { return std::fabs(operand) < read ? std::fabs(operand) : 0; }
  // An intermediate value of that magnitude may be an infinity, and what follows anything.
  bool Overflows(std::initializer_list<long double> magnitudes) const {
    return std::any_of(magnitudes.begin(), magnitudes.end(), [&](long double magnitude) {
      return !(magnitude * (1 + slack()) < context.result->max);
    });
  }
  double slack() const { return (2 * count() + 32) * u; }  // of the sums of batch-norm-grad
};

BatchNorm MakeBatchNorm(SetInterpreter& interpreter, const Instruction& instruction,
                        const SetArray& operand) {
  BatchNorm norm{interpreter, instruction,
                 interpreter.ContextOf(instruction, operand.element_type(), operand.element_type()),
                 LayoutOf(operand.shape(), instruction.IntOr(Attr::kFeatureIndex, 0))};
  // epsilon is a f32 attribute whatever its decimal says, rounded to the element type.
  norm.epsilon = static_cast<double>(static_cast<float>(instruction.FloatOr(Attr::kEpsilon, 0)));
  norm.epsilon = norm.context.result->Round(norm.epsilon);
  norm.u = std::ldexp(1.0, -norm.context.result->p);
  norm.flush = norm.context.rule.Allows(kFlushResult) ? norm.context.result->min_normal
                                                      : norm.context.result->tiny;
  norm.read = norm.context.rule.Allows(kFlushOperand) ? norm.context.result->min_normal : 0;
  return norm;
}

// (x - mean) / deviation * scale + offset, in this order or with scale and deviation folded.
Approximate Normalize(const BatchNorm& norm, double x, const Approximate& mean,
                      const Approximate& deviation, double scale, double offset) {
  double difference = x - mean.value;
  double value = difference * deviation.value * scale + offset;
  double factor = std::fabs(scale) * (std::fabs(deviation.value) + deviation.error);
  double error =
      factor * mean.error + std::fabs(difference * scale) * deviation.error +
      10 * norm.u * (factor * (std::fabs(x) + std::fabs(mean.value)) + std::fabs(offset)) +
      0x1p-50 * std::fabs(value) +
      // Of the three factors any two may be multiplied first, and their product flushed.
      norm.flush * (4 + factor + std::fabs(scale) + std::fabs(difference) + deviation.value) +
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

bool AllOperandsExact(absl::Span<const SetValue> operands) {
  for (const SetValue& operand : operands) {
    if (!operand.array.exact() || !operand.array.runtime_sizes.empty()) return false;
  }
  return true;
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
    Approximate deviation = ReciprocalDeviation(variance, norm.epsilon, norm.u);
    for (int64_t k = 0; k < norm.layout.per_feature(); ++k) {
      int64_t i = norm.layout.At(f, k);
      sets[i] = Rounded(Normalize(norm, norm.Real(operands[0], i), mean, deviation,
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
  moments.mean = {static_cast<double>(m),
                  static_cast<double>((n + 2) * norm.u * magnitude / n) + norm.flush * n};
  if (norm.Overflows({magnitude})) moments.mean.error = HUGE_VAL;
  double v = static_cast<double>(deviations / n);
  double two_pass = 2 * (n + 6) * norm.u * v + 4 * moments.mean.error * moments.mean.error +
                    4 * norm.u * std::sqrt(v) * std::fabs(moments.mean.value);
  double one_pass = 2 * (n + 6) * norm.u * static_cast<double>(squares / n + m * m) +
                    2 * moments.mean.error * std::fabs(moments.mean.value);
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
    Approximate deviation = ReciprocalDeviation(variance, norm.epsilon, norm.u);
    means.push_back(Rounded(mean, norm.context));
    variances.push_back(Rounded(variance, norm.context));
    for (int64_t k = 0; k < norm.layout.per_feature(); ++k) {
      int64_t i = norm.layout.At(f, k);
      sets[i] = Rounded(Normalize(norm, norm.Real(operands[0], i), mean, deviation,
                                  norm.Real(operands[1], f), norm.Real(operands[2], f)),
                        norm.context);
    }
  }
  return SetValue::Tuple({SetArray(shape.tuple_shapes()[0], std::move(sets)),
                          SetArray(shape.tuple_shapes()[1], std::move(means)),
                          SetArray(shape.tuple_shapes()[2], std::move(variances))});
}

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
  sums.inverse = sums.spread > 0 ? 1 / std::sqrt(sums.spread) : std::nan("");
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
      (sums.flushed + norm.flush * sums.cross_magnitude) * (1 + 1 / sums.spread) * (1 + reach);
  long double error = std::fabs(factor) * (norm.slack() * magnitude + flushed) +
                      norm.flush * (1 + sums.inverse) * (1 + magnitude + flushed);
  // The product of x - mean and the sum may come before the division by the variance; of scale,
  // deviation and sum any two may be multiplied first.
  const long double scale = std::fabs(sums.scale);
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
    scales.push_back(Rounded(GradScale(norm, sums), norm.context));
    double error =
        static_cast<double>(norm.slack() * sums.sum_magnitude) + norm.flush * 2 * norm.count();
    if (norm.Overflows({sums.sum_magnitude})) error = HUGE_VAL;
    offsets.push_back(Rounded({static_cast<double>(sums.sum), error}, norm.context));
    for (int64_t k = 0; k < norm.layout.per_feature(); ++k) {
      int64_t i = norm.layout.At(f, k);
      double x = norm.Real(operands[0], i), dy = norm.Real(operands[4], i);
      sets[i] = Rounded(GradOperand(norm, sums, x, dy), norm.context);
    }
  }
  return SetValue::Tuple({SetArray(shape.tuple_shapes()[0], std::move(sets)),
                          SetArray(shape.tuple_shapes()[1], std::move(scales)),
                          SetArray(shape.tuple_shapes()[2], std::move(offsets))});
}

}  // namespace hlocts::reference
