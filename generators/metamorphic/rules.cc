// SPDX-License-Identifier: Apache-2.0
#include "generators/metamorphic/rules.h"

#include <algorithm>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "generators/fact_literals.h"
#include "spec/infer/infer.h"
#include "spec/ir/opcode.h"

namespace hlocts::generators {
namespace {

int64_t NamesOf(const Module& module) {
  size_t names = module.computations().size();
  for (const auto& computation : module.computations()) {
    names += computation->instructions().size();
  }
  return static_cast<int64_t>(names);
}

constexpr MetamorphicRule kRules[] = {
#define HLOCTS_METAMORPHIC(name, Group, Effect, Function) \
  {name, RuleGroup::Group, RuleEffect::Effect, &Function},
#include "generators/metamorphic/rules.def"
#undef HLOCTS_METAMORPHIC
};

constexpr absl::string_view kGroupNames[] = {"layout",  "movement", "duplicates", "barriers",
                                             "control", "batching", "integers",   "types",
                                             "floats",  "bounded",  "ordering",   "collectives"};

}  // namespace

Site::Site(Module& module, std::vector<Literal>& arguments, Instruction* instruction,
           ChoiceSource& choices)
    : module(module),
      arguments(arguments),
      at(instruction),
      choose(choices),
      writing_(instruction->parent()),
      names_(NamesOf(module)) {}

// Returns a new name. Rules only add names, so the number is larger than any in use.
std::string Site::Name(absl::string_view stem) { return absl::StrCat("tw_", stem, ".", names_++); }

Instruction* Site::Place(std::unique_ptr<Instruction> instruction) {
  Instruction* placed = writing_->Add(std::move(instruction));
  if (writing_ == at->parent()) made_.push_back(placed);
  return placed;
}

Instruction* Site::Make(Opcode opcode, Operands operands, Attributes attributes, Shape stated) {
  auto made = std::make_unique<Instruction>(Name(OpcodeName(opcode)), opcode, std::move(stated));
  made->mutable_operands() = std::move(operands);
  made->mutable_attributes() = std::move(attributes);
  absl::StatusOr<Shape> inferred = InferShape(*made);
  defect_.Update(inferred.status());
  Shape result = inferred.ok() ? *std::move(inferred) : made->shape();
  // The element type of a contraction may be wider than the operands' type.
  if (RowOf(opcode).family == Family::kContraction && made->shape().IsArray()) {
    result.set_element_type(made->shape().element_type());
  }
  if (!made->shape().layout()) made->mutable_shape() = std::move(result);
  made->mutable_shape() = made->shape().WithDefaultLayout();
  return Place(std::move(made));
}

Instruction* Site::Again(Operands operands, Shape stated) {
  return Again(std::move(operands), std::move(stated), at->attributes());
}

Instruction* Site::Again(Operands operands, Shape stated, Attributes attributes) {
  attributes.erase(
      std::remove_if(attributes.begin(), attributes.end(),
                     [](const auto& one) { return one.first == Attr::kControlPredecessors; }),
      attributes.end());
  return Make(opcode(), std::move(operands), std::move(attributes), std::move(stated));
}

Attributes Site::AttributesWith(Attr attr, AttributeValue value) const {
  Attributes attributes;
  for (const auto& one : at->attributes()) {
    if (one.first != attr) attributes.push_back(one);
  }
  attributes.emplace_back(attr, std::move(value));
  return attributes;
}

Instruction* Site::Inlined(const Computation& body, const Operands& operands) {
  Operands made(body.instructions().size());
  for (const auto& instruction : body.instructions()) {
    Instruction*& copy = made[static_cast<size_t>(instruction->index())];
    if (instruction->IsParameter()) {
      copy = operands[static_cast<size_t>(instruction->parameter_number())];
      continue;
    }
    Operands copied;
    for (const Instruction* one : instruction->operands()) {
      copied.push_back(made[static_cast<size_t>(one->index())]);
    }
    copy = Place(CopyOf(*instruction, Name(OpcodeName(instruction->opcode())), std::move(copied)));
  }
  return made[static_cast<size_t>(body.root()->index())];
}

Instruction* Site::Constant(Literal literal) {
  auto made = std::make_unique<Instruction>(Name("constant"), Opcode::kConstant,
                                            literal.shape().WithDefaultLayout());
  made->set_literal(std::move(literal));
  return Place(std::move(made));
}

Instruction* Site::Number(PrimitiveType type, double value) {
  return Constant(ScalarLiteral(type, value));
}

Instruction* Site::Splat(const Shape& shape, double value) {
  return Broadcast(Number(shape.element_type(), value), shape.dimensions(), {});
}

Instruction* Site::Iota(PrimitiveType type, const Dims& dims, int64_t dimension) {
  return Make(Opcode::kIota, {}, {{Attr::kIotaDimension, dimension}}, Shape(type, dims));
}

Instruction* Site::Element(Instruction* tuple, int64_t index) {
  return Make(Opcode::kGetTupleElement, {tuple}, {{Attr::kIndex, index}});
}

Instruction* Site::Slice(Instruction* operand, int64_t dimension, int64_t start, int64_t limit) {
  SliceRanges ranges;
  for (int64_t size : operand->shape().dimensions()) ranges.dimensions.push_back({0, size, 1});
  ranges.dimensions[static_cast<size_t>(dimension)] = {start, limit, 1};
  return Make(Opcode::kSlice, {operand}, {{Attr::kSlice, std::move(ranges)}});
}

Instruction* Site::Reshape(Instruction* operand, const Dims& dims) {
  return Make(Opcode::kReshape, {operand}, {}, Shape(operand->shape().element_type(), dims));
}

Instruction* Site::Broadcast(Instruction* operand, const Dims& dims, const Dims& dimensions) {
  return Make(Opcode::kBroadcast, {operand}, {{Attr::kDimensions, dimensions}},
              Shape(operand->shape().element_type(), dims));
}

Instruction* Site::Transpose(Instruction* operand, const Dims& permutation) {
  return Make(Opcode::kTranspose, {operand}, {{Attr::kDimensions, permutation}});
}

Instruction* Site::Concatenate(Operands operands, int64_t dimension) {
  return Make(Opcode::kConcatenate, std::move(operands), {{Attr::kDimensions, Dims{dimension}}});
}

Instruction* Site::Convert(Instruction* operand, PrimitiveType type) {
  return Make(Opcode::kConvert, {operand}, {}, Shape(type, operand->shape().dimensions()));
}

Instruction* Site::Compare(Instruction* lhs, absl::string_view direction, Instruction* rhs) {
  return Make(Opcode::kCompare, {lhs, rhs}, {{Attr::kDirection, Word{std::string(direction)}}});
}

Instruction* Site::Opaque(PrimitiveType type, double value) {
  bool outside = writing_ == module.entry();
  return outside ? NewParameter(ScalarLiteral(type, value)) : Number(type, value);
}

Instruction* Site::NewParameter(Literal argument) {
  Computation* entry = module.entry();
  Shape shape = argument.shape().WithDefaultLayout();
  auto owned = std::make_unique<Instruction>(Name("argument"), Opcode::kParameter, shape);
  owned->set_parameter_number(static_cast<int64_t>(entry->parameters().size()));
  if (module.entry_computation_layout) {
    module.entry_computation_layout->parameters.push_back(shape);
    module.entry_computation_layout->parameter_names.push_back(owned->name());
  }
  arguments.push_back(std::move(argument));
  Instruction* parameter = entry->Add(std::move(owned));
  MoveToFront(parameter);
  return parameter;
}

Computation* Site::Define(absl::string_view name, const std::vector<Shape>& parameters,
                          const Body& body) {
  Computation* outside = writing_;
  writing_ = module.Add(std::make_unique<Computation>(Name(name)));
  computations_.push_back(writing_);
  Operands made;
  for (const Shape& shape : parameters) {
    auto parameter =
        std::make_unique<Instruction>(Name("p"), Opcode::kParameter, shape.WithDefaultLayout());
    parameter->set_parameter_number(static_cast<int64_t>(made.size()));
    made.push_back(Place(std::move(parameter)));
  }
  Instruction* root = body(made);
  writing_->set_root(root);
  return std::exchange(writing_, outside);
}

Computation* Site::Outlined() {
  std::vector<Shape> shapes;
  for (const Instruction* one : at->operands()) shapes.push_back(one->shape());
  return Define("outlined", shapes, [&](const Operands& p) { return Again(p, shape()); });
}

Computation* Site::Identity(const Shape& shape) {
  return Define("identity", {shape}, [](const Operands& p) { return p[0]; });
}

Computation* Site::Garbage(const Shape& parameter, const Shape& result) {
  return Define("garbage", {parameter}, [&](const Operands&) { return Splat(result, 1); });
}

bool Site::Use(Instruction* value) {
  if (!value->shape().CompatibleWith(shape())) {
    defect_.Update(absl::InternalError(
        absl::StrCat(value->shape().ToString(), " instead of ", shape().ToString())));
  }
  if (std::find(made_.begin(), made_.end(), value) != made_.end()) {
    value->mutable_shape() = shape();
  }
  ReplaceUses(at, value, made_);
  return Done();
}

bool Site::Done() {
  MoveBehind(at, made_);
  // The text format requires callees before their callers.
  module.Reorder(module.CallOrder());
  return true;
}

void Site::Undo() {
  at->parent()->RemoveIf([&](const Instruction& instruction) {
    return std::find(made_.begin(), made_.end(), &instruction) != made_.end();
  });
  module.RemoveIf([&](const Computation& computation) {
    return std::find(computations_.begin(), computations_.end(), &computation) !=
           computations_.end();
  });
}

const Literal* Site::Known(const Instruction& instruction) const {
  if (instruction.IsConstant()) return &instruction.literal();
  bool argument = instruction.IsParameter() && instruction.shape().IsArray() &&
                  instruction.parent() == module.entry();
  if (!argument) return nullptr;
  int64_t leaf = 0;
  for (const Instruction* parameter : module.entry()->parameters()) {
    if (parameter == &instruction) return &arguments[static_cast<size_t>(leaf)];
    leaf += static_cast<int64_t>(LeafShapes(parameter->shape()).size());
  }
  return nullptr;
}

bool Site::IsElementwise() const {
  Family family = RowOf(opcode()).family;
  bool by_element = family == Family::kElementwiseUnary || family == Family::kElementwiseBinary ||
                    family == Family::kElementwiseOther;
  if (!by_element || !shape().IsArray() || opcode() == Opcode::kBitcastConvert) return false;
  for (const Instruction* one : at->operands()) {
    if (!one->shape().SameDimensions(shape())) return false;
  }
  return true;
}

absl::string_view RuleGroupName(RuleGroup group) { return kGroupNames[static_cast<size_t>(group)]; }

absl::Span<const MetamorphicRule> AllMetamorphicRules() { return kRules; }

Dims Iotas(int64_t count) {
  Dims result(static_cast<size_t>(count));
  std::iota(result.begin(), result.end(), int64_t{0});
  return result;
}

Dims Shuffled(ChoiceSource& choose, int64_t count) {
  Dims order = Iotas(count);
  for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[choose.Below(i)]);
  return order;
}

Dims Without(const Dims& dims, int64_t position) {
  Dims rest = dims;
  rest.erase(rest.begin() + position);
  return rest;
}

Dims With(Dims dims, int64_t position, int64_t size) {
  dims[static_cast<size_t>(position)] = size;
  return dims;
}

bool HasSideEffects(const Instruction& instruction) {
  switch (RowOf(instruction.opcode()).family) {
    case Family::kRandom:
    case Family::kCollective:
    case Family::kChannel:
    case Family::kAsync:
      return true;
    default:
      return instruction.opcode() == Opcode::kCustomCall;
  }
}

Opcode BinaryOf(const Computation& computation) {
  const Instruction* root = computation.root();
  bool binary = computation.instructions().size() == 3 && root->operand_count() == 2 &&
                RowOf(root->opcode()).family == Family::kElementwiseBinary;
  if (!binary || !root->operand(0).IsParameter() || !root->operand(1).IsParameter() ||
      &root->operand(0) == &root->operand(1)) {
    return Opcode::kParameter;
  }
  return root->opcode();
}

}  // namespace hlocts::generators
