// Cholesky and triangular solve, both by blocked forward substitution on a lower triangle: other
// forms are brought to it by transposing and reversing while the operands are copied.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <complex>
#include <limits>

#include "backends/cpu/kernels/convert_isa.h"
#include "backends/cpu/kernels/entries_isa.h"
#include "backends/cpu/kernels/gemm_isa.h"
#include "backends/cpu/kernels/linear_algebra.h"
#include "backends/cpu/kernels/scratch.h"
#include "spec/base/status.h"

namespace hlocts::kernels::HLOCTS_ISA {
namespace {

constexpr int64_t kBlock = 64;

template <typename T>
T Conjugate(T x) {
  if constexpr (kIsComplex<T>) {
    return std::conj(x);
  } else {
    return x;
  }
}

// Element i of a stored array as the computing type, and back.
template <typename T>
T LoadElement(PrimitiveType type, const void* data, int64_t i) {
  if constexpr (!kIsComplex<T>) {
    if (BitWidth(type) == 16) {
      T x;
      DecodeRun(type, static_cast<const uint16_t*>(data) + i, 1, 1, &x);
      return x;
    }
  }
  return static_cast<const T*>(data)[i];
}

template <typename T>
void StoreElement(PrimitiveType type, T x, void* data, int64_t i) {
  if constexpr (!kIsComplex<T>) {
    if (BitWidth(type) == 16) {
      EncodeRun(type, &x, 1, 1, static_cast<uint16_t*>(data) + i);
      return;
    }
  }
  static_cast<T*>(data)[i] = x;
}

// A row-major matrix.
template <typename T>
struct Matrix {
  T* data;
  int64_t row;
  T* Row(int64_t i) const { return data + i * row; }
};

// c[m, n] -= a[m, k] b[k, n]; a by any strides.
template <typename T>
absl::Status Subtract(const Parallel& parallel, int64_t m, int64_t n, int64_t k, const T* a,
                      int64_t a_row, int64_t a_column, Matrix<T> b, Matrix<T> c) {
  if constexpr (!kIsComplex<T>) {
    return Gemm<T>(parallel, {m, n, k, a, a_row, a_column, b.data, b.row, 1, c.data, c.row,
                              GemmUpdate::kSubtract});
  } else {
    parallel.For(m, 2.0 * n * k, [&](int64_t i, int64_t end) {
      for (; i < end; ++i) {
        for (int64_t p = 0; p < k; ++p) {
          const T factor = a[i * a_row + p * a_column];
          T* to = c.Row(i);
          const T* from = b.Row(p);
          for (int64_t j = 0; j < n; ++j) to[j] -= factor * from[j];
        }
      }
    });
    return absl::OkStatus();
  }
}

// x[j] = (x[j] - sum over p < j of l[j][p] x[p]) / l[j][j] for rows of `width` adjacent right-hand
// sides; the diagonal of a unit triangle is not read.
template <typename T>
void SubstituteTile(Matrix<T> l, int64_t n, bool unit, Matrix<T> x, int64_t first, int64_t width) {
  for (int64_t j = 0; j < n; ++j) {
    T* __restrict to = x.Row(j) + first;
    for (int64_t p = 0; p < j; ++p) {
      const T factor = l.Row(j)[p];
      const T* __restrict from = x.Row(p) + first;
      for (int64_t i = 0; i < width; ++i) to[i] -= factor * from[i];
    }
    if (unit) continue;
    const T diagonal = l.Row(j)[j];
    for (int64_t i = 0; i < width; ++i) to[i] /= diagonal;
  }
}

template <typename T>
void Substitute(const Parallel& parallel, Matrix<T> l, int64_t n, bool unit, Matrix<T> x,
                int64_t columns) {
  constexpr int64_t kTile = 256 / sizeof(T) * 4;  // the tile's rows stay in the first-level cache
  const int64_t tiles = (columns + kTile - 1) / kTile;
  parallel.For(tiles, 0.1 * n * n * std::min(columns, kTile), [&](int64_t tile, int64_t end) {
    for (; tile < end; ++tile) {
      const int64_t first = tile * kTile;
      SubstituteTile(l, n, unit, x, first, std::min(kTile, columns - first));
    }
  });
}

// -- Triangular solve.

// The system as l y = x with l lower: element (i, j) of l and row i of x by number.
struct SolveShape {
  int64_t n, columns;  // of the triangle; right-hand sides
  bool flip;           // l and x are read backwards, because the triangle is an upper one
  bool transpose, conjugate;
};

SolveShape ShapeOf(const TriangularSolveRequest& r) {
  // x op(a) = b is op(a)^T x^T = b^T.
  const bool transposed = (r.transpose != TransposeKind::kNone) != !r.left_side;
  return {r.left_side ? r.rows : r.columns, r.left_side ? r.columns : r.rows,
          r.lower == transposed, transposed, r.transpose == TransposeKind::kAdjoint};
}

template <typename T>
void CopyTriangle(const TriangularSolveRequest& r, const SolveShape& shape, int64_t base,
                  Matrix<T> l) {
  const int64_t n = shape.n;
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j <= i; ++j) {
      int64_t row = shape.flip ? n - 1 - i : i, column = shape.flip ? n - 1 - j : j;
      if (shape.transpose) std::swap(row, column);
      const T x = LoadElement<T>(r.type, r.a, base + row * n + column);
      l.Row(i)[j] = shape.conjugate ? Conjugate(x) : x;
    }
  }
}

