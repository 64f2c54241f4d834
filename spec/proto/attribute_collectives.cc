// SPDX-License-Identifier: Apache-2.0
// Converts the participants of a collective, and its sources, targets and channels.
#include "spec/ir/instruction.h"
#include "spec/ir/replica_groups.h"
#include "spec/proto/attribute_rows.h"

namespace hlocts {
namespace attribute_rows {

void WriteMesh(const MeshAxes& mesh, proto::MeshAxesReplicaGroupListProto* out) {
  for (const MeshAxes::Axis& axis : mesh.axes) {
    auto* added = out->mutable_mesh()->add_axes();
    added->set_name(axis.name);
    added->set_size(axis.size);
  }
  ToRepeated(mesh.device_ids, out->mutable_mesh()->mutable_device_ids());
  for (const MeshAxes::Part& part : mesh.grouped) {
    auto* added = out->add_axes();
    added->set_mesh_axis_index(part.axis);
    if (part.size == 0) continue;
    added->mutable_sub_axis_info()->set_pre_size(part.pre_size);
    added->mutable_sub_axis_info()->set_size(part.size);
  }
}

template <typename Field>
void WriteGroups(const std::vector<Ints>& groups, Field* field) {
  for (const Ints& group : groups) ToRepeated(group, field->Add()->mutable_replica_ids());
}

void WriteReplicaGroups(Writer& w, const AttributeValue& v) {
  const ReplicaGroups& groups = As<ReplicaGroups>(v);
  if (!groups.mesh.axes.empty()) {
    WriteMesh(groups.mesh, w.proto->mutable_mesh_axes_replica_group_list());
    // Writes the oldest field too: a release without mesh support would otherwise read no groups.
    WriteGroups(groups.groups, w.proto->mutable_replica_groups());
  } else if (!groups.iota_dimensions.empty()) {
    auto* iota = w.proto->mutable_iota_collective_device_list();
    iota->set_num_replica_groups(groups.iota_dimensions[0]);
    iota->set_num_devices_per_group(groups.iota_dimensions[1]);
    ToRepeated(groups.iota_reshape_dims, iota->mutable_iota_reshape_dims());
    PermutationToRepeated(groups.iota_transpose_permutation, groups.iota_reshape_dims.size(),
                          iota->mutable_iota_transpose_perm());
  } else {
    WriteGroups(groups.groups, w.proto->mutable_collective_device_list()->mutable_replica_groups());
  }
}

template <typename Groups>
std::vector<Ints> FromGroups(const Groups& groups) {
  std::vector<Ints> result;
  for (const proto::ReplicaGroup& group : groups) {
    result.push_back(FromRepeated(group.replica_ids()));
  }
  return result;
}

absl::StatusOr<MeshAxes> MeshFromProto(const proto::MeshAxesReplicaGroupListProto& in) {
  MeshAxes mesh;
  for (const auto& axis : in.mesh().axes()) mesh.axes.push_back({axis.name(), axis.size()});
  if (mesh.axes.empty()) return InvalidInput("expected axes of the mesh of replica groups");
  mesh.device_ids = FromRepeated(in.mesh().device_ids());
  for (const proto::AxisRefProto& axis : in.axes()) {
    MeshAxes::Part& part = mesh.grouped.emplace_back();
    part.axis = axis.mesh_axis_index();
    if (!axis.has_sub_axis_info()) continue;
    part.pre_size = axis.sub_axis_info().pre_size();
    part.size = axis.sub_axis_info().size();
    if (part.size < 1) {
      return InvalidInput("expected a positive size of a part of an axis, found ", part.size);
    }
  }
  return mesh;
}

// Reads replica groups. If an XLA release writes a compact form, it may also write the lists. Both
// must then be equal.
AttributeValue ReadReplicaGroups(Reader& r) {
  ReplicaGroups groups;
  std::vector<Ints> listed = FromGroups(r.proto.collective_device_list().replica_groups());
  if (listed.empty()) listed = FromGroups(r.proto.replica_groups());
  const proto::IotaReplicaGroupListProto* iota = nullptr;
  if (r.proto.has_iota_collective_device_list()) iota = &r.proto.iota_collective_device_list();
  if (r.proto.collective_device_list().has_iota_replica_group_list()) {
    iota = &r.proto.collective_device_list().iota_replica_group_list();
  }
  if (iota != nullptr) {
    groups.iota_dimensions = {iota->num_replica_groups(), iota->num_devices_per_group()};
    groups.iota_reshape_dims = FromRepeated(iota->iota_reshape_dims());
    groups.iota_transpose_permutation = PermutationFromRepeated(iota->iota_transpose_perm());
  } else if (r.proto.has_mesh_axes_replica_group_list()) {
    absl::StatusOr<MeshAxes> mesh = MeshFromProto(r.proto.mesh_axes_replica_group_list());
    if (!mesh.ok()) return r.Fail(mesh.status());
    groups.mesh = *std::move(mesh);
  } else {
    groups.groups = std::move(listed);
    return r.Value(std::move(groups), false);
  }
  absl::Status expanded = ExpandReplicaGroups(&groups);
  if (!expanded.ok()) return r.Fail(expanded);
  if (!listed.empty() && listed != groups.groups) {
    return r.Fail(InvalidInput("expected the same groups in replica_groups and in the ",
                               "compact form, found different ones"));
  }
  return r.Value(std::move(groups), false);
}

// In the proto, 0 means no channel, but the text of a send or recv may have channel 0.
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

// Writes slice_sizes of a collective-permute. Its lists are concatenated in dynamic_slice_sizes.
void WritePermuteSliceSizes(Writer& w, const AttributeValue& v) {
  for (const Ints& sizes : As<std::vector<Ints>>(v)) {
    for (int64_t size : sizes) w.proto->add_dynamic_slice_sizes(size);
  }
}

// Collects the sizes of the innermost tuples. The size of an innermost tuple is the number of start
// indices of a slice.
void CollectInnermostTuples(const Shape& shape, std::vector<int64_t>* sizes) {
  bool innermost = true;
  for (const Shape& element : shape.tuple_shapes()) {
    innermost = innermost && !element.IsTuple();
    CollectInnermostTuples(element, sizes);
  }
  if (shape.IsTuple() && innermost)
    sizes->push_back(static_cast<int64_t>(shape.tuple_shapes().size()));
}

// Reads the lists of slice sizes. XLA does not store their lengths. The length of a list is the
// number of start indices of the slice, which follows from operand 2.
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
