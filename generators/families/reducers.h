// SPDX-License-Identifier: Apache-2.0
// Computations of reductions, with their identities and the facts about their results.
#pragma once

#include "generators/module_writer.h"

namespace hlocts::generators {

struct ReducerRow {
  Opcode opcode;
  TypeSet types;  // as in spec/ops; Suits() excludes types that lack the identity
};

// Returns nullptr if no reducer applies to that type.
const ReducerRow* DrawReducer(ModuleWriter& w, PrimitiveType type);
double Identity(const ReducerRow& row, PrimitiveType type);
// The initial value of a reduction: mostly the identity. An engine may use the value once per
// operand and once more (ruling 0019); `count` includes these uses. Values that change the result
// if they are used twice widen sets, so they are rare; the exact stream has none.
struct Start {
  bool neutral = true;
  int64_t count = 1;  // number of combined values
};
Start DrawStart(ModuleWriter& w, const ReducerRow& row, int64_t count);
Value* InitOf(ModuleWriter& w, const ReducerRow& row, PrimitiveType type, const Start& start);
// Returns true seven times in eight if the error of a sum of that many terms can be as large as the
// sum (e.g. 12 terms in f8e5m2). Such a sum cannot be checked, so callers draw another operation.
bool IsOpenSum(ModuleWriter& w, PrimitiveType type, double terms);
// Returns the requirement on `terms` values of magnitude up to `bound` that are summed in `type`.
// All values must have the same sign if values of both signs could cancel to less than the error of
// the sum; little of such a sum could be checked.
Requirement SumRequirement(const ModuleWriter& w, PrimitiveType type, double bound, double terms);
// Returns the requirement that keeps the result for `count` operands in range (and exact).
Requirement ReducerRequirement(const ModuleWriter& w, const ReducerRow& row, PrimitiveType type,
                               int64_t count);
ValueFacts ReducedFacts(const ModuleWriter& w, const ReducerRow& row, PrimitiveType type,
                        const ValueFacts& operand, int64_t count);
// Returns the computation (a0, a1, b0, b1) -> (op(a0, b0), op(a1, b1)).
Computation* PairReducer(ModuleWriter& w, Opcode opcode, PrimitiveType type);

}  // namespace hlocts::generators