// Number in b of element (i, column) of the right-hand sides.
int64_t SideElement(const TriangularSolveRequest& r, const SolveShape& shape, int64_t i,
                    int64_t column) {
  const int64_t row = shape.flip ? shape.n - 1 - i : i;
  return r.left_side ? row * r.columns + column : column * r.columns + row;
}

template <typename T>
absl::Status SolveOne(const Parallel& parallel, const TriangularSolveRequest& r, int64_t batch) {
  const SolveShape shape = ShapeOf(r);
  const int64_t n = shape.n, columns = shape.columns, base = batch * n * columns;
  const int64_t bytes = (n * n + n * columns) * static_cast<int64_t>(sizeof(T));
  const Scratch memory(bytes);
  if (!memory.ok()) return OutOfScratch(bytes);
  const Matrix<T> l = {memory.As<T>(), n}, x = {memory.As<T>() + n * n, columns};
  CopyTriangle(r, shape, batch * n * n, l);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t c = 0; c < columns; ++c) {
      x.Row(i)[c] = LoadElement<T>(r.type, r.b, base + SideElement(r, shape, i, c));
    }
  }
  for (int64_t k = 0; k < n; k += kBlock) {
    const int64_t width = std::min(kBlock, n - k), rest = n - k - width;
    const Matrix<T> solved = {x.Row(k), columns};
    Substitute(parallel, Matrix<T>{l.Row(k) + k, n}, width, r.unit_diagonal, solved, columns);
    if (rest == 0) break;
    HLOCTS_RETURN_IF_ERROR(Subtract(parallel, rest, columns, width,
                                    static_cast<const T*>(l.Row(k + width) + k), n, 1, solved,
                                    Matrix<T>{x.Row(k + width), columns}));
  }
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t c = 0; c < columns; ++c) {
      StoreElement(r.type, x.Row(i)[c], r.output, base + SideElement(r, shape, i, c));
    }
  }
  return absl::OkStatus();
}

// -- Cholesky.

template <typename T>
T ConjugateDot(const T* x, const T* y, int64_t count) {
  T sum(0);
  if constexpr (kIsComplex<T>) {
    for (int64_t p = 0; p < count; ++p) sum += x[p] * std::conj(y[p]);
  } else {
#pragma omp simd reduction(+ : sum)
    for (int64_t p = 0; p < count; ++p) sum += x[p] * y[p];
  }
  return sum;
}

// A block on the diagonal, row by row. What is not positive ends in NaN.
template <typename T>
void FactorBlock(Matrix<T> a, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j <= i; ++j) {
      const T sum = a.Row(i)[j] - ConjugateDot(a.Row(i), a.Row(j), j);
      if (j < i) {
        a.Row(i)[j] = sum / a.Row(j)[j];
        continue;
      }
      const auto pivot = std::real(sum);
      using Real = std::decay_t<decltype(pivot)>;
      a.Row(i)[i] = T(pivot > 0 ? std::sqrt(pivot) : std::numeric_limits<Real>::quiet_NaN());
    }
  }
}

