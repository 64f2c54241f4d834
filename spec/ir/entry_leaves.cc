// SPDX-License-Identifier: Apache-2.0
#include "spec/ir/entry_leaves.h"

#include "absl/algorithm/container.h"
#include "spec/ir/module.h"

namespace hlocts {
namespace {

// Returns the header's shape `placed` with the dynamic flags of the instruction's shape `stated`,
// because the header determines only the memory layout (ruling 0064).
Shape Placed(const Shape& placed, const Shape& stated) {
  Shape shape = placed;
  if (shape.IsTuple() && stated.IsTuple() &&
      shape.tuple_shapes().size() == stated.tuple_shapes().size()) {
    for (size_t i = 0; i < stated.tuple_shapes().size(); ++i)
      shape.mutable_tuple_shapes()[i] = Placed(placed.tuple_shapes()[i], stated.tuple_shapes()[i]);
  } else if (shape.IsArray() && stated.IsArray() && shape.rank() == stated.rank()) {
    for (int64_t d = 0; d < shape.rank(); ++d)
      shape.set_dynamic_dimension(d, stated.is_dynamic_dimension(d));
  }
  return shape;
}

std::vector<Shape> ParameterShapes(const Module& module) {
  std::vector<Shape> shapes;
  if (module.entry()) {
    for (const Instruction* parameter : module.entry()->parameters())
      shapes.push_back(parameter ? parameter->shape() : Shape());
  }
  if (!module.entry_computation_layout) return shapes;
  std::vector<Shape> placed = module.entry_computation_layout->parameters;
  for (size_t i = 0; i < placed.size() && i < shapes.size(); ++i)
    placed[i] = Placed(placed[i], shapes[i]);
  return placed;
}

Shape ResultShape(const Module& module) {
  const Instruction* root = module.entry() ? module.entry()->root() : nullptr;
  const Shape stated = root ? root->shape() : Shape();
  if (!module.entry_computation_layout) return stated;
  return Placed(module.entry_computation_layout->result, stated);
}

void AppendWhole(const Literal& value, const Shape& shape, std::vector<Literal>& leaves) {
  if (shape.IsTuple()) {
    for (size_t i = 0; i < shape.tuple_shapes().size(); ++i)
      AppendWhole(value.elements()[i], shape.tuple_shapes()[i], leaves);
    return;
  }
  leaves.push_back(value);
  if (!shape.IsArray() || !value.has_runtime_sizes()) return;
  leaves.back().ClearRuntimeSizes();
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (shape.is_dynamic_dimension(d)) leaves.back().SetRuntimeSize(d, value.runtime_size(d));
  }
}

}  // namespace

int64_t LeafNumber(absl::Span<const Shape> shapes, int64_t number, const ShapeIndex& index) {
  int64_t next = 0, found = -1;
  for (int64_t i = 0; i < static_cast<int64_t>(shapes.size()); ++i) {
    ForEachLeaf(shapes[static_cast<size_t>(i)], [&](const Shape&, const ShapeIndex& path) {
      if (i == number && path == index) found = next;
      ++next;
    });
  }
  return found;
}

std::vector<Shape> ArgumentLeafShapes(const Module& module) {
  return LeafShapes(Shape::Tuple(ParameterShapes(module)));
}

std::vector<Shape> OutputLeafShapes(const Module& module) {
  return LeafShapes(ResultShape(module));
}

std::vector<Literal> OutputLeaves(const Module& module, const Literal& root) {
  std::vector<Literal> leaves;
  AppendWhole(root, module.entry()->root()->shape(), leaves);
  return leaves;
}

absl::StatusOr<std::vector<Literal>> NestArguments(const Module& module,
                                                   const std::vector<Literal>& leaves) {
  std::vector<Shape> parameters = ParameterShapes(module);
  const bool tuples =
      absl::c_any_of(parameters, [](const Shape& shape) { return shape.IsTuple(); });
  if (!tuples && parameters.size() == leaves.size()) return leaves;
  HLOCTS_ASSIGN_OR_RETURN(Literal all,
                          UnflattenLeaves(Shape::Tuple(std::move(parameters)), leaves));
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
    if (argument >= 0 && output >= 0) donations.push_back({argument, output, alias.must_alias});
  }
  for (const BufferDonor& donor : module.buffer_donor) {
    const int64_t argument =
        LeafNumber(program.parameters, donor.parameter_number, donor.parameter_index);
    if (argument >= 0) donations.push_back({argument, -1});
  }
  return donations;
}

}  // namespace hlocts
