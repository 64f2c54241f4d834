// SPDX-License-Identifier: Apache-2.0
// Who takes part in a collective, and what goes where.
#include "spec/ir/instruction.h"
#include "spec/proto/attribute_rows.h"
#include "spec/proto/attribute_text.h"

namespace hlocts {
namespace attribute_rows {

void WriteReplicaGroups(Writer& w, const AttributeValue& v) {
  const ReplicaGroups& groups = As<ReplicaGroups>(v);
  if (!groups.iota_dimensions.empty()) {
    auto* iota = w.proto->mutable_iota_collective_device_list();
    iota->set_num_replica_groups(groups.iota_dimensions[0]);
    if (groups.iota_dimensions.size() > 1)
      iota->set_num_devices_per_group(groups.iota_dimensions[1]);
    ToRepeated(groups.iota_reshape_dims, iota->mutable_iota_reshape_dims());
    PermutationToRepeated(groups.iota_transpose_permutation, groups.iota_reshape_dims.size(),
                          iota->mutable_iota_transpose_perm());
    return;
  }
  auto* list = w.proto->mutable_collective_device_list();
  for (const std::vector<int64_t>& group : groups.groups) {
    ToRepeated(group, list->add_replica_groups()->mutable_replica_ids());
  }
}

template <typename Groups>
std::vector<std::vector<int64_t>> FromGroups(const Groups& groups) {
  std::vector<std::vector<int64_t>> result;
  for (const proto::ReplicaGroup& group : groups) {
    result.push_back(FromRepeated(group.replica_ids()));
  }
  return result;
}

AttributeValue ReadReplicaGroups(Reader& r) {
  ReplicaGroups groups;
  const proto::IotaReplicaGroupListProto* iota = nullptr;
  if (r.proto.has_iota_collective_device_list()) iota = &r.proto.iota_collective_device_list();
  if (r.proto.collective_device_list().has_iota_replica_group_list()) {
    iota = &r.proto.collective_device_list().iota_replica_group_list();
  }
  if (!iota) {
    groups.groups = FromGroups(r.proto.collective_device_list().replica_groups());
    if (groups.groups.empty()) groups.groups = FromGroups(r.proto.replica_groups());
    return r.Value(std::move(groups), false);
  }
  groups.iota_dimensions = {iota->num_replica_groups(), iota->num_devices_per_group()};
  groups.iota_reshape_dims = FromRepeated(iota->iota_reshape_dims());
  groups.iota_transpose_permutation = PermutationFromRepeated(iota->iota_transpose_perm());
  absl::Status expanded = ExpandIotaGroups(&groups);
  return expanded.ok() ? r.Value(std::move(groups), false) : r.Fail(expanded);
}

// 0 is no channel in the proto, but may stand in the text of a send or recv.
void WriteChannelId(Writer& w, const AttributeValue& v) {
  w.proto->set_channel_id(As<int64_t>(v));
  if (As<int64_t>(v) != 0) return;
  proto::KeptText* kept = w.proto->add_kept_attributes();
  kept->set_name(std::string(AttrName(Attr::kChannelId)));
  kept->set_text("0");
}

void WriteSourceTargetPairs(Writer& w, const AttributeValue& v) {
  for (const auto& [source, target] : As<std::vector<std::pair<int64_t, int64_t>>>(v)) {
    proto::SourceTarget* pair = w.proto->add_source_target_pairs();
    pair->set_source(source);
    pair->set_target(target);
  }
}

AttributeValue ReadSourceTargetPairs(Reader& r) {
  std::vector<std::pair<int64_t, int64_t>> pairs;
  for (const proto::SourceTarget& pair : r.proto.source_target_pairs()) {
    pairs.emplace_back(pair.source(), pair.target());
  }
  return r.Value(std::move(pairs), false);
}

// slice_sizes of a collective-permute: the lists one after the other in dynamic_slice_sizes.
void WritePermuteSliceSizes(Writer& w, const AttributeValue& v) {
  for (const Ints& sizes : As<std::vector<Ints>>(v)) {
    for (int64_t size : sizes) w.proto->add_dynamic_slice_sizes(size);
  }
}

// Sizes of the innermost tuples: how many start indices each slice has.
void CollectInnermostTuples(const Shape& shape, std::vector<int64_t>* sizes) {
  bool innermost = true;
  for (const Shape& element : shape.tuple_shapes()) {
    innermost = innermost && !element.IsTuple();
    CollectInnermostTuples(element, sizes);
  }
  if (shape.IsTuple() && innermost)
    sizes->push_back(static_cast<int64_t>(shape.tuple_shapes().size()));
}

// How long each list is, XLA does not store: operand 2 holds the start indices of each slice.
AttributeValue ReadPermuteSliceSizes(Reader& r) {
  const auto& sizes = r.proto.dynamic_slice_sizes();
  if (sizes.empty()) return r.Absent();
  std::vector<int64_t> lengths;
  if (r.instruction.operand_count() > 2) {
    CollectInnermostTuples(r.instruction.operand(2).shape(), &lengths);
  }
  std::vector<Ints> lists;
  auto next = sizes.begin();
  for (int64_t length : lengths) {
    if (length > sizes.end() - next) break;
    lists.emplace_back(next, next + length);
    next += length;
  }
  if (next == sizes.end()) return r.Value(std::move(lists), false);
  return r.Fail(InvalidInput("expected as many dynamic_slice_sizes as start indices in operand 2, ",
                             "found ", sizes.size()));
}

}  // namespace attribute_rows
}  // namespace hlocts
