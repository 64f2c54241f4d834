// SPDX-License-Identifier: Apache-2.0
// The metamorphic rules (rules.def) and their functions.
//
// A rule is a function `bool F(Site&)`. It returns false if its precondition is not satisfied; the
// caller then removes what the rule added (Undo). An exact rule yields the same bits if both
// modules are evaluated operation by operation (all NaNs are equal). A bounded rule is exact for
// real numbers; the outputs of each module are judged by the sets of that module. A precondition on
// floating-point data is a type or a known value, never an assumption.
//
// A new rule needs a row of rules.def and a function in the file of its group. `hlocts selfcheck
// variants --modules=1000` checks all rules.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "generators/choice_source.h"
#include "spec/base/status.h"
#include "spec/ir/module.h"
#include "spec/ir/surgery.h"
#include "spec/ops/op_table.h"

namespace hlocts::generators {

// The instruction `at` to which a metamorphic rule is applied, and functions that add instructions.
// New instructions are inserted after `at`, and may use `at` and everything before it.

using Dims = std::vector<int64_t>;
using Operands = std::vector<Instruction*>;
using Attributes = std::vector<std::pair<Attr, AttributeValue>>;

class Site {
 public:
  // `arguments` are the leaves of the entry's parameters; a rule may add leaves.
  Site(Module& module, std::vector<Literal>& arguments, Instruction* instruction,
       ChoiceSource& choices);

  Module& module;
  std::vector<Literal>& arguments;
  Instruction* const at;
  ChoiceSource& choose;

  Opcode opcode() const { return at->opcode(); }
  const Shape& shape() const { return at->shape(); }
  PrimitiveType type() const { return shape().element_type(); }
  const Dims& dims() const { return shape().dimensions(); }
  int64_t rank() const { return shape().rank(); }
  Instruction* operand(int64_t i) const { return at->operands()[static_cast<size_t>(i)]; }
  bool in_entry() const { return at->parent() == module.entry(); }

  // --- Writing: the new instructions follow `at` ---
  // Infers the shape unless `stated` has a layout. Operations such as reshape need a stated shape.
  Instruction* Make(Opcode opcode, Operands operands, Attributes attributes = {},
                    Shape stated = Shape());
  // Repeats `at` on other operands, with its or the given attributes, but no control predecessors.
  Instruction* Again(Operands operands, Shape stated);
  Instruction* Again(Operands operands, Shape stated, Attributes attributes);
  Attributes AttributesWith(Attr attr, AttributeValue value) const;  // those of `at`, one changed
  // Copies the instructions of `body` with `operands` for its parameters. Returns the root's copy.
  Instruction* Inlined(const Computation& body, const Operands& operands);
  Instruction* Constant(Literal literal);
  Instruction* Number(PrimitiveType type, double value);  // a scalar
  Instruction* Splat(const Shape& shape, double value);   // a number, broadcast
  Instruction* Iota(PrimitiveType type, const Dims& dims, int64_t dimension);
  Instruction* Element(Instruction* tuple, int64_t index);
  Instruction* Slice(Instruction* operand, int64_t dimension, int64_t start, int64_t limit);
  Instruction* Reshape(Instruction* operand, const Dims& dims);
  Instruction* Broadcast(Instruction* operand, const Dims& dims, const Dims& dimensions);
  Instruction* Transpose(Instruction* operand, const Dims& permutation);
  Instruction* Concatenate(Operands operands, int64_t dimension);
  Instruction* Convert(Instruction* operand, PrimitiveType type);
  Instruction* Compare(Instruction* lhs, absl::string_view direction, Instruction* rhs);
  // Adds a scalar: in the entry a new parameter, which compilers cannot fold, elsewhere a constant.
  Instruction* Opaque(PrimitiveType type, double value);
  // Adds a parameter to the entry, before all other instructions.
  Instruction* NewParameter(Literal argument);

  // Adds a computation. While `body` runs, Make and other functions write into it.
  using Body = std::function<Instruction*(const Operands& parameters)>;
  Computation* Define(absl::string_view name, const std::vector<Shape>& parameters,
                      const Body& body);
  // Returns a computation that applies the operation of `at` to its parameters.
  Computation* Outlined();
  Computation* Identity(const Shape& shape);
  Computation* Garbage(const Shape& parameter, const Shape& result);  // returns ones

  // --- Completion ---
  // Replaces `at` by `value` in all users, except instructions that the rule added. Returns true.
  bool Use(Instruction* value);
  bool Done();  // completes any other change; returns true
  void Undo();  // removes the added instructions, if the rule does not apply
  // An error if a rule added an invalid instruction: a defect of the rule, which the report names.
  const absl::Status& defect() const { return defect_; }

  // Returns the value of a constant or of an entry parameter, or nullptr for other instructions.
  const Literal* Known(const Instruction& instruction) const;
  bool IsRoot() const { return at->parent()->root() == at; }
  // Returns true if `at` is element-wise and all operands have the sizes of the result.
  bool IsElementwise() const;

 private:
  std::string Name(absl::string_view stem);
  Instruction* Place(std::unique_ptr<Instruction> instruction);

  Computation* writing_;  // the computation to which Make adds
  Operands made_;         // instructions added to the computation of `at`
  std::vector<Computation*> computations_;
  int64_t names_;
  absl::Status defect_;
};

enum class RuleGroup : uint8_t {
  kLayout,
  kMovement,
  kDuplicates,  // dead and duplicate code
  kBarriers,    // barriers to fusion
  kControl,
  kBatching,
  kIntegers,  // arithmetic modulo 2^n
  kTypes,
  kFloats,   // exact in floating point
  kBounded,  // exact for real numbers
  kOrdering,
  kCollectives,
};
absl::string_view RuleGroupName(RuleGroup group);

// The relation between the outputs of a module and those of its variant if both are evaluated
// operation by operation.
enum class RuleEffect : uint8_t {
  kExact,    // the same bits (all NaNs are equal)
  kBounded,  // each within the acceptance sets of its module
};

struct MetamorphicRule {
  absl::string_view name;
  RuleGroup group;
  RuleEffect effect;
  // Rewrites the module and returns true, or returns false if the precondition is not satisfied.
  bool (*apply)(Site& site);
};
absl::Span<const MetamorphicRule> AllMetamorphicRules();

#define HLOCTS_METAMORPHIC(name, Group, Effect, Function) bool Function(Site& s);
#include "generators/metamorphic/rules.def"
#undef HLOCTS_METAMORPHIC

// Functions that the files of several groups use.
Dims Iotas(int64_t count);  // {0, 1, ...}
Dims Shuffled(ChoiceSource& choose, int64_t count);
Dims Without(const Dims& dims, int64_t position);
Dims With(Dims dims, int64_t position, int64_t size);  // `dims` with one size replaced
bool HasSideEffects(const Instruction& instruction);   // also true for random draws
// Returns the opcode of a computation (a, b) -> a op b or b op a, or kParameter for others.
Opcode BinaryOf(const Computation& computation);

}  // namespace hlocts::generators
