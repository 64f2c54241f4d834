// SPDX-License-Identifier: Apache-2.0
#include "spec/proto/parts.h"

#include "spec/ir/sharding.h"
#include "spec/proto/residue.h"

namespace hlocts {

std::vector<int64_t> PermutationFromRepeated(
    const google::protobuf::RepeatedField<int32_t>& permutation) {
  for (int i = 0; i < permutation.size(); ++i) {
    if (permutation[i] != i) return FromRepeated(permutation);
  }
  return {};
}

void PermutationToRepeated(const std::vector<int64_t>& permutation, size_t rank,
                           google::protobuf::RepeatedField<int32_t>* out) {
  ToRepeated(permutation, out);
  for (size_t d = 0; permutation.empty() && d < rank; ++d) out->Add(static_cast<int32_t>(d));
}

namespace {

template <typename Axes>
std::vector<AxisPart> PartsFromProto(const Axes& axes, const Mesh& mesh) {
  std::vector<AxisPart> parts;
  for (const proto::AxisRefProto& axis : axes) {
    const int64_t number = axis.mesh_axis_index();
    const bool known = number >= 0 && number < static_cast<int64_t>(mesh.axes.size());
    AxisPart& part = parts.emplace_back(AxisPart{number, 1, known ? mesh.axes[number].size : 1});
    if (axis.has_sub_axis_info()) {
      part.pre = axis.sub_axis_info().pre_size();
      part.size = axis.sub_axis_info().size();
    }
  }
  return parts;
}

NamedSharding NamedFromProto(const proto::NamedShardingProto& proto) {
  NamedSharding named;
  for (const auto& axis : proto.mesh().axes()) {
    named.mesh.axes.push_back({axis.name(), axis.size()});
  }
  named.mesh.devices = FromRepeated(proto.mesh().device_ids());
  for (const auto& dimension : proto.dim_shardings()) {
    named.dimensions.push_back(PartsFromProto(dimension.axes(), named.mesh));
  }
  named.manual = PartsFromProto(proto.manual_axes(), named.mesh);
  named.unreduced = PartsFromProto(proto.unreduced_axes(), named.mesh);
  return named;
}

}  // namespace

absl::StatusOr<Sharding> ShardingFromProto(const proto::OpSharding& proto) {
  auto type_of = [](int number) -> absl::StatusOr<Sharding::Type> {
    if (!proto::OpSharding::Type_IsValid(number)) {
      return InvalidInput("expected the number of a kind of sharding, found ", number);
    }
    return static_cast<Sharding::Type>(number);  // the enumerators have the same order
  };
  Sharding sharding;
  HLOCTS_ASSIGN_OR_RETURN(sharding.type, type_of(proto.type()));
  sharding.tile_assignment_dimensions = FromRepeated(proto.tile_assignment_dimensions());
  sharding.tile_assignment_devices = FromRepeated(proto.tile_assignment_devices());
  sharding.iota_reshape_dims = FromRepeated(proto.iota_reshape_dims());
  sharding.iota_transpose_permutation = PermutationFromRepeated(proto.iota_transpose_perm());
  sharding.replicate_on_last_tile_dim = proto.replicate_on_last_tile_dim();
  for (int number : proto.last_tile_dims()) {
    HLOCTS_ASSIGN_OR_RETURN(Sharding::Type type, type_of(number));
    sharding.last_tile_dims.push_back(type);
  }
  for (const proto::OpSharding& element : proto.tuple_shardings()) {
    HLOCTS_ASSIGN_OR_RETURN(Sharding converted, ShardingFromProto(element));
    sharding.tuple_shardings.push_back(std::move(converted));
  }
  for (const proto::OpMetadata& metadata : proto.metadata()) {
    sharding.metadata.push_back(MetadataFromProto(metadata));
  }
  sharding.is_shard_group = proto.is_shard_group();
  sharding.shard_as = proto.shard_group_type() == proto::OpSharding::AS;
  sharding.shard_group_id = proto.shard_group_id();
  sharding.raw_text = proto.raw_text();
  if (proto.has_named_sharding()) {  // kept for writing back
    HLOCTS_RETURN_IF_ERROR(LowerNamedSharding(NamedFromProto(proto.named_sharding()), &sharding));
  }
  sharding.unknown_fields = UninterpretedFieldsOf(proto);
  return sharding;
}

void ShardingToProto(const Sharding& sharding, proto::OpSharding* out) {
  out->set_type(static_cast<proto::OpSharding::Type>(sharding.type));
  ToRepeated(sharding.tile_assignment_dimensions, out->mutable_tile_assignment_dimensions());
  ToRepeated(sharding.tile_assignment_devices, out->mutable_tile_assignment_devices());
  ToRepeated(sharding.iota_reshape_dims, out->mutable_iota_reshape_dims());
  PermutationToRepeated(sharding.iota_transpose_permutation, sharding.iota_reshape_dims.size(),
                        out->mutable_iota_transpose_perm());
  out->set_replicate_on_last_tile_dim(sharding.replicate_on_last_tile_dim);
  for (Sharding::Type type : sharding.last_tile_dims) {
    out->add_last_tile_dims(static_cast<proto::OpSharding::Type>(type));
  }
  for (const Sharding& element : sharding.tuple_shardings) {
    ShardingToProto(element, out->add_tuple_shardings());
  }
  for (const OpMetadata& metadata : sharding.metadata) {
    MetadataToProto(metadata, out->add_metadata());
  }
  out->set_is_shard_group(sharding.is_shard_group);
  if (!sharding.shard_as) out->set_shard_group_type(proto::OpSharding::LIKE);
  out->set_shard_group_id(sharding.shard_group_id);
  out->set_raw_text(sharding.raw_text);
  RestoreUninterpretedFields(sharding.unknown_fields, out);
}

OpMetadata MetadataFromProto(const proto::OpMetadata& proto) {
  OpMetadata metadata;
#define HLOCTS_METADATA(field) metadata.field = proto.field();
#define HLOCTS_METADATA_LIST(field) \
  metadata.field.assign(proto.field().begin(), proto.field().end());
#include "spec/ir/metadata_fields.def"
  metadata.unknown_fields = UninterpretedFieldsOf(proto);
  return metadata;
}

void MetadataToProto(const OpMetadata& metadata, proto::OpMetadata* out) {
#define HLOCTS_METADATA(field) \
  out->set_##field(static_cast<decltype(out->field())>(metadata.field));
#define HLOCTS_METADATA_LIST(field) \
  for (int64_t item : metadata.field) out->add_##field(static_cast<decltype(out->field(0))>(item));
#include "spec/ir/metadata_fields.def"
  RestoreUninterpretedFields(metadata.unknown_fields, out);
}

bool IsRawJson(absl::string_view text) {
  if (text.empty() || text.front() != '{' || text.back() != '}') return false;
  int64_t depth = 0;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
      continue;
    }
    if (c == '"') in_string = true;
    if (c == '{') ++depth;
    if (c == '}' && --depth == 0) return i + 1 == text.size();
  }
  return false;
}

StringMap StringMapFromProto(const proto::FrontendAttributes& proto) {
  StringMap map;
  for (const auto& entry : proto.map()) {
    map.entries.emplace_back(entry.key(), entry.value());
    map.quoted.push_back(!IsRawJson(entry.value()));
  }
  return map;
}

void StringMapToProto(const StringMap& map, proto::FrontendAttributes* out) {
  for (const auto& [key, value] : map.entries) {
    auto* entry = out->add_map();
    entry->set_key(key);
    entry->set_value(value);
  }
}

}  // namespace hlocts
