// SPDX-License-Identifier: Apache-2.0
#include "reference/kernels/linear_algebra.h"

#include <limits>

#include "reference/ops/structured.h"
#include "reference/ops/wide.h"

namespace hlocts::reference {
namespace {

template <typename W>
void CholeskyOfOne(const W* a, int64_t n, bool lower, W* out) {
  // An upper triangle is the conjugate of the lower triangle of the same Hermitian matrix.
  auto at = [&](int64_t i, int64_t j) { return lower ? a[i * n + j] : Conjugate(a[j * n + i]); };
  std::vector<W> factor;
  const bool positive_definite = CholeskyKernel<W>(n, at, factor);
  using Real = decltype(RealPart(W()));
  const W nan(std::numeric_limits<Real>::quiet_NaN());
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j <= i; ++j) {
      const W element = positive_definite ? factor[i * n + j] : nan;
      (lower ? out[i * n + j] : out[j * n + i]) = lower ? element : Conjugate(element);
    }
  }
}

struct Solve {
  bool left_side, lower, unit_diagonal, transposed, conjugated;
  int64_t m = 0;  // a is m x m
  int64_t k = 0;  // number of systems: columns of b with left_side, otherwise rows
};

// Solves x * t = b as transpose(t) * transpose(x) = transpose(b), by substitution along rows.
template <typename W>
void SolveOne(const Solve& solve, const W* a, W* x) {
  const bool flipped = solve.transposed != !solve.left_side;
  auto at = [&](int64_t i, int64_t j) {
    const W element = flipped ? a[j * solve.m + i] : a[i * solve.m + j];
    return solve.conjugated ? Conjugate(element) : element;
  };
  const bool lower = solve.lower != flipped;
  for (int64_t system = 0; system < solve.k; ++system) {
    W* first = x + (solve.left_side ? system : system * solve.m);
    SubstituteKernel<W>(solve.m, lower, solve.unit_diagonal, at, first,
                        solve.left_side ? solve.k : 1);
  }
}

}  // namespace

// cholesky.6-13: computes for each matrix of the batch the lower triangular l with a = l * l^H, or
// the upper triangular u with a = u^H * u, and reads only that triangle of a (ruling 0032). The
// other triangle of the result is zero, and a matrix that is not positive definite yields NaN in
// the computed triangle. cholesky.11 and .14 leave both open; ruling 0031 permits these choices.
absl::StatusOr<Literal> EvaluateCholesky(EvalContext& context, const Instruction& instruction,
                                         absl::Span<Literal> operands) {
  const Literal& a = operands[0];
  const Shape shape(a.element_type(), a.shape().dimensions());
  const int64_t n = shape.dimension(-1);
  const bool lower = instruction.BoolOr(Attr::kLower, false);
  HLOCTS_RETURN_IF_ERROR(context.ReserveMemory(shape));
  HLOCTS_RETURN_IF_ERROR(context.ReserveBytes(2 * a.element_count() * 32));
  return VisitWide(a.element_type(), instruction.name(), [&](auto zero) {
    using W = decltype(zero);
    const std::vector<W> elements = Widened<W>(a);
    std::vector<W> out(elements.size(), W(0));
    const int64_t step = std::max<int64_t>(n * n, 1);
    for (int64_t at = 0; at < a.element_count(); at += step) {
      CholeskyOfOne<W>(elements.data() + at, n, lower, out.data() + at);
    }
    return Narrowed<W>(out, shape);
  });
}

// triangular_solve.3-18: computes x with op(a) * x = b (left_side) or x * op(a) = b for each matrix
// of the batch. `lower` selects the triangle of a itself, before transpose_a. The other triangle is
// not read. If unit_diagonal is set, the diagonal is not read either. All of x is defined; a zero
// on the diagonal is a divisor (ruling 0033).
absl::StatusOr<Literal> EvaluateTriangularSolve(EvalContext& context,
                                                const Instruction& instruction,
                                                absl::Span<Literal> operands) {
  const Literal &a = operands[0], &b = operands[1];
  const Shape shape(b.element_type(), b.shape().dimensions());
  const absl::string_view transpose = instruction.WordOr(Attr::kTransposeA, "NO_TRANSPOSE");
  Solve solve{.left_side = instruction.BoolOr(Attr::kLeftSide, false),
              .lower = instruction.BoolOr(Attr::kLower, false),
              .unit_diagonal = instruction.BoolOr(Attr::kUnitDiagonal, false),
              .transposed = transpose != "NO_TRANSPOSE",
              .conjugated = transpose == "ADJOINT",
              .m = a.shape().dimension(-1)};
  solve.k = shape.dimension(solve.left_side ? -1 : -2);
  HLOCTS_RETURN_IF_ERROR(context.ReserveMemory(shape));
  HLOCTS_RETURN_IF_ERROR(context.ReserveBytes((a.element_count() + b.element_count()) * 32));
  return VisitWide(b.element_type(), instruction.name(), [&](auto zero) {
    using W = decltype(zero);
    const std::vector<W> matrices = Widened<W>(a);
    std::vector<W> x = Widened<W>(b);
    const int64_t step = std::max<int64_t>(solve.m * solve.k, 1);
    for (int64_t at = 0, matrix = 0; at < b.element_count();
         at += step, matrix += solve.m * solve.m) {
      SolveOne<W>(solve, matrices.data() + matrix, x.data() + at);
    }
    return Narrowed<W>(x, shape);
  });
}

}  // namespace hlocts::reference
