// SPDX-License-Identifier: Apache-2.0
// The libraries' conventions as loops: slow, and only what their documentation says.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <numeric>
#include <vector>

#include "backends/engine/cuda/base/libraries.h"
#include "backends/engine/cuda/device/dispatch.h"

namespace hlocts::cuda {
namespace {

using hl::Complex;
using hl::Value;

std::atomic<int64_t> calls[kLibraryCount];

// Bytes of element i of an array of a type.
template <class T>
T* At(T* array, int type, int64_t i) {
  using Byte = std::conditional_t<std::is_const_v<T>, const char, char>;
  return static_cast<Byte*>(array) + i * hl::BytesOf(type);
}

// Products of f16 and bf16 are exact in f32, of s8 in integers.
int SumType(int type) {
  switch (type) {
    case hl::kF64:
      return hl::kF64;
    case hl::kC64:
    case hl::kC128:
      return hl::kC128;
    case hl::kS8:
      return hl::kU64;
    default:
      return hl::kF32;
  }
}

bool Takes(const GemmPlan& p) {
  switch (p.type) {
    case hl::kF32:
    case hl::kF64:
    case hl::kC64:
    case hl::kC128:
      return p.result == p.type;
    case hl::kF16:
    case hl::kBF16:
      return p.result == p.type || p.result == hl::kF32;
    case hl::kS8:
      return p.result == hl::kS32 && TakesIntegers(p);
    default:
      return false;
  }
}

// To the eleven significant bits of TF32, which tensor cores multiply; sums stay f32.
double InTf32(double x) {
  const hl::u64 bits = hl::BitsOfFloat(static_cast<float>(x));
  constexpr int kMantissaBits = 10, kExponentBits = 8;
  return hl::FloatOfBits(static_cast<hl::u32>(
      hl::ReducedBits(hl::FormatOf(hl::kF32), bits, kExponentBits, kMantissaBits)));
}
Value TermOf(const GemmPlan& p, int sum_type, const void* array, int64_t at) {
  Value x = hl::Widened(p.type, sum_type, hl::Load(p.type, array, at));
  if (p.tf32 == 0) return x;
  if (p.type == hl::kF32) x.f = static_cast<float>(InTf32(x.f));
  if (p.type == hl::kC64) x.z = {InTf32(x.z.re), InTf32(x.z.im)};
  return x;
}

bool Gemm(const GemmPlan& p, const void* a, const void* b, void* c) {
  if (!HostTakes(p)) return false;
  const int sum_type = SumType(p.type);
  for (int64_t e = 0; e < p.batch * p.n * p.m; ++e) {
    const int64_t batch = e / (p.n * p.m), j = e / p.m % p.n, i = e % p.m;
    Value sum = hl::Zero(sum_type);
    for (int64_t l = 0; l < p.k; ++l) {
      const int64_t at_a =
          batch * p.stride_a + (p.transpose_a != 0 ? i * p.lda + l : l * p.lda + i);
      const int64_t at_b =
          batch * p.stride_b + (p.transpose_b != 0 ? l * p.ldb + j : j * p.ldb + l);
      hl::Accumulate(sum_type, sum, TermOf(p, sum_type, a, at_a), TermOf(p, sum_type, b, at_b));
    }
    hl::StoreSum(sum_type, p.result, c, batch * p.stride_c + j * p.ldc + i, sum);
  }
  return true;
}

Complex OperatorAt(const TriangularPlan& p, const void* a, int64_t r, int64_t c) {
  const bool flipped = p.transposition != kAsIs;
  Complex z = hl::LoadComplex(p.type, a, flipped ? r * p.lda + c : c * p.lda + r);
  return p.transposition == kAdjoint ? hl::Conjugate(z) : z;
}

// One vector of the solution; `first` and `step`: where its elements lie in B.
void SolveOne(const TriangularPlan& p, const void* a, void* b, int64_t first, int64_t step) {
  const int64_t size = p.right != 0 ? p.n : p.m;
  // Substitution runs down a lower operator from the left, and the other way from the right.
  const bool upper = (p.upper != 0) != (p.transposition != kAsIs);
  const bool down = upper == (p.right != 0);
  std::vector<Complex> x(static_cast<size_t>(size));
  for (int64_t s = 0; s < size; ++s) {
    const int64_t r = down ? s : size - 1 - s;
    Complex sum = hl::LoadComplex(p.type, b, first + r * step);
    for (int64_t q = 0; q < s; ++q) {
      const int64_t c = down ? q : size - 1 - q;
      const Complex factor = p.right != 0 ? OperatorAt(p, a, c, r) : OperatorAt(p, a, r, c);
      sum = hl::Difference(sum, hl::Product(factor, x[c]));
    }
    if (p.unit == 0) {
      const Complex pivot = OperatorAt(p, a, r, r);
      sum = hl::ClassOf(p.type) == hl::kClassComplex ? hl::Ratio(sum, pivot)
                                                     : Complex{sum.re / pivot.re, 0};
    }
    x[r] = sum;
    hl::StoreComplex(p.type, b, first + r * step, sum);
  }
}

bool Solve(const TriangularPlan& p, const void* const* in, void* const* out) {
  for (int64_t batch = 0; batch < p.batch; ++batch) {
    const void* a = p.batch > 1 ? static_cast<void* const*>(in[1])[batch] : in[0];
    void* b = p.batch > 1 ? static_cast<void* const*>(out[1])[batch] : out[0];
    for (int64_t v = 0; v < (p.right != 0 ? p.m : p.n); ++v) {
      SolveOne(p, a, b, p.right != 0 ? v : v * p.ldb, p.right != 0 ? p.ldb : 1);
    }
  }
  return true;
}

// Column by column; what U^H U needs is the conjugate mirror of what L L^H does.
int FactorOne(const CholeskyPlan& p, void* a) {
  const auto at = [&](int64_t r, int64_t c) {
    return p.upper != 0 ? r * p.lda + c : c * p.lda + r;
  };
  const auto load = [&](int64_t r, int64_t c) {
    const Complex z = hl::LoadComplex(p.type, a, at(r, c));
    return p.upper != 0 ? hl::Conjugate(z) : z;
  };
  for (int64_t j = 0; j < p.n; ++j) {
    for (int64_t r = j; r < p.n; ++r) {
      Complex sum = load(r, j);
      for (int64_t k = 0; k < j; ++k) {
        sum = hl::Difference(sum, hl::Product(load(r, k), hl::Conjugate(load(j, k))));
      }
      if (r == j && !(sum.re > 0)) return static_cast<int>(j) + 1;
      const Complex z = r == j ? Complex{std::sqrt(sum.re), 0} : hl::Scaled(sum, 1 / load(j, j).re);
      hl::StoreComplex(p.type, a, at(r, j), p.upper != 0 ? hl::Conjugate(z) : z);
    }
  }
  return 0;
}

bool Factor(const CholeskyPlan& p, void* const* out) {
  for (int64_t b = 0; b < p.batch; ++b) {
    void* a = p.batch > 1 ? static_cast<void**>(out[2])[b] : out[0];
    static_cast<int32_t*>(out[1])[b] = FactorOne(p, a);
  }
  return true;
}

// The plain sum along one dimension of complex data.
void TransformLines(const std::vector<int64_t>& sizes, size_t axis, double sign,
                    std::vector<Complex>& data) {
  int64_t inner = 1;
  for (size_t d = axis + 1; d < sizes.size(); ++d) inner *= sizes[d];
  const int64_t n = sizes[axis];
  std::vector<Complex> line(static_cast<size_t>(n));
  for (int64_t first = 0; first < static_cast<int64_t>(data.size()); ++first) {
    if (first / inner % n != 0) continue;
    for (int64_t k = 0; k < n; ++k) {
      line[k] = {0, 0};
      for (int64_t j = 0; j < n; ++j) {
        const Complex root = hl::Root(j * k, n);
        line[k] =
            hl::Sum(line[k], hl::Product(data[first + j * inner], {root.re, -sign * root.im}));
      }
    }
    for (int64_t k = 0; k < n; ++k) data[first + k * inner] = line[k];
  }
}

// One transform, gathered, transformed and put back.
void TransformOne(const FftPlan& p, const void* in, void* out, int64_t from, int64_t to) {
  const int complex_type = p.is_double != 0 ? hl::kC128 : hl::kC64;
  const int real_type = p.is_double != 0 ? hl::kF64 : hl::kF32;
  const std::vector<int64_t> sizes(p.n, p.n + p.rank);
  const int64_t last = sizes.back(), half = last / 2 + 1;
  int64_t rows = 1;
  for (int32_t d = 0; d + 1 < p.rank; ++d) rows *= sizes[d];
  std::vector<Complex> data(static_cast<size_t>(rows * last));
  const int64_t columns = p.kind == kFftToReal ? half : last;
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t c = 0; c < columns; ++c) {
      data[r * last + c] = hl::LoadComplex(p.kind == kFftFromReal ? real_type : complex_type, in,
                                           from + (r * columns + c) * p.stride);
    }
  }
  const double sign = p.kind == kFftForward || p.kind == kFftFromReal ? -1 : 1;
  for (int32_t d = 0; d + 1 < p.rank; ++d) TransformLines(sizes, d, sign, data);
  if (p.kind == kFftToReal) {
    // After the other axes each row is half of a Hermitian line; the rest mirrors it.
    for (int64_t e = 0; e < rows * last; ++e) {
      if (e % last >= half) data[e] = hl::Conjugate(data[e / last * last + last - e % last]);
    }
  }
  TransformLines(sizes, static_cast<size_t>(p.rank) - 1, sign, data);
  const int64_t kept = p.kind == kFftFromReal ? half : last;
  for (int64_t e = 0; e < rows * kept; ++e) {
    hl::StoreComplex(p.kind == kFftToReal ? real_type : complex_type, out, to + e * p.stride,
                     data[e / kept * last + e % kept]);
  }
}

