// SPDX-License-Identifier: Apache-2.0
// Implements ragged-dot (undocumented; as JAX and XLA use it): a dot whose lhs has one ragged
// dimension, which group_sizes divides into consecutive groups. It consists of slices and dots.
#include <algorithm>
#include <utility>

#include "absl/algorithm/container.h"
#include "reference/kernels/dot.h"
#include "reference/kernels/index_values.h"
#include "reference/kernels/movement_geometry.h"
#include "reference/number_system.h"
#include "reference/ops/structured.h"

namespace hlocts::reference {
namespace {

// Returns elements [start, start + size) along one dimension.
Literal Sliced(const Literal& operand, int64_t dimension, int64_t start, int64_t size) {
  std::vector<SliceRange> ranges;
  for (int64_t d : operand.shape().dimensions()) ranges.push_back({0, d, 1});
  ranges[dimension] = {start, start + size, 1};
  std::vector<int64_t> dimensions = operand.shape().dimensions();
  dimensions[dimension] = size;
  Literal out(Shape(operand.element_type(), dimensions));
  DispatchStorage(StorageBytes(operand.element_type()), [&](auto element) {
    using T = decltype(element);
    CopyKernel<T>(SliceGeometry(operand.shape().dimensions(), ranges), operand.data<T>(),
                  out.mutable_data<T>());
  });
  return out;
}

Literal WithoutDimension(const Literal& operand, int64_t dimension) {
  std::vector<int64_t> dimensions = operand.shape().dimensions();
  dimensions.erase(dimensions.begin() + dimension);
  return operand.WithShape(Shape(operand.element_type(), dimensions));
}

// Returns the dot of operands of the number system `system`.
Literal PlainDot(const DotDimensionNumbers& numbers, PrimitiveType system, const Literal& lhs,
                 const Literal& rhs, const std::vector<int64_t>& dimensions) {
  Literal out(Shape(system, dimensions));
  const DotGeometry geometry =
      DotGeometryOf(numbers, lhs.shape().dimensions(), rhs.shape().dimensions());
  VisitSystem(system, [&](const auto& values) {
    using T = typename std::decay_t<decltype(values)>::Element;
    DotKernel(values, geometry, lhs.data<T>(), rhs.data<T>(), out.mutable_data<T>());
  });
  return out;
}

void Paste(const Literal& block, int64_t dimension, int64_t start, Literal& out) {
  DispatchStorage(StorageBytes(out.element_type()), [&](auto element) {
    using T = decltype(element);
    CopyKernel<T>(
        ConcatenateGeometry(block.shape().dimensions(), out.shape().dimensions(), dimension, start),
        block.data<T>(), out.mutable_data<T>());
  });
}

struct RaggedDot {
  DotDimensionNumbers numbers;
  PrimitiveType system;
  Literal lhs, rhs;
  int64_t ragged;                      // ragged dimension of lhs
  int64_t rhs_ragged;                  // dimension of rhs: the contracting or the group dimension
  std::vector<int64_t> sizes, starts;  // of the groups, cut to the ragged dimension
};

// Appends consecutive groups, cut to the extent of the dimension.
void SetGroups(const std::vector<int64_t>& sizes, int64_t extent, RaggedDot& dot) {
  int64_t start = 0;
  for (int64_t size : sizes) {
    dot.starts.push_back(start);
    dot.sizes.push_back(std::clamp<int64_t>(size, 0, extent - start));
    start += dot.sizes.back();
  }
}

// For a ragged free dimension: multiplies the rows of group g by rhs[g]; other rows are zero.
void DotRaggedRows(RaggedDot dot, Literal& out) {
  const int64_t group_dimension = dot.rhs_ragged;
  for (std::vector<int64_t>* list : {&dot.numbers.rhs_batch, &dot.numbers.rhs_contracting}) {
    for (int64_t& d : *list) d -= d > group_dimension ? 1 : 0;
  }
  std::vector<int64_t> bound = dot.numbers.lhs_batch;
  bound.insert(bound.end(), dot.numbers.lhs_contracting.begin(), dot.numbers.lhs_contracting.end());
  const std::vector<int64_t> free = DimensionsExcept(dot.lhs.shape().rank(), bound);
  const int64_t out_dimension = static_cast<int64_t>(dot.numbers.lhs_batch.size()) +
                                (std::find(free.begin(), free.end(), dot.ragged) - free.begin());
  for (size_t g = 0; g < dot.sizes.size(); ++g) {
    std::vector<int64_t> dimensions = out.shape().dimensions();
    dimensions[out_dimension] = dot.sizes[g];
    const Literal rows = Sliced(dot.lhs, dot.ragged, dot.starts[g], dot.sizes[g]);
    const Literal matrix = WithoutDimension(
        Sliced(dot.rhs, group_dimension, static_cast<int64_t>(g), 1), group_dimension);
    Paste(PlainDot(dot.numbers, dot.system, rows, matrix, dimensions), out_dimension, dot.starts[g],
          out);
  }
}

// For a ragged contracting dimension: result[g] is the contraction over the elements of group g.
void DotRaggedContraction(const RaggedDot& dot, Literal& out) {
  std::vector<int64_t> dimensions = out.shape().dimensions();
  dimensions.erase(dimensions.begin());
  std::vector<int64_t> row = out.shape().dimensions();
  row[0] = 1;
  for (size_t g = 0; g < dot.sizes.size(); ++g) {
    const Literal lhs = Sliced(dot.lhs, dot.ragged, dot.starts[g], dot.sizes[g]);
    const Literal rhs = Sliced(dot.rhs, dot.rhs_ragged, dot.starts[g], dot.sizes[g]);
    const Literal block = PlainDot(dot.numbers, dot.system, lhs, rhs, dimensions);
    Paste(block.WithShape(Shape(dot.system, row)), 0, static_cast<int64_t>(g), out);
  }
}

}  // namespace

absl::StatusOr<Literal> EvaluateRaggedDot(EvalContext& context, const Instruction& instruction,
                                          absl::Span<Literal> operands) {
  const Shape& shape = instruction.shape();
  RaggedDot dot{.numbers = DotDimensionsOf(instruction),
                .ragged = instruction.IntList(Attr::kLhsRaggedDims)[0]};
  dot.system =
      SumSystem({operands[0].element_type(), operands[1].element_type()}, shape.element_type());
  if (operands[2].shape().rank() != 1) {
    return Unsupported(instruction.name(), ": group sizes: expected rank 1, found ",
                       operands[2].shape().ToString(false));
  }
  HLOCTS_RETURN_IF_ERROR(context.ReserveBytes(
      (operands[0].element_count() + operands[1].element_count() + shape.ElementCount()) * 3 *
      StorageBytes(dot.system)));
  dot.lhs = ToSystem(operands[0], dot.system);
  dot.rhs = ToSystem(operands[1], dot.system);
  SetGroups(IndexValues(operands[2]), dot.lhs.shape().dimension(dot.ragged), dot);
  Literal out(Shape(dot.system, shape.dimensions()));
  if (absl::c_linear_search(dot.numbers.lhs_batch, dot.ragged)) {
    out = PlainDot(dot.numbers, dot.system, dot.lhs, dot.rhs, shape.dimensions());
  } else if (absl::c_linear_search(dot.numbers.lhs_contracting, dot.ragged)) {
    const auto& contracting = dot.numbers.lhs_contracting;
    const auto at = std::find(contracting.begin(), contracting.end(), dot.ragged);
    dot.rhs_ragged = dot.numbers.rhs_contracting[at - contracting.begin()];
    DotRaggedContraction(dot, out);
  } else {
    dot.rhs_ragged = instruction.IntList(Attr::kRhsGroupDims)[0];
    DotRaggedRows(std::move(dot), out);
  }
  return FromSystem(std::move(out), shape.element_type());
}

}  // namespace hlocts::reference
