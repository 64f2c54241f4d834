// SPDX-License-Identifier: Apache-2.0
#include "spec/cut/cut.h"

#include <algorithm>
#include <map>
#include <string>
#include <variant>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/cut/placing.h"
#include "spec/ir/opcode.h"
#include "spec/ops/kinds.h"
#include "spec/ops/partitions.h"

namespace hlocts {
namespace {

// Makes the module of one piece.
class PieceBuilder {
 public:
  // `copied` has the meaning of Placing::copied. Both arguments must outlive the builder.
  PieceBuilder(const Module& module, const absl::flat_hash_set<const Instruction*>& copied);

  // Builds the piece of `members`, which are in textual order. `outputs` are the members whose
  // values are read outside the piece or are in the root's value.
  Piece Build(const std::vector<const Instruction*>& members,
              const std::vector<const Instruction*>& outputs);

 private:
  Instruction* Add(std::string name, Opcode opcode, Shape shape,
                   std::vector<Instruction*> operands = {});
  Instruction* Clone(const Instruction& instruction);
  Instruction* Operand(const Instruction& original);
  Instruction* Part(const CutValue& value, const Shape& shape);
  Instruction* PartOfMember(Instruction* member, const ShapeIndex& index);
  Instruction* Parameter(const CutValue& value, const Shape& shape);
  Computation* Called(const Computation& original);
  void Retarget(Instruction& copy);
  void SetRoot(const std::vector<const Instruction*>& outputs);
  std::string Unique(std::string name);

  const Module& module_;
  const absl::flat_hash_set<const Instruction*>& copied_;
  Piece piece_;
  Computation* entry_ = nullptr;
  absl::flat_hash_set<const Instruction*> members_;
  absl::flat_hash_map<const Instruction*, Instruction*> clones_;
  absl::flat_hash_map<const Computation*, Computation*> called_;
  std::map<CutValue, Instruction*> parts_;
  absl::flat_hash_set<std::string> names_;
};

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

// Returns an instruction with the value `value`, which the piece computes or has as a parameter.
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

// Visits each computation once: the number of paths to it can be exponential.
bool Holds(const Computation& computation, std::initializer_list<Opcode> opcodes) {
  std::vector<const Computation*> all = {&computation};
  absl::flat_hash_set<const Computation*> seen = {&computation};
  for (size_t i = 0; i < all.size(); ++i) {
    for (const auto& instruction : all[i]->instructions()) {
      for (Opcode opcode : opcodes) {
        if (instruction->opcode() == opcode) return true;
      }
      for (const Computation* called : instruction->called_computations()) {
        if (seen.insert(called).second) all.push_back(called);
      }
    }
  }
  return false;
}

absl::Status CheckFeeds(const Computation& computation) {
  for (const auto& instruction : computation.instructions()) {
    for (const Computation* called : instruction->called_computations()) {
      if (!Holds(*called, {Opcode::kInfeed, Opcode::kSend, Opcode::kRecv})) continue;
      return Unsupported(instruction->name(),
                         ": infeed, send or recv in a called computation cannot be cut");
    }
  }
  return absl::OkStatus();
}

// Finds the instructions whose values are read outside their piece.
class Readers {
 public:
  using Members = std::vector<const Instruction*>;
  Readers(const Computation& computation, const std::vector<Members>& pieces) {
    for (size_t p = 0; p < pieces.size(); ++p) {
      for (const Instruction* member : pieces[p]) piece_of_[member] = p;
    }
    for (const Members& members : pieces) {
      for (const Instruction* member : members) {
        for (const Instruction* operand : member->operands()) Read(*operand, piece_of_[member]);
      }
    }
    Read(*computation.root(), pieces.size());
  }
  std::vector<const Instruction*> OutputsOf(const std::vector<const Instruction*>& members) const {
    std::vector<const Instruction*> outputs;
    for (const Instruction* member : members) {
      bool array = false;
      ForEachLeaf(member->shape(),
                  [&](const Shape& leaf, const ShapeIndex&) { array = array || leaf.IsArray(); });
      if (array && read_.contains(member)) outputs.push_back(member);
    }
    return outputs;
  }

