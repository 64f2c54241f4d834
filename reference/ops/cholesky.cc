// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include "reference/kernels/linear_algebra.h"
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

}  // namespace hlocts::reference
