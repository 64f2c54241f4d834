// SPDX-License-Identifier: Apache-2.0
#include "spec/ir/entry_leaves.h"

#include "absl/algorithm/container.h"
#include "spec/ir/leaf_number.h"
#include "spec/ir/module.h"

namespace hlocts {
namespace {

// Where the header says nothing, without copies of what the instructions say.
std::vector<const Shape*> ParameterShapes(const Module& module) {
  static const Shape* const missing = new Shape();
  std::vector<const Shape*> shapes;
  if (module.entry_computation_layout) {
    for (const Shape& shape : module.entry_computation_layout->parameters) shapes.push_back(&shape);
  } else if (module.entry()) {
    for (const Instruction* parameter : module.entry()->parameters())
      shapes.push_back(parameter ? &parameter->shape() : missing);
  }
  return shapes;
}

}  // namespace

std::vector<Shape> ArgumentLeafShapes(const Module& module) {
  std::vector<Shape> leaves;
  for (const Shape* parameter : ParameterShapes(module)) {
    if (parameter->IsTuple()) {
      for (Shape& leaf : LeafShapes(*parameter)) leaves.push_back(std::move(leaf));
    } else {
      leaves.push_back(*parameter);
    }
  }
  return leaves;
}

std::vector<Shape> OutputLeafShapes(const Module& module) {
  if (module.entry_computation_layout) return LeafShapes(module.entry_computation_layout->result);
  const Instruction* root = module.entry() ? module.entry()->root() : nullptr;
  return LeafShapes(root ? root->shape() : Shape());
}

absl::StatusOr<std::vector<Literal>> NestArguments(const Module& module,
                                                   const std::vector<Literal>& leaves) {
  const std::vector<const Shape*> parameters = ParameterShapes(module);
  const bool tuples =
      absl::c_any_of(parameters, [](const Shape* shape) { return shape->IsTuple(); });
  if (!tuples && parameters.size() == leaves.size()) return leaves;
  std::vector<Shape> shapes;
  for (const Shape* shape : parameters) shapes.push_back(*shape);
  HLOCTS_ASSIGN_OR_RETURN(Literal all, UnflattenLeaves(Shape::Tuple(std::move(shapes)), leaves));
  return all.elements();
}

std::vector<Donation> DonationsOf(const Module& module) {
  std::vector<Donation> donations;
  if (module.input_output_alias.empty() && module.buffer_donor.empty()) return donations;
  const ProgramShape program = module.EntryProgramShape();
  for (const InputOutputAlias& alias : module.input_output_alias) {
    const int64_t argument =
        LeafNumber(program.parameters, alias.parameter_number, alias.parameter_index);
    const int64_t output = LeafNumber({program.result}, 0, alias.output_index);
    if (argument >= 0 && output >= 0) donations.push_back({argument, output});
  }
  for (const BufferDonor& donor : module.buffer_donor) {
    const int64_t argument =
        LeafNumber(program.parameters, donor.parameter_number, donor.parameter_index);
    if (argument >= 0) donations.push_back({argument, -1});
  }
  return donations;
}

}  // namespace hlocts
