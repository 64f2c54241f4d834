// dot: sums of products over the contracting dimensions, for every batch and every pair of free
// indices; result dimensions are batch, free lhs, free rhs (dot_general.9, .20; ruling 0027).
//
// Operands of any types are read in the number system of the widest type involved and the sums are
// rounded or cut to the result type once: integers are exact modulo 2^w, pred is an or of ands
// (ruling 0079). A contraction over no elements is 0 (ruling 0037).
#include "reference/kernels/dot.h"

#include <utility>

#include "reference/eval_context.h"
#include "reference/number_system.h"

namespace hlocts {
namespace {

PrimitiveType CommonSystem(PrimitiveType lhs, PrimitiveType rhs, PrimitiveType result) {
  bool is_wide = false, is_complex = false, is_float = false, is_pred = true;
  for (PrimitiveType type : {lhs, rhs, result}) {
    PrimitiveType system = SystemType(type);
    is_complex = is_complex || IsComplex(type);
    is_float = is_float || IsFloat(type);
    is_pred = is_pred && type == PrimitiveType::kPred;
    is_wide = is_wide || system == PrimitiveType::kF64 || system == PrimitiveType::kU64 ||
              system == PrimitiveType::kC128;
  }
  if (is_complex) return is_wide ? PrimitiveType::kC128 : PrimitiveType::kC64;
  if (is_float) return is_wide ? PrimitiveType::kF64 : PrimitiveType::kF32;
  if (is_pred) return PrimitiveType::kPred;
  return is_wide ? PrimitiveType::kU64 : PrimitiveType::kU32;
}

}  // namespace

absl::StatusOr<Literal> EvaluateDot(EvalContext& context, const Instruction& instruction,
                                    absl::Span<Literal> operands) {
  const Shape& shape = instruction.shape();
  PrimitiveType system =
      CommonSystem(operands[0].element_type(), operands[1].element_type(), shape.element_type());
  DotGeometry geometry =
      DotGeometryOf(DotDimensionsOf(instruction), operands[0].shape().dimensions(),
                    operands[1].shape().dimensions());
  // Scratch: both operands and the result once more, as elements of the system.
  int64_t elements =
      operands[0].element_count() + operands[1].element_count() + shape.ElementCount();
  HLOCTS_RETURN_IF_ERROR(context.ReserveBytes(elements * 2 * StorageBytes(system)));
  Literal lhs = ToSystem(operands[0], system), rhs = ToSystem(operands[1], system);
  Literal out = Literal::Uninitialized(Shape(system, shape.dimensions()));
  VisitSystem(system, [&](const auto& values) {
    using System = std::decay_t<decltype(values)>;
    using T = typename System::Element;
    DotKernel(values, geometry, lhs.data<T>(), rhs.data<T>(), out.mutable_data<T>());
  });
  return FromSystem(std::move(out), shape.element_type()).WithShape(shape);
}

}  // namespace hlocts
