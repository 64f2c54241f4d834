// SPDX-License-Identifier: Apache-2.0
// Reads the text between the parentheses of an instruction.
#include "spec/ir/opcode.h"
#include "spec/text/module_reader.h"

namespace hlocts {
namespace {

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
                       absl::StrCat("expected a tuple of more than ", index, " elements before #",
                                    index, ", found ", (*operand)->shape().ToString()));
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

}  // namespace hlocts
