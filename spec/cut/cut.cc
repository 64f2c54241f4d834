// SPDX-License-Identifier: Apache-2.0
#include "spec/cut/cut.h"

#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "spec/cut/piece_builder.h"
#include "spec/cut/placing.h"
#include "spec/ops/kinds.h"

namespace hlocts {
namespace {

bool Holds(const Computation& computation, std::initializer_list<Opcode> opcodes) {
  for (const auto& instruction : computation.instructions()) {
    for (Opcode opcode : opcodes) {
      if (instruction->opcode() == opcode) return true;
    }
    for (const Computation* called : instruction->called_computations()) {
      if (Holds(*called, opcodes)) return true;
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
