// SPDX-License-Identifier: Apache-2.0
// Instruction: one operation of a computation, with its operands, attributes and stated shape.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "spec/ir/attr.h"
#include "spec/ir/attributes.h"
#include "spec/ir/literal.h"
#include "spec/ir/module_fwd.h"
#include "spec/ir/shape.h"

namespace hlocts {

class Instruction {
 public:
  Instruction(std::string name, Opcode opcode, Shape shape);
  Instruction(const Instruction& other);
  ~Instruction();

  const std::string& name() const { return name_; }  // without '%'
  void set_name(std::string name) { name_ = std::move(name); }
  Opcode opcode() const { return opcode_; }
  void set_opcode(Opcode opcode) { opcode_ = opcode; }
  // Return true for opcodes that provide a value without computing it: parameter and constant.
  bool IsParameter() const;
  bool IsParameter(int64_t number) const { return IsParameter() && parameter_number_ == number; }
  bool IsConstant() const;
  const Shape& shape() const { return shape_; }
  Shape& mutable_shape() { return shape_; }
  Computation* parent() const { return parent_; }

  const std::vector<Instruction*>& operands() const { return operands_; }
  std::vector<Instruction*>& mutable_operands() { return operands_; }
  const Instruction& operand(int64_t i) const { return *operands_[i]; }
  int64_t operand_count() const { return static_cast<int64_t>(operands_.size()); }

  // Returns nullptr if the attribute is absent or of another kind.
  template <typename T>
  const T* Get(Attr attr) const {
    for (const auto& [name, value] : attributes_) {
      if (name == attr) return std::get_if<T>(&value);
    }
    return nullptr;
  }
  bool Has(Attr attr) const;
  void Set(Attr attr, AttributeValue value);  // replaces or appends
  void Remove(Attr attr);
  const std::vector<std::pair<Attr, AttributeValue>>& attributes() const { return attributes_; }
  std::vector<std::pair<Attr, AttributeValue>>& mutable_attributes() { return attributes_; }

  bool BoolOr(Attr attr, bool otherwise) const;
  int64_t IntOr(Attr attr, int64_t otherwise) const;
  double FloatOr(Attr attr, double otherwise) const;
  absl::string_view WordOr(Attr attr, absl::string_view otherwise) const;
  const std::vector<int64_t>& IntList(Attr attr) const;  // empty if absent
  Computation* CalledComputation(Attr attr) const;       // nullptr if absent
  // Returns all computations that this instruction names, in the order of its attributes.
  std::vector<Computation*> called_computations() const;
  // Returns the branches of a conditional, the true branch before the false branch.
  std::vector<Computation*> branches() const;

  // Used only by opcode constant.
  const Literal& literal() const { return literal_; }
  void set_literal(Literal literal) {
    literal_ = std::move(literal);
    has_literal_ = true;
  }
  bool has_literal() const { return has_literal_; }
  // Used only by opcode parameter.
  int64_t parameter_number() const { return parameter_number_; }
  void set_parameter_number(int64_t number) { parameter_number_ = number; }

  // The position, which the computation maintains, and the id in the proto form (0: none).
  int64_t index() const { return index_; }
  int64_t proto_id = 0;
  std::string unknown_fields;  // of the proto form, kept for writing

 private:
  friend class Computation;
  std::string name_;
  Opcode opcode_;
  Shape shape_;
  Computation* parent_ = nullptr;
  std::vector<Instruction*> operands_;
  std::vector<std::pair<Attr, AttributeValue>> attributes_;
  Literal literal_;
  bool has_literal_ = false;
  int64_t parameter_number_ = -1;
  int64_t index_ = 0;
};

}  // namespace hlocts
