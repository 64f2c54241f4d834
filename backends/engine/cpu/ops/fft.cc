// SPDX-License-Identifier: Apache-2.0
// fft along the innermost dimensions, by its kernel. In the strict profile and where the kernel has
// no form: mixed radix in double, long prime factors by Bluestein's convolution.
#include "backends/engine/cpu/kernels/fft/fft.h"

#include <cmath>
#include <complex>
#include <map>

#include "backends/engine/cpu/compile/op_list.h"
#include "backends/engine/cpu/moves/strided.h"

namespace hlocts::cpu {
namespace {

using Complex = std::complex<double>;
constexpr int64_t kDirectMax = 64;

Complex Times(Complex x, Complex y) {
  return {x.real() * y.real() - x.imag() * y.imag(), x.real() * y.imag() + x.imag() * y.real()};
}

// e^(-2 pi i k / n), from the octant where sine and cosine are most exact.
Complex Root(int64_t k, int64_t n) {
  const double angle = -2 * M_PI * static_cast<double>(k % n) / static_cast<double>(n);
  if (8 * (k % n) == 0) return 1;
  return {std::cos(angle), std::sin(angle)};
}

int64_t SmallestFactor(int64_t n) {
  for (int64_t f = 2; f * f <= n; ++f) {
    if (n % f == 0) return f;
  }
  return n;
}

class Transform {
 public:
  explicit Transform(int64_t n) : n_(n), radix_(SmallestFactor(n)) {
    for (int64_t k = 0; k < n; ++k) roots_.push_back(Root(k, n));
    if (n_ > 1 && radix_ == n_ && n_ > kDirectMax) {
      PrepareBluestein();
    } else if (n_ > radix_) {
      rest_ = std::make_unique<Transform>(n_ / radix_);
    }
  }

  // out[k] = sum of in[j * stride] e^(-2 pi i jk / n).
  void Run(const Complex* in, int64_t stride, Complex* out) const {
    if (n_ == 1) {
      out[0] = in[0];
    } else if (longer_ != nullptr) {
      Bluestein(in, stride, out);
    } else if (rest_ == nullptr) {
      Direct(in, stride, out);
    } else {
      Split(in, stride, out);
    }
  }

 private:
  void Direct(const Complex* in, int64_t stride, Complex* out) const {
    for (int64_t k = 0; k < n_; ++k) {
      Complex sum = 0;
      for (int64_t j = 0; j < n_; ++j) sum += Times(in[j * stride], roots_[j * k % n_]);
      out[k] = sum;
    }
  }
  // radix transforms of the elements r, r + radix, ..., then a transform of size radix across them.
  void Split(const Complex* in, int64_t stride, Complex* out) const {
    const int64_t m = n_ / radix_;
    for (int64_t r = 0; r < radix_; ++r) rest_->Run(in + r * stride, stride * radix_, out + r * m);
    std::vector<Complex> column(radix_);
    for (int64_t k = 0; k < m; ++k) {
      for (int64_t r = 0; r < radix_; ++r) column[r] = Times(out[r * m + k], roots_[r * k % n_]);
      for (int64_t q = 0; q < radix_; ++q) {
        Complex sum = column[0];
        for (int64_t r = 1; r < radix_; ++r) sum += Times(column[r], roots_[r * q * m % n_]);
        out[q * m + k] = sum;
      }
    }
  }
  // jk = (j^2 + k^2 - (k-j)^2) / 2 makes the sum a convolution, done by transforms of a power of 2.
  void PrepareBluestein() {
    int64_t size = 1;
    while (size < 2 * n_ - 1) size *= 2;
    longer_ = std::make_unique<Transform>(size);
    for (int64_t k = 0; k < n_; ++k) chirp_.push_back(Root(k * k % (2 * n_), 2 * n_));
    std::vector<Complex> filter(size, 0);
    for (int64_t k = 0; k < n_; ++k) {
      filter[k] = std::conj(chirp_[k]);
      if (k > 0) filter[size - k] = std::conj(chirp_[k]);
    }
    filter_.resize(size);
    longer_->Run(filter.data(), 1, filter_.data());
  }
  void Bluestein(const Complex* in, int64_t stride, Complex* out) const {
    const int64_t size = static_cast<int64_t>(filter_.size());
    std::vector<Complex> x(size, 0), y(size);
    for (int64_t k = 0; k < n_; ++k) x[k] = Times(in[k * stride], chirp_[k]);
    longer_->Run(x.data(), 1, y.data());
    for (int64_t k = 0; k < size; ++k) y[k] = std::conj(Times(y[k], filter_[k]));
    longer_->Run(y.data(), 1, x.data());
    for (int64_t k = 0; k < n_; ++k) {
      out[k] = Times(std::conj(x[k]) / static_cast<double>(size), chirp_[k]);
    }
  }

