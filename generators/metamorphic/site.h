// SPDX-License-Identifier: Apache-2.0
// The instruction that a metamorphic rule works on, with functions that add others. New
// instructions are placed after it; they may use it and everything before it.
#ifndef HLOCTS_GENERATORS_METAMORPHIC_SITE_H_
#define HLOCTS_GENERATORS_METAMORPHIC_SITE_H_

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "generators/choice_source.h"
#include "spec/base/status.h"
#include "spec/ir/module.h"
#include "spec/ops/op_table.h"

namespace hlocts::generators {

using Dims = std::vector<int64_t>;
using Operands = std::vector<Instruction*>;
using Attributes = std::vector<std::pair<Attr, AttributeValue>>;

class Site {
 public:
  // `arguments`: leaves of the entry's parameters; a rule may add to them.
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

  // --- Writing: values computed behind `at` ---
  // The shape is inferred; `stated` where only the text says it (broadcast, reshape, convert, ...).
  Instruction* Make(Opcode opcode, Operands operands, Attributes attributes = {},
                    Shape stated = Shape());
  // `at`'s operation on other operands; `stated` as above. Attributes are `at`'s, or those given.
  Instruction* Again(Operands operands, Shape stated);
  Instruction* Again(Operands operands, Shape stated, Attributes attributes);
  Attributes AttributesWith(Attr attr, AttributeValue value) const;  // `at`'s, this one changed
  // Copies of the instructions of `body`, parameters being `operands`; that of the root.
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
  // A scalar that a compiler cannot know: a new parameter of the entry, else a constant.
  Instruction* Opaque(PrimitiveType type, double value);
  // Appends a parameter to the entry, first of all instructions.
  Instruction* NewParameter(Literal argument);

  // Writes a computation; within `body`, Make and the others write into it.
  using Body = std::function<Instruction*(const Operands& parameters)>;
  Computation* Define(absl::string_view name, const std::vector<Shape>& parameters,
                      const Body& body);
  // A computation that does `at`'s operation to parameters shaped like its operands.
  Computation* Outlined();
  Computation* Identity(const Shape& shape);
  Computation* Garbage(const Shape& parameter, const Shape& result);  // ones, for any argument

  // --- Ending ---
  // `value` takes the place of `at` for all who use it, but for what the rule made. Returns true.
  bool Use(Instruction* value);
  bool Done();  // the rule changed something else; true
  void Undo();  // takes out what was made (the rule did not apply)
  // The error of a rule that made an invalid instruction: a defect of the rule, reported by its
  // name.
  const absl::Status& defect() const { return defect_; }

  // Value of a constant, or of an array that is a parameter of the entry; nullptr: not known.
  const Literal* Known(const Instruction& instruction) const;
  bool IsRoot() const { return at->parent()->root() == at; }
  // Computed element by element, every operand having the result's sizes.
  bool IsElementwise() const;

 private:
  std::string Name(absl::string_view stem);
  Instruction* Place(std::unique_ptr<Instruction> instruction);

  Computation* writing_;  // where Make adds
  Operands made_;         // in at's computation
  std::vector<Computation*> computations_;
  int64_t names_;
  absl::Status defect_;
};

}  // namespace hlocts::generators

#endif  // HLOCTS_GENERATORS_METAMORPHIC_SITE_H_
