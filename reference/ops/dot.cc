// SPDX-License-Identifier: Apache-2.0
// Implements dot: sums of products over the contracting dimensions, for every batch index and pair
// of free indices. Result dimensions are batch, free lhs, free rhs (dot_general.9, .20; ruling
// 0027).
//
// Operands of any types are read in a number system that represents them. Sums are rounded or cut
// to the result type once: integers are exact modulo 2^width, pred is an OR of ANDs (ruling 0079).
// A contraction over no elements is 0 (ruling 0037).
#include "reference/kernels/dot.h"

#include <algorithm>
#include <utility>

#include "reference/eval_context.h"
#include "reference/number_system.h"
#include "reference/ops/part.h"

namespace hlocts::reference {
namespace {

Literal Product(PrimitiveType system, const DotGeometry& geometry, const Literal& lhs,
                const Literal& rhs, const std::vector<int64_t>& dimensions) {
  Literal out = Literal::Uninitialized(Shape(system, dimensions));
  VisitSystem(system, [&](const auto& values) {
    using System = std::decay_t<decltype(values)>;
    using T = typename System::Element;
    DotKernel(values, geometry, lhs.data<T>(), rhs.data<T>(), out.mutable_data<T>());
  });
  return out;
}

// Computes the product by blocks of lhs rows, widening narrow elements block by block, so that the
// wide copies stay small. Both operands are already in the kernel's order.
Literal ProductByRows(PrimitiveType system, const DotGeometry& all, const Literal& lhs,
                      const Literal& rhs, const Shape& shape) {
  constexpr int64_t kElements = 1024;  // elements in a block of rows
  Literal out = Literal::Uninitialized(Shape(shape.element_type(), shape.dimensions()));
  const int width = StorageBytes(shape.element_type());
  const int64_t rows = std::max<int64_t>(1, kElements / std::max<int64_t>(1, all.k));
  DotGeometry block = all;
  block.batch = 1;
  for (int64_t b = 0; b < all.batch; ++b) {
    const Literal right = ToSystem(Part(rhs, b * all.k * all.n, all.k * all.n), system);
    for (int64_t i = 0; i < all.m; i += rows) {
      block.m = std::min(rows, all.m - i);
      const int64_t first = b * all.m + i;
      const Literal left = ToSystem(Part(lhs, first * all.k, block.m * all.k), system);
      const Literal done =
          FromSystem(Product(system, block, left, right, {block.m * all.n}), shape.element_type());
      std::memcpy(out.mutable_raw_data() + first * all.n * width, done.raw_data(),
                  done.element_count() * width);
    }
  }
  return out;
}

}  // namespace

absl::StatusOr<Literal> EvaluateDot(EvalContext& context, const Instruction& instruction,
                                    absl::Span<Literal> operands) {
  const Shape& shape = instruction.shape();
  const PrimitiveType system =
      SumSystem({operands[0].element_type(), operands[1].element_type()}, shape.element_type());
  DotGeometry geometry =
      DotGeometryOf(DotDimensionsOf(instruction), operands[0].shape().dimensions(),
                    operands[1].shape().dimensions());
  // Reserves scratch space for both operands and the result, converted to `system`, the type in
  // which the sum is computed.
  int64_t elements =
      operands[0].element_count() + operands[1].element_count() + shape.ElementCount();
  HLOCTS_RETURN_IF_ERROR(context.ReserveBytes(elements * 2 * StorageBytes(system)));
  const int width = StorageBytes(system);
  const bool narrow = StorageBytes(operands[0].element_type()) < width ||
                      StorageBytes(operands[1].element_type()) < width;
  if (narrow && geometry.lhs_in_place && geometry.rhs_in_place) {
    return ProductByRows(system, geometry, operands[0], operands[1], shape).WithShape(shape);
  }
  Literal out = Product(system, geometry, ToSystem(operands[0], system),
                        ToSystem(operands[1], system), shape.dimensions());
  return FromSystem(std::move(out), shape.element_type()).WithShape(shape);
}

}  // namespace hlocts::reference
