// SPDX-License-Identifier: Apache-2.0
// Builds operations on replicas, channels and tokens.
#include "absl/strings/str_cat.h"
#include "spec/builder/builder.h"

namespace hlocts {
namespace {

AttributeValue GroupsOf(const Builder::Groups& groups) {
  ReplicaGroups value;
  value.groups = groups;
  return value;
}

}  // namespace

Value Builder::AllGather(Value operand, int64_t all_gather_dim, int64_t shard_count,
                         const Groups& replica_groups, std::optional<int64_t> channel_id) {
  if (!Usable({operand})) return {};
  Shape result = operand.shape();
  int64_t size = 0;
  if (all_gather_dim < 0 || all_gather_dim >= result.rank() || shard_count < 1 ||
      __builtin_mul_overflow(result.dimension(all_gather_dim), shard_count, &size)) {
    return FailRule("AllGather", "all_gather.4",
                    absl::StrCat("a dimension of ", result.ToString(false), " and a shard_count"),
                    absl::StrCat(all_gather_dim, " and ", shard_count));
  }
  result.set_dimension(all_gather_dim, size);  // all_gather.14
  Attributes attributes = {{Attr::kReplicaGroups, GroupsOf(replica_groups)},
                           {Attr::kDimensions, std::vector<int64_t>{all_gather_dim}}};
  if (channel_id) attributes.push_back({Attr::kChannelId, *channel_id});
  return Emit(Opcode::kAllGather, {operand}, std::move(attributes), result);
}

Value Builder::AllReduce(Values operands, Computation* computation, const Groups& replica_groups,
                         std::optional<int64_t> channel_id) {
  if (!Usable(absl::MakeConstSpan(&computation, 1))) return {};
  Attributes attributes = {{Attr::kReplicaGroups, GroupsOf(replica_groups)}};
  if (channel_id) attributes.push_back({Attr::kChannelId, *channel_id});
  attributes.push_back({Attr::kToApply, computation});
  return Emit(Opcode::kAllReduce, operands, std::move(attributes));
}

Value Builder::AllToAll(Value operand, int64_t split_dimension, int64_t concat_dimension,
                        int64_t split_count, const Groups& replica_groups) {
  if (!Usable({operand})) return {};
  const Shape shape = operand.shape();
  const int64_t rank = shape.rank();
  if (!shape.IsArray() || split_dimension < 0 || split_dimension >= rank || concat_dimension < 0 ||
      concat_dimension >= rank) {
    return FailRule("AllToAll", split_dimension < rank ? "all_to_all.15" : "all_to_all.13",
                    absl::StrCat("dimensions in [0, ", rank, ")"),
                    absl::StrCat(split_dimension, " and ", concat_dimension));
  }
  if (split_count < 1 || shape.dimension(split_dimension) % split_count != 0) {
    return FailRule("AllToAll", "all_to_all.9",
                    absl::StrCat("a split_count that divides ", shape.dimension(split_dimension)),
                    absl::StrCat(split_count));
  }
  if (!replica_groups.empty() && static_cast<int64_t>(replica_groups[0].size()) != split_count) {
    return FailRule("AllToAll", "all_to_all.18",
                    absl::StrCat("split_count ", replica_groups[0].size(), ", the size of a group"),
                    absl::StrCat(split_count));
  }
  Value blocks = Emit(Opcode::kAllToAll, {operand},
                      {{Attr::kReplicaGroups, GroupsOf(replica_groups)},
                       {Attr::kDimensions, std::vector<int64_t>{split_dimension}}});
  if (split_dimension == concat_dimension || !blocks.ok()) return blocks;
  // all_to_all.4: the block from core i is now block i of the split dimension. The core number
  // becomes a dimension of its own, which is moved before the concatenated dimension and merged
  // with it.
  std::vector<int64_t> apart = shape.dimensions(), permutation, merged = shape.dimensions();
  apart[split_dimension] /= split_count;
  apart.insert(apart.begin() + split_dimension, split_count);
  for (int64_t d = 0; d < rank; ++d) {
    if (d == concat_dimension) permutation.push_back(split_dimension);
    permutation.push_back(d < split_dimension ? d : d + 1);
  }
  merged[split_dimension] /= split_count;
  if (__builtin_mul_overflow(merged[concat_dimension], split_count, &merged[concat_dimension])) {
    return FailRule("AllToAll", "hlo.shape", "sizes below 2^63", "more");
  }
  return Reshape(Transpose(Reshape(blocks, apart), permutation), merged);
}

Value Builder::CollectivePermute(Value operand, const Pairs& source_target_pairs) {
  return Emit(Opcode::kCollectivePermute, {operand},
              {{Attr::kSourceTargetPairs, source_target_pairs}});
}

Value Builder::CollectiveBroadcast(Value operand, const Groups& replica_groups) {
  return Emit(Opcode::kCollectiveBroadcast, {operand},
              {{Attr::kReplicaGroups, GroupsOf(replica_groups)}});
}

Value Builder::RaggedAllToAll(Value input, Value input_offsets, Value send_sizes, Value output,
                              Value output_offsets, Value recv_sizes,
                              const Groups& replica_groups) {
  return Emit(Opcode::kRaggedAllToAll,
              {input, output, input_offsets, send_sizes, output_offsets, recv_sizes},
              {{Attr::kReplicaGroups, GroupsOf(replica_groups)}});
}

Value Builder::ReduceScatter(Value operand, Computation* computation, int64_t scatter_dim,
                             int64_t shard_count, const Groups& replica_groups,
                             std::optional<int64_t> channel_id) {
  if (!Usable({operand}) || !Usable(absl::MakeConstSpan(&computation, 1))) return {};
  Shape result = operand.shape();
  if (scatter_dim < 0 || scatter_dim >= result.rank()) {
    return FailRule("ReduceScatter", "reduce_scatter.6",
                    absl::StrCat("a dimension of ", result.ToString(false)),
                    absl::StrCat(scatter_dim));
  }
  if (shard_count < 1 || result.dimension(scatter_dim) % shard_count != 0) {
    return FailRule("ReduceScatter", "reduce_scatter.20",
                    absl::StrCat("a shard_count that divides ", result.dimension(scatter_dim)),
                    absl::StrCat(shard_count));
  }
  result.set_dimension(scatter_dim, result.dimension(scatter_dim) / shard_count);
  Attributes attributes = {{Attr::kReplicaGroups, GroupsOf(replica_groups)},
                           {Attr::kDimensions, std::vector<int64_t>{scatter_dim}}};
  if (channel_id) attributes.push_back({Attr::kChannelId, *channel_id});
  attributes.push_back({Attr::kToApply, computation});
  return Emit(Opcode::kReduceScatter, {operand}, std::move(attributes), result);
}

Value Builder::AfterAll(Values tokens) { return Emit(Opcode::kAfterAll, tokens); }

Value Builder::Infeed(const Shape& shape) {
  Value before = infeed_tokens_[current_];
  if (!before.ok()) before = AfterAll({});
  Value both = Emit(Opcode::kInfeed, {before}, {}, Shape::Tuple({shape, Shape::Token()}));
  infeed_tokens_[current_] = GetTupleElement(both, 1);
  return GetTupleElement(both, 0);
}

Value Builder::Outfeed(Value operand) {
  if (!Usable({operand})) return {};
  return Emit(Opcode::kOutfeed, {operand, AfterAll({})}, {{Attr::kOutfeedShape, operand.shape()}});
}

void Builder::Send(Value operand, int64_t channel_id) {
  Value context = Emit(Opcode::kSend, {operand, AfterAll({})}, {{Attr::kChannelId, channel_id}});
  Emit(Opcode::kSendDone, {context}, {{Attr::kChannelId, channel_id}});
}

Value Builder::Recv(const Shape& shape, int64_t channel_id) {
  Shape context = Shape::Tuple({shape, Shape::Scalar(PrimitiveType::kU32), Shape::Token()});
  Value start = Emit(Opcode::kRecv, {AfterAll({})}, {{Attr::kChannelId, channel_id}}, context);
  Value done = Emit(Opcode::kRecvDone, {start}, {{Attr::kChannelId, channel_id}});
  return GetTupleElement(done, 0);
}

}  // namespace hlocts
