// SPDX-License-Identifier: Apache-2.0
#include "reference/judge/sums/convolution_holes.h"

#include <cmath>

#include "spec/ir/index_util.h"
#include "spec/ir/instruction.h"

namespace hlocts::reference {
namespace {

// Returns 1 for each element that is or may be an infinity or a NaN. `any` is set if there is one.
Literal NonFiniteMarks(absl::Span<const Linear* const> parts, bool& any) {
  Literal marks = parts[0]->middle;  // copies the run-time sizes
  auto out = marks.mutable_data<double>();
  for (double& mark : out) mark = 0;
  for (const Linear* part : parts) {
    for (size_t i = 0; i < out.size(); ++i) {
      const bool uncertain = part->has_uncertain && part->uncertain.data<double>()[i] != 0;
      if (uncertain || !std::isfinite(part->middle.data<double>()[i])) out[i] = 1;
    }
  }
  any = false;
  for (double mark : out) any = any || mark != 0;
  return marks;
}

Literal OnesLike(Literal ones) {
  for (double& x : ones.mutable_data<double>()) x = 1;
  return ones;
}

void AddNan(AcceptanceSet& s) {
  if (s.unspecified()) return;
  s.flags = (s.flags & ~AcceptanceSet::kBitsKnown) | AcceptanceSet::kNan;
}

struct Holes {
  SetInterpreter& interpreter;
  const Instruction& instruction;
  const Window& window;
  const ConvolutionDimensionNumbers& numbers;
  Shape result;  // f64
  std::vector<AcceptanceSet>& sets;

  absl::StatusOr<Literal> Run(const Instruction& like, const Literal& lhs,
                              const Literal& rhs) const {
    return interpreter.runner().Run(like, result, {lhs, rhs});
  }
};

// Adds NaN to results in which a zero of the image's padding or holes may multiply a marked element
// of the kernel. These are the results to which not all marked elements contribute otherwise.
absl::Status ZerosOfImage(const Holes& holes, const Literal& image, const Literal& marks) {
  HLOCTS_ASSIGN_OR_RETURN(const Literal met, holes.Run(holes.instruction, OnesLike(image), marks));
  const std::vector<int64_t>& sizes = marks.shape().dimensions();
  const int64_t feature = holes.numbers.kernel_output_feature;
  const int64_t stride = RowMajorStrides(sizes)[feature];
  std::vector<double> marked(static_cast<size_t>(sizes[feature]), 0);
  for (int64_t i = 0; i < marks.element_count(); ++i) {
    marked[static_cast<size_t>(i / stride % sizes[feature])] += marks.data<double>()[i];
  }
  const int64_t out = holes.numbers.output_feature;
  const int64_t out_stride = RowMajorStrides(holes.result.dimensions())[out];
  for (size_t i = 0; i < holes.sets.size(); ++i) {
    const int64_t at = static_cast<int64_t>(i) / out_stride % holes.result.dimension(out);
    if (met.data<double>()[i] < marked[static_cast<size_t>(at)]) AddNan(holes.sets[i]);
  }
  return absl::OkStatus();
}

// The largest number of elements that a kernel with filled holes may have, as MayZeroFillDilation
// checks.
constexpr int64_t kFilledMax = int64_t{1} << 26;
bool MayZeroFillDilation(const Window& window, const Literal& kernel) {
  double elements = static_cast<double>(kernel.element_count());
  for (const WindowDimension& dimension : window.dimensions) {
    if (dimension.size > 1) elements *= static_cast<double>(dimension.window_dilation);
  }
  return elements <= static_cast<double>(kFilledMax);
}

// Adds NaN to results in which a zero in a hole of a dilated kernel may multiply a marked element
// of the image: an element that the same kernel without holes would read, but this kernel does not.
absl::Status ZerosOfKernel(const Holes& holes, const Literal& marks, const Literal& kernel) {
  if (!MayZeroFillDilation(holes.window, kernel)) {
    for (AcceptanceSet& s : holes.sets) AddNan(s);
    return absl::OkStatus();
  }
  Window dense = holes.window;
  Shape filled = kernel.shape();
  bool dilated = false;
  for (size_t d = 0; d < dense.dimensions.size(); ++d) {
    WindowDimension& dimension = dense.dimensions[d];
    dilated = dilated || (dimension.window_dilation > 1 && dimension.size > 1);
    if (dimension.size > 0) dimension.size = (dimension.size - 1) * dimension.window_dilation + 1;
    dimension.window_dilation = 1;
    filled.set_dimension(holes.numbers.kernel_spatial[d], dimension.size);
  }
  if (!dilated) return absl::OkStatus();
  Instruction like(holes.instruction.name(), Opcode::kConvolution, holes.result);
  like.mutable_attributes() = holes.instruction.attributes();
  like.Set(Attr::kWindow, dense);
  HLOCTS_ASSIGN_OR_RETURN(const Literal whole, holes.Run(like, marks, OnesLike(Literal(filled))));
  HLOCTS_ASSIGN_OR_RETURN(const Literal met, holes.Run(holes.instruction, marks, OnesLike(kernel)));
  for (size_t i = 0; i < holes.sets.size(); ++i) {
    if (whole.data<double>()[i] > met.data<double>()[i]) AddNan(holes.sets[i]);
  }
  return absl::OkStatus();
}

bool IsGrouped(const Instruction& instruction) {
  return instruction.IntOr(Attr::kFeatureGroupCount, 1) > 1 ||
         instruction.IntOr(Attr::kBatchGroupCount, 1) > 1;
}

}  // namespace

absl::Status AddHoleNans(SetInterpreter& interpreter, const Instruction& instruction,
                         const Shape& result, absl::Span<const Linear* const> lhs,
                         absl::Span<const Linear* const> rhs, std::vector<AcceptanceSet>& sets) {
  const auto* numbers = instruction.Get<ConvolutionDimensionNumbers>(Attr::kDimLabels);
  const auto* window = instruction.Get<Window>(Attr::kWindow);
  if (numbers == nullptr || sets.empty()) return absl::OkStatus();
  auto some = [](absl::Span<const Linear* const> parts) {
    for (const Linear* part : parts) {
      if (part->non_finite || part->has_uncertain) return true;
    }
    return false;
  };
  if (!some(lhs) && !some(rhs)) return absl::OkStatus();
  bool in_image = false, in_kernel = false;
  const Literal image = NonFiniteMarks(lhs, in_image), kernel = NonFiniteMarks(rhs, in_kernel);
  // Outside the strict profile, an engine may compute a grouped convolution as a dense one with
  // zeros between the groups (as XLA:CPU does).
  if (IsGrouped(instruction) && interpreter.profile() != Profile::kStrict) {
    for (AcceptanceSet& s : sets) AddNan(s);
    return absl::OkStatus();
  }
  Holes holes{interpreter,
              instruction,
              window == nullptr ? Window() : *window,
              *numbers,
              result.WithElementType(PrimitiveType::kF64),
              sets};
  if (in_kernel) HLOCTS_RETURN_IF_ERROR(ZerosOfImage(holes, image, kernel));
  if (in_image) HLOCTS_RETURN_IF_ERROR(ZerosOfKernel(holes, image, kernel));
  return absl::OkStatus();
}

}  // namespace hlocts::reference
