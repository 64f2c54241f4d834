#include "spec/infer/collective.h"

#include "absl/container/flat_hash_set.h"
#include "spec/infer/rules.h"

namespace hlocts {
namespace {

// The clause that says each participant is named once, by opcode.
absl::string_view GroupClause(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAllGather:
    case Opcode::kAllGatherStart:
      return "all_gather.9";
    case Opcode::kAllReduce:
    case Opcode::kAllReduceStart:
      return "all_reduce.9";
    case Opcode::kReduceScatter:
      return "reduce_scatter.13";
    case Opcode::kAllToAll:
      return "all_to_all.5";
    default:
      return "hlo.replica_groups";
  }
}

// Groups are disjoint and name all ids from 0 on; `uniform`: they are of one size, because the
// shape of the result depends on it.
absl::Status CheckGroups(const Instruction& op, CollectiveGroupMode mode, bool uniform) {
  const ReplicaGroups* groups = ExplicitGroupsOf(op);
  absl::string_view rule = GroupClause(op.opcode());
  HLOCTS_EXPECT(groups || mode != CollectiveGroupMode::kFlattenedId, "hlo.replica_groups",
                "replica_groups beside use_global_device_ids", "none");
  if (!groups) return absl::OkStatus();
  absl::flat_hash_set<int64_t> seen;
  int64_t largest = -1;
  for (const std::vector<int64_t>& group : groups->groups) {
    HLOCTS_EXPECT(!group.empty(), rule, "groups that are not empty", "{}");
    HLOCTS_EXPECT(!uniform || group.size() == groups->groups[0].size(),
                  op.opcode() == Opcode::kReduceScatter ? "reduce_scatter.14" : rule,
                  absl::StrCat("groups of ", groups->groups[0].size()), ListText(group));
    for (int64_t id : group) {
      HLOCTS_EXPECT(id >= 0, rule, "ids of at least 0", absl::StrCat(id));
      HLOCTS_EXPECT(seen.insert(id).second, rule, "each id once",
                    absl::StrCat("another ", id, " in ", ListText(group)));
      largest = std::max(largest, id);
    }
  }
  int64_t count = static_cast<int64_t>(seen.size());
  int64_t participants = ParticipantCount(op, mode);
  // A broadcast may leave participants out; they get zeros.
  if (op.opcode() == Opcode::kCollectiveBroadcast) {
    HLOCTS_EXPECT(participants == 1 || largest < participants, rule,
                  absl::StrCat("ids below ", participants), absl::StrCat(largest));
    return absl::OkStatus();
  }
  HLOCTS_EXPECT(largest == count - 1, rule, absl::StrCat("all ids from 0 to ", largest),
                absl::StrCat(count, " of them"));
  HLOCTS_EXPECT(participants == 1 || count == participants, rule,
                absl::StrCat(participants, " ids in all groups"), absl::StrCat(count));
  return absl::OkStatus();
}

absl::StatusOr<CollectiveGroupMode> CheckedMode(const Instruction& op, bool uniform) {
  HLOCTS_ASSIGN_OR_RETURN(CollectiveGroupMode mode, GroupModeOf(op));
  HLOCTS_RETURN_IF_ERROR(CheckGroups(op, mode, uniform));
  return mode;
}

absl::Status ExpectArrayOperands(const Instruction& op, absl::string_view rule) {
  for (const Instruction* operand : op.operands()) {
    HLOCTS_RETURN_IF_ERROR(ExpectArray(rule, "operands", operand->shape()));
  }
  return absl::OkStatus();
}

absl::StatusOr<int64_t> OnlyDimension(const Instruction& op, absl::string_view rule) {
  const std::vector<int64_t>& dimensions = op.IntList(Attr::kDimensions);
  HLOCTS_EXPECT(dimensions.size() == 1, rule, "one dimension", ListText(dimensions));
  for (const Instruction* operand : op.operands()) {
    HLOCTS_RETURN_IF_ERROR(
        ExpectDimension(rule, "the dimension", dimensions[0], operand->shape().rank()));
  }
  return dimensions[0];
}

std::vector<Shape> OperandShapes(const Instruction& op) {
  std::vector<Shape> shapes;
  for (const Instruction* operand : op.operands()) {
    shapes.push_back(operand->shape().WithoutLayout());
  }
  return shapes;
}

// The stated shape of result i; nullptr when the stated shape does not have it.
const Shape* StatedResult(const Shape& stated, const Instruction& op, int64_t i) {
  if (op.operand_count() == 1 && !stated.IsTuple()) return &stated;
  if (!stated.IsTuple() || i >= static_cast<int64_t>(stated.tuple_shapes().size())) return nullptr;
  return &stated.tuple_shapes()[i];
}

// shard_count: the size of a group; where nothing says it, how much larger the stated result
// (`many`) is than the operand, or the operand than the result.
absl::StatusOr<int64_t> ShardCount(const Instruction& op, CollectiveGroupMode mode,
                                   const Shape& stated, int64_t dimension, bool grows,
                                   absl::string_view rule) {
  int64_t size = GroupSizeOf(op, mode);
  if (size > 0) return size;
  const Shape* result = StatedResult(stated, op, 0);
  HLOCTS_EXPECT(result && result->rank() == op.operand(0).shape().rank(), rule,
                absl::StrCat("a result of ", op.operand(0).shape().rank(), " dimensions"),
                ShapeText(stated));
  int64_t from = op.operand(0).shape().dimension(dimension), to = result->dimension(dimension);
  if (!grows) std::swap(from, to);
  if (from == 0 || from == kUnboundedSize || to == kUnboundedSize) return 1;
  HLOCTS_EXPECT(to % from == 0 && to >= from, rule, "one size a multiple of the other",
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
                  absl::StrCat("a computation of ", TypeText(operand->shape().element_type())),
                  TypeText(types[0]));
  }
  return absl::OkStatus();
}

