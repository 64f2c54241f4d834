// SPDX-License-Identifier: Apache-2.0
// Cuts a computation into pieces that run as separate modules. A value inside a module cannot be
// observed without changing how the module is compiled. However, a piece whose parameters are bits
// from another execution can be judged in isolation at any depth (lemma 3).
//
// Tuples are decomposed: parameters of pieces are arrays, and no piece contains `tuple` or
// `get-tuple-element`. Constants are copied into every piece that reads them.
//
// The parameters of a piece are bits that an engine produced, so the sets of acceptable values
// start from single values. Each path through a piece has about N (CutOptions::operations)
// operations, or fewer if the path ends at a function, a sum or a contraction, whose sets are wide.
// An instruction that is judged by a whole-array property is a separate piece; with N = 1, every
// instruction is a separate piece. Instructions keep their names.
//
// The following are not cut: computations applied to elements (reduce, map, sort, scatter),
// asynchronous computations, and the instructions between start and done. Producers and consumers
// of arrays of run-time size remain in one piece. Unimplemented: send, recv, opaque values, infeed
// in a called computation. assign_pieces.cc has the Place for each AccuracyRule.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "spec/base/status.h"
#include "spec/ir/module.h"
#include "spec/ir/module_fwd.h"
#include "spec/ir/shape.h"

namespace hlocts {

struct CutOptions {
  // The approximate maximum number of floating-point operations on any path through a piece; with
  // 1, each instruction is a piece. kOnlyAtJointValues cuts only around values that cannot be
  // judged element by element.
  static constexpr int64_t kOnlyAtJointValues = std::numeric_limits<int64_t>::max();
  int64_t operations = 4;
  // Runs loops in blocks of trips. Cuts a loop body only if a block of one trip cannot be judged.
  bool blocks = false;
};

// The value of an instruction, or a part of the value if it is a tuple. `instruction` is never a
// `tuple` or `get-tuple-element`, because ResolveValue replaces both by the operand.
struct CutValue {
  const Instruction* instruction = nullptr;
  ShapeIndex index;
  bool operator<(const CutValue& other) const {
    return instruction != other.instruction ? instruction < other.instruction : index < other.index;
  }
};
CutValue ResolveValue(const Instruction& instruction, ShapeIndex index = {});

struct Piece {
  std::unique_ptr<Module> module;
  // The members in textual order, without constants and copied instructions.
  std::vector<const Instruction*> instructions;
  std::vector<CutValue> inputs;   // the arrays that are parameters 0, 1, ...
  std::vector<CutValue> outputs;  // the arrays that are leaves of the root
  // The number of infeed literals that earlier pieces consume, and the number that this piece
  // consumes.
  int64_t infeed_begin = 0;
  int64_t infeed_count = 0;
};

struct CutComputation {
  const Computation* computation = nullptr;
  std::vector<Piece> pieces;  // each after the pieces whose outputs it reads
};

// Cuts `computation` of a valid `module`: the entry, or a computation that a while, conditional,
// call or fusion calls. Instructions with values that cannot be parameters (arrays of run-time
// size, values between the start and the done of an asynchronous operation) stay in one piece.
// Unimplemented: send and recv, opaque values, infeed in a called computation.
absl::StatusOr<CutComputation> CutIntoPieces(const Module& module, const Computation& computation,
                                             const CutOptions& options);

// Returns the members of pieces: the instructions whose values are read, in textual order, without
// tuple, get-tuple-element, parameter and constant.
absl::StatusOr<std::vector<const Instruction*>> CutMembers(const Computation& computation);
// Returns the piece with these members, which are in textual order. No path between two members may
// pass through an instruction that is not a member. Returns Unimplemented if a value that cannot be
// a parameter would enter or leave the piece.
absl::StatusOr<Piece> CutOut(const Module& module, const Computation& computation,
                             const std::vector<const Instruction*>& members);

// Returns true for a call, fusion, while or conditional whose computations can be cut too, since
// their arguments are known when they run. They must not contain infeed, outfeed, send or recv.
bool CanCutInside(const Instruction& instruction);

}  // namespace hlocts
