// SPDX-License-Identifier: Apache-2.0
// Shape rules of dynamic-slice and dynamic-update-slice. The start indices are N scalars, or one
// array of N integers as in the 2018 edition.
#include "spec/infer/rules.h"

namespace hlocts {
namespace {

struct StartClauses {
  absl::string_view list;     // clause on the number of scalars
  absl::string_view integer;  // clause on the integer type
};

absl::Status CheckStartIndices(const Instruction& op, int64_t first, int64_t rank,
                               const StartClauses& clauses) {
  int64_t count = op.operand_count() - first;
  const bool is_array = count == 1 && op.operand(first).shape().rank() == 1;
  if (is_array) {
    const Shape& starts = op.operand(first).shape();
    HLOCTS_EXPECT(IsInteger(starts.element_type()), clauses.integer,
                  "start indices of integer type", ShapeText(starts));
    HLOCTS_EXPECT(CompatibleSize(starts.dimension(0), rank), clauses.list,
                  absl::StrCat(rank, " start indices"), ShapeText(starts));
    return absl::OkStatus();
  }
  HLOCTS_EXPECT(count == rank, clauses.list, absl::StrCat(rank, " start indices"),
                absl::StrCat(count));
  for (int64_t i = first; i < op.operand_count(); ++i) {
    const Shape& start = op.operand(i).shape();
    HLOCTS_EXPECT(start.IsScalar() && IsInteger(start.element_type()), clauses.integer,
                  absl::StrCat("an integer scalar as start index ", i - first), ShapeText(start));
    HLOCTS_EXPECT(start.element_type() == op.operand(first).shape().element_type(), clauses.integer,
                  "start indices of one type", ShapeText(start));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Shape> InferDynamicSlice(const Instruction& op, Signatures&) {
  const Shape& operand = op.operand(0).shape();
  const std::vector<int64_t>& sizes = op.IntList(Attr::kDynamicSliceSizes);
  HLOCTS_RETURN_IF_ERROR(
      CheckStartIndices(op, 1, operand.rank(), {"dynamic_slice.6", "dynamic_slice.9"}));
  HLOCTS_EXPECT(static_cast<int64_t>(sizes.size()) == operand.rank(), "dynamic_slice.10",
                absl::StrCat(operand.rank(), " slice sizes"), ListText(sizes));
  for (int64_t d = 0; d < operand.rank(); ++d) {
    // Size 0 yields an empty slice (ruling 0037).
    HLOCTS_EXPECT(sizes[d] >= 0, "dynamic_slice.11",
                  absl::StrCat("a size of at least 0 in dimension ", d), absl::StrCat(sizes[d]));
    HLOCTS_EXPECT(operand.dimension(d) == kUnboundedSize || sizes[d] <= operand.dimension(d),
                  "dynamic_slice.12",
                  absl::StrCat("a size of at most ", operand.dimension(d), " in dimension ", d),
                  absl::StrCat(sizes[d]));
  }
  return Shape(operand.element_type(), sizes);
}

absl::StatusOr<Shape> InferDynamicUpdateSlice(const Instruction& op, Signatures&) {
  const Shape &operand = op.operand(0).shape(), &update = op.operand(1).shape();
  HLOCTS_EXPECT(
      update.element_type() == operand.element_type() && update.rank() == operand.rank(),
      "dynamic_update_slice.7",
      absl::StrCat("an update of the type and number of dimensions of ", ShapeText(operand)),
      ShapeText(update));
  HLOCTS_RETURN_IF_ERROR(CheckStartIndices(op, 2, operand.rank(),
                                           {"dynamic_update_slice.10", "dynamic_update_slice.10"}));
  for (int64_t d = 0; d < operand.rank(); ++d) {
    bool known = operand.dimension(d) != kUnboundedSize;
    HLOCTS_EXPECT(!known || update.dimension(d) <= operand.dimension(d), "dynamic_update_slice.9",
                  absl::StrCat("an update of at most ", operand.dimension(d), " in dimension ", d),
                  ShapeText(update));
  }
  return operand.WithoutLayout();
}

}  // namespace hlocts
