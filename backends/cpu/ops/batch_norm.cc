// Batch normalization: training, inference and gradient, per feature, in double.
#include <cmath>

#include "backends/cpu/ops/op_list.h"
#include "backends/cpu/ops/strided.h"

namespace hlocts::cpu {
namespace {

struct Features {
  PrimitiveType type = PrimitiveType::kF32;
  int64_t elements = 0, count = 0, inner = 1;
  double epsilon = 0;

  int64_t of(int64_t i) const { return i / inner % count; }
  double share() const { return static_cast<double>(count > 0 ? elements / count : 0); }
};

absl::StatusOr<Features> FeaturesOf(const OpContext& context) {
  const plan::ArrayType& operand = context.in(0);
  if (!IsFloat(operand.type)) {
    return Unsupported(context.name(), ": element type ", PrimitiveTypeName(operand.type));
  }
  const int64_t index = context.source().IntOr(Attr::kFeatureIndex, 0);
  Features f;
  f.type = operand.type;
  f.elements = operand.elements;
  f.count = operand.dimensions[index];
  for (int64_t d = index + 1; d < operand.rank(); ++d) f.inner *= operand.dimensions[d];
  // epsilon is an f32 in the language.
  f.epsilon = static_cast<float>(context.source().FloatOr(Attr::kEpsilon, 0));
  return f;
}

std::vector<double> Doubles(const Features& f, const uint8_t* array, int64_t count) {
  std::vector<double> result(count);
  ConvertInto(f.type, PrimitiveType::kF64, array, count, reinterpret_cast<uint8_t*>(result.data()));
  return result;
}
void Store(const Features& f, const std::vector<double>& values, uint8_t* out) {
  ConvertInto(PrimitiveType::kF64, f.type, values.data(), static_cast<int64_t>(values.size()), out);
}

// Sums per feature of term(i, feature).
template <typename Term>
std::vector<double> Sums(const Features& f, Term&& term) {
  std::vector<double> sums(f.count, 0);
  for (int64_t i = 0; i < f.elements; ++i) sums[f.of(i)] += term(i, f.of(i));
  return sums;
}

std::vector<double> Normalized(const Features& f, const std::vector<double>& x,
                               const std::vector<double>& scale, const std::vector<double>& offset,
                               const std::vector<double>& mean,
                               const std::vector<double>& variance) {
  std::vector<double> out(x.size());
  for (int64_t i = 0; i < f.elements; ++i) {
    const int64_t k = f.of(i);
    out[i] = scale[k] * (x[i] - mean[k]) / std::sqrt(variance[k] + f.epsilon) + offset[k];
  }
  return out;
}

}  // namespace

absl::StatusOr<StepDraft> MakeBatchNormTraining(const OpContext& context) {
  HLOCTS_ASSIGN_OR_RETURN(const Features f, FeaturesOf(context));
  StepDraft draft;
  draft.run = [f](Run&, In in, Out out) {
    const std::vector<double> x = Doubles(f, in[0], f.elements);
    std::vector<double> mean = Sums(f, [&](int64_t i, int64_t) { return x[i]; });
    for (double& m : mean) m /= f.share();
    std::vector<double> variance =
        Sums(f, [&](int64_t i, int64_t k) { return (x[i] - mean[k]) * (x[i] - mean[k]); });
    for (double& v : variance) v /= f.share();
    Store(f, Normalized(f, x, Doubles(f, in[1], f.count), Doubles(f, in[2], f.count), mean, variance),
          out[0]);
    Store(f, mean, out[1]);
    Store(f, variance, out[2]);
    return absl::OkStatus();
  };
  return draft;
}

absl::StatusOr<StepDraft> MakeBatchNormInference(const OpContext& context) {
  HLOCTS_ASSIGN_OR_RETURN(const Features f, FeaturesOf(context));
  StepDraft draft;
  draft.run = [f](Run&, In in, Out out) {
    Store(f,
          Normalized(f, Doubles(f, in[0], f.elements), Doubles(f, in[1], f.count),
                     Doubles(f, in[2], f.count), Doubles(f, in[3], f.count),
                     Doubles(f, in[4], f.count)),
          out[0]);
    return absl::OkStatus();
  };
  return draft;
}

// grad_operand = scale/sqrt(variance+epsilon) * (grad - mean(grad) - c * (x - mean)) with
// c = mean(grad * (x - mean)) / (variance + epsilon).
absl::StatusOr<StepDraft> MakeBatchNormGrad(const OpContext& context) {
  HLOCTS_ASSIGN_OR_RETURN(const Features f, FeaturesOf(context));
  StepDraft draft;
  draft.run = [f](Run&, In in, Out out) {
    const std::vector<double> x = Doubles(f, in[0], f.elements), scale = Doubles(f, in[1], f.count),
                              mean = Doubles(f, in[2], f.count),
                              variance = Doubles(f, in[3], f.count),
                              grad = Doubles(f, in[4], f.elements);
    const std::vector<double> centred =
        Sums(f, [&](int64_t i, int64_t k) { return grad[i] * (x[i] - mean[k]); });
    const std::vector<double> sums = Sums(f, [&](int64_t i, int64_t) { return grad[i]; });
    std::vector<double> grad_operand(f.elements), grad_scale(f.count);
    for (int64_t k = 0; k < f.count; ++k) {
      grad_scale[k] = centred[k] / std::sqrt(variance[k] + f.epsilon);
    }
    for (int64_t i = 0; i < f.elements; ++i) {
      const int64_t k = f.of(i);
      const double c = centred[k] / f.share() / (variance[k] + f.epsilon);
      grad_operand[i] = scale[k] / std::sqrt(variance[k] + f.epsilon) *
                        (grad[i] - sums[k] / f.share() - c * (x[i] - mean[k]));
    }
    Store(f, grad_operand, out[0]);
    Store(f, grad_scale, out[1]);
    Store(f, sums, out[2]);
    return absl::OkStatus();
  };
  return draft;
}

}  // namespace hlocts::cpu
