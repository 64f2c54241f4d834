// SPDX-License-Identifier: Apache-2.0
#include "reference/kernels/convolution.h"

#include <memory>
#include <utility>

#include "reference/number_system.h"
#include "reference/ops/structured.h"

namespace hlocts::reference {
namespace {

// Returns the size of the geometry in bytes: one WindowPosition per position of each dimension.
int64_t PositionBytes(const Shape& shape) {
  int64_t positions = 0;
  for (int64_t size : shape.dimensions()) positions += std::min(size, INT64_MAX / 64 - positions);
  return positions * static_cast<int64_t>(sizeof(WindowPosition));
}

bool IsIdentity(CopyGeometry copy) {
  copy.Simplify();
  if (copy.operand_base != 0 || copy.result_base != 0 || copy.dims.size() > 1) return false;
  return copy.dims.empty() || (copy.dims[0].operand_stride == 1 && copy.dims[0].result_stride == 1);
}

// Returns the operand in the kernel's order, without a copy if it already has that order.
template <typename Element>
const Element* InOrder(const CopyGeometry& copy, const Literal& operand,
                       std::unique_ptr<Element[]>& storage) {
  const absl::Span<const Element> elements = operand.data<Element>();
  if (IsIdentity(copy)) return elements.data();
  storage.reset(new Element[elements.size()]);
  CopyKernel<Element>(copy, elements, absl::MakeSpan(storage.get(), elements.size()));
  return storage.get();
}

template <class System>
void Convolve(const System& system, const ConvolutionGeometry& geometry, const Literal& lhs,
              const Literal& rhs, Literal& out) {
  using Element = typename System::Element;
  std::unique_ptr<Element[]> lhs_storage, rhs_storage, out_storage;
  const Element* left = InOrder(geometry.lhs, lhs, lhs_storage);
  const Element* right = InOrder(geometry.rhs, rhs, rhs_storage);
  absl::Span<Element> result = out.mutable_data<Element>();
  if (IsIdentity(geometry.out)) {
    ConvolutionKernel(system, geometry, left, right, result.data());
    return;
  }
  out_storage.reset(new Element[result.size()]);
  ConvolutionKernel(system, geometry, left, right, out_storage.get());
  CopyKernel<Element>(geometry.out, absl::MakeSpan(out_storage.get(), result.size()), result);
}

}  // namespace

// conv_with_general_padding.55-58: output(b, z, position) is the sum over input features and taps
// of lhs(b, feature, position * stride + tap * rhs_dilation - low padding, in the dilated base
// area) times rhs(z, feature, tap). Terms in padding and holes are absent (ruling 0051). The i-th
// feature group of lhs belongs to the i-th group of output features (.36-40), and so does the i-th
// batch group (.51-52).
absl::StatusOr<Literal> EvaluateConvolution(EvalContext& context, const Instruction& instruction,
                                            absl::Span<Literal> operands) {
  const Literal &lhs = operands[0], &rhs = operands[1];
  const PrimitiveType type = instruction.shape().element_type();
  const PrimitiveType computed = SumSystem({lhs.element_type(), rhs.element_type()}, type);
  // Reserves the memory of the geometry, which ConvolutionGeometryOf allocates.
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

}  // namespace hlocts::reference
