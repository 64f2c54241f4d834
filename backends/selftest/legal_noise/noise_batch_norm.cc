// SPDX-License-Identifier: Apache-2.0
// Batch norm with one of three formulas for the variance and one of three orders of factors. Every
// step is computed in the element's own format.
#include <cmath>

#include "backends/selftest/elements.h"
#include "backends/selftest/legal_noise/noise_hook.h"
#include "reference/number_system.h"

namespace hlocts::backends {
namespace {

template <typename T>
struct Norm {
  int64_t features = 1, inner = 1, count = 0;  // count: elements of one feature
  T epsilon = 0;
  int order = 0;  // order of the normalization's factors
  int64_t Feature(int64_t i) const { return i / inner % features; }
};

template <typename T>
Norm<T> NormOf(NoiseJob& job) {
  Norm<T> norm;
  const Shape& shape = job.operands[0].shape();
  const int64_t index = job.instruction.IntOr(Attr::kFeatureIndex, 0);
  norm.features = shape.dimension(index);
  for (int64_t d = index + 1; d < shape.rank(); ++d) norm.inner *= shape.dimension(d);
  if (norm.features > 0) norm.count = shape.ElementCount() / norm.features;
  norm.epsilon = static_cast<T>(static_cast<float>(job.instruction.FloatOr(Attr::kEpsilon, 0)));
  norm.order = static_cast<int>(job.random().Below(3));
  return norm;
}

// Computes (x - m) / sqrt(v + epsilon) * scale + offset.
template <typename T>
T Normalize(const Norm<T>& norm, T x, T scale, T offset, T mean, T variance) {
  const T deviation = std::sqrt(variance + norm.epsilon);
  if (norm.order == 0) return (x - mean) / deviation * scale + offset;
  const T factor = scale * (1 / deviation);
  if (norm.order == 1) return (x - mean) * factor + offset;
  return x * factor + (offset - mean * factor);
}

template <typename T>
struct Moments {
  std::vector<T> mean, variance;
};

template <typename T>
Moments<T> OnePass(const Norm<T>& norm, absl::Span<const T> x) {
  Moments<T> m{std::vector<T>(norm.features, 0), std::vector<T>(norm.features, 0)};
  for (size_t i = 0; i < x.size(); ++i) {
    int64_t f = norm.Feature(static_cast<int64_t>(i));
    m.mean[f] += x[i];
    m.variance[f] += x[i] * x[i];
  }
  for (int64_t f = 0; f < norm.features; ++f) {
    m.mean[f] /= static_cast<T>(norm.count);
    m.variance[f] = m.variance[f] / static_cast<T>(norm.count) - m.mean[f] * m.mean[f];
  }
  return m;
}

template <typename T>
Moments<T> TwoPass(const Norm<T>& norm, absl::Span<const T> x) {
  Moments<T> m{std::vector<T>(norm.features, 0), std::vector<T>(norm.features, 0)};
  for (size_t i = 0; i < x.size(); ++i) m.mean[norm.Feature(static_cast<int64_t>(i))] += x[i];
  for (T& mean : m.mean) mean /= static_cast<T>(norm.count);
  for (size_t i = 0; i < x.size(); ++i) {
    int64_t f = norm.Feature(static_cast<int64_t>(i));
    m.variance[f] += (x[i] - m.mean[f]) * (x[i] - m.mean[f]);
  }
  for (T& variance : m.variance) variance /= static_cast<T>(norm.count);
  return m;
}

template <typename T>
Moments<T> Welford(const Norm<T>& norm, absl::Span<const T> x) {
  Moments<T> m{std::vector<T>(norm.features, 0), std::vector<T>(norm.features, 0)};
  std::vector<T> seen(norm.features, 0);
  for (size_t i = 0; i < x.size(); ++i) {
    int64_t f = norm.Feature(static_cast<int64_t>(i));
    T before = x[i] - m.mean[f];
    m.mean[f] += before / ++seen[f];
    m.variance[f] += before * (x[i] - m.mean[f]);
  }
  for (T& variance : m.variance) variance /= static_cast<T>(norm.count);
  return m;
}

template <typename T>
Moments<T> DrawMoments(NoiseJob& job, const Norm<T>& norm, absl::Span<const T> x) {
  switch (job.rule.Allows(kBothVariances) ? job.random().Below(3) : 0) {
    case 0:
      return TwoPass(norm, x);
    case 1:
      return Welford(norm, x);
    default:
      return OnePass(norm, x);
  }
}

template <typename T>
Literal Vector(const std::vector<T>& values, PrimitiveType system, PrimitiveType type) {
  Literal out(Shape(system, {static_cast<int64_t>(values.size())}));
  std::copy(values.begin(), values.end(), out.mutable_data<T>().begin());
  return reference::FromSystem(std::move(out), type);
}

// Handles training (operand, scale, offset) and inference (also mean, variance).
template <typename T>
void NoisyNormalization(NoiseJob& job, PrimitiveType system) {
  const PrimitiveType type = job.operands[0].element_type();
  std::vector<Literal> in;
  for (const Literal& operand : job.operands) in.push_back(reference::ToSystem(operand, system));
  const Norm<T> norm = NormOf<T>(job);
  absl::Span<const T> x = in[0].data<T>(), scale = in[1].data<T>(), offset = in[2].data<T>();
  const bool training = job.opcode() == Opcode::kBatchNormTraining;
  Moments<T> m;
  if (training) {
    m = DrawMoments(job, norm, x);
  } else {
    m.mean.assign(in[3].data<T>().begin(), in[3].data<T>().end());
    m.variance.assign(in[4].data<T>().begin(), in[4].data<T>().end());
  }
  Literal out(Shape(system, in[0].shape().dimensions()));
  for (int64_t i = 0; i < out.element_count(); ++i) {
    int64_t f = norm.Feature(i);
    out.mutable_data<T>()[i] = Normalize(norm, x[i], scale[f], offset[f], m.mean[f], m.variance[f]);
  }
  Literal rounded = reference::FromSystem(std::move(out), type);
  job.result = training ? Literal::Tuple({std::move(rounded), Vector(m.mean, system, type),
                                          Vector(m.variance, system, type)})
                        : std::move(rounded);
}

}  // namespace

bool NoisyBatchNorm(NoiseJob& job) {
  if (job.opcode() != Opcode::kBatchNormTraining && job.opcode() != Opcode::kBatchNormInference) {
    return false;
  }
  if (job.operands[0].element_count() == 0 || job.state.Once(4)) return true;
  const PrimitiveType system = reference::SystemType(job.operands[0].element_type());
  if (system == PrimitiveType::kF64) {
    NoisyNormalization<double>(job, system);
  } else {
    NoisyNormalization<float>(job, system);
  }
  return true;
}

}  // namespace hlocts::backends
