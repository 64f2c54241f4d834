// SPDX-License-Identifier: Apache-2.0
#include "spec/builder/builder.h"

#include "absl/strings/str_cat.h"
#include "spec/infer/verifier.h"
#include "spec/ir/module.h"
#include "spec/ops/op_table.h"

namespace hlocts {

Builder::Builder(std::string name)
    : module_(std::make_unique<Module>(std::move(name))),
      entry_(module_->Add(std::make_unique<Computation>("main"))),
      current_(entry_) {
  name_counts_["main"] = 1;
  module_->set_entry(entry_);
}

absl::StatusOr<std::unique_ptr<Module>> Builder::Build(Value root) {
  if (Usable({root})) entry_->set_root(root.instruction);
  if (!status_.ok()) return status_;
  std::vector<Computation*> order;  // callees before callers, as texts require; entry last
  for (Computation* computation : module_->CallOrder()) {
    if (computation != entry_) order.push_back(computation);
  }
  order.push_back(entry_);
  module_->Reorder(order);
  HLOCTS_RETURN_IF_ERROR(VerifyModule(*module_));
  return std::move(module_);
}

Computation* Builder::Define(absl::string_view name, const std::vector<Shape>& parameters,
                             const Body& body) {
  Computation* outer = current_;
  current_ = module_->Add(std::make_unique<Computation>(UniqueName(name)));
  std::vector<Value> values;
  for (size_t i = 0; i < parameters.size(); ++i) {
    values.push_back(Parameter(static_cast<int64_t>(i), parameters[i]));
  }
  Value root = body(values);
  if (Usable({root})) current_->set_root(root.instruction);
  Computation* defined = current_;
  current_ = outer;
  return status_.ok() ? defined : nullptr;
}

Computation* Builder::BinaryComputation(Opcode opcode, PrimitiveType type) {
  Shape scalar = Shape::Scalar(type);
  return Define(OpcodeName(opcode), {scalar, scalar}, [&](Values p) {
    return Emit(opcode, {p[0], p[1]});
  });
}

Computation* Builder::CompareComputation(absl::string_view direction, PrimitiveType type) {
  Shape scalar = Shape::Scalar(type);
  return Define("compare", {scalar, scalar},
                [&](Values p) { return Compare(direction, p[0], p[1]); });
}

Value Builder::Emit(Opcode opcode, Values operands, Attributes attributes, Shape stated) {
  if (!Usable(operands)) return {};
  auto owned = std::make_unique<Instruction>(UniqueName(OpcodeName(opcode)), opcode, stated);
  for (const Value& operand : operands) owned->mutable_operands().push_back(operand.instruction);
  for (auto& [attr, value] : attributes) owned->Set(attr, std::move(value));
  Instruction* instruction = current_->Add(std::move(owned));
  absl::StatusOr<Shape> inferred = inference_.Infer(*instruction);
  if (!inferred.ok()) return Fail(inferred.status());
  if (stated.element_type() != PrimitiveType::kInvalid) {
    if (absl::Status status = inference_.Verify(*instruction); !status.ok()) return Fail(status);
  }
  instruction->mutable_shape() = inferred->WithDefaultLayout();
  return {instruction};
}

Value Builder::Fail(absl::Status status) {
  if (status_.ok()) status_ = std::move(status);
  return {};
}

Value Builder::FailRule(absl::string_view operation, absl::string_view rule,
                        absl::string_view expected, absl::string_view found) {
  return Fail(RuleError(rule, absl::StrCat(operation, ": expected ", expected, ", found ", found)));
}

bool Builder::Usable(Values operands) {
  if (!status_.ok()) return false;
  for (const Value& operand : operands) {
    if (operand.ok() && operand.instruction->parent() == current_) continue;
    FailRule(current_->name(), "hlo.operand", "a value of this computation",
             operand.ok() ? absl::StrCat("%", operand.instruction->name()) : "none");
    return false;
  }
  return true;
}

bool Builder::Usable(const Computation* computation) {
  if (!status_.ok()) return false;
  if (computation && computation->parent() == module_.get()) return true;
  FailRule(current_->name(), "hlo.called_computation", "a computation of this builder",
           computation ? absl::StrCat("%", computation->name()) : "none");
  return false;
}

std::string Builder::UniqueName(absl::string_view stem) {
  std::string name(stem);
  // Each stem has its own count. A requested name that ends in a number is also a stem.
  while (name_counts_.contains(name)) name = absl::StrCat(stem, ".", name_counts_[stem]++);
  name_counts_[name] = 1;
  return name;
}

void Builder::SetUpAlias(const ShapeIndex& output_index, int64_t parameter_number,
                         const ShapeIndex& parameter_index, bool must_alias) {
  module_->input_output_alias.push_back(
      {output_index, parameter_number, parameter_index, must_alias});
}

Value Builder::Parameter(int64_t number, Shape shape) {
  if (!status_.ok()) return {};
  if (absl::Status status = VerifyShape(shape); !status.ok()) return Fail(status);
  auto owned = std::make_unique<Instruction>(UniqueName("parameter"), Opcode::kParameter,
                                             shape.WithDefaultLayout());
  owned->set_parameter_number(number);
  return {current_->Add(std::move(owned))};
}

Value Builder::Constant(Literal literal) {
  if (!status_.ok()) return {};
  auto owned = std::make_unique<Instruction>(UniqueName("constant"), Opcode::kConstant,
                                             literal.shape().WithDefaultLayout());
  owned->set_literal(std::move(literal));
  return {current_->Add(std::move(owned))};
}

Value Builder::Tuple(Values elements) { return Emit(Opcode::kTuple, elements); }

Value Builder::GetTupleElement(Value tuple, int64_t index) {
  return Emit(Opcode::kGetTupleElement, {tuple}, {{Attr::kIndex, index}});
}

}  // namespace hlocts
