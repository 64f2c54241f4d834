// SPDX-License-Identifier: Apache-2.0
#include "reference/lapack/lapack_results.h"

#include <algorithm>
#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
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

std::vector<WideMatrix> Qr(WideMatrix a) {
  const std::vector<Wide> tau = FactorQr(a);
  WideMatrix row = WideMatrix::Zero(1, static_cast<int64_t>(tau.size()));
  row.at = tau;
  return {a, row};
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

// Dimensions of a result. ResultSizes omits undefined results, whose dimensions are free.
using Sizes = std::vector<int64_t>;

std::vector<Sizes> ResultSizes(const LapackCall& call, const Shape& result, const Sizes& a) {
  const int64_t m = a[0], n = a[1], k = std::min(m, n);
  switch (call.routine) {
    case LapackRoutine::kCholesky:
      return {{n, n}, {}};
    case LapackRoutine::kLu:
      return {{m, n}, {k}, {}};
    case LapackRoutine::kTriangularSolve:
      return {call.left ? Sizes{n, result.dimension(-1)} : Sizes{result.dimension(-2), n}};
    case LapackRoutine::kQr:
      return {{m, n}, {k}};
    case LapackRoutine::kQrProduct:
      return {{m, std::clamp<int64_t>(result.dimension(-1), 0, m)}};
    case LapackRoutine::kHermitianEigen:
      return {{n, n}, {n}, {}};
    case LapackRoutine::kSingularValues: {
      const bool thin = call.job == 'S';
      if (call.job == 'N') return {{m, n}, {k}};
      return {{m, n}, {k}, {m, thin ? k : m}, {thin ? k : n, n}, {}};
    }
  }
  return {};
}

bool NeedsSquare(LapackRoutine routine) {
  return routine == LapackRoutine::kCholesky || routine == LapackRoutine::kTriangularSolve ||
         routine == LapackRoutine::kHermitianEigen;
}

Sizes WithBatches(const Shape& operand, const Sizes& sizes) {
  const absl::Span<const int64_t> dimensions = operand.dimensions();
  Sizes result(dimensions.begin(), dimensions.end() - 2);
  result.insert(result.end(), sizes.begin(), sizes.end());
  return result;
}

absl::Status ExpectSizes(const Instruction& call, absl::string_view of, const Sizes& expected,
                         const Shape& found) {
  if (found.IsArray() && found.dimensions() == absl::Span<const int64_t>(expected)) {
    return absl::OkStatus();
  }
  return InvalidInput(call.name(), ": expected ", of, " of dimensions [",
                      absl::StrJoin(expected, ","), "], found ", found.ToString(false));
}

// Checks the second operand: a right-hand side like the result, or the factors of the reflectors.
absl::Status CheckSecondOperand(const LapackCall& call, const Instruction& custom_call,
                                const Sizes& a) {
  const Shape& second = custom_call.operand(1).shape();
  if (call.routine == LapackRoutine::kTriangularSolve) {
    const absl::Span<const int64_t> sizes = custom_call.shape().dimensions();
    return ExpectSizes(custom_call, "a right-hand side", Sizes(sizes.begin(), sizes.end()), second);
  }
  const int64_t k = second.rank() == 0 ? 0 : second.dimension(-1);
  const int64_t most = std::min({k, a[0], a[1], custom_call.shape().dimension(-1)});
  return ExpectSizes(custom_call, "factors", WithBatches(custom_call.operand(0).shape(), {most}),
                     second);
}

}  // namespace

absl::Status CheckLapackShapes(const LapackCall& call, const Instruction& custom_call) {
  const Shape& operand = custom_call.operand(0).shape();
  const Sizes a = {operand.dimension(-2), operand.dimension(-1)};
  if (NeedsSquare(call.routine) && a[0] != a[1]) {
    return InvalidInput(custom_call.name(), ": expected a square matrix, found ",
                        operand.ToString(false));
  }
  const std::vector<Shape> one = {custom_call.shape()};
  const std::vector<Shape>& leaves =
      custom_call.shape().IsTuple() ? custom_call.shape().tuple_shapes() : one;
  if (!custom_call.shape().IsTuple() && custom_call.shape().rank() < 2) {
    return InvalidInput(custom_call.name(), ": expected a matrix, found ",
                        custom_call.shape().ToString(false));
  }
  const std::vector<Sizes> sizes = ResultSizes(call, leaves[0], a);
  for (size_t i = 0; i < sizes.size(); ++i) {
    HLOCTS_RETURN_IF_ERROR(ExpectSizes(custom_call, absl::StrCat("result ", i),
                                       WithBatches(operand, sizes[i]), leaves[i]));
  }
  return custom_call.operand_count() < 2 ? absl::OkStatus()
                                         : CheckSecondOperand(call, custom_call, a);
}

int64_t BatchCount(const Literal& operand) {
  const Shape& shape = operand.shape();
  const int64_t size = shape.dimension(-1) * shape.dimension(-2);
  return size == 0 ? 0 : shape.ElementCount() / size;
}

std::vector<WideMatrix> OperandsOf(absl::Span<const Literal> operands, int64_t b) {
  std::vector<WideMatrix> result;
  const int64_t batches = BatchCount(operands[0]);
  for (const Literal& operand : operands) {
    const Shape& shape = operand.shape();
    const int64_t count = PerBatch(shape, batches);
    // The factors of orgqr have one dimension less than the matrix.
    const bool list = shape.rank() < operands[0].shape().rank();
    const int64_t columns = list ? count : shape.dimension(-1);
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
  const int64_t batches = BatchCount(operands[0]);
  for (int64_t b = 0; b < batches; ++b) {
    const std::vector<WideMatrix> given = OperandsOf(operands, b);
    if (!std::all_of(given.begin(), given.end(), [](const auto& m) { return m.AllFinite(); })) {
      FillWithNan(b, batches, leaves);
      continue;
    }
    Fill(ResultsOf(call, given, shape), b, batches, leaves);
  }
  return result;
}

}  // namespace hlocts::reference
