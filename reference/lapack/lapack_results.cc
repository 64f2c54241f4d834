// SPDX-License-Identifier: Apache-2.0
#include "reference/lapack/lapack_results.h"

#include <algorithm>
#include <limits>

#include "reference/lapack/factorizations.h"
#include "spec/ir/instruction.h"

namespace hlocts::reference {
namespace {

WideMatrix Row(const std::vector<long double>& values) {
  WideMatrix row = WideMatrix::Zero(1, static_cast<int64_t>(values.size()));
  std::copy(values.begin(), values.end(), row.at.begin());
  return row;
}

WideMatrix FirstColumns(const WideMatrix& a, int64_t columns) {
  WideMatrix result = WideMatrix::Zero(a.rows, columns);
  for (int64_t i = 0; i < a.rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) result(i, j) = a(i, j);
  }
  return result;
}

// Computes potrf, which leaves the other triangle unchanged.
std::vector<WideMatrix> Cholesky(const LapackCall& call, const WideMatrix& a) {
  WideMatrix l, result = a;
  const int64_t info = FactorCholesky(HermitianFrom(a, call.lower), l);
  for (int64_t i = 0; i < a.rows; ++i) {
    for (int64_t j = 0; j <= i; ++j) {
      (call.lower ? result(i, j) : result(j, i)) = call.lower ? l(i, j) : std::conj(l(i, j));
    }
  }
  return {result, WideNumber(static_cast<long double>(info))};
}

std::vector<WideMatrix> Lu(WideMatrix a) {
  std::vector<int64_t> pivots;
  const int64_t info = FactorLu(a, pivots);
  const std::vector<long double> rows(pivots.begin(), pivots.end());
  return {a, Row(rows), WideNumber(static_cast<long double>(info))};
}

WideMatrix Transposed(const WideMatrix& a, bool conjugate) {
  WideMatrix result = ConjugateTransposed(a);
  if (!conjugate) {
    for (Wide& x : result.at) x = std::conj(x);
  }
  return result;
}

// Computes trsm: X op(A) = B is solved as op(A)^T X^T = B^T.
WideMatrix Solve(const LapackCall& call, const WideMatrix& a, WideMatrix b) {
  WideMatrix t = call.transpose == 'N' ? a : Transposed(a, call.transpose == 'C');
  bool lower = call.lower == (call.transpose == 'N');
  if (!call.left) {
    t = Transposed(t, /*conjugate=*/false);
    b = Transposed(b, /*conjugate=*/false);
    lower = !lower;
  }
  SolveTriangular(t, lower, call.unit, b);
  return call.left ? b : Transposed(b, /*conjugate=*/false);
}

WideMatrix RowOf(const std::vector<Wide>& values) {
  return {1, static_cast<int64_t>(values.size()), values};
}

std::vector<WideMatrix> Qr(WideMatrix a) {
  const std::vector<Wide> tau = FactorQr(a);
  return {a, RowOf(tau)};
}

std::vector<WideMatrix> PivotedQr(WideMatrix a, WideMatrix pivots) {
  const std::vector<Wide> tau = FactorQr(a, &pivots);
  return {a, pivots, RowOf(tau)};
}

std::vector<WideMatrix> Hessenberg(WideMatrix a) {
  const std::vector<Wide> tau = FactorHessenberg(a);
  return {a, RowOf(tau), WideNumber(0)};
}

// Computes sytrd. Reversing the rows and columns turns the upper triangle into the lower triangle.
std::vector<WideMatrix> Tridiagonal(const LapackCall& call, const WideMatrix& a) {
  WideMatrix h = HermitianFrom(call.lower ? a : Reversed(a), /*lower=*/true);
  std::vector<Wide> diagonal, beside;
  const std::vector<Wide> tau = FactorHessenberg(h);
  for (int64_t i = 0; i < h.rows; ++i) {
    diagonal.push_back(h(i, i));
    if (i > 0) beside.push_back(h(i, i - 1));
  }
  std::vector<WideMatrix> results = {h, RowOf(diagonal), RowOf(beside), RowOf(tau)};
  for (WideMatrix& result : results) result = call.lower ? result : Reversed(result);
  results.push_back(WideNumber(0));
  return results;
}

// Computes gtsv. The diagonals, which LAPACK overwrites with factors, keep their values.
std::vector<WideMatrix> TridiagonalSolve(const std::vector<WideMatrix>& operands) {
  WideMatrix lu = TridiagonalMatrix(operands[0], operands[1], operands[2]), x = operands[3];
  std::vector<int64_t> pivots;
  const int64_t info = FactorLu(lu, pivots);
  if (info == 0) SolveFactored(lu, pivots, x);
  return {operands[0], operands[1], operands[2], x, WideNumber(static_cast<long double>(info))};
}

// Returns the leaves of the eigenvalues: for a real matrix, the real and the imaginary parts.
std::vector<WideMatrix> Values(const LapackCall& call, const WideMatrix& values) {
  if (call.complex) return {values};
  WideMatrix real = values, imaginary = values;
  for (Wide& x : real.at) x = x.real();
  for (Wide& x : imaginary.at) x = x.imag();
  return {real, imaginary};
}

std::vector<WideMatrix> Schur(const LapackCall& call, WideMatrix t) {
  WideMatrix z;
  const int64_t info = DecomposeSchur(t, !call.complex, z);
  std::vector<WideMatrix> results = {t, z};
  for (WideMatrix& values : Values(call, DiagonalEigenvalues(t))) results.push_back(values);
  results.push_back(WideNumber(0));
  results.push_back(WideNumber(static_cast<long double>(info)));
  return results;
}

std::vector<WideMatrix> GeneralEigen(const LapackCall& call, const WideMatrix& a) {
  WideMatrix values, left, right;
  const int64_t info = DecomposeEigen(a, !call.complex, values, left, right);
  std::vector<WideMatrix> results = Values(call, values);
  results.push_back(left);
  results.push_back(right);
  results.push_back(WideNumber(static_cast<long double>(info)));
  return results;
}

std::vector<WideMatrix> Eigen(const LapackCall& call, const WideMatrix& a) {
  WideMatrix vectors;
  std::vector<long double> values;
  DecomposeHermitian(HermitianFrom(a, call.lower), vectors, values);
  // Without eigenvectors, LAPACK overwrites the matrix with unspecified values.
  if (call.job == 'N') vectors = WideMatrix::Zero(a.rows, a.columns);
  return {vectors, Row(values), WideNumber(0)};
}

std::vector<WideMatrix> Singular(const LapackCall& call, const WideMatrix& a, const Shape& shape) {
  WideMatrix u, v;
  std::vector<long double> values;
  DecomposeSingular(a, u, values, v);
  const WideMatrix rest = WideMatrix::Zero(a.rows, a.columns);
  // Without singular vectors, the routine does not write their buffers.
  if (call.job == 'N') return {rest, Row(values), {}, {}, WideNumber(0)};
  const std::vector<Shape>& leaves = shape.tuple_shapes();
  return {rest, Row(values), FirstColumns(u, leaves[2].dimension(-1)),
          ConjugateTransposed(FirstColumns(v, leaves[3].dimension(-2))), WideNumber(0)};
}

// Returns the number of elements of one batch of a result.
int64_t PerBatch(const Shape& leaf, int64_t batches) {
  return batches == 0 ? 0 : leaf.ElementCount() / batches;
}

void Fill(const std::vector<WideMatrix>& results, int64_t b, int64_t batches,
          absl::Span<Literal* const> leaves) {
  for (size_t i = 0; i < leaves.size(); ++i) {
    if (results[i].at.empty()) continue;
    Store(results[i], *leaves[i], b * PerBatch(leaves[i]->shape(), batches));
  }
}

void FillWithNan(int64_t b, int64_t batches, absl::Span<Literal* const> leaves) {
  const long double nan = std::numeric_limits<long double>::quiet_NaN();
  for (Literal* leaf : leaves) {
    if (leaf->element_type() == PrimitiveType::kS32) continue;
    const int64_t count = PerBatch(leaf->shape(), batches);
    WideMatrix row = WideMatrix::Zero(1, count);
    std::fill(row.at.begin(), row.at.end(), Wide(nan));
    Store(row, *leaf, b * count);
  }
}

}  // namespace