bool Transform(const FftPlan& p, const void* in, void* out) {
  for (int64_t b = 0; b < p.batch; ++b) {
    TransformOne(p, in, out, b * p.distance_in, b * p.distance_out);
  }
  return true;
}

template <class Key, class Rank>
void SortBy(const SortPlan& p, const void* const* in, void* const* out, Rank rank) {
  const Key* keys = static_cast<const Key*>(in[0]);
  std::vector<int64_t> order(static_cast<size_t>(p.count));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t i, int64_t j) { return rank(keys[i]) < rank(keys[j]); });
  for (int64_t i = 0; i < p.count; ++i) {
    static_cast<Key*>(out[0])[i] = keys[order[i]];
    if (p.kind == kSortF32) continue;
    static_cast<uint32_t*>(out[1])[i] = static_cast<const uint32_t*>(in[1])[order[i]];
  }
}

bool Sort(const SortPlan& p, const void* const* in, void* const* out) {
  const uint64_t mask = p.end_bit >= 64 ? ~uint64_t{0} : (uint64_t{1} << p.end_bit) - 1;
  const auto masked = [mask](uint64_t key) { return key & mask; };
  // Signed zeros are equal; NaN stands where its bits do.
  const auto of_float = [](uint32_t bits) {
    if (bits == 0x80000000u) bits = 0;
    return (bits & 0x80000000u) != 0 ? ~bits : bits | 0x80000000u;
  };
  if (p.kind == kSortF32) SortBy<uint32_t>(p, in, out, of_float);
  if (p.kind == kSort32) SortBy<uint32_t>(p, in, out, masked);
  if (p.kind == kSort64) SortBy<uint64_t>(p, in, out, masked);
  return true;
}

}  // namespace

