// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cpu/kernels/linear_algebra/lapack.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/Householder>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <complex>
#include <optional>
#include <utility>
#include <vector>

#include "backends/engine/cpu/kernels/linear_algebra/linear_algebra.h"
#include "spec/base/status.h"
#include "spec/ir/instruction.h"
#include "spec/ir/native.h"
#include "spec/ops/custom_calls.h"

namespace hlocts::kernels {
namespace {

using Complex = std::complex<double>;
template <class T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
using Results = std::vector<Matrix<Complex>>;

// A LAPACK routine for one matrix of a batch. An array of rank 1 is a matrix with one row, and a
// scalar is a matrix with one element.
template <class T>
using Routine = Results (*)(const LapackCall& call, const std::vector<Matrix<T>>& operands);

Matrix<Complex> Number(int64_t number) {
  return Matrix<Complex>::Constant(1, 1, static_cast<double>(number));
}
template <class Derived>
Matrix<Complex> Wide(const Eigen::DenseBase<Derived>& x) {
  return x.derived().template cast<Complex>();
}
template <class Derived>
Matrix<Complex> WideRow(const Eigen::DenseBase<Derived>& x) {
  return Wide(x).reshaped().transpose();
}
int64_t InfoOf(Eigen::ComputationInfo info) { return info == Eigen::Success ? 0 : 1; }

template <class T>
Results Cholesky(const LapackCall& call, const std::vector<Matrix<T>>& operands) {
  const bool lower = call.lower;
  Matrix<T> l = lower ? operands[0] : Matrix<T>(operands[0].adjoint()), result = operands[0];
  const int64_t failed = Eigen::internal::llt_inplace<T, Eigen::Lower>::blocked(l);
  if (lower) result.template triangularView<Eigen::Lower>() = l;
  if (!lower) result.template triangularView<Eigen::Upper>() = l.adjoint();
  return {Wide(result), Number(failed + 1)};
}

// Chooses pivots with the largest |re| + |im|. Returns the first zero pivot, counted from 1.
template <class T>
int64_t FactorLu(Matrix<T>& a, std::vector<int64_t>& pivots) {
  int64_t info = 0;
  for (int64_t k = 0; k < std::min(a.rows(), a.cols()); ++k) {
    const auto column = a.col(k).tail(a.rows() - k);
    int64_t pivot = 0;
    (column.real().cwiseAbs() + column.imag().cwiseAbs()).maxCoeff(&pivot);
    pivots.push_back(k + pivot);
    a.row(k).swap(a.row(k + pivot));
    if (a(k, k) == T(0)) {
      if (info == 0) info = k + 1;
      continue;
    }
    const int64_t rows = a.rows() - k - 1, columns = a.cols() - k - 1;
    a.col(k).tail(rows) /= a(k, k);
    a.bottomRightCorner(rows, columns).noalias() -= a.col(k).tail(rows) * a.row(k).tail(columns);
  }
  return info;
}

template <class T>
Results Lu(const LapackCall& call, const std::vector<Matrix<T>>& operands) {
  Matrix<T> a = operands[0];
  std::vector<int64_t> pivots;
  const int64_t info = FactorLu(a, pivots);
  Matrix<Complex> rows(1, pivots.size());
  for (int64_t i = 0; i < rows.cols(); ++i) rows(0, i) = static_cast<double>(pivots[i] + 1);
  return {Wide(a), rows, Number(info)};
}

// The outer diagonals have n elements, of which the first (lower) or the last (upper) is not read.
template <class T>
Results TridiagonalSolve(const LapackCall& call, const std::vector<Matrix<T>>& operands) {
  const int64_t n = operands[1].cols();
  Matrix<T> a = operands[1].row(0).asDiagonal(), x = operands[3];
  a.diagonal(-1) = operands[0].row(0).tail(n - 1).transpose();
  a.diagonal(1) = operands[2].row(0).head(n - 1).transpose();
  std::vector<int64_t> pivots;
  const int64_t info = FactorLu(a, pivots);
  for (int64_t i = 0; i < n; ++i) x.row(i).swap(x.row(pivots[i]));
  a.template triangularView<Eigen::UnitLower>().solveInPlace(x);
  if (info == 0) a.template triangularView<Eigen::Upper>().solveInPlace(x);
  return {Wide(operands[0]), Wide(operands[1]), Wide(operands[2]), Wide(x), Number(info)};
}

// Factors A P = Q R. The first `marked` columns keep their positions.
template <class T>
Matrix<T> FactorQr(Matrix<T>& a, Eigen::VectorXi& columns, int64_t marked) {
  const int64_t m = a.rows(), n = a.cols(), k = std::min(m, n);
  Matrix<T> tau(1, k), scratch(1, n);
  for (int64_t i = 0; i < k; ++i) {
    int64_t longest = 0;
    a.bottomRightCorner(m - i, n - i).colwise().norm().maxCoeff(&longest);
    if (i < marked) longest = 0;
    a.col(i).swap(a.col(i + longest));
    std::swap(columns[i], columns[i + longest]);
    double beta = 0;
    T h = 0;
    a.col(i).tail(m - i).makeHouseholderInPlace(h, beta);
    a(i, i) = beta;
    a.bottomRightCorner(m - i, n - i - 1)
        .applyHouseholderOnTheLeft(a.col(i).tail(m - i - 1), h, scratch.data());
    tau(0, i) = Eigen::numext::conj(h);
  }
  return tau;
}

template <class T>
Results Qr(const LapackCall& call, const std::vector<Matrix<T>>& operands) {
  Matrix<T> a = operands[0];
  Eigen::VectorXi columns = Eigen::VectorXi::LinSpaced(a.cols(), 1, static_cast<int>(a.cols()));
  const Matrix<T> tau = FactorQr(a, columns, a.cols());
  return {Wide(a), Wide(tau)};
}

template <class T>
Results PivotedQr(const LapackCall& call, const std::vector<Matrix<T>>& operands) {
  Matrix<T> a = operands[0], marks = operands[1];
  Eigen::VectorXi columns = Eigen::VectorXi::LinSpaced(a.cols(), 1, static_cast<int>(a.cols()));
  int64_t marked = 0;
  for (int64_t j = 0; j < a.cols(); ++j) {
    if (marks(0, j) == T(0)) continue;
    a.col(j).swap(a.col(marked));
    std::swap(columns[j], columns[marked++]);
  }
  const Matrix<T> tau = FactorQr(a, columns, marked);
  return {Wide(a), WideRow(columns), Wide(tau)};
}

template <class T>
Results QrProduct(const LapackCall& call, const std::vector<Matrix<T>>& operands) {
  const Matrix<T> v = operands[0].leftCols(operands[1].cols());
  const Eigen::Matrix<T, Eigen::Dynamic, 1> tau = operands[1].row(0);
  Matrix<T> q = Matrix<T>::Identity(v.rows(), operands[0].cols());
  q.applyOnTheLeft(Eigen::householderSequence(v, tau));
  return {Wide(q)};
}

template <class T>
Results QrApply(const LapackCall& call, const std::vector<Matrix<T>>& operands) {
  const Matrix<T> v = operands[0].leftCols(operands[1].cols());
  const Eigen::Matrix<T, Eigen::Dynamic, 1> tau = operands[1].row(0);
  Matrix<T> q = Matrix<T>::Identity(v.rows(), v.rows());
  q.applyOnTheLeft(Eigen::householderSequence(v, tau));
  if (call.transpose == 'C') q.adjointInPlace();
  return {call.left ? Wide(q * operands[2]) : Wide(operands[2] * q)};
}

template <class T>
Results HermitianEigen(const LapackCall& call, const std::vector<Matrix<T>>& operands) {
  const Matrix<T> a = call.lower ? operands[0] : Matrix<T>(operands[0].adjoint());
  const bool vectors = call.job == 'V';
  const Eigen::SelfAdjointEigenSolver<Matrix<T>> solver(
      a, vectors ? Eigen::ComputeEigenvectors : Eigen::EigenvaluesOnly);
  return {Wide(vectors ? solver.eigenvectors() : a), WideRow(solver.eigenvalues()),
          Number(InfoOf(solver.info()))};
}

template <class T>
Results SingularValues(const LapackCall& call, const std::vector<Matrix<T>>& operands) {
  const char mode = call.job;
  const Eigen::JacobiSVD<Matrix<T>> svd(operands[0],
                                        mode == 'A'   ? Eigen::ComputeFullU | Eigen::ComputeFullV
                                        : mode == 'S' ? Eigen::ComputeThinU | Eigen::ComputeThinV
                                                      : 0);
  if (mode == 'N') {
    return {Wide(operands[0]), WideRow(svd.singularValues()), {}, {}, Number(InfoOf(svd.info()))};
  }
  return {Wide(operands[0]), WideRow(svd.singularValues()), Wide(svd.matrixU()),
          Wide(svd.matrixV().adjoint()), Number(InfoOf(svd.info()))};
}

template <class T>
Results Hessenberg(const LapackCall& call, const std::vector<Matrix<T>>& operands) {
  const Eigen::HessenbergDecomposition<Matrix<T>> h(operands[0]);
  if (operands[0].rows() == 1) return {Wide(operands[0]), {}, Number(0)};
  return {Wide(h.packedMatrix()), WideRow(h.householderCoefficients().conjugate()), Number(0)};
}

// Eigen reads the lower triangle. If rows and columns are reversed, the upper triangle becomes the
// lower one. Imaginary parts of the diagonal are not read.
template <class T>
Results Tridiagonal(const LapackCall& call, const std::vector<Matrix<T>>& operands) {
  const bool lower = call.lower;
  Matrix<T> a = lower ? operands[0] : Matrix<T>(operands[0].reverse());
  a.diagonal() = a.diagonal().real().template cast<T>().eval();
  if (a.rows() == 1) return {Wide(a), Wide(a), {}, {}, Number(0)};
  const Eigen::Tridiagonalization<Matrix<T>> t(a);
  Results results = {Wide(t.packedMatrix()), WideRow(t.diagonal().real()),
                     WideRow(t.subDiagonal().real()),
                     WideRow(t.householderCoefficients().conjugate())};
  for (Matrix<Complex>& x : results) x = lower ? x : Matrix<Complex>(x.reverse());
  results.push_back(Number(0));
  return results;
}

// Computes A = Z T Z^*. In a real T, the diagonal elements of a 2 x 2 block are made equal.
int64_t FactorSchur(const Matrix<double>& a, Matrix<double>& t, Matrix<double>& z) {
  const Eigen::RealSchur<Matrix<double>> schur(a);
  t = schur.matrixT(), z = schur.matrixU();
  for (int64_t i = 0; i + 1 < t.rows(); ++i) {
    if (t(i + 1, i) == 0) continue;
    const double angle = std::atan2(t(i + 1, i + 1) - t(i, i), t(i, i + 1) + t(i + 1, i)) / 2;
    const Eigen::JacobiRotation<double> rotation(std::cos(angle), -std::sin(angle));
    t.applyOnTheLeft(i, i + 1, rotation.adjoint());
    t.applyOnTheRight(i, i + 1, rotation);
    z.applyOnTheRight(i, i + 1, rotation);
    t(i, i) = t(i + 1, i + 1) = (t(i, i) + t(i + 1, i + 1)) / 2;
  }
  return InfoOf(schur.info());
}
int64_t FactorSchur(const Matrix<Complex>& a, Matrix<Complex>& t, Matrix<Complex>& z) {
  const Eigen::ComplexSchur<Matrix<Complex>> schur(a);
  t = schur.matrixT().template triangularView<Eigen::Upper>();
  z = schur.matrixU();
  return InfoOf(schur.info());
}

// Makes the 2 x 2 blocks of a Schur form triangular. The eigenvalue with Im > 0 comes first.
void SplitBlocks(Matrix<Complex>& t, Matrix<Complex>& z) {
  for (int64_t i = 0; i + 1 < t.rows(); ++i) {
    if (t(i + 1, i) == 0.0) continue;
    const double upper = std::sqrt(std::abs(t(i, i + 1))), lower = std::sqrt(std::abs(t(i + 1, i)));
    const Complex value(t(i, i).real(), upper * lower);
    const Eigen::Vector2cd v =
        Eigen::Vector2cd(t(i, i + 1), Complex(0, upper * lower)).normalized();
    Eigen::Matrix2cd rotation;
    rotation << v[0], -std::conj(v[1]), v[1], std::conj(v[0]);
    t.middleRows(i, 2) = (rotation.adjoint() * t.middleRows(i, 2)).eval();
    t.middleCols(i, 2) = (t.middleCols(i, 2) * rotation).eval();
    z.middleCols(i, 2) = (z.middleCols(i, 2) * rotation).eval();
    t(i, i) = value, t(i + 1, i + 1) = std::conj(value), t(i + 1, i) = 0;
  }
}

// Appends eigenvalues to the results: for a real matrix, first the real, then the imaginary parts.
template <class T>
void AppendValues(const Matrix<Complex>& triangular, Results& results) {
  const Matrix<Complex> values = triangular.diagonal().transpose();
  if constexpr (Eigen::NumTraits<T>::IsComplex) {
    results.push_back(values);
  } else {
    results.push_back(Wide(values.real()));
    results.push_back(Wide(values.imag()));
  }
}

template <class T>
Results Schur(const LapackCall& call, const std::vector<Matrix<T>>& operands) {
  Matrix<T> t, z;
  const int64_t info = FactorSchur(operands[0], t, z);
  Results results = {Wide(t), Wide(z)};
  Matrix<Complex> triangular = Wide(t), vectors = Wide(z);
  SplitBlocks(triangular, vectors);
  AppendValues<T>(triangular, results);
  results.push_back(Number(0));
  results.push_back(Number(info));
  return results;
}

// Returns the eigenvectors of an upper triangular matrix. Scales them down if entries become large.
Matrix<Complex> TriangularVectors(const Matrix<Complex>& t) {
  constexpr double kLarge = 1e100;
  const double least = std::max(1e-16 * t.cwiseAbs().maxCoeff(), 1e-300);
  Matrix<Complex> v = Matrix<Complex>::Identity(t.rows(), t.rows());
  for (int64_t j = 0; j < t.rows(); ++j) {
    for (int64_t i = j - 1; i >= 0; --i) {
      const Complex apart = t(j, j) - t(i, i);
      const Complex sum = t.row(i).segment(i + 1, j - i) * v.col(j).segment(i + 1, j - i);
      v(i, j) = sum / (std::abs(apart) < least ? Complex(least) : apart);
      if (std::abs(v(i, j)) > kLarge) v.col(j) /= std::abs(v(i, j));
    }
  }
  return v;
}

// Returns vectors of length 1 whose largest element is real.
template <class T>
Matrix<Complex> Normalised(Matrix<Complex> v, const Matrix<Complex>& values) {
  for (int64_t j = 0; j < v.cols(); ++j) {
    int64_t largest = 0;
    v.col(j).cwiseAbs().maxCoeff(&largest);
    v.col(j) /= v(largest, j);
    v.col(j).normalize();
    if (Eigen::NumTraits<T>::IsComplex) continue;
    if (values(j, j).imag() == 0) v.col(j) = Wide(v.col(j).real());
    if (values(j, j).imag() < 0) v.col(j) = v.col(j - 1).conjugate();
  }
  return v;
}

template <class T>
Results GeneralEigen(const LapackCall& call, const std::vector<Matrix<T>>& operands) {
  Matrix<T> form, basis;
  const int64_t info = FactorSchur(operands[0], form, basis);
  Matrix<Complex> t = Wide(form), z = Wide(basis);
  SplitBlocks(t, z);
  Results results;
  AppendValues<T>(t, results);
  // Left vectors of T are right vectors of T^*, which is upper triangular in the reverse order.
  const Matrix<Complex> left = TriangularVectors(t.adjoint().reverse()).reverse();
  results.push_back(Normalised<T>(z * left, t));
  results.push_back(Normalised<T>(z * TriangularVectors(t), t));
  results.push_back(Number(info));
  return results;
}

// Returns nullptr for triangular solves, which use another kernel.
template <class T>
Routine<T> RoutineOf(LapackRoutine routine) {
  switch (routine) {
    case LapackRoutine::kCholesky:
      return Cholesky<T>;
    case LapackRoutine::kLu:
      return Lu<T>;
    case LapackRoutine::kTriangularSolve:
      return nullptr;
    case LapackRoutine::kQr:
      return Qr<T>;
    case LapackRoutine::kQrProduct:
      return QrProduct<T>;
    case LapackRoutine::kHermitianEigen:
      return HermitianEigen<T>;
    case LapackRoutine::kSingularValues:
      return SingularValues<T>;
    case LapackRoutine::kPivotedQr:
      return PivotedQr<T>;
    case LapackRoutine::kQrApply:
      return QrApply<T>;
    case LapackRoutine::kHessenberg:
      return Hessenberg<T>;
    case LapackRoutine::kTridiagonal:
      return Tridiagonal<T>;
    case LapackRoutine::kTridiagonalSolve:
      return TridiagonalSolve<T>;
    case LapackRoutine::kSchur:
      return Schur<T>;
    case LapackRoutine::kEigen:
      return GeneralEigen<T>;
  }
  return nullptr;
}

struct Leaf {
  PrimitiveType type;
  int64_t rows, columns;  // of one matrix of the batch
};

struct Call {
  LapackCall lapack;
  std::vector<Leaf> operands, results;
  int64_t batches = 1;
};

// Calls visit(T{}) with the C++ type of an element. Returns false if no routine supports the type.
template <class Visit>
bool VisitType(PrimitiveType type, Visit visit) {
  if (type == PrimitiveType::kF32) return visit(float{}), true;
  if (type == PrimitiveType::kF64) return visit(double{}), true;
  if (type == PrimitiveType::kC64) return visit(Complex64{}), true;
  if (type == PrimitiveType::kC128) return visit(Complex128{}), true;
  if (type == PrimitiveType::kS32) return visit(int32_t{}), true;
  return false;
}

template <class T>
Matrix<T> Load(const Leaf& leaf, const uint8_t* data, int64_t batch) {
  Matrix<T> result(leaf.rows, leaf.columns);
  VisitType(leaf.type, [&](auto type) {
    using Element = decltype(type);
    const Element* from = reinterpret_cast<const Element*>(data) + batch * result.size();
    for (int64_t i = 0; i < result.size(); ++i) {
      T& to = result(i / leaf.columns, i % leaf.columns);
      if constexpr (Eigen::NumTraits<T>::IsComplex) {
        to = static_cast<T>(from[i]);
      } else {
        to = static_cast<T>(std::real(from[i]));
      }
    }
  });
  return result;
}

// Stores a matrix. A result that the routine does not write is an empty matrix, stored as zeros.
void Store(const Leaf& leaf, const Matrix<Complex>& matrix, uint8_t* data, int64_t batch) {
  VisitType(leaf.type, [&](auto type) {
    using Element = decltype(type);
    const int64_t count = leaf.rows * leaf.columns;
    Element* to = reinterpret_cast<Element*>(data) + batch * count;
    for (int64_t i = 0; i < count; ++i) {
      const Complex x = matrix.size() == 0 ? 0 : matrix(i / leaf.columns, i % leaf.columns);
      if constexpr (Eigen::NumTraits<Element>::IsComplex) {
        to[i] = static_cast<Element>(x);
      } else if constexpr (std::is_integral_v<Element>) {
        to[i] = std::isfinite(x.real()) ? static_cast<Element>(x.real()) : 0;
      } else {
        to[i] = static_cast<Element>(x.real());
      }
    }
  });
}

template <class T>
void RunBatch(const Call& call, int64_t batch, const uint8_t* const* in, uint8_t* const* out) {
  const Routine<T> routine = RoutineOf<T>(call.lapack.routine);
  std::vector<Matrix<T>> matrices;
  for (const Leaf& leaf : call.operands) matrices.push_back(Load<T>(leaf, *in++, batch));
  const bool usable =
      routine == Lu<T> || std::all_of(matrices.begin(), matrices.end(),
                                      [](const Matrix<T>& x) { return x.allFinite(); });
  Results found;
  if (usable) found = routine(call.lapack, matrices);
  for (size_t i = 0; i < call.results.size(); ++i) {
    const Leaf& leaf = call.results[i];
    if (!usable) found.push_back(Matrix<Complex>::Constant(leaf.rows, leaf.columns, NAN));
    Store(leaf, found[i], out[i], batch);
  }
}

// Returns a function that calls TriangularSolve, which computes in the operands' type.
LapackFunction SolveFunction(const Call& call) {
  const char transpose = call.lapack.transpose;
  TriangularSolveRequest request;
  request.type = call.operands[0].type;
  request.left_side = call.lapack.left;
  request.lower = call.lapack.lower;
  request.unit_diagonal = call.lapack.unit;
  request.transpose = transpose == 'N'   ? TransposeKind::kNone
                      : transpose == 'T' ? TransposeKind::kTranspose
                                         : TransposeKind::kAdjoint;
  request.batch = call.batches;
  request.rows = call.operands[1].rows, request.columns = call.operands[1].columns;
  return [request](const uint8_t* const* in, uint8_t* const* out) {
    TriangularSolveRequest now = request;
    now.a = in[0], now.b = in[1], now.output = out[0];
    return now.rows * now.columns * now.batch == 0 ? absl::OkStatus()
                                                   : TriangularSolve(Parallel(1), now);
  };
}

// Returns a leaf with `leading` batch dimensions. A vector is one row.
Leaf LeafOf(const Shape& shape, int64_t leading) {
  const int64_t rank = shape.rank() - leading;
  return {shape.element_type(), rank < 2 ? 1 : shape.dimension(-2),
          rank < 1 ? 1 : shape.dimension(-1)};
}

}  // namespace

absl::StatusOr<LapackFunction> LapackFunctionOf(const Instruction& custom_call) {
  const std::optional<LapackCall> lapack = LapackCallOf(custom_call);
  if (!lapack) return LapackFunction();
  HLOCTS_RETURN_IF_ERROR(CheckLapackShapes(*lapack, custom_call));
  Call call{*lapack};
  const Shape& first = custom_call.operand(0).shape();
  const int64_t leading = LeadingDimensions(*lapack, first);
  for (int64_t d = 0; d < leading; ++d) call.batches *= first.dimension(d);
  for (const Instruction* operand : custom_call.operands())
    call.operands.push_back(LeafOf(operand->shape(), leading));
  for (const Shape& leaf : LeafShapes(custom_call.shape()))
    call.results.push_back(LeafOf(leaf, leading));
  for (const std::vector<Leaf>* leaves : {&call.operands, &call.results}) {
    for (const Leaf& leaf : *leaves) {
      if (!VisitType(leaf.type, [](auto) {}))
        return InvalidInput(custom_call.name(), ": expected numbers of a routine of LAPACK, found ",
                            PrimitiveTypeName(leaf.type));
    }
  }
  if (lapack->routine == LapackRoutine::kTriangularSolve) return SolveFunction(call);
  const bool empty = call.operands[0].rows * call.operands[0].columns == 0;
  return [call, empty](const uint8_t* const* in, uint8_t* const* out) {
    for (int64_t b = 0; b < call.batches; ++b) {
      for (size_t i = 0; empty && i < call.results.size(); ++i)
        Store(call.results[i], {}, out[i], b);
      if (!empty && call.lapack.complex) RunBatch<Complex>(call, b, in, out);
      if (!empty && !call.lapack.complex) RunBatch<double>(call, b, in, out);
    }
    return absl::OkStatus();
  };
}

}  // namespace hlocts::kernels
