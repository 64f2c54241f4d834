// SPDX-License-Identifier: Apache-2.0
// Builds tuples and control flow.
#include "absl/strings/str_cat.h"
#include "spec/builder/builder.h"

namespace hlocts {

Value Builder::Tuple(Values elements) { return Emit(Opcode::kTuple, elements); }

Value Builder::GetTupleElement(Value tuple, int64_t index) {
  return Emit(Opcode::kGetTupleElement, {tuple}, {{Attr::kIndex, index}});
}

Value Builder::Call(Computation* computation, Values arguments) {
  if (!Usable(absl::MakeConstSpan(&computation, 1))) return {};
  return Emit(Opcode::kCall, arguments, {{Attr::kToApply, computation}});
}

Value Builder::CompositeCall(Computation* decomposition, Values inputs, absl::string_view name,
                             absl::string_view composite_attributes, int64_t version) {
  if (!Usable(absl::MakeConstSpan(&decomposition, 1))) return {};
  StringMap frontend;
  frontend.entries = {{"composite.attributes", std::string(composite_attributes)},
                      {"composite.name", std::string(name)},
                      {"composite.version", absl::StrCat(version)}};
  // Prints the dictionary as is, name and version in quotes (composite_call.10).
  frontend.quoted = {false, true, true};
  return Emit(Opcode::kCall, inputs,
              {{Attr::kToApply, decomposition},
               {Attr::kIsComposite, true},
               {Attr::kFrontendAttributes, frontend}});
}

Value Builder::While(Computation* condition, Computation* body, Value init) {
  if (!Usable(absl::Span<Computation* const>({condition, body}))) return {};
  return Emit(Opcode::kWhile, {init}, {{Attr::kCondition, condition}, {Attr::kBody, body}});
}

Value Builder::Conditional(Value pred, Value true_operand, Computation* true_computation,
                           Value false_operand, Computation* false_computation) {
  if (!Usable(absl::Span<Computation* const>({true_computation, false_computation}))) return {};
  return Emit(
      Opcode::kConditional, {pred, true_operand, false_operand},
      {{Attr::kTrueComputation, true_computation}, {Attr::kFalseComputation, false_computation}});
}

Value Builder::Conditional(Value branch_index, absl::Span<Computation* const> branch_computations,
                           Values branch_operands) {
  if (!Usable(branch_computations)) return {};
  std::vector<Value> operands = {branch_index};
  operands.insert(operands.end(), branch_operands.begin(), branch_operands.end());
  return Emit(Opcode::kConditional, operands,
              {{Attr::kBranchComputations, std::vector<Computation*>(branch_computations.begin(),
                                                                     branch_computations.end())}});
}

Value Builder::CustomCall(absl::string_view target_name, Values arguments, const Shape& shape) {
  return Emit(Opcode::kCustomCall, arguments, {{Attr::kCustomCallTarget, std::string(target_name)}},
              shape);
}

Value Builder::OptimizationBarrier(Value operand) { return Emit(Opcode::kOptBarrier, {operand}); }

}  // namespace hlocts
