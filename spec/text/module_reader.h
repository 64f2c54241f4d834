// SPDX-License-Identifier: Apache-2.0
// ModuleReader: reads a module: header, tables of stack frames, computations, instructions.
//
// An object reads one text. Computations may be referenced before their definition, instructions
// only in their computation and after their definition.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "spec/ir/module.h"
#include "spec/ops/op_table.h"
#include "spec/text/cursor.h"
#include "spec/text/values.h"

namespace hlocts {

// The instructions of the computation that is being read.
struct Scope {
  explicit Scope(Computation* computation) : computation(computation) {}
  Computation* computation;
  absl::flat_hash_map<absl::string_view, Instruction*> names;
  // Instructions without a name in the text. NameUnnamed names them after all other instructions.
  std::vector<Instruction*> unnamed_instructions;
  // The get-tuple-elements that "%t#1" created, by tuple and index.
  absl::flat_hash_map<std::pair<Instruction*, int64_t>, Instruction*> elements;
  int64_t synthesized_parameters = 0;
  bool undefined_become_parameters = false;  // for bare instructions, as in XLA
};

class ModuleReader {
 public:
  explicit ModuleReader(absl::string_view text) : in(text) {}
  absl::StatusOr<std::unique_ptr<Module>> Read();

  // Public for the functions that read attributes.
  Cursor in;
  LiteralLimits limits;
  bool ReadComputationName(Computation** computation);  // or an inline body
  bool ReadInstructionName(const Scope& scope, Instruction** instruction);

 private:
  // Defined in parse_header.cc.
  bool ReadHeader();
  bool ReadHeaderAttribute(absl::string_view name);
  bool ReadStackFrameTables();

  // Defined in parse_module.cc.
  bool ReadModule();
  bool ReadComputation();
  bool InstructionAhead();
  bool ReadBareInstructions();
  bool ReadInlineComputation(std::unique_ptr<Computation>* computation);
  bool ReadBody(Scope& scope);
  bool ReadSignature(Shape* result);
  bool CheckParameterNumbers(const Computation& computation, const char* where);
  bool ReadComputationAttributes(Computation* computation);
  // Adds a computation without a name in the text, before its caller. NameSynthesized names it.
  Computation* Synthesize(absl::string_view stem);
  void NameSynthesized();
  bool Finish();

  // Defined in parse_instruction.cc.
  bool ReadInstruction(Scope& scope);
  // Reads shape, opcode, operands and attributes. If `name` is empty, makes up a name.
  bool ReadRightHandSide(Scope& scope, absl::string_view name, const char* where,
                         Instruction** result);
  bool ReadAttributes(Scope& scope, Instruction* instruction, bool in_operands, bool is_start);
  bool ReadComparisonOrder(Instruction* compare, const char* where);
  // Reads and ignores a redundant inline computation.
  bool SkipInlineComputation();
  bool CheckInstruction(Instruction* instruction, const char* where);
  bool InferMissingShape(Instruction* instruction, const char* where);
  Instruction* AddTo(Scope& scope, std::unique_ptr<Instruction> instruction);
  Instruction* AddUnnamed(Scope& scope, std::unique_ptr<Instruction> instruction);
  static void NameUnnamed(Scope& scope);
  bool ReadOperands(Scope& scope, Instruction* instruction);
  bool ReadOperand(Scope& scope, Instruction** operand);
  bool ReadElements(Scope& scope, Instruction** operand);
  bool ReadConstantBody(Instruction* instruction);

  // Defined in async_sugar.cc: "%x = ... custom-call-start(...)" and its -update and -done.
  bool WrapStart(Scope& scope, Opcode wrapped, Instruction* instruction, const char* where);
  bool CheckAsyncChain(Opcode wrapped, bool sugar, Instruction* instruction, const char* where);
  bool SetThread(Instruction* start, const char* where);

  std::unique_ptr<Module> module_;
  struct Pending {
    std::unique_ptr<Computation> computation;
    const char* where;  // its first use
  };
  absl::flat_hash_map<std::string, Pending> pending_;
  absl::flat_hash_map<std::string, Computation*> computations_;
  std::vector<Computation*> synthesized_;
  bool has_no_header_ = false;  // the text has no HloModule line
};

// Reads the value of an attribute after "name=" (parse_attributes.cc).
bool ReadAttributeValue(ModuleReader& reader, const Scope& scope, Attr attr, AttributeValue* value);

// Sets the values that XLA assumes for omitted attributes, and replaces spellings by XLA's form.
void NormalizeAttributes(Instruction* instruction);

}  // namespace hlocts
