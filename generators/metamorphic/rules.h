// SPDX-License-Identifier: Apache-2.0
// The metamorphic rules (rules.def) and their functions.
//
// A rule is a function `bool F(Site&)`. It checks its precondition before it writes anything, and
// returns false if the precondition is not satisfied. An exact rule yields the same bits when both
// modules are evaluated operation by operation (all NaNs count as equal). A bounded rule is exact
// in the reals, and each form is judged by its own sets. A precondition on floating-point data is a
// type or a known value, never an assumption.
//
// To add a rule, write a row of rules.def and a function in the file of its group. `hlocts
// selfcheck variants --modules=1000` checks it.
#pragma once

#include "generators/metamorphic/site.h"
#include "spec/ir/surgery.h"

namespace hlocts::generators {

enum class RuleGroup : uint8_t {
  kLayout,
  kMovement,
  kDuplicates,  // dead and duplicate code
  kBarriers,    // limits of fusion
  kControl,
  kBatching,
  kIntegers,  // algebra modulo 2^n
  kTypes,
  kFloats,   // exact in floating point
  kBounded,  // exact in the reals
  kOrdering,
  kCollectives,
};
absl::string_view RuleGroupName(RuleGroup group);

// The relation between the outputs of a module and of its metamorphic variant, both evaluated
// operation by operation.
enum class RuleEffect : uint8_t {
  kExact,    // the same bits (all NaNs count as equal)
  kBounded,  // each within its own acceptance sets
};

struct MetamorphicRule {
  absl::string_view name;
  RuleGroup group;
  RuleEffect effect;
  // Rewrites at the site and returns true, or returns false if its precondition is not satisfied.
  bool (*apply)(Site& site);
};
absl::Span<const MetamorphicRule> AllMetamorphicRules();
const MetamorphicRule* FindMetamorphicRule(absl::string_view name);  // nullptr if unknown

#define HLOCTS_METAMORPHIC(name, Group, Effect, Function) bool Function(Site& s);
#include "generators/metamorphic/rules.def"
#undef HLOCTS_METAMORPHIC

// Functions that several rule files use.
Dims Iotas(int64_t count);  // {0, 1, ...}
Dims Shuffled(ChoiceSource& choose, int64_t count);
Dims Without(const Dims& dims, int64_t position);
Dims With(Dims dims, int64_t position, int64_t size);  // `dims` with one size replaced
std::vector<Shape> ShapesOf(const Operands& operands);
bool HasSideEffects(const Instruction& instruction);  // or draws random numbers
// Returns the opcode of a computation (a, b) -> a op b or b op a, else kParameter.
Opcode BinaryOf(const Computation& computation);

}  // namespace hlocts::generators
