// SPDX-License-Identifier: Apache-2.0
// cholesky and triangular-solve by their kernels; f8 and the strict profile matrix by matrix in
// double.
#include "backends/engine/cpu/kernels/linear_algebra/linear_algebra.h"

#include <cmath>
#include <complex>
#include <limits>

#include "backends/engine/cpu/compile/op_list.h"
#include "backends/engine/cpu/moves/strided.h"

namespace hlocts::cpu {
namespace {

double Conjugate(double x) { return x; }
std::complex<double> Conjugate(std::complex<double> x) { return std::conj(x); }
double Real(double x) { return x; }
double Real(std::complex<double> x) { return x.real(); }

// The factor of the Hermitian matrix whose stated triangle is read; the other one becomes zero. NaN
// throughout when the matrix is not positive definite.
template <typename T>
void CholeskyOf(const T* a, int64_t n, bool lower, T* out) {
  auto at = [&](int64_t i, int64_t j) { return lower ? a[i * n + j] : Conjugate(a[j * n + i]); };
  std::vector<T> factor(n * n, T(0));
  bool definite = true;
  for (int64_t j = 0; definite && j < n; ++j) {
    for (int64_t i = j; i < n; ++i) {
      T sum = at(i, j);
      for (int64_t k = 0; k < j; ++k) sum -= factor[i * n + k] * Conjugate(factor[j * n + k]);
      if (i == j) {
        definite = Real(sum) > 0;
        factor[j * n + j] = std::sqrt(Real(sum));
      } else {
        factor[i * n + j] = sum / Real(factor[j * n + j]);
      }
    }
  }
  std::fill(out, out + n * n, T(0));
  const T nan(std::numeric_limits<double>::quiet_NaN());
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j <= i; ++j) {
      const T element = definite ? factor[i * n + j] : nan;
      (lower ? out[i * n + j] : out[j * n + i]) = lower ? element : Conjugate(element);
    }
  }
}

struct Solve {
  bool left, lower, unit, transposed, conjugated;
  int64_t m = 0, systems = 0;
};

// Substitution along columns of b, or along its rows with the roles of the triangle exchanged.
template <typename T>
void SolveOf(const Solve& s, const T* a, T* x) {
  const bool flipped = s.transposed != !s.left;
  auto at = [&](int64_t i, int64_t j) {
    const T element = flipped ? a[j * s.m + i] : a[i * s.m + j];
    return s.conjugated ? Conjugate(element) : element;
  };
  const bool lower = s.lower != flipped;
  const int64_t stride = s.left ? s.systems : 1;
  for (int64_t system = 0; system < s.systems; ++system) {
    T* b = x + (s.left ? system : system * s.m);
    for (int64_t step = 0; step < s.m; ++step) {
      const int64_t i = lower ? step : s.m - 1 - step;
      T sum = b[i * stride];
      for (int64_t j = lower ? 0 : i + 1; j < (lower ? i : s.m); ++j)
        sum -= at(i, j) * b[j * stride];
      b[i * stride] = s.unit ? sum : sum / at(i, i);
    }
  }
}

// visitor(T{}) with T the type of the computation.
template <typename Visitor>
void VisitComputed(PrimitiveType type, Visitor&& visitor) {
  if (IsComplex(type)) {
    visitor(std::complex<double>());
  } else {
    visitor(0.0);
  }
}
PrimitiveType ComputedType(PrimitiveType type) {
  return IsComplex(type) ? PrimitiveType::kC128 : PrimitiveType::kF64;
}

absl::Status CheckType(const OpContext& context) {
  const PrimitiveType type = context.in(0).type;
  if (IsFloat(type) || IsComplex(type)) return absl::OkStatus();
  return Unsupported(context.name(), ": element type ", PrimitiveTypeName(type));
}

bool HasKernel(const OpContext& context) {
  return !context.compiler.options().math.strict && BitWidth(context.in(0).type) >= 16 &&
         context.out(0).elements > 0;
}

}  // namespace

