// SPDX-License-Identifier: Apache-2.0
// Assigns the instructions of a computation to pieces.
#ifndef HLOCTS_SPEC_CUT_PLACING_H_
#define HLOCTS_SPEC_CUT_PLACING_H_

#include <vector>

#include "absl/container/flat_hash_set.h"
#include "spec/cut/cut.h"

namespace hlocts {

// tuple and get-tuple-element: followed, not executed.
bool IsGlue(const Instruction& instruction);
// Calls `visit` on each instruction whose value, or a part of it, makes up the operand.
void ForEachProducer(const Instruction& operand,
                     const std::function<void(const Instruction&)>& visit);
// True if the value cannot be a parameter of another piece: not every engine takes a parameter of
// run-time size, and a value between start and done is not an array.
bool StayTogether(const Instruction& producer, const Instruction& user);
// A token, or a tuple with one somewhere.
bool HoldsToken(const Shape& shape);

struct Placing {
  // Members of each piece in textual order; pieces in an order in which they can run.
  std::vector<std::vector<const Instruction*>> pieces;
  // Constants and, at more than one operation per piece, cheap instructions on constants only:
  // copied.
  absl::flat_hash_set<const Instruction*> copied;
};

absl::StatusOr<Placing> PlaceInstructions(const Computation& computation,
                                          const CutOptions& options);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_CUT_PLACING_H_
