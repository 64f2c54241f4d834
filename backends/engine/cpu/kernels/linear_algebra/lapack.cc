// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cpu/kernels/linear_algebra/lapack.h"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/Householder>
#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <complex>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "backends/engine/cpu/kernels/linear_algebra/linear_algebra.h"
#include "spec/base/status.h"
#include "spec/ir/attributes.h"
#include "spec/ir/instruction.h"
#include "spec/ir/native.h"

namespace hlocts::kernels {
namespace {

using Complex = std::complex<double>;
template <class T>
using Matrix = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic>;
using Results = std::vector<Matrix<Complex>>;
using Attributes = std::map<absl::string_view, int64_t>;

// A routine on the operands of one batch entry. A list is a matrix of one row, and a number is a
// matrix of one element.
template <class T>
using Routine = Results (*)(const Attributes& given, const std::vector<Matrix<T>>& operands);

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
Results Cholesky(const Attributes& given, const std::vector<Matrix<T>>& operands) {
  const bool lower = given.at("uplo") == 'L';
  Matrix<T> l = lower ? operands[0] : Matrix<T>(operands[0].adjoint()), result = operands[0];
  const int64_t failed = Eigen::internal::llt_inplace<T, Eigen::Lower>::blocked(l);
  if (lower) result.template triangularView<Eigen::Lower>() = l;
  if (!lower) result.template triangularView<Eigen::Upper>() = l.adjoint();
  return {Wide(result), Number(failed + 1)};
}

// The pivot has the largest |re| + |im|. Returns the position of the first zero pivot, from 1.
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
Results Lu(const Attributes& given, const std::vector<Matrix<T>>& operands) {
  Matrix<T> a = operands[0];
  std::vector<int64_t> pivots;
  const int64_t info = FactorLu(a, pivots);
  Matrix<Complex> rows(1, pivots.size());
  for (int64_t i = 0; i < rows.cols(); ++i) rows(0, i) = static_cast<double>(pivots[i] + 1);
  return {Wide(a), rows, Number(info)};
}

// Both outer diagonals have n elements. The first one below and the last one above are not read.
template <class T>
Results TridiagonalSolve(const Attributes& given, const std::vector<Matrix<T>>& operands) {
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

// Factors A P = Q R. The first `marked` columns are not exchanged.
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
Results Qr(const Attributes& given, const std::vector<Matrix<T>>& operands) {
  Matrix<T> a = operands[0];
  Eigen::VectorXi columns = Eigen::VectorXi::LinSpaced(a.cols(), 1, static_cast<int>(a.cols()));
  const Matrix<T> tau = FactorQr(a, columns, a.cols());
  return {Wide(a), Wide(tau)};
}

template <class T>
Results PivotedQr(const Attributes& given, const std::vector<Matrix<T>>& operands) {
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
Results QrProduct(const Attributes& given, const std::vector<Matrix<T>>& operands) {
  const Matrix<T> v = operands[0].leftCols(operands[1].cols());
  const Eigen::Matrix<T, Eigen::Dynamic, 1> tau = operands[1].row(0);
  Matrix<T> q = Matrix<T>::Identity(v.rows(), operands[0].cols());
  q.applyOnTheLeft(Eigen::householderSequence(v, tau));
  return {Wide(q)};
}

template <class T>
Results QrApply(const Attributes& given, const std::vector<Matrix<T>>& operands) {
  const Matrix<T> v = operands[0].leftCols(operands[1].cols());
  const Eigen::Matrix<T, Eigen::Dynamic, 1> tau = operands[1].row(0);
  Matrix<T> q = Matrix<T>::Identity(v.rows(), v.rows());
  q.applyOnTheLeft(Eigen::householderSequence(v, tau));
  if (given.at("transpose") == 1) q.adjointInPlace();
  return {given.at("left") == 1 ? Wide(q * operands[2]) : Wide(operands[2] * q)};
}

template <class T>
Results HermitianEigen(const Attributes& given, const std::vector<Matrix<T>>& operands) {
  const Matrix<T> a =
      given.at("uplo") == 'L' ? operands[0] : Matrix<T>(operands[0].adjoint());  // lower is read
  const bool vectors = given.at("mode") == 'V';
  const Eigen::SelfAdjointEigenSolver<Matrix<T>> solver(
      a, vectors ? Eigen::ComputeEigenvectors : Eigen::EigenvaluesOnly);
  return {Wide(vectors ? solver.eigenvectors() : a), WideRow(solver.eigenvalues()),
          Number(InfoOf(solver.info()))};
}

template <class T>
Results SingularValues(const Attributes& given, const std::vector<Matrix<T>>& operands) {
  const int64_t mode = given.at("mode");
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
Results Hessenberg(const Attributes& given, const std::vector<Matrix<T>>& operands) {
  const Eigen::HessenbergDecomposition<Matrix<T>> h(operands[0]);
  if (operands[0].rows() == 1) return {Wide(operands[0]), {}, Number(0)};
  return {Wide(h.packedMatrix()), WideRow(h.householderCoefficients().conjugate()), Number(0)};
}

// With rows and columns reversed, the upper triangle becomes the lower one, which Eigen reads. The
// imaginary part of the diagonal is not read.
template <class T>
Results Tridiagonal(const Attributes& given, const std::vector<Matrix<T>>& operands) {
  const bool lower = given.at("uplo") == 'L';
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

// Computes A = Z T Z^*. In a real T, the two diagonal elements of a 2 x 2 block become equal.
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

// Makes the blocks of a Schur form triangular. The eigenvalue with Im > 0 comes first.
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

// Appends eigenvalues. Those of a real matrix are stored in two parts.
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
Results Schur(const Attributes& given, const std::vector<Matrix<T>>& operands) {
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

// Returns the eigenvectors of an upper triangular matrix, scaled down if entries become large.
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

// Returns vectors of length 1 with a real largest element.
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
Results GeneralEigen(const Attributes& given, const std::vector<Matrix<T>>& operands) {
  Matrix<T> form, basis;
  const int64_t info = FactorSchur(operands[0], form, basis);
  Matrix<Complex> t = Wide(form), z = Wide(basis);
  SplitBlocks(t, z);
  Results results;
  AppendValues<T>(t, results);
  // Left vectors of T are right ones of T^*, which is upper triangular in the reverse order.
  const Matrix<Complex> left = TriangularVectors(t.adjoint().reverse()).reverse();
  results.push_back(Normalised<T>(z * left, t));
  results.push_back(Normalised<T>(z * TriangularVectors(t), t));
  results.push_back(Number(info));
  return results;
}

struct Row {
  absl::string_view name;        // without the letter of the type
  absl::string_view sizes;       // of operands > results, by letters: see SizeTable
  absl::string_view attributes;  // with the known letters of each, unless it is a number
  Routine<double> real;          // nullptr if there is none; both for a triangular solve
  Routine<Complex> complex;
};
#define HLOCTS_BOTH(Function) Function<double>, Function<Complex>
constexpr Row kRows[] = {
    {"potrf", "nn>nn,", "uplo:LU", HLOCTS_BOTH(Cholesky)},
    {"getrf", "mn>mn,k,", "", HLOCTS_BOTH(Lu)},
    {"trsm", "mm,xy>xy", "uplo:LU side:LR diag:NU trans_x:NTC", nullptr, nullptr},
    {"geqrf", "mn>mn,k", "", HLOCTS_BOTH(Qr)},
    {"geqp3", "mn,n>mn,n,k", "", HLOCTS_BOTH(PivotedQr)},
    {"orgqr", "mn,t>mn", "", QrProduct<double>, nullptr},
    {"ungqr", "mn,t>mn", "", nullptr, QrProduct<Complex>},
    {"ormqr", "mn,t,xy>xy", "left transpose", QrApply<double>, nullptr},
    {"unmqr", "mn,t,xy>xy", "left transpose", nullptr, QrApply<Complex>},
    {"syevd", "nn>nn,n,", "uplo:LU mode:NV", HermitianEigen<double>, nullptr},
    {"heevd", "nn>nn,n,", "uplo:LU mode:NV", nullptr, HermitianEigen<Complex>},
    {"gesdd", "mn>mn,k,mu,vn,", "mode:ASN", HLOCTS_BOTH(SingularValues)},
    {"gesvd", "mn>mn,k,mu,vn,", "mode:ASN", HLOCTS_BOTH(SingularValues)},
    {"gehrd", "nn>nn,h,", "low high", HLOCTS_BOTH(Hessenberg)},
    {"sytrd", "nn>nn,n,h,h,", "uplo:LU", Tridiagonal<double>, nullptr},
    {"hetrd", "nn>nn,n,h,h,", "uplo:LU", nullptr, Tridiagonal<Complex>},
    {"gtsv", "n,n,n,nr>n,n,n,nr,", "", HLOCTS_BOTH(TridiagonalSolve)},
    {"gees", "nn>nn,nn,n,n,,", "mode:NV sort:N", Schur<double>, nullptr},
    {"gees", "nn>nn,nn,n,,", "mode:NV sort:N", nullptr, Schur<Complex>},
    {"geev", "nn>n,n,nn,nn,", "compute_left:NV compute_right:NV", GeneralEigen<double>, nullptr},
    {"geev", "nn>n,nn,nn,", "compute_left:NV compute_right:NV", nullptr, GeneralEigen<Complex>},
};
#undef HLOCTS_BOTH

// Returns the number of `key` in a dictionary such as {left = true, uplo = 76 : ui8}, or -1.
int64_t NumberOf(absl::string_view dictionary, absl::string_view key) {
  dictionary = absl::StripSuffix(absl::StripPrefix(dictionary, "{"), "}");
  for (absl::string_view entry : absl::StrSplit(dictionary, ',')) {
    const std::vector<absl::string_view> words =
        absl::StrSplit(entry, absl::ByAnyChar("=: "), absl::SkipEmpty());
    int64_t number = -1;
    if (words.size() < 2 || words[0] != key) continue;
    if (words[1] == "true" || words[1] == "false") return words[1] == "true" ? 1 : 0;
    return absl::SimpleAtoi(words[1], &number) ? number : -1;
  }
  return -1;
}

// Returns false if an attribute is missing or has an unknown value.
bool ReadAttributes(const Row& row, absl::string_view config, Attributes& given) {
  for (absl::string_view entry : absl::StrSplit(row.attributes, ' ', absl::SkipEmpty())) {
    const std::vector<absl::string_view> parts = absl::StrSplit(entry, ':');
    const int64_t number = given[parts[0]] = NumberOf(config, parts[0]);
    if (number < 0) return false;
    if (parts.size() == 1) continue;
    if (number > 127 || !absl::StrContains(parts[1], static_cast<char>(number))) return false;
  }
  return true;
}

// The sizes of one batch entry, by letter: m and n are those of the first operand, k = min(m, n), h
// = n - 1, u and v are the sizes of U and V. Other letters get their size where they first occur.
struct SizeTable {
  std::map<char, int64_t> sizes;
  std::vector<int64_t> batch;

  SizeTable(const Shape& first, int64_t letters) {
    for (int64_t i = 0; i < first.rank() - letters; ++i) batch.push_back(first.dimension(i));
  }

  bool Fits(absl::string_view letters, const Shape& shape) {
    const int64_t lead = std::ssize(batch);
    if (shape.rank() != lead + std::ssize(letters)) return false;
    for (int64_t i = 0; i < shape.rank(); ++i) {
      if (i < lead ? shape.dimension(i) != batch[i]
                   : sizes.try_emplace(letters[i - lead], shape.dimension(i)).first->second !=
                         shape.dimension(i)) {
        return false;
      }
    }
    return true;
  }

  void Derive(const Attributes& given) {
    if (!sizes.contains('m')) sizes['m'] = sizes['n'];
    if (!sizes.contains('n')) sizes['n'] = sizes['m'];
    const int64_t m = sizes['m'], n = sizes['n'], k = std::min(m, n);
    sizes['k'] = k, sizes['h'] = std::max<int64_t>(n - 1, 0);
    const auto is = [&](absl::string_view key, int64_t value) {
      return given.contains(key) && given.at(key) == value;
    };
    sizes[is("side", 'R') || is("left", 0) ? 'y' : 'x'] = m;
    if (is("mode", 'A')) sizes['u'] = m, sizes['v'] = n;
    if (is("mode", 'S')) sizes['u'] = sizes['v'] = k;
  }
};

struct Leaf {
  PrimitiveType type;
  int64_t rows, columns;  // of one batch
};

struct Call {
  const Row* row = nullptr;
  Attributes given;
  bool complex = false;
  std::vector<Leaf> operands, results;
  int64_t batches = 1;
};

// Calls visit(T{}) with the C++ type of an element. Returns false if no routine has the type.
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

// Stores an empty matrix, which is a result that the routine does not write, as zeros.
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
void RunBatch(Routine<T> routine, const Call& call, int64_t batch, const uint8_t* const* in,
              uint8_t* const* out) {
  std::vector<Matrix<T>> matrices;
  for (const Leaf& leaf : call.operands) matrices.push_back(Load<T>(leaf, *in++, batch));
  const bool usable =
      routine == Lu<T> || std::all_of(matrices.begin(), matrices.end(),
                                      [](const Matrix<T>& x) { return x.allFinite(); });
  Results found;
  if (usable) found = routine(call.given, matrices);
  for (size_t i = 0; i < call.results.size(); ++i) {
    const Leaf& leaf = call.results[i];
    if (!usable) found.push_back(Matrix<Complex>::Constant(leaf.rows, leaf.columns, NAN));
    Store(leaf, found[i], out[i], batch);
  }
}

// Returns triangular-solve, which computes in the operands' type.
LapackFunction SolveFunction(const Call& call) {
  const char transpose = static_cast<char>(call.given.at("trans_x"));
  TriangularSolveRequest request;
  request.type = call.operands[0].type;
  request.left_side = call.given.at("side") == 'L';
  request.lower = call.given.at("uplo") == 'L';
  request.unit_diagonal = call.given.at("diag") == 'U';
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

const Row* RowOf(absl::string_view target, PrimitiveType type) {
  const char letter = type == PrimitiveType::kF32    ? 's'
                      : type == PrimitiveType::kF64  ? 'd'
                      : type == PrimitiveType::kC64  ? 'c'
                      : type == PrimitiveType::kC128 ? 'z'
                                                     : '?';
  if (!absl::ConsumePrefix(&target, absl::StrCat("lapack_", std::string(1, letter))) ||
      !absl::ConsumeSuffix(&target, "_ffi")) {
    return nullptr;
  }
  for (const Row& row : kRows) {
    const bool one = (row.real == nullptr) != (row.complex == nullptr);
    if (target == row.name && !(one && IsComplex(type) == (row.complex == nullptr))) return &row;
  }
  return nullptr;
}

// Reads the shapes of operands and results. Returns false if they do not match the routine.
bool ReadShapes(const Instruction& source, Call& call) {
  const std::vector<absl::string_view> sides = absl::StrSplit(call.row->sizes, '>');
  const std::vector<absl::string_view> letters =
      absl::StrSplit(call.row->sizes, absl::ByAnyChar(",>"));
  const size_t operands = 1 + std::count(sides[0].begin(), sides[0].end(), ',');
  std::vector<Shape> shapes;
  for (const Instruction* operand : source.operands()) shapes.push_back(operand->shape());
  if (shapes.size() != operands) return false;
  if (source.shape().IsTuple()) {
    for (const Shape& leaf : source.shape().tuple_shapes()) shapes.push_back(leaf);
  } else {
    shapes.push_back(source.shape());
  }
  if (shapes.size() != letters.size()) return false;
  SizeTable table(shapes[0], static_cast<int64_t>(letters[0].size()));
  for (size_t i = 0; i < shapes.size(); ++i) {
    const PrimitiveType type =
        shapes[i].IsArray() ? shapes[i].element_type() : PrimitiveType::kInvalid;
    if (!VisitType(type, [](auto) {}) || !table.Fits(letters[i], shapes[i])) return false;
    if (i == 0) table.Derive(call.given);
    const size_t rank = letters[i].size();
    (i < operands ? call.operands : call.results)
        .push_back(
            {type, rank < 2 ? 1 : shapes[i].dimension(-2), rank < 1 ? 1 : shapes[i].dimension(-1)});
  }
  for (int64_t dimension : table.batch) call.batches *= dimension;
  // Reflectors are as long as a column, and their product has at least a column for each reflector.
  std::map<char, int64_t>& size = table.sizes;
  return !size.contains('t') || (size['t'] <= size['n'] && size['n'] <= size['m']);
}

}  // namespace

absl::StatusOr<LapackFunction> LapackFunctionOf(const Instruction& custom_call) {
  const std::string* target = custom_call.Get<std::string>(Attr::kCustomCallTarget);
  if (target == nullptr || custom_call.operand_count() == 0) return LapackFunction();
  const Shape& first = custom_call.operand(0).shape();
  if (!first.IsArray()) return LapackFunction();
  const RawText* config = custom_call.Get<RawText>(Attr::kBackendConfig);
  Call call;
  call.row = RowOf(*target, first.element_type());
  call.complex = IsComplex(first.element_type());
  if (call.row == nullptr ||
      !ReadAttributes(*call.row, config == nullptr ? "" : config->text, call.given)) {
    return LapackFunction();
  }
  if (!ReadShapes(custom_call, call)) {
    return InvalidInput(custom_call.name(), ": expected arrays of sizes ", call.row->sizes,
                        " after the batches, found ", custom_call.shape().ToString(false), " of ",
                        first.ToString(false));
  }
  const Leaf& a = call.operands[0];
  if (call.given.contains("low") && (call.given["low"] != 1 || call.given["high"] != a.columns)) {
    return LapackFunction();  // only a block of the matrix is to be reduced
  }
  if (call.row->real == nullptr && call.row->complex == nullptr) return SolveFunction(call);
  const bool empty = a.rows * a.columns == 0;
  return [call, empty](const uint8_t* const* in, uint8_t* const* out) {
    for (int64_t b = 0; b < call.batches; ++b) {
      for (size_t i = 0; empty && i < call.results.size(); ++i)
        Store(call.results[i], {}, out[i], b);
      if (!empty && call.complex) RunBatch<Complex>(call.row->complex, call, b, in, out);
      if (!empty && !call.complex) RunBatch<double>(call.row->real, call, b, in, out);
    }
    return absl::OkStatus();
  };
}

}  // namespace hlocts::kernels
