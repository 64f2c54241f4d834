// Batch normalization: training, inference and gradient, per feature, in double.
#include <algorithm>
#include <cmath>
#include <iterator>

#include "backends/cpu/elementwise/kernel.h"
#include "backends/cpu/elementwise/loop.h"
#include "backends/cpu/kernels/thread_pool.h"
#include "backends/cpu/ops/op_list.h"
#include "backends/cpu/ops/strided.h"

namespace hlocts::cpu {
namespace {

constexpr int64_t kBlock = 1024;     // elements decoded at a time
constexpr int64_t kPiece = 1 << 15;  // elements summed by one thread, at least
constexpr double kNanosecondsPerElement = 1;

using Doubles = std::vector<double>;

// The operand's dimensions as [rows, count, inner], features being the middle one.
struct Features {
  PrimitiveType type = PrimitiveType::kF32;
  int64_t rows = 0, count = 0, inner = 1;
  double epsilon = 0;
  kernels::Parallel parallel;

  int64_t row() const { return count * inner; }
  double share() const { return static_cast<double>(count > 0 ? rows * inner : 0); }
  // What the elements of a feature of this variance are divided by.
  double root(double variance) const { return std::sqrt(variance + epsilon); }
};

absl::StatusOr<Features> FeaturesOf(const OpContext& context) {
  const plan::ArrayType& operand = context.in(0);
  if (!IsFloat(operand.type)) {
    return Unsupported(context.name(), ": element type ", PrimitiveTypeName(operand.type));
  }
  const int64_t index = context.source().IntOr(Attr::kFeatureIndex, 0);
  Features f;
  f.type = operand.type;
  f.count = operand.dimensions[index];
  for (int64_t d = index + 1; d < operand.rank(); ++d) f.inner *= operand.dimensions[d];
  f.rows = f.row() == 0 ? 0 : operand.elements / f.row();
  // epsilon is an f32 in the language.
  f.epsilon = static_cast<float>(context.source().FloatOr(Attr::kEpsilon, 0));
  f.parallel = kernels::Parallel(context.compiler.options().threads);
  return f;
}

void Decode(const Features& f, const uint8_t* array, int64_t first, int64_t count, double* to) {
  ConvertInto(f.type, PrimitiveType::kF64, array + first * StorageBytes(f.type), count,
              reinterpret_cast<uint8_t*>(to));
}
void Encode(const Features& f, const double* from, int64_t first, int64_t count, uint8_t* array) {
  ConvertInto(PrimitiveType::kF64, f.type, from, count, array + first * StorageBytes(f.type));
}
Doubles OfFeatures(const Features& f, const uint8_t* array) {
  Doubles result(f.count);
  Decode(f, array, 0, f.count, result.data());
  return result;
}
void Store(const Features& f, const Doubles& values, uint8_t* out) {
  Encode(f, values.data(), 0, static_cast<int64_t>(values.size()), out);
}

// visit(first, count) for the elements of rows [begin, end), at most kBlock at a time.
template <typename Visit>
void ForBlocks(const Features& f, int64_t begin, int64_t end, Visit&& visit) {
  const int64_t stop = end * f.row();
  for (int64_t first = begin * f.row(); first < stop; first += kBlock) {
    visit(first, std::min(kBlock, stop - first));
  }
}

// visit(at, length, feature) for the runs of a block: elements from the block's place `at` on that
// all belong to one feature or, where features are innermost, to the features from there on.
template <typename Visit>
void ForRuns(const Features& f, int64_t first, int64_t count, Visit&& visit) {
  for (int64_t at = 0, length; at < count; at += length) {
    const int64_t feature = (first + at) / f.inner % f.count;
    const int64_t left = f.inner == 1 ? f.count - feature : f.inner - (first + at) % f.inner;
    length = std::min(left, count - at);
    visit(at, length, feature);
  }
}

// visit(at, feature) for each element of a block.
template <typename Visit>
void ForElements(const Features& f, int64_t first, int64_t count, Visit&& visit) {
  ForRuns(f, first, count, [&](int64_t at, int64_t length, int64_t feature) {
    if (f.inner == 1) {
      HLOCTS_CPU_INDEPENDENT
      for (int64_t j = 0; j < length; ++j) visit(at + j, feature + j);
    } else {
      HLOCTS_CPU_INDEPENDENT
      for (int64_t j = 0; j < length; ++j) visit(at + j, feature);
    }
  });
}

// Adds terms [0, count) of one feature in eight sums side by side.
template <typename Term>
double SumOf(int64_t count, Term&& term) {
  constexpr int kSums = 8;
  double sums[kSums] = {};
  int64_t i = 0;
  for (; i + kSums <= count; i += kSums) {
    for (int j = 0; j < kSums; ++j) sums[j] += term(i + j);
  }
  for (; i < count; ++i) sums[i % kSums] += term(i);
  return ((sums[0] + sums[4]) + (sums[2] + sums[6])) + ((sums[1] + sums[5]) + (sums[3] + sums[7]));
}

// Sums per feature of term(x, y, feature), x and y being elements of two arrays (y 0 if there is no
// second one). Each piece of rows has sums of its own, whatever thread it falls to.
template <typename Term>
Doubles Sums(const Features& f, const uint8_t* x, const uint8_t* y, Term&& term) {
  const int64_t piece = std::max<int64_t>(1, kPiece / std::max<int64_t>(f.row(), 1));
  const int64_t pieces = (f.rows + piece - 1) / piece;
  Doubles sums(pieces * f.count);
  f.parallel.For(pieces, kNanosecondsPerElement * piece * f.row(), [&](int64_t p, int64_t end) {
    double xs[kBlock], ys[kBlock] = {};
    for (; p < end; ++p) {
      double* own = sums.data() + p * f.count;
      const int64_t stop = std::min(f.rows, (p + 1) * piece);
      ForBlocks(f, p * piece, stop, [&](int64_t first, int64_t count) {
        Decode(f, x, first, count, xs);
        if (y != nullptr) Decode(f, y, first, count, ys);
        if (f.inner == 1) {
          ForElements(f, first, count,
                      [&](int64_t i, int64_t k) { own[k] += term(xs[i], ys[i], k); });
          return;
        }
        ForRuns(f, first, count, [&](int64_t at, int64_t length, int64_t k) {
          own[k] += SumOf(length, [&](int64_t i) { return term(xs[at + i], ys[at + i], k); });
        });
      });
    }
  });
  Doubles result(f.count, 0);
  for (int64_t p = 0; p < pieces; ++p) {
    for (int64_t k = 0; k < f.count; ++k) result[k] += sums[p * f.count + k];
  }
  return result;
}

// out = map(x, y, feature), element by element.
template <typename Map>
void MapElements(const Features& f, const uint8_t* x, const uint8_t* y, uint8_t* out, Map&& map) {
  f.parallel.For(f.rows, kNanosecondsPerElement * f.row(), [&](int64_t begin, int64_t end) {
    double xs[kBlock], ys[kBlock] = {};
    ForBlocks(f, begin, end, [&](int64_t first, int64_t count) {
      Decode(f, x, first, count, xs);
      if (y != nullptr) Decode(f, y, first, count, ys);
      ForElements(f, first, count, [&](int64_t i, int64_t k) { xs[i] = map(xs[i], ys[i], k); });
      Encode(f, xs, first, count, out);
    });
  });
}

// factor * (x - mean) + offset of a run of elements, by the kernels of element-wise operations:
// each of its elements has the next feature, or all have the first.
class AffineRun {
 public:
  explicit AffineRun(bool one_feature) {
    for (size_t n = 0; n < std::size(steps_); ++n) {
      steps_[n] = ArithmeticKernel(kOpcodes[n], PrimitiveType::kF64);
      if (one_feature) steps_[n].parameters.single = 2;
    }
  }
  void operator()(const double* mean, const double* factor, const double* offset, int64_t count,
                  double* x) const {
    const double* const operands[] = {mean, factor, offset};
    for (size_t n = 0; n < std::size(steps_); ++n) steps_[n](x, operands[n], nullptr, x, count);
  }

