// SPDX-License-Identifier: Apache-2.0
// Fourier transforms of the noise engine. A transform is computed from two of half the length, or
// directly if its length is odd. Every step is computed in the element's own format.
#include <complex>

#include "backends/selftest/elements.h"
#include "backends/selftest/legal_noise/noise_hook.h"
#include "backends/selftest/legal_noise/noise_transform.h"
#include "reference/number_system.h"

namespace hlocts::backends {
namespace {

constexpr int64_t kDirectMax = 13;  // longer odd factors are left to the reference

template <typename T>
Line<T> Load(const Literal& literal, PrimitiveType system) {
  const Literal wide = reference::ToSystem(literal, system);
  if (IsComplex(system)) {
    auto data = wide.data<std::complex<T>>();
    return Line<T>(data.begin(), data.end());
  }
  auto data = wide.data<T>();
  return Line<T>(data.begin(), data.end());
}

// FFT and IFFT are one complex transform along each of the last dimensions.
template <typename T>
Literal NoisyTransform(NoiseJob& job, bool forward) {
  Line<T> data = Load<T>(job.operands[0], job.operands[0].element_type());
  const std::vector<int64_t>& sizes = job.operands[0].shape().dimensions();
  const int64_t rank = static_cast<int64_t>(sizes.size());
  const int64_t axes = static_cast<int64_t>(job.instruction.IntList(Attr::kFftLength).size());
  const bool first = job.state.Once(2);
  for (int64_t k = 0; k < axes; ++k) {
    TransformAlong(sizes, first ? rank - axes + k : rank - 1 - k, forward, data);
  }
  Literal out(Shape(job.type(), sizes));
  std::copy(data.begin(), data.end(), out.mutable_data<std::complex<T>>().begin());
  return out;
}

// RFFT is the first half of the complex transform.
template <typename T>
Literal NoisyRealTransform(NoiseJob& job) {
  Line<T> data = Load<T>(job.operands[0], job.operands[0].element_type());
  const std::vector<int64_t>& sizes = job.operands[0].shape().dimensions();
  const int64_t rank = static_cast<int64_t>(sizes.size());
  const int64_t axes = static_cast<int64_t>(job.instruction.IntList(Attr::kFftLength).size());
  for (int64_t k = 0; k < axes; ++k) TransformAlong(sizes, rank - 1 - k, true, data);
  Literal out(Shape(job.type(), job.result.shape().dimensions()));
  auto kept = out.mutable_data<std::complex<T>>();
  const int64_t row = sizes.back(), half = job.result.shape().dimension(-1);
  for (int64_t i = 0; i < out.element_count(); ++i) kept[i] = data[i / half * row + i % half];
  return out;
}

// IRFFT adds the missing half of the last dimension: the conjugate of the given half.
template <typename T>
Literal NoisyInverseRealTransform(NoiseJob& job) {
  Line<T> half = Load<T>(job.operands[0], job.operands[0].element_type());
  const std::vector<int64_t>& given = job.operands[0].shape().dimensions();
  const std::vector<int64_t>& sizes = job.result.shape().dimensions();
  const int64_t rank = static_cast<int64_t>(sizes.size());
  const int64_t axes = static_cast<int64_t>(job.instruction.IntList(Attr::kFftLength).size());
  for (int64_t k = 1; k < axes; ++k) TransformAlong(given, rank - 1 - k, false, half);
  const int64_t n = sizes.back(), kept = given.back();
  Literal out(Shape(job.type(), sizes));
  auto data = out.mutable_data<T>();
  Line<T> line(n);
  for (int64_t row = 0; row * n < out.element_count(); ++row) {
    for (int64_t i = 0; i < n; ++i) {
      line[i] = i < kept ? half[row * kept + i] : std::conj(half[row * kept + n - i]);
    }
    const Line<T> turned = Transform(line, false);
    for (int64_t i = 0; i < n; ++i) data[row * n + i] = turned[i].real() / static_cast<T>(n);
  }
  return out;
}

bool ShortFactors(const std::vector<int64_t>& lengths) {
  for (int64_t n : lengths) {
    while (n > 0 && n % 2 == 0) n /= 2;
    if (n > kDirectMax || n == 0) return false;
  }
  return true;
}

template <typename T>
Literal Noisy(NoiseJob& job, absl::string_view type) {
  if (type == "RFFT") return NoisyRealTransform<T>(job);
  if (type == "IRFFT") return NoisyInverseRealTransform<T>(job);
  return NoisyTransform<T>(job, type == "FFT");
}

}  // namespace

bool NoisyFft(NoiseJob& job) {
  if (job.opcode() != Opcode::kFft || job.result.element_count() == 0) return false;
  const absl::string_view type = job.instruction.WordOr(Attr::kFftType, "FFT");
  if (!ShortFactors(job.instruction.IntList(Attr::kFftLength))) return false;
  if (job.state.Once(4)) return false;
  job.result = ComponentType(job.type()) == PrimitiveType::kF64 ? Noisy<double>(job, type)
                                                                : Noisy<float>(job, type);
  return true;
}

}  // namespace hlocts::backends
