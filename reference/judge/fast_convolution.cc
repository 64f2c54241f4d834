#include "reference/judge/fast_convolution.h"

#include <cmath>

#include "spec/ir/index_util.h"

namespace hlocts {
namespace {

// Winograd's larger tiles lose up to about five bits, a transform log2 of its points.
constexpr double kUnits = 64;

// 2-norms of the elements that share an index of `dimension`; non-finite elements make theirs
// infinite.
std::vector<double> NormsAlong(const Linear& array, int64_t dimension) {
  const std::vector<int64_t>& sizes = array.middle.shape().dimensions();
  std::vector<double> squares(static_cast<size_t>(sizes[dimension]), 0);
  int64_t stride = RowMajorStrides(sizes)[dimension];
  auto middle = array.middle.data<double>(), magnitude = array.magnitude.data<double>();
  for (int64_t i = 0; i < array.middle.element_count(); ++i) {
    double& square = squares[static_cast<size_t>(i / stride % sizes[dimension])];
    bool open = array.has_uncertain && array.uncertain.data<double>()[i] != 0;
    square += open || !std::isfinite(middle[i]) ? HUGE_VAL : magnitude[i] * magnitude[i];
  }
  for (double& square : squares) square = std::sqrt(square);
  return squares;
}

}  // namespace

bool MayBeFast(SetInterpreter& interpreter, const Instruction& instruction, const Rule& rule) {
  if (instruction.opcode() != Opcode::kConvolution || !rule.Allows(kFastConvolution)) return false;
  return interpreter.profile() == Profile::kRelaxed ||
         interpreter.options().facts.convolution_fast;
}

Literal FastConvolutionNorms(const Instruction& instruction, const Shape& result, const Linear& lhs,
                             const Linear& rhs) {
  Literal norms(result.WithElementType(PrimitiveType::kF64));
  const auto* numbers = instruction.Get<ConvolutionDimensionNumbers>(Attr::kDimLabels);
  if (numbers == nullptr || norms.element_count() == 0) return norms;
  std::vector<double> images = NormsAlong(lhs, numbers->input_batch);
  std::vector<double> kernels = NormsAlong(rhs, numbers->kernel_output_feature);
  const std::vector<int64_t>& sizes = result.dimensions();
  std::vector<int64_t> strides = RowMajorStrides(sizes);
  int64_t batch = strides[numbers->output_batch], feature = strides[numbers->output_feature];
  double all = 0;
  for (double image : images) all = std::hypot(all, image);
  bool grouped = images.size() != static_cast<size_t>(sizes[numbers->output_batch]);
  auto out = norms.mutable_data<double>();
  for (int64_t i = 0; i < norms.element_count(); ++i) {
    double image = grouped ? all : images[i / batch % sizes[numbers->output_batch]];
    double kernel = kernels[i / feature % sizes[numbers->output_feature]];
    out[i] = image == 0 || kernel == 0 ? 0 : kUnits * image * kernel;
  }
  return norms;
}

}  // namespace hlocts