bool IsPermute(Opcode opcode) {
  return opcode == Opcode::kCollectivePermute || opcode == Opcode::kCollectivePermuteStart;
}

// A buffer's slice offsets: one s32 for each dimension, or a tuple of such tuples for several
// slices.
absl::Status CheckOffsets(const Shape& buffer, const Shape& offsets) {
  constexpr absl::string_view kRule = "hlo.permute_slices";
  HLOCTS_EXPECT(offsets.IsTuple() && !offsets.tuple_shapes().empty(), kRule,
                absl::StrCat("offsets of ", ShapeText(buffer)), ShapeText(offsets));
  if (buffer.IsTuple()) {
    HLOCTS_EXPECT(buffer.tuple_shapes().size() == offsets.tuple_shapes().size(), kRule,
                  "as many offsets as buffers", ShapeText(offsets));
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
                  absl::StrCat("each source at most ", occurrences, " times"), pair);
    HLOCTS_EXPECT(++targets[target] <= occurrences, "collective_permute.5",
                  absl::StrCat("each target at most ", occurrences, " times"), pair);
  }
  return absl::OkStatus();
}

// In place: slices of operand 0 go into a copy of operand 1, at the offsets of operands 2 and 3.
absl::StatusOr<Shape> PermutedSlices(const Instruction& op) {
  HLOCTS_EXPECT(op.operand_count() == 4, "hlo.permute_slices",
                "input, output, input offsets and output offsets",
                absl::StrCat(op.operand_count(), " operands"));
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

const Module* ModuleOf(const Instruction& op) {
  return op.parent() ? op.parent()->parent() : nullptr;
}

// A *-start's shape is (operand, result, contexts...); the stated contexts are kept.
absl::StatusOr<Shape> StartShape(const Instruction& op, Shape operand, Shape result) {
  const Shape& stated = op.shape();
  HLOCTS_EXPECT(stated.IsTuple() && stated.tuple_shapes().size() >= 2, "hlo.async",
                absl::StrCat("the shape (", ShapeText(operand), ", ", ShapeText(result), ")"),
                ShapeText(stated));
  std::vector<Shape> elements = {std::move(operand), std::move(result)};
  for (size_t i = 2; i < stated.tuple_shapes().size(); ++i) {
    elements.push_back(stated.tuple_shapes()[i].WithoutLayout());
  }
  return Shape::Tuple(std::move(elements));
}

absl::StatusOr<Shape> ResultOfStart(const Instruction& done, Opcode start, size_t element) {
  const Instruction& operand = done.operand(0);
  HLOCTS_EXPECT(operand.opcode() == start, "hlo.async",
                absl::StrCat(OpcodeName(start), " as operand"),
                absl::StrCat("%", operand.name(), " = ", OpcodeName(operand.opcode())));
  HLOCTS_EXPECT(operand.shape().IsTuple() && operand.shape().tuple_shapes().size() > element,
                "hlo.async", "a tuple with the result", ShapeText(operand.shape()));
  return operand.shape().tuple_shapes()[element].WithoutLayout();
}

}  // namespace

absl::StatusOr<CollectiveGroupMode> GroupModeOf(const Instruction& collective) {
  bool channel = collective.Get<int64_t>(Attr::kChannelId) != nullptr;
  bool global = collective.BoolOr(Attr::kUseGlobalDeviceIds, false);
  HLOCTS_EXPECT(channel || !global, "hlo.replica_groups",
                "a channel_id beside use_global_device_ids", "none");
  if (!channel) return CollectiveGroupMode::kCrossReplica;
  switch (collective.opcode()) {
    case Opcode::kAllGather:
    case Opcode::kAllGatherStart:
    case Opcode::kAllReduce:
    case Opcode::kAllReduceStart:
    case Opcode::kReduceScatter:
      return global ? CollectiveGroupMode::kFlattenedId
                    : CollectiveGroupMode::kCrossReplicaAndPartition;
    default:
      return CollectiveGroupMode::kCrossPartition;
  }
}