 private:
  static constexpr Opcode kOpcodes[] = {Opcode::kSubtract, Opcode::kMultiply, Opcode::kAdd};
  Kernel steps_[std::size(kOpcodes)];
};

void Normalize(const Features& f, In in, const Doubles& mean, const Doubles& variance,
               uint8_t* out) {
  const Doubles offset = OfFeatures(f, in[2]);
  Doubles factor = OfFeatures(f, in[1]);
  for (int64_t k = 0; k < f.count; ++k) factor[k] /= f.root(variance[k]);
  const AffineRun affine(f.inner > 1);
  f.parallel.For(f.rows, kNanosecondsPerElement * f.row(), [&](int64_t begin, int64_t end) {
    double xs[kBlock];
    ForBlocks(f, begin, end, [&](int64_t first, int64_t count) {
      Decode(f, in[0], first, count, xs);
      ForRuns(f, first, count, [&](int64_t at, int64_t length, int64_t k) {
        affine(&mean[k], &factor[k], &offset[k], length, xs + at);
      });
      Encode(f, xs, first, count, out);
    });
  });
}

}  // namespace

absl::StatusOr<StepDraft> MakeBatchNormTraining(const OpContext& context) {
  HLOCTS_ASSIGN_OR_RETURN(const Features f, FeaturesOf(context));
  StepDraft draft;
  draft.run = [f](Run&, In in, Out out) {
    Doubles mean = Sums(f, in[0], nullptr, [](double x, double, int64_t) { return x; });
    for (double& m : mean) m /= f.share();
    Doubles variance = Sums(f, in[0], nullptr, [&](double x, double, int64_t k) {
      return (x - mean[k]) * (x - mean[k]);
    });
    for (double& v : variance) v /= f.share();
    Normalize(f, in, mean, variance, out[0]);
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
    Normalize(f, in, OfFeatures(f, in[3]), OfFeatures(f, in[4]), out[0]);
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
    const Doubles mean = OfFeatures(f, in[2]), variance = OfFeatures(f, in[3]);
    const Doubles centred = Sums(
        f, in[0], in[4], [&](double x, double grad, int64_t k) { return grad * (x - mean[k]); });
    const Doubles sums = Sums(f, in[4], nullptr, [](double grad, double, int64_t) { return grad; });
    Doubles factor = OfFeatures(f, in[1]), c(f.count), share(f.count), grad_scale(f.count);
    for (int64_t k = 0; k < f.count; ++k) {
      const double root = f.root(variance[k]);
      grad_scale[k] = centred[k] / root;
      factor[k] /= root;
      share[k] = sums[k] / f.share();
      c[k] = centred[k] / f.share() / (variance[k] + f.epsilon);
    }
    MapElements(f, in[0], in[4], out[0], [&](double x, double grad, int64_t k) {
      return factor[k] * (grad - share[k] - c[k] * (x - mean[k]));
    });
    Store(f, grad_scale, out[1]);
    Store(f, sums, out[2]);
    return absl::OkStatus();
  };
  return draft;
}

}  // namespace hlocts::cpu
