// SPDX-License-Identifier: Apache-2.0
#include "absl/container/flat_hash_map.h"
#include "spec/infer/collective_parts.h"
#include "spec/ir/opcode.h"

namespace hlocts {
namespace {

// Checks the offsets of slices of a buffer: a tuple of one s32 per dimension, or a tuple of such
// tuples for several slices.
absl::Status CheckOffsets(const Shape& buffer, const Shape& offsets) {
  constexpr absl::string_view kRule = "hlo.permute_slices";
  HLOCTS_EXPECT(offsets.IsTuple() && !offsets.tuple_shapes().empty(), kRule,
                absl::StrCat("offsets of ", ShapeText(buffer)), ShapeText(offsets));
  if (buffer.IsTuple()) {
    HLOCTS_EXPECT(buffer.tuple_shapes().size() == offsets.tuple_shapes().size(), kRule,
                  "offsets of each buffer of the tuple", ShapeText(offsets));
    for (size_t i = 0; i < buffer.tuple_shapes().size(); ++i) {
      HLOCTS_EXPECT(!buffer.tuple_shapes()[i].IsTuple(), kRule, "arrays as buffers",
                    ShapeText(buffer));
      HLOCTS_RETURN_IF_ERROR(CheckOffsets(buffer.tuple_shapes()[i], offsets.tuple_shapes()[i]));
    }
    return absl::OkStatus();
  }
  if (offsets.tuple_shapes()[0].IsTuple()) {
    for (const Shape& one : offsets.tuple_shapes()) {
      HLOCTS_EXPECT(
          !one.IsTuple() || one.tuple_shapes().empty() || !one.tuple_shapes()[0].IsTuple(), kRule,
          "a tuple of offsets for each slice", ShapeText(offsets));
      HLOCTS_RETURN_IF_ERROR(CheckOffsets(buffer, one));
    }
    return absl::OkStatus();
  }
  HLOCTS_EXPECT(static_cast<int64_t>(offsets.tuple_shapes().size()) == buffer.rank(), kRule,
                absl::StrCat(buffer.rank(), " offsets"), ShapeText(offsets));
  for (const Shape& one : offsets.tuple_shapes()) {
    HLOCTS_RETURN_IF_ERROR(
        ExpectCompatible(kRule, "an offset", Shape::Scalar(PrimitiveType::kS32), one));
  }
  return absl::OkStatus();
}

absl::Status CheckPairs(const Instruction& op, int64_t occurrences) {
  HLOCTS_ASSIGN_OR_RETURN(CollectiveGroupMode mode, GroupModeOf(op));
  int64_t participants = ParticipantCount(op, mode);
  absl::flat_hash_map<int64_t, int64_t> sources, targets;
  using Pairs = std::vector<std::pair<int64_t, int64_t>>;
  for (const auto& [source, target] : *op.Get<Pairs>(Attr::kSourceTargetPairs)) {
    std::string pair = absl::StrCat("{", source, ",", target, "}");
    bool in_range = source >= 0 && target >= 0 &&
                    (participants == 1 || (source < participants && target < participants));
    HLOCTS_EXPECT(
        in_range, "collective_permute.4",
        participants == 1 ? "ids of at least 0" : absl::StrCat("ids in [0, ", participants, ")"),
        pair);
    HLOCTS_EXPECT(++sources[source] <= occurrences, "collective_permute.6",
                  absl::StrCat("each source in at most ", occurrences, " pairs"), pair);
    HLOCTS_EXPECT(++targets[target] <= occurrences, "collective_permute.5",
                  absl::StrCat("each target in at most ", occurrences, " pairs"), pair);
  }
  return absl::OkStatus();
}

// Returns the shape of the in-place form, which copies slices of operand 0 into a copy of operand
// 1. Operands 2 and 3 are the offsets in operands 0 and 1, respectively.
absl::StatusOr<Shape> PermutedSlices(const Instruction& op) {
  HLOCTS_EXPECT(op.operand_count() == 4, "hlo.permute_slices",
                "4 operands: input, output, input offsets and output offsets",
                CountText(op.operand_count(), "operand"));
  const Shape &input = op.operand(0).shape(), &output = op.operand(1).shape();
  HLOCTS_RETURN_IF_ERROR(CheckOffsets(input, op.operand(2).shape()));
  HLOCTS_RETURN_IF_ERROR(CheckOffsets(output, op.operand(3).shape()));
  int64_t slices = static_cast<int64_t>(
      op.Get<std::vector<std::vector<int64_t>>>(Attr::kPermuteSliceSizes)->size());
  int64_t buffers = input.IsTuple() ? static_cast<int64_t>(input.tuple_shapes().size()) : 1;
  HLOCTS_RETURN_IF_ERROR(CheckPairs(op, std::max<int64_t>(1, slices / buffers)));
  return output.WithoutLayout();
}

absl::StatusOr<Shape> PermutedShape(const Instruction& op) {
  if (op.Has(Attr::kPermuteSliceSizes)) return PermutedSlices(op);
  HLOCTS_RETURN_IF_ERROR(ExpectArrayOperands(op, "collective_permute.3"));
  HLOCTS_RETURN_IF_ERROR(CheckPairs(op, 1));
  return OneOrTuple(OperandShapes(op));
}

}  // namespace

absl::StatusOr<Shape> InferCollectivePermute(const Instruction& op, Signatures&) {
  return PermutedShape(op);
}

absl::StatusOr<Shape> InferCollectivePermuteStart(const Instruction& op, Signatures&) {
  HLOCTS_ASSIGN_OR_RETURN(Shape result, PermutedShape(op));
  Shape operand = op.Has(Attr::kPermuteSliceSizes) ? op.operand(0).shape().WithoutLayout()
                                                   : OneOrTuple(OperandShapes(op));
  return StartShape(op, std::move(operand), std::move(result));
}

absl::StatusOr<Shape> InferCollectivePermuteDone(const Instruction& op, Signatures&) {
  return ResultOfStart(op, Opcode::kCollectivePermuteStart, 1);
}

}  // namespace hlocts
