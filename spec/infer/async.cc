// SPDX-License-Identifier: Apache-2.0
// Shape rules of async-start, -update and -done, and of copy-start and -done. The starts and dones
// of collectives are in collective.cc.
#include "spec/infer/rules.h"
#include "spec/ir/module.h"
#include "spec/ir/opcode.h"

namespace hlocts {
namespace {

constexpr absl::string_view kRule = "hlo.async";

bool IsAsync(Opcode opcode) {
  return opcode == Opcode::kAsyncStart || opcode == Opcode::kAsyncUpdate;
}

absl::Status ExpectPrevious(const Instruction& op) {
  const Instruction& operand = op.operand(0);
  HLOCTS_EXPECT(IsAsync(operand.opcode()), kRule, "async-start or async-update as operand",
                absl::StrCat("%", operand.name(), " = ", OpcodeName(operand.opcode())));
  HLOCTS_EXPECT(operand.shape().IsTuple() && operand.shape().tuple_shapes().size() >= 2, kRule,
                "a shape ((operands), result, contexts...)", ShapeText(operand.shape()));
  // The text may repeat the called computation, which must be the same as that of the operand.
  const Computation* mine = op.CalledComputation(Attr::kCalls);
  const Computation* theirs = operand.CalledComputation(Attr::kCalls);
  HLOCTS_EXPECT(!mine || !theirs || mine == theirs, kRule,
                absl::StrCat("calls=%", theirs ? theirs->name() : ""),
                absl::StrCat("%", mine ? mine->name() : ""));
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Shape> InferAsyncStart(const Instruction& start, Signatures& signatures) {
  HLOCTS_ASSIGN_OR_RETURN(const Computation* computation, Called(start, Attr::kCalls));
  const Signature& signature = signatures.Of(*computation);
  std::vector<Shape> operands;
  for (const Instruction* operand : start.operands()) {
    operands.push_back(operand->shape().WithoutLayout());
  }
  HLOCTS_EXPECT(signature.result != nullptr, kRule, "a computation with a root", "none");
  HLOCTS_RETURN_IF_ERROR(
      ExpectSignature(kRule, *computation, operands, *signature.result, signatures));
  const Shape& stated = start.shape();
  HLOCTS_EXPECT(stated.IsTuple() && stated.tuple_shapes().size() >= 2, kRule,
                "a shape ((operands), result, contexts...)", ShapeText(stated));
  std::vector<Shape> elements = {Shape::Tuple(std::move(operands)),
                                 signature.result->WithoutLayout()};
  for (size_t i = 2; i < stated.tuple_shapes().size(); ++i) {
    elements.push_back(stated.tuple_shapes()[i].WithoutLayout());
  }
  return Shape::Tuple(std::move(elements));
}

absl::StatusOr<Shape> InferAsyncUpdate(const Instruction& update, Signatures&) {
  HLOCTS_RETURN_IF_ERROR(ExpectPrevious(update));
  return update.operand(0).shape().WithoutLayout();
}

absl::StatusOr<Shape> InferAsyncDone(const Instruction& done, Signatures&) {
  HLOCTS_RETURN_IF_ERROR(ExpectPrevious(done));
  return done.operand(0).shape().tuple_shapes()[1].WithoutLayout();
}

absl::StatusOr<Shape> InferCopyStart(const Instruction& start, Signatures&) {
  Shape operand = start.operand(0).shape().WithoutLayout();
  return Shape::Tuple({operand, operand, Shape::Scalar(PrimitiveType::kU32)});
}

absl::StatusOr<Shape> InferCopyDone(const Instruction& done, Signatures&) {
  const Instruction& start = done.operand(0);
  HLOCTS_EXPECT(start.opcode() == Opcode::kCopyStart, kRule, "copy-start as operand",
                absl::StrCat("%", start.name(), " = ", OpcodeName(start.opcode())));
  HLOCTS_EXPECT(start.shape().IsTuple() && !start.shape().tuple_shapes().empty(), kRule,
                "a tuple with the copy", ShapeText(start.shape()));
  return start.shape().tuple_shapes()[0].WithoutLayout();
}

}  // namespace hlocts
