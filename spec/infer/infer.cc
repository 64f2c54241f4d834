// SPDX-License-Identifier: Apache-2.0
#include "spec/infer/infer.h"

#include <algorithm>

#include "absl/strings/str_join.h"
#include "spec/infer/rules.h"
#include "spec/infer/verifier_parts.h"
#include "spec/ir/opcode.h"
#include "spec/ops/op_facts.h"
#include "spec/ops/op_table.h"

namespace hlocts {
namespace {

struct RuleRow {
  Opcode opcode;
  ShapeRule rule;
};

// Opcodes that are not listed have the rule of their family (see MakeRuleTable).
constexpr RuleRow kRules[] = {
    {Opcode::kParameter, InferParameter},
    {Opcode::kConstant, InferConstant},
    {Opcode::kIota, InferIota},
    {Opcode::kAbs, InferComponent},
    {Opcode::kReal, InferComponent},
    {Opcode::kImag, InferComponent},
    {Opcode::kIsFinite, InferIsFinite},
    {Opcode::kComplex, InferComplex},
    {Opcode::kCompare, InferCompare},
    {Opcode::kClamp, InferClamp},
    {Opcode::kSelect, InferSelect},
    {Opcode::kConvert, InferConvert},
    {Opcode::kBitcastConvert, InferBitcastConvert},
    {Opcode::kReducePrecision, InferReducePrecision},
    {Opcode::kStochasticConvert, InferStochasticConvert},
    {Opcode::kBroadcast, InferBroadcast},
    {Opcode::kReshape, InferReshape},
    {Opcode::kDynamicReshape, InferDynamicReshape},
    {Opcode::kBitcast, InferBitcast},
    {Opcode::kCopy, InferSameAsOperand},
    {Opcode::kTranspose, InferTranspose},
    {Opcode::kReverse, InferReverse},
    {Opcode::kSlice, InferSlice},
    {Opcode::kPad, InferPad},
    {Opcode::kConcatenate, InferConcatenate},
    {Opcode::kDynamicSlice, InferDynamicSlice},
    {Opcode::kDynamicUpdateSlice, InferDynamicUpdateSlice},
    {Opcode::kGather, InferGather},
    {Opcode::kScatter, InferScatter},
    {Opcode::kGetDimensionSize, InferGetDimensionSize},
    {Opcode::kSetDimensionSize, InferSetDimensionSize},
    {Opcode::kDot, InferDot},
    {Opcode::kRaggedDot, InferRaggedDot},
    {Opcode::kScaledDot, InferScaledDot},
    {Opcode::kConvolution, InferConvolution},
    {Opcode::kReduce, InferReduce},
    {Opcode::kReduceWindow, InferReduceWindow},
    {Opcode::kSelectAndScatter, InferSelectAndScatter},
    {Opcode::kMap, InferMap},
    {Opcode::kScan, InferScan},
    {Opcode::kSort, InferSort},
    {Opcode::kTopk, InferTopk},
    {Opcode::kCholesky, InferCholesky},
    {Opcode::kTriangularSolve, InferTriangularSolve},
    {Opcode::kFft, InferFft},
    {Opcode::kBatchNormTraining, InferBatchNormTraining},
    {Opcode::kBatchNormInference, InferBatchNormInference},
    {Opcode::kBatchNormGrad, InferBatchNormGrad},
    {Opcode::kRng, InferRng},
    {Opcode::kRngBitGenerator, InferRngBitGenerator},
    {Opcode::kRngGetAndUpdateState, InferRngGetAndUpdateState},
    {Opcode::kTuple, InferTuple},
    {Opcode::kGetTupleElement, InferGetTupleElement},
    {Opcode::kCall, InferCall},
    {Opcode::kWhile, InferWhile},
    {Opcode::kConditional, InferConditional},
    {Opcode::kFusion, InferFusion},
    {Opcode::kCustomCall, InferCustomCall},
    {Opcode::kOptBarrier, InferSameAsOperand},
    {Opcode::kDomain, InferSameAsOperand},
    {Opcode::kAllGather, InferAllGather},
    {Opcode::kAllReduce, InferAllReduce},
    {Opcode::kAllToAll, InferAllToAll},
    {Opcode::kRaggedAllToAll, InferRaggedAllToAll},
    {Opcode::kCollectivePermute, InferCollectivePermute},
    {Opcode::kCollectiveBroadcast, InferCollectiveBroadcast},
    {Opcode::kReduceScatter, InferReduceScatter},
    {Opcode::kReplicaId, InferDeviceId},
    {Opcode::kPartitionId, InferDeviceId},
    {Opcode::kAfterAll, InferAfterAll},
    {Opcode::kAddDependency, InferAddDependency},
    {Opcode::kInfeed, InferInfeed},
    {Opcode::kOutfeed, InferOutfeed},
    {Opcode::kSend, InferSend},
    {Opcode::kSendDone, InferSendDone},
    {Opcode::kRecv, InferRecv},
    {Opcode::kRecvDone, InferRecvDone},
    {Opcode::kAsyncStart, InferAsyncStart},
    {Opcode::kAsyncUpdate, InferAsyncUpdate},
    {Opcode::kAsyncDone, InferAsyncDone},
    {Opcode::kCopyStart, InferCopyStart},
    {Opcode::kCopyDone, InferCopyDone},
    {Opcode::kAllGatherStart, InferAllGatherStart},
    {Opcode::kAllGatherDone, InferAllGatherDone},
    {Opcode::kAllReduceStart, InferAllReduce},
    {Opcode::kAllReduceDone, InferAllReduceDone},
    {Opcode::kCollectivePermuteStart, InferCollectivePermuteStart},
    {Opcode::kCollectivePermuteDone, InferCollectivePermuteDone},
};

struct RuleTable {
  ShapeRule rules[kOpcodeCount];
};

RuleTable MakeRuleTable() {
  RuleTable table = {};
  for (Opcode opcode : AllOpcodes()) {
    Family family = RowOf(opcode).family;
    if (family == Family::kElementwiseUnary) table.rules[static_cast<int>(opcode)] = InferUnary;
    if (family == Family::kElementwiseBinary) table.rules[static_cast<int>(opcode)] = InferBinary;
  }
  for (const RuleRow& row : kRules) table.rules[static_cast<int>(row.opcode)] = row.rule;
  return table;
}

ShapeRule RuleOf(Opcode opcode) {
  static const RuleTable table = MakeRuleTable();
  return table.rules[static_cast<int>(opcode)];
}

absl::Status CheckOperandCount(const Instruction& instruction, const OpRow& row) {
  int64_t count = instruction.operand_count();
  bool fits = count >= row.arity_min && (row.arity_max == kVariadic || count <= row.arity_max);
  bool nothing_to_join = instruction.opcode() == Opcode::kConcatenate && count == 0;
  HLOCTS_EXPECT(fits, nothing_to_join ? "concatenate.6" : "hlo.arity", ArityText(row),
                absl::StrCat(count));
  for (const Instruction* operand : instruction.operands()) {
    HLOCTS_EXPECT(operand != nullptr, "hlo.operand", "an operand", "a null pointer");
  }
  return absl::OkStatus();
}

absl::Status CheckAttribute(Attr attr, const AttributeValue& value) {
  HLOCTS_EXPECT(
      static_cast<size_t>(RowOf(attr).kind) == value.index(), "hlo.attribute",
      absl::StrCat("attribute ", AttrName(attr), " of kind ", static_cast<int>(RowOf(attr).kind)),
      absl::StrCat("kind ", value.index()));
  if (const Word* word = std::get_if<Word>(&value)) {
    absl::Span<const absl::string_view> allowed = AllowedWords(attr);
    HLOCTS_EXPECT(
        allowed.empty() || std::find(allowed.begin(), allowed.end(), word->text) != allowed.end(),
        "hlo.attribute",
        absl::StrCat("as ", AttrName(attr), " one of ", absl::StrJoin(allowed, ", ")), word->text);
  }
  if (Computation* const* one = std::get_if<Computation*>(&value)) {
    HLOCTS_EXPECT(*one != nullptr, "hlo.attribute",
                  absl::StrCat("a computation as ", AttrName(attr)), "a null pointer");
  }
  if (auto* list = std::get_if<std::vector<Computation*>>(&value)) {
    for (const Computation* called : *list) {
      HLOCTS_EXPECT(called != nullptr, "hlo.attribute",
                    absl::StrCat("computations as ", AttrName(attr)), "a null pointer");
    }
  }
  return absl::OkStatus();
}

absl::Status CheckAttributes(const Instruction& instruction, const OpRow& row) {
  for (const AttributeUse& use : row.attribute_uses()) {
    HLOCTS_EXPECT(!use.required || instruction.Has(use.attr), "hlo.attribute",
                  absl::StrCat("the attribute ", AttrName(use.attr)), "none");
  }
  for (const auto& [attr, value] : instruction.attributes()) {
    HLOCTS_RETURN_IF_ERROR(CheckAttribute(attr, value));
  }
  return absl::OkStatus();
}

std::string TypesText(TypeSet types) {
  std::string text;
  bool every_array = true;
  for (PrimitiveType type : AllPrimitiveTypes()) {
    if (Contains(types, type)) absl::StrAppend(&text, " ", TypeText(type));
    every_array = every_array && (!IsArrayType(type) || Contains(types, type));
  }
  return every_array ? "that is an array" : absl::StrCat("of one of the types", text);
}

absl::Status CheckElementType(const Instruction& instruction, const OpRow& row) {
  bool has_operand = instruction.operand_count() > 0;
  const Shape& shape = has_operand ? instruction.operand(0).shape() : instruction.shape();
  // If there are no operands, the result has one of the row's types, unless its type is not stated.
  if (!has_operand && shape.element_type() == PrimitiveType::kInvalid) return absl::OkStatus();
  if (Contains(row.types, shape.element_type())) return absl::OkStatus();
  return Broken(TypeClauseOf(instruction.opcode()),
                absl::StrCat(has_operand ? "operand 0 " : "a result ", TypesText(row.types)),
                ShapeText(shape));
}

absl::StatusOr<Shape> InferUnnamed(const Instruction& instruction, Signatures& signatures) {
  const OpRow& row = RowOf(instruction.opcode());
  HLOCTS_RETURN_IF_ERROR(CheckOperandCount(instruction, row));
  HLOCTS_RETURN_IF_ERROR(CheckAttributes(instruction, row));
  HLOCTS_RETURN_IF_ERROR(CheckElementType(instruction, row));
  const ShapeRule rule = RuleOf(instruction.opcode());
  HLOCTS_CHECK(rule != nullptr);
  absl::StatusOr<Shape> shape = rule(instruction, signatures);
  if (shape.ok()) HLOCTS_RETURN_IF_ERROR(VerifyShape(*shape));
  return shape;
}

absl::Status VerifyArray(const Shape& shape) {
  for (int64_t d : shape.dimensions()) {
    HLOCTS_EXPECT(d >= 0 || d == kUnboundedSize, "hlo.shape", "sizes of at least 0",
                  ShapeText(shape));
  }
  HLOCTS_EXPECT(shape.HasUnboundedDimension() || shape.StorageSizeBytes() != INT64_MAX, "hlo.shape",
                "a shape of fewer than 2^63 bytes", ShapeText(shape));
  if (!shape.layout()) return absl::OkStatus();
  if (absl::Status status = ValidateLayout(*shape.layout(), shape.rank()); !status.ok()) {
    return RuleError("layouts.7", absl::StrCat(ShapeText(shape), ": ", status.message()));
  }
  size_t padded = shape.layout()->padded_dimensions.size();
  HLOCTS_EXPECT(padded == 0 || static_cast<int64_t>(padded) == shape.rank(), "layouts.22",
                absl::StrCat(shape.rank(), " padded_dimensions"), absl::StrCat(padded));
  return absl::OkStatus();
}

}  // namespace

absl::Status VerifyShape(const Shape& shape) {
  if (shape.IsArray()) return VerifyArray(shape);
  HLOCTS_EXPECT(shape.element_type() != PrimitiveType::kInvalid, "hlo.shape", "an element type",
                "none");
  HLOCTS_EXPECT(shape.rank() == 0, "hlo.shape",
                absl::StrCat(TypeText(shape.element_type()), " without dimensions"),
                ListText(shape.dimensions()));
  for (const Shape& element : shape.tuple_shapes()) HLOCTS_RETURN_IF_ERROR(VerifyShape(element));
  return absl::OkStatus();
}

ShapeInference::ShapeInference() : signatures_(std::make_unique<Signatures>()) {}
ShapeInference::~ShapeInference() = default;

absl::StatusOr<Shape> ShapeInference::Infer(const Instruction& instruction) {
  absl::StatusOr<Shape> shape = InferUnnamed(instruction, *signatures_);
  if (!shape.ok()) return Named(shape.status(), instruction);
  return shape;
}

absl::Status ShapeInference::Verify(const Instruction& instruction) {
  if (absl::Status status = VerifyShape(instruction.shape()); !status.ok()) {
    return Named(status, instruction);
  }
  const absl::StatusOr<Shape> inferred = Infer(instruction);
  if (!inferred.ok()) return inferred.status();
  if (Compatible(*inferred, instruction.shape())) return absl::OkStatus();
  return Named(
      Broken(ResultClauseOf(instruction.opcode()), absl::StrCat("the shape ", ShapeText(*inferred)),
             ShapeText(instruction.shape())),
      instruction);
}

absl::StatusOr<Shape> InferShape(const Instruction& instruction) {
  return ShapeInference().Infer(instruction);
}

bool HasShapeRule(Opcode opcode) { return RuleOf(opcode) != nullptr; }

}  // namespace hlocts