  int64_t n_, radix_;
  std::vector<Complex> roots_, chirp_, filter_;
  std::unique_ptr<Transform> rest_, longer_;
};

// Every line along `axis`; backward by conjugation before and after.
void TransformAxis(absl::Span<const int64_t> dimensions, size_t axis, bool forward,
                   std::vector<Complex>& data) {
  const int64_t n = dimensions[axis];
  if (n <= 1 || data.empty()) return;
  int64_t stride = 1;
  for (size_t d = axis + 1; d < dimensions.size(); ++d) stride *= dimensions[d];
  const Transform transform(n);
  std::vector<Complex> line(n), result(n);
  for (int64_t first = 0; first < static_cast<int64_t>(data.size()); first += n * stride) {
    for (int64_t q = 0; q < stride; ++q) {
      Complex* begin = data.data() + first + q;
      for (int64_t k = 0; k < n; ++k) {
        line[k] = forward ? begin[k * stride] : std::conj(begin[k * stride]);
      }
      transform.Run(line.data(), 1, result.data());
      for (int64_t k = 0; k < n; ++k)
        begin[k * stride] = forward ? result[k] : std::conj(result[k]);
    }
  }
}

struct FftPlan {
  bool forward, from_real, to_real;
  std::vector<int64_t> lengths;
  plan::ArrayType in, out;
};

// The whole spectrum of a real signal out of its first half.
std::vector<Complex> Hermitian(const std::vector<Complex>& half, int64_t half_size, int64_t n) {
  std::vector<Complex> full;
  for (size_t row = 0; half_size > 0 && row < half.size(); row += half_size) {
    for (int64_t k = 0; k < n; ++k) {
      Complex x = 2 * k <= n ? half[row + k] : std::conj(half[row + n - k]);
      if (k == 0 || 2 * k == n) x = x.real();
      full.push_back(x);
    }
  }
  return full;
}

std::vector<Complex> Transformed(const FftPlan& p, std::vector<Complex> data) {
  plan::Dimensions dimensions = p.in.dimensions;
  const size_t rank = dimensions.size(), last = rank - 1, axes = p.lengths.size();
  if (p.from_real) {
    TransformAxis(dimensions, last, true, data);
    const int64_t size = dimensions[last], kept = p.out.dimensions[last];
    std::vector<Complex> cut;
    for (size_t row = 0; size > 0 && row < data.size(); row += size) {
      cut.insert(cut.end(), data.begin() + row, data.begin() + row + kept);
    }
    data = std::move(cut);
    dimensions[last] = kept;
  }
  const size_t done = p.from_real || p.to_real ? 1 : 0;
  for (size_t axis = rank - axes; axis + done < rank; ++axis) {
    TransformAxis(dimensions, axis, p.forward, data);
  }
  if (p.to_real) {
    data = Hermitian(data, dimensions[last], p.lengths.back());
    dimensions[last] = p.lengths.back();
    TransformAxis(dimensions, last, false, data);
  }
  return data;
}

StepDraft KernelFft(const FftPlan& p, const kernels::Parallel& parallel) {
  const kernels::FftKind kind = p.from_real ? kernels::FftKind::kRfft
                                : p.to_real ? kernels::FftKind::kIrfft
                                : p.forward ? kernels::FftKind::kFft
                                            : kernels::FftKind::kIfft;
  const size_t leading = p.in.dimensions.size() - p.lengths.size();
  const std::vector<int64_t> batch(p.in.dimensions.begin(), p.in.dimensions.begin() + leading);
  const PrimitiveType component = ComponentType(p.in.type);
  const std::vector<int64_t> lengths = p.lengths;
  StepDraft draft;
  draft.run = [=](Run&, In in, Out out) {
    kernels::FftRequest request;
    request.kind = kind;
    request.component = component;
    request.batch = batch;
    request.length = lengths;
    request.input = in[0];
    request.output = out[0];
    return kernels::Fft(parallel, request);
  };
  return draft;
}

}  // namespace

absl::StatusOr<StepDraft> MakeFft(const OpContext& context) {
  const absl::string_view type = context.source().WordOr(Attr::kFftType, "");
  FftPlan p;
  p.forward = type == "FFT" || type == "RFFT";
  p.from_real = type == "RFFT";
  p.to_real = type == "IRFFT";
  p.lengths = context.source().IntList(Attr::kFftLength);
  p.in = context.in(0);
  p.out = context.out(0);
  if (p.lengths.empty() || p.lengths.size() > p.in.dimensions.size()) {
    return InvalidInput(context.name(), ": fft_length does not fit the operand's rank");
  }
  const bool has_kernel = p.lengths.size() <= 3 && p.in.elements > 0 && p.out.elements > 0;
  if (has_kernel && !context.compiler.options().math.strict) {
    return KernelFft(p, kernels::Parallel(context.compiler.options().threads));
  }
  StepDraft draft;
  draft.run = [p](Run&, In in, Out out) {
    if (p.out.elements == 0) return absl::OkStatus();
    const Converted wide(p.in.type, PrimitiveType::kC128, in[0], p.in.elements);
    const Complex* begin = wide.data<Complex>();
    std::vector<Complex> data = Transformed(p, std::vector<Complex>(begin, begin + p.in.elements));
    if (!p.forward) {
      double count = 1;
      for (int64_t length : p.lengths) count *= static_cast<double>(length);
      for (Complex& x : data) x /= count;
    }
    ConvertInto(PrimitiveType::kC128, p.out.type, data.data(), p.out.elements, out[0]);
    return absl::OkStatus();
  };
  return draft;
}

}  // namespace hlocts::cpu
