// SPDX-License-Identifier: Apache-2.0
#include "reference/judge/sums/fast_convolution.h"

#include <algorithm>
#include <cmath>

#include "spec/ir/index_util.h"
#include "spec/ir/instruction.h"
#include "spec/judge/bounds.h"

namespace hlocts::reference {
namespace {

// Returns a bound of a transform's points. Each of three dimensions grows to less than twice its
// size, and padding by the window yields at most 2^16 points.
double PointsOf(double terms) {
  constexpr double kLengthened = 8, kPadded = 0x1p16;
  return std::max(kLengthened * terms, kPadded);
}

// Returns the 2-norms of the elements that share an index of `dimension`. The norm is infinite if
// an element may be not finite.
std::vector<double> NormsAlong(const Linear& array, int64_t dimension) {
  const std::vector<int64_t>& sizes = array.middle.shape().dimensions();
  // A long double represents the square of any double.
  std::vector<long double> squares(static_cast<size_t>(sizes[dimension]), 0);
  int64_t stride = RowMajorStrides(sizes)[dimension];
  auto middle = array.middle.data<double>(), magnitude = array.magnitude.data<double>();
  for (int64_t i = 0; i < array.middle.element_count(); ++i) {
    long double& square = squares[static_cast<size_t>(i / stride % sizes[dimension])];
    bool open = array.has_uncertain && array.uncertain.data<double>()[i] != 0;
    const long double size = magnitude[i];
    square += open || !std::isfinite(middle[i]) ? HUGE_VALL : size * size;
  }
  std::vector<double> norms;
  for (long double square : squares) norms.push_back(static_cast<double>(std::sqrt(square)));
  return norms;
}

}  // namespace

bool MayBeFast(SetInterpreter& interpreter, const Instruction& instruction, const Rule& rule) {
  if (instruction.opcode() != Opcode::kConvolution || !rule.Allows(kFastConvolution)) return false;
  return interpreter.profile() == Profile::kRelaxed || interpreter.options().facts.convolution_fast;
}

namespace {

// Returns the error of results that are computed from an image and a kernel of these 2-norms.
// `terms` is the element count of the larger array.
double ErrorOf(double image, double kernel, double terms, const SumRule& rule,
               const Bounds& bounds) {
  if (std::isinf(image) || std::isinf(kernel)) return HUGE_VAL;
  // The transforms of image and kernel must not overflow.
  if (!(std::max(image, kernel) * terms < rule.accumulator->max)) return HUGE_VAL;
  if (image == 0 || kernel == 0) return 0;
  // A point of a spectrum is at most the sum of magnitudes, which is at most sqrt(terms) times the
  // 2-norm. Products of points are transformed back and divided by the points only at the end.
  if (!(image * kernel * terms * PointsOf(terms) < rule.accumulator->max)) return HUGE_VAL;
  double lost = bounds.FastConvolutionFlushes() * PointsOf(terms) * rule.accumulator->min_normal *
                (1 + image + kernel);
  // Winograd's larger tiles lose up to about nine bits, a transform log2 of its points (lemma 19).
  return bounds.FastConvolutionUnits() * std::ldexp(image * kernel, -rule.precision) + lost;
}

}  // namespace

Literal FastConvolutionErrors(const Instruction& instruction, const Shape& result,
                              const Linear& lhs, const Linear& rhs, const SumRule& rule,
                              const Bounds& bounds) {
  Literal errors(result.WithElementType(PrimitiveType::kF64));
  const auto* numbers = instruction.Get<ConvolutionDimensionNumbers>(Attr::kDimLabels);
  if (numbers == nullptr || errors.element_count() == 0) return errors;
  std::vector<double> images = NormsAlong(lhs, numbers->input_batch);
  std::vector<double> kernels = NormsAlong(rhs, numbers->kernel_output_feature);
  const std::vector<int64_t>& sizes = result.dimensions();
  std::vector<int64_t> strides = RowMajorStrides(sizes);
  int64_t batch = strides[numbers->output_batch], feature = strides[numbers->output_feature];
  double all = 0;
  for (double image : images) all = std::hypot(all, image);
  bool grouped = images.size() != static_cast<size_t>(sizes[numbers->output_batch]);
  const double terms =
      static_cast<double>(std::max(lhs.middle.element_count(), rhs.middle.element_count()));
  auto out = errors.mutable_data<double>();
  for (int64_t i = 0; i < errors.element_count(); ++i) {
    double image = grouped ? all : images[i / batch % sizes[numbers->output_batch]];
    double kernel = kernels[i / feature % sizes[numbers->output_feature]];
    out[i] = ErrorOf(image, kernel, terms, rule, bounds);
  }
  return errors;
}

}  // namespace hlocts::reference
