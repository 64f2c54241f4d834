// SPDX-License-Identifier: Apache-2.0
// Assigns the instructions of a computation to pieces.
#pragma once

#include <vector>

#include "absl/container/flat_hash_set.h"
#include "spec/cut/cut.h"

namespace hlocts {

// The effect of an instruction on cutting.
enum class Place : uint8_t {
  kFree,      // a move or an integer operation, which widens no sets
  kCounts,    // an operation that CutOptions::operations counts
  kCutAfter,  // has wide sets: readers of the result are in later pieces
  kAlone,     // is a separate piece, whose result is often judged as a whole
};
Place PlaceOf(const Instruction& instruction, const CutOptions& options);

// Returns true for tuple and get-tuple-element, which only name other values.
bool IsTupleOrGetTupleElement(const Instruction& instruction);
// Calls `visit` on each instruction whose value is the operand or a part of it.
void ForEachProducer(const Instruction& operand,
                     const std::function<void(const Instruction&)>& visit);
// Returns true if the value cannot be a parameter of another piece: not every engine accepts a
// parameter of run-time size, and a value between start and done is not an array.
bool MustShareAPiece(const Instruction& producer, const Instruction& user);
// Returns true for a token and for a tuple that contains one.
bool HoldsToken(const Shape& shape);

struct Placing {
  // The members of each piece in textual order. The pieces are in an order in which they can run.
  std::vector<std::vector<const Instruction*>> pieces;
  // Instructions that are copied into each piece that reads them: constants and, if a piece may
  // have more than one operation, cheap instructions on constants only.
  absl::flat_hash_set<const Instruction*> copied;
};

absl::StatusOr<Placing> PlaceInstructions(const Computation& computation,
                                          const CutOptions& options);

}  // namespace hlocts
