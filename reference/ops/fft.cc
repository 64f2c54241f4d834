// SPDX-License-Identifier: Apache-2.0
#include "reference/kernels/fft.h"

#include <algorithm>
#include <functional>
#include <numeric>

#include "reference/ops/part.h"
#include "reference/ops/structured.h"
#include "reference/ops/wide.h"

namespace hlocts::reference {
namespace {

// The size of a plan and its scratch space (for any length), in numbers per element of a row.
constexpr int64_t kLineNumbers = 24;

// Complex numbers in the memory order of std::complex.
template <typename Real>
using Data = std::vector<std::complex<Real>>;

// Transforms every row along `axis` of data with these dimensions.
template <typename Real>
void TransformAxis(absl::Span<const int64_t> dimensions, size_t axis, bool forward,
                   Data<Real>& data) {
  const int64_t n = dimensions[axis];
  if (n <= 1 || data.empty()) return;
  int64_t stride = 1;
  for (size_t d = axis + 1; d < dimensions.size(); ++d) stride *= dimensions[d];
  const auto plan = FftPlan<Real>::Of(n);
  std::vector<FftNumber<Real>> line(n), scratch(plan->scratch_size());
  for (int64_t first = 0; first < static_cast<int64_t>(data.size()); first += n * stride) {
    for (int64_t q = 0; q < stride; ++q) {
      std::complex<Real>* begin = data.data() + first + q;
      for (int64_t k = 0; k < n; ++k)
        line[k] = {begin[k * stride].real(), begin[k * stride].imag()};
      forward ? plan->Forward(line.data(), scratch.data())
              : plan->Backward(line.data(), scratch.data());
      for (int64_t k = 0; k < n; ++k) begin[k * stride] = {line[k].re, line[k].im};
    }
  }
}

// Returns the first `kept` elements of each row of `size`.
template <typename Real>
Data<Real> CutRows(const Data<Real>& data, int64_t size, int64_t kept) {
  Data<Real> cut;
  if (size == 0) return cut;
  cut.reserve(data.size() / size * kept);
  for (auto row = data.begin(); row != data.end(); row += size) {
    cut.insert(cut.end(), row, row + kept);
  }
  return cut;
}

// fft.15: extends rows by the entries beyond the Nyquist frequency, which are the conjugates of the
// entries below it in reverse order. The constant and the Nyquist entry are their own conjugates,
// so their imaginary parts are ignored.
template <typename Real>
Data<Real> Hermitian(const Data<Real>& half, int64_t half_size, int64_t n) {
  Data<Real> full;
  if (half_size == 0) return full;
  full.reserve(half.size() / half_size * n);
  for (auto row = half.begin(); row != half.end(); row += half_size) {
    for (int64_t k = 0; k < n; ++k) {
      const bool own_conjugate = k == 0 || 2 * k == n;
      if (own_conjugate) {
        full.push_back({row[k].real(), 0});
      } else {
        full.push_back(2 * k < n ? row[k] : std::conj(row[n - k]));
      }
    }
  }
  return full;
}

struct Transform {
  bool forward, real_to_complex, complex_to_real;
  std::vector<int64_t> lengths;
};

// fft.16-20: transforms along each axis of `data`, which has only the transformed dimensions. RFFT
// transforms the innermost axis first, IRFFT last. Inverse transforms divide by the number of
// elements (ruling 0061).
template <typename Real>
void TransformAll(const Transform& fft, int64_t result_size, std::vector<int64_t> dimensions,
                  Data<Real>& data) {
  const size_t last = dimensions.size() - 1;
  if (fft.real_to_complex) {
    TransformAxis<Real>(dimensions, last, true, data);
    data = CutRows(data, dimensions[last], result_size);
    dimensions[last] = result_size;
  }
  const size_t inner = fft.real_to_complex || fft.complex_to_real ? 1 : 0;
  for (size_t axis = 0; axis < dimensions.size() - inner; ++axis) {
    TransformAxis<Real>(dimensions, axis, fft.forward, data);
  }
  if (fft.complex_to_real) {
    data = Hermitian(data, dimensions[last], fft.lengths.back());
    dimensions[last] = fft.lengths.back();
    TransformAxis<Real>(dimensions, last, false, data);
  }
  if (fft.forward) return;
  Real count = 1;
  for (int64_t length : fft.lengths) count *= static_cast<Real>(length);
  for (std::complex<Real>& x : data) x /= count;
}

// Transforms the elements of the outer dimensions one at a time, which keeps the wide copies small.
template <typename Real>
Literal Transformed(const Transform& fft, const Literal& operand, const Shape& shape) {
  Literal out(shape);
  if (out.element_count() == 0) return out;
  const std::vector<int64_t>& all = operand.shape().dimensions();
  const std::vector<int64_t> dimensions(all.end() - fft.lengths.size(), all.end());
  const int64_t outer = std::accumulate(all.begin(), all.end() - fft.lengths.size(), int64_t{1},
                                        std::multiplies<int64_t>());
  const int64_t size = operand.element_count() / outer, result_size = shape.ElementCount() / outer;
  const Shape part_shape(shape.element_type(), {result_size});
  for (int64_t i = 0; i < outer; ++i) {
    Data<Real> data = Widened<std::complex<Real>>(Part(operand, i * size, size));
    TransformAll(fft, shape.dimension(-1), dimensions, data);
    if (fft.complex_to_real) {
      std::vector<Real> real;
      for (const std::complex<Real>& x : data) real.push_back(x.real());
      SetPart(Narrowed<Real>(real, part_shape), i * result_size, out);
    } else {
      SetPart(Narrowed<std::complex<Real>>(data, part_shape), i * result_size, out);
    }
  }
  return out;
}

// Returns the operand's dimensions, with the innermost changed as RFFT and IRFFT do (fft.11, .14).
Shape ResultShape(const Instruction& instruction, const Literal& operand, const Transform& fft) {
  std::vector<int64_t> dimensions = operand.shape().dimensions();
  if (fft.real_to_complex && fft.lengths.back() != 0)
    dimensions.back() = fft.lengths.back() / 2 + 1;
  if (fft.complex_to_real) dimensions.back() = fft.lengths.back();
  return Shape(instruction.shape().element_type(), dimensions);
}

}  // namespace

absl::StatusOr<Literal> EvaluateFft(EvalContext& context, const Instruction& instruction,
                                    absl::Span<Literal> operands) {
  const Literal& operand = operands[0];
  const absl::string_view type = instruction.WordOr(Attr::kFftType, "");
  Transform fft{.forward = type == "FFT" || type == "RFFT",
                .real_to_complex = type == "RFFT",
                .complex_to_real = type == "IRFFT",
                .lengths = instruction.IntList(Attr::kFftLength)};
  if (fft.lengths.empty() || fft.lengths.size() > operand.shape().dimensions().size()) {
    return InvalidInput(instruction.name(), ": expected at most ", operand.shape().rank(),
                        " lengths in fft_length, found ", fft.lengths.size());
  }
  const Shape shape = ResultShape(instruction, operand, fft);
  const PrimitiveType real = ComponentType(operand.element_type());
  const int64_t number = real == PrimitiveType::kF64 ? sizeof(std::complex<long double>)
                                                     : sizeof(std::complex<double>);
  int64_t longest = 0;
  for (int64_t size : shape.dimensions()) longest = std::max(longest, size);
  HLOCTS_RETURN_IF_ERROR(context.ReserveMemory(shape));
  int64_t outer = 1;
  for (int64_t d = 0; d < operand.shape().rank() - static_cast<int64_t>(fft.lengths.size()); ++d) {
    outer *= std::max<int64_t>(shape.dimension(d), 1);
  }
  HLOCTS_RETURN_IF_ERROR(context.ReserveBytes(
      (2 * (operand.element_count() + shape.ElementCount()) / outer + kLineNumbers * longest) *
      number));
  if (real == PrimitiveType::kF64) return Transformed<long double>(fft, operand, shape);
  return Transformed<double>(fft, operand, shape);
}

}  // namespace hlocts::reference