bool HostTakes(const GemmPlan& p) {
  return p.lda >= (p.transpose_a != 0 ? p.k : p.m) && p.ldb >= (p.transpose_b != 0 ? p.n : p.k) &&
         p.ldc >= p.m && Takes(p);
}

bool RunHostLibrary(Library library, const void* plan, const void* const* in, void* const* out) {
  switch (library) {
    case Library::kCublasLt:
      return Gemm(*static_cast<const GemmPlan*>(plan), in[0], in[1], out[0]);
    case Library::kCublas:
      return Solve(*static_cast<const TriangularPlan*>(plan), in, out);
    case Library::kCusolver:
      return Factor(*static_cast<const CholeskyPlan*>(plan), out);
    case Library::kCufft:
      return Transform(*static_cast<const FftPlan*>(plan), in[0], out[0]);
    case Library::kCudnn:
      return RunHostConvolution(*static_cast<const ConvolutionPlan*>(plan), in[0], in[1], out[0]);
    case Library::kCub:
      return Sort(*static_cast<const SortPlan*>(plan), in, out);
  }
  return false;
}

int64_t LibraryCalls(Library library) { return calls[static_cast<int>(library)]; }
void CountLibraryCall(Library library) { ++calls[static_cast<int>(library)]; }

}  // namespace hlocts::cuda
