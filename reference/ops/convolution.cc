#include "reference/kernels/convolution.h"

#include <memory>
#include <utility>

#include "reference/number_system.h"
#include "reference/ops/structured.h"

namespace hlocts {
namespace {

// Products and sums run in the widest of the three types (preferred element types may differ from
// the operands').
PrimitiveType ComputationType(PrimitiveType lhs, PrimitiveType rhs, PrimitiveType result) {
  auto rank = [](PrimitiveType system) {
    switch (system) {
      case PrimitiveType::kPred:
        return 0;
      case PrimitiveType::kU32:
        return 1;
      case PrimitiveType::kU64:
        return 2;
      case PrimitiveType::kF32:
        return 3;
      case PrimitiveType::kF64:
        return 4;
      case PrimitiveType::kC64:
        return 5;
      default:
        return 6;
    }
  };
  PrimitiveType widest = SystemType(result);
  for (PrimitiveType type : {SystemType(lhs), SystemType(rhs)}) {
    if (rank(type) > rank(widest)) widest = type;
  }
  return widest;
}

// Of the geometry: the positions of each dimension.
int64_t PositionBytes(const Shape& shape) {
  int64_t positions = 0;
  for (int64_t size : shape.dimensions()) positions += std::min(size, INT64_MAX / 64 - positions);
  return positions * static_cast<int64_t>(sizeof(WindowPosition));
}

template <class System>
void Convolve(const System& system, const ConvolutionGeometry& geometry, const Literal& lhs,
              const Literal& rhs, Literal& out) {
  using Element = typename System::Element;
  std::unique_ptr<Element[]> lhs_dense(new Element[geometry.lhs_size]);
  std::unique_ptr<Element[]> rhs_dense(new Element[geometry.rhs_size]);
  std::unique_ptr<Element[]> out_dense(new Element[geometry.out_size]);
  auto span = [](Element* data, int64_t size) {
    return absl::MakeSpan(data, static_cast<size_t>(size));
  };
  CopyKernel<Element>(geometry.lhs, lhs.data<Element>(), span(lhs_dense.get(), geometry.lhs_size));
  CopyKernel<Element>(geometry.rhs, rhs.data<Element>(), span(rhs_dense.get(), geometry.rhs_size));
  ConvolutionKernel(system, geometry, lhs_dense.get(), rhs_dense.get(), out_dense.get());
  CopyKernel<Element>(geometry.out, span(out_dense.get(), geometry.out_size),
                      out.mutable_data<Element>());
}

}  // namespace

// conv_with_general_padding.55-58: output(b, z, position) is the sum over input features and taps
// of lhs(b, feature, position * stride + tap * rhs_dilation - low padding, in the dilated base
// area) times rhs(z, feature, tap). Terms in padding and holes are absent (ruling 0051); feature
// groups pair the i-th features with the i-th output features (.36-40), batch groups the i-th part
// of the batch with them (.51-52).
absl::StatusOr<Literal> EvaluateConvolution(EvalContext& context, const Instruction& instruction,
                                            absl::Span<Literal> operands) {
  const Literal &lhs = operands[0], &rhs = operands[1];
  const PrimitiveType type = instruction.shape().element_type();
  const PrimitiveType computed = ComputationType(lhs.element_type(), rhs.element_type(), type);
  // One position of a spatial dimension is at most one of the result, which has been reserved.
  HLOCTS_RETURN_IF_ERROR(context.ReserveBytes(PositionBytes(instruction.shape())));
  const ConvolutionGeometry geometry =
      ConvolutionGeometryOf(instruction, lhs.shape().dimensions(), rhs.shape().dimensions());
  const Shape shape(computed, geometry.out_dimensions);
  HLOCTS_RETURN_IF_ERROR(context.ReserveMemory(shape));
  HLOCTS_RETURN_IF_ERROR(
      context.ReserveBytes(2 * StorageBytes(computed) * (geometry.lhs_size + geometry.rhs_size) +
                           shape.StorageSizeBytes()));
  const Literal lhs_computed = ToSystem(lhs, computed), rhs_computed = ToSystem(rhs, computed);
  Literal out(shape);
  VisitSystem(computed,
              [&](auto system) { Convolve(system, geometry, lhs_computed, rhs_computed, out); });
  return FromSystem(std::move(out), type);
}

}  // namespace hlocts
