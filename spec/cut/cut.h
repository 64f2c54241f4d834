// SPDX-License-Identifier: Apache-2.0
// Cuts a computation into pieces that run as modules of their own. A value inside a module cannot
// be looked at without changing how the module is compiled; a piece that is fed another execution's
// bits as parameters can be judged by itself, however deep it lay (RULES 3).
//
// Tuples are taken apart: parameters of pieces are arrays, `tuple` and `get-tuple-element` are
// followed and belong to no piece. Constants are copied into every piece that reads them.
//
// A piece is a module of its own. Its parameters receive the bits that an engine produced, so its
// sets start from points again. Each path through a piece has about N operations and ends early
// after a function, a sum or a contraction, whose sets are wide. An instruction that is judged by a
// whole-array property is a piece of its own; with N = 1 every instruction is. Instructions keep
// their names; constants are copied to their readers.
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
  // About so many floating-point operations on any path through a piece; 1: every instruction by
  // itself. kOnlyAtJointValues: no other cuts than round values that only a joint predicate judges.
  static constexpr int64_t kOnlyAtJointValues = std::numeric_limits<int64_t>::max();
  int64_t operations = 4;
  // Loops run in blocks of trips, and are cut inside only where a block of one trip is no piece
  // that can be judged.
  bool blocks = false;
};

// The value of an instruction, or a part of it when it is a tuple. Never the part of a `tuple` or
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
  // What it is made of, in textual order; constants and copied leaves not counted.
  std::vector<const Instruction*> instructions;
  std::vector<CutValue> inputs;   // of parameter 0, 1, ...: arrays
  std::vector<CutValue> outputs;  // of the leaves of the root: arrays
  // Infeed literals that the pieces before it have taken, and that it takes.
  int64_t infeed_begin = 0;
  int64_t infeed_count = 0;
};

struct CutComputation {
  const Computation* computation = nullptr;
  std::vector<Piece> pieces;  // each after those that it needs
};

// `module` is valid, `computation` its entry or one of the computations that a while, conditional,
// call or fusion names. What cannot be a parameter (arrays of run-time size, values between the
// start and the done of an asynchronous operation) keeps its instructions in one piece.
// Unimplemented: send and recv, opaque values, infeed in a called computation.
absl::StatusOr<CutComputation> CutIntoPieces(const Module& module, const Computation& computation,
                                             const CutOptions& options);

// What pieces are made of: the instructions that somebody reads, in textual order; neither tuple,
// get-tuple-element, parameter nor constant.
absl::StatusOr<std::vector<const Instruction*>> CutMembers(const Computation& computation);
// One piece of these members (in textual order; no path between two of them leads through another
// instruction). Unimplemented: a value that is no parameter would enter or leave.
absl::StatusOr<Piece> CutOut(const Module& module, const Computation& computation,
                             const std::vector<const Instruction*>& members);

// Calls whose computations can be cut in turn, because what they are given is known once they run:
// call, fusion, while, conditional, without infeed or outfeed inside.
bool CanCutInside(const Instruction& instruction);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_CUT_CUT_H_
