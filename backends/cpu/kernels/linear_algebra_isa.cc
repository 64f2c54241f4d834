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
#include "backends/cpu/kernels/transpose_isa.h"
#include "spec/base/status.h"

namespace hlocts::kernels::HLOCTS_ISA {
namespace {

constexpr int64_t kBlock = 64;
constexpr int64_t kBand = 2 * kBlock;
constexpr int64_t kAligned = 16;  // elements in whole vectors of any set and type

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

// Rows [j, j + kRows) of `kVectors` vectors: x[i] -= sum over p < j of l[i][p] x[p].
template <typename T, int kRows, int kVectors>
void SubtractSolved(Matrix<T> l, int64_t j, T* x, int64_t x_row) {
  Vec<T> sums[kRows][kVectors];
  HLOCTS_UNROLL for (int i = 0; i < kRows; ++i) {
    HLOCTS_UNROLL for (int v = 0; v < kVectors; ++v) {
      sums[i][v] = Load(x + (j + i) * x_row + v * kLanes<T>);
    }
  }
  for (int64_t p = 0; p < j; ++p) {
    Vec<T> solved[kVectors];
    HLOCTS_UNROLL for (int v = 0; v < kVectors; ++v) solved[v] =
        Load(x + p * x_row + v * kLanes<T>);
    HLOCTS_UNROLL for (int i = 0; i < kRows; ++i) {
      const Vec<T> factor = Splat(l.Row(j + i)[p]);
      HLOCTS_UNROLL for (int v = 0; v < kVectors; ++v) sums[i][v] -= factor * solved[v];
    }
  }
  HLOCTS_UNROLL for (int i = 0; i < kRows; ++i) {
    HLOCTS_UNROLL for (int v = 0; v < kVectors; ++v) {
      Store(x + (j + i) * x_row + v * kLanes<T>, sums[i][v]);
    }
  }
}

// x[j] = (x[j] - sum over first <= p < j of l[j][p] x[p]) / l[j][j] for rows of `width` elements.
template <typename T>
void SubstituteRow(Matrix<T> l, int64_t first, int64_t j, bool unit, Matrix<T> x, int64_t width) {
  T* __restrict to = x.Row(j);
  for (int64_t p = first; p < j; ++p) {
    const T factor = l.Row(j)[p];
    const T* __restrict from = x.Row(p);
    for (int64_t i = 0; i < width; ++i) to[i] -= factor * from[i];
  }
  if (unit) return;
  const T diagonal = l.Row(j)[j];
  for (int64_t i = 0; i < width; ++i) to[i] /= diagonal;
}

// l y = x in place for `width` adjacent right-hand sides; the diagonal of a unit triangle is not
// read. Whole tiles subtract what is solved from a few rows at a time, in registers.
template <typename T>
void SubstituteTile(Matrix<T> l, int64_t n, bool unit, Matrix<T> x, int64_t width) {
  int64_t j = 0;
  if constexpr (!kIsComplex<T>) {
    constexpr int kRows = 4, kVectors = 2;
    for (; width == kVectors * kLanes<T> && j + kRows <= n; j += kRows) {
      SubtractSolved<T, kRows, kVectors>(l, j, x.data, x.row);
      for (int64_t i = j; i < j + kRows; ++i) SubstituteRow(l, j, i, unit, x, width);
    }
  }
  for (; j < n; ++j) SubstituteRow(l, 0, j, unit, x, width);
}

template <typename T>
void Substitute(const Parallel& parallel, Matrix<T> l, int64_t n, bool unit, Matrix<T> x,
                int64_t columns) {
  constexpr int64_t kTile = 2 * kVectorBytes / static_cast<int64_t>(sizeof(T));
  const int64_t tiles = (columns + kTile - 1) / kTile;
  const double cost = 0.03 * static_cast<double>(n * n * std::min(columns, kTile));
  parallel.For(tiles, cost, [&](int64_t tile, int64_t end) {
    for (; tile < end; ++tile) {
      const int64_t first = tile * kTile;
      SubstituteTile(l, n, unit, Matrix<T>{x.data + first, x.row},
                     std::min(kTile, columns - first));
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
  return {r.left_side ? r.rows : r.columns, r.left_side ? r.columns : r.rows, r.lower == transposed,
          transposed, r.transpose == TransposeKind::kAdjoint};
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

// -- Cholesky: a = u* u with u upper, so that rows of the factor are contiguous.

// A block on the diagonal, row by row. What is not positive ends in NaN. Below the diagonal, up to
// whole vectors, anything may be left.
template <typename T>
void FactorBlock(Matrix<T> u, int64_t n) {
  for (int64_t j = 0; j < n; ++j) {
    const int64_t first = j / kAligned * kAligned;
    T* __restrict row = u.Row(j);
    int64_t p = 0;
    for (; p + 4 <= j; p += 4) {
      const T *a = u.Row(p), *b = u.Row(p + 1), *c = u.Row(p + 2), *d = u.Row(p + 3);
      const T fa = Conjugate(a[j]), fb = Conjugate(b[j]), fc = Conjugate(c[j]),
              fd = Conjugate(d[j]);
      for (int64_t i = first; i < n; ++i) {
        row[i] -= (fa * a[i] + fb * b[i]) + (fc * c[i] + fd * d[i]);
      }
    }
    for (; p < j; ++p) {
      const T* a = u.Row(p);
      const T factor = Conjugate(a[j]);
      for (int64_t i = first; i < n; ++i) row[i] -= factor * a[i];
    }
    const auto pivot = std::real(row[j]);
    using Real = std::decay_t<decltype(pivot)>;
    const T root(pivot > 0 ? std::sqrt(pivot) : std::numeric_limits<Real>::quiet_NaN());
    for (int64_t i = first; i < n; ++i) row[i] /= root;
    row[j] = root;
  }
}

// c -= x* x above its diagonal, a band of rows at a time over the pool.
template <typename T>
absl::Status SubtractSquare(const Parallel& parallel, Matrix<T> x, int64_t depth, Matrix<T> c,
                            int64_t n, T* memory) {
  Matrix<T> left = x;
  if constexpr (kIsComplex<T>) {
    left = {memory, n};
    for (int64_t p = 0; p < depth; ++p) {
      for (int64_t i = 0; i < n; ++i) left.Row(p)[i] = std::conj(x.Row(p)[i]);
    }
  }
  const int64_t bands = (n + kBand - 1) / kBand;
  std::atomic<bool> failed{false};
  const double cost = GemmNanoseconds(std::min(n, kBand), (n + 1) / 2, depth, sizeof(T));
  parallel.For(bands, cost, [&](int64_t band, int64_t end) {
    for (; band < end; ++band) {
      const int64_t first = band * kBand;
      const absl::Status status =
          Subtract(Parallel(1), std::min(kBand, n - first), n - first, depth,
                   static_cast<const T*>(left.data + first), 1, left.row,
                   Matrix<T>{x.data + first, x.row}, Matrix<T>{c.Row(first) + first, c.row});
      if (!status.ok()) failed = true;
    }
  });
  return failed ? OutOfScratch(0) : absl::OkStatus();
}

// The factor of the matrix whose upper triangle is in `u`, in place.
template <typename T>
absl::Status Factor(const Parallel& parallel, Matrix<T> u, int64_t n, T* memory) {
  const Matrix<T> l = {memory, kBlock};
  for (int64_t k = 0; k < n; k += kBlock) {
    const int64_t width = std::min(kBlock, n - k), below = k + width, rest = n - below;
    FactorBlock(Matrix<T>{u.Row(k) + k, u.row}, width);
    if (rest == 0) break;
    for (int64_t j = 0; j < width; ++j) {
      for (int64_t p = 0; p <= j; ++p) l.Row(j)[p] = Conjugate(u.Row(k + p)[k + j]);
    }
    const Matrix<T> x = {u.Row(k) + below, u.row};
    Substitute(parallel, l, width, false, x, rest);
    HLOCTS_RETURN_IF_ERROR(SubtractSquare(parallel, x, width,
                                          Matrix<T>{u.Row(below) + below, u.row}, rest,
                                          memory + kBlock * kBlock));
  }
  return absl::OkStatus();
}

// to[j][i] = the conjugate of from[i][j] in a block of rows and columns.
template <typename T>
void TurnBlock(Matrix<T> from, int64_t rows, int64_t columns, Matrix<T> to) {
  if constexpr (!kIsComplex<T>) {
    if (rows == kLanes<T> && columns == kLanes<T>) {
      Vec<T> lines[kLanes<T>];
      HLOCTS_UNROLL for (int i = 0; i < kLanes<T>; ++i) lines[i] = Load(from.Row(i));
      Transpose<T>(lines);
      HLOCTS_UNROLL for (int i = 0; i < kLanes<T>; ++i) Store(to.Row(i), lines[i]);
      return;
    }
  }
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) to.Row(j)[i] = Conjugate(from.Row(i)[j]);
  }
}

// One triangle of a square matrix becomes the other one of `to`. Bands on the diagonal move whole,
// so that whatever is computed beside the diagonal is computed from something.
template <typename T>
void TurnTriangle(const Parallel& parallel, Matrix<T> from, bool from_lower, int64_t n,
                  Matrix<T> to) {
  constexpr int64_t kStep = kLanes<T>;
  parallel.For((n + kStep - 1) / kStep, 0.2 * n * kStep, [&](int64_t step, int64_t steps) {
    for (; step < steps; ++step) {
      const int64_t i = step * kStep, band = i / kBand * kBand;
      const int64_t end = from_lower ? std::min(n, band + kBand) : n;
      for (int64_t j = from_lower ? 0 : band; j < end; j += kStep) {
        TurnBlock(Matrix<T>{from.Row(i) + j, from.row}, std::min(kStep, n - i),
                  std::min(kStep, n - j), Matrix<T>{to.Row(j) + i, to.row});
      }
    }
  });
}

// The stated triangle of `from` as the upper one, and back; the rest of `to` becomes zero.
template <typename T>
void LoadTriangle(const Parallel& parallel, T* from, bool lower, int64_t n, Matrix<T> u) {
  if (lower) {
    TurnTriangle(parallel, Matrix<T>{from, n}, true, n, u);
  } else {
    for (int64_t i = 0; i < n; ++i) std::copy(from + i * n, from + (i + 1) * n, u.Row(i));
  }
}
template <typename T>
void StoreTriangle(const Parallel& parallel, Matrix<T> u, bool lower, int64_t n, Matrix<T> to) {
  if (lower) {
    TurnTriangle(parallel, u, false, n, to);
  } else {
    for (int64_t i = 0; i < n; ++i) std::copy(u.Row(i), u.Row(i) + n, to.Row(i));
  }
  for (int64_t i = 0; i < n; ++i) {
    std::fill(to.Row(i) + (lower ? i + 1 : 0), to.Row(i) + (lower ? n : i), T(0));
  }
}

template <typename T>
absl::Status FactorOne(const Parallel& parallel, const CholeskyRequest& r, int64_t batch) {
  const int64_t n = r.size, bytes_each = StorageBytes(r.type), at = batch * n * n * bytes_each;
  const bool narrow = bytes_each == 2;  // converted in a square of its own
  const int64_t row = n + kAligned;  // rows a power of two apart would share few places in caches
  const int64_t work = kBlock * (kBlock + n), square = narrow ? n * n : 0;
  const int64_t bytes = (n * row + work + square) * static_cast<int64_t>(sizeof(T));
  const Scratch memory(bytes);
  if (!memory.ok()) return OutOfScratch(bytes);
  const Matrix<T> u = {memory.As<T>(), row};
  T* const rest = memory.As<T>() + n * row;
  const char* operand = static_cast<const char*>(r.operand) + at;
  char* output = static_cast<char*>(r.output) + at;
  if constexpr (!kIsComplex<T>) {
    if (narrow) {
      T* wide = rest + work;
      DecodeRun(r.type, operand, 1, n * n, wide);
      LoadTriangle(parallel, wide, r.lower, n, u);
      HLOCTS_RETURN_IF_ERROR(Factor(parallel, u, n, rest));
      StoreTriangle(parallel, u, r.lower, n, Matrix<T>{wide, n});
      EncodeRun(r.type, wide, n * n, 1, output);
      return absl::OkStatus();
    }
  }
  LoadTriangle(parallel, reinterpret_cast<T*>(const_cast<char*>(operand)), r.lower, n, u);
  HLOCTS_RETURN_IF_ERROR(Factor(parallel, u, n, rest));
  StoreTriangle(parallel, u, r.lower, n, Matrix<T>{reinterpret_cast<T*>(output), n});
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
    case PrimitiveType::kF64:
      return visit(double{});
    case PrimitiveType::kC64:
      return visit(Complex64{});
    case PrimitiveType::kC128:
      return visit(Complex128{});
    default:
      return visit(float{});
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
