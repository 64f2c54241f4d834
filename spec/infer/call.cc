// SPDX-License-Identifier: Apache-2.0
// Shape rules of call, while, conditional and fusion, whose called computations define their
// result, and of custom-call, which is defined externally.
#include "absl/strings/numbers.h"
#include "spec/infer/rules.h"
#include "spec/ir/attributes.h"
#include "spec/ir/module.h"

namespace hlocts {
namespace {

absl::Status CheckOutputAliases(const Instruction& op) {
  using Aliases = std::vector<OutputOperandAlias>;
  const Aliases* aliases = op.Get<Aliases>(Attr::kOutputToOperandAliasing);
  if (!aliases) return absl::OkStatus();
  for (const OutputOperandAlias& alias : *aliases) {
    HLOCTS_RETURN_IF_ERROR(ExpectDimension("hlo.output_to_operand_aliasing", "operand number",
                                           alias.operand_number, op.operand_count()));
    const Shape& operand_shape = op.operand(alias.operand_number).shape();
    const Shape* operand = SubshapeAt(operand_shape, alias.operand_index);
    const Shape* output = SubshapeAt(op.shape(), alias.output_index);
    HLOCTS_EXPECT(operand && output, "hlo.output_to_operand_aliasing", "indices inside the shapes",
                  absl::StrCat(ListText(alias.output_index), " of ", ShapeText(op.shape()), ", ",
                               ListText(alias.operand_index), " of ", ShapeText(operand_shape)));
    HLOCTS_RETURN_IF_ERROR(
        ExpectCompatible("hlo.output_to_operand_aliasing", "aliased operand", *output, *operand));
  }
  return absl::OkStatus();
}

// Expects that the computation has one parameter for each operand, of the same shape.
absl::Status ExpectParameters(const Instruction& op, const Signature& signature,
                              absl::string_view count_rule, absl::string_view type_rule) {
  HLOCTS_EXPECT(static_cast<int64_t>(signature.parameters.size()) == op.operand_count(), count_rule,
                absl::StrCat(CountText(signature.parameters.size(), "operand"), " for ",
                             SignatureText(signature)),
                absl::StrCat(op.operand_count()));
  for (int64_t i = 0; i < op.operand_count(); ++i) {
    HLOCTS_EXPECT(signature.parameters[i] != nullptr, type_rule, "a parameter", "none");
    HLOCTS_RETURN_IF_ERROR(ExpectCompatible(type_rule, absl::StrCat("operand ", i),
                                            *signature.parameters[i], op.operand(i).shape()));
  }
  HLOCTS_EXPECT(signature.result != nullptr, type_rule, "a computation with a root", "none");
  return absl::OkStatus();
}

const std::string* FrontendAttribute(const Instruction& op, absl::string_view key) {
  const StringMap* map = op.Get<StringMap>(Attr::kFrontendAttributes);
  if (!map) return nullptr;
  for (const auto& [name, value] : map->entries) {
    if (name == key) return &value;
  }
  return nullptr;
}

absl::Status CheckComposite(const Instruction& call) {
  const std::string* name = FrontendAttribute(call, "composite.name");
  HLOCTS_EXPECT(name && !name->empty(), "composite_call.9", "a frontend attribute composite.name",
                "none");
  const std::string* version = FrontendAttribute(call, "composite.version");
  int64_t number = 0;
  HLOCTS_EXPECT(!version || (absl::SimpleAtoi(*version, &number) && number >= 0),
                "composite_call.16", "an integer of at least 0 as composite.version", *version);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Shape> InferCall(const Instruction& call, Signatures& signatures) {
  HLOCTS_ASSIGN_OR_RETURN(const Computation* computation, Called(call, Attr::kToApply));
  const Signature& signature = signatures.Of(*computation);
  HLOCTS_RETURN_IF_ERROR(ExpectParameters(call, signature, "call.6", "call.7"));
  if (call.BoolOr(Attr::kIsComposite, false)) HLOCTS_RETURN_IF_ERROR(CheckComposite(call));
  HLOCTS_RETURN_IF_ERROR(CheckOutputAliases(call));
  return signature.result->WithoutLayout();
}

absl::StatusOr<Shape> InferWhile(const Instruction& loop, Signatures& signatures) {
  const Shape& init = loop.operand(0).shape();
  HLOCTS_ASSIGN_OR_RETURN(const Computation* condition, Called(loop, Attr::kCondition));
  HLOCTS_ASSIGN_OR_RETURN(const Computation* body, Called(loop, Attr::kBody));
  HLOCTS_RETURN_IF_ERROR(ExpectSignature("while.2", *condition, {init},
                                         Shape::Scalar(PrimitiveType::kPred), signatures));
  HLOCTS_RETURN_IF_ERROR(ExpectSignature("while.3", *body, {init}, init, signatures));
  return init.WithoutLayout();
}

absl::StatusOr<Shape> InferConditional(const Instruction& op, Signatures& signatures) {
  std::vector<Computation*> branches;
  if (auto* list = op.Get<std::vector<Computation*>>(Attr::kBranchComputations)) branches = *list;
  const bool two_way = branches.empty();
  if (two_way) {
    for (Attr attr : {Attr::kTrueComputation, Attr::kFalseComputation}) {
      HLOCTS_RETURN_IF_ERROR(Called(op, attr).status());
      branches.push_back(op.CalledComputation(attr));
    }
  }
  const Shape& selector = op.operand(0).shape();
  bool is_pred = selector.IsScalar() && selector.element_type() == PrimitiveType::kPred;
  bool is_index = selector.IsScalar() && selector.element_type() == PrimitiveType::kS32;
  HLOCTS_EXPECT(is_pred || (is_index && !two_way), two_way ? "conditional.2" : "conditional.17",
                two_way ? "pred[]" : "s32[] or pred[]", ShapeText(selector));
  HLOCTS_EXPECT(!is_pred || branches.size() == 2, "conditional.2",
                "two branches for an index of type pred", absl::StrCat(branches.size()));
  HLOCTS_EXPECT(op.operand_count() == static_cast<int64_t>(branches.size()) + 1, "conditional.19",
                absl::StrCat(branches.size(), " branch operands"),
                absl::StrCat(op.operand_count() - 1));
  const Shape* result = signatures.Of(*branches[0]).result;
  HLOCTS_EXPECT(result != nullptr, "conditional.18", "a branch computation with a root", "none");
  for (size_t b = 0; b < branches.size(); ++b) {
    const Signature& signature = signatures.Of(*branches[b]);
    HLOCTS_EXPECT(signature.parameters.size() == 1, "conditional.23",
                  absl::StrCat("one parameter in %", branches[b]->name()),
                  SignatureText(signature));
    // Each branch has its own operand. All branches return the same shape.
    HLOCTS_RETURN_IF_ERROR(ExpectSignature(
        two_way ? (b == 0 ? "conditional.12" : "conditional.13") : "conditional.24", *branches[b],
        {op.operand(b + 1).shape()}, signature.result ? *signature.result : Shape(), signatures));
    HLOCTS_RETURN_IF_ERROR(ExpectCompatible(two_way ? "conditional.14" : "conditional.25",
                                            absl::StrCat("result of %", branches[b]->name()),
                                            *result, *signature.result));
  }
  return result->WithoutLayout();
}

absl::StatusOr<Shape> InferFusion(const Instruction& fusion, Signatures& signatures) {
  HLOCTS_ASSIGN_OR_RETURN(const Computation* computation, Called(fusion, Attr::kCalls));
  const Signature& signature = signatures.Of(*computation);
  HLOCTS_RETURN_IF_ERROR(ExpectParameters(fusion, signature, "hlo.fusion", "hlo.fusion"));
  HLOCTS_RETURN_IF_ERROR(CheckOutputAliases(fusion));
  return signature.result->WithoutLayout();
}

absl::StatusOr<Shape> InferCustomCall(const Instruction& call, Signatures&) {
  const std::vector<Shape>* constraints =
      call.Get<std::vector<Shape>>(Attr::kOperandLayoutConstraints);
  if (constraints) {
    HLOCTS_EXPECT(static_cast<int64_t>(constraints->size()) == call.operand_count(),
                  "hlo.operand_layout_constraints",
                  absl::StrCat(call.operand_count(), " operand_layout_constraints"),
                  absl::StrCat(constraints->size()));
    for (int64_t i = 0; i < call.operand_count(); ++i) {
      HLOCTS_RETURN_IF_ERROR(ExpectCompatible("hlo.operand_layout_constraints",
                                              absl::StrCat("constraint ", i),
                                              call.operand(i).shape(), (*constraints)[i]));
    }
  }
  HLOCTS_RETURN_IF_ERROR(CheckOutputAliases(call));
  return call.shape().WithoutLayout();  // custom_call.5
}

}  // namespace hlocts