absl::StatusOr<StepDraft> MakeCholesky(const OpContext& context) {
  HLOCTS_RETURN_IF_ERROR(CheckType(context));
  const plan::ArrayType type = context.in(0);
  const int64_t n = type.dimensions.back();
  const bool lower = context.source().BoolOr(Attr::kLower, false);
  StepDraft draft;
  if (HasKernel(context)) {
    const kernels::Parallel parallel(context.compiler.options().threads);
    draft.run = [=](Run&, In in, Out out) {
      kernels::CholeskyRequest request;
      request.type = type.type;
      request.lower = lower;
      request.batch = type.elements / (n * n);
      request.size = n;
      request.operand = in[0];
      request.output = out[0];
      return kernels::Cholesky(parallel, request);
    };
    return draft;
  }
  draft.run = [=](Run&, In in, Out out) {
    const PrimitiveType computed = ComputedType(type.type);
    const Converted a(type.type, computed, in[0], type.elements);
    std::vector<uint8_t> result(type.elements * StorageBytes(computed));
    VisitComputed(type.type, [&](auto zero) {
      using T = decltype(zero);
      for (int64_t at = 0; n > 0 && at < type.elements; at += n * n) {
        CholeskyOf<T>(a.data<T>() + at, n, lower, reinterpret_cast<T*>(result.data()) + at);
      }
    });
    ConvertInto(computed, type.type, result.data(), type.elements, out[0]);
    return absl::OkStatus();
  };
  return draft;
}

absl::StatusOr<StepDraft> MakeTriangularSolve(const OpContext& context) {
  HLOCTS_RETURN_IF_ERROR(CheckType(context));
  const plan::ArrayType a_type = context.in(0), b_type = context.in(1);
  const absl::string_view transpose = context.source().WordOr(Attr::kTransposeA, "NO_TRANSPOSE");
  Solve s;
  s.left = context.source().BoolOr(Attr::kLeftSide, false);
  s.lower = context.source().BoolOr(Attr::kLower, false);
  s.unit = context.source().BoolOr(Attr::kUnitDiagonal, false);
  s.transposed = transpose != "NO_TRANSPOSE";
  s.conjugated = transpose == "ADJOINT";
  s.m = a_type.dimensions.back();
  s.systems = b_type.dimensions[b_type.rank() - (s.left ? 1 : 2)];
  StepDraft draft;
  if (HasKernel(context)) {
    const kernels::Parallel parallel(context.compiler.options().threads);
    draft.run = [=](Run&, In in, Out out) {
      kernels::TriangularSolveRequest request;
      request.type = b_type.type;
      request.left_side = s.left, request.lower = s.lower, request.unit_diagonal = s.unit;
      request.transpose = s.conjugated   ? kernels::TransposeKind::kAdjoint
                          : s.transposed ? kernels::TransposeKind::kTranspose
                                         : kernels::TransposeKind::kNone;
      request.rows = b_type.dimensions[b_type.rank() - 2];
      request.columns = b_type.dimensions[b_type.rank() - 1];
      request.batch = b_type.elements / (request.rows * request.columns);
      request.a = in[0];
      request.b = in[1];
      request.output = out[0];
      return kernels::TriangularSolve(parallel, request);
    };
    return draft;
  }
  draft.run = [=](Run&, In in, Out out) {
    const PrimitiveType computed = ComputedType(a_type.type);
    const Converted a(a_type.type, computed, in[0], a_type.elements);
    std::vector<uint8_t> x(b_type.elements * StorageBytes(computed));
    ConvertInto(b_type.type, computed, in[1], b_type.elements, x.data());
    VisitComputed(a_type.type, [&](auto zero) {
      using T = decltype(zero);
      const int64_t step = s.m * s.systems;
      for (int64_t at = 0, matrix = 0; step > 0 && at < b_type.elements;
           at += step, matrix += s.m * s.m) {
        SolveOf<T>(s, a.data<T>() + matrix, reinterpret_cast<T*>(x.data()) + at);
      }
    });
    ConvertInto(computed, b_type.type, x.data(), b_type.elements, out[0]);
    return absl::OkStatus();
  };
  return draft;
}

}  // namespace hlocts::cpu
