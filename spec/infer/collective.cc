// SPDX-License-Identifier: Apache-2.0
// Shape rules of collectives that gather, reduce or exchange (not of collective-permute).
#include "spec/infer/collective.h"

#include "spec/infer/collective_parts.h"
#include "spec/infer/rules.h"
#include "spec/ir/opcode.h"

namespace hlocts {
namespace {

absl::StatusOr<int64_t> OnlyDimension(const Instruction& op, absl::string_view rule) {
  const std::vector<int64_t>& dimensions = op.IntList(Attr::kDimensions);
  HLOCTS_EXPECT(dimensions.size() == 1, rule, "one dimension", ListText(dimensions));
  for (const Instruction* operand : op.operands()) {
    HLOCTS_RETURN_IF_ERROR(
        ExpectDimension(rule, "the dimension", dimensions[0], operand->shape().rank()));
  }
  return dimensions[0];
}

// Returns the stated shape of result i, or nullptr if the stated shape has no such element.
const Shape* StatedResult(const Shape& stated, const Instruction& op, int64_t i) {
  if (op.operand_count() == 1 && !stated.IsTuple()) return &stated;
  if (!stated.IsTuple() || i >= static_cast<int64_t>(stated.tuple_shapes().size())) return nullptr;
  return &stated.tuple_shapes()[i];
}

// Returns the size of a group (shard_count). If it is not stated, returns the ratio of the stated
// result's size to the operand's size if the collective `grows`, otherwise the inverse ratio.
absl::StatusOr<int64_t> ShardCount(const Instruction& op, CollectiveGroupMode mode,
                                   const Shape& stated, int64_t dimension, bool grows,
                                   absl::string_view rule) {
  int64_t size = GroupSizeOf(op, mode);
  if (size > 0) return size;
  const Shape* result = StatedResult(stated, op, 0);
  HLOCTS_EXPECT(result && result->rank() == op.operand(0).shape().rank(), rule,
                absl::StrCat("a result of rank ", op.operand(0).shape().rank()), ShapeText(stated));
  int64_t from = op.operand(0).shape().dimension(dimension), to = result->dimension(dimension);
  if (!grows) std::swap(from, to);
  if (from == 0 || from == kUnboundedSize || to == kUnboundedSize) return 1;
  HLOCTS_EXPECT(to % from == 0 && to >= from, rule, "one size that is a multiple of the other",
                absl::StrCat(from, " and ", to));
  return to / from;
}

absl::StatusOr<std::vector<Shape>> GatheredShapes(const Instruction& op, const Shape& stated) {
  HLOCTS_ASSIGN_OR_RETURN(CollectiveGroupMode mode, CheckedMode(op, /*uniform=*/true));
  HLOCTS_RETURN_IF_ERROR(ExpectArrayOperands(op, "all_gather.3"));
  HLOCTS_ASSIGN_OR_RETURN(int64_t dimension, OnlyDimension(op, "all_gather.4"));
  HLOCTS_ASSIGN_OR_RETURN(int64_t shards,
                          ShardCount(op, mode, stated, dimension, /*grows=*/true, "all_gather.14"));
  std::vector<Shape> shapes = OperandShapes(op);
  for (Shape& shape : shapes) {
    int64_t size = shape.dimension(dimension), product = 0;
    if (size == kUnboundedSize) continue;
    if (__builtin_mul_overflow(size, shards, &product)) product = INT64_MAX;
    shape.set_dimension(dimension, product);
  }
  return shapes;
}

absl::Status CheckReduction(const Instruction& op, absl::string_view rule, Signatures& signatures) {
  HLOCTS_ASSIGN_OR_RETURN(std::vector<PrimitiveType> types,
                          ReducerTypes(rule, op, Attr::kToApply, 1, signatures));
  for (const Instruction* operand : op.operands()) {
    HLOCTS_EXPECT(types[0] == operand->shape().element_type(), rule,
                  absl::StrCat("a computation on ", TypeText(operand->shape().element_type())),
                  TypeText(types[0]));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Shape> InferAllGather(const Instruction& op, Signatures&) {
  HLOCTS_ASSIGN_OR_RETURN(std::vector<Shape> shapes, GatheredShapes(op, op.shape()));
  return OneOrTuple(std::move(shapes));
}

absl::StatusOr<Shape> InferAllGatherStart(const Instruction& op, Signatures&) {
  const Shape& stated = op.shape();
  HLOCTS_EXPECT(stated.IsTuple() && stated.tuple_shapes().size() >= 2, "hlo.async",
                "a shape (operand, result)", ShapeText(stated));
  HLOCTS_ASSIGN_OR_RETURN(std::vector<Shape> shapes, GatheredShapes(op, stated.tuple_shapes()[1]));
  return StartShape(op, OneOrTuple(OperandShapes(op)), OneOrTuple(std::move(shapes)));
}

absl::StatusOr<Shape> InferAllGatherDone(const Instruction& op, Signatures&) {
  return ResultOfStart(op, Opcode::kAllGatherStart, 1);
}

absl::StatusOr<Shape> InferAllReduce(const Instruction& op, Signatures& signatures) {
  HLOCTS_RETURN_IF_ERROR(CheckedMode(op, /*uniform=*/false).status());
  HLOCTS_RETURN_IF_ERROR(ExpectArrayOperands(op, "all_reduce.3"));
  HLOCTS_RETURN_IF_ERROR(CheckReduction(op, "all_reduce.4", signatures));
  return OneOrTuple(OperandShapes(op));
}

absl::StatusOr<Shape> InferAllReduceDone(const Instruction& op, Signatures&) {
  const Instruction& start = op.operand(0);
  HLOCTS_EXPECT(start.opcode() == Opcode::kAllReduceStart, "hlo.async",
                "all-reduce-start as operand",
                absl::StrCat("%", start.name(), " = ", OpcodeName(start.opcode())));
  return start.shape().WithoutLayout();
}

absl::StatusOr<Shape> InferReduceScatter(const Instruction& op, Signatures& signatures) {
  HLOCTS_ASSIGN_OR_RETURN(CollectiveGroupMode mode, CheckedMode(op, /*uniform=*/true));
  HLOCTS_RETURN_IF_ERROR(ExpectArrayOperands(op, "reduce_scatter.4"));
  HLOCTS_RETURN_IF_ERROR(CheckReduction(op, "reduce_scatter.5", signatures));
  HLOCTS_ASSIGN_OR_RETURN(int64_t dimension, OnlyDimension(op, "reduce_scatter.6"));
  HLOCTS_ASSIGN_OR_RETURN(int64_t shards, ShardCount(op, mode, op.shape(), dimension,
                                                     /*grows=*/false, "reduce_scatter.20"));
  std::vector<Shape> shapes = OperandShapes(op);
  for (Shape& shape : shapes) {
    int64_t size = shape.dimension(dimension);
    if (size == kUnboundedSize) continue;
    HLOCTS_EXPECT(size % shards == 0, "reduce_scatter.20",
                  absl::StrCat("a scatter dimension divisible by ", shards), ShapeText(shape));
    shape.set_dimension(dimension, size / shards);
  }
  return OneOrTuple(std::move(shapes));
}

absl::StatusOr<Shape> InferAllToAll(const Instruction& op, Signatures&) {
  HLOCTS_ASSIGN_OR_RETURN(CollectiveGroupMode mode, CheckedMode(op, /*uniform=*/true));
  HLOCTS_RETURN_IF_ERROR(ExpectArrayOperands(op, "all_to_all.10"));
  int64_t size = GroupSizeOf(op, mode);
  if (op.Has(Attr::kDimensions)) {
    HLOCTS_ASSIGN_OR_RETURN(int64_t dimension, OnlyDimension(op, "all_to_all.13"));
    HLOCTS_EXPECT(op.operand_count() == 1, "all_to_all.12", "one operand",
                  absl::StrCat(op.operand_count()));
    int64_t extent = op.operand(0).shape().dimension(dimension);
    HLOCTS_EXPECT(size == 0 || extent == kUnboundedSize || extent % size == 0, "all_to_all.9",
                  absl::StrCat("a split dimension divisible by ", size), absl::StrCat(extent));
    return op.operand(0).shape().WithoutLayout();
  }
  // In the tuple form of current XLA (ruling 0042), operand i goes to member i of the group.
  HLOCTS_EXPECT(size == 0 || op.operand_count() == size, "all_to_all.18",
                absl::StrCat(size, " operands, one for each member of a group"),
                absl::StrCat(op.operand_count()));
  for (const Instruction* operand : op.operands()) {
    HLOCTS_RETURN_IF_ERROR(ExpectCompatible("hlo.all_to_all", "every operand",
                                            op.operand(0).shape(), operand->shape()));
  }
  return Shape::Tuple(OperandShapes(op));
}

absl::StatusOr<Shape> InferRaggedAllToAll(const Instruction& op, Signatures&) {
  HLOCTS_ASSIGN_OR_RETURN(CollectiveGroupMode mode, CheckedMode(op, /*uniform=*/true));
  constexpr absl::string_view kRule = "ragged_all_to_all.3";
  HLOCTS_RETURN_IF_ERROR(ExpectArrayOperands(op, kRule));
  const Shape &input = op.operand(0).shape(), &output = op.operand(1).shape();
  HLOCTS_EXPECT(input.element_type() == output.element_type() && input.rank() == output.rank() &&
                    input.rank() > 0,
                kRule, absl::StrCat("the type and rank of ", ShapeText(input)), ShapeText(output));
  for (int64_t d = 1; d < input.rank(); ++d) {
    HLOCTS_EXPECT(CompatibleSize(input.dimension(d), output.dimension(d)), kRule,
                  absl::StrCat("size ", input.dimension(d), " in dimension ", d),
                  ShapeText(output));
  }
  const Shape& offsets = op.operand(2).shape();
  for (int64_t i = 2; i < op.operand_count(); ++i) {
    const Shape& sizes = op.operand(i).shape();
    HLOCTS_EXPECT(IsInteger(sizes.element_type()) && Compatible(sizes, offsets),
                  "ragged_all_to_all.11", "offsets and sizes of equal integer shapes",
                  ShapeText(sizes));
  }
  const int64_t members = GroupSizeOf(op, mode);
  const bool for_each = offsets.rank() >= 1 && offsets.rank() <= 2 &&
                        (members == 0 || CompatibleSize(offsets.dimension(0), members));
  HLOCTS_EXPECT(for_each, "ragged_all_to_all.12",
                absl::StrCat("offsets [", members, "] or [", members, ",updates]"),
                ShapeText(offsets));
  return output.WithoutLayout();
}

absl::StatusOr<Shape> InferCollectiveBroadcast(const Instruction& op, Signatures&) {
  HLOCTS_RETURN_IF_ERROR(CheckedMode(op, /*uniform=*/false).status());
  HLOCTS_RETURN_IF_ERROR(ExpectArrayOperands(op, "collective_broadcast.4"));
  return OneOrTuple(OperandShapes(op));
}

absl::StatusOr<Shape> InferDeviceId(const Instruction&, Signatures&) {
  return Shape::Scalar(PrimitiveType::kU32);  // replica_id.2
}

}  // namespace hlocts