 private:
  void Read(const Instruction& operand, size_t reader) {
    ForEachProducer(operand, [&](const Instruction& producer) {
      auto found = piece_of_.find(&producer);
      if (found != piece_of_.end() && found->second != reader) read_.insert(&producer);
    });
  }
  absl::flat_hash_map<const Instruction*, size_t> piece_of_;
  absl::flat_hash_set<const Instruction*> read_;
};

int64_t InfeedLeaves(const Instruction& infeed) {
  int64_t count = 0;
  ForEachLeaf(infeed.shape(),
              [&](const Shape& leaf, const ShapeIndex&) { count += leaf.IsArray(); });
  return count;
}

// Infeeds receive data in textual order, even if nothing reads the data.
void NumberInfeeds(const Computation& computation, std::vector<Piece>& pieces) {
  absl::flat_hash_map<const Instruction*, int64_t> begins;
  int64_t taken = 0;
  for (const auto& instruction : computation.instructions()) {
    if (instruction->opcode() != Opcode::kInfeed) continue;
    begins[instruction.get()] = taken;
    taken += InfeedLeaves(*instruction);
  }
  for (Piece& piece : pieces) {
    for (const Instruction* member : piece.instructions) {
      if (member->opcode() != Opcode::kInfeed) continue;
      if (piece.infeed_count == 0) piece.infeed_begin = begins[member];
      piece.infeed_count += InfeedLeaves(*member);
    }
  }
}

}  // namespace

CutValue ResolveValue(const Instruction& instruction, ShapeIndex index) {
  const Instruction* at = &instruction;
  while (true) {
    if (at->opcode() == Opcode::kGetTupleElement) {
      index.insert(index.begin(), at->IntOr(Attr::kIndex, 0));
      at = at->operands()[0];
    } else if (at->opcode() == Opcode::kTuple && !index.empty()) {
      at = at->operands()[index.front()];
      index.erase(index.begin());
    } else {
      return {at, std::move(index)};
    }
  }
}

absl::StatusOr<CutComputation> CutIntoPieces(const Module& module, const Computation& computation,
                                             const CutOptions& options) {
  HLOCTS_RETURN_IF_ERROR(CheckFeeds(computation));
  HLOCTS_ASSIGN_OR_RETURN(Placing placing, PlaceInstructions(computation, options));
  CutComputation cut;
  cut.computation = &computation;
  Readers readers(computation, placing.pieces);
  PieceBuilder builder(module, placing.copied);
  for (const auto& members : placing.pieces) {
    std::vector<const Instruction*> outputs = readers.OutputsOf(members);
    if (!outputs.empty()) cut.pieces.push_back(builder.Build(members, outputs));
  }
  NumberInfeeds(computation, cut.pieces);
  return cut;
}

absl::StatusOr<std::vector<const Instruction*>> CutMembers(const Computation& computation) {
  CutOptions each;
  each.operations = 1;
  HLOCTS_ASSIGN_OR_RETURN(Placing placing, PlaceInstructions(computation, each));
  std::vector<const Instruction*> members;
  for (const auto& piece : placing.pieces)
    members.insert(members.end(), piece.begin(), piece.end());
  std::sort(members.begin(), members.end(),
            [](const Instruction* a, const Instruction* b) { return a->index() < b->index(); });
  return members;
}

absl::StatusOr<Piece> CutOut(const Module& module, const Computation& computation,
                             const std::vector<const Instruction*>& members) {
  HLOCTS_ASSIGN_OR_RETURN(std::vector<const Instruction*> all, CutMembers(computation));
  absl::flat_hash_set<const Instruction*> inside(members.begin(), members.end()), copied;
  for (const auto& instruction : computation.instructions()) {
    if (instruction->IsConstant()) copied.insert(instruction.get());
  }
  std::vector<const Instruction*> others;
  bool torn = false;
  for (const Instruction* user : all) {
    if (!inside.contains(user)) others.push_back(user);
    for (const Instruction* operand : user->operands()) {
      ForEachProducer(*operand, [&](const Instruction& producer) {
        torn = torn || (inside.contains(user) != inside.contains(&producer) &&
                        !copied.contains(&producer) && !producer.IsParameter() &&
                        MustShareAPiece(producer, *user));
      });
    }
  }
  if (torn) return Unsupported("a value that cannot be a parameter would cross a cut");
  std::vector<const Instruction*> outputs =
      Readers(computation, {members, others}).OutputsOf(members);
  if (outputs.empty()) return Unsupported("these instructions have no users");
  std::vector<Piece> piece;
  piece.push_back(PieceBuilder(module, copied).Build(members, outputs));
  NumberInfeeds(computation, piece);
  return std::move(piece[0]);
}

bool CanCutInside(const Instruction& instruction) {
  if (!ops::IsCaller(instruction.opcode())) return false;
  for (const Computation* called : instruction.called_computations()) {
    if (Holds(*called, {Opcode::kInfeed, Opcode::kOutfeed, Opcode::kSend, Opcode::kRecv})) {
      return false;
    }
  }
  return true;
}

}  // namespace hlocts
