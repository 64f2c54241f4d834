// SPDX-License-Identifier: Apache-2.0
// Random numbers of a distribution, from one block of counters at a time. Element i of a block's
// first half comes from words 0 and 1 of counter i, element i of its second half from words 2 and
// 3. The compiler vectorizes the loops.
#include "backends/engine/cpu/kernels/random/random_draws.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstring>

#include "backends/engine/cpu/kernels/random/random_blocks.h"
#include "backends/engine/cpu/kernels/runtime/convert.h"
#include "spec/base/status.h"
#include "spec/ir/element_width.h"

namespace hlocts::kernels {
namespace {

constexpr int64_t kDraws = 2 * kRandomBlock;  // random numbers of a block
constexpr int kAttempts = 64;

void DrawBlock(const RandomDrawsRequest& r, int64_t first, int attempt,
               uint64_t* __restrict draws) {
  uint32_t words[4][kRandomBlock];
  PhiloxBlock(r.key, static_cast<uint64_t>(first / 2),
              r.stream << 8 | static_cast<uint64_t>(attempt), words);
  for (int64_t i = 0; i < kRandomBlock; ++i) {
    draws[i] = words[0][i] | static_cast<uint64_t>(words[1][i]) << 32;
    draws[i + kRandomBlock] = words[2][i] | static_cast<uint64_t>(words[3][i]) << 32;
  }
}

// Returns a number in [0, 1): a number in [1, 2), whose mantissa is the high 52 bits, minus 1.
inline double UnitInterval(uint64_t bits) {
  return std::bit_cast<double>((bits >> 12) | 0x3FF0000000000000u) - 1;
}

void StoreFloats(PrimitiveType type, const double* __restrict values, int64_t n, void* to) {
  if (type == PrimitiveType::kF64) {
    std::memcpy(to, values, static_cast<size_t>(n) * sizeof(double));
    return;
  }
  float narrow[kDraws];
  float* __restrict floats = type == PrimitiveType::kF32 ? static_cast<float*>(to) : narrow;
  for (int64_t i = 0; i < n; ++i) floats[i] = static_cast<float>(values[i]);
  if (type != PrimitiveType::kF32) EncodeRun(type, narrow, n, 1, to);
}

void RoundFloats(PrimitiveType type, int64_t n, double* __restrict values) {
  if (type == PrimitiveType::kF64) return;
  float floats[kDraws];
  for (int64_t i = 0; i < n; ++i) floats[i] = static_cast<float>(values[i]);
  if (type != PrimitiveType::kF32) {
    alignas(8) char stored[kDraws * sizeof(float)];
    EncodeRun(type, floats, n, 1, stored);
    DecodeRun(type, stored, 1, n, floats);
  }
  for (int64_t i = 0; i < n; ++i) values[i] = static_cast<double>(floats[i]);
}

inline bool Inside(const RandomDrawsRequest& r, double x) { return (x >= r.a) & (x < r.b); }

int64_t CountOutside(const RandomDrawsRequest& r, int64_t n, const double* values) {
  int64_t outside = 0;
  for (int64_t i = 0; i < n; ++i) outside += Inside(r, values[i]) ? 0 : 1;
  return outside;
}

void UniformValues(const RandomDrawsRequest& r, int64_t first, int attempt, int64_t n,
                   double* __restrict values) {
  uint64_t draws[kDraws];
  DrawBlock(r, first, attempt, draws);
  for (int64_t i = 0; i < n; ++i) {
    const double u = UnitInterval(draws[i]);
    values[i] = r.a * (1 - u) + r.b * u;
  }
  RoundFloats(r.type, n, values);
}

// Writes uniform floats. A value that rounds to `b` is replaced by another random number.
void UniformFloats(const RandomDrawsRequest& r, int64_t first, int64_t n, char* to) {
  double values[kDraws], fresh[kDraws];
  int64_t outside = n;
  if (r.a < r.b) {
    UniformValues(r, first, 0, n, values);
    outside = CountOutside(r, n, values);
    for (int attempt = 1; outside > 0 && attempt < kAttempts; ++attempt) {
      UniformValues(r, first, attempt, n, fresh);
      for (int64_t i = 0; i < n; ++i) values[i] = Inside(r, values[i]) ? values[i] : fresh[i];
      outside = CountOutside(r, n, values);
    }
  } else {
    std::fill(values, values + n, r.a);
  }
  StoreFloats(r.type, values, n, to);
  const int bytes = StorageBytes(r.type);
  for (int64_t i = 0; outside > 0 && i < n; ++i) {
    if (!Inside(r, values[i])) std::memcpy(to + i * bytes, r.first, bytes);
  }
}

template <typename T>
void UniformIntegers(const RandomDrawsRequest& r, int64_t first, int64_t n, T* __restrict to) {
  uint64_t draws[kDraws];
  DrawBlock(r, first, 0, draws);
  for (int64_t i = 0; i < n; ++i) {
    const auto product = static_cast<unsigned __int128>(draws[i]) * r.range;
    to[i] = static_cast<T>(r.low + static_cast<uint64_t>(product >> 64));
  }
}

void UniformIntegers(const RandomDrawsRequest& r, int64_t first, int64_t n, char* to) {
  VisitUnsigned(StorageBytes(r.type), [&](auto zero) {
    UniformIntegers(r, first, n, reinterpret_cast<decltype(zero)*>(to));
  });
}

// Returns log(x) for 2^-52 <= x <= 1. If x = m 2^e with m near 1, and s = (m - 1) / (m + 1), it is
// e log 2 + 2 atanh(s). As |s| < 0.172, the omitted terms of the series are below 1e-16.
inline double LogOfUnit(double x) {
  // Subtracts the bits of sqrt(1/2), so that m is in [sqrt(1/2), sqrt(2)).
  const uint64_t bits = std::bit_cast<uint64_t>(x) - 0x3FE6A09E667F3BCDu;
  const double m = std::bit_cast<double>((bits & 0xFFFFFFFFFFFFFu) + 0x3FE6A09E667F3BCDu);
  // Converts an exponent in [-53, 0] to a double, by adding it to the low bits of 2^52.
  const double e = std::bit_cast<double>((((bits >> 52) + 64) & 0xFFF) | 0x4330000000000000u) -
                   (4503599627370496.0 + 64);
  const double s = (m - 1) / (m + 1), z = s * s;
  double series = 1.0 / 19;
  for (int k = 17; k >= 1; k -= 2) series = series * z + 1.0 / k;
  return e * 0.693147180559945309417 + 2 * s * series;
}

// Computes cosine and sine of 2 pi u. The angle is the nearest multiple of a quarter turn plus a
// remainder of at most pi / 4, whose cosine and sine are power series.
inline void CosSinOfTurn(double u, double* cosine, double* sine) {
  const double shifted = 4 * u + 6755399441055744.0;  // 1.5 2^52, which rounds to an integer
  const uint64_t quarter = std::bit_cast<uint64_t>(shifted);
  const double x = (4 * u - (shifted - 6755399441055744.0)) * M_PI_2, z = x * x;
  double s = 1, c = 1;
  for (int k = 15; k >= 3; k -= 2) s = 1 - s * z * (1.0 / (k * (k - 1)));
  for (int k = 16; k >= 2; k -= 2) c = 1 - c * z * (1.0 / (k * (k - 1)));
  s *= x;
  const bool turned = (quarter & 1) != 0;
  const uint64_t cosine_sign = ((quarter + 1) & 2) << 62, sine_sign = (quarter & 2) << 62;
  *cosine = std::bit_cast<double>(std::bit_cast<uint64_t>(turned ? s : c) ^ cosine_sign);
  *sine = std::bit_cast<double>(std::bit_cast<uint64_t>(turned ? c : s) ^ sine_sign);
}

// Computes two normal numbers from two uniform numbers (Box and Muller, 1958).
void Normals(const RandomDrawsRequest& r, int64_t first, int64_t n, char* to) {
  uint64_t draws[kDraws];
  double values[kDraws];
  DrawBlock(r, first, 0, draws);
  for (int64_t i = 0; i < kRandomBlock; ++i) {
    const double length = std::sqrt(-2 * LogOfUnit(1 - UnitInterval(draws[i])));
    double cosine, sine;
    CosSinOfTurn(UnitInterval(draws[i + kRandomBlock]), &cosine, &sine);
    values[i] = r.a + r.b * length * cosine;
    values[i + kRandomBlock] = r.a + r.b * length * sine;
  }
  StoreFloats(r.type, values, n, to);
}

}  // namespace

absl::Status RandomDraws(const Parallel& parallel, const RandomDrawsRequest& r) {
  const bool integers = r.distribution == Distribution::kUniformInteger;
  if (!IsArrayType(r.type) || IsComplex(r.type) || IsFloat(r.type) == integers) {
    return Unsupported("random draws of ", PrimitiveTypeName(r.type), " are not supported");
  }
  constexpr auto kFill =
      std::array{UniformFloats, static_cast<decltype(&UniformFloats)>(UniformIntegers), Normals};
  const auto fill = kFill[static_cast<size_t>(r.distribution)];
  const int64_t bytes = StorageBytes(r.type);
  ForRandomBlocks(parallel, r.count, kDraws, [&](int64_t first, int64_t n) {
    fill(r, first, n, static_cast<char*>(r.output) + first * bytes);
  });
  return absl::OkStatus();
}

}  // namespace hlocts::kernels