// The lower factor of the matrix whose lower triangle is in `a`, in place.
template <typename T>
absl::Status Factor(const Parallel& parallel, Matrix<T> a, int64_t n, T* panel) {
  for (int64_t k = 0; k < n; k += kBlock) {
    const int64_t width = std::min(kBlock, n - k), below = k + width, rest = n - below;
    FactorBlock(Matrix<T>{a.Row(k) + k, a.row}, width);
    if (rest == 0) break;
    // The block column below, transposed (and conjugated): l y = its adjoint.
    const Matrix<T> y = {panel, rest}, adjoint = {panel + kBlock * n, rest};
    for (int64_t i = 0; i < rest; ++i) {
      for (int64_t j = 0; j < width; ++j) y.Row(j)[i] = Conjugate(a.Row(below + i)[k + j]);
    }
    Substitute(parallel, Matrix<T>{a.Row(k) + k, a.row}, width, false, y, rest);
    for (int64_t i = 0; i < rest; ++i) {
      for (int64_t j = 0; j < width; ++j) {
        a.Row(below + i)[k + j] = adjoint.Row(j)[i] = Conjugate(y.Row(j)[i]);
      }
    }
    // The triangle that is left, a block column at a time.
    for (int64_t c = 0; c < rest; c += 2 * kBlock) {
      const int64_t columns = std::min(2 * kBlock, rest - c);
      HLOCTS_RETURN_IF_ERROR(Subtract(parallel, rest - c, columns, width,
                                      static_cast<const T*>(adjoint.data + c), 1, rest,
                                      Matrix<T>{y.data + c, rest},
                                      Matrix<T>{a.Row(below + c) + below + c, a.row}));
    }
  }
  return absl::OkStatus();
}

template <typename T>
absl::Status FactorOne(const Parallel& parallel, const CholeskyRequest& r, int64_t batch) {
  const int64_t n = r.size, base = batch * n * n;
  const int64_t bytes = (n * n + 2 * kBlock * n) * static_cast<int64_t>(sizeof(T));
  const Scratch memory(bytes);
  if (!memory.ok()) return OutOfScratch(bytes);
  const Matrix<T> a = {memory.As<T>(), n};
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j <= i; ++j) {
      const T x = LoadElement<T>(r.type, r.operand, base + (r.lower ? i * n + j : j * n + i));
      a.Row(i)[j] = r.lower ? x : Conjugate(x);
    }
  }
  HLOCTS_RETURN_IF_ERROR(Factor(parallel, a, n, memory.As<T>() + n * n));
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      const T x = j <= i ? a.Row(i)[j] : T(0);
      StoreElement(r.type, r.lower ? x : Conjugate(x), r.output,
                   base + (r.lower ? i * n + j : j * n + i));
    }
  }
  return absl::OkStatus();
}

// One matrix after the other with the pool inside, or many over the pool.
template <typename One>
absl::Status EachMatrix(const Parallel& parallel, int64_t batch, double cost, One one) {
  if (batch < parallel.threads()) {
    for (int64_t i = 0; i < batch; ++i) HLOCTS_RETURN_IF_ERROR(one(parallel, i));
    return absl::OkStatus();
  }
  std::atomic<bool> failed{false};
  parallel.For(batch, cost, [&](int64_t i, int64_t end) {
    for (; i < end; ++i) {
      if (!one(Parallel(1), i).ok()) failed = true;
    }
  });
  return failed ? OutOfScratch(0) : absl::OkStatus();
}

// Calls visit(T{}) with the computing type.
template <typename Visit>
absl::Status VisitComputeType(PrimitiveType type, Visit visit) {
  switch (type) {
    case PrimitiveType::kF64: return visit(double{});
    case PrimitiveType::kC64: return visit(Complex64{});
    case PrimitiveType::kC128: return visit(Complex128{});
    default: return visit(float{});
  }
}

}  // namespace

absl::Status CholeskyKernel(const Parallel& parallel, const CholeskyRequest& request) {
  const double n = static_cast<double>(request.size);
  return VisitComputeType(request.type, [&](auto zero) {
    return EachMatrix(parallel, request.batch, 0.1 * n * n * n + 5 * n * n,
                      [&](const Parallel& pool, int64_t i) {
                        return FactorOne<decltype(zero)>(pool, request, i);
                      });
  });
}

absl::Status TriangularSolveKernel(const Parallel& parallel,
                                   const TriangularSolveRequest& request) {
  const double n = static_cast<double>(request.left_side ? request.rows : request.columns);
  const double elements = static_cast<double>(request.rows) * request.columns;
  return VisitComputeType(request.type, [&](auto zero) {
    return EachMatrix(parallel, request.batch, 0.1 * n * elements + 5 * n * n,
                      [&](const Parallel& pool, int64_t i) {
                        return SolveOne<decltype(zero)>(pool, request, i);
                      });
  });
}

}  // namespace hlocts::kernels::HLOCTS_ISA
