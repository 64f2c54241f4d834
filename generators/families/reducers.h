// SPDX-License-Identifier: Apache-2.0
// Computations for reductions, with their identities and facts about their results.
#ifndef HLOCTS_GENERATORS_FAMILIES_REDUCERS_H_
#define HLOCTS_GENERATORS_FAMILIES_REDUCERS_H_

#include "generators/module_writer.h"

namespace hlocts::generators {

struct ReducerRow {
  Opcode opcode;
  TypeSet types;  // of spec/ops, without what has no identity
};

// nullptr: no reducer for that type in this stream.
const ReducerRow* DrawReducer(ModuleWriter& w, PrimitiveType type);
double Identity(const ReducerRow& row, PrimitiveType type);
// The initial value of a reduction: the identity, or sometimes another. How often such a value is
// used is free (ruling 0019): up to once for each operand and once more, so that `count` grows; the
// exact stream has it only if using it twice changes nothing.
struct Start {
  bool neutral = true;
  int64_t count = 1;  // values that enter
};
Start DrawStart(ModuleWriter& w, const ReducerRow& row, int64_t count);
Value* InitOf(ModuleWriter& w, const ReducerRow& row, PrimitiveType type, const Start& start);
// The requirement on `count` operands that keeps the result in range (exact: exact).
Requirement ReducerRequirement(const ModuleWriter& w, const ReducerRow& row, PrimitiveType type,
                               int64_t count);
ValueFacts ReducedFacts(const ModuleWriter& w, const ReducerRow& row, PrimitiveType type,
                        const ValueFacts& operand, int64_t count);
// (a0, a1, b0, b1) -> (op(a0, b0), op(a1, b1)).
Computation* PairReducer(ModuleWriter& w, Opcode opcode, PrimitiveType type);

}  // namespace hlocts::generators

#endif  // HLOCTS_GENERATORS_FAMILIES_REDUCERS_H_
