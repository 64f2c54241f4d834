// SPDX-License-Identifier: Apache-2.0
// Defines the special members of the module classes as the compiler would, but only once instead of
// in every file that includes the classes.
#include <utility>

#include "spec/ir/module.h"

namespace hlocts {

Shape::Shape() = default;
Shape::Shape(const Shape& other) = default;
Shape::Shape(Shape&& other) noexcept = default;
Shape& Shape::operator=(const Shape& other) = default;
Shape& Shape::operator=(Shape&& other) noexcept = default;
Shape::~Shape() = default;

Literal::Literal() = default;
Literal::Literal(const Literal& other) = default;
Literal::Literal(Literal&& other) noexcept = default;
Literal& Literal::operator=(const Literal& other) = default;
Literal& Literal::operator=(Literal&& other) noexcept = default;
Literal::~Literal() = default;

AttributeValue::AttributeValue() = default;
AttributeValue::AttributeValue(const AttributeValue& other) = default;
AttributeValue::AttributeValue(AttributeValue&& other) noexcept = default;
AttributeValue& AttributeValue::operator=(const AttributeValue& other) = default;
AttributeValue& AttributeValue::operator=(AttributeValue&& other) noexcept = default;
AttributeValue::~AttributeValue() = default;

Instruction::Instruction(std::string name, Opcode opcode, Shape shape)
    : name_(std::move(name)), opcode_(opcode), shape_(std::move(shape)) {}
Instruction::Instruction(const Instruction& other) = default;
Instruction::~Instruction() = default;

Computation::Computation(std::string name) : name_(std::move(name)) {}
Computation::~Computation() = default;

Module::Module(std::string name) : name_(std::move(name)) {}
Module::~Module() = default;

}  // namespace hlocts

void std::default_delete<hlocts::Module>::operator()(hlocts::Module* module) const {
  delete module;
}
