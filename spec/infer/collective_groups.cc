// SPDX-License-Identifier: Apache-2.0
// Groups of replicas and partitions, and helpers that the rules of the collectives share.
#include <algorithm>

#include "absl/container/flat_hash_set.h"
#include "spec/infer/collective_parts.h"
#include "spec/ir/module.h"
#include "spec/ops/kinds.h"

namespace hlocts {
namespace {

const Module* ModuleOf(const Instruction& op) {
  return op.parent() ? op.parent()->parent() : nullptr;
}

// Returns the clause of the opcode that requires each participant to be named once.
absl::string_view GroupClause(Opcode opcode) {
  const std::optional<ops::Collective> collective = ops::CollectiveOf(opcode);
  if (!collective.has_value()) return "hlo.replica_groups";
  switch (*collective) {
    case ops::Collective::kAllGather:
      return "all_gather.9";
    case ops::Collective::kAllReduce:
      return "all_reduce.9";
    case ops::Collective::kReduceScatter:
      return "reduce_scatter.13";
    case ops::Collective::kAllToAll:
      return "all_to_all.5";
    case ops::Collective::kCollectiveBroadcast:
      return "collective_broadcast.3";
    case ops::Collective::kRaggedAllToAll:
    case ops::Collective::kCollectivePermute:
      return "hlo.replica_groups";
  }
  HLOCTS_UNREACHABLE();
}

// Checks the groups as CheckedMode does.
absl::Status CheckGroups(const Instruction& op, CollectiveGroupMode mode, bool uniform) {
  const ReplicaGroups* groups = ExplicitGroupsOf(op);
  absl::string_view rule = GroupClause(op.opcode());
  HLOCTS_EXPECT(groups || mode != CollectiveGroupMode::kFlattenedId, "hlo.replica_groups",
                "replica_groups with use_global_device_ids", "none");
  if (!groups) return absl::OkStatus();
  absl::flat_hash_set<int64_t> seen;
  int64_t largest = -1;
  for (const std::vector<int64_t>& group : groups->groups) {
    HLOCTS_EXPECT(!group.empty(), rule, "groups that are not empty", "{}");
    HLOCTS_EXPECT(!uniform || group.size() == groups->groups[0].size(),
                  op.opcode() == Opcode::kReduceScatter ? "reduce_scatter.14" : rule,
                  absl::StrCat("equal groups of ", groups->groups[0].size()), ListText(group));
    for (int64_t id : group) {
      HLOCTS_EXPECT(id >= 0, rule, "ids of at least 0", absl::StrCat(id));
      HLOCTS_EXPECT(seen.insert(id).second, rule, "each id once",
                    absl::StrCat("another ", id, " in ", ListText(group)));
      largest = std::max(largest, id);
    }
  }
  int64_t count = static_cast<int64_t>(seen.size());
  int64_t participants = ParticipantCount(op, mode);
  // A collective-broadcast may omit participants, which receive zeros.
  if (op.opcode() == Opcode::kCollectiveBroadcast) {
    HLOCTS_EXPECT(participants == 1 || largest < participants, rule,
                  absl::StrCat("ids below ", participants), absl::StrCat(largest));
    return absl::OkStatus();
  }
  HLOCTS_EXPECT(largest == count - 1, rule, absl::StrCat("all ids from 0 to ", largest),
                absl::StrCat(count, " of them"));
  HLOCTS_EXPECT(participants == 1 || count == participants, rule,
                absl::StrCat(participants, " ids in all groups together"), absl::StrCat(count));
  return absl::OkStatus();
}

constexpr int64_t kDevicesStatedMax = 1024;  // each device is a thread

// Returns the number of ids that the groups or pairs of the collective require. Without groups, it
// is the size of the group of all participants, which follows from the shapes.
int64_t CountOfIds(const Instruction& op) {
  using Pairs = std::vector<std::pair<int64_t, int64_t>>;
  int64_t largest = 0;
  if (const Pairs* pairs = op.Get<Pairs>(Attr::kSourceTargetPairs)) {
    for (const auto& [source, target] : *pairs) largest = std::max({largest, source, target});
  } else if (const ReplicaGroups* groups = ExplicitGroupsOf(op)) {
    for (const std::vector<int64_t>& group : groups->groups) {
      for (int64_t id : group) largest = std::max(largest, id);
    }
  } else if (op.opcode() == Opcode::kAllToAll && op.shape().IsTuple()) {
    largest = op.operand_count() - 1;
  } else if (op.operand_count() > 0) {
    const bool start = op.opcode() == Opcode::kAllGatherStart && op.shape().IsTuple() &&
                       op.shape().tuple_shapes().size() == 2;
    const Shape& result = start ? op.shape().tuple_shapes()[1] : op.shape();
    if (!result.IsArray() || !op.operand(0).shape().IsArray()) return 1;
    const auto [small, large] =
        std::minmax({result.ElementCount(), op.operand(0).shape().ElementCount()});
    if (small > 0) largest = large / small - 1;
  }
  return std::min(largest, kDevicesStatedMax) + 1;
}

}  // namespace

absl::StatusOr<CollectiveGroupMode> GroupModeOf(const Instruction& collective) {
  bool channel = collective.Get<int64_t>(Attr::kChannelId) != nullptr;
  bool global = collective.BoolOr(Attr::kUseGlobalDeviceIds, false);
  HLOCTS_EXPECT(channel || !global, "hlo.replica_groups", "a channel_id with use_global_device_ids",
                "none");
  if (!channel) return CollectiveGroupMode::kCrossReplica;
  const std::optional<ops::Collective> kind = ops::CollectiveOf(collective.opcode());
  if (!kind.has_value()) return CollectiveGroupMode::kCrossPartition;
  switch (*kind) {
    case ops::Collective::kAllGather:
    case ops::Collective::kAllReduce:
    case ops::Collective::kReduceScatter:
      return global ? CollectiveGroupMode::kFlattenedId
                    : CollectiveGroupMode::kCrossReplicaAndPartition;
    case ops::Collective::kAllToAll:
    case ops::Collective::kRaggedAllToAll:
    case ops::Collective::kCollectivePermute:
    case ops::Collective::kCollectiveBroadcast:
      return CollectiveGroupMode::kCrossPartition;
  }
  HLOCTS_UNREACHABLE();
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

bool StateDevices(Module* module) {
  if (module->replica_count != 1 || module->num_partitions != 1) return false;
  int64_t replicas = 1, partitions = 1, both = 1;
  bool reads_partition = false;
  for (const auto& computation : module->computations()) {
    for (const auto& op : computation->instructions()) {
      reads_partition |= op->opcode() == Opcode::kPartitionId;
      if (!ops::CollectiveOf(op->opcode()).has_value()) continue;
      const absl::StatusOr<CollectiveGroupMode> mode = GroupModeOf(*op);
      if (!mode.ok()) continue;
      int64_t& count = *mode == CollectiveGroupMode::kFlattenedId      ? both
                       : *mode == CollectiveGroupMode::kCrossPartition ? partitions
                                                                       : replicas;
      count = std::max(count, CountOfIds(*op));
    }
  }
  // Flattened ids require replicas * partitions == `both`. Multiplies the partitions if the module
  // names several or reads its partition id, else the replicas.
  if (both % (replicas * partitions) == 0) {
    (partitions > 1 || reads_partition ? partitions : replicas) *= both / (replicas * partitions);
  }
  if (replicas > kDevicesStatedMax / partitions) return false;
  module->replica_count = replicas;
  module->num_partitions = partitions;
  return replicas * partitions > 1;
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

std::vector<Shape> OperandShapes(const Instruction& op) {
  std::vector<Shape> shapes;
  for (const Instruction* operand : op.operands()) {
    shapes.push_back(operand->shape().WithoutLayout());
  }
  return shapes;
}

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

}  // namespace hlocts
