// SPDX-License-Identifier: Apache-2.0
// Operations on whole matrices and lines: Cholesky factors, triangular systems, Fourier transforms,
// batch norms. They are computed in complex f64 or f64 for all types.
#ifndef HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_LINEAR_H_
#define HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_LINEAR_H_

#include "backends/engine/cuda/device/block_reduce.h"
#include "backends/engine/cuda/device/contraction.h"

namespace hl {

HL_CALL Complex LoadComplex(int type, const void* array, i64 i) {
  return Convert(type, kC128, Load(type, array, i)).z;
}
HL_CALL void StoreComplex(int type, void* array, i64 i, Complex z) {
  Value v;
  v.z = z;
  Store(type, array, i, Convert(kC128, type, v));
}
HL_CALL double LoadDouble(int type, const void* array, i64 i) {
  return Convert(type, kF64, Load(type, array, i)).d;
}
HL_CALL void StoreDouble(int type, void* array, i64 i, double x) {
  Store(type, array, i, FromDouble(type, x));
}
HL_FN Complex Conjugate(Complex z) { return {z.re, -z.im}; }

// Reads one triangle (the lower one if `lower`) and clears the other. If the matrix is not positive
// definite, the triangle becomes NaN. `work` has as many elements as the operand. A block computes
// one matrix. Each column has two phases (its diagonal, the rows below it); the result has one.
struct CholeskyArgs {
  NoProgram body;
  int phases, type, lower;
  i64 size;
  const void* in;
  void* out;
  Complex* work;
};
// Returns entry (r, j) of the matrix minus the contributions of columns 0 .. j - 1 of the factor.
HL_FN Complex CholeskyRest(const CholeskyArgs& a, i64 base, i64 r, i64 j) {
  const i64 n = a.size;
  const Complex* factor = a.work + base;
  Complex sum = a.lower != 0 ? LoadComplex(a.type, a.in, base + r * n + j)
                             : Conjugate(LoadComplex(a.type, a.in, base + j * n + r));
  for (i64 k = 0; k < j; ++k) {
    sum = Difference(sum, Product(factor[r * n + k], Conjugate(factor[j * n + k])));
  }
  return sum;
}
HL_FN void CholeskyStore(const CholeskyArgs& a, i64 base, bool definite, i64 i) {
  const i64 n = a.size, r = i / n, c = i % n;
  const Complex* factor = a.work + base;
  Complex z = {0, 0};
  if (a.lower != 0 ? c <= r : r <= c) {
    z = a.lower != 0 ? factor[r * n + c] : Conjugate(factor[c * n + r]);
    if (!definite) z = {NotANumber(), ClassOf(a.type) == kClassComplex ? NotANumber() : 0};
  }
  StoreComplex(a.type, a.out, base + i, z);
}
template <class F>
HL_FN void CholeskyAt(const CholeskyArgs& a, const F&, Value* definite, i64 block, int phase,
                      int thread) {
  const i64 n = a.size, base = block * n * n, j = phase / 2;
  Complex* factor = a.work + base;
  if (j == n) {
    for (i64 i = thread; i < n * n; i += kBlockThreads) {
      CholeskyStore(a, base, definite->u != 0, i);
    }
  } else if (phase % 2 == 0) {
    if (thread != 0) return;
    const Complex rest = CholeskyRest(a, base, j, j);
    definite->u = (j == 0 || definite->u != 0) && rest.re > 0 ? 1 : 0;
    factor[j * n + j] = {Sqrt(rest.re), 0};
  } else {
    for (i64 r = j + 1 + thread; r < n; r += kBlockThreads) {
      factor[r * n + j] = Scaled(CholeskyRest(a, base, r, j), 1 / factor[j * n + j].re);
    }
  }
}

// Solves one system per thread: for a column of b, or, if the matrix is on the right, for a row of
// b. `work` has as many elements as b, and contains the solution before it is rounded.
struct SolveArgs {
  int type, left, lower, unit, transposed, conjugated;
  i64 size, systems;  // size of a matrix; number of systems for each matrix
  const void* a;
  const void* b;
  void* out;
  Complex* work;
};
HL_FN Complex ElementOf(const SolveArgs& s, i64 base, i64 r, i64 c) {
  const bool flipped = (s.transposed != 0) != (s.left == 0);
  const Complex z = LoadComplex(s.type, s.a, base + (flipped ? c * s.size + r : r * s.size + c));
  return s.conjugated != 0 ? Conjugate(z) : z;
}
HL_FN void SolveAt(const SolveArgs& s, i64 i) {
  const i64 n = s.size, matrix = i / s.systems, system = i % s.systems, base = matrix * n * n;
  const i64 stride = s.left != 0 ? s.systems : 1;
  const i64 first = matrix * n * s.systems + (s.left != 0 ? system : system * n);
  const bool flipped = (s.transposed != 0) != (s.left == 0);
  const bool lower = (s.lower != 0) != flipped;
  for (i64 step = 0; step < n; ++step) {
    const i64 r = lower ? step : n - 1 - step;
    Complex sum = LoadComplex(s.type, s.b, first + r * stride);
    for (i64 c = lower ? 0 : r + 1; c < (lower ? r : n); ++c) {
      sum = Difference(sum, Product(ElementOf(s, base, r, c), s.work[first + c * stride]));
    }
    if (s.unit == 0) {
      const Complex pivot = ElementOf(s, base, r, r);
      sum = ClassOf(s.type) == kClassComplex ? Ratio(sum, pivot) : Complex{sum.re / pivot.re, 0};
    }
    s.work[first + r * stride] = sum;
    StoreComplex(s.type, s.out, first + r * stride, sum);
  }
}

// Returns e^(-2 pi i k / n).
HL_CALL Complex Root(i64 k, i64 n) {
  k %= n;
  if (k == 0) return {1, 0};
  const double angle =
      -6.283185307179586476925286766559 * static_cast<double>(k) / static_cast<double>(n);
  return {Cosine(angle), Sine(angle)};
}

// One pass of a transform along the second dimension of [outer, n, inner]. The pass sums over one
// prime factor of n. `done` is the product of the factors of earlier passes. A thread computes one
// element.
struct FourierArgs {
  i64 n, inner, factor, done;
  int inverse, reserved;
  const Complex* in;
  Complex* out;
};
HL_FN void FourierAt(const FourierArgs& a, i64 i) {
  const i64 q = i % a.inner, place = i / a.inner % a.n, outer = i / a.inner / a.n;
  // n / done is factor * rest. `place`, an index in [0, n), is within + done * (factor * p + k).
  const i64 left = a.n / a.done, rest = left / a.factor;
  const i64 within = place % a.done, k = place / a.done % a.factor, p = place / a.done / a.factor;
  Complex sum = {0, 0};
  for (i64 j = 0; j < a.factor; ++j) {
    const i64 from = within + a.done * (p + rest * j);
    const Complex x = a.in[(outer * a.n + from) * a.inner + q];
    const Complex root = Root(j * k % a.factor, a.factor);
    sum = Sum(sum, Product(x, a.inverse != 0 ? Conjugate(root) : root));
  }
  const Complex twiddle = Root(p * k % left, left);
  a.out[i] = Product(sum, a.inverse != 0 ? Conjugate(twiddle) : twiddle);
}

// Converts rows of `from` elements to rows of `to` elements. `load` is 0 for complex to `type`, 1
// for `type` to complex, and 2 for complex to complex. If `half`, the input is half a spectrum, and
// its mirrored conjugate is the other half.
struct SpectrumArgs {
  int type, half, load, reserved;
  i64 from, to;
  double scale;
  const void* in;
  void* out;
};
HL_FN void SpectrumAt(const SpectrumArgs& a, i64 i) {
  const i64 row = i / a.to, k = i % a.to;
  if (a.load == 0) {
    const Complex z = static_cast<const Complex*>(a.in)[row * a.from + k];
    StoreComplex(a.type, a.out, i, {z.re / a.scale, z.im / a.scale});
    return;
  }
  const bool mirrored = a.half != 0 && 2 * k > a.to;
  const i64 at = row * a.from + (mirrored ? a.to - k : k);
  Complex z = a.load == 1 ? LoadComplex(a.type, a.in, at) : static_cast<const Complex*>(a.in)[at];
  if (mirrored) z.im = -z.im;
  if (a.half != 0 && (k == 0 || 2 * k == a.to)) z.im = 0;
  static_cast<Complex*>(a.out)[i] = z;
}

// Batch norm. Features are the second dimension of [outer, count, inner]. block_norm.h computes the
// sums of each feature in f64.
struct NormArgs {
  NoProgram body;
  int phases, features;  // features: number of features that a block computes
  int narrow;            // 1 if there are fewer than 2^31 elements
  int type, mode;        // mode is a NormMode
  i64 outer, count, inner;
  double epsilon;
  const void* x;
  const void* scale;
  const void* offset;
  const void* mean;  // inference and gradient read it; training reads `sums`
  const void* variance;
  const void* grad;
  double* sums;  // [2, count]: mean and variance, or the sums of gradients
  void* out;
  void* out_first;
  void* out_second;
};
enum NormMode : int { kNormTraining, kNormInference, kNormGradient };

// Computes one element per thread.
HL_FN void NormAt(const NormArgs& a, i64 i) {
  i64 outer = i;
  SplitOff(outer, a.inner, a.narrow);
  const i64 k = SplitOff(outer, a.count, a.narrow);
  const bool training = a.mode == kNormTraining;
  const double x = LoadDouble(a.type, a.x, i), scale = LoadDouble(a.type, a.scale, k);
  const double mean = training ? a.sums[k] : LoadDouble(a.type, a.mean, k);
  const double variance = training ? a.sums[a.count + k] : LoadDouble(a.type, a.variance, k);
  const double root = Sqrt(variance + a.epsilon);
  double result;
  if (a.mode == kNormGradient) {
    const double share = static_cast<double>(a.outer * a.inner);
    const double slope = a.sums[a.count + k] / share / (variance + a.epsilon);
    result =
        scale / root * (LoadDouble(a.type, a.grad, i) - a.sums[k] / share - slope * (x - mean));
  } else {
    result = scale * (x - mean) / root + LoadDouble(a.type, a.offset, k);
  }
  StoreDouble(a.type, a.out, i, result);
}

}  // namespace hl

#endif  // HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_LINEAR_H_