std::vector<WideMatrix> OperandsOf(absl::Span<const Literal> operands, int64_t b, int64_t batches) {
  std::vector<WideMatrix> result;
  for (const Literal& operand : operands) {
    const int64_t count = PerBatch(operand.shape(), batches);
    const int64_t columns = operand.shape().dimension(-1);
    result.push_back(MatrixOf(operand, b * count, columns == 0 ? 0 : count / columns, columns));
  }
  return result;
}

std::vector<WideMatrix> ResultsOf(const LapackCall& call, const std::vector<WideMatrix>& operands,
                                  const Shape& shape) {
  switch (call.routine) {
    case LapackRoutine::kCholesky:
      return Cholesky(call, operands[0]);
    case LapackRoutine::kLu:
      return Lu(operands[0]);
    case LapackRoutine::kTriangularSolve:
      return {Solve(call, operands[0], operands[1])};
    case LapackRoutine::kQr:
      return Qr(operands[0]);
    case LapackRoutine::kPivotedQr:
      return PivotedQr(operands[0], operands[1]);
    case LapackRoutine::kQrApply:
      return {ApplyQ(call, operands[0], operands[1], operands[2])};
    case LapackRoutine::kHessenberg:
      return Hessenberg(operands[0]);
    case LapackRoutine::kTridiagonal:
      return Tridiagonal(call, operands[0]);
    case LapackRoutine::kTridiagonalSolve:
      return TridiagonalSolve(operands);
    case LapackRoutine::kSchur:
      return Schur(call, operands[0]);
    case LapackRoutine::kEigen:
      return GeneralEigen(call, operands[0]);
    case LapackRoutine::kQrProduct:
      return {ProductOfReflectors(operands[0], operands[1].at, shape.dimension(-1))};
    case LapackRoutine::kHermitianEigen:
      return Eigen(call, operands[0]);
    case LapackRoutine::kSingularValues:
      return Singular(call, operands[0], shape);
  }
  return {};
}

absl::StatusOr<Literal> EvaluateLapack(const LapackCall& call, const Instruction& custom_call,
                                       absl::Span<const Literal> operands) {
  HLOCTS_RETURN_IF_ERROR(CheckLapackShapes(call, custom_call));
  const Shape& shape = custom_call.shape();
  Literal result(shape);
  std::vector<Literal*> leaves;
  if (shape.IsTuple()) {
    for (Literal& leaf : result.mutable_elements()) leaves.push_back(&leaf);
  } else {
    leaves.push_back(&result);
  }
  const int64_t batches = BatchCount(call, operands[0].shape());
  for (int64_t b = 0; b < batches; ++b) {
    const std::vector<WideMatrix> given = OperandsOf(operands, b, batches);
    if (!std::all_of(given.begin(), given.end(), [](const auto& m) { return m.AllFinite(); })) {
      FillWithNan(b, batches, leaves);
      continue;
    }
    Fill(ResultsOf(call, given, shape), b, batches, leaves);
  }
  return result;
}

}  // namespace hlocts::reference
