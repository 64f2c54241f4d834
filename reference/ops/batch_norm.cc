// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <utility>

#include "reference/ops/structured.h"
#include "reference/ops/wide.h"

namespace hlocts::reference {
namespace {

// The features of an array. Element i belongs to feature i / inner % count.
struct Features {
  int64_t count = 1, inner = 1;
  int64_t per_feature = 0;  // number of elements of one feature
  int64_t of(int64_t element) const { return element / inner % count; }
};

Features FeaturesOf(const Instruction& instruction, const Shape& shape) {
  Features features;
  const int64_t index = instruction.IntOr(Attr::kFeatureIndex, 0);
  features.count = shape.dimension(index);
  for (int64_t d = index + 1; d < shape.rank(); ++d) features.inner *= shape.dimension(d);
  if (features.count > 0) features.per_feature = shape.ElementCount() / features.count;
  return features;
}

// Returns, for each feature, the sum of term(element, feature) over its elements.
template <typename W, typename Term>
std::vector<W> SumsOf(const Features& features, int64_t elements, Term&& term) {
  std::vector<W> sums(features.count, W(0));
  for (int64_t i = 0; i < elements; ++i) sums[features.of(i)] += term(i, features.of(i));
  return sums;
}
template <typename W, typename Term>
std::vector<W> MeansOf(const Features& features, int64_t elements, Term&& term) {
  std::vector<W> means = SumsOf<W>(features, elements, term);
  for (W& mean : means) mean /= static_cast<W>(features.per_feature);
  return means;
}

// Returns epsilon rounded to f32, the type that HLO gives this attribute.
template <typename W>
W Epsilon(const Instruction& instruction) {
  return static_cast<W>(static_cast<float>(instruction.FloatOr(Attr::kEpsilon, 0)));
}

// batch_norm_training.14: scale * (x - mean) / sqrt(variance + epsilon) + offset.
template <typename W>
std::vector<W> Normalized(const Features& features, W epsilon, const std::vector<W>& x,
                          const std::vector<W>& scale, const std::vector<W>& offset,
                          const std::vector<W>& mean, const std::vector<W>& variance) {
  std::vector<W> out(x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    const int64_t f = features.of(static_cast<int64_t>(i));
    out[i] = scale[f] * (x[i] - mean[f]) / std::sqrt(variance[f] + epsilon) + offset[f];
  }
  return out;
}

template <typename Visitor>
absl::StatusOr<Literal> VisitReal(EvalContext& context, const Instruction& instruction,
                                  const Literal& operand, Visitor&& visitor) {
  HLOCTS_RETURN_IF_ERROR(context.ReserveMemory(operand.shape()));
  HLOCTS_RETURN_IF_ERROR(context.ReserveBytes(3 * operand.element_count() * 16));
  if (operand.element_type() == PrimitiveType::kF64) return visitor(static_cast<long double>(0));
  if (IsFloat(operand.element_type())) return visitor(0.0);
  return Unsupported(instruction.name(), ": element type ",
                     PrimitiveTypeName(operand.element_type()));
}

Literal Three(Literal a, Literal b, Literal c) {
  std::vector<Literal> results;
  results.push_back(std::move(a));
  results.push_back(std::move(b));
  results.push_back(std::move(c));
  return Literal::Tuple(std::move(results));
}

}  // namespace

// batch_norm_training.8-20: computes for each feature the mean of its elements and the mean squared
// difference from the mean, in two passes, and normalizes every element with them. The divisor is
// the number of elements of a feature (ruling 0052).
absl::StatusOr<Literal> EvaluateBatchNormTraining(EvalContext& context,
                                                  const Instruction& instruction,
                                                  absl::Span<Literal> operands) {
  const Shape shape(operands[0].element_type(), operands[0].shape().dimensions());
  const Features features = FeaturesOf(instruction, shape);
  return VisitReal(context, instruction, operands[0], [&](auto zero) -> absl::StatusOr<Literal> {
    using W = decltype(zero);
    const std::vector<W> x = Widened<W>(operands[0]);
    const int64_t n = operands[0].element_count();
    const std::vector<W> mean = MeansOf<W>(features, n, [&](int64_t i, int64_t) { return x[i]; });
    const std::vector<W> variance = MeansOf<W>(
        features, n, [&](int64_t i, int64_t f) { return (x[i] - mean[f]) * (x[i] - mean[f]); });
    const std::vector<W> out =
        Normalized<W>(features, Epsilon<W>(instruction), x, Widened<W>(operands[1]),
                      Widened<W>(operands[2]), mean, variance);
    const Shape moments(shape.element_type(), {features.count});
    return Three(Narrowed<W>(out, shape), Narrowed<W>(mean, moments),
                 Narrowed<W>(variance, moments));
  });
}

// batch_norm_inference.10-15: normalizes in the same way with the given mean and variance.
absl::StatusOr<Literal> EvaluateBatchNormInference(EvalContext& context,
                                                   const Instruction& instruction,
                                                   absl::Span<Literal> operands) {
  const Shape shape(operands[0].element_type(), operands[0].shape().dimensions());
  const Features features = FeaturesOf(instruction, shape);
  return VisitReal(context, instruction, operands[0], [&](auto zero) -> absl::StatusOr<Literal> {
    using W = decltype(zero);
    return Narrowed<W>(Normalized<W>(features, Epsilon<W>(instruction), Widened<W>(operands[0]),
                                     Widened<W>(operands[1]), Widened<W>(operands[2]),
                                     Widened<W>(operands[3]), Widened<W>(operands[4])),
                       shape);
  });
}

// batch_norm_grad.12-17: computes the three formulas below (ruling 0052). For each feature, d_l is
// the mean of grad_output, and c_l is the mean of grad_output * (x - mean), divided by (variance +
// epsilon).
//   grad_operand = scale / sqrt(variance + epsilon) * (grad_output - d_l - c_l * (x - mean))
//   grad_scale   = sum of grad_output * (x - mean) / sqrt(variance + epsilon)
//   grad_offset  = sum of grad_output
absl::StatusOr<Literal> EvaluateBatchNormGrad(EvalContext& context, const Instruction& instruction,
                                              absl::Span<Literal> operands) {
  const Shape shape(operands[0].element_type(), operands[0].shape().dimensions());
  const Features features = FeaturesOf(instruction, shape);
  return VisitReal(context, instruction, operands[0], [&](auto zero) -> absl::StatusOr<Literal> {
    using W = decltype(zero);
    const W epsilon = Epsilon<W>(instruction);
    const std::vector<W> x = Widened<W>(operands[0]), scale = Widened<W>(operands[1]),
                         mean = Widened<W>(operands[2]), variance = Widened<W>(operands[3]),
                         grad = Widened<W>(operands[4]);
    const int64_t n = operands[0].element_count();
    auto centred = [&](int64_t i, int64_t f) { return grad[i] * (x[i] - mean[f]); };
    auto plain = [&](int64_t i, int64_t) { return grad[i]; };
    std::vector<W> c = MeansOf<W>(features, n, centred),
                   grad_scale = SumsOf<W>(features, n, centred);
    const std::vector<W> d = MeansOf<W>(features, n, plain),
                         grad_offset = SumsOf<W>(features, n, plain);
    for (int64_t f = 0; f < features.count; ++f) {
      c[f] /= variance[f] + epsilon;
      grad_scale[f] /= std::sqrt(variance[f] + epsilon);
    }
    std::vector<W> grad_operand(n);
    for (int64_t i = 0; i < n; ++i) {
      const int64_t f = features.of(i);
      grad_operand[i] =
          scale[f] / std::sqrt(variance[f] + epsilon) * (grad[i] - d[f] - c[f] * (x[i] - mean[f]));
    }
    const Shape sums(shape.element_type(), {features.count});
    return Three(Narrowed<W>(grad_operand, shape), Narrowed<W>(grad_scale, sums),
                 Narrowed<W>(grad_offset, sums));
  });
}

}  // namespace hlocts::reference
