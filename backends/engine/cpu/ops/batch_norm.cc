// SPDX-License-Identifier: Apache-2.0
// Batch normalization: training, inference and gradient. The sums and coefficients of each feature
// are computed in double. Elements are normalized in f32 unless they are f64.
#include <algorithm>
#include <cmath>
#include <type_traits>

#include "backends/engine/cpu/compile/op_list.h"
#include "backends/engine/cpu/elementwise/kernel.h"
#include "backends/engine/cpu/elementwise/loop.h"
#include "backends/engine/cpu/kernels/runtime/thread_pool.h"
#include "backends/engine/cpu/moves/strided.h"

namespace hlocts::cpu {
namespace {

constexpr int64_t kBlock = 1024;     // number of elements decoded at a time
constexpr int64_t kPiece = 1 << 15;  // least number of elements that a thread adds
constexpr double kNanosecondsPerElement = 1;

using Doubles = std::vector<double>;

// The operand as [rows, count, inner]. `count` is the number of features.
struct Features {
  PrimitiveType type = PrimitiveType::kF32;
  int64_t rows = 0, count = 0, inner = 1;
  double epsilon = 0;
  kernels::Parallel parallel;

  int64_t row() const { return count * inner; }
  double share() const { return static_cast<double>(count > 0 ? rows * inner : 0); }
  // Returns the number by which a feature's elements are divided, given its variance.
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
  // HLO defines epsilon as an f32.
  f.epsilon = static_cast<float>(context.source().FloatOr(Attr::kEpsilon, 0));
  f.parallel = kernels::Parallel(context.compiler.options().threads);
  return f;
}

template <typename Real>
constexpr PrimitiveType kTypeOf =
    std::is_same_v<Real, float> ? PrimitiveType::kF32 : PrimitiveType::kF64;

template <typename Real>
void Decode(const Features& f, const uint8_t* array, int64_t first, int64_t count, Real* to) {
  ConvertInto(f.type, kTypeOf<Real>, array + first * StorageBytes(f.type), count,
              reinterpret_cast<uint8_t*>(to));
}
template <typename Real>
void Encode(const Features& f, const Real* from, int64_t first, int64_t count, uint8_t* array) {
  ConvertInto(kTypeOf<Real>, f.type, from, count, array + first * StorageBytes(f.type));
}
Doubles OfFeatures(const Features& f, const uint8_t* array) {
  Doubles result(f.count);
  Decode(f, array, 0, f.count, result.data());
  return result;
}
void Store(const Features& f, const Doubles& values, uint8_t* out) {
  Encode(f, values.data(), 0, static_cast<int64_t>(values.size()), out);
}

// Calls visit(first, count) for the elements of rows [begin, end), at most kBlock at a time.
template <typename Visit>
void ForBlocks(const Features& f, int64_t begin, int64_t end, Visit&& visit) {
  const int64_t stop = end * f.row();
  for (int64_t first = begin * f.row(); first < stop; first += kBlock) {
    visit(first, std::min(kBlock, stop - first));
  }
}

// Calls visit(at, length, feature) for each run of a block. A run begins at position `at` of the
// block. All its elements belong to one feature or, if inner is 1, to the consecutive features
// `feature`, `feature` + 1, ...
template <typename Visit>
void ForRuns(const Features& f, int64_t first, int64_t count, Visit&& visit) {
  for (int64_t at = 0, length; at < count; at += length) {
    const int64_t feature = (first + at) / f.inner % f.count;
    const int64_t left = f.inner == 1 ? f.count - feature : f.inner - (first + at) % f.inner;
    length = std::min(left, count - at);
    visit(at, length, feature);
  }
}

// Calls visit(at, feature) for each element of a block.
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

// Adds the terms [0, count) of one feature as eight independent sums.
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

// Returns the sum of term(x, y, feature) over the elements of each feature in two arrays. If `y` is
// null, y is 0. Rows are added in pieces of a fixed size, so the bits do not depend on threads.
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

// Sets out = map(x, y, feature) for each element.
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

constexpr int64_t kShortRun = 64, kLaidOut = 1 << 10;  // in elements

// The coefficients that normalize elements. If runs are short, the coefficients are repeated, so
// that several runs are processed as one.
template <typename Real>
struct Normalizer {
  using Reals = std::vector<Real>;

  Normalizer(const Features& features, const Doubles& means, const Doubles& variances, In in)
      : f(features) {
    const Doubles scale = OfFeatures(f, in[1]), shift = OfFeatures(f, in[2]);
    const bool in_rows = f.inner < kShortRun && f.row() <= kLaidOut;
    const int64_t repeats = in_rows ? std::min(kLaidOut / f.row(), f.rows) : 1;
    const int64_t each = in_rows ? f.inner : 1;
    for (int64_t r = 0; r < repeats; ++r) {
      for (int64_t k = 0; k < f.count; ++k) {
        mean.insert(mean.end(), each, static_cast<Real>(means[k]));
        factor.insert(factor.end(), each, static_cast<Real>(scale[k] / f.root(variances[k])));
        offset.insert(offset.end(), each, static_cast<Real>(shift[k]));
      }
    }
    if (in_rows) f.inner = 1;
    f.count = static_cast<int64_t>(mean.size());
  }
  // Normalizes elements [first, first + count) of the array.
  void operator()(const Real* x, int64_t first, int64_t count, Real* out) const {
    ForRuns(f, first, count, [&](int64_t at, int64_t length, int64_t k) {
      const int64_t step = f.inner > 1 ? 0 : 1;
      for (int64_t i = 0; i < length; ++i) {
        const int64_t n = k + i * step;
        out[at + i] = (x[at + i] - mean[n]) * factor[n] + offset[n];
      }
    });
  }

  Features f;  // describes the repeated coefficients
  Reals mean, factor, offset;
};

template <typename Real>
void NormalizeIn(const Features& f, In in, const Doubles& mean, const Doubles& variance,
                 uint8_t* out) {
  const Normalizer<Real> normalize(f, mean, variance, in);
  const bool in_place = f.type == kTypeOf<Real>;
  const auto run = [&](int64_t begin, int64_t end) {
    if (in_place) {
      return normalize(reinterpret_cast<const Real*>(in[0]) + begin, begin, end - begin,
                       reinterpret_cast<Real*>(out) + begin);
    }
    Real xs[kBlock];
    for (int64_t first = begin; first < end; first += kBlock) {
      const int64_t count = std::min(kBlock, end - first);
      Decode(f, in[0], first, count, xs);
      normalize(xs, first, count, xs);
      Encode(f, xs, first, count, out);
    }
  };
  f.parallel.For(f.rows * f.row(), 0.5, run, kLaidOut);
}

void Normalize(const Features& f, In in, const Doubles& mean, const Doubles& variance,
               uint8_t* out) {
  if (f.rows == 0) return;
  const auto normalize = f.type == PrimitiveType::kF64 ? NormalizeIn<double> : NormalizeIn<float>;
  normalize(f, in, mean, variance, out);
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

// Computes grad_operand = scale/sqrt(variance+epsilon) * (grad - mean(grad) - c * (x - mean)),
// where c = mean(grad * (x - mean)) / (variance + epsilon).
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
