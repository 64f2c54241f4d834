// Fourier transforms by halving, and directly where a length is odd; every step in the element's
// own format.
#include <cmath>
#include <complex>

#include "backends/canary/elements.h"
#include "backends/canary/noise_hook.h"
#include "reference/number_system.h"

namespace hlocts {
namespace {

constexpr int64_t kDirectMax = 13;  // longer odd factors are left to the reference

template <typename T>
using Line = std::vector<std::complex<T>>;

template <typename T>
std::complex<T> Root(int64_t k, int64_t n, bool forward) {
  const double angle = 2 * M_PI * static_cast<double>(k % n) / static_cast<double>(n);
  return {static_cast<T>(std::cos(angle)),
          static_cast<T>(forward ? -std::sin(angle) : std::sin(angle))};
}

template <typename T>
std::complex<T> Times(std::complex<T> a, std::complex<T> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

template <typename T>
Line<T> Direct(const Line<T>& x, bool forward) {
  const int64_t n = static_cast<int64_t>(x.size());
  Line<T> out(n);
  for (int64_t k = 0; k < n; ++k) {
    for (int64_t j = 0; j < n; ++j) out[k] += Times(x[j], Root<T>(j * k, n, forward));
  }
  return out;
}

template <typename T>
Line<T> Transform(const Line<T>& x, bool forward) {
  const int64_t n = static_cast<int64_t>(x.size()), half = n / 2;
  if (n <= 1) return x;
  if (n % 2 == 1) return Direct(x, forward);
  Line<T> parts[2];
  for (int64_t i = 0; i < n; ++i) parts[i % 2].push_back(x[i]);
  Line<T> even = Transform(parts[0], forward), odd = Transform(parts[1], forward), out(n);
  for (int64_t k = 0; k < half; ++k) {
    std::complex<T> turned = Times(odd[k], Root<T>(k, n, forward));
    out[k] = even[k] + turned;
    out[k + half] = even[k] - turned;
  }
  return out;
}

// Lines along dimension `d` of a row-major array; inverse transforms divide by the length.
template <typename T>
void TransformAlong(std::vector<int64_t> sizes, int64_t d, bool forward, Line<T>& data) {
  const int64_t n = sizes[d];
  int64_t stride = 1;
  for (size_t k = d + 1; k < sizes.size(); ++k) stride *= sizes[k];
  for (size_t i = 0; i < data.size(); ++i) {
    if (static_cast<int64_t>(i) / stride % n != 0) continue;
    Line<T> line(n);
    for (int64_t k = 0; k < n; ++k) line[k] = data[i + k * stride];
    line = Transform(line, forward);
    for (int64_t k = 0; k < n; ++k) {
      data[i + k * stride] = forward ? line[k] : line[k] / static_cast<T>(n);
    }
  }
}

template <typename T>
Line<T> Load(const Literal& literal, PrimitiveType system) {
  const Literal wide = ToSystem(literal, system);
  if (IsComplex(system)) {
    auto data = wide.data<std::complex<T>>();
    return Line<T>(data.begin(), data.end());
  }
  auto data = wide.data<T>();
  return Line<T>(data.begin(), data.end());
}

// FFT and IFFT: one complex transform along each of the last dimensions.
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

// RFFT: the complex transform, of which the first half is kept.
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

bool ShortFactors(const std::vector<int64_t>& lengths) {
  for (int64_t n : lengths) {
    while (n > 0 && n % 2 == 0) n /= 2;
    if (n > kDirectMax || n == 0) return false;
  }
  return true;
}

template <typename T>
Literal Noisy(NoiseJob& job, absl::string_view type) {
  return type == "RFFT" ? NoisyRealTransform<T>(job) : NoisyTransform<T>(job, type == "FFT");
}

}  // namespace

bool NoisyFft(NoiseJob& job) {
  if (job.opcode() != Opcode::kFft || job.result.element_count() == 0) return false;
  const absl::string_view type = job.instruction.WordOr(Attr::kFftType, "FFT");
  if (type == "IRFFT" || !ShortFactors(job.instruction.IntList(Attr::kFftLength))) return false;
  if (job.state.Once(4)) return false;
  job.result =
      job.type() == PrimitiveType::kC128 ? Noisy<double>(job, type) : Noisy<float>(job, type);
  return true;
}

}  // namespace hlocts
