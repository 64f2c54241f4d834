// SPDX-License-Identifier: Apache-2.0
#include "absl/strings/match.h"
#include "spec/infer/infer.h"
#include "spec/ir/comparison_type.h"
#include "spec/ir/opcode.h"
#include "spec/text/module_reader.h"

namespace hlocts {
namespace {

// Reads the text between the parentheses of an instruction.

// Returns true if element types and sizes are equal. Layouts and dynamic flags may differ.
bool SameType(const Shape& a, const Shape& b) {
  if (a.element_type() != b.element_type() || a.dimensions() != b.dimensions() ||
      a.tuple_shapes().size() != b.tuple_shapes().size()) {
    return false;
  }
  for (size_t i = 0; i < a.tuple_shapes().size(); ++i) {
    if (!SameType(a.tuple_shapes()[i], b.tuple_shapes()[i])) return false;
  }
  return true;
}

struct Operation {
  Opcode opcode;
  bool sugar = false;  // opcode is async-*, `wrapped` is the operation that it runs
  Opcode wrapped{};
};

struct AsyncSuffix {
  absl::string_view text;
  Opcode opcode;
};
constexpr AsyncSuffix kAsyncSuffixes[] = {{"-start", Opcode::kAsyncStart},
                                          {"-update", Opcode::kAsyncUpdate},
                                          {"-done", Opcode::kAsyncDone}};

std::optional<Operation> OperationFromName(absl::string_view name) {
  if (auto opcode = OpcodeFromName(name)) return Operation{*opcode};
  for (const AsyncSuffix& suffix : kAsyncSuffixes) {
    if (!absl::EndsWith(name, suffix.text)) continue;
    auto wrapped = OpcodeFromName(name.substr(0, name.size() - suffix.text.size()));
    // A parameter or constant has a body instead of operands, so it has no -start form.
    bool has_operands = wrapped != Opcode::kParameter && wrapped != Opcode::kConstant;
    if (wrapped && has_operands) return Operation{suffix.opcode, true, *wrapped};
  }
  return std::nullopt;
}

// Returns true if "name=" follows.
bool AttributeAhead(Cursor& in) {
  const char* start = in.Here();
  bool ahead = !in.TryIdentifier().empty() && in.Peek() == '=';
  in.GoTo(start);
  return ahead;
}

// Returns true for the words that XLA's lexer reads as types and does not accept as names.
bool IsTypeWord(absl::string_view name) {
  auto type = PrimitiveTypeFromName(name);
  return type && *type != PrimitiveType::kInvalid && *type != PrimitiveType::kTuple;
}

}  // namespace

bool ModuleReader::ReadConstantBody(Instruction* instruction) {
  const Shape& shape = instruction->shape();
  if (shape.element_type() == PrimitiveType::kInvalid) {
    return in.Fail("text.shape", "expected a shape before constant, found none");
  }
  Literal literal;
  if (!ReadLiteral(in, shape, limits, &literal)) return false;
  instruction->set_literal(std::move(literal));
  return true;
}

bool ModuleReader::ReadOperands(Scope& scope, Instruction* instruction) {
  if (instruction->IsConstant()) {
    return in.Expect('(') && ReadConstantBody(instruction) && in.Expect(')');
  }
  if (instruction->IsParameter()) {
    int64_t number;
    if (!in.Expect('(') || !in.NonNegative(&number, "the number of the parameter")) return false;
    instruction->set_parameter_number(number);
    return in.Expect(')');
  }
  return ReadList(in, '(', ')', [&] {
    return ReadOperand(scope, &instruction->mutable_operands().emplace_back());
  });
}

bool ModuleReader::ReadOperand(Scope& scope, Instruction** operand) {
  const char* start = in.Here();
  Shape shape;
  bool has_shape = ShapeAhead(in);
  if (has_shape && !ReadShape(in, &shape)) return false;
  const char* name_where = in.Here();
  absl::string_view name;
  bool percent = in.Peek() == '%';
  if (!in.Name(&name, "the name of an operand")) return false;
  if (!percent && in.Raw() == '(') {  // an instruction instead of a name
    in.GoTo(start);
    if (!in.Enter() || !ReadRightHandSide(scope, "", start, operand)) return false;
    in.Leave();
    return true;
  }
  auto found = scope.names.find(name);
  if (found == scope.names.end()) {
    if (!scope.undefined_become_parameters || !has_shape) {
      return in.FailAt(name_where, "text.name",
                       absl::StrCat("expected an instruction defined earlier in this computation, "
                                    "found ",
                                    name));
    }
    auto parameter = std::make_unique<Instruction>(std::string(name), Opcode::kParameter, shape);
    parameter->set_parameter_number(scope.synthesized_parameters++);
    *operand = AddTo(scope, std::move(parameter));
    return true;
  }
  *operand = found->second;
  if (!ReadElements(scope, operand)) return false;
  if (!has_shape || SameType(shape, (*operand)->shape())) return true;
  return in.FailAt(start, "text.shape",
                   absl::StrCat("expected the shape of ", name, ", ",
                                (*operand)->shape().ToString(), ", found ", shape.ToString()));
}

// Reads "%t#1", a get-tuple-element of %t with index 1, which XLA has printed since autumn 2026.
bool ModuleReader::ReadElements(Scope& scope, Instruction** operand) {
  while (in.Raw() == '#') {
    const char* where = in.Here();
    int64_t index = 0;
    if (!in.Expect('#') || !in.NonNegative(&index)) return false;
    const std::vector<Shape>& elements = (*operand)->shape().tuple_shapes();
    if (index >= static_cast<int64_t>(elements.size())) {
      return in.FailAt(where, "text.shape",
                       absl::StrCat("expected a tuple with an element #", index, ", found ",
                                    (*operand)->shape().ToString()));
    }
    Instruction*& element = scope.elements[{*operand, index}];
    if (element == nullptr) {
      auto made = std::make_unique<Instruction>(absl::StrCat((*operand)->name(), ".element"),
                                                Opcode::kGetTupleElement, elements[index]);
      made->mutable_operands().push_back(*operand);
      made->Set(Attr::kIndex, index);
      element = AddUnnamed(scope, std::move(made));
    }
    *operand = element;
  }
  return true;
}

bool ModuleReader::ReadInstructionName(const Scope& scope, Instruction** instruction) {
  const char* where = in.Here();
  absl::string_view name;
  if (!in.Name(&name, "the name of an instruction")) return false;
  auto found = scope.names.find(name);
  if (found == scope.names.end()) {
    return in.FailAt(where, "text.name",
                     absl::StrCat("expected an instruction defined before in "
                                  "this computation, found ",
                                  name));
  }
  *instruction = found->second;
  return true;
}

bool ModuleReader::ReadInstruction(Scope& scope) {
  const char* start = in.Here();
  bool root = in.TryWord("ROOT");
  const char* where = in.Here();
  absl::string_view name;
  Instruction* instruction;
  if (!in.Name(&name, "an instruction, or '}' at the end of the computation")) return false;
  if (IsTypeWord(name)) {
    return in.FailAt(where, "text.name",
                     absl::StrCat("expected the name of an instruction, found the type ", name));
  }
  if (!in.Expect('=') || !ReadRightHandSide(scope, name, where, &instruction)) return false;
  if (!root) return true;
  if (scope.computation->root() != nullptr) {
    return in.FailAt(start, "text.name", "expected one ROOT in a computation, found a second");
  }
  scope.computation->set_root(instruction);
  return true;
}

bool ModuleReader::ReadRightHandSide(Scope& scope, absl::string_view name, const char* where,
                                     Instruction** result) {
  Shape shape;
  bool has_shape = ShapeAhead(in);
  if (has_shape && !ReadShape(in, &shape)) return false;
  const char* opcode_where = in.Here();
  absl::string_view word = in.TryIdentifier();
  auto operation = OperationFromName(word);
  if (!operation) {
    in.GoTo(opcode_where);
    return in.Expected("an opcode");
  }
  auto instruction =
      std::make_unique<Instruction>(name.empty() ? absl::StrCat(word, ".anon") : std::string(name),
                                    operation->opcode, std::move(shape));
  Instruction* raw = instruction.get();
  bool is_start = operation->sugar && operation->opcode == Opcode::kAsyncStart;
  // custom-call-start has the attributes of custom-call: it is read as custom-call, then wrapped.
  if (is_start) raw->set_opcode(operation->wrapped);
  bool in_operands = name.empty();
  if (!ReadOperands(scope, raw) || !ReadAttributes(scope, raw, in_operands, is_start)) {
    return false;
  }
  if (!has_shape && !InferMissingShape(raw, opcode_where)) return false;
  if (!is_start && !CheckInstruction(raw, opcode_where)) return false;
  NormalizeAttributes(raw);
  if (is_start && !WrapStart(scope, operation->wrapped, raw, opcode_where)) return false;
  if (raw->opcode() == Opcode::kAsyncStart && !SetThread(raw, opcode_where)) return false;
  if (raw->opcode() == Opcode::kAsyncUpdate || raw->opcode() == Opcode::kAsyncDone) {
    if (!CheckAsyncChain(operation->wrapped, operation->sugar, raw, opcode_where)) return false;
  }
  *result = in_operands ? AddUnnamed(scope, std::move(instruction))
                        : AddTo(scope, std::move(instruction));
  return *result != nullptr ||
         in.FailAt(where, "text.name",
                   absl::StrCat("expected a new name, found ", name, ", which is defined already"));
}

Instruction* ModuleReader::AddTo(Scope& scope, std::unique_ptr<Instruction> instruction) {
  Instruction* raw = instruction.get();
  if (!scope.names.emplace(raw->name(), raw).second) return nullptr;
  return scope.computation->Add(std::move(instruction));
}

// Adds an instruction whose current name is the stem of the name that NameUnnamed gives it.
Instruction* ModuleReader::AddUnnamed(Scope& scope, std::unique_ptr<Instruction> instruction) {
  scope.unnamed_instructions.push_back(instruction.get());
  return scope.computation->Add(std::move(instruction));
}

// Is called last, so made-up names neither collide with names in the text nor resolve references.
void ModuleReader::NameUnnamed(Scope& scope) {
  absl::flat_hash_map<std::string, int64_t> next_suffix;
  for (Instruction* instruction : scope.unnamed_instructions) {
    const std::string stem = instruction->name();
    int64_t& suffix = next_suffix[stem];
    while (!scope.names.emplace(instruction->name(), instruction).second)
      instruction->set_name(absl::StrCat(stem, ".", ++suffix));
  }
}

namespace {

// Returns the attribute of that name, given the part of the instruction that has been read.
std::optional<Attr> AttributeNamed(const Instruction& instruction, absl::string_view name) {
  const std::optional<Attr> attr = AttributeFromText(instruction.opcode(), name);
  // The thread is the wrapper's attribute, but is read with the wrapped operation's attributes.
  if (!attr && name == RowOf(Attr::kAsyncExecutionThread).text) return Attr::kAsyncExecutionThread;
  // XLA's canonical print uses the name `calls` for to_apply.
  const bool renamed = name == RowOf(Attr::kCalls).text && (!attr || instruction.Has(*attr)) &&
                       RowOf(instruction.opcode()).Takes(Attr::kToApply) &&
                       !instruction.Has(Attr::kToApply);
  return renamed ? Attr::kToApply : attr;
}

}  // namespace

// Reads `order=`, which newer texts have instead of type=TOTALORDER.
bool ModuleReader::ReadComparisonOrder(Instruction* compare, const char* where) {
  if (compare->Has(Attr::kType))
    return in.FailAt(where, "text.attribute", "expected a type or an order once, found it again");
  absl::string_view order;
  if (!in.Expect('=')) return false;
  const char* word = in.Here();
  if (!in.Identifier(&order, "an order")) return false;
  if (order != "TOTAL" && order != "PARTIAL") {
    return in.FailAt(word, "text.attribute",
                     absl::StrCat("expected one of TOTAL, PARTIAL, found ", order));
  }
  const absl::string_view type =
      ComparisonTypeOfOrder(order == "TOTAL", compare->operand(0).shape().element_type());
  compare->mutable_attributes().push_back({Attr::kType, Word{std::string(type)}});
  return true;
}

bool ModuleReader::ReadAttributes(Scope& scope, Instruction* instruction, bool in_operands,
                                  bool is_start) {
  for (const char* comma = in.Here(); in.Try(','); comma = in.Here()) {
    const char* where = in.Here();
    if (in_operands && !AttributeAhead(in)) {  // the ',' precedes the next operand
      in.GoTo(comma);
      return true;
    }
    absl::string_view name;
    if (!in.Identifier(&name, "an attribute")) return false;
    if (name == "order" && instruction->opcode() == Opcode::kCompare) {
      if (!ReadComparisonOrder(instruction, where)) return false;
      continue;
    }
    const std::optional<Attr> attr = AttributeNamed(*instruction, name);
    // XLA's canonical print has the body that the short form omits.
    if (is_start && name == RowOf(Attr::kCalls).text && (!attr || instruction->Has(*attr))) {
      if (!in.Expect('=') || !SkipInlineComputation()) return false;
      continue;
    }
    if (!attr) {
      return in.FailAt(where, "text.attribute",
                       absl::StrCat("expected an attribute of ", OpcodeName(instruction->opcode()),
                                    ", found ", name));
    }
    if (instruction->Has(*attr)) {
      return in.FailAt(where, "text.attribute",
                       absl::StrCat("expected ", name, " once, found it again"));
    }
    auto& [key, value] = instruction->mutable_attributes().emplace_back();
    key = *attr;
    if (!in.Expect('=') || !ReadAttributeValue(*this, scope, *attr, &value)) return false;
  }
  return true;
}

bool ModuleReader::CheckInstruction(Instruction* instruction, const char* where) {
  const OpRow& row = RowOf(instruction->opcode());
  int64_t count = instruction->operand_count();
  if (count < row.arity_min || (row.arity_max != kVariadic && count > row.arity_max)) {
    return in.FailAt(
        where, "text.arity",
        absl::StrCat(OpcodeName(row.opcode), ": expected ", ArityText(row), ", found ", count));
  }
  for (const AttributeUse& use : row.attribute_uses()) {
    if (!use.required || instruction->Has(use.attr)) continue;
    return in.FailAt(where, "text.attribute",
                     absl::StrCat(OpcodeName(row.opcode), ": expected the attribute ",
                                  RowOf(use.attr).text, ", found none"));
  }
  const auto* constraints = instruction->Get<std::vector<Shape>>(Attr::kOperandLayoutConstraints);
  if (constraints && static_cast<int64_t>(constraints->size()) != count) {
    return in.FailAt(where, "text.attribute",
                     absl::StrCat("expected ", count, " operand_layout_constraints, found ",
                                  constraints->size()));
  }
  return true;
}

bool ModuleReader::InferMissingShape(Instruction* instruction, const char* where) {
  if (RowOf(instruction->opcode()).types == TypeBit(PrimitiveType::kToken)) {
    instruction->mutable_shape() = Shape::Token();
    return true;
  }
  absl::StatusOr<Shape> shape = InferShape(*instruction);
  if (!shape.ok() || shape->element_type() == PrimitiveType::kInvalid) {
    return in.FailAt(
        where, "text.shape",
        absl::StrCat("expected a shape before ", OpcodeName(instruction->opcode()),
                     ", or operands and attributes that determine it: ", shape.status().message()));
  }
  instruction->mutable_shape() = shape->WithDefaultLayout();
  return true;
}

}  // namespace hlocts
