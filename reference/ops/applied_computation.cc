// SPDX-License-Identifier: Apache-2.0
#include "reference/ops/applied_computation.h"

#include <utility>

#include "spec/ir/module.h"

namespace hlocts::reference {

absl::StatusOr<AppliedComputation> AppliedComputation::Of(EvalContext& context,
                                                          const Computation& computation) {
  AppliedComputation applied;
  applied.context_ = &context;
  applied.computation_ = &computation;
  HLOCTS_ASSIGN_OR_RETURN(applied.function_, context.Scalar(computation));
  for (const Instruction* parameter : computation.parameters()) {
    HLOCTS_CHECK(parameter != nullptr);
    applied.types_.push_back(parameter->shape().element_type());
    applied.widths_.push_back(StorageBytes(applied.types_.back()));
  }
  for (const Shape& leaf : LeafShapes(computation.root()->shape())) {
    applied.result_widths_.push_back(StorageBytes(leaf.element_type()));
  }
  return applied;
}

bool AppliedComputation::Call(const Slot* arguments, Slot* results) {
  if (!status_.ok()) return false;
  std::vector<Literal> literals;
  for (size_t i = 0; i < types_.size(); ++i) {
    literals.emplace_back(Shape::Scalar(types_[i]));
    arguments[i].Store(literals.back().mutable_raw_data(), widths_[i]);
  }
  absl::StatusOr<Literal> result = context_->Call(*computation_, std::move(literals));
  if (!result.ok()) {
    status_ = result.status();
    return false;
  }
  const std::vector<Literal> leaves = FlattenLeaves(*result);
  for (size_t i = 0; i < leaves.size(); ++i)
    results[i].Load(leaves[i].raw_data(), result_widths_[i]);
  return true;
}

Literal Collated(const Shape& shape, std::vector<Literal> results) {
  if (shape.IsTuple()) return Literal::Tuple(std::move(results));
  HLOCTS_CHECK(results.size() == 1);
  return std::move(results[0]);
}

std::vector<int> ElementWidths(absl::Span<const Literal> arrays) {
  std::vector<int> widths;
  for (const Literal& array : arrays) widths.push_back(StorageBytes(array.element_type()));
  return widths;
}

}  // namespace hlocts::reference
