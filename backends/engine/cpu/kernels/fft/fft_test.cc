// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cpu/kernels/fft/fft.h"

#include <complex>

#include "backends/engine/cpu/kernels/fft/fft_plan.h"
#include "backends/engine/cpu/kernels/runtime/kernel_testing.h"

namespace hlocts::kernels {
namespace {

using Wide = std::complex<long double>;

// Computes the transform by its definition, along the last dimension of [rows, n].
std::vector<Wide> Slow(const std::vector<Wide>& in, int64_t n, bool inverse) {
  std::vector<Wide> roots(n), out(in.size());
  const long double angle = (inverse ? 2 : -2) * 3.14159265358979323846264338327950288L / n;
  for (int64_t k = 0; k < n; ++k) roots[k] = std::polar(1.0L, angle * k);
  for (size_t first = 0; first < in.size(); first += n) {
    for (int64_t k = 0; k < n; ++k) {
      Wide sum = 0;
      for (int64_t i = 0; i < n; ++i) sum += in[first + i] * roots[i * k % n];
      out[first + k] = inverse ? sum / static_cast<long double>(n) : sum;
    }
  }
  return out;
}

template <typename T>
constexpr PrimitiveType kComponent = sizeof(T) == 4 ? PrimitiveType::kF32 : PrimitiveType::kF64;

template <typename T>
std::vector<std::complex<T>> RandomComplex(int64_t count, int seed) {
  const std::vector<float> parts = RandomFloats(2 * count, seed);
  std::vector<std::complex<T>> result(count);
  for (int64_t i = 0; i < count; ++i) result[i] = {parts[2 * i], parts[2 * i + 1]};
  return result;
}

// Checks the normwise error per transform: at most factor * log2(n) u (lemma 21). The factor is 8,
// or 24 with Bluestein's algorithm.
template <typename T>
void ExpectClose(const std::vector<std::complex<T>>& actual, const std::vector<Wide>& expected,
                 int64_t n, double factor) {
  ASSERT_EQ(actual.size(), expected.size());
  const double unit = sizeof(T) == 4 ? 0x1p-24 : 0x1p-53;
  for (size_t first = 0; first < actual.size(); first += n) {
    long double error = 0, norm = 0;
    for (int64_t k = 0; k < n; ++k) {
      const std::complex<T> x = actual[first + k];
      error += std::norm(Wide(x.real(), x.imag()) - expected[first + k]);
      norm += std::norm(expected[first + k]);
    }
    const double bound = factor * std::max(1.0, std::log2(static_cast<double>(n))) * unit;
    ASSERT_LE(std::sqrt(static_cast<double>(error)), bound * std::sqrt(static_cast<double>(norm)));
  }
}

template <typename T>
void CheckLength(int64_t n, int64_t rows, double factor) {
  SCOPED_TRACE(testing::Message() << rows << " of length " << n);
  const std::vector<std::complex<T>> in = RandomComplex<T>(n * rows, 1);
  const std::vector<Wide> wide(in.begin(), in.end());
  for (bool inverse : {false, true}) {
    const std::vector<Wide> expected = Slow(wide, n, inverse);
    ForEachIsa([&] {
      std::vector<std::complex<T>> out(in.size());
      const int64_t batch[] = {rows}, length[] = {n};
      ASSERT_TRUE(Fft(Parallel(), {inverse ? FftKind::kIfft : FftKind::kFft, kComponent<T>, batch,
                                   length, in.data(), out.data()})
                      .ok());
      ExpectClose(out, expected, n, factor);
    });
  }
}

TEST(FftCacheTest, AFailureIsNotKept) {
  FftCache<int> cache;
  const auto get = [&](int* value) {
    return cache.Get(7, [value] { return std::shared_ptr<int>(value); });
  };
  EXPECT_EQ(get(nullptr), nullptr);
  EXPECT_EQ(*get(new int(5)), 5);
  EXPECT_EQ(*get(nullptr), 5);
}

TEST(FftTest, LengthsOfEveryWay) {
  for (int64_t n : {1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 30, 49, 60, 64, 100, 121, 128, 61, 360}) {
    for (int64_t rows : {1, 3, 16, 19}) {
      CheckLength<float>(n, rows, 8);
      CheckLength<double>(n, rows, 8);
    }
  }
  for (int64_t n : {1024, 1155, 2048}) CheckLength<float>(n, 1, 8);
}

TEST(FftTest, LargePrimes) {
  for (int64_t n : {67, 134, 1009}) {
    CheckLength<float>(n, 1, 24);
    CheckLength<double>(n, 2, 24);
  }
}

// Checks long transforms of a wave. Their exact result has one nonzero element.
TEST(FftTest, LongTransformOfAWave) {
  const int64_t n = 1 << 18, frequency = 12345;
  std::vector<std::complex<double>> in(n), out(n);
  for (int64_t i = 0; i < n; ++i) {
    in[i] =
        std::polar(1.0, 2 * 3.14159265358979323846 * static_cast<double>(i * frequency % n) / n);
  }
  const int64_t length[] = {n};
  ForEachIsa([&] {
    ASSERT_TRUE(
        Fft(Parallel(), {FftKind::kFft, PrimitiveType::kF64, {}, length, in.data(), out.data()})
            .ok());
    double rest = 0;
    for (int64_t k = 0; k < n; ++k) {
      rest += std::norm(out[k] - (k == frequency ? static_cast<double>(n) : 0.0));
    }
    EXPECT_LE(std::sqrt(rest), 8 * 18 * 0x1p-53 * n);
  });
}

TEST(FftTest, RealThereAndBack) {
  for (int64_t n : {1, 2, 7, 10, 64}) {
    const int64_t rows = 5, half = n / 2 + 1;
    const std::vector<float> in = RandomFloats(rows * n, 4);
    const std::vector<Wide> full = Slow(std::vector<Wide>(in.begin(), in.end()), n, false);
    const int64_t batch[] = {rows}, length[] = {n};
    ForEachIsa([&] {
      std::vector<std::complex<float>> out(rows * half);
      std::vector<float> back(rows * n);
      ASSERT_TRUE(Fft(Parallel(),
                      {FftKind::kRfft, PrimitiveType::kF32, batch, length, in.data(), out.data()})
                      .ok());
      for (int64_t r = 0; r < rows; ++r) {
        for (int64_t k = 0; k < half; ++k) {
          const Wide x(out[r * half + k].real(), out[r * half + k].imag());
          EXPECT_LE(std::abs(x - full[r * n + k]), 1e-6 * n + 1e-6);
        }
      }
      ASSERT_TRUE(Fft(Parallel(), {FftKind::kIrfft, PrimitiveType::kF32, batch, length, out.data(),
                                   back.data()})
                      .ok());
      for (int64_t i = 0; i < rows * n; ++i) EXPECT_NEAR(back[i], in[i], 1e-5);
    });
  }
}

constexpr int64_t kBatch[] = {2}, kLength[] = {6, 5, 8};

FftRequest InThreeDimensions(FftKind kind, const void* in, void* out) {
  return {kind, PrimitiveType::kF32, kBatch, kLength, in, out};
}

TEST(FftTest, ThreeDimensions) {
  const std::vector<std::complex<float>> in = RandomComplex<float>(2 * 240, 6);
  // Transforms one dimension after another by the function Slow.
  std::vector<Wide> expected(in.begin(), in.end());
  int64_t inner = 1;
  for (int d = 2; d >= 0; --d) {
    const int64_t n = kLength[d];
    std::vector<Wide> line(n);
    for (int64_t o = 0; o < 480 / (n * inner); ++o) {
      for (int64_t i = 0; i < inner; ++i) {
        for (int64_t k = 0; k < n; ++k) line[k] = expected[(o * n + k) * inner + i];
        line = Slow(line, n, false);
        for (int64_t k = 0; k < n; ++k) expected[(o * n + k) * inner + i] = line[k];
      }
    }
    inner *= n;
  }
  ForEachIsa([&] {
    std::vector<std::complex<float>> out(480), back(480);
    ASSERT_TRUE(Fft(Parallel(), InThreeDimensions(FftKind::kFft, in.data(), out.data())).ok());
    ExpectClose(out, expected, 240, 8);
    ASSERT_TRUE(Fft(Parallel(), InThreeDimensions(FftKind::kIfft, out.data(), back.data())).ok());
    for (size_t i = 0; i < in.size(); ++i) EXPECT_LE(std::abs(back[i] - in[i]), 1e-5);
  });
}

TEST(FftTest, RealHalvesTheLastDimension) {
  const std::vector<std::complex<float>> in = RandomComplex<float>(2 * 240, 6);
  std::vector<float> real(480), back(480);
  for (size_t i = 0; i < real.size(); ++i) real[i] = in[i].real();
  ForEachIsa([&] {
    std::vector<std::complex<float>> half(2 * 6 * 5 * 5);
    ASSERT_TRUE(Fft(Parallel(), InThreeDimensions(FftKind::kRfft, real.data(), half.data())).ok());
    ASSERT_TRUE(Fft(Parallel(), InThreeDimensions(FftKind::kIrfft, half.data(), back.data())).ok());
    for (size_t i = 0; i < real.size(); ++i) EXPECT_NEAR(back[i], real[i], 1e-5);
  });
}

}  // namespace
}  // namespace hlocts::kernels
