// SPDX-License-Identifier: Apache-2.0
// Cuts a computation into pieces that run as modules of their own. A value inside a module cannot
// be observed without changing how the module is compiled; a piece that is fed another execution's
// bits as parameters can be judged by itself at any depth (RULES 3).
//
// Tuples are decomposed: parameters of pieces are arrays; `tuple` and `get-tuple-element` are
// followed and belong to no piece. Constants are copied into every piece that reads them.
//
// A piece is a module of its own. Its parameters receive bits that an engine produced, so its sets
// start from points. Each path through a piece has about N operations and ends early after a
// function, a sum or a contraction, whose sets are wide. An instruction that is judged by a
// whole-array property is a piece of its own; with N = 1 every instruction is. Instructions keep
// their names.
//
// Not cut: computations applied to elements (reduce, map, sort, scatter), asynchronous computations
// and the instructions between start and done. Producers and consumers of a run-time size remain in
// one piece. Modules with send, recv or opaque values, and infeed in a called computation, are
// Unimplemented. The policy of each accuracy rule is a row of cut_policy.cc.
#ifndef HLOCTS_SPEC_CUT_CUT_H_
#define HLOCTS_SPEC_CUT_CUT_H_

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
  // The approximate number of floating-point operations on any path through a piece; 1: one piece
  // per instruction. kOnlyAtJointValues: cuts only around values that only a joint predicate
  // judges.
  static constexpr int64_t kOnlyAtJointValues = std::numeric_limits<int64_t>::max();
  int64_t operations = 4;
  // Runs loops in blocks of trips, and cuts inside only if a block of one trip cannot be judged as
  // a piece.
  bool blocks = false;
};

// The value of an instruction, or a part of it when it is a tuple. Never a part of a `tuple` or
// `get-tuple-element`: ResolveValue looks through those.
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
  // The members in textual order, without constants and copied leaves.
  std::vector<const Instruction*> instructions;
  std::vector<CutValue> inputs;   // of parameters 0, 1, ...: arrays
  std::vector<CutValue> outputs;  // of the leaves of the root: arrays
  // The numbers of infeed literals that earlier pieces and this piece consume.
  int64_t infeed_begin = 0;
  int64_t infeed_count = 0;
};

struct CutComputation {
  const Computation* computation = nullptr;
  std::vector<Piece> pieces;  // each after the pieces that it needs
};

// `module` is valid; `computation` is its entry or one that a while, conditional, call or fusion
// calls. Values that cannot be parameters (arrays of run-time size, values between the start and
// the done of an asynchronous operation) keep their instructions in one piece. Unimplemented: send
// and recv, opaque values, infeed in a called computation.
absl::StatusOr<CutComputation> CutIntoPieces(const Module& module, const Computation& computation,
                                             const CutOptions& options);

// The members of pieces: the instructions whose values are read, in textual order, without tuple,
// get-tuple-element, parameter and constant.
absl::StatusOr<std::vector<const Instruction*>> CutMembers(const Computation& computation);
// One piece of these members (in textual order; no path between two of them leads through another
// instruction). Unimplemented: a value that cannot be a parameter would enter or leave.
absl::StatusOr<Piece> CutOut(const Module& module, const Computation& computation,
                             const std::vector<const Instruction*>& members);

// Calls whose computations can be cut too, because their arguments are known once they run: call,
// fusion, while, conditional, without infeed or outfeed inside.
bool CanCutInside(const Instruction& instruction);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_CUT_CUT_H_
