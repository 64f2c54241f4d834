// SPDX-License-Identifier: Apache-2.0
// Shape rules for tokens and channels: after-all, add-dependency, infeed, outfeed, send and recv.
#include "spec/infer/rules.h"
#include "spec/ir/opcode.h"

namespace hlocts {
namespace {

absl::Status ExpectToken(absl::string_view rule, const Shape& shape) {
  HLOCTS_EXPECT(shape.IsToken(), rule, "a token", ShapeText(shape));
  return absl::OkStatus();
}

// Expects an array, or a tuple of arrays that is not nested.
absl::Status ExpectFlatData(absl::string_view rule, const Shape& data) {
  HLOCTS_EXPECT(data.IsArray() || data.IsTuple(), rule, "an array or a tuple of arrays",
                ShapeText(data));
  for (const Shape& element : data.tuple_shapes()) {
    HLOCTS_EXPECT(element.IsArray(), rule, "a tuple of arrays, not nested", ShapeText(data));
  }
  return absl::OkStatus();
}

Shape Context(Shape data) {
  return Shape::Tuple({std::move(data), Shape::Scalar(PrimitiveType::kU32), Shape::Token()});
}

// Expects that the operand is the result of `start`, possibly passed through a tuple or a
// parameter, as in pipelined loops.
absl::Status ExpectContext(const Instruction& done, Opcode start, absl::string_view rule) {
  const Instruction& operand = done.operand(0);
  const Shape& shape = operand.shape();
  bool carried = operand.opcode() == Opcode::kGetTupleElement || operand.IsParameter() ||
                 operand.opcode() == Opcode::kOptBarrier;
  HLOCTS_EXPECT(operand.opcode() == start || carried, rule,
                absl::StrCat(OpcodeName(start), " as operand"),
                absl::StrCat("%", operand.name(), " = ", OpcodeName(operand.opcode())));
  HLOCTS_EXPECT(shape.IsTuple() && shape.tuple_shapes().size() == 3 &&
                    Compatible(shape, Context(shape.tuple_shapes()[0])),
                rule, "a context (data, u32[], token[])", ShapeText(shape));
  if (carried) return absl::OkStatus();
  int64_t channel = done.IntOr(Attr::kChannelId, 0), other = operand.IntOr(Attr::kChannelId, 0);
  HLOCTS_EXPECT(channel == other, rule, absl::StrCat("channel_id ", other), absl::StrCat(channel));
  bool host = operand.BoolOr(Attr::kIsHostTransfer, false);
  HLOCTS_EXPECT(done.BoolOr(Attr::kIsHostTransfer, false) == host, rule,
                absl::StrCat("is_host_transfer=", host ? "true" : "false"),
                host ? "false" : "true");
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Shape> InferAfterAll(const Instruction& op, Signatures&) {
  for (const Instruction* operand : op.operands()) {
    HLOCTS_RETURN_IF_ERROR(ExpectToken("after_all.6", operand->shape()));
  }
  return Shape::Token();  // after_all.1
}

absl::StatusOr<Shape> InferAddDependency(const Instruction& op, Signatures&) {
  HLOCTS_RETURN_IF_ERROR(ExpectToken("hlo.add_dependency", op.operand(1).shape()));
  return op.operand(0).shape().WithoutLayout();
}

absl::StatusOr<Shape> InferInfeed(const Instruction& infeed, Signatures&) {
  const Shape& stated = infeed.shape();
  HLOCTS_EXPECT(infeed.operand_count() <= 1, "hlo.arity", "at most one operand, a token",
                absl::StrCat(infeed.operand_count()));
  if (infeed.operand_count() == 1) {
    HLOCTS_RETURN_IF_ERROR(ExpectToken("infeed.7", infeed.operand(0).shape()));
  }
  HLOCTS_EXPECT(stated.IsTuple() && stated.tuple_shapes().size() == 2, "infeed.5",
                "a result (data, token[])", ShapeText(stated));
  const Shape& data = stated.tuple_shapes()[0];
  HLOCTS_RETURN_IF_ERROR(ExpectFlatData("infeed.9", data));
  return Shape::Tuple({data.WithoutLayout(), Shape::Token()});
}

absl::StatusOr<Shape> InferOutfeed(const Instruction& outfeed, Signatures&) {
  HLOCTS_EXPECT(outfeed.operand_count() == 2, "hlo.arity", "two operands, data and a token",
                CountText(outfeed.operand_count(), "operand"));
  HLOCTS_RETURN_IF_ERROR(ExpectToken("hlo.outfeed", outfeed.operand(1).shape()));
  if (const Shape* shape = outfeed.Get<Shape>(Attr::kOutfeedShape)) {
    HLOCTS_RETURN_IF_ERROR(
        ExpectCompatible("hlo.outfeed", "outfeed_shape", outfeed.operand(0).shape(), *shape));
  }
  return Shape::Token();
}

absl::StatusOr<Shape> InferSend(const Instruction& send, Signatures&) {
  HLOCTS_RETURN_IF_ERROR(ExpectToken("send.10", send.operand(1).shape()));
  return Context(send.operand(0).shape().WithoutLayout());
}

absl::StatusOr<Shape> InferSendDone(const Instruction& done, Signatures&) {
  HLOCTS_RETURN_IF_ERROR(ExpectContext(done, Opcode::kSend, "send.11"));
  return Shape::Token();
}

absl::StatusOr<Shape> InferRecv(const Instruction& recv, Signatures&) {
  HLOCTS_RETURN_IF_ERROR(ExpectToken("recv.11", recv.operand(0).shape()));
  const Shape& stated = recv.shape();
  HLOCTS_EXPECT(stated.IsTuple() && stated.tuple_shapes().size() == 3, "recv.11",
                "a context (data, u32[], token[])", ShapeText(stated));
  return Context(stated.tuple_shapes()[0].WithoutLayout());
}

absl::StatusOr<Shape> InferRecvDone(const Instruction& done, Signatures&) {
  HLOCTS_RETURN_IF_ERROR(ExpectContext(done, Opcode::kRecv, "recv.12"));
  return Shape::Tuple({done.operand(0).shape().tuple_shapes()[0].WithoutLayout(), Shape::Token()});
}

}  // namespace hlocts
