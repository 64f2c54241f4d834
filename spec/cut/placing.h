// SPDX-License-Identifier: Apache-2.0
// Which instructions of a computation go into which piece.
#ifndef HLOCTS_SPEC_CUT_PLACING_H_
#define HLOCTS_SPEC_CUT_PLACING_H_

#include <vector>

#include "absl/container/flat_hash_set.h"
#include "spec/cut/cut.h"

namespace hlocts {

// tuple and get-tuple-element: followed, never run.
bool IsGlue(const Instruction& instruction);
// Calls visit on each instruction whose value, or a part of it, makes up the operand.
void ForEachProducer(const Instruction& operand,
                     const std::function<void(const Instruction&)>& visit);
// A value of run-time size is no parameter that every engine takes, and what lies between start and
// done is no value at all.
bool StayTogether(const Instruction& producer, const Instruction& user);
// A token, or a tuple with one somewhere.
bool HoldsToken(const Shape& shape);

struct Placing {
  // Members of each piece in textual order; pieces in an order in which they can run.
  std::vector<std::vector<const Instruction*>> pieces;
  // Constants, and at more than one operation a piece also what is made of nothing else: copied.
  absl::flat_hash_set<const Instruction*> copied;
};

absl::StatusOr<Placing> PlaceInstructions(const Computation& computation,
                                          const CutOptions& options);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_CUT_PLACING_H_
