// SPDX-License-Identifier: Apache-2.0

#include "spec/ir/replica_groups.h"
#include "spec/ir/sharding.h"
#include "spec/text/named_sharding.h"
#include "spec/text/values.h"

namespace hlocts {
namespace {

bool CheckIota(Cursor& in, const char* where, const std::vector<int64_t>& dimensions,
               const std::vector<int64_t>& reshape_dims, const std::vector<int64_t>& permutation) {
  int64_t devices = DeviceProduct(reshape_dims);
  if (devices > kMeshDevicesMax) {
    return in.FailAt(where, "text.limit",
                     absl::StrCat("expected at most ", kMeshDevicesMax, " devices"));
  }
  if (!permutation.empty() &&
      (permutation.size() != reshape_dims.size() || !IsPermutation(permutation))) {
    return in.FailAt(where, "text.attribute", "expected a permutation after T");
  }
  if (DeviceProduct(dimensions) != devices) {
    return in.FailAt(where, "text.attribute",
                     absl::StrCat("expected sizes for ", devices, " devices"));
  }
  return true;
}

// Reads a form that is stored as text, up to the following ',' or end of line.
bool ReadMeshText(Cursor& in, std::string* text) {
  const char* start = in.Here();
  int depth = 0;
  bool quoted = false;
  for (char c = in.Raw(); c != '\0' && c != '\n'; c = in.Raw()) {
    if (c == '\'') quoted = !quoted;
    if (!quoted && (c == '{' || c == '[' || c == '(')) ++depth;
    if (!quoted && (c == '}' || c == ']' || c == ')') && --depth < 0) break;
    if (!quoted && depth == 0 && c == ',') break;
    in.Advance(1);
  }
  *text = std::string(start, in.raw_position() - start);
  while (!text->empty() && (text->back() == ' ' || text->back() == '\r')) text->pop_back();
  return true;
}

struct TypeWord {
  absl::string_view word;
  Sharding::Type type;
};
constexpr TypeWord kTypeWords[] = {
    {"replicated", Sharding::Type::kReplicated},
    {"manual", Sharding::Type::kManual},
    {"unknown", Sharding::Type::kUnknown},
    {"unreduced", Sharding::Type::kUnreduced},
};

bool ReadTypeWord(Cursor& in, Sharding::Type* type) {
  for (const TypeWord& row : kTypeWords) {
    if (!in.TryWord(row.word)) continue;
    *type = row.type;
    return true;
  }
  return in.Expected("replicated, manual, unknown or unreduced", "text.attribute");
}

bool ReadDevices(Cursor& in, Sharding* sharding) {
  const char* start = in.Here();
  sharding->type = Sharding::Type::kOther;
  if (!in.Expect('=') || !ReadList(in, '[', ']', [&] {
        return in.NonNegative(&sharding->tile_assignment_dimensions.emplace_back());
      })) {
    return false;
  }
  if (in.Try("<=")) {
    return ReadIota(in, &sharding->iota_reshape_dims, &sharding->iota_transpose_permutation) &&
           CheckIota(in, start, sharding->tile_assignment_dimensions, sharding->iota_reshape_dims,
                     sharding->iota_transpose_permutation);
  }
  do {
    if (!in.NonNegative(&sharding->tile_assignment_devices.emplace_back())) return false;
  } while (in.Try(','));
  int64_t tiles = DeviceProduct(sharding->tile_assignment_dimensions);
  if (tiles != static_cast<int64_t>(sharding->tile_assignment_devices.size())) {
    return in.FailAt(start, "text.attribute",
                     absl::StrCat("expected ", tiles, " devices, found ",
                                  sharding->tile_assignment_devices.size()));
  }
  return true;
}

bool ReadShardingMetadata(Cursor& in, Sharding* sharding) {
  if (!in.Expect('=')) return false;
  const char* start = in.Here();
  in.Try('{');
  bool list = in.Peek() == '{';
  in.GoTo(start);
  if (!list) return ReadMetadata(in, &sharding->metadata.emplace_back());
  return ReadList(in, '{', '}',
                  [&] { return ReadMetadata(in, &sharding->metadata.emplace_back()); });
}

// Reads one item of "{devices=[2,2]<=[4] last_tile_dim_replicate shard_as 3}".
bool ReadShardingItem(Cursor& in, Sharding* sharding) {
  if (in.TryWord("devices")) return ReadDevices(in, sharding);
  if (in.TryWord("last_tile_dim_replicate")) {
    sharding->replicate_on_last_tile_dim = true;
    return true;
  }
  if (in.TryWord("last_tile_dims")) {
    return in.Expect('=') && ReadList(in, '{', '}', [&] {
             return ReadTypeWord(in, &sharding->last_tile_dims.emplace_back());
           });
  }
  if (in.TryWord("maximal")) {
    sharding->type = Sharding::Type::kMaximal;
    return true;
  }
  if (in.TryWord("device")) {
    return in.Expect('=') && in.NonNegative(&sharding->tile_assignment_devices.emplace_back());
  }
  if (in.TryWord("metadata")) return ReadShardingMetadata(in, sharding);
  bool shard_as = in.TryWord("shard_as");
  if (shard_as || in.TryWord("shard_like")) {
    sharding->is_shard_group = true;
    sharding->shard_as = shard_as;
    return in.NonNegative(&sharding->shard_group_id);
  }
  return ReadTypeWord(in, &sharding->type);
}

bool ReadTupleSharding(Cursor& in, Sharding* sharding) {
  sharding->type = Sharding::Type::kTuple;
  if (!in.Enter()) return false;
  bool read = ReadList(in, '{', '}',
                       [&] { return ReadSharding(in, &sharding->tuple_shardings.emplace_back()); });
  in.Leave();
  return read;
}

// Returns true if the newer, named form follows.
bool NamedAhead(Cursor& in) {
  absl::string_view word = in.PeekIdentifier();
  return in.Peek() == '@' || word == "mesh" || word == "single_device" || word == "maximal_mesh";
}

// Stores the text, and lowers it unless it refers to a mesh that is defined elsewhere.
bool ReadBracedNamedSharding(Cursor& in, Sharding* sharding) {
  const char* start = in.Here();
  absl::string_view text;
  if (!in.Balanced(&text)) return false;
  sharding->type = Sharding::Type::kOther;
  sharding->raw_text = std::string(text);
  NamedSharding named;
  Cursor inside(text.substr(1, text.size() - 2));
  if (inside.Peek() == '@') return true;
  if (!ReadNamedSharding(inside, {}, &named)) {
    return in.FailAt(start, "text.attribute", inside.status().message());
  }
  const absl::Status lowered = LowerNamedSharding(named, sharding);
  return lowered.ok() || in.FailAt(start, "text.attribute", lowered.message());
}

}  // namespace

bool ReadIota(Cursor& in, std::vector<int64_t>* reshape_dims, std::vector<int64_t>* permutation) {
  if (!ReadList(in, '[', ']', [&] { return in.NonNegative(&reshape_dims->emplace_back()); })) {
    return false;
  }
  if (!in.TryWord("T")) return true;
  return ReadList(in, '(', ')', [&] { return in.NonNegative(&permutation->emplace_back()); });
}

bool ReadExpandedIota(Cursor& in, std::vector<int64_t>* devices) {
  std::vector<int64_t> dims, order;
  const char* start = in.Here();
  if (!ReadIota(in, &dims, &order) || !CheckIota(in, start, dims, dims, order)) return false;
  *devices = *ExpandIota(dims, order);  // checked above
  return true;
}

bool ReadSharding(Cursor& in, Sharding* sharding) {
  const char* start = in.Here();
  if (NamedAhead(in)) {
    sharding->type = Sharding::Type::kOther;
    return ReadMeshText(in, &sharding->raw_text);
  }
  if (!in.Expect('{')) return false;
  if (NamedAhead(in)) {
    in.GoTo(start);
    return ReadBracedNamedSharding(in, sharding);
  }
  bool tuple = in.Peek() == '{' || in.Peek() == '}';
  if (tuple) {
    in.GoTo(start);
    return ReadTupleSharding(in, sharding);
  }
  while (!in.Try('}')) {
    if (!ReadShardingItem(in, sharding)) return false;
  }
  return true;
}

bool ReadDomain(Cursor& in, DomainMetadata* domain) {
  return in.Expect('{') && in.ExpectWord("kind") && in.Expect('=') &&
         in.QuotedString(&domain->kind) && in.Expect(',') && in.ExpectWord("entry") &&
         in.Expect('=') && ReadSharding(in, &domain->entry) && in.Expect(',') &&
         in.ExpectWord("exit") && in.Expect('=') && ReadSharding(in, &domain->exit) &&
         in.Expect('}');
}

}  // namespace hlocts
