// SPDX-License-Identifier: Apache-2.0
// Makes the module of one piece.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "spec/cut/placing.h"

namespace hlocts {

class PieceBuilder {
 public:
  // `copied` has the meaning of Placing::copied. Both arguments must outlive the builder.
  PieceBuilder(const Module& module, const absl::flat_hash_set<const Instruction*>& copied);

  // Builds the piece of `members`, which are in textual order. `outputs` are the members that are
  // read outside the piece, or the root.
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

}  // namespace hlocts
