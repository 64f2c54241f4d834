// SPDX-License-Identifier: Apache-2.0
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/text/print_values.h"

namespace hlocts {
namespace {

struct MetadataField {
  absl::string_view name;
  std::string OpMetadata::*text;
  int64_t OpMetadata::*number;
};
// In XLA's order; profile_type, preserve_layout stand between and have their own lines below.
constexpr MetadataField kFieldsBefore[] = {
    {"op_type", &OpMetadata::op_type, nullptr},
    {"op_name", &OpMetadata::op_name, nullptr},
    {"source_file", &OpMetadata::source_file, nullptr},
    {"source_line", nullptr, &OpMetadata::source_line},
    {"source_end_line", nullptr, &OpMetadata::source_end_line},
    {"source_column", nullptr, &OpMetadata::source_column},
    {"source_end_column", nullptr, &OpMetadata::source_end_column},
};
constexpr MetadataField kFieldsAfter[] = {
    {"scheduling_name", &OpMetadata::scheduling_name, nullptr},
    {"stack_frame_id", nullptr, &OpMetadata::stack_frame_id},
    {"size_of_generated_code_in_bytes", nullptr, &OpMetadata::size_of_generated_code_in_bytes},
    {"size_of_memory_working_set_in_bytes", nullptr,
     &OpMetadata::size_of_memory_working_set_in_bytes},
};
constexpr MetadataField kDeduplicatedName = {"deduplicated_name", &OpMetadata::deduplicated_name,
                                             nullptr};

void AppendFieldName(absl::string_view name, std::string* out) {
  absl::StrAppend(out, out->back() == '{' ? "" : " ", name, "=");
}

// Fields at their default are left out.
void AppendField(const OpMetadata& metadata, const MetadataField& field, std::string* out) {
  if (field.text != nullptr && !(metadata.*field.text).empty()) {
    AppendFieldName(field.name, out);
    AppendQuoted(metadata.*field.text, out);
  } else if (field.number != nullptr && metadata.*field.number != 0) {
    AppendFieldName(field.name, out);
    absl::StrAppend(out, metadata.*field.number);
  }
}

absl::string_view TypeWord(Sharding::Type type) {
  switch (type) {
    case Sharding::Type::kReplicated:
      return "replicated";
    case Sharding::Type::kManual:
      return "manual";
    case Sharding::Type::kUnreduced:
      return "unreduced";
    default:
      return "unknown";
  }
}

void AppendDevices(const Sharding& sharding, std::string* out) {
  absl::StrAppend(out, "devices=");
  if (!sharding.iota_reshape_dims.empty()) {
    AppendIota(sharding.tile_assignment_dimensions, sharding.iota_reshape_dims,
               sharding.iota_transpose_permutation, out);
  } else {
    absl::StrAppend(out, "[", absl::StrJoin(sharding.tile_assignment_dimensions, ","), "]",
                    absl::StrJoin(sharding.tile_assignment_devices, ","));
  }
  if (sharding.replicate_on_last_tile_dim) absl::StrAppend(out, " last_tile_dim_replicate");
  if (!sharding.last_tile_dims.empty()) {
    absl::StrAppend(out, " last_tile_dims={",
                    absl::StrJoin(sharding.last_tile_dims, ", ",
                                  [](std::string* to, Sharding::Type type) {
                                    absl::StrAppend(to, TypeWord(type));
                                  }),
                    "}");
  }
}

void AppendShardingType(const Sharding& sharding, std::string* out) {
  if (sharding.type == Sharding::Type::kOther) return AppendDevices(sharding, out);
  if (sharding.type != Sharding::Type::kMaximal) {
    absl::StrAppend(out, TypeWord(sharding.type));
    return;
  }
  absl::StrAppend(out, "maximal");
  if (!sharding.tile_assignment_devices.empty()) {
    absl::StrAppend(out, " device=", sharding.tile_assignment_devices[0]);
  }
}

void AppendShardingMetadata(const std::vector<OpMetadata>& metadata, std::string* out) {
  absl::StrAppend(out, " metadata=");
  if (metadata.size() == 1) return AppendMetadata(metadata[0], out);
  absl::StrAppend(out, "{");
  for (size_t i = 0; i < metadata.size(); ++i) {
    if (i > 0) absl::StrAppend(out, ", ");
    AppendMetadata(metadata[i], out);
  }
  absl::StrAppend(out, "}");
}

}  // namespace

void AppendMetadata(const OpMetadata& metadata, std::string* out) {
  out->push_back('{');
  for (const MetadataField& field : kFieldsBefore) AppendField(metadata, field, out);
  if (!metadata.profile_type.empty()) {
    AppendFieldName("profile_type", out);
    AppendIntList(metadata.profile_type, out);
  }
  AppendField(metadata, kDeduplicatedName, out);
  if (metadata.preserve_layout) {
    AppendFieldName("preserve_layout", out);
    out->append("true");
  }
  for (const MetadataField& field : kFieldsAfter) AppendField(metadata, field, out);
  out->push_back('}');
}

void AppendSharding(const Sharding& sharding, bool metadata, std::string* out) {
  if (!sharding.raw_text.empty()) {
    absl::StrAppend(out, sharding.raw_text);
    return;
  }
  out->push_back('{');
  if (sharding.type == Sharding::Type::kTuple) {
    for (size_t i = 0; i < sharding.tuple_shardings.size(); ++i) {
      if (i > 0) out->append(i % 5 == 0 ? absl::StrCat(", /*index=", i, "*/") : ", ");
      AppendSharding(sharding.tuple_shardings[i], metadata, out);
    }
  } else {
    AppendShardingType(sharding, out);
    if (sharding.is_shard_group) {
      absl::StrAppend(out, sharding.shard_as ? " shard_as " : " shard_like ",
                      sharding.shard_group_id);
    }
    if (metadata && !sharding.metadata.empty()) AppendShardingMetadata(sharding.metadata, out);
  }
  out->push_back('}');
}

void AppendDomain(const DomainMetadata& domain, std::string* out) {
  out->append("{kind=");
  AppendQuoted(domain.kind, out);
  out->append(", entry=");
  AppendSharding(domain.entry, true, out);
  out->append(", exit=");
  AppendSharding(domain.exit, true, out);
  out->push_back('}');
}

std::string PrintSharding(const Sharding& sharding) {
  std::string out;
  AppendSharding(sharding, true, &out);
  return out;
}

}  // namespace hlocts
