// SPDX-License-Identifier: Apache-2.0
#include "spec/cut/piece_builder.h"

#include <variant>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/ir/opcode.h"
#include "spec/ops/partitions.h"

namespace hlocts {
namespace {

// Attributes that concern the whole module or describe how it was built. Pieces omit them.
constexpr Attr kOmittedAttributes[] = {
    Attr::kMetadata,   Attr::kSharding,      Attr::kControlPredecessors,
    Attr::kStatistics, Attr::kOriginalValue, Attr::kOrigin};

void Forget(Instruction& copy) {
  for (Attr attr : kOmittedAttributes) copy.Remove(attr);
  copy.proto_id = 0;
  copy.unknown_fields.clear();
}

bool IsNested(const Shape& shape) {
  for (const Shape& element : shape.tuple_shapes()) {
    if (element.IsTuple()) return true;
  }
  return false;
}

}  // namespace

PieceBuilder::PieceBuilder(const Module& module,
                           const absl::flat_hash_set<const Instruction*>& copied)
    : module_(module), copied_(copied) {}

// Keeps the names of the cut module, so that a verdict on a piece names its instructions.
std::string PieceBuilder::Unique(std::string name) {
  while (!names_.insert(name).second) name += "_";
  return name;
}

Instruction* PieceBuilder::Add(std::string name, Opcode opcode, Shape shape,
                               std::vector<Instruction*> operands) {
  auto added = std::make_unique<Instruction>(Unique(std::move(name)), opcode, std::move(shape));
  added->mutable_operands() = std::move(operands);
  return entry_->Add(std::move(added));
}

void PieceBuilder::Retarget(Instruction& copy) {
  for (auto& [name, value] : copy.mutable_attributes()) {
    if (auto* one = std::get_if<Computation*>(&value)) {
      if (*one != nullptr) *one = Called(**one);
    } else if (auto* list = std::get_if<std::vector<Computation*>>(&value)) {
      for (Computation*& each : *list) each = Called(*each);
    }
  }
}

Computation* PieceBuilder::Called(const Computation& original) {
  auto found = called_.find(&original);
  if (found != called_.end()) return found->second;
  auto copy = std::make_unique<Computation>(original.name());
  copy->execution_thread = original.execution_thread;
  copy->extra_attributes = original.extra_attributes;
  absl::flat_hash_map<const Instruction*, Instruction*> copies;
  for (const auto& instruction : original.instructions()) {
    Instruction* copied = copy->Add(std::make_unique<Instruction>(*instruction));
    Forget(*copied);
    Retarget(*copied);
    names_.insert(copied->name());
    for (Instruction*& operand : copied->mutable_operands()) operand = copies.at(operand);
    copies[instruction.get()] = copied;
  }
  copy->set_root(copies.at(original.root()));
  return called_[&original] = piece_.module->Add(std::move(copy));
}

Instruction* PieceBuilder::Clone(const Instruction& instruction) {
  std::vector<Instruction*> operands;
  for (const Instruction* operand : instruction.operands()) operands.push_back(Operand(*operand));
  auto copy = std::make_unique<Instruction>(instruction);
  Forget(*copy);
  Retarget(*copy);
  copy->set_name(Unique(copy->name()));
  copy->mutable_operands() = std::move(operands);
  return clones_[&instruction] = entry_->Add(std::move(copy));
}

Instruction* PieceBuilder::Parameter(const CutValue& value, const Shape& shape) {
  std::string name = value.instruction->name();
  if (!value.index.empty()) absl::StrAppend(&name, ".", absl::StrJoin(value.index, "."));
  Instruction* parameter = Add(std::move(name), Opcode::kParameter, shape);
  parameter->set_parameter_number(static_cast<int64_t>(piece_.inputs.size()));
  piece_.inputs.push_back(value);
  return parameter;
}

Instruction* PieceBuilder::PartOfMember(Instruction* member, const ShapeIndex& index) {
  for (int64_t element : index) {
    Shape shape = member->shape().tuple_shapes()[element];
    member = Add(absl::StrCat(member->name(), ".part", element), Opcode::kGetTupleElement,
                 std::move(shape), {member});
    member->Set(Attr::kIndex, element);
  }
  return member;
}

// Returns an instruction of `shape` with the value `value`, which is computed in the piece or is a
// parameter.
Instruction* PieceBuilder::Part(const CutValue& value, const Shape& shape) {
  auto found = parts_.find(value);
  if (found != parts_.end()) return found->second;
  Instruction* part = nullptr;
  if (members_.contains(value.instruction)) {
    part = PartOfMember(clones_.at(value.instruction), value.index);
  } else if (shape.IsToken()) {
    part = Add("token", Opcode::kAfterAll, shape);
  } else if (shape.IsTuple()) {
    std::vector<Instruction*> elements;
    for (size_t i = 0; i < shape.tuple_shapes().size(); ++i) {
      CutValue element = value;
      element.index.push_back(static_cast<int64_t>(i));
      elements.push_back(Part(element, shape.tuple_shapes()[i]));
    }
    part = Add(absl::StrCat(value.instruction->name(), ".whole"), Opcode::kTuple, shape,
               std::move(elements));
  } else {
    part = Parameter(value, shape);
  }
  return parts_[value] = part;
}

Instruction* PieceBuilder::Operand(const Instruction& original) {
  auto found = clones_.find(&original);
  if (found != clones_.end()) return found->second;
  if (copied_.contains(&original) || original.opcode() == Opcode::kTuple) return Clone(original);
  CutValue value = ResolveValue(original);
  if (value.index.empty() && value.instruction != &original) return Operand(*value.instruction);
  return Part(value, original.shape());
}

// Sets the simplest possible root: one array, one existing flat tuple, or a new tuple of arrays.
void PieceBuilder::SetRoot(const std::vector<const Instruction*>& outputs) {
  for (const Instruction* output : outputs) {
    ForEachLeaf(output->shape(), [&](const Shape& leaf, const ShapeIndex& index) {
      if (leaf.IsArray()) piece_.outputs.push_back({output, index});
    });
  }
  const Shape& first = outputs[0]->shape();
  if (outputs.size() == 1 && !HoldsToken(first) && !IsNested(first)) {
    return entry_->set_root(clones_.at(outputs[0]));
  }
  std::vector<Instruction*> leaves;
  std::vector<Shape> shapes;
  for (const CutValue& value : piece_.outputs) {
    leaves.push_back(Part(value, Shape()));
    shapes.push_back(leaves.back()->shape());
  }
  entry_->set_root(
      Add("outputs", Opcode::kTuple, Shape::Tuple(std::move(shapes)), std::move(leaves)));
}

Piece PieceBuilder::Build(const std::vector<const Instruction*>& members,
                          const std::vector<const Instruction*>& outputs) {
  piece_ = {};
  piece_.module = std::make_unique<Module>(absl::StrCat(module_.name(), "_piece"));
  piece_.module->replica_count = module_.replica_count;
  piece_.module->num_partitions = module_.num_partitions;
  piece_.module->frontend_attributes = module_.frontend_attributes;
  piece_.module->extra_attributes = module_.extra_attributes;
  piece_.instructions = members;
  members_ = {members.begin(), members.end()};
  clones_.clear(), called_.clear(), parts_.clear(), names_.clear();
  // Callees precede their callers, so the entry is added to the module last.
  auto entry = std::make_unique<Computation>("piece");
  entry_ = entry.get();
  for (const Instruction* member : members) Clone(*member);
  SetRoot(outputs);
  piece_.module->set_entry(piece_.module->Add(std::move(entry)));
  DropIdlePartitions(module_, *piece_.module);
  return std::move(piece_);
}

}  // namespace hlocts