int64_t ParticipantCount(const Instruction& collective, CollectiveGroupMode mode) {
  const Module* module = ModuleOf(collective);
  if (!module) return 1;
  switch (mode) {
    case CollectiveGroupMode::kCrossPartition:
      return module->num_partitions;
    case CollectiveGroupMode::kFlattenedId: {
      int64_t product;
      bool overflow =
          __builtin_mul_overflow(module->replica_count, module->num_partitions, &product);
      return overflow ? INT64_MAX : product;
    }
    default:
      return module->replica_count;
  }
}

const ReplicaGroups* ExplicitGroupsOf(const Instruction& collective) {
  const ReplicaGroups* groups = collective.Get<ReplicaGroups>(Attr::kReplicaGroups);
  return groups && !groups->groups.empty() ? groups : nullptr;
}

int64_t GroupSizeOf(const Instruction& collective, CollectiveGroupMode mode) {
  const Module* module = ModuleOf(collective);
  const bool both = mode == CollectiveGroupMode::kCrossReplicaAndPartition;
  int64_t partitions = both && module ? module->num_partitions : 1;
  const ReplicaGroups* groups = ExplicitGroupsOf(collective);
  int64_t ids =
      groups ? static_cast<int64_t>(groups->groups[0].size()) : ParticipantCount(collective, mode);
  int64_t size;
  if (__builtin_mul_overflow(ids, partitions, &size)) return 0;
  return groups || size > 1 ? size : 0;
}

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
                  absl::StrCat("a scatter dimension that ", shards, " divides"), ShapeText(shape));
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
                  absl::StrCat("a split dimension that ", size, " divides"), absl::StrCat(extent));
    return op.operand(0).shape().WithoutLayout();
  }
  // Today's tuple form (ruling 0042): operand i goes to member i of the group.
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
  constexpr absl::string_view kRule = "hlo.ragged_all_to_all";
  HLOCTS_RETURN_IF_ERROR(CheckedMode(op, /*uniform=*/true).status());
  HLOCTS_RETURN_IF_ERROR(ExpectArrayOperands(op, kRule));
  const Shape &input = op.operand(0).shape(), &output = op.operand(1).shape();
  HLOCTS_EXPECT(input.element_type() == output.element_type() && input.rank() == output.rank() &&
                    input.rank() > 0,
                kRule, absl::StrCat("an output buffer like ", ShapeText(input)), ShapeText(output));
  for (int64_t d = 1; d < input.rank(); ++d) {
    HLOCTS_EXPECT(CompatibleSize(input.dimension(d), output.dimension(d)), kRule,
                  absl::StrCat("size ", input.dimension(d), " in dimension ", d),
                  ShapeText(output));
  }
  for (int64_t i = 2; i < op.operand_count(); ++i) {
    const Shape& sizes = op.operand(i).shape();
    HLOCTS_EXPECT(IsInteger(sizes.element_type()) && Compatible(sizes, op.operand(2).shape()),
                  kRule, "offsets and sizes of one integer shape", ShapeText(sizes));
  }
  return output.WithoutLayout();
}

absl::StatusOr<Shape> InferCollectivePermute(const Instruction& op, Signatures&) {
  return PermutedShape(op);
}

absl::StatusOr<Shape> InferCollectivePermuteStart(const Instruction& op, Signatures&) {
  HLOCTS_CHECK(IsPermute(op.opcode()));
  HLOCTS_ASSIGN_OR_RETURN(Shape result, PermutedShape(op));
  Shape operand = op.Has(Attr::kPermuteSliceSizes) ? op.operand(0).shape().WithoutLayout()
                                                   : OneOrTuple(OperandShapes(op));
  return StartShape(op, std::move(operand), std::move(result));
}

absl::StatusOr<Shape> InferCollectivePermuteDone(const Instruction& op, Signatures&) {
  return ResultOfStart(op, Opcode::kCollectivePermuteStart, 1);
}

absl::StatusOr<Shape> InferCollectiveBroadcast(const Instruction& op, Signatures&) {
  HLOCTS_RETURN_IF_ERROR(CheckedMode(op, /*uniform=*/false).status());
  HLOCTS_RETURN_IF_ERROR(ExpectArrayOperands(op, "hlo.collective_broadcast"));
  return OneOrTuple(OperandShapes(op));
}

absl::StatusOr<Shape> InferDeviceId(const Instruction&, Signatures&) {
  return Shape::Scalar(PrimitiveType::kU32);  // replica_id.2
}

}  // namespace hlocts
