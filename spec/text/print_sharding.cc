// SPDX-License-Identifier: Apache-2.0
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "spec/text/print_values.h"

namespace hlocts {
namespace {

void AppendValue(const std::string& text, std::string* out) { AppendQuoted(text, out); }
void AppendValue(int64_t number, std::string* out) { absl::StrAppend(out, number); }
void AppendValue(bool value, std::string* out) { out->append(value ? "true" : "false"); }
void AppendValue(const std::vector<int64_t>& list, std::string* out) { AppendIntList(list, out); }

template <typename T>
void AppendField(absl::string_view name, const T& value, std::string* out) {
  if (value == T()) return;
  absl::StrAppend(out, out->back() == '{' ? "" : " ", name, "=");
  AppendValue(value, out);
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
#define HLOCTS_METADATA(field) AppendField(#field, metadata.field, out);
#include "spec/ir/metadata_fields.def"
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
